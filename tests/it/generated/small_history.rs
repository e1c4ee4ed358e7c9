//! A small repository with merges, tags, upstreams, earlier checkouts and odd references.

use crate::harness::{
    program::ProgramOutput,
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// How a repository keeps its references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Storage {
    Files,
    Packed,
    Reftable,
}

/// Builds a repository by random commands. Time passes between them.
pub(super) struct Builder {
    pub(super) repository: TestRepo,
    storage: Storage,
    time: u32,
}

/// The branches and tags of the history, among others.
pub(super) const NAMES: [&str; 16] = [
    "main",
    "topic",
    "a/b",
    "v1",
    "v2",
    "light",
    "both",
    "sym",
    "loop",
    "dangling",
    "stack",
    "gone",
    "beef1",
    "refs/heads/main",
    "heads/topic",
    "origin/main",
];

impl Builder {
    pub(super) fn new(storage: Storage, hash: ObjectFormat) -> Builder {
        let format = match storage {
            Storage::Reftable => "reftable",
            _ => "files",
        };
        Builder {
            repository: TestRepo::with_references(hash, format),
            storage,
            time: 1_600_000_000,
        }
    }

    /// Runs git, which may refuse.
    pub(super) fn git(&mut self, arguments: &[&str]) -> ProgramOutput {
        self.time += 1000;
        let date = format!("{} +0100", self.time);
        let program = crate::harness::git::git_program();
        let mut command = self.repository.command(program);
        command
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_DATE", &date)
            .args(["-c", "advice.nestedTag=false"])
            .args(arguments);
        ProgramOutput::of(&mut command)
    }

    /// Commits a change of the file `f`.
    pub(super) fn commit(&mut self, rng: &mut Rng, subject: &str) {
        let lines = (0..12).map(|line| {
            if rng.chance(30) {
                format!("{line} {}\n", rng.below(9))
            } else {
                format!("{line}\n")
            }
        });
        let text: String = lines.collect();
        self.repository.write(b"f", text.as_bytes());
        self.repository.write(b"d/g", subject.as_bytes());
        self.git(&["add", "."]);
        self.git(&["commit", "-q", "--allow-empty", "-m", subject]);
    }

    /// A history with all the names in [`NAMES`].
    pub(super) fn history(&mut self, rng: &mut Rng) {
        self.commit(rng, "one c");
        self.commit(rng, "two: b");
        self.git(&["branch", "topic"]);
        self.git(&["tag", "light"]);
        self.git(&["tag", "-a", "-m", "first", "v1"]);
        self.commit(rng, "three");
        self.git(&["checkout", "-q", "topic"]);
        self.commit(rng, "!bang topic");
        self.git(&["tag", "-a", "-m", "nested", "v2", "v1"]);
        self.git(&["tag", "-a", "-m", "a tree", "tree", "HEAD^{tree}"]);
        self.git(&["tag", "-a", "-m", "a blob", "blob", "HEAD:f"]);
        self.git(&["checkout", "-q", "main"]);
        self.git(&["merge", "-q", "-s", "ours", "-m", "merge topic", "topic"]);
        self.commit(rng, "five c");
        self.git(&["branch", "a/b", "topic"]);
        self.git(&["branch", "--track", "stack", "main"]);
        self.git(&["branch", "gone"]);
        self.git(&["branch", "beef1", "topic"]);
        self.git(&["branch", "both", "topic"]);
        self.git(&["tag", "both", "main~1"]);
        self.git(&["branch", "v1", "main"]);
        self.git(&["update-ref", "refs/remotes/origin/main", "main~1"]);
        self.git(&["update-ref", "refs/remotes/origin/topic", "topic"]);
        self.git(&[
            "symbolic-ref",
            "refs/remotes/origin/HEAD",
            "refs/remotes/origin/main",
        ]);
        self.git(&["symbolic-ref", "refs/heads/sym", "refs/heads/topic"]);
        self.git(&["symbolic-ref", "refs/heads/dangling", "refs/heads/nowhere"]);
        self.git(&["symbolic-ref", "refs/heads/loop", "refs/heads/loop"]);
        for (key, value) in [
            ("remote.origin.url", "../elsewhere"),
            ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
            ("branch.main.remote", "origin"),
            ("branch.main.merge", "refs/heads/main"),
            ("branch.topic.remote", "origin"),
            ("branch.topic.merge", "refs/heads/topic"),
            ("branch.gone.remote", "origin"),
            ("branch.gone.merge", "refs/heads/gone"),
            ("branch.beef1.remote", "nowhere"),
            ("branch.beef1.merge", "refs/heads/main"),
            ("branch.both.remote", "origin"),
            ("branch.removed.remote", "origin"),
            ("branch.removed.merge", "refs/heads/topic"),
        ] {
            self.git(&["config", key, value]);
        }
        for branch in ["topic", "stack"] {
            self.git(&["checkout", "-q", branch]);
        }
        self.commit(rng, "stacked");
        self.git(&["checkout", "-q", "HEAD~1"]);
        self.git(&["checkout", "-q", "main"]);
        self.git(&["update-ref", "refs/stash", "HEAD~1"]);
        self.git(&["update-ref", "ORIG_HEAD", "HEAD~2"]);
        self.git(&["update-ref", "refs/heads/dead", "HEAD"]);
        self.git(&["update-ref", "-d", "refs/heads/dead"]);
    }

    /// Changes references at random, and packs them if they are to be packed.
    pub(super) fn odd_references(&mut self, rng: &mut Rng) {
        let targets = ["main", "topic", "v2", "HEAD~1", "main~2", "light"];
        for _ in 0..rng.between(4, 12) {
            let name = *rng.pick(&["x", "y/z", "main", "origin", "v2", "cafe", "12345", "sym"]);
            let target = *rng.pick(&targets);
            let kind = *rng.pick(&["heads", "tags", "remotes", "bisect", "other"]);
            let full = format!("refs/{kind}/{name}");
            match rng.below(7) {
                0 => self.git(&["symbolic-ref", &full, &format!("refs/heads/{target}")]),
                1 => self.git(&["update-ref", "-d", &full]),
                2 => self.git(&["update-ref", "--create-reflog", &full, target]),
                3 => self.git(&["reflog", "expire", "--expire=all", &full]),
                4 => self.git(&["reflog", "delete", &format!("main@{{{}}}", rng.below(4))]),
                _ => self.git(&["update-ref", &full, target]),
            };
        }
        if rng.chance(30) {
            self.git(&["checkout", "-q", "--detach"]);
        }
        if self.storage == Storage::Packed {
            self.git(&["pack-refs", "--all"]);
        }
        if self.storage == Storage::Files {
            let id = self.repository.git_text(&["rev-parse", "HEAD"]);
            let broken = [
                String::new(),
                "garbage\n".into(),
                format!("{}\n", "0".repeat(id.len())),
                format!("{id} more\n"),
                "ref:   refs/heads/topic  \n".to_owned(),
                "ref: refs/heads/a..b\n".into(),
                id[1..].to_owned(),
                id,
            ];
            let text = rng.pick(&broken);
            self.repository
                .write(b".git/refs/heads/broken", text.as_bytes());
        }
        if rng.chance(40) {
            let id = self.repository.git_text(&["rev-parse", "refs/heads/topic"]);
            self.repository
                .write(b".git/MERGE_HEAD", format!("{id}\n").as_bytes());
        }
    }
}
