//! A picture of a file with a long history while its blame is under way.

use std::fmt::Write;

use crate::harness::{
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
    session::{Session, TIMEOUT, tblame_command},
};

const FUNCTIONS: usize = 1_000;
const COMMITS: u64 = 4_000;

/// Seconds since the epoch: early in 2009, and 17 years.
const START: u64 = 1_232_000_000;
const SPAN: u64 = 536_000_000;

const AUTHORS: [&str; 4] = [
    "Ada Marsh <ada@example.com>",
    "Ben Okafor <ben@example.com>",
    "Chiara Conti <chiara@example.com>",
    "Ewa Nowak <ewa@example.com>",
];

/// A repository with the file `rates.py`: most commits add to it and change a few places.
pub fn repository() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let mut rng = Rng::new(1);
    let mut rates = vec![(0, 1); FUNCTIONS];
    let mut stream = String::new();
    for number in 0..COMMITS {
        let mut last = 0;
        for _ in 0..rng.between(1, 5) {
            last = rng.below(FUNCTIONS);
            let (base, rate) = &mut rates[last];
            if rng.chance(30) {
                *base += 1
            } else {
                *rate += 1
            }
        }
        let author = rng.pick(&AUTHORS);
        let time = START + SPAN * number / COMMITS;
        let message = match number {
            0 => "Add the rates\n".to_owned(),
            _ => format!("Change the rate of kind {last}\n"),
        };
        write!(
            stream,
            "commit refs/heads/main\nauthor {author} {time} +0000\ncommitter {author} {time} +0000\n\
             data {}\n{message}",
            message.len()
        )
        .expect("a string takes everything");
        let text = text(&rates, number);
        write!(
            stream,
            "M 100644 inline rates.py\ndata {}\n{text}\n",
            text.len()
        )
        .expect("a string takes everything");
    }
    repository.git_with_input(&["fast-import", "--quiet"], stream.as_bytes());
    repository.git(&["symbolic-ref", "HEAD", "refs/heads/main"]);
    repository.git(&["reset", "-q", "--hard"]);
    repository
}

/// The file after `number` commits: functions are added in an order that is not theirs.
fn text(rates: &[(u64, u64)], number: u64) -> String {
    let mut text = String::from("\"\"\"The rates of all kinds of accounts.\"\"\"\n\n");
    for (kind, (base, rate)) in rates.iter().enumerate() {
        let added = (kind * 617 % FUNCTIONS) as u64 * COMMITS / FUNCTIONS as u64;
        if added > number {
            continue;
        }
        write!(
            text,
            "def rate_of_{kind}(account):\n    base = account.balance - {base}\n    if base <= 0:\n        \
             return 0\n    return base * {rate} / 100\n\n\n"
        )
        .expect("a string takes everything");
    }
    text
}

/// Opens the file in the viewer, and returns when about half of it is attributed and the code has
/// its colors.
pub fn half_blamed(repository: &TestRepo, theme: &str, size: (u16, u16)) -> Session {
    let mut command = tblame_command();
    command.args([
        "--threads=1",
        "--no-cache",
        "--theme",
        theme,
        "rates.py:3500",
    ]);
    command.cwd(repository.root());
    let mut session = Session::run(command, size);
    let seen = session.wait_until(TIMEOUT, |screen| {
        let share = percentage(&screen.contents());
        share.is_some_and(|share| (45..80).contains(&share)) && is_highlighted(screen)
    });
    assert!(seen.is_some(), "the blame is over too soon");
    session
}

/// How much is attributed, as the first row says.
fn percentage(screen: &str) -> Option<u32> {
    let before = screen.lines().next()?.split_once('%')?.0;
    before.rsplit(' ').next()?.parse().ok()
}

/// True if a keyword has another color than what follows it.
fn is_highlighted(screen: &vt100::Screen) -> bool {
    let (_, columns) = screen.size();
    let mut rows = screen.rows(0, columns.get()).zip(0..);
    rows.any(|(row, y)| {
        let Some((before, _)) = row.split_once("def ") else {
            return false;
        };
        let x = u16::try_from(before.chars().count()).unwrap_or(u16::MAX);
        let color = |x| screen.cell(y, x).map(vt100::Cell::fgcolor);
        let end = row.chars().position(|c| c == '(').unwrap_or(0);
        color(x) != color(u16::try_from(end).unwrap_or(u16::MAX))
    })
}
