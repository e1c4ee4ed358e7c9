//! Options that limit or simplify the history before it is blamed, on random histories with merges,
//! skewed dates, and references at some commits.

use super::{Cases, breadth};
use crate::harness::{
    fast_import::{Commit, FastImport, File, Ident, Tree},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// A random history of one file, to which each commit adds lines.
pub(super) struct History {
    pub(super) repository: TestRepo,
    pub(super) ids: Vec<String>,
    first_parents: Vec<Option<usize>>,
}

const START: u64 = 1_600_000_000;

pub(super) fn history(rng: &mut Rng, count: usize) -> History {
    let mut import = FastImport::default();
    let mut versions: Vec<Vec<String>> = Vec::new();
    let mut first_parents = Vec::new();
    let mut time = START;
    for number in 0..count {
        let parents = parents(rng, number);
        first_parents.push(parents.first().copied());
        let mut lines = match parents.first() {
            Some(&first) => versions[first].clone(),
            None => Vec::new(),
        };
        for &other in parents.iter().skip(1) {
            for line in &versions[other] {
                if !lines.contains(line) && rng.chance(70) {
                    lines.push(line.clone());
                }
            }
        }
        if rng.chance(75) || lines.is_empty() {
            lines.insert(rng.below(lines.len() + 1), format!("line {number}\n"));
        }
        if rng.chance(10) && lines.len() > 1 {
            lines.remove(rng.below(lines.len()));
        }
        time += 10;
        // Dates that repeat and go backwards.
        time -= *rng.pick(&[0, 0, 0, 10, 15]);
        let ident = Ident {
            name: b"A".to_vec(),
            mail: b"a@example.com".to_vec(),
            time,
            zone: "+0000",
        };
        let file = File::text(lines.concat());
        import.commit(Commit {
            parents,
            tree: Tree::from([(b"f".to_vec(), file)]),
            author: ident.clone(),
            committer: ident,
            encoding: None,
            message: format!("commit {number}").into_bytes(),
        });
        versions.push(lines);
    }
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let (ids, _) = import.write(&repository);
    let mut references = String::new();
    for (number, id) in ids.iter().enumerate() {
        if rng.chance(25) {
            references += &format!("create refs/tags/t{number} {id}\n");
        }
    }
    repository.git_with_input(&["update-ref", "--stdin"], references.as_bytes());
    repository.git(&["reset", "-q", "--hard", "main"]);
    History {
        repository,
        ids,
        first_parents,
    }
}

/// Of commit `number`: commits before it, mostly the last ones.
fn parents(rng: &mut Rng, number: usize) -> Vec<usize> {
    let count = match rng.below(100) {
        _ if number == 0 => 0,
        0..4 => 0,
        4..7 => 3,
        7..40 => 2,
        _ => 1,
    };
    let mut parents = Vec::new();
    for nth in 0..count {
        let parent = match nth {
            0 => number - 1 - rng.below(number.min(3)),
            _ => rng.below(number),
        };
        if !parents.contains(&parent) {
            parents.push(parent);
        }
    }
    parents
}

impl History {
    fn id(&self, rng: &mut Rng) -> &str {
        rng.pick::<String>(&self.ids)
    }

    /// A reverse blame along first parents, with a limit of age.
    fn chain(&self, rng: &mut Rng) -> Vec<String> {
        let end = rng.below(self.ids.len());
        let mut start = end;
        for _ in 0..rng.between(1, 5) {
            start = self.first_parents[start].unwrap_or(start);
        }
        let limit = if rng.chance(50) {
            format!("--max-age={}", START + rng.below(300) as u64)
        } else {
            format!("--since={}", START + rng.below(300) as u64)
        };
        let range = format!("{}..{}", self.ids[start], self.ids[end]);
        let fixed = ["--reverse", "--first-parent", "--porcelain"];
        let mut arguments: Vec<String> = fixed.map(str::to_owned).into();
        arguments.extend([limit, range, "--".to_owned(), "f".to_owned()]);
        arguments
    }

    fn arguments(&self, rng: &mut Rng) -> Vec<String> {
        let mut arguments = vec!["--porcelain".to_owned()];
        if rng.chance(60) {
            arguments.push("--simplify-by-decoration".to_owned());
        }
        for _ in 0..*rng.pick(&[0, 1, 1, 2]) {
            arguments.push(if rng.chance(40) {
                "--ancestry-path".to_owned()
            } else {
                format!("--ancestry-path={}", self.id(rng))
            });
        }
        for (option, percent) in [
            ("--first-parent", 25),
            ("--exclude-first-parent-only", 10),
            ("--reverse", 10),
            ("--no-walk", 3),
        ] {
            if rng.chance(percent) {
                arguments.push(option.to_owned());
            }
        }
        if rng.chance(15) {
            arguments.push(format!("--since={}", START + rng.below(200) as u64));
        }
        match rng.below(10) {
            // A blame of the work tree.
            0 => {}
            1..6 => arguments.push("main".to_owned()),
            _ => arguments.push(self.id(rng).to_owned()),
        }
        for _ in 0..*rng.pick(&[0, 1, 1, 1, 2]) {
            arguments.push(format!("^{}", self.id(rng)));
        }
        let file = if rng.chance(3) { "nosuch" } else { "f" };
        arguments.extend(["--".to_owned(), file.to_owned()]);
        arguments
    }
}

#[test]
fn limited_and_simplified_histories() {
    let mut cases = Cases::new("limited and simplified histories");
    for seed in 0..12 * breadth() as u64 {
        let mut rng = Rng::new(seed);
        let count = *rng.pick(&[4, 6, 9, 14, 25]);
        let history = history(&mut rng, count);
        for _ in 0..20 {
            let arguments = if rng.chance(20) {
                history.chain(&mut rng)
            } else {
                history.arguments(&mut rng)
            };
            let case = format!("seed {seed}");
            cases.compare(&history.repository, &case, &arguments);
        }
    }
    cases.finish(240);
}
