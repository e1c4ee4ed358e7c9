//! How fast texts are tokenised and compared.
//!
//! `cargo bench --bench diff [DIRECTORY…]` takes the files of each directory, in order of their
//! names, as versions of one text, newest first; without any, it generates some. `--only=NAME`
//! measures one thing.

use std::time::{Duration, Instant};

use gix_imara_diff as imara;
use tblame::diff::lines::Lines;
use tblame::diff::{Algorithm, Differ, Options, Token};

const FEWEST_ROUNDS: usize = 5;
const LONGEST: Duration = Duration::from_millis(500);

fn main() {
    let directories: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    for directory in &directories {
        measure(directory, &read(directory));
    }
    if directories.is_empty() {
        measure("few changes, 30,000 lines", &versions(30_000, 4, 100));
        measure("few changes, 4,000 lines", &versions(4_000, 4, 500));
        measure("one change, 4,000 lines", &versions(4_000, 1, 500));
        measure("many changes, 30,000 lines", &versions(30_000, 6_000, 10));
    }
}

fn measure(name: &str, versions: &[Vec<u8>]) {
    let bytes: usize = versions.iter().map(Vec::len).sum();
    println!("{name}: {} versions, {} KB", versions.len(), bytes >> 10);
    let mut tokens: Vec<Vec<Token>> = Vec::new();
    let mut lines = Lines::new(false);
    report("tokenise", versions.len(), || {
        lines = Lines::new(false);
        tokens = versions
            .iter()
            .map(|text| {
                let mut out = Vec::new();
                lines.tokenize(text, &mut out).expect("the text is small");
                out
            })
            .collect();
    });
    println!("  {} distinct lines", lines.count());
    let mut blind = Lines::new(true);
    for text in versions {
        blind.tokenize(text, &mut Vec::new()).expect("as before");
    }
    let pairs = versions.len() - 1;
    let mut differ = Differ::default();
    let mut hunks = Vec::new();
    let algorithms = [
        ("myers", Algorithm::Myers, false),
        ("myers -w", Algorithm::Myers, true),
        ("minimal", Algorithm::Minimal, false),
        ("patience", Algorithm::Patience, false),
        ("histogram", Algorithm::Histogram, false),
    ];
    for (name, algorithm, ignore_whitespace) in algorithms {
        let options = Options {
            algorithm,
            ignore_whitespace,
            ..Options::default()
        };
        let lines = if ignore_whitespace { &blind } else { &lines };
        let mut total = 0;
        report(name, pairs, || {
            total = 0;
            for pair in tokens.windows(2) {
                differ
                    .hunks(lines, &pair[1], &pair[0], &options, &mut hunks)
                    .expect("the texts are small");
                total += hunks.len();
            }
        });
        println!("    {total} hunks");
    }
    compare_with_imara(&lines, &tokens);
}

fn compare_with_imara(lines: &Lines, tokens: &[Vec<Token>]) {
    let sides: Vec<Vec<imara::Token>> = tokens
        .iter()
        .map(|side| side.iter().map(|&token| imara::Token(token)).collect())
        .collect();
    let count = u32::try_from(lines.count()).expect("tokens are 32 bits wide");
    let mut diff = imara::Diff::default();
    report("gix-imara-diff's myers", tokens.len() - 1, || {
        for pair in sides.windows(2) {
            diff.compute_with(imara::Algorithm::Myers, &pair[1], &pair[0], count);
        }
    });
}

fn report(name: &str, units: usize, mut work: impl FnMut()) {
    let only =
        std::env::args().find_map(|argument| Some(argument.strip_prefix("--only=")?.to_owned()));
    if only.is_some_and(|only| only != name && name != "tokenise") {
        return;
    }
    // The least disturbed round: other programs only ever add to it.
    let mut time = Duration::MAX;
    let begin = Instant::now();
    let mut rounds = 0;
    while rounds < FEWEST_ROUNDS || begin.elapsed() < LONGEST {
        let start = Instant::now();
        work();
        time = time.min(start.elapsed());
        rounds += 1;
    }
    let each = time / u32::try_from(units.max(1)).unwrap_or(u32::MAX);
    println!("  {name}: {time:.1?}, {each:.2?} each");
}

fn read(directory: &str) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(directory).expect("a directory of versions");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read(path).expect("a readable version"))
        .collect()
}

/// Versions of a text of `len` lines, each with `changes` lines changed from the one before.
fn versions(len: usize, changes: usize, count: usize) -> Vec<Vec<u8>> {
    let mut state = 1_u64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let mut line = |nth: usize| match below(10) {
        0 => "\n".to_string(),
        1 => "    }\n".to_string(),
        _ => format!("    {nth} is said in line {}\n", below(1_000_000)),
    };
    let mut text: Vec<String> = (0..len).map(&mut line).collect();
    (0..count)
        .map(|nth| {
            for change in 0..changes {
                let at = (nth * 7919 + change * 104_729) % text.len();
                match change % 3 {
                    0 => text[at] = line(at),
                    1 => text.insert(at, line(at)),
                    _ => drop(text.remove(at)),
                }
            }
            text.concat().into_bytes()
        })
        .collect()
}
