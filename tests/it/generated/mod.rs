//! Generated cases for what lies around the walk: many small cases of one class, each run in git and
//! in tblame, whose outputs, messages and exit statuses must be the same.
//!
//! `TBLAME_TEST_WIDE=N` runs about N times as many cases.

mod attributes;
mod checkout;
mod configuration;
mod damage;
mod encodings;
mod environment;
#[cfg(unix)]
mod file_systems;
mod filters;
mod history_limiting;
mod odd_trees;
mod openings;
mod packed_refs;
mod parents;
mod references;
mod revision_arguments;
mod revisions;
mod small_history;
mod usage;
mod work_trees;

use std::{ffi::OsStr, path::Path};

use crate::harness::{
    compare::{Run, count_from},
    program::{ProgramOutput, Stderr},
    repository::TestRepo,
};

/// How many times as many cases as usual are run: `TBLAME_TEST_WIDE`, or 1.
pub fn breadth() -> usize {
    count_from("TBLAME_TEST_WIDE", 1) as usize
}

/// The most differences that are described.
const DESCRIBED: usize = 12;

/// Compares the cases of one class: goes on after a difference, counts what it compared, and fails
/// in the end.
pub struct Cases {
    class: &'static str,
    compared: usize,
    differences: Vec<String>,
}

impl Cases {
    pub fn new(class: &'static str) -> Cases {
        Cases {
            class,
            compared: 0,
            differences: Vec::new(),
        }
    }

    /// Runs both programs in the repository's root. `case` describes its state. Returns git's output if
    /// they agree.
    pub fn compare<A: AsRef<OsStr>>(
        &mut self,
        repository: &TestRepo,
        case: &str,
        arguments: &[A],
    ) -> Option<ProgramOutput> {
        self.compare_in(repository, repository.root(), &[], case, arguments)
    }

    /// As [`Cases::compare`], in a directory and with additional environment variables.
    pub fn compare_in<A: AsRef<OsStr>>(
        &mut self,
        repository: &TestRepo,
        directory: &Path,
        environment: &[(&str, &str)],
        case: &str,
        arguments: &[A],
    ) -> Option<ProgramOutput> {
        let run = Run {
            repository,
            directory,
            environment,
            arguments,
            stderr: Stderr::Whole,
        };
        self.run(case, &run)
    }

    /// Runs both programs as `run` says.
    pub fn run<A: AsRef<OsStr>>(&mut self, case: &str, run: &Run<'_, A>) -> Option<ProgramOutput> {
        self.compared += 1;
        run.compare_in_turn(self.compared)
            .map_err(|difference| self.differences.push(format!("{case}: {difference}")))
            .ok()
    }

    /// As [`Cases::compare_in`], but messages are not compared. True if git succeeded and they agree.
    pub fn compare_output<A: AsRef<OsStr>>(
        &mut self,
        repository: &TestRepo,
        directory: &Path,
        environment: &[(&str, &str)],
        case: &str,
        arguments: &[A],
    ) -> bool {
        let run = Run {
            repository,
            directory,
            environment,
            arguments,
            stderr: Stderr::Ignored,
        };
        let output = self.run(case, &run);
        output.is_some_and(|output| output.status == Some(0))
    }

    /// Fails if anything differed, or if fewer than `least` cases were compared.
    pub fn finish(self, least: usize) {
        let (class, compared) = (self.class, self.compared);
        println!(
            "{class}: {compared} cases, {} different",
            self.differences.len()
        );
        let shown = self.differences.len().min(DESCRIBED);
        assert!(
            self.differences.is_empty(),
            "{class}: {} of {compared} cases differ; the first {shown}:\n\n{}",
            self.differences.len(),
            self.differences[..shown].join("\n\n")
        );
        assert!(compared >= least, "{class}: only {compared} cases");
    }
}
