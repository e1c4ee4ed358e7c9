//! `--verify-cache --tree`: compares what is kept of a directory with what is found anew.

use std::{collections::BTreeMap, ops::ControlFlow, sync::Arc};

use bstr::BString;

use crate::{
    cache::{BlameFiles, CacheSettings, TreeBlames},
    engine::{
        self, DiscardProgress, Engine, KeptTree, PlannedBlame, PlannedVersions, Request, Start,
        TreePlan,
    },
    error::{Error, Result},
    objects::{ObjectId, TreeEntry},
    repository::{Repository, commits::cached_texts::CachedTexts, tree::tree_nodes::LastCommits},
    run::cache::{
        self,
        blame_verification::{AttributedLine, attributed_lines},
    },
    sanitize,
};

/// Compares all that is kept of a directory with these options, in any commit.
///
/// # Errors
///
/// If anything differs, or nothing is kept.
pub(in crate::run) fn verify(
    repository: &Repository,
    request: &Request,
    settings: &CacheSettings,
) -> Result<()> {
    let path = match &request.path[..] {
        b"" => ".".to_owned(),
        path => sanitize::line(path),
    };
    let not_kept = || Error::fatal("such directories are not kept");
    let directory = cache::repository_directory(repository, settings).ok_or_else(not_kept)?;
    let files = BlameFiles::new(&directory, settings);
    let texts: Arc<CachedTexts> = Arc::default();
    let kept = TreeBlames::all_kept(&files, repository, request, Arc::clone(&texts));
    let kept = kept.ok_or_else(not_kept)?;
    // Through a wrong index, it is what is found anew that would be wrong.
    if let Some(sign) = repository.store().damage() {
        return Err(Error::fatal(format!("nothing was compared: {sign}")));
    }
    let wrong = |what: &str| {
        Error::fatal(format!(
            "{path}: what is kept is wrong: {what}; remove it with --cache-clear"
        ))
    };
    let (mut commits, mut lines) = (0, 0);
    for tree in &kept {
        let request = Request {
            start: Start::Commit(tree.commit),
            ..request.clone()
        };
        let mut engine = Engine::new(Arc::clone(repository.store()), 1);
        // A commit may be gone.
        let planned = engine.plan_tree(&request, &mut DiscardProgress);
        if let Ok(Some(plan)) = planned {
            let compared = compare(repository, &mut engine, tree, &plan);
            let compared = compared.map_err(|what| {
                let id = tree.commit;
                wrong(&format!("{what} in {id}"))
            });
            lines += compared?;
            commits += 1;
        }
    }
    let texts = texts.verify(&mut repository.reader());
    let texts = texts.map_err(|id| wrong(&format!("the text of commit {id}")))?;
    if commits == 0 {
        return Err(Error::fatal(format!(
            "{path}: nothing of it is kept: nothing was compared"
        )));
    }
    cache::print(&format!(
        "{path}: {lines} lines in {commits} kept commits, all as blamed anew\n\
         {path}: names, dates, summaries and co-authors of {texts} commits, all as stored\n"
    ))
}

/// Compares a kept directory with a plan of its commit. Returns the number of lines.
///
/// # Errors
///
/// What differs.
fn compare(
    repository: &Repository,
    engine: &mut Engine,
    tree: &KeptTree,
    plan: &TreePlan,
) -> std::result::Result<u64, String> {
    let listed = |files: &[engine::PlannedFile]| -> Vec<_> {
        let files = files.iter();
        let parts = |file: &engine::PlannedFile| {
            let kind = (file.entry, file.is_submodule);
            (file.path.clone(), kind, file.last_commit)
        };
        files.map(parts).collect()
    };
    if listed(&tree.files) != listed(plan.files()) {
        return Err("the list of files".to_owned());
    }
    if listed_versions(&tree.versions) != listed_versions(plan.versions()) {
        return Err("the versions that are compared".to_owned());
    }
    if let Some(kept) = &tree.last_commits {
        let found = LastCommits::find(engine, plan.request(), &|| false);
        let found = found.ok().filter(|(_, are_known)| *are_known);
        let kept = kept.iter().cloned().collect();
        if found.is_none_or(|(found, _)| found.0 != kept) {
            return Err("the last commits of entries".to_owned());
        }
    }
    let files = tree.files.iter().enumerate();
    let order: Vec<usize> = files
        .filter_map(|(at, file)| file.known.as_ref().map(|_| at))
        .collect();
    let (mut lines, mut different) = (0, None);
    let threads = engine::default_threads();
    engine::blame_in_order(
        repository.store(),
        plan,
        &order,
        threads,
        &|| None,
        &mut |at, blame| {
            let file = &tree.files[at];
            let kept = file.known.as_deref();
            let is_same = blame
                .ok()
                .zip(kept)
                .is_some_and(|(blame, kept)| lines_of(&blame).eq(lines_of(kept)));
            if !is_same {
                different = Some(sanitize::line(&file.path));
                return ControlFlow::Break(());
            }
            lines += kept.map_or(0, |kept| u64::from(kept.line_count));
            ControlFlow::Continue(())
        },
    );
    different.map_or(Ok(lines), Err)
}

fn lines_of(blame: &PlannedBlame) -> impl Iterator<Item = AttributedLine<'_>> {
    attributed_lines(&blame.entries, &blame.origins, |commit| {
        blame.boundaries.binary_search(commit).is_ok()
    })
}

/// A file in a commit.
type VersionPlace<'a> = (ObjectId, &'a BString);

/// The versions by their places, with what each is compared with.
fn listed_versions(
    versions: &PlannedVersions,
) -> BTreeMap<VersionPlace<'_>, (TreeEntry, bool, Vec<VersionPlace<'_>>)> {
    let place = |commit: u32, path: u32| -> VersionPlace<'_> {
        let commit = versions.commits[commit as usize].id;
        (commit, &*versions.paths[path as usize])
    };
    let listed = versions.records.iter().map(|record| {
        let origins = versions.origins_of(record).iter();
        let origins = origins.map(|origin| place(origin.commit, origin.path));
        let is_boundary = versions.commits[record.commit as usize].is_boundary;
        let version = (record.entry, is_boundary, origins.collect());
        (place(record.commit, record.path), version)
    });
    listed.collect()
}
