//! Resolves options against a repository into a request for the engine.

use std::{collections::HashSet, sync::Arc};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    dates::{approxidate, calendar::Clock},
    diff,
    engine::{Request, RevListOptions, Start, TextConversion},
    error::Result,
    objects::ObjectId,
    repository::{
        content::{attributes::AttributeFiles, text_attributes::DiffAttributes},
        open::{
            git_config::GitConfig,
            grafts::{self, Grafts},
            paths::relative_path,
            repository::Repository,
        },
        request::{
            arguments::{self, Arguments, line_argument},
            commit_bounds::Preparation,
            history_limiting,
            ignored_revisions::{self, RootIgnoreFile},
            line_ranges,
            options::BlameOptions,
        },
        revisions::{
            arguments::{RevisionArguments, RevisionOptions},
            resolver::RevisionResolver,
        },
    },
};

pub(crate) use crate::repository::request::commit_bounds::NO_COMMIT;
pub use crate::repository::request::commit_bounds::{Directory, NamedLines};

/// A request ready for the engine, and what the program shows about it.
#[derive(Debug, Clone)]
pub struct PreparedRequest {
    /// The request, line ranges included.
    pub request: Request,
    /// The lines of a place such as `FILE:N` or `FILE:FIRST-LAST`, or that of `+N`.
    pub lines: Option<NamedLines>,
    /// The revisions and their options, as typed.
    pub revisions: Vec<BString>,
    /// The final commit's name: the revision as typed, or `HEAD`.
    pub final_name: BString,
    /// The work tree's conventional list of ignored revisions, if it exists and the options use it;
    /// the request includes it.
    pub root_file: Option<RootIgnoreFile>,
    /// With [`BlameOptions::directory`]: the directory whose files the user chooses from. `request`
    /// is then the model for requests about files of commits.
    pub directory: Option<Directory>,
}

impl PreparedRequest {
    /// True for a directory of the work tree.
    pub fn is_of_work_tree(&self) -> bool {
        let directory = self.directory.as_ref();
        directory.is_some_and(|directory| directory.commit.is_none())
    }

    /// The request for a blame of all files of the directory, whose path is the directory's.
    pub fn of_directory(&self) -> Request {
        let directory = self.directory.as_ref();
        Request {
            path: directory.map_or_else(BString::default, |it| it.path.clone()),
            ..self.request.clone()
        }
    }
}

/// Resolves `options` in `repository`; `clock` gives the current time. Warnings are added to
/// `notes`.
///
/// # Errors
///
/// Every error that git reports before it starts the same blame, in its words and order.
pub fn prepare(
    repository: &Repository,
    options: &BlameOptions,
    clock: &Clock,
    notes: &mut Vec<BString>,
) -> Result<PreparedRequest> {
    let noted = notes.len();
    prepare_operands(repository, options, clock, notes).or_else(|err| {
        let Some(operands) = other_operands(repository, options) else {
            return Err(err);
        };
        let other = BlameOptions {
            operands,
            ..options.clone()
        };
        let mut other_notes = Vec::new();
        let prepared = prepare_operands(repository, &other, clock, &mut other_notes);
        let prepared = prepared.map_err(|_| err)?;
        notes.truncate(noted);
        notes.append(&mut other_notes);
        Ok(prepared)
    })
}

/// Operands that may be meant where those of `options` are an error: `+N FILE` for `FILE +N`, and
/// the two words for `REV:FILE`.
fn other_operands(repository: &Repository, options: &BlameOptions) -> Option<Vec<BString>> {
    let last = options.operands.last().filter(|_| options.file_and_line)?;
    if line_argument(last.as_bstr()).is_some() {
        let mut operands = options.operands.clone();
        operands.rotate_right(1);
        return Some(operands);
    }
    let [word] = options.operands.as_slice() else {
        return None;
    };
    let (revision, file) = word.split_once_str(":")?;
    // As in `git show REV:FILE`, the path starts at the root of the tree, unless it begins with a
    // dot.
    let prefix = repository.paths().prefix.as_bstr();
    let file = if file.starts_with(b"./") || file.starts_with(b"../") {
        file.into()
    } else {
        relative_path(file.as_bstr(), prefix)
    };
    let is_named = !revision.is_empty() && !file.is_empty();
    is_named.then(|| vec![revision.into(), "--".into(), file])
}

/// [`prepare`] with the operands in the order in which git accepts them.
fn prepare_operands(
    repository: &Repository,
    options: &BlameOptions,
    clock: &Clock,
    notes: &mut Vec<BString>,
) -> Result<PreparedRequest> {
    let grafts = grafts_of(repository, options, notes)?;
    let mut names = RevisionResolver::new(repository, notes).with_grafts(&grafts);
    let arguments = arguments_of(&mut names, options)?;
    let path = repository.paths().resolve(arguments.file.as_bstr())?;
    let revision_options = RevisionOptions {
        ignore_missing: options.ignore_missing,
        mixed: !arguments.separated,
        walk_reflogs: options.walk_reflogs,
        default: options.default_revision.clone(),
    };
    let resolved = RevisionArguments::resolve(names, revision_options, &arguments.revisions)?;
    history_limiting::check_options(options, resolved.revisions.iter().any(|it| it.negative))?;
    let (ignored, root_file) = ignored_of(repository, options, notes)?;
    let since = date(options.since.as_ref(), options.max_age, clock);
    let heads = Arc::new(resolved.heads);
    let preparation = Preparation::new(
        repository,
        options,
        (resolved.revisions, resolved.walked),
        &grafts,
        (clock.system_now(), since),
    );
    let found = preparation.find(path, arguments.line);
    notes.append(&mut preparation.take_notes());
    let (bounds, path, lines) = found?;
    repository.config().promisors.check(notes)?;
    let attribute_files = AttributeFiles::new(repository);
    if options.text_conversion {
        attribute_files.check()?;
    }
    let bounds = preparation.limit_to_ancestry_path(bounds, notes)?;
    let (bounds, grafts) = preparation.simplify_by_decoration(bounds)?;
    let mut attributes = attribute_files.open();
    if matches!(bounds.start, Start::Uncommitted(_)) {
        attributes.use_index();
    }
    let settings = repository.config();
    let text_attributes = DiffAttributes::new(&settings.drivers, attributes);
    let conversion = preparation.converter().cloned();
    let mut request = Request {
        start: bounds.start,
        path,
        negatives: bounds.negatives,
        since,
        exclude_first_parent_only: options.exclude_first_parent_only,
        reverse: bounds.reverse,
        boundaries: bounds.boundaries,
        listing: RevListOptions {
            until: date(options.until.as_ref(), options.min_age, clock),
            since: date(options.since_as_filter.as_ref(), None, clock),
            order: options.order,
        },
        first_parent: options.first_parent,
        follow: options.follow,
        show_root: options.show_root.unwrap_or(settings.show_root),
        ranges: None,
        in_order: false,
        diff: diff_options(options, settings),
        movement: options.movement,
        ignored,
        heads,
        text_conversion: conversion.map(|converter| converter as Arc<dyn TextConversion>),
        text_attributes: Some(Arc::new(text_attributes)),
        grafts,
    };
    let directory = if options.directory {
        Some(preparation.directory(&request)?)
    } else {
        None
    };
    request.ranges = line_ranges::resolve(repository, &request, options)?;
    Ok(PreparedRequest {
        request,
        directory,
        lines,
        revisions: arguments.revisions,
        final_name: bounds.name,
        root_file,
    })
}

/// The parents that override stored ones, those of `-S` included.
fn grafts_of(
    repository: &Repository,
    options: &BlameOptions,
    notes: &mut Vec<BString>,
) -> Result<Arc<Grafts>> {
    let Some(name) = &options.grafts else {
        return Ok(Arc::clone(repository.grafts()));
    };
    let name = name.as_bstr();
    let mut grafts = (**repository.grafts()).clone();
    let file = repository.named_file(name);
    grafts::read(&file, name, repository.hash(), &mut grafts, notes)?;
    Ok(Arc::new(grafts))
}

/// The operands by role; `names` tells revisions from files.
fn arguments_of(names: &mut RevisionResolver<'_>, options: &BlameOptions) -> Result<Arguments> {
    let has_work_tree = names.repository.paths().work_tree.is_some();
    let is_resolved_again = options.operands.len() > 1;
    let mut names_object = |word: &BStr| names.names_object(word, is_resolved_again);
    let mut arguments = arguments::split(&options.operands, has_work_tree, &mut names_object)?;
    if options.file_and_line {
        arguments.take_line(names_object)?;
    }
    Ok(arguments)
}

/// The ignored revisions, and the work tree's list if it was read.
fn ignored_of(
    repository: &Repository,
    options: &BlameOptions,
    notes: &mut Vec<BString>,
) -> Result<(Arc<HashSet<ObjectId>>, Option<RootIgnoreFile>)> {
    let ignored = ignored_revisions::ignored(repository, options, notes)?;
    repository.note_grafts(notes);
    let file = match options.root_ignored_file {
        Some(true) => ignored_revisions::root_file(repository, ignored.clone()),
        _ => None,
    };
    let with = file.as_ref().map(|file| Arc::clone(&file.with));
    Ok((with.unwrap_or_else(|| Arc::new(ignored)), file))
}

fn diff_options(options: &BlameOptions, settings: &GitConfig) -> diff::DiffOptions {
    let heuristic = options.indent_heuristic;
    diff::DiffOptions {
        algorithm: options.algorithm.unwrap_or(settings.algorithm),
        ignore_whitespace: options.ignore_whitespace,
        indent_heuristic: heuristic.unwrap_or(settings.indent_heuristic),
        older: options.older_diff,
    }
}

/// A date as written, or else in seconds since the epoch.
fn date(text: Option<&BString>, seconds: Option<i64>, clock: &Clock) -> Option<i64> {
    match text {
        Some(text) => Some(approxidate::parse(text, clock)),
        None => seconds,
    }
}
