//! The shape of a repository and of a request, without names and contents.

use crate::{
    cli::Invocation,
    engine::{Request, Start},
    repository::{
        Repository,
        open::git_config::{AbbrevConfig, GitConfig},
        request::prepare::PreparedRequest,
    },
    run::diagnosis::Fact,
    system::run_log,
};

/// What is known of an open repository.
pub(super) fn facts(repository: &Repository) -> Vec<Fact> {
    vec![
        Fact::new("repository", layout(repository)),
        Fact::new("objects", objects(repository)),
        Fact::new("settings", settings(repository.config())),
    ]
}

/// The words of those that are true, as a list.
fn listed<'a>(words: impl IntoIterator<Item = (bool, &'a str)>) -> Vec<String> {
    let words = words.into_iter().filter(|(is_true, _)| *is_true);
    words.map(|(_, word)| word.to_owned()).collect()
}

/// `count` of something, if there are any.
fn counted(count: usize, what: &str) -> Option<String> {
    (count > 0).then(|| format!("{count} {what}"))
}

fn layout(repository: &Repository) -> String {
    let (layout, store) = (repository.layout(), repository.store());
    let mut words = vec![format!("{}", repository.hash())];
    let is_linked = layout.git_dir != layout.common_dir;
    words.extend(listed([
        (layout.is_reftable, "reftable"),
        (!layout.is_reftable, "references in files"),
        (repository.is_bare(), "bare"),
        (is_linked, "linked work tree"),
        (layout.workspace.is_some(), "workspace of jj"),
        (
            !repository.paths().prefix.is_empty(),
            "in a directory of it",
        ),
        (repository.is_partial_clone(), "partial clone"),
        (repository.head_commit().is_none(), "no commit"),
    ]));
    words.extend(counted(
        repository.grafts().len(),
        "grafted or shallow commits",
    ));
    words.extend(counted(store.replacements().len(), "replaced objects"));
    words.join(", ")
}

fn objects(repository: &Repository) -> String {
    let store = repository.store();
    let packs = store.packs();
    let mut words = vec![format!("{} packs", packs.all.len())];
    let packed = repository.reader().packed_object_count();
    words.push(match packed {
        Ok(count) => format!("{count} objects in them"),
        Err(_) => "which cannot all be opened".to_owned(),
    });
    words.extend(counted(packs.multi_indexes.len(), "multi-pack-indexes"));
    words.extend(counted(store.dirs().len() - 1, "alternates"));
    words.push(match store.graph_len() {
        0 => "no commit-graph".to_owned(),
        count if store.has_path_histories() => {
            format!("commit-graph with {count} commits and changed-path filters")
        }
        count => format!("commit-graph with {count} commits"),
    });
    words.extend(listed([(store.is_careful(), "read with care")]));
    words.join(", ")
}

/// The variables of the configuration that change a blame and are not as by default.
fn settings(config: &GitConfig) -> String {
    let default = GitConfig::default();
    let mut words = listed([
        (config.show_root, "blame.showRoot"),
        (config.blank_boundary, "blame.blankBoundary"),
        (config.show_email, "blame.showEmail"),
        (config.mark_ignored, "blame.markIgnoredLines"),
        (config.mark_unblamable, "blame.markUnblamableLines"),
        (config.date.is_some(), "blame.date"),
        (config.color_lines || config.color_by_age, "blame.coloring"),
        (config.abbrev != AbbrevConfig::Auto, "core.abbrev"),
        (!config.quote_path, "core.quotePath=false"),
        (!config.commit_graph, "core.commitGraph=false"),
        (
            !config.read_changed_paths,
            "commitGraph.readChangedPaths=false",
        ),
        (
            config.delta_base_cache != default.delta_base_cache,
            "core.deltaBaseCacheLimit",
        ),
        (config.cache.is_some(), "tblame.cache"),
        (!config.use_replace_refs, "core.useReplaceRefs=false"),
        (!config.indent_heuristic, "diff.indentHeuristic=false"),
        (
            config.log_output_encoding.is_some(),
            "i18n.logOutputEncoding",
        ),
        (config.commit_encoding.is_some(), "i18n.commitEncoding"),
        (
            config.mailmap_file.is_some() || config.mailmap_blob.is_some(),
            "mailmap",
        ),
        (
            config.line_ends != default.line_ends,
            "core.autocrlf or core.eol",
        ),
        (config.ignore_case, "core.ignoreCase"),
        (config.filters != default.filters, "filters"),
    ]);
    if config.algorithm != default.algorithm {
        words.push(format!("diff.algorithm={:?}", config.algorithm));
    }
    words.extend(counted(config.ignored_files.len(), "blame.ignoreRevsFile"));
    let drivers = config.drivers.values();
    let conversions = drivers.filter(|it| it.text_conversion.is_some()).count();
    words.extend(counted(conversions, "text conversions"));
    if words.is_empty() {
        words.push("none that changes a blame".to_owned());
    }
    words.join(", ")
}

/// A request, and the output that it is for.
pub(super) fn described(invocation: &Invocation, prepared: &PreparedRequest) -> String {
    let Request {
        start,
        path,
        negatives,
        since,
        reverse,
        boundaries,
        first_parent,
        follow,
        ranges,
        diff,
        movement,
        ignored,
        text_conversion,
        ..
    } = &prepared.request;
    let output = format!("{:?}", invocation.output);
    let output = output.split([' ', '(', '{']).next().unwrap_or_default();
    let mut words = vec![format!("{output} of {}", run_log::path(path))];
    words.push(match start {
        Start::Commit(commit) => format!("in commit {commit}"),
        Start::Uncommitted(it) => {
            let (bytes, commits) = (it.contents.len(), it.parents.len());
            format!("uncommitted, {bytes} bytes on {commits} commits")
        }
    });
    if let Some(ranges) = ranges {
        let shown = ranges.iter().take(5);
        let shown: Vec<String> = shown
            .map(|range| format!("{}-{}", range.start + 1, range.end))
            .collect();
        words.push(format!("{} ranges: {}", ranges.len(), shown.join(" ")));
    }
    let converts = text_conversion.as_ref().is_some_and(|it| it.converts(path));
    words.extend(listed([
        (prepared.directory.is_some(), "a directory"),
        (*first_parent, "first parents"),
        (!follow, "no renames"),
        (reverse.is_some(), "in reverse"),
        (since.is_some(), "with an oldest date"),
        (diff.ignore_whitespace, "without whitespace"),
        (!diff.indent_heuristic, "no indent heuristic"),
        (converts, "converted to text"),
        (prepared.root_file.is_some(), "with .git-blame-ignore-revs"),
    ]));
    words.push(format!("{:?}", diff.algorithm));
    if let Some(score) = movement.moves {
        words.push(format!("moves above {score}"));
    }
    if let Some(score) = movement.copies {
        let level = movement.copy_level;
        words.push(format!("copies above {score} (level {level})"));
    }
    words.extend(counted(ignored.len(), "ignored commits"));
    words.extend(counted(negatives.len(), "excluded commits"));
    words.extend(counted(boundaries.len(), "boundaries"));
    words.join(", ")
}
