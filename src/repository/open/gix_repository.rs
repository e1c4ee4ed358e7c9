//! The repository as gix opens it, for what is left to gix: abbreviated ids, paths in revisions, and merge bases. Few blames need
//! it. It gets the configuration that was read here: gix's own reader knows fewer sources, conditions and forms of
//! values.

use std::path::Path;

use bstr::{BStr, ByteSlice};
use gix::{
    config::{File, Source, file::Metadata},
    sec::Trust,
};

use crate::{
    error::os_message,
    repository::open::{
        configuration::{
            sources::Configuration,
            variable::{Located, Scope, VariableOrigin},
        },
        environment::{self, EnvironmentUse},
        layout::Layout,
        remotes,
    },
    system::leftovers::TemporaryDirectory,
};

/// Packs that gix finds at most where alternates lead to themselves.
const MAX_PACKS_OF_CYCLES: u16 = 1024;

/// From so many variables on, gix gets only those of sections that are read from it: it takes long for each.
const MANY: usize = 10_000;

/// The repository, and the directory that lists the object directories of the environment to it, which must exist as
/// long. `root` is where git works.
///
/// # Errors
///
/// gix cannot open it; the reason.
pub(super) fn open(
    layout: &Layout,
    configuration: &Configuration,
    environment: EnvironmentUse,
    root: &Path,
) -> Result<(gix::ThreadSafeRepository, Option<TemporaryDirectory>), String> {
    // gix reads the repository's own file alone: the configuration was read here.
    let mut permissions = gix::open::Permissions::all();
    permissions.config = gix::open::permissions::Config::isolated();
    if environment == EnvironmentUse::Ignore {
        permissions.env.git_prefix = gix::sec::Permission::Deny;
        permissions.env.objects = gix::sec::Permission::Deny;
    }
    let options = gix::open::Options::default()
        .lossy_config(true)
        .permissions(permissions)
        .with(Trust::Full)
        .open_path_as_is(true);
    // Alternates that lead to themselves are an error unless gix is told how many packs there may be.
    let slots = gix::odb::store::init::Slots::Given(MAX_PACKS_OF_CYCLES);
    let opened = options.clone().open(&layout.git_dir);
    let opened = opened.or_else(|_| options.object_store_slots(slots).open(&layout.git_dir));
    let mut gix = opened.map_err(|err| err.to_string())?.to_thread_local();
    // A work tree that cannot be listed matters where its files are read.
    let _ = gix.set_workdir(layout.work_tree.clone());
    replace(&mut gix, configuration).ok_or("its configuration cannot be represented")?;
    gix.refs.set_packed_buffer_mmap_threshold(u64::MAX);
    let objects = environment::objects(&mut gix, environment, root);
    let objects = objects.map_err(|err| {
        let reason = os_message(&err);
        format!("no temporary directory for the object directories of the environment: {reason}")
    })?;
    Ok((gix.into_sync(), objects))
}

/// Replaces what `gix` read from files by `configuration`. What it read from environment variables
/// such as `GIT_INDEX_FILE` stays.
fn replace(gix: &mut gix::Repository, configuration: &Configuration) -> Option<()> {
    let is_same = gix.git_dir_trust() == Trust::Full
        && configuration.variables().all(|it| {
            !is_refused(it)
                && !it.origin.included
                && matches!(it.origin.scope, Scope::Local | Scope::Worktree)
        });
    if is_same {
        return Some(());
    }
    let all = configuration.variables().count() < MANY;
    let is_used = |it: &Located<'_>| all || is_used(it.variable.section());
    let mut file = File::new(Metadata::from(Source::Local));
    let mut previous: Option<(&BStr, Option<&BStr>, &VariableOrigin)> = None;
    let variables = configuration.variables().filter(is_used);
    for it in variables.filter(|it| !is_refused(*it)) {
        let variable = it.variable;
        let (Ok(section), Ok(name)) = (variable.section().to_str(), variable.name().to_str())
        else {
            continue;
        };
        let value = variable.value.as_ref().map(|value| value.as_bstr());
        let header = (variable.section(), variable.subsection(), it.origin);
        let pushed = match previous {
            Some(same) if same.0 == header.0 && same.1 == header.1 && same.2 == header.2 => file
                .section_mut(section, header.1)
                .and_then(|mut open| open.push(name, value).map(drop)),
            _ => file
                .new_section_with_meta(
                    section,
                    header.1.map(ToOwned::to_owned),
                    metadata(it.origin),
                )
                .and_then(|mut open| open.push(name, value).map(drop)),
        };
        // gix cannot represent the variable, so that it cannot use it either.
        previous = pushed.is_ok().then_some(header);
    }
    let mut snapshot = gix.config_snapshot_mut();
    let of_variables: Vec<_> = snapshot
        .sections()
        .filter(|section| section.meta().source == Source::EnvOverride)
        .map(|section| section.to_owned())
        .collect();
    for section in of_variables {
        file.push_section(section).ok();
    }
    *snapshot = file;
    snapshot.commit().ok().map(drop)
}

/// Whether gix reads variables of a section.
fn is_used(section: &BStr) -> bool {
    let of_gix = gix::config::Tree;
    let mut known = of_gix.sections().iter();
    !remotes::has_section(section) && known.any(|known| known.name() == section)
}

/// Whether gix refuses a value that git accepts, or accepts and ignores.
fn is_refused(it: Located<'_>) -> bool {
    match it.key().as_bytes() {
        b"core.eol" => {
            let known = [&b"lf"[..], b"crlf", b"native"];
            let value = it.bytes().unwrap_or_default();
            !known.iter().any(|known| value.eq_ignore_ascii_case(known))
        }
        b"core.checkroundtripencoding" => true,
        _ => false,
    }
}

fn metadata(origin: &VariableOrigin) -> Metadata {
    let source = match origin.scope {
        Scope::System => Source::System,
        Scope::Global => Source::User,
        Scope::Local => Source::Local,
        Scope::Worktree => Source::Worktree,
        Scope::Command => Source::Cli,
    };
    let metadata = Metadata::from(source).with(Trust::Full);
    match &origin.file {
        Some((path, _)) => metadata.at(path.as_path() as &Path),
        None => metadata,
    }
}
