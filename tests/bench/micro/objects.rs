//! The object store: heads of commits, paths, filters, deltas.

use std::{
    collections::{BinaryHeap, HashSet},
    ffi::OsStr,
    hint::black_box,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use tblame::internals::objects::{
    CommitHead, Error, GraphPosition, HashKind, ObjectId, PathChain, Store, StoreOptions,
    StoredObject, pack::delta,
};

use super::runner::Runner;

/// So many versions are read, the newest ones.
const MOST_VERSIONS: usize = 300;

/// What a blame of a file would ask of the store, in its order.
pub struct History {
    objects: PathBuf,
    hash: HashKind,
    path: String,
    commits: Vec<ObjectId>,
    /// A root tree, and what is known of the path in a child of its commit.
    lookups: Vec<(ObjectId, PathChain)>,
    /// Those of `commits` that are in the commit-graph.
    in_graph: Vec<GraphPosition>,
    versions: Vec<ObjectId>,
}

impl History {
    /// The history of the file at `path` in the last commit.
    pub fn open(git: &Path, repository: &Path, path: String) -> History {
        let ask = |question: &[&str]| {
            let mut command = Command::new(git);
            command.arg("-C").arg(repository).arg("rev-parse");
            let answer = command.args(question).output().expect("git runs");
            assert!(answer.status.success(), "{answer:?}");
            answer.stdout.trim_ascii().to_vec()
        };
        let objects = ask(&["--git-path", "objects"]);
        let tip = ask(&["--verify", "HEAD^{commit}"]);
        let tip = ObjectId::from_hex(&tip).expect("git says a whole id");
        let mut history = History {
            objects: repository.join(OsStr::from_bytes(&objects)),
            hash: tip.kind(),
            path,
            commits: Vec::new(),
            lookups: Vec::new(),
            in_graph: Vec::new(),
            versions: Vec::new(),
        };
        history.walk(tip).expect("the history can be read");
        history
    }

    fn store(&self, use_commit_graph: bool) -> Arc<Store> {
        let options = StoreOptions {
            use_commit_graph,
            ..StoreOptions::default()
        };
        Store::open(&self.objects, self.hash, options).expect("a directory of objects")
    }

    /// Takes every commit that still may hold the path, newest first.
    fn walk(&mut self, tip: ObjectId) -> Result<(), Error> {
        let store = self.store(true);
        let mut reader = store.reader();
        let path = self.path.as_bytes();
        let mut seen = HashSet::from([tip]);
        let mut blobs = HashSet::new();
        let mut queue: BinaryHeap<(i64, usize)> = BinaryHeap::new();
        let mut nodes: Vec<(CommitHead, PathChain)> = Vec::new();
        let head = reader.commit_head(&tip)?;
        let chain = reader.find_path(head.tree, path, None)?;
        queue.push((head.time, 0));
        nodes.push((head, chain.expect("the last commit has the file")));
        while let Some((_, at)) = queue.pop() {
            let (head, chain) = nodes[at].clone();
            if blobs.insert(chain.entry.id) {
                self.versions.push(chain.entry.id);
            }
            self.in_graph.extend(head.graph);
            for parent in &head.parents {
                if !seen.insert(*parent) {
                    continue;
                }
                self.commits.push(*parent);
                let head = reader.commit_head(parent)?;
                self.lookups.push((head.tree, chain.clone()));
                let Some(found) = reader.find_path(head.tree, path, Some(&chain))? else {
                    continue;
                };
                let same = found.entry == chain.entry;
                queue.push((head.time, nodes.len()));
                nodes.push((head, found));
                if same {
                    break;
                }
            }
        }
        self.versions.truncate(MOST_VERSIONS);
        Ok(())
    }

    /// The versions of the file, the newest first.
    pub fn texts(&self) -> Vec<Vec<u8>> {
        let mut reader = self.store(false).reader();
        let mut text = |id: &ObjectId| reader.object(id).expect("it is there").data.to_vec();
        self.versions.iter().map(&mut text).collect()
    }
}

/// Measures each sort of question on its own, by a reader that remembers nothing.
pub fn measure(runner: &mut Runner, history: &History) {
    if !runner.wants("objects") {
        return;
    }
    let commits = history.commits.len();
    for (name, graph) in [("objects/head", false), ("objects/head-in-graph", true)] {
        let store = history.store(graph);
        if graph && !store.has_commit_graph() {
            continue;
        }
        runner.measure(name, "commit", commits, || {
            let mut reader = store.reader();
            for id in &history.commits {
                black_box(reader.commit_head(id).expect("it was read before"));
            }
        });
    }
    paths(runner, history);
    filters(runner, history);
    versions(runner, history);
    deltas(runner, history);
}

fn paths(runner: &mut Runner, history: &History) {
    let store = history.store(false);
    let path = history.path.as_bytes();
    runner.measure("objects/path", "commit", history.lookups.len(), || {
        let mut reader = store.reader();
        for (tree, known) in &history.lookups {
            let found = reader.find_path(*tree, path, Some(known));
            black_box(found.expect("it was read before"));
        }
    });
}

/// Each round asks for another path, of which nothing is known yet.
fn filters(runner: &mut Runner, history: &History) {
    let store = history.store(true);
    if !store.has_path_histories() {
        return;
    }
    let mut round = 0;
    runner.measure("objects/filter", "commit", history.in_graph.len(), || {
        round += 1;
        let path = format!("{}{round}", history.path);
        let filter = store.path_history(path.as_bytes()).expect("it has filters");
        for at in &history.in_graph {
            black_box(store.is_unchanged(*at, &filter));
        }
    });
}

/// Whole versions through their delta chains, and the entries of the pack alone.
fn versions(runner: &mut Runner, history: &History) {
    let count = history.versions.len();
    runner.measure("objects/version", "version", count, || {
        let mut reader = history.store(false).reader();
        for id in &history.versions {
            black_box(reader.object(id).expect("it was read before"));
        }
    });
    let store = history.store(false);
    runner.measure("objects/entry", "version", count, || {
        let mut reader = store.reader();
        for id in &history.versions {
            black_box(reader.stored(id).expect("it was read before"));
        }
    });
}

/// Deltas of versions over their bases, all in memory.
fn deltas(runner: &mut Runner, history: &History) {
    let mut reader = history.store(false).reader();
    let mut deltas = Vec::new();
    for id in &history.versions {
        let (_, stored) = reader.stored(id).expect("it was read before");
        if let StoredObject::Delta { base, delta } = stored {
            let base = reader.object_at(base).expect("it was read before").data;
            let result = delta::DeltaInstructions::new(&delta).expect("it is sound");
            deltas.push((base, vec![0; result.result_len()], delta));
        }
    }
    runner.measure("objects/delta", "delta", deltas.len(), || {
        for (base, result, delta) in &mut deltas {
            delta::apply(base, delta, result).expect("it fits");
            black_box(&result);
        }
    });
}
