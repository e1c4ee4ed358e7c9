//! What a repository says of commits and files beside the blame.

use std::{collections::BTreeSet, ops::ControlFlow, path::Path, sync::Arc};

use bstr::BString;
use tblame::internals::{
    engine::{Entry, Origin, Request, Sink, Start},
    objects::ObjectId,
    repository::{
        Repository,
        commits::commit_texts::{CommitTexts, PseudoCommit},
    },
    viewer::{
        model::{
            background::{
                queries::{CommitContext, CommitContextQuery, FileListQuery, LeftOutFiles},
                query::{AnswerTaker, Answers},
            },
            source::{BlameSource, Failure, FileChange, FileVersion},
            toggled_options::ToggledOptions,
        },
        repository::{
            commit_files,
            git_history::GitHistory,
            git_source::{GitSource, WorkTreeRequests},
        },
    },
};

use crate::harness::{
    repository::{ObjectFormat, TestRepo},
    source::answer_of,
};

fn archive(root: &Path, start: Option<ObjectId>) -> GitHistory {
    let repository = Repository::open_own(root).expect("a repository");
    let pseudo = PseudoCommit {
        path: BString::default(),
        contents: None,
        time: 0,
        zone: BString::default(),
    };
    GitHistory::new(&Arc::new(repository), start, pseudo)
}

fn id(text: &str) -> ObjectId {
    ObjectId::from_hex(text.as_bytes()).expect("an id")
}

fn context(archive: &mut GitHistory, commit: &str) -> Result<CommitContext, Failure> {
    let query = CommitContextQuery(id(commit));
    answer_of(archive, &query, &|| false)
}

/// The paths of all files of a version.
fn files(archive: &mut GitHistory, version: FileVersion) -> Vec<BString> {
    let mut listed = Vec::new();
    let found = &mut |names: Vec<BString>| {
        listed.extend(names);
        ControlFlow::Continue(())
    };
    let stop = &|| false;
    let ended = archive.run(&FileListQuery { version }, AnswerTaker { found, stop });
    ended.expect("a tree");
    listed
}

/// As files, packed, both, and packed without the objects that tags lead to.
#[test]
fn references_of_a_commit_are_known() {
    let scratch = TestRepo::new(ObjectFormat::Sha1);
    for name in ["a", "b", "c"] {
        scratch.git(&["commit", "-q", "--allow-empty", "-m", name]);
        scratch.git(&["tag", name]);
        scratch.git(&["tag", "-a", "-m", "m", &format!("v-{name}"), name]);
        scratch.git(&[
            "tag",
            "-a",
            "-m",
            "m",
            &format!("w-{name}"),
            &format!("v-{name}"),
        ]);
    }
    scratch.git(&["branch", "side", "a"]);
    scratch.git(&["update-ref", "refs/remotes/origin/side", "a"]);
    scratch.git(&["update-ref", "refs/other/a", "a"]);
    let git_dir = scratch.root().join(".git");
    let mut compared = 0;
    let mut compare = |state: &str| {
        for commit in ["HEAD", "HEAD~1", "HEAD~2", "HEAD:"] {
            let commit = scratch.git_text(&["rev-parse", commit]);
            let format = "--format=%(refname)";
            let listed = scratch.git_text(&["for-each-ref", format, "--points-at", &commit]);
            let shown = listed.lines().filter_map(|name| {
                let tag = name.strip_prefix("refs/tags/");
                let branch = name.strip_prefix("refs/heads/");
                let branch = branch.or_else(|| name.strip_prefix("refs/remotes/"));
                tag.map(|tag| format!("tag {tag}"))
                    .or(branch.map(str::to_owned))
            });
            let mut archive = archive(scratch.root(), None);
            let found = context(&mut archive, &commit);
            let expected: Vec<String> = shown.collect();
            assert_eq!(found.expect("sound").refs, expected, "{state}");
            compared += expected.len();
        }
    };
    compare("files");
    scratch.git(&["pack-refs", "--all"]);
    compare("packed");
    scratch.git(&["update-ref", "refs/heads/side", "c"]);
    scratch.git(&["tag", "-f", "-a", "-m", "m", "b", "a"]);
    scratch.git(&["tag", "d", "b"]);
    let dangling = git_dir.join("refs/tags/v-a");
    std::os::unix::fs::symlink("none", &dangling).expect("it is writable");
    compare("packed, and files that hide some");
    std::fs::remove_file(&dangling).expect("it is there");
    let packed = git_dir.join("packed-refs");
    let text = std::fs::read_to_string(&packed).expect("it is text");
    let lines = text.lines().filter(|line| !line.starts_with(['#', '^']));
    let unpeeled: String = lines.map(|line| format!("{line}\n")).collect();
    std::fs::write(&packed, unpeeled).expect("it is writable");
    compare("packed without what tags lead to");
    println!("{compared} references compared");
    assert!(compared > 40, "{compared}");
}

#[test]
fn commits_that_a_message_names_are_known() {
    let scratch = TestRepo::new(ObjectFormat::Sha1);
    scratch.write(b"a", b"1\n");
    scratch.git(&["add", "."]);
    scratch.git(&["commit", "-q", "-m", "one"]);
    let first = scratch.git_text(&["rev-parse", "HEAD"]);
    let tree = scratch.git_text(&["rev-parse", "HEAD^{tree}"]);
    let message = format!(
        "two\n\nAfter {} ({first}), not {tree} nor a1b2c3d4e5.",
        &first[..9]
    );
    scratch.git(&["commit", "-q", "--allow-empty", "-m", &message]);
    let second = scratch.git_text(&["rev-parse", "HEAD"]);
    let found = context(&mut archive(scratch.root(), None), &second);
    let named = found.expect("sound").mentioned_commits;
    let expected = [&first[..9], &first].map(|word| (BString::from(word), id(&first)));
    assert_eq!(named, expected);
}

#[test]
fn the_files_of_a_commit_are_git_s() {
    let scratch = TestRepo::new(ObjectFormat::Sha1);
    let text = |seed: usize, lines: usize| -> String {
        let line = |at: usize| format!("line {} of {seed}\n", at * 7919 % 104_729);
        (0..lines).map(line).collect()
    };
    for (at, name) in ["a/one", "a/two", "b/three", "four", "five", "gone", "kept"]
        .into_iter()
        .enumerate()
    {
        scratch.write(name.as_bytes(), text(at, 40 + at).as_bytes());
    }
    scratch.write(b"empty", b"");
    scratch.git(&["add", "."]);
    scratch.git(&["commit", "-q", "-m", "first"]);
    // Renamed as it is, renamed and changed, moved, copied from what changed, changed by mode.
    scratch.git(&["mv", "a/one", "one"]);
    scratch.git(&["mv", "a/two", "second"]);
    scratch.write(b"second", (text(1, 30) + "and more\n").as_bytes());
    scratch.git(&["mv", "b/three", "a/three"]);
    scratch.write(b"copy", (text(3, 43) + "copied\n").as_bytes());
    scratch.write(b"four", (text(3, 43) + "changed\n").as_bytes());
    scratch.git(&["rm", "-q", "gone", "empty"]);
    scratch.write(b"new", text(99, 40).as_bytes());
    scratch.write(b"hollow", b"");
    scratch.git(&["add", "."]);
    scratch.git(&["update-index", "--chmod=+x", "five"]);
    scratch.git(&["commit", "-q", "-m", "second"]);
    let repository = Repository::open_own(scratch.root()).expect("a repository");
    let shown = |commit: &str| {
        let commit = id(&scratch.git_text(&["rev-parse", commit]));
        let found = commit_files::list(&mut repository.reader(), &commit, None, &|| false);
        let found = found.expect("sound");
        assert_eq!(found.more, 0);
        let name = |file: &FileChange| match (&file.old, &file.new, file.similarity) {
            (Some((old, _)), Some((new, _)), Some(similarity)) => {
                let kind = if file.copied { "C" } else { "R" };
                format!("{kind}{similarity:03}\t{old}\t{new}\n")
            }
            (Some(_), Some((new, _)), None) => format!("M\t{new}\n"),
            (None, Some((new, _)), _) => format!("A\t{new}\n"),
            (Some((old, _)), None, _) => format!("D\t{old}\n"),
            (None, None, _) => "nothing".to_owned(),
        };
        found.files.iter().map(name).collect::<String>()
    };
    for commit in ["HEAD", "HEAD~1"] {
        let mut words = vec!["diff-tree", "-r", "--root", "--no-commit-id"];
        words.extend(["-M", "-C", "--name-status", commit]);
        let expected = scratch.git_text(&words);
        assert_eq!(shown(commit).trim_end(), expected, "{commit}");
    }
}

#[test]
fn files_of_the_work_tree_are_those_that_can_be_blamed() {
    let scratch = TestRepo::new(ObjectFormat::Sha1);
    for name in ["a", "dir/b", "gone", "removed"] {
        scratch.write(name.as_bytes(), b"x");
    }
    scratch.git(&["add", "."]);
    scratch.git(&["commit", "-q", "-m", "all"]);
    scratch.write(b"dir/added", b"y");
    scratch.git(&["add", "dir/added"]);
    // It is in HEAD still, so that it can be blamed; an untracked file cannot.
    scratch.git(&["rm", "-q", "--cached", "removed"]);
    scratch.write(b"untracked", b"z");
    std::fs::remove_file(scratch.root().join("gone")).expect("a file");
    let mut archive = archive(scratch.root(), None);
    assert_eq!(
        files(&mut archive, FileVersion::CommandLine),
        ["a", "dir/added", "dir/b", "removed"]
    );
    let version = FileVersion::Commit {
        commit: id(&scratch.git_text(&["rev-parse", "HEAD"])),
        path: Arc::new("a".into()),
    };
    assert_eq!(
        files(&mut archive, version),
        ["a", "dir/b", "gone", "removed"]
    );
}

#[test]
fn names_arrive_before_all_files_are_listed() {
    let scratch = TestRepo::new(ObjectFormat::Sha1);
    let name = |at: usize| format!("dir{}/{at:04}", at / 500);
    for at in 0..3500 {
        scratch.write(name(at).as_bytes(), b"x");
    }
    scratch.git(&["add", "."]);
    scratch.git(&["commit", "-q", "-m", "all"]);
    let mut archive = archive(scratch.root(), None);
    let mut parts = Vec::new();
    let found = &mut |names: Vec<BString>| {
        if parts.is_empty() {
            // What is not listed yet is not there then.
            std::fs::remove_dir_all(scratch.root().join("dir6")).expect("a directory");
        }
        parts.push(names);
        ControlFlow::Continue(())
    };
    let version = FileVersion::CommandLine;
    let stop = &|| false;
    let ended = archive.run(&FileListQuery { version }, AnswerTaker { found, stop });
    assert_eq!(ended, Ok(LeftOutFiles::default()));
    let expected: Vec<_> = (0..3000).map(name).collect();
    assert_eq!(parts.concat(), expected);
    assert!(parts.len() >= 3, "{}", parts.len());
}

/// The commits that lines come from.
struct AttributedOrigin(BTreeSet<ObjectId>);

impl Sink for AttributedOrigin {
    fn started(&mut self, _: &Arc<[u8]>, _: u32) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn entry(&mut self, entry: &Entry, origins: &[Origin], _: bool) -> ControlFlow<()> {
        self.0.insert(origins[entry.origin.0 as usize].commit);
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _: i64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

#[test]
fn limits_of_history_hold_for_every_file() {
    let scratch = TestRepo::new(ObjectFormat::Sha1);
    for text in [b"1\n".as_slice(), b"1\n2\n", b"1\n2\n3\n"] {
        scratch.write(b"a", text);
        scratch.write(b"b", text);
        scratch.git(&["add", "."]);
        scratch.git(&["commit", "-q", "-m", "a line"]);
    }
    let commit = |name: &str| id(&scratch.git_text(&["rev-parse", name]));
    let (head, before) = (commit("HEAD"), commit("HEAD~1"));
    let repository = Arc::new(Repository::open_own(scratch.root()).expect("a repository"));
    let request = Request {
        negatives: vec![before],
        ..Request::new(Start::Commit(head), "a".into())
    };
    let others = WorkTreeRequests::new(move |path| {
        let path = path.unwrap_or("a".into());
        Ok(Request::new(Start::Commit(head), path.into()))
    });
    let pseudo = PseudoCommit {
        path: BString::default(),
        contents: None,
        time: 0,
        zone: BString::default(),
    };
    let mut source = GitSource::new(&repository, request, others, pseudo, None, None, 1);
    let path = Arc::new(BString::from("b"));
    for version in [FileVersion::CommandLine, FileVersion::WorkTree { path }] {
        let mut guilty = AttributedOrigin(BTreeSet::new());
        let options = ToggledOptions::default();
        let blame = source.blame(&version, &options, &mut guilty);
        blame.expect("a sound history");
        assert_eq!(guilty.0, BTreeSet::from([head, before]), "{version:?}");
    }
}

#[test]
fn co_authors_are_those_of_the_mailmap() {
    let scratch = TestRepo::new(ObjectFormat::Sha1);
    scratch.write(
        b".mailmap",
        b"Ann Lee <ann@new.example> <ann@old.example>\n",
    );
    let repository = Arc::new(Repository::open_own(scratch.root()).expect("a repository"));
    let mut texts = CommitTexts::new(repository, None, PseudoCommit::default());
    let message = "S\n\nCo-authored-by: a <ANN@old.example>\nco-authored-by: Bo <bo@x.example>\nCo-authored-by: Cy\n";
    let expected = [
        ("Ann Lee", "ann@new.example"),
        ("Bo", "bo@x.example"),
        ("Cy", ""),
    ];
    let expected = expected.map(|(name, mail)| (name.into(), mail.into()));
    assert_eq!(texts.co_authors(message.into()), expected);
}

#[test]
fn files_are_listed_in_the_order_of_the_tree() {
    let scratch = TestRepo::new(ObjectFormat::Sha256);
    for name in ["b", "a/z", "a/b/c", "a.c", "odd\nname"] {
        scratch.write(name.as_bytes(), b"x");
    }
    scratch.git(&["add", "."]);
    scratch.git(&["commit", "-q", "-m", "all"]);
    let expected = scratch.git(&["ls-tree", "-r", "-z", "--name-only", "HEAD"]);
    let mut archive = archive(scratch.root(), None);
    let listed = files(&mut archive, FileVersion::CommandLine);
    let listed = listed.into_iter().map(|name| name.to_string() + "\0");
    assert_eq!(
        BString::from(listed.collect::<String>()),
        BString::from(expected)
    );
}
