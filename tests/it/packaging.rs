//! What packages are made from: lists agree with `Cargo.toml`, files exist, and the public address is in one place.

use std::{
    collections::BTreeSet,
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use bstr::ByteSlice;

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
    lines.find(|line| {
        !line.is_empty() && !line.starts_with('#') && !line.starts_with("maintainer = ")
    })
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

/// The scripts of packages with copies of what they change, and without what takes long.
struct Scratch {
    directory: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Scratch {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let packaging = directory.path().join("assets/packaging");
        fs::create_dir_all(&packaging).expect("it is new");
        let link = |name: &str| {
            let target = root().join(name);
            symlink(target, directory.path().join(name)).expect("it is new");
        };
        for entry in fs::read_dir(root().join("assets/packaging")).expect("a directory") {
            let name = entry.expect("it can be listed").file_name();
            let name = name.into_string().expect("all names are ASCII");
            if !["address", "licenses"].contains(&&*name) {
                link(&format!("assets/packaging/{name}"));
            }
        }
        for entry in fs::read_dir(root().join("assets")).expect("a directory") {
            let name = entry.expect("it can be listed").file_name();
            let name = name.into_string().expect("all names are ASCII");
            if name != "packaging" {
                link(&format!("assets/{name}"));
            }
        }
        let others = [
            "README.md",
            "CONTRIBUTING.md",
            "CHANGELOG.md",
            "Cargo.lock",
            "SECURITY.md",
            "docs",
            "tests",
            "src",
        ];
        let others = others.into_iter().chain(["LICENSE-MIT", "LICENSE-APACHE"]);
        others.for_each(link);
        let scratch = Scratch { directory };
        scratch.write("Cargo.toml", &text("Cargo.toml"));
        scratch.write("assets/packaging/address", "# none\n");
        scratch.write(
            "assets/packaging/licenses",
            "#!/bin/sh\necho licences of $1\n",
        );
        let licenses = scratch.path("assets/packaging/licenses");
        fs::set_permissions(licenses, Permissions::from_mode(0o755)).expect("it is one's own");
        scratch
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        // What is a link stays as it is.
        fs::remove_file(&path).ok();
        fs::create_dir_all(path.parent().expect("it is in a directory")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn run(&self, script: &str, args: &[&str]) -> ProgramOutput {
        let mut command = Command::new(self.path("assets/packaging").join(script));
        command.args(args).current_dir(self.directory.path());
        ProgramOutput::of(command.env("SOURCE_DATE_EPOCH", "1750000000"))
    }

    /// Runs a script that must succeed.
    fn succeed(&self, script: &str, args: &[&str]) {
        let output = self.run(script, args);
        let (out, err) = (output.stdout.as_bstr(), output.stderr.as_bstr());
        assert_eq!(output.status, Some(0), "{script} {args:?}: {out} {err}");
    }
}

const ADDRESS: &str = "# a comment\n\nhttps://example.com/owner/tblame/\nmaintainer = A U Thor <author@example.com>\n";

#[test]
fn templates_are_filled() {
    let scratch = Scratch::new();
    let manifest = text("Cargo.toml");
    for refused in [
        "# none\n",
        "\n",
        "example.com/tblame\n",
        "https://a b/c\n",
        "https://example.com/o/t\nmaintainer = nobody\n",
    ] {
        scratch.write("assets/packaging/address", refused);
        assert_eq!(scratch.run("fill", &["."]).status, Some(1), "{refused}");
        assert_eq!(scratch.read("Cargo.toml"), manifest);
    }
    scratch.write("assets/packaging/address", ADDRESS);
    let version = env!("CARGO_PKG_VERSION");
    let mut sums = String::new();
    for (at, target) in TARGETS.iter().enumerate() {
        let suffix = if target.contains("windows") {
            "zip"
        } else {
            "tar.gz"
        };
        sums += &format!("{at:064x}  tblame-{version}-{target}.{suffix}\n");
    }
    scratch.write("archives/SHA256SUMS", &sums);
    let repository = "\nrepository = \"https://example.com/owner/tblame\"\n";
    for _ in 0..2 {
        scratch.succeed("fill", &["archives"]);
        let filled = scratch.read("Cargo.toml");
        assert_eq!(filled.matches(repository).count(), 1, "{filled}");
        filled.parse::<DocumentMut>().expect("it is still TOML");
    }
    let mut urls = 0;
    for entry in fs::read_dir(root().join("assets/packaging/templates")).expect("it is a directory")
    {
        let name = entry.expect("it can be listed").file_name();
        let name = name.into_string().expect("all names are ASCII");
        let filled = scratch.read(&format!("archives/{name}"));
        for placeholder in ["@ADDRESS", "@VERSION", "@SHA256", "@MAINTAINER"] {
            assert!(!filled.contains(placeholder), "{name}: {filled}");
        }
        for line in filled
            .lines()
            .filter(|line| line.contains("/releases/download/v0"))
        {
            let archive = line.rsplit('/').next().unwrap_or_default();
            assert!(line.contains("https://example.com/owner/tblame/releases/download/v"));
            assert!(
                sums.contains(archive.trim_end_matches(['"', ',', ')'])),
                "{line}"
            );
            urls += 1;
        }
        let checksums = filled.matches(&"0".repeat(63)).count();
        assert_eq!(
            checksums,
            filled.matches("/releases/download/v0").count(),
            "{name}"
        );
    }
    assert_eq!(urls, 8);
    // A checksum is missing.
    scratch.write("archives/SHA256SUMS", "");
    assert_eq!(scratch.run("fill", &["archives"]).status, Some(1));
}

#[test]
fn a_release_is_checked_before_it_is_built() {
    let scratch = Scratch::new();
    let version = env!("CARGO_PKG_VERSION");
    let tag = format!("v{version}");
    let changes = format!(
        "# Changelog\n\n## [Unreleased]\n\n## [{version}] - 2026-01-31\n\nThe first.\n\n## [0.0.1] - x\n\nOld.\n"
    );
    let manifest = text("Cargo.toml");
    let check = |tag: &str| scratch.run("check-release", &[tag, "notes.md"]).status;
    let make_good = || {
        scratch.write("assets/packaging/address", ADDRESS);
        scratch.write("CHANGELOG.md", &changes);
        scratch.write("Cargo.toml", &manifest);
        scratch.succeed("fill", &[]);
    };
    make_good();
    scratch.succeed("check-release", &[&tag, "notes.md"]);
    assert_eq!(scratch.read("notes.md"), "The first.\n");
    assert_eq!(check("v9.9.9"), Some(1));
    scratch.write(
        "assets/packaging/address",
        "https://example.com/owner/tblame\n",
    );
    assert_eq!(check(&tag), Some(1));
    scratch.write("assets/packaging/address", "# none\n");
    assert_eq!(check(&tag), Some(1));
    make_good();
    scratch.write("CHANGELOG.md", &changes.replace(" - 2026-01-31", ""));
    assert_eq!(check(&tag), Some(1));
    scratch.write("CHANGELOG.md", &changes.replace("The first.", ""));
    assert_eq!(check(&tag), Some(1));
    make_good();
    scratch.write("Cargo.toml", &manifest);
    assert_eq!(check(&tag), Some(1));
    make_good();
    assert_eq!(check(&tag), Some(0));
}

/// The links of Markdown in the files below `directory` lead to files there, and there are no pictures.
fn check_links(directory: &Path) -> usize {
    let mut links = 0;
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("it is a directory") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let shown = path.display();
                let text = fs::read_to_string(&path).expect("documents are text");
                assert!(
                    !text.contains("<img") && !text.contains("<picture") && !text.contains("!["),
                    "{shown}"
                );
                for link in text.split("](").skip(1) {
                    let target = link.split(')').next().unwrap_or_default();
                    let file = target.split('#').next().unwrap_or_default();
                    if file.is_empty() || file.starts_with("https://") {
                        continue;
                    }
                    let place = path.parent().expect("it is in a directory").join(file);
                    assert!(place.exists(), "{shown}: {target}");
                    links += 1;
                }
            }
        }
    }
    links
}

#[test]
fn packages_have_documents_without_broken_links() {
    let scratch = Scratch::new();
    scratch.succeed("documents", &["without"]);
    scratch.write("assets/packaging/address", ADDRESS);
    scratch.succeed("documents", &["with"]);
    let mut names = BTreeSet::new();
    for directory in ["without", "with"] {
        // In archives, these are beside them.
        for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
            scratch.write(&format!("{directory}/{name}"), "");
        }
        let links = check_links(&scratch.path(directory));
        assert!(links > 20, "{links}");
        let docs = fs::read_dir(scratch.path(directory).join("docs")).expect("it is a directory");
        names.extend(docs.map(|entry| entry.expect("it can be listed").file_name()));
    }
    assert!(names.len() > 10, "{names:?}");
    let without = scratch.read("without/README.md");
    let with = scratch.read("with/README.md");
    assert!(
        !without.contains("example.com")
            && with.contains("](https://example.com/owner/tblame/blob/v")
    );
}

/// An archive has everything, and the PKGBUILD installs all of it. `git tblame` runs the launcher, as programs do that find it
/// under the name `git`.
#[test]
fn archives_are_packed() {
    let scratch = Scratch::new();
    scratch.write("assets/packaging/address", ADDRESS);
    scratch.write("programs/tblame", "#!/bin/sh\n");
    scratch.write("programs/git-tblame", "#!/bin/sh\n");
    let target = "x86_64-unknown-linux-musl";
    for out in ["archives", "again"] {
        scratch.succeed("pack", &[target, "programs", out]);
    }
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("tblame-{version}-{target}");
    let read = |out: &str| {
        fs::read(scratch.path(out).join(format!("{name}.tar.gz"))).expect("it was written")
    };
    assert!(
        read("archives") == read("again"),
        "the same files give another archive"
    );
    let unpack = Command::new("tar")
        .args(["-xzf", &format!("archives/{name}.tar.gz")])
        .current_dir(scratch.directory.path())
        .status();
    assert!(unpack.expect("tar is installed").success());
    let files = [
        "tblame",
        "git-tblame",
        "tblame.1",
        "git-tblame.1",
        "README.md",
        "CHANGELOG.md",
        "LICENSE-MIT",
        "THIRD-PARTY-LICENSES.txt",
        "SYNTAX-LICENSES.md",
        "completions/tblame.bash",
        "completions/git-tblame.bash",
        "completions/_tblame",
        "completions/_git-tblame",
        "completions/_tblame.ps1",
        "completions/tblame.fish",
        "completions/git-tblame.fish",
        "completions/tblame.elv",
        "docs/usage.md",
    ];
    for file in files {
        assert!(scratch.path(&name).join(file).is_file(), "{file}");
    }
    assert!(check_links(&scratch.path(&name)) > 20);
    let missing = TARGETS.map(|target| target.to_owned());
    let missing = Vec::from_iter(missing.iter().map(String::as_str));
    assert_eq!(
        scratch
            .run("checksums", &[&["archives"], &*missing].concat())
            .status,
        Some(1)
    );
    scratch.succeed("checksums", &["archives", target]);
    let sums = scratch.read("archives/SHA256SUMS");
    assert!(
        sums.ends_with(&format!("  {name}.tar.gz\n")) && sums.len() == 64 + 2 + name.len() + 8,
        "{sums}"
    );
    let template = text("assets/packaging/templates/PKGBUILD").replace("@VERSION@", version);
    scratch.write("PKGBUILD", &template);
    let script = "set -eu; pkgdir=$PWD/package srcdir=$PWD CARCH=x86_64; . ./PKGBUILD; package";
    let installed = Command::new("bash")
        .args(["-c", script])
        .current_dir(scratch.directory.path())
        .status();
    assert!(installed.expect("bash is installed").success());
    for file in [
        "bin/tblame",
        "bin/git-tblame",
        "share/man/man1/tblame.1",
        "share/man/man1/git-tblame.1",
        "share/bash-completion/completions/tblame",
        "share/bash-completion/completions/git-tblame",
        "share/zsh/site-functions/_tblame",
        "share/fish/vendor_completions.d/git-tblame.fish",
        "share/doc/tblame/docs/usage.md",
        "share/licenses/tblame-bin/THIRD-PARTY-LICENSES.txt",
    ] {
        assert!(scratch.path("package/usr").join(file).is_file(), "{file}");
    }
}

/// Every step of the workflows that is a script exists, is executable and is named as it is called.
#[test]
fn workflows_run_scripts_that_exist() {
    let mut count = 0;
    for workflow in ["ci.yml", "release.yml"] {
        let workflow = text(&format!(".github/workflows/{workflow}"));
        for word in workflow.split_whitespace() {
            if word.starts_with("assets/packaging/") || word == ".ci/run" {
                let metadata = fs::metadata(root().join(word))
                    .unwrap_or_else(|error| panic!("{word}: {error}"));
                let is_script = metadata.permissions().mode() & 0o111 != 0;
                assert!(is_script || word == "assets/packaging/toolchain", "{word}");
                count += 1;
            }
        }
        for action in workflow
            .lines()
            .filter_map(|line| line.split_once("uses: "))
        {
            let (name, version) = action
                .1
                .split_once(" # v")
                .expect("the version of an action is beside it");
            let commit = name.split_once('@').expect("an action is pinned").1;
            assert!(
                commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()),
                "{name} {version}"
            );
        }
        assert_eq!(
            workflow.matches("runs-on:").count(),
            workflow.matches("timeout-minutes:").count()
        );
        assert!(workflow.contains("\npermissions:\n  contents: read\n"));
    }
    assert!(count > 12, "{count}");
}
