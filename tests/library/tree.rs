//! Blames of all files of a directory against those of each file alone, and git.

use std::{collections::BTreeMap, ops::ControlFlow, path::Path};

use tblame::{
    BlameBuilder, BlamedFile, Cancellation, ErrorKind, LineAuthor, NodeKind, Repository, TreeBlame,
    TreeBuilder, TreeItem, TreeNode,
};

use crate::scratch::{Line, Scratch, lines_of, lines_of_entry};

/// The same options for all files, and for one.
type Case = (
    fn(TreeBuilder) -> TreeBuilder,
    fn(BlameBuilder) -> BlameBuilder,
);

const CASES: &[Case] = &[
    (|tree| tree, |blame| blame),
    (|tree| tree.threads(1), |blame| blame),
    (
        |tree| tree.ignore_whitespace(true),
        |blame| blame.ignore_whitespace(true),
    ),
    (|tree| tree.moves(true), |blame| blame.moves(true)),
    (
        |tree| tree.first_parent(true),
        |blame| blame.first_parent(true),
    ),
    (
        |tree| tree.ignore_revision("t20"),
        |blame| blame.ignore_revision("t20"),
    ),
    (
        |tree| tree.since(1_600_015_000),
        |blame| blame.since(1_600_015_000),
    ),
    (|tree| tree.exclude("t10"), |blame| blame.exclude("t10")),
    (|tree| tree.show_root(true), |blame| blame.show_root(true)),
    (|tree| tree.follow(false), |blame| blame.follow(false)),
];

fn lines_of_file(file: &BlamedFile) -> Vec<Line> {
    let entries = file.entries().expect("it can be blamed");
    entries.iter().flat_map(lines_of_entry).collect()
}

/// A random history with a directory, and names that people have by the mailmap.
fn history(seed: u64) -> Scratch {
    let scratch = Scratch::random(seed, 60);
    for (path, text) in [
        ("dir/one", "first\n"),
        ("dir/deep/two", "second\nthird\n"),
        ("dir/Cargo.lock", "lock\n"),
        (".mailmap", "Known <known@example.com> <1@example.com>\n"),
        ("empty", ""),
    ] {
        let directory = scratch.root().join(path);
        std::fs::create_dir_all(directory.parent().expect("a parent")).expect("it is one's own");
        scratch.write(path, text);
    }
    std::os::unix::fs::symlink("one", scratch.root().join("dir/link")).expect("a new name");
    scratch.commit("Add a directory");
    scratch
}

#[test]
fn files_have_the_entries_of_their_blames() {
    let (mut files, mut lines) = (0, 0);
    for seed in 1..4 {
        let scratch = history(seed);
        let repository = Repository::open(scratch.root()).expect("a repository");
        for (nth, (of_tree, of_file)) in CASES.iter().enumerate() {
            let tree = of_tree(repository.tree("HEAD")).with_files(true).run();
            let tree = tree.unwrap_or_else(|err| panic!("seed {seed}, case {nth}: {err}"));
            let listed = scratch.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
            let found = tree.files().iter().map(|file| file.path().into_owned());
            assert!(found.eq(listed.lines().map(Path::new)));
            for file in tree.files() {
                let alone = of_file(repository.blame(file.path())).at("HEAD").run();
                let alone = lines_of(&alone.expect("a blame"));
                let place = format!("seed {seed}, case {nth}, {}", file.path().display());
                assert_eq!(lines_of_file(file), alone, "{place}");
                files += 1;
                lines += alone.len();
            }
        }
    }
    println!("compared {lines} lines of {files} files");
    assert!(files > 200 && lines > 2000, "{files} {lines}");
}

/// The nodes of a tree by their paths.
fn by_path(tree: &TreeBlame) -> BTreeMap<String, &TreeNode> {
    let nodes = tree.nodes().iter();
    let named = nodes.map(|node| (node.path().display().to_string(), node));
    named.collect()
}

#[test]
fn nodes_sum_up_what_git_says_of_their_files() {
    let scratch = history(5);
    let repository = Repository::open(scratch.root()).expect("a repository");
    let whole = repository.tree("HEAD").run().expect("a tree");
    assert!(whole.files().is_empty() && whole.warnings().is_empty());
    let recursive = repository.tree("HEAD").recursive(true).run();
    let recursive = recursive.expect("a tree");
    let of_directory = repository.tree("HEAD").under("dir/").run().expect("a tree");
    let mut compared = 0;
    for (path, node) in by_path(&whole)
        .into_iter()
        .chain(by_path(&recursive))
        .chain(by_path(&of_directory))
    {
        let last = scratch.git(&["log", "-1", "--format=%H", "HEAD", "--", &path]);
        let found = node.last_commit().expect("it is known");
        assert_eq!(found.id().to_string(), last, "{path}");
        let listed = scratch.git(&["ls-tree", "-r", "--name-only", "HEAD", "--", &path]);
        let (mut lines, mut people) = (Vec::new(), BTreeMap::new());
        for file in listed.lines().filter(|file| !file.ends_with(".lock")) {
            lines.extend(scratch.blame(&["HEAD"], file));
        }
        for line in &lines {
            *people
                .entry(line.fields["author-mail"].clone())
                .or_insert(0) += 1;
        }
        let mail = |author: &LineAuthor| (format!("<{}>", author.email()), author.lines());
        let found: BTreeMap<_, _> = node.people().iter().map(mail).collect();
        assert_eq!(found, people, "{path}");
        assert_eq!(node.lines(), lines.len() as u64, "{path}");
        let years: u32 = node.years().values().sum();
        assert_eq!(u64::from(years), node.lines(), "{path}");
        let times = lines.iter().map(|line| line.fields["author-time"].clone());
        let mut times: Vec<i64> = times.map(|time| time.parse().expect("a number")).collect();
        times.sort_unstable();
        let dates = times.first().copied().zip(times.last().copied());
        assert_eq!(node.seconds(), dates, "{path}");
        compared += lines.len();
    }
    assert!(compared > 200, "{compared}");
    let nodes = by_path(&whole);
    let directory = nodes["dir"];
    assert_eq!(directory.kind(), NodeKind::Directory);
    assert_eq!((directory.file_count(), directory.lines()), (3, 4));
    let generated = (directory.generated_files(), directory.generated_lines());
    assert_eq!(generated, (1, 1));
    let counted = repository.tree("HEAD").count_generated(true).run();
    assert_eq!(by_path(&counted.expect("a tree"))["dir"].lines(), 5);
    let kinds = of_directory.nodes().iter().map(TreeNode::kind);
    let expected = [
        NodeKind::File,
        NodeKind::Directory,
        NodeKind::Link,
        NodeKind::File,
    ];
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
}

#[test]
fn the_work_tree_has_its_uncommitted_lines() {
    let scratch = history(6);
    scratch.write("dir/one", "first\nof the work tree\n");
    scratch.write("dir/deep/new", "new\n");
    scratch.git(&["add", "dir/deep/new"]);
    std::fs::remove_file(scratch.root().join("empty")).expect("it is there");
    let repository = Repository::open(scratch.root()).expect("a repository");
    let tree = repository.uncommitted_tree().with_files(true).run();
    let tree = tree.expect("a tree");
    for file in tree.files() {
        let path = file.path();
        let path = path.to_str().expect("UTF-8");
        assert_eq!(lines_of_file(file), scratch.blame(&[], path), "{path}");
    }
    let nodes = by_path(&tree);
    assert!(nodes["dir"].is_uncommitted() && !nodes["a.txt"].is_uncommitted());
    assert!(!nodes.contains_key("empty"));
    let names: Vec<String> = nodes["dir"]
        .people()
        .iter()
        .map(|it| it.name().into_owned())
        .collect();
    assert!(names.contains(&"Not Committed Yet".to_owned()), "{names:?}");
    scratch.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let bare = Repository::open(scratch.root().join("../bare.git")).expect("a repository");
    let bare = bare.uncommitted_tree().run().expect("a tree");
    assert!(by_path(&bare).contains_key("empty"));
}

#[test]
fn items_are_streamed_in_order_and_can_be_stopped() {
    let scratch = history(7);
    let repository = Repository::open(scratch.root()).expect("a repository");
    let mut seen = Vec::new();
    let mut stream = |limit: usize| {
        seen.clear();
        let tree = repository.tree("HEAD").with_files(true);
        let summary = tree.stream(|item| {
            seen.push(match item {
                TreeItem::Node(node) => format!("node {}", node.path().display()),
                TreeItem::File(file) => format!("file {}", file.path().display()),
                _ => String::new(),
            });
            match seen.len() {
                len if len == limit => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        (summary.expect("a tree").is_complete(), seen.clone())
    };
    let (is_complete, all) = stream(usize::MAX);
    assert!(is_complete);
    let place = |item: &str| all.iter().position(|it| it == item).expect(item);
    assert!(place("file dir/deep/two") < place("node dir"));
    assert!(place("node a.txt") < place("file dir/Cargo.lock"));
    for limit in 1..=all.len() {
        assert_eq!(stream(limit), (false, all[..limit].to_vec()));
    }
    let cancellation = Cancellation::new();
    let mut items = 0;
    let tree = repository.tree("HEAD").cancel_with(&cancellation);
    let result = tree.stream(|_| {
        items += 1;
        cancellation.cancel();
        ControlFlow::Continue(())
    });
    assert_eq!(result.expect_err("cancelled").kind(), ErrorKind::Cancelled);
    assert_eq!(items, 1);
    let result = repository.tree("HEAD").cancel_with(&cancellation).run();
    assert_eq!(result.expect_err("cancelled").kind(), ErrorKind::Cancelled);
    assert!(repository.tree("HEAD").run().is_ok());
}

#[test]
fn what_cannot_be_had_is_an_error_or_counted() {
    let scratch = history(8);
    let repository = Repository::open(scratch.root()).expect("a repository");
    let cases = [
        (
            repository.tree("HEAD").under("nothing"),
            ErrorKind::NoSuchPath,
        ),
        (
            repository.tree("HEAD").under("a.txt"),
            ErrorKind::NoSuchPath,
        ),
        (
            repository.tree("HEAD").under("dir/one"),
            ErrorKind::NoSuchPath,
        ),
        (
            repository.uncommitted_tree().under("a.txt"),
            ErrorKind::NoSuchPath,
        ),
        (repository.tree("HEAD").under(".."), ErrorKind::Request),
        (repository.tree("nothing"), ErrorKind::Request),
        (repository.tree("--all"), ErrorKind::Request),
        (repository.tree("HEAD..HEAD"), ErrorKind::Request),
    ];
    for (nth, (tree, kind)) in cases.into_iter().enumerate() {
        let err = tree.run().map(drop).expect_err("an error");
        assert_eq!(err.kind(), kind, "case {nth}: {err}");
    }
    let absolute = scratch.root().join("dir");
    let tree = repository.tree("HEAD").under(absolute).run();
    assert_eq!(tree.expect("a tree").nodes().len(), 4);
    // A blob that is gone fails its file alone.
    let blob = scratch.git(&["hash-object", "dir/deep/two"]);
    let (directory, file) = blob.split_at(2);
    let objects = scratch.root().join(".git/objects");
    std::fs::remove_file(objects.join(directory).join(file)).expect("a loose object");
    let repository = Repository::open(scratch.root()).expect("a repository");
    let tree = repository.tree("HEAD").with_files(true).run();
    let tree = tree.expect("a tree");
    let (failed, blamed): (Vec<_>, Vec<_>) =
        tree.files().iter().partition(|it| it.entries().is_err());
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0].path(), Path::new("dir/deep/two"));
    assert!(blamed.len() > 4);
    let nodes = by_path(&tree);
    assert_eq!(nodes["dir"].failed_files(), 1);
    assert_eq!(nodes["dir"].lines(), 2);
    assert_eq!(nodes["a.txt"].failed_files(), 0);
    let warnings = tree.warnings().join("\n");
    assert!(warnings.contains("dir/deep/two"), "{warnings}");
}
