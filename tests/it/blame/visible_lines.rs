//! Visible lines are resolved first, which never changes the result.

use std::{collections::BTreeMap, ops::ControlFlow, sync::Arc};

use tblame::{
    engine::{Blame, Engine, Entry, Focus, Origin, Request, Sink, Start},
    objects::{HashKind, ObjectId, Store, StoreOptions},
};

use super::long_ranges::long_history;
use crate::harness::{
    compare::seed_count,
    random_history::{History, Storage},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// Changes the visible lines at random.
struct RandomScroller {
    rng: Rng,
    focus: Arc<Focus>,
    lines: u32,
    /// The lines in the order in which they were resolved.
    order: Vec<u32>,
}

impl RandomScroller {
    fn scroll(&mut self) {
        let start = self.rng.below(self.lines as usize + 1) as u32;
        let end = start + self.rng.below(6) as u32;
        self.focus.look_at(start..end);
    }
}

impl Sink for RandomScroller {
    fn started(&mut self, _: &Arc<[u8]>, line_count: u32) -> ControlFlow<()> {
        self.lines = line_count;
        ControlFlow::Continue(())
    }

    fn entry(&mut self, entry: &Entry, _: &[Origin], _: bool) -> ControlFlow<()> {
        self.order.extend(entry.lines.clone());
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _: i64) -> ControlFlow<()> {
        if self.rng.chance(20) {
            self.scroll();
        }
        ControlFlow::Continue(())
    }
}

fn request(tip: ObjectId, path: &[u8], focus: Option<Arc<Focus>>) -> Request {
    Request {
        focus,
        ..Request::new(Start::Commit(tip), path.into())
    }
}

/// The origin of each line: its commit and path, the previous ones, and the line there.
fn attribution(blame: &Blame) -> BTreeMap<u32, (String, u32)> {
    let name = |origin: &Origin| format!("{} {}", origin.commit, origin.path);
    let mut lines = BTreeMap::new();
    for entry in &blame.entries {
        let origin = &blame.origins[entry.origin.0 as usize];
        let previous = origin.previous.map(|id| &blame.origins[id.0 as usize]);
        let name = format!("{} before {:?}", name(origin), previous.map(name));
        for (line, source) in entry.lines.clone().zip(entry.source_start..) {
            lines.insert(line, (name.clone(), source));
        }
    }
    lines
}

fn engine(repository: &TestRepo, threads: usize) -> Engine {
    let objects = repository.root().join(".git/objects");
    let store = Store::open(&objects, HashKind::Sha1, StoreOptions::default());
    Engine::new(store.expect("a repository"), threads)
}

/// In a long history visible lines pause now and then, for the others to catch up.
#[test]
fn visible_lines_far_ahead_of_the_others_do_not_change_the_result() {
    let (repository, ids) = long_history(5, true);
    let tip = ObjectId::from_hex(ids[ids.len() - 1].as_bytes()).expect("an id");
    let mut sink = RandomScroller {
        rng: Rng::new(1),
        focus: Arc::default(),
        lines: 0,
        order: Vec::new(),
    };
    let mut engines = [engine(&repository, 1), engine(&repository, 2)];
    let expected = engines[0].blame(&request(tip, b"f", None), &mut sink);
    let expected = attribution(&expected.expect("a blame"));
    for (nth, lines) in [0..9, 30..40, 55..60, 20..21].into_iter().enumerate() {
        let focus = Arc::new(Focus::default());
        focus.look_at(lines);
        let blame = engines[nth % 2].blame(&request(tip, b"f", Some(focus)), &mut sink);
        assert_eq!(attribution(&blame.expect("as before")), expected);
    }
}

#[test]
fn scrolling_does_not_change_the_result() {
    let (mut compared, count) = (0, seed_count(12));
    for seed in 7_000..7_000 + count {
        let storage = [Storage::Loose, Storage::Packs, Storage::Graph(1)][seed as usize % 3];
        let history = History::generate(seed, ObjectFormat::Sha1, storage);
        let mut rng = Rng::new(seed);
        let (mut still, mut scrolled) = (
            engine(&history.repository, 1),
            engine(&history.repository, 1 + seed as usize % 2),
        );
        for (revision, path) in history.samples(&mut rng, 6) {
            let id = history
                .repository
                .git_text(&["rev-parse", &format!("{revision}^{{commit}}")]);
            let tip = ObjectId::from_hex(id.trim().as_bytes()).expect("an id");
            let focus = Arc::new(Focus::default());
            let mut sink = RandomScroller {
                rng: Rng::new(seed),
                focus: Arc::default(),
                lines: 0,
                order: Vec::new(),
            };
            let Ok(expected) = still.blame(&request(tip, &path, None), &mut sink) else {
                continue;
            };
            sink.order.clear();
            sink.focus = focus.clone();
            let blame = scrolled.blame(&request(tip, &path, Some(focus)), &mut sink);
            let blame = blame.expect("as before");
            assert_eq!(
                attribution(&blame),
                attribution(&expected),
                "seed {seed}, {revision}, {}",
                path.escape_ascii()
            );
            sink.order.sort_unstable();
            let all: Vec<u32> = (0..sink.lines).collect();
            assert_eq!(sink.order, all, "every line is reported once");
            compared += 1;
        }
    }
    assert!(compared >= count * 3, "{compared} files compared");
}
