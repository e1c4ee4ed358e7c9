//! The entries of a directory of the work tree that git does not know. Which of them are ignored, git
//! itself says: names are asked for, so that nothing is searched below them.

use std::{
    ffi::OsStr,
    io::{self, Write},
    path::Path,
    process::{Command, Stdio},
    thread,
};

use bstr::{BString, ByteSlice};
use rustc_hash::FxHashSet;

use crate::{
    repository::Repository,
    sorting, system,
    viewer::model::background::directory::{EntryKind, LinelessEntry, LinelessState},
};

/// Most entries that are shown.
const MAX_ENTRIES: usize = 10_000;
/// Most directories in which files are looked for that are not ignored.
const MAX_DIRECTORIES: usize = 200;

/// The entries of a directory that are not among the known ones, ignored ones last, both in the
/// order of their names, and how many more there are. Without git, there are none.
pub(super) fn entries(
    repository: &Repository,
    directory: &[u8],
    known: &FxHashSet<BString>,
) -> (Vec<LinelessEntry>, usize) {
    let Some(root) = repository.paths().work_tree.as_deref() else {
        return (Vec::new(), 0);
    };
    let (unknown, more) = unknown(&root.join(directory.to_path_lossy()), directory, known);
    let mut start = directory.to_vec();
    if !start.is_empty() {
        start.push(b'/');
    }
    let asker = Asker {
        repository,
        root,
        start,
    };
    let mut entries = asker.entries(unknown).unwrap_or_default();
    sorting::sort_by_key(&mut entries, |entry| entry.state);
    (entries, more)
}

/// The entries that are not known, at most [`MAX_ENTRIES`], and how many more there are.
fn unknown(
    place: &Path,
    directory: &[u8],
    known: &FxHashSet<BString>,
) -> (Vec<(BString, EntryKind)>, usize) {
    let (mut unknown, mut more) = (Vec::new(), 0);
    for entry in place.read_dir().into_iter().flatten().flatten() {
        let name = BString::from(entry.file_name().as_encoded_bytes());
        if known.contains(&name) || directory.is_empty() && name == ".git" {
            continue;
        }
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_dir() => EntryKind::Directory,
            Ok(kind) if kind.is_symlink() => EntryKind::Link,
            Ok(kind) if kind.is_file() => EntryKind::File,
            // git knows nothing else.
            _ => continue,
        };
        if unknown.len() < MAX_ENTRIES {
            unknown.push((name, kind));
        } else {
            more += 1;
        }
    }
    sorting::sort(&mut unknown);
    (unknown, more)
}

/// Asks git about names in a directory.
struct Asker<'a> {
    repository: &'a Repository,
    root: &'a Path,
    /// The path of the directory with a slash at its end; empty for the root.
    start: Vec<u8>,
}

impl Asker<'_> {
    /// The entries, without directories in which there are no files.
    fn entries(&self, unknown: Vec<(BString, EntryKind)>) -> io::Result<Vec<LinelessEntry>> {
        if unknown.is_empty() {
            return Ok(Vec::new());
        }
        let is_directory = |kind: EntryKind| kind == EntryKind::Directory;
        let mut asked = Vec::new();
        for (name, kind) in &unknown {
            asked.extend(self.path(name));
            // Patterns may be for directories alone.
            let end: &[u8] = if is_directory(*kind) { b"/\0" } else { b"\0" };
            asked.extend(end);
        }
        let mut command = git(self.repository, self.root);
        command.args(["check-ignore", "-z", "--stdin"]);
        let mut ignored = self.names(output(command, asked)?);
        let directories = unknown.iter().filter(|(_, kind)| is_directory(*kind));
        let directories = directories.map(|(name, _)| name);
        let mut hidden: Vec<&BString> = directories.filter(|it| !ignored.contains(*it)).collect();
        if hidden.len() > MAX_DIRECTORIES {
            hidden.clear();
        }
        let shown = self.with_files(&hidden, true)?;
        hidden.retain(|name| !shown.contains(*name));
        // What has files, but none that is not ignored, counts as ignored.
        let shown = self.with_files(&hidden, false)?;
        hidden.retain(|name| !shown.contains(*name));
        let hidden: FxHashSet<BString> = hidden.into_iter().cloned().collect();
        ignored.extend(shown);
        let entries = unknown
            .into_iter()
            .filter(|(name, _)| !hidden.contains(name));
        let entries = entries.map(|(name, kind)| LinelessEntry {
            state: if ignored.contains(&name) {
                LinelessState::Ignored
            } else {
                LinelessState::Untracked
            },
            name,
            kind,
        });
        Ok(entries.collect())
    }

    /// Those of some directories that have files, or files that are not ignored.
    fn with_files(
        &self,
        directories: &[&BString],
        excludes_ignored: bool,
    ) -> io::Result<FxHashSet<BString>> {
        if directories.is_empty() {
            return Ok(FxHashSet::default());
        }
        let mut command = git(self.repository, self.root);
        command.args(["--literal-pathspecs", "ls-files", "-z", "--others"]);
        command.args(["--directory", "--no-empty-directory"]);
        command.args(excludes_ignored.then_some("--exclude-standard"));
        command.arg("--");
        for directory in directories {
            command.arg(self.path(directory).to_os_str_lossy().as_ref() as &OsStr);
        }
        Ok(self.names(output(command, Vec::new())?))
    }

    fn path(&self, name: &BString) -> Vec<u8> {
        [self.start.as_slice(), name.as_slice()].concat()
    }

    /// The names in the directory that the paths of an output begin with, which a zero byte ends.
    fn names(&self, output: Vec<u8>) -> FxHashSet<BString> {
        let paths = output.split(|&byte| byte == 0);
        let names = paths.filter_map(|path| path.strip_prefix(self.start.as_slice()));
        let names = names.filter_map(|path| path.split(|&byte| byte == b'/').next());
        names.map(BString::from).collect()
    }
}

/// A git command in the work tree, without the command that a configuration may name to watch it.
fn git(repository: &Repository, root: &Path) -> Command {
    let mut command = system::command("git");
    command
        .env("GIT_DIR", repository.git_dir())
        .env("GIT_WORK_TREE", root)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .current_dir(root)
        .args(["-c", "core.fsmonitor=false"]);
    command
}

/// Runs a command with an input, and returns its output.
fn output(mut command: Command, input: Vec<u8>) -> io::Result<Vec<u8>> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn()?;
    let stdin = child.stdin.take();
    let writer = thread::spawn(move || {
        if let Some(mut stdin) = stdin {
            // If git does not read its input it has failed, and its output is empty.
            let _ = stdin.write_all(&input);
        }
    });
    let output = child.wait_with_output()?;
    let _ = writer.join();
    Ok(output.stdout)
}
