//! What packages are made from: lists agree with `Cargo.toml`, files exist, and the public address is in one place.

use std::{collections::BTreeSet, fs, os::unix::fs::symlink, path::Path, process::Command};

use toml_edit::{DocumentMut, Item};

use crate::harness::program::ProgramOutput;

/// Of a release: the workflow builds all of these.
const TARGETS: [&str; 8] = [
    "aarch64-apple-darwin",
    "aarch64-pc-windows-msvc",
    "aarch64-unknown-linux-gnu",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn manifest() -> DocumentMut {
    text("Cargo.toml").parse().expect("cargo has read it")
}

/// The words in backquotes that rows of tables begin with, below a heading.
fn listed(document: &str, heading: &str) -> BTreeSet<String> {
    let section = document
        .split("\n## ")
        .find(|section| section.starts_with(heading))
        .unwrap_or_else(|| panic!("there is no heading '{heading}'"));
    section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn each_direct_dependency_has_its_reason() {
    let document = text("docs/dependencies.md");
    let manifest = manifest();
    let mut count = 0;
    for (heading, table, optional) in [
        ("The library", "dependencies", Some(false)),
        ("The program", "dependencies", Some(true)),
        ("Tests and benchmarks", "dev-dependencies", None),
    ] {
        let table = manifest[table].as_table().expect("it is a table");
        let mut wanted = BTreeSet::from_iter(
            table
                .iter()
                .filter(|(name, it)| {
                    let is_optional = it.get("optional").and_then(Item::as_bool).unwrap_or(false);
                    *name != "tblame" && optional.is_none_or(|optional| optional == is_optional)
                })
                .map(|(name, _)| name.to_owned()),
        );
        if optional == Some(false) {
            let targets = manifest["target"].as_table().expect("it is a table");
            let of_systems = targets
                .iter()
                .filter_map(|(_, it)| it["dependencies"].as_table());
            wanted.extend(of_systems.flatten().map(|(name, _)| name.to_owned()));
        }
        assert_eq!(listed(&document, heading), wanted, "{heading}");
        count += wanted.len();
    }
    assert!(count > 20, "{count}");
}

#[test]
fn files_that_packages_are_made_of_exist() {
    let manifest = manifest();
    let metadata = &manifest["package"]["metadata"];
    let deb = metadata["deb"]["assets"].as_array().expect("a list");
    let rpm = metadata["generate-rpm"]["assets"]
        .as_array()
        .expect("a list");
    let sources = deb
        .iter()
        .filter_map(|asset| Some(asset.as_array()?.get(0).and_then(|source| source.as_str())))
        .chain(rpm.iter().map(|asset| {
            asset
                .as_inline_table()
                .and_then(|asset| asset.get("source")?.as_str())
        }));
    let mut count = 0;
    for source in sources {
        let source = source.expect("an asset has a source");
        count += 1;
        if source.starts_with("target/") {
            continue;
        }
        let (directory, name) = source.rsplit_once('/').unwrap_or((".", source));
        let (start, end) = name.split_once('*').unwrap_or((name, ""));
        let exists = fs::read_dir(root().join(directory))
            .expect("it is a directory")
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .any(|name| name.starts_with(start) && name.ends_with(end));
        assert!(exists, "{source}");
    }
    assert!(count > 15, "{count}");
}

/// `git tblame` runs the launcher, as programs do that find it under the name `git`.
#[test]
fn packages_have_the_launcher() {
    let manifest = manifest();
    let programs = manifest["bin"].as_array_of_tables().expect("a list");
    let programs = Vec::from_iter(programs.iter().map(|it| it["name"].as_str()));
    assert_eq!(programs, [Some("tblame"), Some("git-tblame")]);
    let metadata = &manifest["package"]["metadata"];
    for package in ["deb", "generate-rpm"] {
        let assets = metadata[package]["assets"].as_array().expect("a list");
        for file in [
            "target/release/tblame",
            "target/release/git-tblame",
            "assets/packaging/git-tblame/git-tblame.1",
            "assets/packaging/git-tblame/git-tblame.bash",
            "assets/packaging/git-tblame/_git-tblame",
            "assets/packaging/git-tblame/git-tblame.fish",
        ] {
            let source = format!("\"{file}\"");
            let count = assets
                .iter()
                .filter(|asset| asset.to_string().contains(&source))
                .count();
            assert_eq!(count, 1, "{package} {file}");
        }
    }
    for path in [
        "assets/packaging/dist",
        "assets/packaging/templates/tblame.rb",
        "assets/packaging/templates/tblame.json",
    ] {
        assert!(text(path).contains("git-"), "{path}");
    }
}

/// In bash, `git tblame` is completed as `tblame` is: git's completion loads the file `git-tblame`, and calls `_git_tblame`.
#[test]
fn bash_completes_git_tblame() {
    let directory = tempfile::tempdir().expect("there is room");
    for (source, name) in [
        ("assets/packaging/generated/tblame.bash", "tblame"),
        ("assets/packaging/git-tblame/git-tblame.bash", "git-tblame"),
    ] {
        symlink(root().join(source), directory.path().join(name)).expect("it is new");
    }
    let completed = |words: &str, function: &str| {
        let script = format!(
            "source '{}/git-tblame'; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             {function} tblame \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; echo \"${{COMPREPLY[@]}}\"",
            directory.path().display()
        );
        let output = Command::new("bash")
            .args(["--noprofile", "--norc", "-c", &script])
            .output()
            .expect("bash is installed");
        String::from_utf8(output.stdout).expect("all names are ASCII")
    };
    for (words, wanted) in [
        ("--diff-algorithm ''", "myers minimal patience histogram\n"),
        ("--diff-algorithm =", "myers minimal patience histogram\n"),
        ("--diff-algorithm = pa", "patience\n"),
        ("--line-hi", "--line-history\n"),
        ("--deletions --porc", "--porcelain\n"),
    ] {
        let git = completed(&format!("git tblame {words}"), "_git_tblame");
        let own = completed(&format!("tblame {words}"), "_tblame_with_revisions");
        assert_eq!((&*git, &*own), (wanted, wanted), "{words}");
    }
}

/// The syntax definitions are in the program, with the licences of those who wrote them.
#[test]
fn the_licences_of_syntaxes_are_listed() {
    let acknowledgements = two_face::acknowledgement::listing();
    let licences = acknowledgements.for_syntaxes();
    assert!(licences.len() > 50, "{}", licences.len());
    let mut listed = "# Licences of the syntax definitions\n\n\
        The program has the syntax definitions of the package two-face, by the authors below. Many of their\n\
        expressions are changed to forms that match the same and take less time to compile.\n"
        .to_owned();
    for licence in licences {
        listed.push('\n');
        licence.write_md(&mut listed);
    }
    let path = "assets/packaging/generated/SYNTAX-LICENSES.md";
    if std::env::var_os("TBLAME_WRITE_DOCS").is_some() {
        fs::write(root().join(path), &listed).expect("it is writable");
    }
    assert!(
        text(path) == listed,
        "{path} is out of date: run this test with TBLAME_WRITE_DOCS=1"
    );
}

#[test]
fn a_release_has_all_targets() {
    let workflow = text(".github/workflows/release.yml");
    let built = workflow
        .lines()
        .filter_map(|line| line.split_once("{ target: ")?.1.split(',').next());
    assert_eq!(BTreeSet::from_iter(built), BTreeSet::from(TARGETS));
    let rules: DocumentMut = text("assets/packaging/deny.toml")
        .parse()
        .expect("it is TOML");
    let checked = rules["graph"]["targets"].as_array().expect("a list");
    for target in TARGETS {
        assert!(
            checked.iter().any(|it| it.as_str() == Some(target)),
            "{target}"
        );
    }
}

#[test]
fn changes_are_listed_by_version() {
    let changes = text("CHANGELOG.md");
    let mut versions = 0;
    for line in changes.lines() {
        if let Some(version) = line.strip_prefix("## ") {
            let is_first = versions == 0;
            assert_eq!(version == "[Unreleased]", is_first, "{line}");
            assert!(is_first || version.starts_with('['), "{line}");
            versions += 1;
        } else if let Some(kind) = line.strip_prefix("### ") {
            let kinds = [
                "Added",
                "Changed",
                "Deprecated",
                "Removed",
                "Fixed",
                "Security",
            ];
            assert!(kinds.contains(&kind), "{line}");
        }
    }
    assert!(versions > 0);
}

/// The address in `assets/packaging/address`.
fn address(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| !line.is_empty() && !line.starts_with('#'))
}

#[test]
fn the_address_is_in_one_place() {
    let address = text("assets/packaging/address");
    let address = self::address(&address);
    let manifest = manifest();
    let repository = manifest["package"].get("repository").and_then(Item::as_str);
    assert_eq!(repository, address, "run assets/packaging/fill");
    if let Some(address) = address {
        for entry in fs::read_dir(root().join("assets/packaging/templates")).expect("a directory") {
            let path = entry.expect("it can be listed").path();
            let template = fs::read_to_string(&path).expect("templates are text");
            assert!(!template.contains(address), "{}", path.display());
        }
    }
}

#[test]
fn templates_are_filled() {
    let scratch = tempfile::tempdir().expect("a temporary directory can be made");
    let packaging = scratch.path().join("assets/packaging");
    let archives = scratch.path().join("archives");
    fs::create_dir_all(&packaging).expect("it is new");
    fs::create_dir(&archives).expect("it is new");
    for name in ["fill", "templates"] {
        symlink(
            root().join("assets/packaging").join(name),
            packaging.join(name),
        )
        .expect("it is new");
    }
    let manifest = text("Cargo.toml");
    let write = |path: &Path, text: &str| fs::write(path, text).expect("it can be written");
    write(&scratch.path().join("Cargo.toml"), &manifest);
    let run = || {
        let mut command = Command::new(packaging.join("fill"));
        ProgramOutput::of(command.arg(&archives))
    };
    for refused in ["# none\n", "\n", "example.com/tblame\n", "https://a b/c\n"] {
        write(&packaging.join("address"), refused);
        assert_eq!(run().status, Some(1), "{refused}");
        let unchanged = fs::read_to_string(scratch.path().join("Cargo.toml"));
        assert_eq!(unchanged.expect("it is there"), manifest);
    }
    write(
        &packaging.join("address"),
        "# a comment\n\nhttps://example.com/owner/tblame/\n",
    );
    let version = env!("CARGO_PKG_VERSION");
    let mut sums = String::new();
    for (at, target) in TARGETS.iter().enumerate() {
        sums += &format!("{at:064x}  tblame-{version}-{target}.tar.gz\n");
    }
    write(&archives.join("SHA256SUMS"), &sums);
    let repository = "\nrepository = \"https://example.com/owner/tblame\"\n";
    for _ in 0..2 {
        let output = run();
        assert_eq!(output.status, Some(0), "{}", output.stderr.escape_ascii());
        let filled = fs::read_to_string(scratch.path().join("Cargo.toml")).expect("it is there");
        assert_eq!(filled.matches(repository).count(), 1, "{filled}");
        filled.parse::<DocumentMut>().expect("it is still TOML");
    }
    let mut urls = 0;
    for entry in fs::read_dir(root().join("assets/packaging/templates")).expect("it is a directory")
    {
        let name = entry.expect("it can be listed").file_name();
        let filled = fs::read_to_string(archives.join(&name)).expect("it was written");
        for placeholder in ["@ADDRESS", "@VERSION", "@SHA256"] {
            assert!(!filled.contains(placeholder), "{name:?}: {filled}");
        }
        for line in filled
            .lines()
            .filter(|line| line.contains("url") && line.contains(version))
        {
            let archive = line.rsplit('/').next().unwrap_or_default();
            assert!(line.contains("https://example.com/owner/tblame/releases/download/v"));
            assert!(
                sums.contains(archive.trim_end_matches(['"', ','])),
                "{line}"
            );
            urls += 1;
        }
    }
    assert_eq!(urls, 6);
    // A checksum is missing.
    write(&archives.join("SHA256SUMS"), "");
    assert_eq!(run().status, Some(1));
}
