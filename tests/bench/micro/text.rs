//! Texts: lines as tokens, the trim, and the diff.

use gix_imara_diff as imara;
use tblame::internals::diff::{Algorithm, DiffOptions, Differ, Hunk, LineInterner, Token};

use super::runner::Runner;

/// Versions that are so far apart differ much.
const FAR: usize = 100;
/// Of pairs of these, so many are compared.
const FAR_PAIRS: usize = 20;

/// Measures on versions of a text, the newest first.
pub fn measure(runner: &mut Runner, versions: &[Vec<u8>]) {
    if !runner.wants("text") {
        return;
    }
    let mut lines = LineInterner::new(false);
    let tokens = tokenize(&mut lines, versions);
    let count = tokens.iter().map(Vec::len).sum();
    runner.measure("text/tokenise", "line", count, || {
        tokenize(&mut LineInterner::new(false), versions);
    });
    find(runner, &mut lines, versions);
    trim(runner, &mut lines, &tokens);
    let near: Vec<Pair<'_>> = tokens
        .windows(2)
        .map(|pair| (&*pair[1], &*pair[0]))
        .collect();
    let new = tokens.iter().zip(tokens.iter().skip(FAR));
    let far = new.map(|(new, old)| (&**old, &**new)).take(FAR_PAIRS);
    let far: Vec<Pair<'_>> = far.collect();
    let mut blind = LineInterner::new(true);
    tokenize(&mut blind, versions);
    for (distance, pairs) in [("", near), ("-far", far)] {
        let algorithms = [
            ("myers", Algorithm::Myers, &lines),
            ("myers-w", Algorithm::Myers, &blind),
            ("minimal", Algorithm::Minimal, &lines),
            ("patience", Algorithm::Patience, &lines),
            ("histogram", Algorithm::Histogram, &lines),
        ];
        for (name, algorithm, lines) in algorithms {
            let options = DiffOptions {
                algorithm,
                ignore_whitespace: std::ptr::eq(lines, &blind),
                ..DiffOptions::default()
            };
            let name = format!("text/{name}{distance}");
            diff(runner, &name, lines, &pairs, &options);
        }
        compare_with_imara(runner, &format!("text/imara{distance}"), &lines, &pairs);
    }
}

/// An old and a new version.
type Pair<'a> = (&'a [Token], &'a [Token]);

fn tokenize(lines: &mut LineInterner, versions: &[Vec<u8>]) -> Vec<Vec<Token>> {
    let mut tokenize = |text: &Vec<u8>| {
        let mut tokens = Vec::new();
        let done = lines.tokenize(text, &mut tokens);
        done.map(|()| tokens).expect("the text is small")
    };
    versions.iter().map(&mut tokenize).collect()
}

/// The tokens of lines that are known, in no order that could be guessed.
fn find(runner: &mut Runner, lines: &mut LineInterner, versions: &[Vec<u8>]) {
    let Some(text) = versions.first() else {
        return;
    };
    let mut shuffled: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    shuffled.sort_by_key(|line| {
        line.iter()
            .fold(0_u64, |hash, &byte| mix(hash ^ u64::from(byte)))
    });
    let text = shuffled.concat();
    let end = |at: &mut usize, line: &&[u8]| {
        *at += line.len();
        Some(*at)
    };
    let ends: Vec<usize> = shuffled.iter().scan(0, end).collect();
    let mut tokens = Vec::new();
    runner.measure("text/find", "line", ends.len(), || {
        tokens.clear();
        let done = lines.intern_all(&text, &ends, &mut tokens);
        done.expect("the text is small");
    });
}

fn mix(hash: u64) -> u64 {
    hash.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// Texts of which only the first line differs: the diff has nothing to do but to trim.
fn trim(runner: &mut Runner, lines: &mut LineInterner, tokens: &[Vec<Token>]) {
    let other = lines.intern(b"another first line\n").expect("it is short");
    let mut pairs: Vec<(Vec<Token>, &Vec<Token>, Vec<u32>)> = Vec::new();
    for new in tokens.iter().filter(|new| !new.is_empty()) {
        let mut old = new.clone();
        old[0] = other;
        let end = |at: &mut u32, token: &Token| {
            *at += lines.len(*token);
            Some(*at)
        };
        let ends = old.iter().scan(0, end).collect();
        pairs.push((old, new, ends));
    }
    let mut differ = Differ::default();
    let mut hunks: Vec<Hunk> = Vec::new();
    for (name, known) in [("text/trim", true), ("text/trim-no-ends", false)] {
        runner.measure(name, "pair", pairs.len(), || {
            for (old, new, ends) in &pairs {
                let old = (&**old, known.then_some(&**ends));
                let options = DiffOptions::default();
                differ
                    .hunks_by_ends(lines, old, new, &options, &mut hunks)
                    .expect("the texts are small");
            }
        });
    }
}

fn diff(
    runner: &mut Runner,
    name: &str,
    lines: &LineInterner,
    pairs: &[Pair<'_>],
    options: &DiffOptions,
) {
    let mut differ = Differ::default();
    let mut hunks = Vec::new();
    runner.measure(name, "pair", pairs.len(), || {
        for (old, new) in pairs {
            differ
                .hunks(lines, old, new, options, &mut hunks)
                .expect("the texts are small");
        }
    });
}

fn compare_with_imara(runner: &mut Runner, name: &str, lines: &LineInterner, pairs: &[Pair<'_>]) {
    let theirs = |side: &[Token]| -> Vec<imara::Token> {
        side.iter().map(|&token| imara::Token(token)).collect()
    };
    let pairs: Vec<_> = pairs
        .iter()
        .map(|(old, new)| (theirs(old), theirs(new)))
        .collect();
    let count = u32::try_from(lines.count()).expect("tokens are 32 bits wide");
    let mut diff = imara::Diff::default();
    runner.measure(name, "pair", pairs.len(), || {
        for (old, new) in &pairs {
            diff.compute_with(imara::Algorithm::Myers, old, new, count);
        }
    });
}
