//! Random options of blames: for git, and the same for the engine.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use gix_hash::ObjectId;
use tblame::internals::{
    diff::{Algorithm, OlderDiff},
    engine::{ConversionError, MoveDetection, Request, Start, TextAttributes, TextConversion},
};

use super::histories::{START, TreeHistory};
use crate::harness::{git::git_version, rng::Rng};

/// What the repository adds to the options.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    pub grafts: Arc<HashMap<ObjectId, Vec<ObjectId>>>,
    pub converts: bool,
    pub has_attributes: bool,
    /// git is not asked: it would not end, or answers for another history.
    pub is_unknown_to_git: bool,
    /// Commits, trees and parents are as they were generated.
    pub is_plain: bool,
}

/// The attributes and the conversion of [`Surroundings`] for git.
pub const ATTRIBUTES: &[u8] = b"*.t diff\nx/* -diff\n";
pub const CONVERTED: &[u8] = b"*.t diff=d\nd/** diff=d\n";
pub const CONVERSION: &str = "echo head && tr a-z A-Z <";

/// The same as [`CONVERTED`] and [`CONVERSION`].
#[derive(Debug)]
struct UpperCase;

impl TextConversion for UpperCase {
    fn convert(
        &self,
        path: &[u8],
        mode: u32,
        _: &ObjectId,
        blob: &[u8],
    ) -> Result<Option<Arc<[u8]>>, ConversionError> {
        let is_file = mode & 0o170000 == 0o100000;
        let text = || [b"head\n", &blob.to_ascii_uppercase()[..]].concat().into();
        Ok((is_file && self.converts(path)).then(text))
    }

    fn converts(&self, path: &[u8]) -> bool {
        path.ends_with(b".t") || path.starts_with(b"d/")
    }
}

/// The same as [`ATTRIBUTES`].
#[derive(Debug)]
struct ByName;

impl TextAttributes for ByName {
    fn is_text(&self, path: &[u8]) -> Option<bool> {
        if path.starts_with(b"x/") {
            return Some(false);
        }
        path.ends_with(b".t").then_some(true)
    }
}

/// The kinds of options.
pub const KINDS: [&str; 12] = [
    "-w",
    "--first-parent",
    "--since",
    "range",
    "--exclude-first-parent-only",
    "--no-follow",
    "--root",
    "algorithm",
    "--ignore-rev",
    "boundaries",
    "-M",
    "-C",
];

/// A blame of all files of a directory.
#[derive(Debug)]
pub struct Case {
    /// For the engine; the path is the directory.
    pub request: Request,
    /// For git, without the path.
    pub words: Vec<String>,
    /// The number of the commit.
    pub start: usize,
    pub kinds: Vec<&'static str>,
    pub has_git: bool,
    /// The history ends before its roots.
    pub is_limited: bool,
}

impl Case {
    pub fn draw(rng: &mut Rng, history: &TreeHistory, around: &Surroundings) -> Case {
        let last = history.ids.len() - 1;
        let start = if rng.chance(60) {
            last
        } else {
            rng.below(last + 1)
        };
        let mut paths = history.commits[start]
            .tree
            .keys()
            .filter(|path| path.contains(&b'/'));
        let directory: &[u8] = match paths.nth(rng.below(9)) {
            // Some are the directories of directories.
            Some(path) if rng.chance(40) => {
                let ends = || path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
                let (end, _) = ends()
                    .nth(rng.below(ends().count()))
                    .expect("it has a slash");
                &path[..end]
            }
            _ => b"",
        };
        let mut request = Request::new(Start::Commit(history.ids[start]), directory.into());
        request.grafts = Arc::clone(&around.grafts);
        request.text_conversion = around.converts.then(|| Arc::new(UpperCase) as Arc<_>);
        request.text_attributes = around.has_attributes.then(|| Arc::new(ByName) as Arc<_>);
        let mut case = Case {
            request,
            words: Vec::new(),
            start,
            kinds: Vec::new(),
            has_git: !around.is_unknown_to_git,
            is_limited: false,
        };
        let mut revisions = vec![history.ids[start].to_string()];
        for _ in 0..*rng.pick(&[0, 1, 1, 2, 2, 3]) {
            let kind = *rng.pick(&KINDS);
            // What is not planned needs few cases.
            let is_rare = matches!(kind, "-M" | "-C");
            if !case.kinds.contains(&kind) && (!is_rare || rng.chance(25)) {
                case.add(kind, rng, history, &mut revisions);
                case.kinds.push(kind);
            }
        }
        case.words.extend(revisions);
        case
    }

    fn add(
        &mut self,
        kind: &'static str,
        rng: &mut Rng,
        history: &TreeHistory,
        revisions: &mut Vec<String>,
    ) {
        let request = &mut self.request;
        let commit = |rng: &mut Rng| *rng.pick(&history.ids);
        let mut words: Vec<String> = Vec::new();
        match kind {
            "-w" => request.diff.ignore_whitespace = true,
            "--first-parent" => request.first_parent = true,
            "--no-follow" => request.follow = false,
            "--root" => request.show_root = true,
            "--since" => {
                let since = START + rng.below(8_000) as i64;
                request.since = Some(since);
                words.push(format!("--since=@{since}"));
                self.is_limited = true;
            }
            "range" | "--exclude-first-parent-only" => {
                request.exclude_first_parent_only |= kind != "range";
                for _ in 0..rng.between(1, 2) {
                    let negative = commit(rng);
                    if negative != history.ids[self.start] {
                        request.negatives.push(negative);
                        revisions.push(format!("^{negative}"));
                    }
                }
                self.is_limited = true;
            }
            "algorithm" => {
                let (name, algorithm) = *rng.pick(&[
                    ("minimal", Algorithm::Minimal),
                    ("patience", Algorithm::Patience),
                    ("histogram", Algorithm::Histogram),
                ]);
                request.diff.algorithm = algorithm;
                request.diff.older = OlderDiff {
                    minimal: name == "minimal" && git_version() < (2, 50),
                    histogram: name == "histogram" && git_version() < (2, 54),
                };
                words.push(format!("--diff-algorithm={name}"));
                // Before, git does not have the option for all of them.
                self.has_git &= git_version() >= (2, 53) || name == "minimal";
                if name == "minimal" {
                    words = vec!["--minimal".to_owned()];
                }
            }
            "--ignore-rev" => {
                let count = *rng.pick(&[1, 4, 10]);
                let ignored: HashSet<ObjectId> = (0..count).map(|_| commit(rng)).collect();
                words.extend(ignored.iter().map(|id| format!("--ignore-rev={id}")));
                request.ignored = Arc::new(ignored);
            }
            // What `--ancestry-path` asks for.
            "boundaries" => {
                for _ in 0..rng.between(1, 4) {
                    request.boundaries.push(commit(rng));
                }
                self.has_git = false;
                self.is_limited = true;
            }
            "-M" => request.movement.moves = Some(MoveDetection::MOVES),
            _ => {
                request.movement = MoveDetection {
                    moves: Some(MoveDetection::MOVES),
                    copies: Some(MoveDetection::COPIES),
                    copy_level: 1,
                };
            }
        }
        if words.is_empty() && !matches!(kind, "range" | "boundaries") {
            words.push(kind.to_owned());
        }
        self.words.extend(words);
    }
}
