//! Where attributes come from: files of the work tree, of the index, of the repository, and the tree of
//! `GIT_ATTR_SOURCE` or `attr.tree`; and what `mailmap.blob` names.

use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use tblame::internals::repository::{
    Repository,
    open::{environment::EnvironmentUse, search::OpenAt},
};

use super::{Cases, breadth};
use crate::harness::{
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// What `GIT_ATTR_SOURCE` and `attr.tree` are set to.
const SOURCES: [&str; 18] = [
    "c",
    "t",
    "tag",
    "blob-tag",
    "tree-tag",
    "HEAD",
    "HEAD~1",
    "c:",
    "c:d",
    "t^{tree}",
    "HEAD:f",
    "main@{0}",
    ":/two",
    "no-such-revision",
    "",
    "-x",
    "c..t",
    "1111111111111111111111111111111111111111",
];

/// Drivers of the attributes' values: a clean filter, a text conversion, and function lines. The shell has a loop and `echo`
/// itself, unlike `sed`, which would be one more program for each version of a file.
fn drivers() -> String {
    let each = |text: &str| format!("\"while read -r line; do echo \\\"{text}\\\"; done");
    let driver = |name: &str| {
        let (clean, textconv) = (
            each(&format!("$line-{name}")),
            each(&format!("{name}:$line")),
        );
        format!(
            "[filter \"{name}\"]\n\tclean = {clean}\"\n\
             [diff \"{name}\"]\n\ttextconv = {textconv} <\"\n\txfuncname = ^{name}:fn.*\n"
        )
    };
    ["c", "d", "t", "worktree", "index", "info", "inside"]
        .map(driver)
        .concat()
}

/// A repository whose commits `c` and `t` have other attributes than its newest, which has none.
fn repository() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"f", b"fn a\nint b\n");
    repository.write(b"d/g", b"fn x\nint y\n");
    repository.write(b".gitattributes", b"f filter=c diff=c\n");
    repository.write(b"d/.gitattributes", b"g filter=d diff=d\n");
    for (message, name) in [("one", "c"), ("two", "t"), ("three", "n")] {
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-q", "-m", message]);
        repository.git(&["tag", name]);
        match name {
            "c" => {
                repository.write(b".gitattributes", b"* filter=t diff=t\n");
                remove(&repository, "d/.gitattributes");
            }
            _ => remove(&repository, ".gitattributes"),
        }
    }
    repository.git(&["tag", "-a", "-m", "x", "tag", "t"]);
    repository.git(&["tag", "-a", "-m", "x", "blob-tag", "t:f"]);
    repository.git(&["tag", "-a", "-m", "x", "tree-tag", "t^{tree}"]);
    repository.write(b"f", b"fn a\nint B\n");
    repository.write(b".git/f", b"fn a\nint B\n");
    repository
}

fn remove(repository: &TestRepo, name: &str) {
    std::fs::remove_file(repository.root().join(name)).ok();
}

fn configuration(directory: &Path) -> Vec<u8> {
    let mut text = std::fs::read(directory.join("config")).expect("it was just made");
    text.extend_from_slice(drivers().as_bytes());
    text
}

/// The settings that name a tree: environment, and lines of the configuration.
fn settings() -> Vec<(Option<&'static str>, String)> {
    let tree = |source: &str| format!("[attr]\n\ttree = \"{source}\"\n");
    let mut settings = vec![(None, String::new()), (Some("t"), tree("c"))];
    for source in SOURCES {
        settings.push((Some(source), String::new()));
        settings.push((None, tree(source)));
    }
    settings
}

fn environment<'a>(source: &Option<&'a str>) -> Vec<(&'static str, &'a str)> {
    source
        .iter()
        .map(|source| ("GIT_ATTR_SOURCE", *source))
        .collect()
}

#[test]
fn attributes_of_work_trees() {
    let repository = repository();
    let root = repository.root().to_owned();
    let configuration = configuration(&root.join(".git"));
    let directories: [PathBuf; 4] = [
        root.clone(),
        root.join("d"),
        root.join(".git"),
        root.join(".git/info"),
    ];
    let runs: [(usize, &[&str]); 16] = [
        (0, &["f"]),
        (0, &["HEAD", "f"]),
        (0, &["c", "d/g"]),
        (1, &["g"]),
        (0, &["--contents", "f", "HEAD", "f"]),
        (0, &["--no-textconv", "HEAD", "f"]),
        (0, &["--no-textconv", "f"]),
        (0, &["-L:fn", "HEAD", "f"]),
        (0, &["-L:a", "f"]),
        (0, &["-L99", "HEAD", "f"]),
        (0, &["--reverse", "c..HEAD", "f"]),
        (0, &["HEAD", "no-such-file"]),
        (2, &["HEAD", "--", "f"]),
        (2, &["--contents", "f", "HEAD", "--", "f"]),
        (3, &["HEAD", "--", "f"]),
        (3, &["-L:fn", "HEAD", "--", "f"]),
    ];
    let mut cases = Cases::new("attributes: work trees");
    let mut rng = Rng::new(81);
    for places in 0..16_u32 {
        let has = |place: u32| places & 1 << place != 0;
        repository.git(&["read-tree", "HEAD"]);
        remove(&repository, ".gitattributes");
        remove(&repository, ".git/.gitattributes");
        if has(0) {
            repository.write(b".gitattributes", b"* filter=index diff=index\n");
            repository.git(&["add", ".gitattributes"]);
            remove(&repository, ".gitattributes");
        }
        if has(1) {
            repository.write(b".gitattributes", b"* filter=worktree diff=worktree\n");
        }
        let info: &[u8] = if has(2) { b"f filter=info\n" } else { b"" };
        repository.write(b".git/info/attributes", info);
        if has(3) {
            repository.write(b".git/.gitattributes", b"* filter=inside diff=inside\n");
        }
        for (source, more) in settings() {
            let text = [configuration.as_slice(), more.as_bytes()].concat();
            repository.write(b".git/config", &text);
            for (directory, arguments) in runs {
                if breadth() > 1 || rng.chance(4) {
                    let case = format!("files {places:04b}, {source:?}, {more}");
                    let directory = &directories[directory];
                    let environment = environment(&source);
                    cases.compare_in(&repository, directory, &environment, &case, arguments);
                }
            }
        }
    }
    cases.finish(300);
}

/// Attributes files of three directories, each in the work tree, in the index or in both, with every form of the index file.
#[test]
fn attributes_of_the_index() {
    const FILES: [&str; 3] = [
        ".gitattributes",
        "d/.gitattributes",
        "d/link-link/.gitattributes",
    ];
    let mut cases = Cases::new("attributes: the index");
    let mut rng = Rng::new(84);
    for round in 0..40 * breadth() {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        for name in ["f", "d/g", "d/link-link/h", "z/.gitattributes"] {
            repository.write(name.as_bytes(), b"fn a\nint b\n");
        }
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-q", "-m", "one"]);
        let mut case = format!("round {round}");
        let form = *rng.pick(&["2", "3", "4", "split", "split 4"]);
        if form == "3" {
            repository.write(b"new", b"n\n");
            repository.git(&["add", "-N", "new"]);
        }
        if form.ends_with('4') {
            repository.git(&["update-index", "--index-version", "4"]);
        }
        if form.starts_with("split") {
            repository.git(&["update-index", "--split-index"]);
        }
        for file in FILES {
            let state = *rng.pick(&["none", "index", "work tree", "both"]);
            case.push_str(&format!(", {file}: {state}"));
            if matches!(state, "index" | "both") {
                repository.write(file.as_bytes(), b"* filter=index diff=index\n");
                repository.git(&["add", file]);
                remove(&repository, file);
            }
            if matches!(state, "work tree" | "both") {
                repository.write(file.as_bytes(), b"* filter=worktree diff=worktree\n");
            }
        }
        let mut configuration = configuration(&repository.root().join(".git"));
        if rng.chance(20) {
            configuration.extend_from_slice(b"[core]\n\tautocrlf = true\n");
        }
        repository.write(b".git/config", &configuration);
        case.push_str(&format!(", index {form}"));
        for arguments in [
            &["f"][..],
            &["d/g"],
            &["d/link-link/h"],
            &["--no-textconv", "d/link-link/h"],
            &["-L:fn", "d/g"],
            &["-L:fn", "HEAD", "d/link-link/h"],
        ] {
            cases.compare(&repository, &case, arguments);
        }
    }
    cases.finish(240);
}

#[test]
fn attributes_of_bare_repositories() {
    let repository = repository();
    let bare = repository.root().with_file_name("bare");
    let name = bare.to_str().expect("it is text");
    repository.git(&["clone", "-q", "--bare", ".", name]);
    let configuration = configuration(&bare);
    let write = |name: &str, text: &[u8]| {
        std::fs::create_dir_all(bare.join("info")).expect("it can be made");
        std::fs::write(bare.join(name), text).expect("it can be written");
    };
    write("contents", b"fn a\nint B\n");
    let runs: [&[&str]; 5] = [
        &["HEAD", "--", "f"],
        &["t", "--", "f"],
        &["c", "--", "d/g"],
        &["--contents", "contents", "HEAD", "--", "f"],
        &["-L:fn", "c", "--", "f"],
    ];
    let mut cases = Cases::new("attributes: bare repositories");
    let mut rng = Rng::new(82);
    for places in 0..8_u32 {
        let has = |place: u32| places & 1 << place != 0;
        for file in ["index", ".gitattributes"] {
            std::fs::remove_file(bare.join(file)).ok();
        }
        if has(0) {
            repository.git(&["--git-dir", name, "read-tree", "t"]);
        }
        if has(1) {
            write(".gitattributes", b"* filter=inside diff=inside\n");
        }
        write(
            "info/attributes",
            if has(2) { b"f filter=info\n" } else { b"" },
        );
        for (source, more) in settings() {
            write(
                "config",
                &[configuration.as_slice(), more.as_bytes()].concat(),
            );
            for arguments in runs {
                if breadth() > 1 || rng.chance(10) {
                    let case = format!("files {places:03b}, {source:?}, {more}");
                    let environment = environment(&source);
                    cases.compare_in(&repository, &bare, &environment, &case, arguments);
                }
            }
        }
    }
    cases.finish(100);
}

#[test]
fn mailmaps() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"f", b"a\n");
    repository.write(b"dir/x", b"x\n");
    repository.write(b"map", b"Mapped <author@example.com>\n");
    std::os::unix::fs::symlink("map", repository.root().join("link")).expect("it can be made");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "x"]);
    repository.git(&["tag", "-a", "-m", "x", "tag"]);
    repository.git(&["tag", "-a", "-m", "x", "map-tag", "HEAD:map"]);
    let configuration = std::fs::read(repository.root().join(".git/config"));
    let configuration = configuration.expect("it was just made");
    let values = [
        "HEAD",
        "HEAD:",
        "HEAD:map",
        "HEAD:f",
        "HEAD:dir",
        "HEAD:link",
        "HEAD^{tree}",
        "tag",
        "map-tag",
        "map-tag^{}",
        "map-tag^{blob}",
        ":map",
        ":0:map",
        "map",
        "dir",
        "link",
        "dir/x",
        "map/x",
        "/no/such/file",
        "no-such-revision",
        "HEAD:no-such-file",
        "",
        "-x",
        "@{0}:map",
        "1111111111111111111111111111111111111111",
    ];
    let mut cases = Cases::new("attributes: mailmaps");
    for value in values {
        for name in ["blob", "file"] {
            let more = format!("[mailmap]\n\t{name} = \"{value}\"\n");
            let text = [configuration.as_slice(), more.as_bytes()].concat();
            repository.write(b".git/config", &text);
            for arguments in [
                &["-p", "HEAD", "f"][..],
                &["--incremental", "HEAD", "f"],
                &["-e", "f"],
                &["HEAD", "no-such-file"],
            ] {
                cases.compare(&repository, &more, arguments);
            }
        }
    }
    cases.finish(200);
}

/// Blobs that other blobs replace: the lines are those of the replacement, the ids are not.
#[test]
fn replaced_blobs() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let text = |lines: &[u32]| -> Vec<u8> {
        let lines = lines.iter().map(|line| format!("line {line}\n"));
        lines.collect::<String>().into_bytes()
    };
    let mut rng = Rng::new(83);
    let mut cases = Cases::new("attributes: replaced blobs");
    let random = |rng: &mut Rng| {
        let lines: Vec<u32> = (0..12).filter(|_| rng.chance(70)).collect();
        text(&lines)
    };
    for version in 0..4 {
        repository.write(b"f", &random(&mut rng));
        repository.write(b"g", &random(&mut rng));
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "--allow-empty", "-m", &version.to_string()]);
    }
    for round in 0..12 * breadth() {
        let blob = format!("HEAD~{}:{}", rng.below(4), rng.pick(&["f", "g"]));
        let contents = random(&mut rng);
        let other = repository.git_with_input(&["hash-object", "-w", "--stdin"], &contents);
        let other = String::from_utf8(other).expect("an id");
        let blob_id = repository.git_text(&["rev-parse", &blob]);
        if blob_id != other {
            repository.git(&["replace", "-f", &blob_id, &other]);
        }
        let case = format!("round {round}: {blob} is replaced by {other}");
        for arguments in [
            &["-p", "HEAD", "f"][..],
            &["-s", "f"],
            &["--incremental", "HEAD~1", "g"],
            &["-C", "-C", "-C", "-n", "HEAD", "f"],
            &["-M", "-w", "HEAD", "g"],
            &["--reverse", "HEAD~3..HEAD", "f"],
            &["--contents", "g", "HEAD", "f"],
            &["-L/line/,+2", "HEAD", "f"],
        ] {
            cases.compare(&repository, &case, arguments);
        }
        if rng.chance(30) {
            repository.git_output(&["replace", "-d", &blob_id], b"");
        }
    }
    cases.finish(96);
}

/// A file that was renamed while CR LF became LF: similar only if both are text.
#[test]
fn renames_of_files_with_carriage_returns() {
    let mut cases = Cases::new("attributes of renamed files");
    for first in [&b"first\r\n"[..], b"nul \0\r\n"] {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        let lines = (0..30).map(|line| format!("a line with the number {line}\r\n"));
        let lines: String = lines.collect();
        // These lines show which file the others are compared with.
        let before = [first, lines.as_bytes(), b"the same\nin both\n"].concat();
        repository.write(b"in/a", &before);
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "one"]);
        repository.write(b"in/b", &before.replace(b"\r\n", b"\n"));
        repository.git(&["rm", "-q", "--cached", "in/a"]);
        repository.git(&["add", "in/b"]);
        repository.git(&["commit", "-q", "-m", "two"]);
        for (name, value) in [("yes", "true"), ("no", "false"), ("auto", "auto")] {
            repository.git(&["config", &format!("diff.{name}.binary"), value]);
        }
        let states = [
            "diff",
            "-diff",
            "!diff",
            "diff=yes",
            "diff=no",
            "diff=auto",
            "diff=cpp",
            "diff=none",
            "binary",
            "text",
            "-text",
        ];
        let patterns = ["*", "a", "b", "in/a", "in/*"];
        for file in [
            ".gitattributes",
            "in/.gitattributes",
            ".git/info/attributes",
        ] {
            for (state, pattern) in states.iter().flat_map(|it| patterns.map(|one| (it, one))) {
                let text = format!("{pattern} {state}\n");
                repository.write(file.as_bytes(), text.as_bytes());
                let case = format!("{first:?} {file}: {text}");
                cases.compare(&repository, &case, &["-s", "HEAD", "--", "in/b"]);
                cases.compare(&repository, &case, &["-s", "in/b"]);
            }
            // From the index where the work tree has none.
            repository.write(file.as_bytes(), b"* -diff\n");
            if !file.starts_with(".git/") {
                repository.git(&["add", file]);
            }
            std::fs::remove_file(repository.root().join(file)).expect("it was written");
            for arguments in [&["-s", "HEAD", "--", "in/b"][..], &["-s", "in/b"]] {
                cases.compare(&repository, file, arguments);
            }
            repository.git(&["reset", "-q"]);
        }
    }
    cases.finish(664);
}

/// Lines that are too long for git, and NULs, in files and in stored ones. An attribute that is not seen leaves the text as it is.
#[test]
fn limits_of_lines() {
    let mut cases = Cases::new("limits of lines of attributes");
    let repository = repository();
    let name = ".git/config";
    let before = std::fs::read_to_string(repository.root().join(name)).expect("it is there");
    repository.write(name.as_bytes(), (before + &drivers()).as_bytes());
    // What git says of such lines is not compared.
    let mut compare = |case: &str, arguments: &[&str]| {
        cases.compare_output(&repository, repository.root(), &[], case, arguments);
    };
    let mut texts = Vec::new();
    for len in [2000, 2046, 2047, 2048, 2049, 5000] {
        for end in ["\n", "\r\n", ""] {
            let blanks = " ".repeat(len - "f diff=c".len());
            texts.push(format!("f{blanks} diff=c{end}"));
            texts.push(format!("f{blanks}diff=c{end}"));
            texts.push(format!("f diff=d\nf{blanks}diff=c{end}"));
        }
    }
    texts.extend(
        [
            "f diff=c\0\n",
            "f\0 diff=c\n",
            "x\0\nf diff=c\n",
            "\0f diff=c\n",
        ]
        .map(str::to_owned),
    );
    for text in &texts {
        for path in [".gitattributes", ".git/info/attributes"] {
            repository.write(path.as_bytes(), text.as_bytes());
            let case = format!("{path}: {}", text.escape_debug());
            for arguments in [&["-s", "f"][..], &["-s", "HEAD", "--", "f"]] {
                compare(&case, arguments);
            }
            remove(&repository, path);
        }
        // From the index.
        repository.write(b".gitattributes", text.as_bytes());
        repository.git(&["add", ".gitattributes"]);
        remove(&repository, ".gitattributes");
        let case = format!("index: {}", text.escape_debug());
        compare(&case, &["-s", "HEAD", "--", "f"]);
        repository.git(&["rm", "-q", "--cached", ".gitattributes"]);
    }
    let count = texts.len() * 5;
    cases.finish(count);
}

/// Parts of patterns.
const PATTERN_PARTS: [&str; 30] = [
    "a",
    "a",
    "b",
    "b",
    "ab",
    "x.c",
    ".",
    "/",
    "/",
    "/",
    "/",
    "*",
    "*",
    "**",
    "**",
    "**/",
    "/**",
    "/**/",
    "***",
    "?",
    "[ab]",
    "[!a]",
    "[^b]",
    "[a-c]",
    "[]a]",
    "[[:alpha:]]",
    "\\*",
    "\\a",
    "[",
    "-",
];

/// Parts of paths.
const PATH_PARTS: [&str; 12] = [
    "a", "a", "b", "ab", "x.c", "c", "*", "**", "-", "]", "A", "[ab]",
];

/// What lines say, in which `N` is the number of the line.
const ASSIGNMENTS: [&str; 12] = [
    "encoding=N",
    "encoding=N",
    "encoding=N",
    "encoding=N",
    "-encoding",
    "!encoding",
    "outer",
    "inner",
    "-outer",
    "!inner",
    "encoding=N outer",
    "outer encoding=N",
];

/// Which paths a pattern matches, which gitattributes(5) describes only in part, and which of several lines counts.
#[test]
fn patterns() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let mut rng = Rng::new(1);
    let (mut matched, mut compared) = (0, 0);
    let mut differences = Vec::new();
    for ignores_case in ["false", "true"] {
        repository.git(&["config", "core.ignoreCase", ignores_case]);
        let environment = EnvironmentUse::Ignore;
        let opened = Repository::open_at(
            repository.root(),
            OpenAt::Exactly,
            environment,
            &|_, _, _| Ok(()),
            &mut Vec::new(),
        );
        let opened = opened.expect("git has made it");
        for _ in 0..100 * breadth() {
            let mut rules = Vec::new();
            for (file, macros) in [
                (
                    ".gitattributes",
                    "[attr]inner encoding=inner\n[attr]outer inner -x\n",
                ),
                ("a/.gitattributes", "[attr]inner encoding=refused\n"),
                (".git/info/attributes", "[attr]outer !encoding inner\n"),
            ] {
                let mut text = String::new();
                for number in 0..*rng.pick(&[0, 4, 8]) {
                    let parts = (0..rng.between(1, 6)).map(|_| *rng.pick(&PATTERN_PARTS));
                    let pattern: String = parts.collect();
                    let assignment = rng.pick(&ASSIGNMENTS).replace('N', &number.to_string());
                    text += &format!("{pattern} {assignment}\n");
                }
                if rng.chance(50) {
                    text += macros;
                }
                repository.write(file.as_bytes(), text.as_bytes());
                rules.push(text);
            }
            let mut name = || {
                let (name, more) = (*rng.pick(&PATH_PARTS), *rng.pick(&PATH_PARTS));
                if rng.chance(80) {
                    name.to_owned()
                } else {
                    format!("{name}{more}")
                }
            };
            let paths = (0..40).map(|at| (0..1 + at % 4).map(|_| name()).collect::<Vec<_>>());
            let paths: Vec<String> = paths.map(|names| names.join("/")).collect();
            let input = paths.join("\0") + "\0";
            let arguments = ["check-attr", "--stdin", "-z", "encoding"];
            let answer = repository.git_with_input(&arguments, input.as_bytes());
            let answer: Vec<_> = answer.split_str("\0").collect();
            for (path, answer) in paths.iter().zip(answer.chunks(3)) {
                let theirs = answer[2].as_bstr();
                let is_value = !["set", "unset", "unspecified"]
                    .iter()
                    .any(|it| theirs == it);
                let own = opened.encoding_of(path.as_str().into(), b"");
                compared += 1;
                matched += usize::from(is_value);
                if own.as_ref().map(|own| own.as_bstr()) != is_value.then_some(theirs) {
                    differences.push(format!(
                        "{path}: git {theirs}, tblame {own:?} by {rules:#?}"
                    ));
                }
            }
        }
    }
    let count = differences.len();
    println!("{compared} paths, {matched} with a value, {count} different");
    differences.truncate(12);
    assert!(
        count == 0,
        "{count} of {compared} differ:\n{}",
        differences.join("\n")
    );
    assert!(matched > compared / 10, "{matched} of {compared}");
}
