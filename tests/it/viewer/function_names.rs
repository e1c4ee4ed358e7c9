//! The functions that hunks of diffs are named after, and the files of large commits, compared with
//! git.

use tblame::internals::viewer::{config::settings::Config, model::diff::DiffRow};

use super::driver::{Driver, arguments};
use crate::harness::{
    git::git_version,
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// Has a changed line in each commit.
const COUNTER: &str = "counter.txt";

/// Diff drivers: built-in ones, and ones of the configuration.
const ATTRIBUTES: &str = "\
*.c diff=cpp
*.rs diff=rust
*.py diff=python
*.sh diff=bash
*.go diff=golang
*.own diff=own
*.neg diff=negated
*.old diff=basic
*.none -diff
";

const CONFIG: [(&str, &str); 3] = [
    (
        "diff.own.xfuncname",
        "^[[:space:]]*sub ([a-z_0-9]+)( .*)?$\n^=head[0-9] .*",
    ),
    (
        "diff.negated.xfuncname",
        "!^[a-z]+ .*;$\n^[a-z]+ [a-z_0-9]+\\(.*$",
    ),
    ("diff.basic.funcname", "^\\([a-z]*\\) [a-z_0-9]*("),
];

/// A file with functions as in the language of the extension.
fn source(extension: &str, rng: &mut Rng) -> Vec<String> {
    let mut lines = Vec::new();
    for number in 0..rng.between(4, 12) {
        let name = format!("{}_{number}", rng.pick(&["parse", "read", "walk", "draw"]));
        let padding = "x".repeat(if rng.chance(15) { 90 } else { 1 });
        let start: Vec<String> = match extension {
            "c" | "neg" | "old" => vec![
                format!("/* {name} */"),
                format!("int {name}(int {padding});"),
                format!("static int {name}(const char *{padding}, int n)  "),
                "{".to_owned(),
                "retry:".to_owned(),
            ],
            "rs" => vec![
                format!("/// {name}"),
                format!("impl Reader for {padding} {{"),
                format!("    pub(crate) fn {name}(&self) -> u32 {{"),
            ],
            "py" => vec![
                format!("class {}:", name.to_uppercase()),
                format!("    async def {name}(self, {padding}):"),
                "        # comment".to_owned(),
            ],
            "sh" => vec![
                format!("  {name} () {{ # {padding}"),
                "    local a".to_owned(),
                format!("function {name} {{ # {padding}"),
            ],
            "go" => vec![
                format!("func (r *{padding}) {name}() error {{ // read"),
                format!("type {name} struct {{ // {padding}"),
            ],
            "own" => vec![
                format!("=head1 {padding} \t"),
                format!("  sub {name} {{ return }}"),
                format!("sub {name}"),
            ],
            _ => vec![
                format!("  {name}"),
                format!("{name} {padding} $"),
                "_x".to_owned(),
            ],
        };
        lines.extend(start);
        lines.extend((0..rng.between(2, 14)).map(|at| format!("        {name} + {at};")));
        lines.push("}".to_owned());
    }
    lines
}

fn change(lines: &mut Vec<String>, rng: &mut Rng) {
    for _ in 0..rng.between(1, 4) {
        let at = rng.below(lines.len());
        match rng.below(4) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, format!("        added {};", rng.below(1000))),
            2 => lines[at] = format!("        changed {};", rng.below(1000)),
            _ => lines[at].push_str("// !"),
        }
    }
}

/// A hunk: its file, its first old line, and the function that it is in.
type NamedHunk = (String, u32, String);

/// The hunks of a commit's diff as git shows them.
fn hunks_of_git(repository: &TestRepo, commit: &str) -> Vec<NamedHunk> {
    let shown = repository.git(&["show", "--format=", "--no-renames", commit]);
    let mut path = String::new();
    let mut hunks = Vec::new();
    for line in shown.split(|&byte| byte == b'\n') {
        if let Some(name) = line.strip_prefix(b"diff --git a/") {
            let name = name.split(|&byte| byte == b' ').next().unwrap_or_default();
            path = String::from_utf8_lossy(name).into_owned();
        }
        let Some(rest) = line.strip_prefix(b"@@ -") else {
            continue;
        };
        let text = String::from_utf8_lossy(rest);
        let (ranges, name) = text.split_once(" @@").expect("a hunk");
        let old = ranges.split([',', ' ']).next().expect("a number");
        let name = name.strip_prefix(' ').unwrap_or_default();
        hunks.push((
            path.clone(),
            old.parse().expect("a number"),
            name.to_owned(),
        ));
    }
    hunks
}

/// The hunks of the diff of all files on the screen.
fn hunks_of_viewer(driver: &Driver) -> Vec<NamedHunk> {
    let diff = driver.app().diff().expect("a diff");
    let mut path = String::new();
    let mut hunks = Vec::new();
    for (at, &row) in diff.rows().iter().enumerate() {
        if let DiffRow::File(part) = row {
            let part = &diff.parts()[part as usize];
            assert!(part.failure.is_none(), "{:?}", part.failure);
            path = part.file.path().expect("a path").to_string();
        }
        if let DiffRow::HunkHeader { old, .. } = diff.in_file(at, row) {
            let name = String::from_utf8_lossy(diff.function(row).unwrap_or_default()).into_owned();
            hunks.push((path.clone(), old + 1, name));
        }
    }
    hunks
}

#[test]
fn hunks_are_named_after_the_functions_that_git_names() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for (name, value) in CONFIG {
        repository.git(&["config", name, value]);
    }
    repository.write(b".gitattributes", ATTRIBUTES.as_bytes());
    let mut rng = Rng::new(13);
    let extensions = ["c", "rs", "py", "sh", "go", "own", "neg", "old", "txt"];
    let mut files: Vec<(String, Vec<String>)> = extensions
        .iter()
        .map(|extension| (format!("src/file.{extension}"), source(extension, &mut rng)))
        .collect();
    let (mut compared, mut named, mut long) = (0, 0, 0);
    for commit in 0..25 {
        for (path, lines) in &mut files {
            if commit > 0 {
                change(lines, &mut rng);
            }
            let text = lines.iter().map(|line| format!("{line}\n"));
            repository.write(path.as_bytes(), text.collect::<String>().as_bytes());
        }
        let counter = format!("commit {commit}\n");
        repository.write(COUNTER.as_bytes(), counter.as_bytes());
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", &format!("commit {commit}")]);
        if commit == 0 {
            continue;
        }
        let arguments = arguments(COUNTER.into(), Config::default());
        let mut driver = Driver::with_repository(repository.root(), arguments, (100, 40));
        driver.keys("a");
        let expected = hunks_of_git(&repository, "HEAD");
        let mut shown = hunks_of_viewer(&driver);
        for ((path, _, name), (_, _, short)) in shown.iter_mut().zip(&expected) {
            named += usize::from(!name.is_empty());
            // git cuts long names.
            if name.len() > 80 && name.starts_with(short) && short.len() >= 79 {
                name.truncate(short.len());
                long += 1;
            }
            // Newer versions name a function of the shell by its whole line.
            if git_version() >= (2, 50) && path == "src/file.sh" && short.starts_with(&**name) {
                name.clone_from(short);
            }
        }
        assert_eq!(shown, expected, "commit {commit}");
        compared += shown.len();
    }
    println!("{compared} hunks compared, {named} with a name, {long} cut");
    assert!(
        compared > 200 && named > 150 && long > 3,
        "{compared} {named} {long}"
    );
}

#[test]
fn a_diff_of_many_files_says_how_many_are_not_shown() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for count in [500, 501, 512] {
        repository.write(COUNTER.as_bytes(), format!("{count}\n").as_bytes());
        for number in 1..count {
            let text = format!("{count}\n");
            repository.write(format!("src/{number:03}.txt").as_bytes(), text.as_bytes());
        }
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "many"]);
        let arguments = arguments(COUNTER.into(), Config::default());
        let mut driver = Driver::with_repository(repository.root(), arguments, (100, 40));
        driver.keys("a");
        let head = driver.screen();
        driver.keys("G");
        let screen = driver.screen();
        let (listed, omitted) = match count {
            500 => ("files      500", None),
            501 => (
                "files      501; 500 are shown below",
                Some("═ 1 more file is not shown ═"),
            ),
            _ => (
                "files      512; 500 are shown below",
                Some("═ 12 more files are not shown ═"),
            ),
        };
        assert!(
            head.lines().any(|row| row.trim().starts_with(listed)),
            "{head}"
        );
        match omitted {
            Some(words) => assert!(screen.contains(words), "{screen}"),
            None => assert!(!screen.contains("not shown"), "{screen}"),
        }
        // Keys on that row do nothing harmful.
        driver.keys("}<CR>");
    }
}
