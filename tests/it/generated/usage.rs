//! Command lines: every option of git's usage text, missing or with extra values, abbreviated, bundled
//! and negated, before every arrangement of operands.

use super::{Cases, breadth};
use crate::harness::{
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// The long and short options of `git blame -h`, without their values.
fn options(repository: &TestRepo) -> (Vec<String>, Vec<char>) {
    let usage = repository.git_output(&["blame", "-h"], b"").stdout;
    let usage = String::from_utf8(usage).expect("the usage text is ASCII");
    let (mut long, mut short) = (Vec::new(), Vec::new());
    for word in usage.split([' ', ',', '\n', '<']) {
        if let Some(name) = word.strip_prefix("--") {
            let name = name.trim_start_matches("[no-]");
            let end = name.find(['[', '=']).unwrap_or(name.len());
            if end > 0 {
                long.push(name[..end].to_owned());
            }
        } else if let Some(letter) = word.strip_prefix('-').and_then(|rest| rest.chars().next()) {
            short.push(letter);
        }
    }
    (long, short)
}

const VALUES: [&str; 12] = [
    "",
    "0",
    "1",
    "-1",
    "x",
    "1,2",
    "f",
    "main",
    "99999999999999999999",
    "iso",
    "2 weeks ago",
    "/a/",
];

const OPERANDS: [&[&str]; 16] = [
    &["f"],
    &["f"],
    &["main", "f"],
    &["main", "--", "f"],
    &["--", "f"],
    &["f", "main"],
    &["--", "f", "main"],
    &["--end-of-options", "f"],
    &["--end-of-options", "main", "f"],
    &["-", "f"],
    &["f", "g"],
    &["main", "f", "g"],
    &["main", "side", "--", "f"],
    &["--"],
    &["main", "--"],
    &[],
];

fn word(rng: &mut Rng, long: &[String], short: &[char]) -> Vec<String> {
    let value = rng.pick(&VALUES).to_string();
    if rng.chance(40) {
        let mut bundle = String::from("-");
        for _ in 0..rng.between(1, 4) {
            // `-h` and `-S` are in tests of their own: help, and a file that exists.
            let letter = *rng.pick(short);
            bundle.push(if "hS".contains(letter) { 'w' } else { letter });
        }
        return match rng.below(4) {
            0 => vec![bundle + &value],
            1 => vec![bundle, value],
            _ => vec![bundle],
        };
    }
    let mut name = rng.pick(long).clone();
    if rng.chance(30) {
        name.truncate(rng.between(1, name.len()));
    }
    if rng.chance(10) {
        name.push('x');
    }
    let dashes = if rng.chance(20) { "--no-" } else { "--" };
    match rng.below(4) {
        0 => vec![format!("{dashes}{name}={value}")],
        1 => vec![format!("{dashes}{name}"), value],
        _ => vec![format!("{dashes}{name}")],
    }
}

#[test]
fn options_and_operands() {
    let mut cases = Cases::new("options and operands");
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for text in ["1\n", "1\n2\na b\n"] {
        repository.write(b"f", text.as_bytes());
        repository.write(b"g", text.as_bytes());
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "a line"]);
    }
    repository.git(&["branch", "side", "main~1"]);
    let (long, short) = options(&repository);
    assert!(long.len() > 15 && short.len() > 10, "{long:?} {short:?}");
    let mut rng = Rng::new(6);
    for _ in 0..250 * breadth() {
        let mut words = Vec::new();
        for _ in 0..rng.below(4) {
            words.extend(word(&mut rng, &long, &short));
        }
        let mut operands = *rng.pick(&OPERANDS);
        if words.iter().any(|word| !word.starts_with('-')) && operands.contains(&"--end-of-options")
        {
            // git's rule for further operands before `--end-of-options` is in `docs/options.md`.
            operands = &["f"];
        }
        words.extend(operands.iter().map(|word| word.to_string()));
        // Behind `--` git checks the values of options of other commands.
        if !operands.contains(&"--") && rng.chance(15) {
            words.extend(word(&mut rng, &long, &short));
        }
        cases.compare(&repository, "", &words);
    }
    cases.finish(250);
}
