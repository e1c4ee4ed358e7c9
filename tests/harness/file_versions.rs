//! The versions of a file as git's commands tell them: `git log -- FILE` for each path that the file has had, put together
//! at renames.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    ffi::OsString,
    os::unix::ffi::OsStringExt,
};

/// Runs git with arguments and an input, and returns what it prints.
pub type RunGit<'a> = dyn Fn(&[OsString], &[u8]) -> Vec<u8> + 'a;

/// The versions of a file: commits, and the file's path in each.
pub type FileVersions = BTreeSet<(String, Vec<u8>)>;

/// The versions that the file at `path` in `revision`, an id, has had.
pub fn file_versions(git: &RunGit<'_>, revision: &str, path: &[u8]) -> FileVersions {
    let mut versions = FileVersions::new();
    let mut seen = HashSet::new();
    let mut starts = vec![(revision.to_owned(), path.to_vec())];
    while let Some(start) = starts.pop() {
        if !seen.insert(start.clone()) {
            continue;
        }
        let (revision, path) = start;
        // The simplified history, and which of its commits differ from all of their parents.
        let graph: BTreeMap<_, _> = log(git, &["--parents"], &revision, &path);
        let listed = log(git, &[], &revision, &path);
        let names: BTreeSet<&String> = graph
            .keys()
            .chain(listed.values().flatten())
            .chain([&revision])
            .collect();
        let present = commits_with(git, &names, &path);
        let children: HashSet<&String> = graph.values().flatten().collect();
        let mut todo: Vec<&String> = graph.keys().filter(|id| !children.contains(id)).collect();
        let mut visited = HashSet::new();
        while let Some(id) = todo.pop() {
            // Beyond a commit without the file is another file of the same name.
            if !present.contains(id) || !visited.insert(id) {
                continue;
            }
            todo.extend(&graph[id]);
            let Some(parents) = listed.get(id) else {
                continue;
            };
            versions.insert((id.clone(), path.clone()));
            for parent in parents.iter().filter(|parent| !present.contains(*parent)) {
                if let Some(source) = renamed_from(git, parent, id, &path) {
                    starts.push((parent.clone(), source));
                }
            }
        }
    }
    versions
}

/// The commits that `git log` lists for a path, with their parents.
fn log(
    git: &RunGit<'_>,
    options: &[&str],
    revision: &str,
    path: &[u8],
) -> BTreeMap<String, Vec<String>> {
    let words = ["--literal-pathspecs", "log", "--no-color", "--format=%H %P"];
    let mut arguments: Vec<OsString> = words.iter().chain(options).map(OsString::from).collect();
    arguments.extend([
        revision.into(),
        "--".into(),
        OsString::from_vec(path.to_vec()),
    ]);
    let output = String::from_utf8(git(&arguments, b"")).expect("ids are ASCII");
    let commits = output.lines().map(|line| {
        let mut ids = line.split_ascii_whitespace().map(str::to_owned);
        (ids.next().expect("a commit"), ids.collect())
    });
    commits.collect()
}

/// Which of the commits have a file at a path.
fn commits_with(git: &RunGit<'_>, ids: &BTreeSet<&String>, path: &[u8]) -> HashSet<String> {
    let mut input = Vec::new();
    for id in ids {
        input.extend_from_slice(&[id.as_bytes(), b":", path, b"\0"].concat());
    }
    let arguments = ["cat-file", "--batch-check=%(objecttype)", "-Z"].map(OsString::from);
    let output = git(&arguments, &input);
    let kinds: Vec<&[u8]> = output.split(|&byte| byte == 0).collect();
    assert_eq!(kinds.len(), ids.len() + 1, "an answer for each object");
    let found = ids.iter().zip(kinds).filter(|(_, kind)| *kind == b"blob");
    found.map(|(id, _)| (*id).clone()).collect()
}

/// The path that a commit renamed to `path`. As in `git blame` and `git log --follow`, no other file that the commit added
/// competes for it.
pub fn renamed_from(git: &RunGit<'_>, parent: &str, id: &str, path: &[u8]) -> Option<Vec<u8>> {
    let diff = |words: &[&str], paths: &[&[u8]]| {
        let common = ["--literal-pathspecs", "diff-tree", "-r", "-z"];
        let commits = [parent, id, "--"];
        let words = common
            .iter()
            .chain(words)
            .chain(&commits)
            .map(OsString::from);
        let paths = paths.iter().map(|path| OsString::from_vec(path.to_vec()));
        git(&words.chain(paths).collect::<Vec<_>>(), b"")
    };
    let deleted = diff(&["--no-renames", "--diff-filter=D", "--name-only"], &[]);
    let deleted = deleted.split(|&byte| byte == 0);
    let paths: Vec<&[u8]> = deleted
        .filter(|path| !path.is_empty())
        .chain([path])
        .collect();
    let renames = diff(&["-M", "-l0", "--diff-filter=R", "--name-status"], &paths);
    let fields: Vec<&[u8]> = renames.split(|&byte| byte == 0).collect();
    let mut renames = fields.chunks_exact(3);
    let rename = renames.find(|rename| rename[2] == path)?;
    Some(rename[1].to_vec())
}

/// A commit of a linear history, as `git log --follow` lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowedCommit {
    pub id: String,
    /// The first letter of `--name-status`.
    pub status: u8,
    /// The numbers of added and removed lines; `None` for binary files.
    pub counts: Option<(u32, u32)>,
}

impl FollowedCommit {
    /// Reads a row of `--file-history -s`: id, date without blanks, letter, added and removed lines.
    pub fn of_row(row: &str) -> FollowedCommit {
        let fields: Vec<&str> = row.split_ascii_whitespace().collect();
        let count = |field: &str, sign| {
            let digits = field
                .strip_prefix(sign)
                .and_then(|digits| digits.parse().ok());
            digits.expect("a number of lines")
        };
        FollowedCommit {
            id: fields[0].to_owned(),
            status: fields[2].as_bytes()[0],
            counts: Some((count(fields[3], '+'), count(fields[4], '-'))),
        }
    }
}

/// The commits of `git log --first-parent --follow`, up to the one that added the file. `None` if git took the file for a
/// copy of another, which is not followed here.
pub fn followed(git: &RunGit<'_>, revision: &str, path: &[u8]) -> Option<Vec<FollowedCommit>> {
    // With lines of context, git compares in another way than for a blame.
    let words = [
        "-c",
        "diff.context=0",
        "--literal-pathspecs",
        "log",
        "--no-color",
        "--first-parent",
        "--follow",
        "-z",
        "--format=commit %H",
        "--raw",
        "--numstat",
        revision,
        "--",
    ];
    let mut arguments = words.map(OsString::from).to_vec();
    arguments.push(OsString::from_vec(path.to_vec()));
    let output = git(&arguments, b"");
    let mut fields = output.split(|&byte| byte == 0);
    let mut commits = Vec::new();
    while let Some(id) = fields.next().and_then(|it| it.strip_prefix(b"commit ")) {
        // The modes, ids and letter, one path or two, then the numbers with the same paths.
        let raw = fields.next()?;
        let status = *raw.rsplit(|&byte| byte == b' ').next()?.first()?;
        if status == b'C' {
            return None;
        }
        let is_rename = status == b'R';
        let counts = fields.nth(1 + usize::from(is_rename))?;
        if is_rename {
            fields.nth(1)?;
        }
        let counts = String::from_utf8_lossy(counts);
        let mut numbers = counts.split('\t').map(|field| field.parse().ok());
        let (added, removed) = (numbers.next().flatten(), numbers.next().flatten());
        commits.push(FollowedCommit {
            id: String::from_utf8(id.to_vec()).expect("ids are ASCII"),
            status,
            counts: added.zip(removed),
        });
        if status == b'A' {
            break;
        }
    }
    Some(commits)
}
