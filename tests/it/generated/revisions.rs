//! Random revision expressions over a small repository.

use super::{
    Cases, breadth,
    small_history::{Builder, NAMES, Storage},
};
use crate::harness::{
    git::git_version,
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// The git from whose version on all of the grammar is compared: earlier ones search `:/text` from
/// the wrong end, take any name for the output of git-describe, and name other objects in errors.
const COMPLETE: (u32, u32) = (2, 55);

/// The grammar's terminals for one repository.
struct Grammar {
    ids: Vec<String>,
    is_complete: bool,
}

impl Grammar {
    fn of(repository: &TestRepo) -> Grammar {
        let is_complete = git_version() >= COMPLETE;
        let listed = repository.git_text(&[
            "cat-file",
            "--batch-all-objects",
            "--batch-check=%(objectname) %(objecttype)",
        ]);
        Grammar {
            ids: listed
                .lines()
                .filter(|line| is_complete || !line.ends_with(" tag"))
                .map(|line| line.split(' ').next().expect("an id").to_owned())
                .collect(),
            is_complete,
        }
    }

    /// The arguments of one blame, without the path.
    fn arguments(&self, rng: &mut Rng) -> Vec<String> {
        let mut arguments = Vec::new();
        for _ in 0..*rng.pick(&[1, 1, 1, 1, 2, 2, 3]) {
            arguments.push(match rng.below(12) {
                0 | 1 => {
                    arguments.extend(self.option(rng));
                    continue;
                }
                2 => format!("^{}", self.revision(rng)),
                3 => {
                    let dots = *rng.pick(&["..", "..", "..."]);
                    let side = |rng: &mut Rng| {
                        if rng.chance(15) {
                            String::new()
                        } else {
                            self.revision(rng)
                        }
                    };
                    let (left, right) = (side(rng), side(rng));
                    format!("{left}{dots}{right}")
                }
                4 => format!(
                    "{}{}",
                    self.revision(rng),
                    rng.pick(&["^@", "^!", "^-", "^-2", "^-9"])
                ),
                _ => self.revision(rng),
            });
        }
        arguments
    }

    fn option(&self, rng: &mut Rng) -> Vec<String> {
        const OPTIONS: [&str; 17] = [
            "--all",
            "--branches",
            "--tags=v*",
            "--glob=heads/t*",
            "--not",
            "--no-walk",
            "--no-walk=sorted",
            "--no-walk=unsorted",
            "--do-walk",
            "--first-parent",
            "--ancestry-path",
            "--simplify-by-decoration",
            "--reverse",
            "--ignore-missing",
            "--exclude=main",
            "--reflog",
            "--bisect",
        ];
        match rng.below(8) {
            // Where it names no commit, git says more of it, and sooner.
            0 => {
                let name = *rng.pick(&["main", "main^{commit}", "@", "HEAD"]);
                vec![format!("--ancestry-path={name}")]
            }
            1 => vec!["--default".to_owned(), self.revision(rng)],
            _ => vec![(*rng.pick(&OPTIONS)).to_owned()],
        }
    }

    fn revision(&self, rng: &mut Rng) -> String {
        let mut revision = self.base(rng);
        while rng.chance(35) {
            revision.push_str(&self.suffix(rng));
        }
        if rng.chance(3) {
            revision.push_str(rng.pick::<&str>(&[":f", ":d", ":d/g", ":nosuch", ":./f", ":"]));
        }
        revision
    }

    fn base(&self, rng: &mut Rng) -> String {
        const WORDS: [&str; 14] = [
            "HEAD", "@", "@{0}", "@{1}", "@{u}", "@@{1}", "@@{u}", "@{-1}", "@{-2}", "tree",
            "blob", "nosuch", "@@", ".",
        ];
        const SEARCHES: [&str; 12] = [
            ":/topic",
            ":/^five",
            ":/c$",
            ":/!-c",
            ":/!!bang",
            ":/!x",
            ":/(one|two)",
            ":/[",
            ":/.",
            ":/nosuch",
            ":/a+",
            ":/",
        ];
        match rng.below(14) {
            0..5 => (*rng.pick(&NAMES)).to_owned(),
            5..8 => {
                let word = *rng.pick(&WORDS);
                if self.is_complete || !matches!(word, "tree" | "blob") {
                    word.to_owned()
                } else {
                    "topic".to_owned()
                }
            }
            8 if self.is_complete => (*rng.pick(&SEARCHES)).to_owned(),
            9 => rng.pick(&self.ids).clone(),
            10 => self.abbreviated(rng),
            11 if self.is_complete => {
                let name = rng.pick(&["v1-1", "v1", "a/b-12", "x..y-1", "-1", "x-", "x-01"]);
                format!("{name}-g{}", self.abbreviated(rng))
            }
            12 => format!("{}@{{{}}}", rng.pick(&NAMES), rng.below(6)),
            _ => "main".to_owned(),
        }
    }

    fn abbreviated(&self, rng: &mut Rng) -> String {
        let len = *rng.pick(&[3, 4, 5, 7, 7, 10]);
        rng.pick(&self.ids)[..len].to_owned()
    }

    fn suffix(&self, rng: &mut Rng) -> String {
        const SUFFIXES: [&str; 20] = [
            "^",
            "^",
            "^2",
            "^0",
            "~",
            "~1",
            "~2",
            "~0",
            "^3",
            "~30",
            "^{}",
            "^{commit}",
            "^{tree}",
            "^{blob}",
            "^{tag}",
            "^{object}",
            "^{nosuch}",
            "^{/topic}",
            "^{/}",
            "^{/!-c}",
        ];
        (*rng.pick(&SUFFIXES)).to_owned()
    }
}

#[test]
fn revision_expressions() {
    let mut cases = Cases::new("revision expressions");
    for seed in 0..2 * breadth() as u64 {
        let mut rng = Rng::new(seed);
        let storage = match seed % 2 {
            0 => Storage::Files,
            _ => Storage::Reftable,
        };
        let mut builder = Builder::new(storage, ObjectFormat::Sha1);
        builder.history(&mut rng);
        let grammar = Grammar::of(&builder.repository);
        for _ in 0..150 {
            let mut arguments = vec!["--porcelain".to_owned()];
            arguments.extend(grammar.arguments(&mut rng));
            arguments.extend(["--".to_owned(), "f".to_owned()]);
            cases.compare(&builder.repository, &format!("seed {seed}"), &arguments);
        }
    }
    cases.finish(300);
}
