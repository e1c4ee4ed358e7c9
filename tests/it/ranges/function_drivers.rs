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

/// The function lines (0-based) of a sample, as `git grep --show-function` numbers them: a marker that is
/// searched for follows each line.
fn by_git(repository: &TestRepo, driver: &str, sample: &[u8]) -> Vec<u32> {
    repository.write(
        b".git/info/attributes",
        format!("f diff={driver}\n").as_bytes(),
    );
    let mut marked = Vec::new();
    for line in sample.lines() {
        marked.extend_from_slice(line);
        marked.extend_from_slice(b"\n\x02\n");
    }
    repository.write(b"f", &marked);
    let search = [
        "grep",
        "-a",
        "-n",
        "-p",
        "--untracked",
        "-e",
        "^\x02$",
        "--",
        "f",
    ];
    let found = repository.git(&search);
    let functions = found.lines().filter_map(|line| {
        let (number, _) = line.strip_prefix(b"f=")?.split_once_str("=")?;
        let number: u32 = number.to_str().ok()?.parse().ok()?;
        Some((number - 1) / 2)
    });
    functions.collect()
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
