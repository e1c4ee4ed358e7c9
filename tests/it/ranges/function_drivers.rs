//! The function patterns of git's built-in diff drivers.

use bstr::ByteSlice;
use tblame::internals::{git_version::GitVersion, ranges::FunctionRule};

use crate::harness::{
    git::git_version_text,
    repository::{ObjectFormat, TestRepo},
};

const DRIVERS: [&str; 28] = [
    "ada", "bash", "bibtex", "cpp", "csharp", "css", "dts", "elixir", "fortran", "fountain",
    "golang", "html", "java", "kotlin", "markdown", "matlab", "objc", "pascal", "perl", "php",
    "python", "ruby", "rust", "scheme", "tex", "ini", "r", "swift",
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
    let git = GitVersion::parse(git_version_text()).expect("it has a version");
    let (mut wrong, mut functions) = (Vec::new(), 0);
    for driver in DRIVERS {
        let sample = sample(driver);
        let theirs = by_git(&repository, driver, &sample);
        functions += theirs.len();
        let rule = FunctionRule::of_driver(driver.into(), git);
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
    assert!(functions > 500, "{functions} functions compared");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
