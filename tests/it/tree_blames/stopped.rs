//! Blames of all files that are stopped: by their sinks, by a pipe that is closed, by a signal.

use std::{
    io::Read,
    ops::ControlFlow,
    os::unix::process::ExitStatusExt,
    process::Stdio,
    sync::Arc,
    thread::sleep,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use tblame::internals::{
    engine::{
        DiscardProgress, Engine, PlanProgress, PlanSink, PlannedBlame, Request, Start, TreePlan,
        blame_in_order,
    },
    objects::ObjectId,
    repository::Repository,
};

use crate::{
    cache::{TestCache, whole_histories::long_history},
    harness::{
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
    },
};

/// A run that takes longer hangs.
const TIMEOUT: Duration = Duration::from_secs(60);

fn history() -> (TestRepo, Repository, Request) {
    let repository = long_history(ObjectFormat::Sha1, 3000);
    let opened = Repository::open_own(repository.root()).expect("it is a repository");
    let head = opened.head_commit().expect("it has a commit");
    let request = Request::new(Start::Commit(head), "".into());
    (repository, opened, request)
}

/// Stops at a call.
struct StopAt {
    calls: usize,
    at: usize,
}

impl PlanSink for StopAt {
    fn progress(&mut self, _: PlanProgress) -> ControlFlow<()> {
        self.calls += 1;
        if self.calls > self.at {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

fn planned(engine: &mut Engine, request: &Request) -> TreePlan {
    let plan = engine.plan_tree(request, &mut DiscardProgress);
    plan.expect("it can be planned").expect("it is not stopped")
}

/// What a blame says, to be compared.
fn lines(blame: &PlannedBlame) -> Vec<(std::ops::Range<u32>, u32, ObjectId, String)> {
    let entries = blame.entries.iter().map(|entry| {
        let origin = &blame.origins[entry.origin.0 as usize];
        let (commit, path) = (origin.commit, origin.path.to_string());
        (entry.lines.clone(), entry.source_start, commit, path)
    });
    entries.collect()
}

/// After a plan was stopped, at any moment, the same engine makes the right one.
#[test]
fn a_plan_stops_at_every_moment() {
    let (_repository, opened, request) = history();
    let mut engine = Engine::new(Arc::clone(opened.store()), 1);
    let expected = planned(&mut engine, &request);
    let expected: Vec<_> = (0..expected.files().len())
        .map(|at| lines(&engine.blame_planned(&expected, at).expect("undamaged")))
        .collect();
    let mut engine = Engine::new(Arc::clone(opened.store()), 1);
    let mut stopped = 0;
    for at in 0.. {
        let mut sink = StopAt { calls: 0, at };
        let plan = engine.plan_tree(&request, &mut sink).expect("undamaged");
        let Some(plan) = plan else {
            assert_eq!(sink.calls, at + 1, "it is not called again");
            stopped += 1;
            continue;
        };
        for (at, expected) in expected.iter().enumerate() {
            let blame = engine.blame_planned(&plan, at).expect("undamaged");
            assert_eq!(lines(&blame), *expected);
        }
        break;
    }
    assert!(stopped >= 5, "{stopped}");
}

/// Blames on threads end with the caller that wants no more, who got those before in order.
#[test]
fn blames_in_order_stop_at_random_moments() {
    let (_repository, opened, request) = history();
    let mut engine = Engine::new(Arc::clone(opened.store()), 1);
    let plan = planned(&mut engine, &request);
    let count = plan.files().len();
    assert!(count > 20, "{count}");
    let mut rng = Rng::new(3);
    let mut taken = 0;
    for case in 0..40 {
        let mut order: Vec<usize> = (0..count).collect();
        for at in (1..count).rev() {
            order.swap(at, rng.below(at + 1));
        }
        let (most, threads) = (1 + rng.below(count), rng.between(1, 4));
        let mut got = Vec::new();
        blame_in_order(
            opened.store(),
            &plan,
            &order,
            threads,
            &|| None,
            &mut |at, blame| {
                assert!(blame.is_ok(), "{blame:?}");
                got.push(at);
                if got.len() == most {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        assert_eq!(got, order[..most], "case {case}");
        taken += most;
    }
    assert!(taken > 100, "{taken}");
}

/// The program ends soon after its reader or a signal, and what it wrote are whole parts of the right output.
#[test]
fn the_program_stops_at_random_moments() {
    let repository = long_history(ObjectFormat::Sha1, 3000);
    let arguments = ["--tree", "-r", "--json", "--json-fields=lines"];
    let whole = TestCache::new().run(&repository, &arguments).stdout;
    assert!(whole.len() > 10_000);
    let mut rng = Rng::new(5);
    let (mut interrupted, mut closed) = (0, 0);
    for case in 0..40 {
        let cache = TestCache::new();
        let mut command = cache.command(&repository, &arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
        let mut output = child.stdout.take().expect("it is piped");
        let begun = Instant::now();
        let mut read = vec![0; rng.below(whole.len())];
        if case % 2 == 0 {
            // To its end, or less.
            let mut len = 0;
            while len < read.len() {
                match output.read(&mut read[len..]).expect("it is readable") {
                    0 => break,
                    more => len += more,
                }
            }
            read.truncate(len);
            drop(output);
            closed += 1;
        } else {
            sleep(Duration::from_millis(rng.below(300) as u64));
            let pid = Pid::from_child(&child);
            // A shell may have started the tests to ignore interrupts.
            kill_process(pid, [Signal::INT, Signal::TERM][case / 2 % 2]).ok();
            read.clear();
            output.read_to_end(&mut read).expect("it is readable");
        }
        let status = child.wait().expect("it ends");
        assert!(begun.elapsed() < TIMEOUT);
        assert!(whole.starts_with(&read), "case {case}");
        match (status.code(), status.signal()) {
            (Some(0), None) => {}
            (None, Some(2 | 15)) => interrupted += 1,
            (None, Some(13)) => {}
            _ => panic!("case {case}: {status:?}"),
        }
        assert_eq!(cache.temporary_files().len(), 0, "case {case}");
    }
    assert!(interrupted > 0 && closed > 0, "{interrupted} {closed}");
}
