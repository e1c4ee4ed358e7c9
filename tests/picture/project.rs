//! A picture of a directory: the root of a project with a history of many years.

use std::time::Duration;

use crate::harness::{
    fast_import::{Commit, FastImport, File, Ident, Tree, insert_file},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
    session::{Session, TIMEOUT, tblame_command},
};

const COMMITS: u64 = 900;

/// Seconds since the epoch: in 2009, and 17 years. The pictures are taken a week later.
const START: u64 = 1_240_000_000;
const SPAN: u64 = 540_000_000;
const NOW: u64 = START + SPAN + 7 * 86_400;

const PEOPLE: [(&str, &str); 6] = [
    ("Ada Marsh", "ada@example.com"),
    ("Ben Okafor", "ben@example.com"),
    ("Chiara Conti", "chiara@example.com"),
    ("Dmitri Volkov", "dmitri@example.com"),
    ("Ewa Nowak", "ewa@example.com"),
    ("Farid Haddad", "farid@example.com"),
];

/// A part of the project.
struct Part {
    /// Its files.
    files: &'static [&'static str],
    /// Percentages of the history: from when on, and until when it was worked on.
    time: (u64, u64),
    /// The numbers of those who work on it; the first does most of it.
    people: [usize; 3],
    /// What is done there.
    work: &'static [&'static str],
}

const PARTS: &[Part] = &[
    Part {
        files: &[
            "src/ledger/entries.py",
            "src/ledger/accounts.py",
            "src/ledger/closing.py",
        ],
        time: (0, 100),
        people: [0, 1, 4],
        work: &[
            "Round half cents to even",
            "Check that entries balance",
            "Close a year only once",
        ],
    },
    Part {
        files: &["src/__init__.py", "src/main.py", "src/settings.py"],
        time: (4, 100),
        people: [1, 0, 5],
        work: &[
            "Read settings from the environment",
            "Say which account is missing",
        ],
    },
    Part {
        files: &[
            "reports/balance.py",
            "reports/taxes.py",
            "reports/layout.py",
        ],
        time: (10, 97),
        people: [2, 0, 3],
        work: &[
            "Add up the taxes of each quarter",
            "Leave out empty accounts",
            "Align amounts",
        ],
    },
    Part {
        files: &["import/csv.py", "import/mt940.py", "import/camt.py"],
        time: (22, 99),
        people: [4, 2, 5],
        work: &[
            "Accept dates without a century",
            "Read statements of several days",
        ],
    },
    Part {
        files: &[
            "web/index.html",
            "web/ledger.js",
            "web/style.css",
            "web/charts.js",
        ],
        time: (48, 100),
        people: [5, 4, 2],
        work: &[
            "Draw the chart of a year",
            "Keep the filter in the address",
            "Load rows as needed",
        ],
    },
    Part {
        files: &[
            "tests/test_ledger.py",
            "tests/test_import.py",
            "tests/test_reports.py",
        ],
        time: (3, 100),
        people: [0, 4, 5],
        work: &[
            "Test the last day of a year",
            "Test statements with two currencies",
        ],
    },
    Part {
        files: &["docs/guide.md", "docs/import.md", "docs/taxes.md"],
        time: (8, 92),
        people: [3, 2, 0],
        work: &["Explain opening balances", "Name the formats of statements"],
    },
    Part {
        files: &["tools/convert-2010.py", "tools/check.sh"],
        time: (6, 30),
        people: [3, 0, 1],
        work: &["Convert the files of version 1", "Check before a commit"],
    },
    Part {
        files: &["README.md"],
        time: (0, 85),
        people: [0, 2, 3],
        work: &["Say how to begin"],
    },
    Part {
        files: &["setup.py"],
        time: (0, 64),
        people: [1, 0, 1],
        work: &["Raise the version", "Name the packages that are needed"],
    },
    Part {
        files: &["poetry.lock"],
        time: (64, 99),
        people: [5, 4, 5],
        work: &["Update dependencies"],
    },
    Part {
        files: &["LICENSE"],
        time: (0, 1),
        people: [0, 0, 0],
        work: &["Add the license"],
    },
];

/// A repository with the project.
pub fn repository() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let mut rng = Rng::new(2);
    let (mut import, mut tree) = (FastImport::default(), Tree::new());
    for number in 0..COMMITS {
        let at = number * 100 / COMMITS;
        let active = PARTS
            .iter()
            .filter(|part| (part.time.0..part.time.1).contains(&at));
        let part = *rng.pick(&active.collect::<Vec<_>>());
        let person = part.people[[0, 0, 0, 1, 1, 2][rng.below(6)]];
        let path = rng.pick(part.files).as_bytes();
        let before = tree.get(path).map_or(&[][..], |file| &file.bytes);
        let most = 4 * part.files.len() * part.files.len();
        let text = changed(before, number, most, &mut rng);
        insert_file(&mut tree, path, File::text(text));
        let mut message = rng.pick(part.work).to_string();
        if at > 92 && rng.chance(40) {
            message.push_str("\n\nAssisted-by: Claude Code");
        }
        let (name, mail) = PEOPLE[person];
        let ident = Ident {
            name: name.into(),
            mail: mail.into(),
            time: START + SPAN * number / (COMMITS - 1),
            zone: "+0000",
        };
        import.commit(Commit {
            parents: number
                .checked_sub(1)
                .map(|it| it as usize)
                .into_iter()
                .collect(),
            tree: tree.clone(),
            author: ident.clone(),
            committer: ident,
            encoding: None,
            message: message.into(),
        });
    }
    import.write(&repository);
    repository.git(&["reset", "-q", "--hard"]);
    repository
}

/// A text in which a commit replaced some lines and added others, at most so many.
fn changed(before: &[u8], number: u64, most: usize, rng: &mut Rng) -> String {
    let before = std::str::from_utf8(before).expect("it is made here");
    let mut lines: Vec<String> = before.lines().map(str::to_owned).collect();
    for _ in 0..rng.below(lines.len() / 12 + 1) {
        let at = rng.below(lines.len());
        lines[at] = format!("changed by {number} at {at}");
    }
    let at = rng.below(lines.len() + 1);
    let added = (0..rng.between(1, most)).map(|nth| format!("line {nth} of {number}"));
    lines.splice(at..at, added);
    lines.join("\n") + "\n"
}

/// Opens the project in the viewer, and returns when all of it is counted.
pub fn opened(repository: &TestRepo, theme: &str, size: (u16, u16)) -> Session {
    let mut command = tblame_command();
    command.args(["--theme", theme, "."]);
    command.cwd(repository.root());
    command.env("GIT_TEST_DATE_NOW", NOW.to_string());
    let mut session = Session::run(command, size);
    session.wait_until_stable(Duration::from_millis(700), TIMEOUT);
    session
}
