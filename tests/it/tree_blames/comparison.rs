//! Compares the blames of all files of a directory, line by line, with those of each file alone and with those of git.

use std::{
    collections::BTreeMap, ffi::OsStr, ops::ControlFlow, os::unix::ffi::OsStrExt, sync::Arc,
};

use bstr::ByteSlice;
use gix_hash::ObjectId;
use tblame::internals::{
    engine::{
        Discard, Engine, Entry, Error, Origin, PlanProgress, PlanSink, PlannedBlame, TreePlan,
        Unplanned,
    },
    objects::Store,
};

use super::{cases::Case, histories::TreeHistory};
use crate::harness::repository::TestRepo;

/// What a line is blamed on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    commit: String,
    path: Vec<u8>,
    /// 1-based.
    source: u32,
    previous: Option<(String, Vec<u8>)>,
    is_boundary: bool,
    is_ignored: bool,
    is_unblamable: bool,
}

/// What was compared.
#[derive(Debug, Default)]
pub struct Compared {
    pub plans: usize,
    /// Plans in which every file is blamed alone, by the reason.
    pub unplanned: BTreeMap<String, usize>,
    /// Directories that a commit does not have, or that cannot be listed.
    pub unlisted: usize,
    pub files: usize,
    pub lines: usize,
    pub errors: usize,
    pub with_git: usize,
    pub last_commits: usize,
    /// Those of plans in which every file is blamed alone.
    pub last_commits_with_movement: usize,
    pub last_commits_of_git: usize,
    /// By kind of option: files that were blamed from a plan, and alone.
    pub planned: BTreeMap<&'static str, [usize; 2]>,
    differences: Vec<String>,
}

/// Keeps the last commits that it is told.
#[derive(Default)]
struct LastCommits(BTreeMap<usize, ObjectId>);

impl PlanSink for LastCommits {
    fn progress(&mut self, _: PlanProgress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn last_commit(&mut self, file: usize, commit: ObjectId) {
        assert!(self.0.insert(file, commit).is_none(), "it is told once");
    }
}

/// Two engines: one for plans, and one for single files.
pub struct Engines {
    planned: Engine,
    alone: Engine,
}

impl Engines {
    /// Half of the plans use what their second thread finds, others may.
    pub fn new(store: &Arc<Store>, seed: u64) -> Engines {
        let threads = 1 + usize::from(seed % 4 != 1);
        let mut planned = Engine::new(Arc::clone(store), threads);
        if seed.is_multiple_of(2) {
            planned.prefetch_before_walk();
        }
        Engines {
            planned,
            alone: Engine::new(Arc::clone(store), 1),
        }
    }

    /// Plans a case; `None` if the directory cannot be listed.
    fn plan(&mut self, case: &Case) -> Result<TreePlan, Error> {
        let mut sink = LastCommits::default();
        let plan = self.planned.plan_tree(&case.request, &mut sink)?;
        let plan = plan.expect("the sink does not stop it");
        let files = plan.files().iter().enumerate();
        let known: BTreeMap<usize, ObjectId> = files
            .filter_map(|(at, file)| Some((at, file.last_commit?)))
            .collect();
        assert_eq!(known, sink.0);
        Ok(plan)
    }
}

impl Compared {
    /// Compares all files of a case; every `git_every`th of them with git too.
    pub fn compare(
        &mut self,
        context: &str,
        history: &TreeHistory,
        engines: &mut Engines,
        case: &Case,
        is_plain: bool,
        git_every: usize,
    ) {
        let context = format!("{context}: {:?} in {:?}", case.words, case.request.path);
        let plan = match engines.plan(case) {
            Ok(plan) => plan,
            Err(_) => {
                self.unlisted += 1;
                return;
            }
        };
        self.plans += 1;
        if is_plain {
            let listed = plan.files().iter().map(|file| file.path.as_slice());
            let expected = history.files_below(case.start, &case.request.path);
            assert!(listed.eq(expected), "{context}");
        }
        if let Some(why) = plan.unplanned() {
            let why = format!("{why:?}");
            let why = why.split(['(', ' ']).next().unwrap_or_default();
            *self.unplanned.entry(why.to_owned()).or_default() += 1;
        }
        for at in 0..plan.files().len() {
            let file = &plan.files()[at];
            let context = format!("{context}: {}", file.path);
            let found = if file.is_submodule {
                Err("no such path".to_owned())
            } else {
                let blame = engines.planned.blame_planned(&plan, at);
                blame.map_err(|error| error.to_string())
            };
            let mut request = case.request.clone();
            request.path = file.path.clone();
            let alone = engines.alone.blame(&request, &mut Discard);
            let is_alone = found.as_ref().ok().map(|blame| blame.is_alone);
            let found = found.map(|blame| lines_of_planned(&blame));
            let expected = alone.map(|blame| {
                lines(&blame.entries, &blame.origins, |id| {
                    blame.boundaries.contains(id)
                })
            });
            let expected = expected.map_err(|error| error.to_string());
            match (&found, &expected) {
                (Ok(found), Ok(expected)) if found == expected => {}
                (Err(_), Err(expected)) if file.is_submodule && expected.starts_with("no such") => {
                    continue;
                }
                (Err(found), Err(expected)) if found == expected => self.errors += 1,
                _ => self.differ(&context, &found, &expected, "the blame of the file alone"),
            }
            self.files += 1;
            for kind in case.kinds.iter().chain([&"all"]) {
                let [planned, alone] = self.planned.entry(kind).or_default();
                *planned += usize::from(is_alone == Some(false));
                *alone += usize::from(is_alone == Some(true));
            }
            self.lines += found.as_ref().map_or(0, Vec::len);
            let is_chosen = self.files.is_multiple_of(git_every);
            if case.has_git && is_chosen {
                self.compare_with_git(&context, &history.repository, case, &file.path, found);
            }
            self.compare_last_commit(&context, history, case, &plan, at, (is_plain, is_chosen));
        }
    }

    fn compare_with_git(
        &mut self,
        context: &str,
        repository: &TestRepo,
        case: &Case,
        path: &[u8],
        found: Result<Vec<Line>, String>,
    ) {
        let mut arguments: Vec<&OsStr> = ["blame", "--line-porcelain"].map(OsStr::new).into();
        arguments.extend(case.words.iter().map(OsStr::new));
        arguments.extend([OsStr::new("--"), OsStr::from_bytes(path)]);
        let output = repository.git_output(&arguments, b"");
        self.with_git += 1;
        let expected = if output.status.success() {
            Ok(lines_of_git(&output.stdout))
        } else {
            Err(output.stderr.to_str_lossy().into_owned())
        };
        let found = found.map(|lines| {
            let unmarked = |line| Line {
                is_ignored: false,
                is_unblamable: false,
                ..line
            };
            lines.into_iter().map(unmarked).collect::<Vec<_>>()
        });
        match (&found, &expected) {
            (Ok(found), Ok(expected)) if found == expected => {}
            (Err(_), Err(_)) => {}
            _ => self.differ(context, &found, &expected, "git"),
        }
    }

    fn compare_last_commit(
        &mut self,
        context: &str,
        history: &TreeHistory,
        case: &Case,
        plan: &TreePlan,
        at: usize,
        (is_plain, is_chosen): (bool, bool),
    ) {
        let file = &plan.files()[at];
        let Some(found) = file.last_commit else {
            let is_planned = matches!(plan.unplanned(), None | Some(Unplanned::Movement));
            if is_plain && is_planned && !case.is_limited {
                self.differences.push(format!("{context}: no last commit"));
            }
            return;
        };
        let first_parent = case.request.first_parent;
        if is_plain {
            self.last_commits += 1;
            self.last_commits_with_movement += usize::from(plan.unplanned().is_some());
            let expected = history.last_commit(case.start, &file.path, first_parent);
            if found != expected {
                self.differences
                    .push(format!("{context}: last commit {found}, not {expected}"));
            }
        }
        if case.has_git && is_chosen && !case.is_limited {
            self.last_commits_of_git += 1;
            let start = history.ids[case.start].to_string();
            let mut words = vec!["--literal-pathspecs", "log", "-1", "--format=%H"];
            words.extend(first_parent.then_some("--first-parent"));
            words.extend([start.as_str(), "--"]);
            let path = OsStr::from_bytes(&file.path);
            let words: Vec<&OsStr> = words.into_iter().map(OsStr::new).chain([path]).collect();
            let expected = history.repository.git_text(&words);
            if found != ObjectId::from_hex(expected.as_bytes()).expect("it is an id") {
                self.differences
                    .push(format!("{context}: last commit {found}, git's {expected}"));
            }
        }
    }

    fn differ(
        &mut self,
        context: &str,
        found: &Result<Vec<Line>, String>,
        expected: &Result<Vec<Line>, String>,
        oracle: &str,
    ) {
        let what = match (found, expected) {
            (Ok(found), Ok(expected)) => {
                let mut pairs = found.iter().zip(expected).enumerate();
                match pairs.find(|(_, (found, expected))| found != expected) {
                    Some((at, (found, expected))) => {
                        format!("line {}: {found:?}\n  is {expected:?}", at + 1)
                    }
                    None => format!("{} lines, not {}", found.len(), expected.len()),
                }
            }
            (found, expected) => {
                let text = |it: &Result<Vec<Line>, String>| match it {
                    Ok(lines) => format!("{} lines", lines.len()),
                    Err(error) => error.clone(),
                };
                format!("{}, not {}", text(found), text(expected))
            }
        };
        self.differences
            .push(format!("{context}: differs from {oracle}: {what}"));
    }

    /// Adds what another thread has compared.
    pub fn add(&mut self, other: Compared) {
        self.plans += other.plans;
        self.unlisted += other.unlisted;
        self.files += other.files;
        self.lines += other.lines;
        self.errors += other.errors;
        self.with_git += other.with_git;
        self.last_commits += other.last_commits;
        self.last_commits_with_movement += other.last_commits_with_movement;
        self.last_commits_of_git += other.last_commits_of_git;
        for (why, count) in other.unplanned {
            *self.unplanned.entry(why).or_default() += count;
        }
        for (kind, [planned, alone]) in other.planned {
            let counts = self.planned.entry(kind).or_default();
            counts[0] += planned;
            counts[1] += alone;
        }
        self.differences.extend(other.differences);
    }

    pub fn has_differences(&self) -> bool {
        !self.differences.is_empty()
    }

    /// Fails if anything differed.
    pub fn finish(&self) {
        let count = self.differences.len();
        let shown = &self.differences[..count.min(12)];
        eprintln!(
            "{} plans ({:?} unplanned), {} unlisted; {} files, {} lines, {} errors; {} with git; \
             {} last commits, {} with git",
            self.plans,
            self.unplanned,
            self.unlisted,
            self.files,
            self.lines,
            self.errors,
            self.with_git,
            self.last_commits,
            self.last_commits_of_git
        );
        eprintln!("planned and alone: {:?}", self.planned);
        assert!(
            self.differences.is_empty(),
            "{count} differences; the first {}:\n\n{}",
            shown.len(),
            shown.join("\n\n")
        );
    }
}

fn lines_of_planned(blame: &PlannedBlame) -> Vec<Line> {
    let lines = lines(&blame.entries, &blame.origins, |id| {
        blame.boundaries.contains(id)
    });
    assert_eq!(lines.len(), blame.line_count as usize);
    lines
}

fn lines(
    entries: &[Entry],
    origins: &[Origin],
    is_boundary: impl Fn(&ObjectId) -> bool,
) -> Vec<Line> {
    let mut lines = Vec::new();
    for entry in entries {
        assert_eq!(
            entry.lines.start as usize,
            lines.len(),
            "entries are by line"
        );
        let origin = &origins[entry.origin.0 as usize];
        let previous = origin.previous.map(|previous| {
            let previous = &origins[previous.0 as usize];
            (previous.commit.to_string(), previous.path.to_vec())
        });
        lines.extend(
            entry
                .lines
                .clone()
                .zip(entry.source_start..)
                .map(|(_, source)| Line {
                    commit: origin.commit.to_string(),
                    path: origin.path.to_vec(),
                    source: source + 1,
                    previous: previous.clone(),
                    is_boundary: is_boundary(&origin.commit),
                    is_ignored: entry.ignored,
                    is_unblamable: entry.unblamable,
                }),
        );
    }
    lines
}

/// The lines of `git blame --line-porcelain`. The paths need no quotes.
fn lines_of_git(output: &[u8]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut line: Option<Line> = None;
    for text in output.split_str("\n") {
        let Some(current) = &mut line else {
            let mut words = text.split_str(" ");
            let commit = words.next().unwrap_or_default().to_str_lossy().into_owned();
            let source = words.next().and_then(|it| it.to_str().ok()?.parse().ok());
            line = source.map(|source| Line {
                commit,
                path: Vec::new(),
                source,
                previous: None,
                is_boundary: false,
                is_ignored: false,
                is_unblamable: false,
            });
            continue;
        };
        if text.starts_with(b"\t") {
            lines.extend(line.take());
        } else if let Some(path) = text.strip_prefix(b"filename ") {
            current.path = path.to_vec();
        } else if text == b"boundary" {
            current.is_boundary = true;
        } else if let Some(previous) = text.strip_prefix(b"previous ") {
            let (id, path) = previous.split_once_str(" ").expect("an id and a path");
            current.previous = Some((id.to_str_lossy().into_owned(), path.to_vec()));
        }
    }
    lines
}
