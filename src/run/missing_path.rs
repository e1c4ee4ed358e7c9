//! Finds what became of a path that the command line names, and that is not there.

use std::{
    collections::BTreeMap,
    fs::Metadata,
    io::{self, IsTerminal, Write},
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    dates::calendar::Clock,
    engine::{self, DirectoryChange, DirectoryHistorySink, Engine, Request},
    error::{Error, Kind, quoted},
    objects::{ObjectId, TreeChange, TreeEntry},
    repository::{
        Repository,
        commits::commit_texts::{CommitTexts, PseudoCommit},
        content::{
            index_entries::IndexPath,
            tree_files,
            work_tree::{ContentsSource, UncommittedReader, entry_of_commit},
            work_tree_files::FileFinder,
        },
        open::paths::relative_path,
        places::place::places,
        request::{
            options::BlameOptions,
            prepare::{PreparedRequest, prepare},
        },
        revisions::resolver::RevisionResolver,
    },
    viewer::{
        model::{
            missing_path::{MissingPath, PathDeletion, PathFate},
            relative_dates,
            source::{CommitChanges, Signature},
        },
        repository::commit_files,
    },
};

/// How long a search takes before it says so.
const SILENCE: Duration = Duration::from_secs(1);

/// How often it says how far it is.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// The most reports of a search that nobody sees, of 16 commits each. Scripts, which mostly ask for
/// paths that there never were, wait no longer than about as long as git takes for the error.
const MAX_UNSEEN_REPORTS: u32 = 128;

/// Most files that are intended to be added whose contents are compared with those of removed files.
const MAX_INTENDED: usize = 100;

/// A missing path, and how to blame what was there.
pub(super) struct PathBefore {
    pub(super) missing: MissingPath,
    /// The options for the version that has the path.
    pub(super) options: BlameOptions,
    /// The nearest directory that is still there.
    pub(super) directory: PreparedRequest,
}

/// The path that the last operand names, if the requested version does not have it but an older one
/// does.
pub(super) fn find(
    repository: &Arc<Repository>,
    options: &BlameOptions,
    clock: &Clock,
) -> Option<PathBefore> {
    let word = options.operands.last()?;
    let mut words = vec![(word.clone(), None)];
    if options.file_and_line {
        words.extend(places(word.as_bstr()).map(|place| (place.file.to_owned(), Some(place.line))));
    }
    let root = prepare_last(repository, options, clock, b"/".as_bstr())?;
    let is_plain = root.request.negatives.is_empty() && !options.reverse;
    let commit = *root.request.start.heads().first().filter(|_| is_plain)?;
    let is_of_work_tree = root.directory.as_ref()?.commit.is_none();
    for (word, line) in words {
        let Ok(path) = repository.paths().resolve(word.as_bstr()) else {
            continue;
        };
        let path = BString::from(path.strip_suffix(b"/").unwrap_or(&path));
        if path.is_empty() || is_of_another_repository(repository, &path) {
            continue;
        }
        let line = line.or(root.lines.map(|(first, _)| first));
        let line = line.map(|line| line.saturating_sub(1));
        let there = entry_of_commit(&mut repository.reader(), &commit, path.as_bstr());
        let found = match there.ok().flatten() {
            Some(entry) => {
                let is_removed = is_of_work_tree && in_work_tree(repository, &path).is_none();
                is_removed.then(|| {
                    let fate = uncommitted_fate(repository, &commit, &path, clock);
                    (commit, entry, fate)
                })
            }
            None => deletion(repository, &root.request, &path),
        };
        let has_lines =
            |entry: &TreeEntry| entry.is_tree() || entry.is_regular() || entry.is_link();
        let found = found.filter(|(_, entry, _)| has_lines(entry));
        let Some((version, entry, fate)) = found else {
            continue;
        };
        let missing = MissingPath {
            version,
            is_directory: entry.is_tree(),
            line,
            fate,
            path,
        };
        let typed = relative_path(missing.path.as_bstr(), repository.paths().prefix.as_bstr());
        let operands = vec![version.to_string().into(), "--".into(), typed];
        return Some(PathBefore {
            directory: nearest_directory(repository, options, clock, &missing.path)?,
            options: BlameOptions {
                operands,
                ..options.clone()
            },
            missing,
        });
    }
    None
}

/// True if there is a repository between the root of the work tree and the path.
fn is_of_another_repository(repository: &Repository, path: &BString) -> bool {
    let Some(root) = repository.paths().existing_work_tree() else {
        return false;
    };
    let mut slashes = path.find_iter(b"/");
    slashes.any(|end| root.join(path[..end].to_path_lossy()).join(".git").exists())
}

/// What the work tree has that is typed so.
pub(super) fn typed_in_work_tree(repository: &Repository, typed: &BStr) -> Option<Metadata> {
    in_work_tree(repository, &repository.paths().resolve(typed).ok()?)
}

fn in_work_tree(repository: &Repository, path: &BString) -> Option<Metadata> {
    let root = repository.paths().existing_work_tree()?;
    root.join(path.to_path_lossy()).symlink_metadata().ok()
}

/// The nearest directory above a path, as the viewer opens it.
fn nearest_directory(
    repository: &Repository,
    options: &BlameOptions,
    clock: &Clock,
    path: &BString,
) -> Option<PreparedRequest> {
    let mut above: &[u8] = path;
    while let Some(end) = above.rfind_byte(b'/') {
        above = &above[..end];
        if let Some(found) = prepare_last(repository, options, clock, above.as_bstr()) {
            return Some(found);
        }
    }
    prepare_last(repository, options, clock, b"/".as_bstr())
}

/// The request for a directory, which is a path from the root of the tree, or `/` for the root, in
/// place of the last operand.
fn prepare_last(
    repository: &Repository,
    options: &BlameOptions,
    clock: &Clock,
    directory: &BStr,
) -> Option<PreparedRequest> {
    let mut of_directory = options.of_directory();
    of_directory.ranges.clear();
    let prefix = repository.paths().prefix.as_bstr();
    let path: &[u8] = directory.strip_prefix(b"/").unwrap_or(directory);
    *of_directory.operands.last_mut()? = relative_path(path.as_bstr(), prefix);
    prepare(repository, &of_directory, clock, &mut Vec::new()).ok()
}

/// The version before the newest commit that deleted a path, what that has there, and the deletion.
fn deletion(
    repository: &Arc<Repository>,
    model: &Request,
    path: &BString,
) -> Option<(ObjectId, TreeEntry, PathFate)> {
    let request = Request {
        path: path.clone(),
        ..model.clone()
    };
    let mut search = DeletionSearch {
        found: None,
        due: Instant::now() + SILENCE,
        is_shown: false,
        is_seen: io::stdout().is_terminal() || io::stderr().is_terminal(),
        reports: 0,
    };
    let store = Arc::clone(repository.store());
    let mut engine = Engine::new(store, engine::default_threads());
    let end = engine.directory_history(&request, &mut search);
    search.clear();
    let (commit, parent, entry) = search.found.filter(|_| end.is_ok())?;
    let pseudo = PseudoCommit::new(&request, None, &Clock::system());
    let mut texts = CommitTexts::new(Arc::clone(repository), None, pseudo);
    let text = texts.get(&commit).ok()?;
    let changes = commit_files::list(&mut repository.reader(), &commit, Some(parent), &|| false);
    let renamed_to = changes.ok().and_then(|changes| changes.moved_to(path));
    let author = Signature {
        name: text.author.name.clone(),
        mail: text.author.address().into(),
        time: text.author.seconds(),
        offset: text.author.offset(),
    };
    let deletion = PathDeletion {
        commit,
        author,
        summary: text.summary.clone(),
        renamed_to,
    };
    Some((parent, entry, PathFate::Deleted(deletion)))
}

/// What became of a path that HEAD has and the work tree has not, as `git status` says it.
fn uncommitted_fate(
    repository: &Arc<Repository>,
    head: &ObjectId,
    path: &BString,
    clock: &Clock,
) -> PathFate {
    let staged = repository.index_paths();
    let below = [path.as_slice(), b"/"].concat();
    // A directory that is left out may be in the index as a whole.
    let is_of_path = |it: &&IndexPath| {
        it.path == *path
            || it.path.starts_with(&below)
            || it.path.ends_with(b"/") && path.starts_with(&it.path)
    };
    let mut of_path = staged.iter().filter(is_of_path).peekable();
    let is_staged = of_path.peek().is_some();
    if is_staged && of_path.all(|it| it.is_left_out) {
        return PathFate::LeftOut;
    }
    let changes = if is_staged {
        intended_changes(repository, head, &staged, clock)
    } else {
        staged_changes(repository, head, &staged)
    };
    let renamed = changes.and_then(|changes| changes.moved_to(path));
    let renamed = renamed.filter(|to| in_work_tree(repository, to).is_some());
    match (renamed, is_staged) {
        (Some(to), true) => PathFate::RenamedInWorkTree(to),
        (Some(to), false) => PathFate::RenamedInIndex(to),
        (None, true) => PathFate::Removed,
        (None, false) => PathFate::Unstaged,
    }
}

/// The files that only one of HEAD and the index has.
fn staged_changes(
    repository: &Repository,
    head: &ObjectId,
    staged: &[IndexPath],
) -> Option<CommitChanges> {
    let mut reader = repository.reader();
    let (tree, hash) = (reader.commit_head(head).ok()?.tree, reader.hash());
    let mut committed = BTreeMap::new();
    let listed = tree_files::list(&mut reader, hash, &tree, |path, entry| {
        committed.insert(path.to_owned(), entry);
        ControlFlow::Continue(())
    });
    if listed.is_err() {
        return None;
    }
    let mut changes = Vec::new();
    for it in staged.iter().filter(|it| !it.is_intended) {
        if it.path.ends_with(b"/") {
            committed.retain(|path, _| !path.starts_with(&it.path));
        } else if committed.remove(&it.path).is_none() {
            changes.push(change(&it.path, None, Some(entry_of(it))));
        }
    }
    let gone = committed.into_iter();
    changes.extend(gone.map(|(path, entry)| change(&path, Some(entry), None)));
    commit_files::uncommitted(&mut reader, changes, &[]).ok()
}

/// The files of the index that are removed from the work tree, and those there that are intended to be
/// added.
fn intended_changes(
    repository: &Arc<Repository>,
    head: &ObjectId,
    staged: &[IndexPath],
    clock: &Clock,
) -> Option<CommitChanges> {
    let intended = staged.iter().filter(|it| it.is_intended);
    let intended: Vec<&IndexPath> = intended.take(MAX_INTENDED).collect();
    if intended.is_empty() {
        return None;
    }
    let mut files =
        UncommittedReader::new(Arc::clone(repository), *head, None, clock.now()).ok()?;
    files.silence();
    let (mut changes, mut contents) = (Vec::new(), Vec::new());
    for it in intended {
        let read = files.read(it.path.as_bstr(), ContentsSource::WorkTree, &mut Vec::new());
        if let Ok(read) = read {
            changes.push(change(&it.path, None, Some(read.entry)));
            contents.push((read.entry.id, read.contents));
        }
    }
    let mut work_tree = FileFinder::new(repository.working_directory());
    let there = staged
        .iter()
        .filter(|it| !it.is_intended && !it.is_left_out);
    let gone = there.filter(|it| work_tree.find(it.path.as_bstr()).is_none());
    changes.extend(gone.map(|it| change(&it.path, Some(entry_of(it)), None)));
    commit_files::uncommitted(&mut repository.reader(), changes, &contents).ok()
}

fn entry_of(staged: &IndexPath) -> TreeEntry {
    TreeEntry {
        mode: staged.mode,
        id: staged.id,
    }
}

fn change(path: &BString, old: Option<TreeEntry>, new: Option<TreeEntry>) -> TreeChange {
    TreeChange {
        path: path.clone(),
        old,
        new,
    }
}

/// Stops at the newest commit that deleted a path.
struct DeletionSearch {
    /// The commit, its parent, and what the parent has.
    found: Option<(ObjectId, ObjectId, TreeEntry)>,
    /// When the next report is due.
    due: Instant,
    is_shown: bool,
    /// Standard output or standard error is a terminal.
    is_seen: bool,
    reports: u32,
}

impl DeletionSearch {
    /// Removes what was said.
    fn clear(&self) {
        if self.is_shown {
            write!(io::stderr(), "\r{:50}\r", "").ok();
        }
    }
}

impl DirectoryHistorySink for DeletionSearch {
    fn change(&mut self, change: &DirectoryChange<'_>) -> ControlFlow<()> {
        let mut parents = change.parents.iter();
        let before = parents.find_map(|(parent, entry)| Some((*parent, (*entry)?)));
        if let (None, Some((parent, entry))) = (change.entry, before) {
            self.found = Some((change.commit, parent, entry));
        }
        ControlFlow::Break(())
    }

    fn progress(&mut self, frontier: i64) -> ControlFlow<()> {
        self.reports += 1;
        if !self.is_seen && self.reports > MAX_UNSEEN_REPORTS {
            return ControlFlow::Break(());
        }
        let now = Instant::now();
        if now > self.due && io::stderr().is_terminal() {
            (self.due, self.is_shown) = (now + REPORT_INTERVAL, true);
            let day = relative_dates::day(frontier, 0);
            // It has no control sequences, which not all terminals know, and fits a row.
            write!(io::stderr(), "\rlooking in versions before {day:10}… ").ok();
        }
        ControlFlow::Continue(())
    }
}

/// The error for operands, with what may have been meant: their order where a file stands in the
/// place of a revision, or the branch of a remote; and in the viewer why a file that is there cannot be
/// blamed.
pub(super) fn with_meant(
    repository: &Repository,
    options: &BlameOptions,
    in_viewer: bool,
    err: Error,
) -> Error {
    if let (true, Kind::NoSuchPath, [word]) = (in_viewer, err.kind(), options.operands.as_slice())
        && typed_in_work_tree(repository, word.as_bstr()).is_some_and(|found| found.is_file())
    {
        return err.or_hint("the file is there, but git does not track it");
    }
    let is_meant = |word: &BString| {
        err.message() == quoted("bad revision ", word.as_bstr(), "")
            && typed_in_work_tree(repository, word.as_bstr()).is_some()
    };
    if options.operands.len() > 1 && options.operands.iter().any(is_meant) {
        return err.or_hint("the revision comes before the file; one file at a time");
    }
    let last = options.operands.last().filter(|word| word.contains(&b':'));
    let last = last.filter(|_| err.kind() == Kind::NoSuchPath);
    let mut notes = Vec::new();
    let mut names = RevisionResolver::new(repository, &mut notes);
    match last.and_then(|word| names.remote_branch(word.as_bstr())) {
        Some(name) => err.or_hint(format!("did you mean {name}?")),
        None => err,
    }
}
