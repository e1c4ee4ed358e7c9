//! Micro-benchmark of the object store, over any repository:
//!
//! `cargo bench --bench objects -- OBJECTS_DIR TIP [PATH]`
//!
//! TIP is a full commit id. Without arguments it does nothing.

use std::collections::{BinaryHeap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

use tblame::objects::{
    CommitHead, Error, GraphPosition, HashKind, ObjectId, PathChain, Reader, Store, StoreOptions,
};

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let [dir, tip, rest @ ..] = &args[..] else {
        println!("usage: OBJECTS_DIR TIP [PATH]");
        return Ok(());
    };
    let Ok(tip) = ObjectId::from_hex(tip.as_bytes()) else {
        println!("TIP is not a full id");
        return Ok(());
    };
    let path = rest.first().map_or("Makefile", String::as_str);
    let hash = match tip {
        ObjectId::Sha1(_) => HashKind::Sha1,
        _ => HashKind::Sha256,
    };
    for graph in [false, true] {
        println!("commit-graph: {graph}");
        for round in 0..3 {
            let start = Instant::now();
            let store = Store::open(Path::new(dir), hash, store_options(graph))?;
            println!("round {round}: open {:?}", start.elapsed());
            let walk = walk(&mut store.reader(), tip, path)?;
            let options = store_options(graph);
            let store = Store::open(Path::new(dir), hash, options)?;
            replay(store.reader(), &walk, path)?;
            println!("  {:?}", store.stats());
        }
    }
    Ok(())
}

fn store_options(graph: bool) -> StoreOptions {
    StoreOptions {
        use_commit_graph: graph,
        ..StoreOptions::default()
    }
}

/// What a blame would ask of the store, in its order.
#[derive(Default)]
struct Walk {
    commits: Vec<ObjectId>,
    /// A root tree, and the commit (by its place in `chains`) whose chain is known.
    lookups: Vec<(ObjectId, usize)>,
    chains: Vec<Option<PathChain>>,
    filtered: Vec<GraphPosition>,
    versions: Vec<ObjectId>,
}

/// Walk like a blame does: every commit that still may hold the path, newest first.
fn walk(reader: &mut Reader, tip: ObjectId, path: &str) -> Result<Walk, Error> {
    let mut walk = Walk::default();
    let mut seen = HashSet::new();
    let mut queue: BinaryHeap<(i64, usize)> = BinaryHeap::new();
    let mut nodes: Vec<CommitHead> = Vec::new();
    let filter = reader.store().path_filter(path.as_bytes());
    let head = reader.commit_head(&tip)?;
    let chain = reader.find_path(head.tree, path.as_bytes(), None)?;
    queue.push((head.time, 0));
    nodes.push(head);
    walk.chains.push(chain);
    while let Some((_, at)) = queue.pop() {
        let (node, Some(chain)) = (nodes[at].clone(), walk.chains[at].clone()) else {
            continue;
        };
        for (nth, parent) in node.parents.iter().enumerate() {
            if !seen.insert(*parent) {
                continue;
            }
            let head = reader.commit_head(parent)?;
            walk.commits.push(*parent);
            let mut unchanged = false;
            if nth == 0
                && let (Some(graph), Some(filter)) = (node.graph, &filter)
            {
                walk.filtered.push(graph);
                unchanged = reader.store().is_unchanged(graph, filter);
            }
            let found = if unchanged {
                Some(chain.clone())
            } else {
                walk.lookups.push((head.tree, at));
                reader.find_path(head.tree, path.as_bytes(), Some(&chain))?
            };
            let same = found
                .as_ref()
                .is_some_and(|found| found.entry == chain.entry);
            if let Some(found) = &found
                && !same
            {
                walk.versions.push(found.entry.id);
            }
            queue.push((head.time, nodes.len()));
            nodes.push(head);
            walk.chains.push(found);
            if same {
                break;
            }
        }
    }
    walk.versions.sort();
    walk.versions.dedup();
    Ok(walk)
}

/// Ask for the same things again, of one sort at a time.
fn replay(mut reader: Reader, walk: &Walk, path: &str) -> Result<(), Error> {
    measure("heads", walk.commits.len(), || {
        walk.commits
            .iter()
            .try_for_each(|id| reader.commit_head(id).map(|_| ()))
    })?;
    measure("lookups", walk.lookups.len(), || {
        walk.lookups.iter().try_for_each(|(tree, at)| {
            let known = walk.chains[*at].as_ref();
            reader.find_path(*tree, path.as_bytes(), known).map(|_| ())
        })
    })?;
    let filter = reader.store().path_filter(path.as_bytes());
    let mut maybe = 0;
    measure("filters", walk.filtered.len(), || {
        for at in &walk.filtered {
            let unchanged = |filter| reader.store().is_unchanged(*at, filter);
            maybe += usize::from(!filter.as_deref().is_some_and(unchanged));
        }
        Ok(())
    })?;
    measure("stored", walk.versions.len(), || {
        walk.versions
            .iter()
            .try_for_each(|id| reader.stored(id).map(|_| ()))
    })?;
    measure("objects", walk.versions.len(), || {
        walk.versions
            .iter()
            .try_for_each(|id| reader.object(id).map(|_| ()))
    })
}

fn measure(
    what: &str,
    count: usize,
    work: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    let (wall, cpu) = (Instant::now(), cpu_time());
    work()?;
    let (wall, cpu) = (wall.elapsed(), cpu_time().saturating_sub(cpu));
    let each = cpu / u32::try_from(count.max(1)).unwrap_or(u32::MAX);
    println!("  {what:8} {count:6}  {wall:9.1?}  {cpu:9.1?} of cpu, {each:7.0?} each");
    Ok(())
}

/// Processor time of this thread, where the system tells; it does not suffer from neighbours.
fn cpu_time() -> Duration {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok())
        .map_or(Duration::ZERO, Duration::from_nanos)
}
