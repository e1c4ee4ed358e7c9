//! The object store against `git cat-file`, `git ls-tree` and `git diff-tree`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use tblame::internals::objects::{
    Error, HashKind, ListedEntry, ObjectId, ObjectKind, Reader, Store, StoreOptions, StoredObject,
    pack::delta,
};

use crate::harness::{
    git::git_program,
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// A repository whose commits have increasing dates.
struct DatedRepo {
    inner: TestRepo,
    clock: u64,
}

impl DatedRepo {
    fn new(format: ObjectFormat) -> DatedRepo {
        let inner = TestRepo::new(format);
        inner.git(&["config", "gc.auto", "0"]);
        DatedRepo {
            inner,
            clock: 1_600_000_000,
        }
    }

    fn path(&self) -> &Path {
        self.inner.root()
    }

    fn objects(&self) -> PathBuf {
        self.path().join(".git/objects")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.inner.command(git_program());
        let date = format!("{} +0200", self.clock);
        command.args(args);
        command.env("GIT_AUTHOR_DATE", &date);
        command.env("GIT_COMMITTER_DATE", &date);
        command
    }

    fn git(&self, args: &[&str]) -> Vec<u8> {
        let output = self.command(args).output().expect("git runs");
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            output.stderr.escape_ascii()
        );
        output.stdout
    }

    fn line(&self, args: &[&str]) -> String {
        let output = String::from_utf8(self.git(args)).expect("text");
        output.trim_end().to_owned()
    }

    fn write(&self, path: &str, text: &[u8]) {
        self.inner.write(path.as_bytes(), text);
    }

    fn commit(&mut self, message: &str) -> String {
        self.clock += 60;
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.line(&["rev-parse", "HEAD"])
    }

    /// A history whose trees and blobs make good deltas.
    fn fill(&mut self, commits: usize) {
        let mut rng = Rng::new(7);
        let mut random = move |below: usize| rng.below(below);
        let names = [
            "Makefile",
            "a b",
            "100644 x",
            "dir/one",
            "dir/two",
            "dir/sub/deep",
            "dir-x",
            "dir.c",
            "z",
            "src/1 2 3",
            "src/main.c",
            "src/lib/a/b/c/d.c",
        ];
        let mut lines: Vec<Vec<String>> = names
            .iter()
            .map(|name| (0..200).map(|at| format!("{name} line {at}\n")).collect())
            .collect();
        for commit in 0..commits {
            for _ in 0..=random(2) {
                let file = random(names.len());
                let line = random(lines[file].len());
                lines[file][line] = format!("changed in {commit}\n");
                self.write(names[file], lines[file].concat().as_bytes());
            }
            if commit % 5 == 0 {
                self.write(&format!("added {commit}"), b"once\n");
            }
            if commit % 7 == 0 && commit > 0 {
                let gone = self.path().join(format!("added {}", commit / 7 * 5));
                let _ = std::fs::remove_file(gone);
            }
            self.commit(&format!("commit {commit}"));
        }
    }

    fn reader(&self) -> Reader {
        self.reader_with(StoreOptions::default())
    }

    fn reader_with(&self, options: StoreOptions) -> Reader {
        let hash = match self.line(&["rev-parse", "--show-object-format"]).as_str() {
            "sha256" => HashKind::Sha256,
            _ => HashKind::Sha1,
        };
        Store::open(&self.objects(), hash, options)
            .expect("sound store")
            .reader()
    }

    fn all_ids(&self) -> Vec<ObjectId> {
        let list = self.line(&[
            "cat-file",
            "--batch-all-objects",
            "--batch-check=%(objectname)",
        ]);
        list.lines().map(id).collect()
    }
}

fn id(hex: &str) -> ObjectId {
    ObjectId::from_hex(hex.as_bytes()).expect("an id")
}

/// What `git cat-file --batch` says of each of `ids`.
fn cat_file(repo: &DatedRepo, ids: &[ObjectId]) -> Vec<(String, Vec<u8>)> {
    let text: String = ids.iter().map(|id| format!("{id}\n")).collect();
    let output = repo
        .inner
        .git_output(&["cat-file", "--batch"], text.as_bytes());
    assert!(output.status.success(), "git cat-file: {}", output.status);
    let out = output.stdout;
    let mut rest = &out[..];
    let mut list = Vec::new();
    while !rest.is_empty() {
        let end = rest.iter().position(|&byte| byte == b'\n').expect("a line");
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        let mut words = head.split(' ').skip(1);
        let kind = words.next().expect("a kind").to_owned();
        let size: usize = words.next().expect("a size").parse().expect("a number");
        list.push((kind, rest[end + 1..end + 1 + size].to_vec()));
        rest = &rest[end + 2 + size..];
    }
    list
}

fn every_object_agrees(repo: &DatedRepo) {
    let ids = repo.all_ids();
    let truth = cat_file(repo, &ids);
    let mut reader = repo.reader();
    for (id, (kind, data)) in ids.iter().zip(&truth) {
        let object = reader.object(id).expect("readable");
        assert_eq!(object.kind.name(), kind);
        assert!(object.data[..] == data[..], "{id}");
        assert_eq!(reader.kind(id).expect("readable"), Some(object.kind));
        assert_eq!(reader.size(id).expect("readable"), Some(data.len() as u64));
        assert_eq!(reader.position(id).expect("readable").is_some(), {
            let (at, stored) = reader.stored(id).expect("readable");
            match stored {
                StoredObject::Whole(whole) => assert!(whole.data[..] == data[..]),
                StoredObject::Delta { base, delta: bytes } => {
                    let base = reader.object_at(base).expect("readable");
                    let mut result = vec![0; data.len()];
                    delta::apply(&base.data, &bytes, &mut result).expect("sound");
                    assert!(result == *data);
                }
            }
            at.is_some()
        });
        if object.kind == ObjectKind::Commit {
            let head = reader.commit_head(id).expect("readable");
            let text = String::from_utf8_lossy(data);
            let parents: Vec<String> = text
                .lines()
                .take_while(|line| !line.is_empty())
                .filter_map(|line| line.strip_prefix("parent "))
                .map(str::to_owned)
                .collect();
            assert_eq!(
                text[5..].split('\n').next(),
                Some(head.tree.to_string().as_str())
            );
            let heads: Vec<String> = head.parents.iter().map(ObjectId::to_string).collect();
            assert_eq!(heads, parents);
        }
    }
}

fn every_lookup_agrees(repo: &DatedRepo, options: StoreOptions) -> Arc<Store> {
    let mut reader = repo.reader_with(options);
    let commits = repo.line(&["rev-list", "--all"]);
    let mut known = std::collections::HashMap::new();
    for commit in commits.lines() {
        let head = reader.commit_head(&id(commit)).expect("readable");
        let time = repo.line(&["show", "-s", "--format=%ct", commit]);
        assert_eq!(head.time.to_string(), time);
        let listing = repo.git(&["ls-tree", "-r", "-t", "-z", "--full-tree", commit]);
        let mut truth = std::collections::BTreeMap::new();
        for record in listing
            .split(|&byte| byte == 0)
            .filter(|record| !record.is_empty())
        {
            let tab = record
                .iter()
                .position(|&byte| byte == b'\t')
                .expect("a tab");
            truth.insert(record[tab + 1..].to_vec(), record[..tab].to_vec());
        }
        let mut listed = Vec::new();
        reader
            .list_tree(head.tree, &mut |path, entry| {
                if let ListedEntry::Entry(entry) = entry {
                    listed.push((path, entry));
                }
                ControlFlow::Continue(())
            })
            .expect("readable");
        listed.sort_by(|(one, _), (other, _)| one.cmp(other));
        let files = truth
            .iter()
            .filter(|(_, entry)| !entry.starts_with(b"040000"));
        assert_eq!(listed.len(), files.clone().count());
        for ((path, entry), (truth_path, truth_entry)) in listed.iter().zip(files) {
            assert_eq!(&path[..], &truth_path[..]);
            assert!(truth_entry.ends_with(entry.id.to_string().as_bytes()));
        }
        for path in [
            "Makefile",
            "a b",
            "100644 x",
            "x",
            "b",
            "dir",
            "dir/one",
            "dir/sub/deep",
            "dir-x",
            "z",
            "z/z",
            "src/1 2 3",
            "2 3",
            "src/lib/a/b/c/d.c",
            "nowhere",
            "added 10",
            "",
        ] {
            let chain = known.get(path);
            let found = reader
                .find_path(head.tree, path.as_bytes(), chain)
                .expect("readable");
            let expected = truth
                .get(path.as_bytes())
                .map(|record| String::from_utf8_lossy(record).into_owned());
            let ours = found.as_ref().map(|chain| {
                let kind = if chain.entry.is_tree() {
                    "tree"
                } else {
                    "blob"
                };
                format!("{:06o} {kind} {}", chain.entry.mode, chain.entry.id)
            });
            assert_eq!(ours, expected, "{path} in {commit}");
            match found {
                Some(chain) => {
                    assert_eq!(chain.trees[0], head.tree);
                    assert_eq!(chain.trees.len(), path.split('/').count());
                    known.insert(path, chain);
                }
                None => {
                    known.remove(path);
                }
            }
        }
        for parent in &head.parents {
            let parent_head = reader.commit_head(parent).expect("readable");
            changes_agree(repo, &mut reader, parent_head.tree, head.tree);
        }
    }
    Arc::clone(reader.store())
}

fn changes_agree(repo: &DatedRepo, reader: &mut Reader, old: ObjectId, new: ObjectId) {
    let truth = repo.git(&[
        "diff-tree",
        "-r",
        "-z",
        "--raw",
        &old.to_string(),
        &new.to_string(),
    ]);
    let mut ours = Vec::new();
    reader
        .diff_trees(Some(old), Some(new), &mut |change| {
            let mode = |entry: Option<tblame::internals::objects::TreeEntry>| {
                entry.map_or(0, |entry| entry.mode)
            };
            let id = |entry: Option<tblame::internals::objects::TreeEntry>| {
                entry
                    .map_or(ObjectId::null(old.kind()), |entry| entry.id)
                    .to_string()
            };
            let status = match (change.old, change.new) {
                (None, _) => 'A',
                (_, None) => 'D',
                (Some(a), Some(b)) if a.mode & 0o170000 != b.mode & 0o170000 => 'T',
                _ => 'M',
            };
            ours.extend_from_slice(
                format!(
                    ":{:06o} {:06o} {} {} {status}\0",
                    mode(change.old),
                    mode(change.new),
                    id(change.old),
                    id(change.new)
                )
                .as_bytes(),
            );
            ours.extend_from_slice(&change.path);
            ours.push(0);
        })
        .expect("readable");
    assert_eq!(
        String::from_utf8_lossy(&ours),
        String::from_utf8_lossy(&truth)
    );
}

#[test]
fn loose_objects_agree() {
    let mut repo = DatedRepo::new(ObjectFormat::Sha1);
    repo.fill(12);
    repo.git(&["tag", "-a", "-m", "tag", "v1"]);
    every_object_agrees(&repo);
    every_lookup_agrees(&repo, StoreOptions::default());
}

#[test]
fn packed_objects_agree() {
    let mut repo = DatedRepo::new(ObjectFormat::Sha1);
    repo.fill(60);
    repo.git(&["tag", "-a", "-m", "tag", "v1"]);
    repo.git(&[
        "repack",
        "-q",
        "-a",
        "-d",
        "-f",
        "--depth=100",
        "--window=50",
    ]);
    every_object_agrees(&repo);
    let store = every_lookup_agrees(&repo, StoreOptions::default());
    assert_eq!(store.stats().bases_regenerated, 0);
}

#[test]
fn sha256_objects_agree() {
    let mut repo = DatedRepo::new(ObjectFormat::Sha256);
    repo.fill(30);
    every_object_agrees(&repo);
    repo.git(&["repack", "-q", "-a", "-d"]);
    every_object_agrees(&repo);
    every_lookup_agrees(&repo, StoreOptions::default());
}

#[test]
fn several_packs_and_a_multi_pack_index_agree() {
    let mut repo = DatedRepo::new(ObjectFormat::Sha1);
    for round in 0..3 {
        repo.fill(10);
        repo.git(&["repack", "-q", "-d"]);
        if round == 1 {
            repo.git(&["multi-pack-index", "write"]);
        }
    }
    repo.fill(3);
    every_object_agrees(&repo);
    every_lookup_agrees(&repo, StoreOptions::default());
}

#[test]
fn a_tiny_cache_only_costs_time() {
    let mut repo = DatedRepo::new(ObjectFormat::Sha1);
    repo.fill(30);
    repo.git(&["repack", "-q", "-a", "-d", "-f"]);
    every_lookup_agrees(
        &repo,
        StoreOptions {
            delta_base_cache_bytes: 1000,
            ..StoreOptions::default()
        },
    );
}

#[test]
fn alternates_are_followed() {
    let mut base = DatedRepo::new(ObjectFormat::Sha1);
    base.fill(5);
    base.git(&["repack", "-q", "-a", "-d"]);
    let mut repo = DatedRepo::new(ObjectFormat::Sha1);
    let target = repo.path().join("other objects");
    std::fs::rename(base.objects(), &target).expect("moved");
    let alternates = repo.objects().join("info/alternates");
    std::fs::write(
        alternates,
        "# comment\n\n../../other objects\n/does/not/exist\n",
    )
    .expect("written");
    repo.fill(5);
    every_object_agrees(&repo);
    assert_eq!(repo.reader().store().warnings().len(), 1);
}

#[test]
fn replacements_stand_in_for_any_object() {
    let mut repo = DatedRepo::new(ObjectFormat::Sha1);
    repo.write("f", b"one\n");
    let first = repo.commit("first");
    repo.write("f", b"two\n");
    let second = repo.commit("second");
    let options = StoreOptions {
        replacements: [(id(&second), id(&first))].into(),
        ..StoreOptions::default()
    };
    let mut reader = repo.reader_with(options);
    let head = reader.commit_head(&id(&second)).expect("readable");
    assert!(head.parents.is_empty());
    let looped = StoreOptions {
        replacements: [(id(&second), id(&first)), (id(&first), id(&second))].into(),
        ..StoreOptions::default()
    };
    assert!(matches!(
        repo.reader_with(looped).object(&id(&second)),
        Err(Error::ReplaceDepth { .. })
    ));
}

#[test]
fn a_repack_in_the_middle_is_noticed() {
    let mut repo = DatedRepo::new(ObjectFormat::Sha1);
    repo.fill(5);
    let mut reader = repo.reader();
    let missing = ObjectId::null(HashKind::Sha1);
    assert!(matches!(
        reader.object(&missing),
        Err(Error::Missing { .. })
    ));
    repo.git(&["repack", "-q", "-a", "-d"]);
    repo.git(&["prune-packed"]);
    for id in repo.all_ids() {
        assert!(reader.try_object(&id).expect("readable").is_some());
    }
}

/// The store knows a pack that was removed before it was opened, and comes back.
#[test]
fn a_pack_that_comes_back_is_used() {
    let mut repo = DatedRepo::new(ObjectFormat::Sha1);
    repo.fill(5);
    let ids = repo.all_ids();
    repo.git(&["repack", "-q", "-a", "-d"]);
    let mut reader = repo.reader();
    let (packs, aside) = (repo.objects().join("pack"), repo.path().join("aside"));
    for _ in 0..2 {
        std::fs::rename(&packs, &aside).expect("moved");
        assert!(reader.try_object(&ids[0]).expect("readable").is_none());
        std::fs::rename(&aside, &packs).expect("moved");
    }
    for id in &ids {
        assert!(reader.try_object(id).expect("readable").is_some());
    }
    // What is open stays readable.
    std::fs::rename(&packs, &aside).expect("moved");
    for id in &ids {
        assert!(reader.try_object(id).expect("readable").is_some());
    }
}

/// A new multi-pack-index leads to other packs, of which none is new.
#[test]
fn a_multi_pack_index_that_is_replaced_is_noticed() {
    let mut repo = DatedRepo::new(ObjectFormat::Sha1);
    repo.fill(5);
    repo.git(&["repack", "-q", "-d"]);
    let before = repo.all_ids();
    let packs = |repo: &DatedRepo| -> Vec<PathBuf> {
        let list = std::fs::read_dir(repo.objects().join("pack")).expect("there are packs");
        let paths = list.map(|entry| entry.expect("it can be read").path());
        paths
            .filter(|path| path.extension().is_some_and(|kind| kind == "pack"))
            .collect()
    };
    let old = packs(&repo);
    repo.fill(6);
    // All objects are in the second pack, and those of the first in both. The multi-pack-index has the newer copies.
    repo.git(&["repack", "-q", "-a"]);
    for path in &old {
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
        let file = std::fs::File::options().append(true).open(path);
        let file = file
            .or_else(|_| std::fs::File::open(path))
            .expect("it can be opened");
        file.set_modified(later).expect("it is one's own");
    }
    repo.git(&["multi-pack-index", "write"]);
    let mut reader = repo.reader();
    for path in &old {
        std::fs::remove_file(path.with_extension("idx")).expect("it is there");
        std::fs::remove_file(path).expect("it is there");
    }
    // git would take over what the old one says.
    std::fs::remove_file(repo.objects().join("pack/multi-pack-index")).expect("it is there");
    repo.git(&["multi-pack-index", "write"]);
    for id in &before {
        assert!(reader.try_object(id).expect("readable").is_some());
    }
}

#[test]
fn files_and_directories_that_swap_are_two_changes() {
    let mut repo = DatedRepo::new(ObjectFormat::Sha1);
    for name in ["a", "a-b", "a.c", "b/x", "b/y/z", "c"] {
        repo.write(name, name.as_bytes());
    }
    repo.commit("before");
    let old = repo.line(&["rev-parse", "HEAD^{tree}"]);
    repo.git(&["rm", "-q", "-r", "a", "b"]);
    for name in ["a/x", "a/y/z", "b", "c"] {
        repo.write(name, name.as_bytes());
    }
    std::os::unix::fs::symlink("c", repo.path().join("d")).expect("link");
    repo.commit("after");
    let new = repo.line(&["rev-parse", "HEAD^{tree}"]);
    let mut reader = repo.reader();
    changes_agree(&repo, &mut reader, id(&old), id(&new));
    changes_agree(&repo, &mut reader, id(&new), id(&old));
}

/// Every head read through the graph is the one that is stored, and no filter denies a change.
fn graph_agrees(repo: &DatedRepo, options: StoreOptions) -> (usize, usize) {
    let mut with = repo.reader_with(options.clone());
    let mut without = repo.reader_with(StoreOptions {
        use_commit_graph: false,
        ..options
    });
    let commits = repo.line(&["rev-list", "--all"]);
    let (mut denied, mut affirmed) = (0, 0);
    for commit in commits.lines().map(id) {
        let truth = without.commit_head(&commit).expect("readable");
        assert_eq!(truth.graph, None);
        let head = with.commit_head(&commit).expect("readable");
        let Some(graph) = head.graph else {
            assert_eq!(head, truth);
            continue;
        };
        assert_eq!(
            (head.tree, &head.parents, head.time),
            (truth.tree, &truth.parents, truth.time)
        );
        let parent = truth
            .parents
            .first()
            .map(|parent| without.commit_head(parent));
        let parent = parent.map(|parent| parent.expect("readable").tree);
        let mut changed = Vec::new();
        without
            .diff_trees(parent, Some(truth.tree), &mut |change| {
                changed.push(change.path)
            })
            .expect("readable");
        let store = with.store();
        let mut listed = Vec::new();
        without
            .list_tree(truth.tree, &mut |path, _| {
                listed.push(path);
                ControlFlow::Continue(())
            })
            .expect("readable");
        for path in changed.iter().chain(&listed) {
            let Some(filter) = store.path_history(path) else {
                continue;
            };
            let unchanged = store.is_unchanged(graph, &filter);
            if unchanged {
                assert!(!changed.contains(path), "{path} in {commit}");
                denied += 1;
            } else {
                affirmed += 1;
            }
            // Who asks often is answered from bits that were collected.
            let often = (0..200).all(|_| store.is_unchanged(graph, &filter) == unchanged);
            assert!(often, "{path} in {commit}");
        }
    }
    (denied, affirmed)
}

fn branchy(format: ObjectFormat) -> DatedRepo {
    let mut repo = DatedRepo::new(format);
    repo.fill(15);
    repo.git(&["checkout", "-q", "-b", "side", "HEAD~5"]);
    repo.write("s\u{e4}u/\u{fc}ber \u{df}", b"text\n");
    repo.commit("side");
    for name in ["one", "two", "three"] {
        repo.git(&["checkout", "-q", "-b", name, "HEAD~3"]);
        repo.write(&format!("on-{name}"), b"text\n");
        repo.commit(name);
    }
    repo.git(&["checkout", "-q", "main"]);
    repo.clock += 60;
    repo.git(&["merge", "-q", "--no-edit", "side"]);
    repo.clock += 60;
    repo.git(&["merge", "-q", "--no-edit", "one", "two", "three"]);
    repo
}

#[test]
fn commit_graph_agrees() {
    for version in ["1", "2"] {
        let mut repo = branchy(ObjectFormat::Sha1);
        let config = format!("commitGraph.changedPathsVersion={version}");
        repo.git(&[
            "-c",
            &config,
            "commit-graph",
            "write",
            "--reachable",
            "--changed-paths",
        ]);
        repo.fill(2);
        let (denied, affirmed) = graph_agrees(&repo, StoreOptions::default());
        assert!(denied > affirmed && affirmed > 0, "{denied} {affirmed}");
        let other = StoreOptions {
            changed_paths_version: 3 - version.parse::<i32>().expect("a number"),
            ..StoreOptions::default()
        };
        assert_eq!(graph_agrees(&repo, other), (0, 0));
        let stats = every_lookup_agrees(&repo, StoreOptions::default()).stats();
        assert!(stats.heads_from_graph > stats.heads_inflated);
        assert!(repo.reader().store().warnings().is_empty());
    }
}

#[test]
fn commit_graph_of_sha256_agrees() {
    let repo = branchy(ObjectFormat::Sha256);
    repo.git(&["commit-graph", "write", "--reachable", "--changed-paths"]);
    let (denied, affirmed) = graph_agrees(&repo, StoreOptions::default());
    assert!(denied > affirmed && affirmed > 0);
}

#[test]
fn commit_graph_chain_agrees() {
    let mut repo = branchy(ObjectFormat::Sha1);
    let write = ["commit-graph", "write", "--reachable", "--split=no-merge"];
    repo.git(&[&write[..], &["--changed-paths"]].concat());
    repo.fill(4);
    repo.git(&[&write[..], &["--no-changed-paths"]].concat());
    repo.fill(4);
    repo.git(&[&write[..], &["--changed-paths"]].concat());
    repo.fill(2);
    let (denied, affirmed) = graph_agrees(&repo, StoreOptions::default());
    assert!(denied > affirmed && affirmed > 0);
    // A layer with other settings than the newest is not used.
    let version = ["-c", "commitGraph.changedPathsVersion=2"];
    repo.git(&[&version[..], &write, &["--changed-paths"]].concat());
    graph_agrees(&repo, StoreOptions::default());
    // Without its newest layer, the chain is as good as before.
    let chain = repo.objects().join("info/commit-graphs/commit-graph-chain");
    let names = std::fs::read_to_string(&chain).expect("a chain");
    let newest = names.lines().last().expect("a layer");
    let file = chain.with_file_name(format!("graph-{newest}.graph"));
    std::fs::remove_file(file).expect("removed");
    graph_agrees(&repo, StoreOptions::default());
    assert_eq!(repo.reader().store().warnings().len(), 1);
}

#[test]
fn a_damaged_commit_graph_is_passed_over() {
    let repo = branchy(ObjectFormat::Sha1);
    repo.git(&["commit-graph", "write", "--reachable", "--changed-paths"]);
    let path = repo.objects().join("info/commit-graph");
    let sound = std::fs::read(&path).expect("a graph");
    std::fs::remove_file(&path).expect("removed");
    let tip = id(&repo.line(&["rev-parse", "HEAD"]));
    let mut rng = Rng::new(1);
    for round in 0..200usize {
        let mut bytes = sound.clone();
        for _ in 0..1 + round % 4 {
            // Mostly in the tables, where damage does harm.
            let limit = if round % 2 == 0 { 120 } else { bytes.len() };
            bytes[rng.below(limit)] = rng.below(256) as u8;
        }
        if round % 5 == 0 {
            bytes.truncate(rng.below(bytes.len()));
        }
        std::fs::write(&path, &bytes).expect("written");
        let mut reader = repo.reader();
        let mut next = Some(tip);
        let mut steps = 0;
        while let Some(commit) = next.take() {
            let Ok(head) = reader.commit_head(&commit) else {
                break;
            };
            let filter = reader.store().path_history(b"Makefile");
            if let (Some(filter), Some(at)) = (filter, head.graph) {
                for _ in 0..4 {
                    let _ = reader.store().is_unchanged(at, &filter);
                }
            }
            steps += 1;
            next = head.parents.first().copied().filter(|_| steps < 100);
        }
    }
}

#[test]
fn a_damaged_multi_pack_index_is_passed_over() {
    let mut repo = DatedRepo::new(ObjectFormat::Sha1);
    repo.fill(10);
    repo.git(&["repack", "-q", "-a", "-d"]);
    repo.git(&["multi-pack-index", "write"]);
    let path = repo.objects().join("pack/multi-pack-index");
    let sound = std::fs::read(&path).expect("written by git");
    std::fs::remove_file(&path).expect("removed");
    for len in [0, 11, 12, 100, 1000, sound.len() / 2, sound.len() - 1] {
        std::fs::write(&path, &sound[..len]).expect("written");
        every_object_agrees(&repo);
        assert_eq!(repo.reader().store().warnings().len(), 1, "{len} bytes");
    }
}

/// git keeps a chain of them in `multi-pack-index.d`, beside the indexes of the packs.
#[test]
fn a_chain_of_multi_pack_indexes_does_no_harm() {
    let mut repo = DatedRepo::new(ObjectFormat::Sha1);
    for _ in 0..2 {
        repo.fill(10);
        repo.git(&["repack", "-q", "-d"]);
        // Older versions of git have no chains.
        let _ = repo
            .command(&["multi-pack-index", "write", "--incremental"])
            .output();
    }
    every_object_agrees(&repo);
}

#[test]
fn damaged_packs_give_errors() {
    let mut repo = DatedRepo::new(ObjectFormat::Sha1);
    repo.fill(20);
    let ids = repo.all_ids();
    repo.git(&["repack", "-q", "-a", "-d", "-f"]);
    let pack_dir = repo.objects().join("pack");
    let of = |extension: &str| {
        std::fs::read_dir(&pack_dir)
            .expect("packs")
            .map(|entry| entry.expect("an entry").path())
            .find(|path| path.to_str().is_some_and(|path| path.ends_with(extension)))
            .expect("a file")
    };
    let mut rng = Rng::new(1);
    for extension in [".pack", ".idx", "multi-pack-index"] {
        if extension == "multi-pack-index" {
            repo.git(&["multi-pack-index", "write"]);
        }
        let path = of(extension);
        let sound = std::fs::read(&path).expect("readable");
        for round in 0..20usize {
            let mut bytes = sound.clone();
            for _ in 0..1 + round * 9 {
                let from = if extension != ".pack" && round % 2 == 0 {
                    bytes.len() * 2 / 3
                } else {
                    8
                };
                let at = from + rng.below(bytes.len() - from);
                bytes[at] = rng.below(256) as u8;
            }
            if round % 10 == 9 {
                bytes.truncate(rng.below(bytes.len()));
            }
            std::fs::remove_file(&path).expect("removed");
            std::fs::write(&path, &bytes).expect("written");
            let mut reader = repo.reader();
            for id in &ids {
                let _ = reader.try_object(id);
                let _ = reader.kind(id);
                let _ = reader.size(id);
                let _ = reader.stored(id);
                let _ = reader.commit_head(id);
                let _ = reader.find_path(*id, b"dir/sub/deep", None);
            }
        }
        std::fs::remove_file(&path).expect("removed");
        std::fs::write(&path, &sound).expect("written");
    }
    every_object_agrees(&repo);
}

/// A pack that is cut short while it is read makes errors, and what was read stays.
#[test]
fn a_pack_that_is_cut_short_gives_errors() {
    let mut repo = DatedRepo::new(ObjectFormat::Sha1);
    repo.fill(40);
    repo.git(&["repack", "-adfq"]);
    let ids = repo.all_ids();
    let mut reader = repo.reader();
    reader.object(&ids[0]).expect("it is sound");
    let packs = std::fs::read_dir(repo.objects().join("pack")).expect("there");
    let path = packs
        .map(|entry| entry.expect("readable").path())
        .find(|path| path.extension().is_some_and(|it| it == "pack"))
        .expect("there is a pack");
    let mut writable = path.metadata().expect("there").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut writable, 0o600);
    std::fs::set_permissions(&path, writable).expect("it is ours");
    let file = std::fs::OpenOptions::new().write(true).open(&path);
    file.expect("writable").set_len(64).expect("cut");
    let failed = ids.iter().filter(|id| reader.object(id).is_err()).count();
    assert!(failed > 0, "{failed} of {}", ids.len());
    reader.object(&ids[0]).expect("it was read before");
}

/// A history whose deltas form one chain, as long as fast-import makes them.
fn deep(versions: usize) -> DatedRepo {
    let repo = DatedRepo::new(ObjectFormat::Sha1);
    let mut stream = Vec::new();
    let mut lines: Vec<String> = (0..60).map(|at| format!("line {at}\n")).collect();
    for version in 1..=versions {
        let place = version * 7 % lines.len();
        lines[place] = format!("version {version} of this line\n");
        let text = lines.concat();
        let head = format!(
            "commit refs/heads/main\ncommitter C <c@example.com> {} +0000\ndata 2\nm\n\
             M 100644 inline dir/file\ndata {}\n",
            1_600_000_000 + version,
            text.len()
        );
        stream.extend_from_slice(head.as_bytes());
        stream.extend_from_slice(text.as_bytes());
    }
    let import = ["fast-import", "--quiet", "--depth=4095"];
    repo.inner.git_with_input(&import, &stream);
    repo
}

#[test]
fn deep_delta_chains_are_rebuilt_once() {
    let repo = deep(3000);
    let ids = repo.all_ids();
    let mut reader = repo.reader();
    for id in ids.iter().rev() {
        reader.object(id).expect("readable");
    }
    let stats = reader.store().stats();
    assert_eq!(stats.bases_regenerated, 0);
    assert!(stats.bases_unique <= ids.len() as u64);
    let tip = id(&repo.line(&["rev-parse", "main"]));
    let blob = id(&repo.line(&["rev-parse", "main:dir/file"]));
    let tree = reader.commit_head(&tip).expect("readable").tree;
    let found = reader.find_path(tree, b"dir/file", None).expect("readable");
    assert_eq!(found.map(|chain| chain.entry.id), Some(blob));
    every_object_agrees(&repo);
}

#[test]
fn old_pack_formats_agree() {
    let mut repo = DatedRepo::new(ObjectFormat::Sha1);
    repo.fill(15);
    repo.git(&[
        "-c",
        "repack.useDeltaBaseOffset=false",
        "-c",
        "pack.indexVersion=1",
        "repack",
        "-q",
        "-a",
        "-d",
        "-f",
    ]);
    every_object_agrees(&repo);
    every_lookup_agrees(&repo, StoreOptions::default());
}

#[test]
fn readers_on_several_threads_share_a_store() {
    let mut repo = DatedRepo::new(ObjectFormat::Sha1);
    repo.fill(30);
    repo.git(&["repack", "-q", "-a", "-d", "-f"]);
    let ids = repo.all_ids();
    let truth = cat_file(&repo, &ids);
    let store = Arc::clone(repo.reader().store());
    std::thread::scope(|scope| {
        for turn in 0..4 {
            let (store, ids, truth) = (&store, &ids, &truth);
            scope.spawn(move || {
                let mut reader = store.reader();
                for step in 0..ids.len() {
                    let at = (step + turn * ids.len() / 4) % ids.len();
                    let object = reader.object(&ids[at]).expect("readable");
                    assert!(object.data[..] == truth[at].1[..]);
                }
            });
        }
    });
}

#[test]
fn malformed_commits_are_read_as_leniently_as_git_does() {
    let mut repo = DatedRepo::new(ObjectFormat::Sha1);
    let first = repo.commit("first");
    let tree = repo.line(&["rev-parse", "HEAD^{tree}"]);
    let author = "author A <a> 5 +0000\n";
    let mut texts: Vec<String> = [
        "committer C <c> 77 +0100\n\nx",
        "committer C <c> 77",
        "committer C <c> 77\n",
        "committer C <c>77 +0000\n\n",
        "committer C <c> x77 +0000\n\n",
        "committer C <c> -77 +0000\n\n",
        "committer C <c> +77 +0000\n\n",
        "committer C <c>\t 77 +0000\n\n",
        "committer C <c>\x0c77 +0000\n\n",
        "committer C <c>\x0b77 +0000\n\n",
        "committer C <c>\r77 +0000\n\n",
        "committer C <c> 99999999999999999999999 +0000\n\n",
        "committer C <c> - 5 +0000\n\n",
        "committer C <c> -0 +0000\n\n",
        "committer C <c> --5 +0000\n\n",
        "committer C <c> 0x10 +0000\n\n",
        "committer C <c> 010 +0000\n\n",
        "committer C <c> > 12 +0000\n\n",
        "committer C c 12 +0000\n\n",
        "committer C <c> \n12 +0000\n\n",
        "committer 12\n\n",
        "committer>12\n\n",
        "committerX <x> 12\n\n",
        "foo\ncommitter C <c> 12 +0000\n\n",
        "",
        "com",
        "committer",
        "committer\n",
    ]
    .map(|rest| format!("{author}{rest}"))
    .into();
    let upper = first.to_uppercase();
    let committer = "committer C <c> 12 +0000\n\n";
    texts.extend([
        String::new(),
        "x".to_owned(),
        "\n".to_owned(),
        committer.to_owned(),
        format!("authorless\n{committer}"),
        format!("parent {first}"),
        format!("parent {first}\n"),
        format!("parent {first}\nx"),
        format!("parent {upper}\n{author}{committer}"),
        format!("parent {first}x\n{author}{committer}"),
        format!("Parent {first}\n{author}{committer}"),
        format!("parent 12\n{author}{committer}"),
        "parent 12\n".to_owned(),
        format!("parent 12\n{}", "x".repeat(37)),
        format!("parent 12\n{}", "x".repeat(38)),
        format!(
            "{}{author}{committer}",
            format!("parent {first}\n").repeat(200)
        ),
    ]);
    let commits: Vec<String> = texts
        .iter()
        .map(|text| {
            let file = repo.path().join("commit");
            std::fs::write(&file, format!("tree {tree}\n{text}")).expect("written");
            let args = ["hash-object", "-t", "commit", "--literally", "-w", "commit"];
            repo.line(&args)
        })
        .collect();
    for packed in [false, true] {
        if packed {
            let list = commits.join("\n") + "\n";
            let pack = ["pack-objects", "-q", ".git/objects/pack/pack"];
            repo.inner.git_with_input(&pack, list.as_bytes());
        }
        let mut reader = repo.reader();
        for (commit, text) in commits.iter().zip(&texts) {
            let truth = repo
                .command(&["rev-list", "--timestamp", "--parents", "--no-walk", commit])
                .output()
                .expect("git runs");
            let truth = truth.status.success().then(|| {
                let line = String::from_utf8(truth.stdout).expect("text");
                let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
                let time: u64 = words[0].parse().expect("a number");
                (i64::try_from(time).unwrap_or(i64::MAX), words[2..].to_vec())
            });
            assert_eq!(
                reader.position(&id(commit)).expect("sound").is_some(),
                packed
            );
            let ours = reader.commit_head(&id(commit)).ok().map(|head| {
                let parents = head.parents.iter().map(ObjectId::to_string).collect();
                (head.time, parents)
            });
            assert_eq!(ours, truth, "{text}");
        }
    }
}
