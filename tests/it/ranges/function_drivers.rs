//! The function patterns of git's built-in diff drivers.

use bstr::ByteSlice;
use tblame::internals::ranges::FunctionRule;

use crate::harness::repository::{ObjectFormat, TestRepo};

/// Older gits do not have the last ones.
const DRIVERS: [&str; 28] = [
    "ada", "bash", "bibtex", "cpp", "csharp", "css", "dts", "elixir", "fortran", "fountain",
    "golang", "html", "java", "kotlin", "markdown", "matlab", "objc", "pascal", "perl", "php",
    "python", "ruby", "rust", "scheme", "tex", "ini", "r", "swift",
];

/// Drivers that newer gits have changed, with a line that is a function since then.
const CHANGED: [(&str, &str); 4] = [
    ("bash", "function f x"),
    ("csharp", "a b c"),
    ("java", "class {"),
    ("scheme", "(x"),
];

fn sample(driver: &str) -> Vec<u8> {
    let path = format!(
        "{}/tests/fixtures/functions/{driver}",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read(&path).expect("every driver has a sample")
}

/// The lines (0-based) after which git names another function in the headers of hunks.
fn by_git(repository: &TestRepo, driver: &str, sample: &[u8]) -> Vec<u32> {
    repository.write(
        b".git/info/attributes",
        format!("f diff={driver}\n").as_bytes(),
    );
    repository.write(b"f", sample);
    repository.git(&["add", "f"]);
    let mut changed = Vec::new();
    for line in sample.lines_with_terminator() {
        changed.extend_from_slice(line);
        changed.extend_from_slice(b"\x02\n");
    }
    repository.write(b"f", &changed);
    let diff = repository.git(&["diff", "-U0", "f"]);
    let hunks = diff.lines().filter(|line| line.starts_with(b"@@"));
    let mut last = Vec::new();
    let mut result = Vec::new();
    for (number, hunk) in hunks.enumerate() {
        let name = hunk.splitn_str(3, "@@").nth(2).unwrap_or_default();
        if name != last {
            result.push(number as u32);
            last = name.to_vec();
        }
    }
    result
}

#[test]
fn function_patterns_of_built_in_drivers() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for driver in DRIVERS {
        let sample = sample(driver);
        let theirs = by_git(&repository, driver, &sample);
        if theirs == by_git(&repository, "unknown", &sample) {
            // This git does not have the driver.
            continue;
        }
        let changed = CHANGED.iter().find(|(name, _)| *name == driver);
        if changed.is_some_and(|(_, line)| by_git(&repository, driver, line.as_bytes()).is_empty())
        {
            // This git has an older pattern.
            continue;
        }
        compared += 1;
        let rule = FunctionRule::of_driver(driver.into());
        let ours = rule.function_lines(&sample, false).expect(driver);
        for (number, line) in (0..).zip(sample.lines()) {
            let (git, tblame) = (theirs.contains(&number), ours.contains(&number));
            if git != tblame {
                wrong.push(format!(
                    "{driver}: git {git}, tblame {tblame}: {}",
                    line.as_bstr()
                ));
            }
        }
    }
    // git 2.47 does not have the last three.
    let least = DRIVERS.len() - 3 - CHANGED.len();
    assert!(compared >= least, "{compared} drivers compared");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
