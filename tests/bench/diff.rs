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
    let mut tokens: Vec<Vec<Token>> = vec![Vec::new(); versions.len()];
    let mut lines = Lines::new(false);
    report("tokenise", versions.len(), |nth| {
        if nth == 0 {
            lines = Lines::new(false);
        }
        tokens[nth].clear();
        lines
            .tokenize(&versions[nth], &mut tokens[nth])
            .expect("the text is small");
    });
    println!("  {} distinct lines", lines.count());
    let mut blind = Lines::new(true);
    for text in versions {
        blind.tokenize(text, &mut Vec::new()).expect("as before");
    }
    let pairs: Vec<&[Vec<Token>]> = tokens.windows(2).collect();
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
        report(name, pairs.len(), |nth| {
            differ
                .hunks(lines, &pairs[nth][1], &pairs[nth][0], &options, &mut hunks)
                .expect("the texts are small");
        });
    }
    compare_with_imara(&lines, &tokens);
}

fn compare_with_imara(lines: &Lines, tokens: &[Vec<Token>]) {
    let sides: Vec<Vec<imara::Token>> = tokens
        .iter()
        .map(|side| side.iter().map(|&token| imara::Token(token)).collect())
        .collect();
    let pairs: Vec<&[Vec<imara::Token>]> = sides.windows(2).collect();
    let count = u32::try_from(lines.count()).expect("tokens are 32 bits wide");
    let mut diff = imara::Diff::default();
    report("imara", pairs.len(), |nth| {
        diff.compute_with(
            imara::Algorithm::Myers,
            &pairs[nth][1],
            &pairs[nth][0],
            count,
        );
    });
}

/// Does `work` for all numbers below `units`, several times, and adds up the least time that each
/// of them took: other programs only ever add to it.
fn report(name: &str, units: usize, mut work: impl FnMut(usize)) {
    let only =
        std::env::args().find_map(|argument| Some(argument.strip_prefix("--only=")?.to_owned()));
    if only.is_some_and(|only| !only.split(',').any(|only| only == name) && name != "tokenise") {
        return;
    }
    let mut times = vec![Duration::MAX; units];
    let begin = Instant::now();
    let mut rounds = 0;
    while rounds < FEWEST_ROUNDS || begin.elapsed() < LONGEST {
        for (nth, time) in times.iter_mut().enumerate() {
            let start = Instant::now();
            work(nth);
            *time = (*time).min(start.elapsed());
        }
        rounds += 1;
    }
    let time: Duration = times.iter().sum();
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
