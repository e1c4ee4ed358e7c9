//! Configuration: every variable that git validates or uses in a blame, with valid and invalid values
//! and without one, from the repository's file, an included file, the user's file and the command
//! line; the syntax of files; includes and their conditions.

use std::ffi::OsStr;

use super::{Cases, breadth};
use crate::harness::{
    command_lines::two_commits,
    compare::assert_same,
    git::{git_program, git_version},
    program::{ProgramOutput, tblame_program},
    repository::TestRepo,
    rng::Rng,
};

/// Variables with an effect on a blame that every git since 2.47 treats alike, and some that no git reads.
const VARIABLES: &[&str] = &[
    "alias.blame",
    "attr.tree",
    "blame.blankBoundary",
    "blame.coloring",
    "blame.date",
    "blame.ignoreRevsFile",
    "blame.markIgnoredLines",
    "blame.markUnblamableLines",
    "blame.nosuch",
    "blame.showEmail",
    "blame.showRoot",
    "branch.main.merge",
    "color.blame.highlightRecent",
    "color.blame.repeatedLines",
    "core.abbrev",
    "core.attributesFile",
    "core.autocrlf",
    "core.bare",
    "core.eol",
    "core.ignoreCase",
    "core.quotePath",
    "core.repositoryFormatVersion",
    "core.useReplaceRefs",
    "core.worktree",
    "diff.indentHeuristic",
    "diff.q.binary",
    "diff.q.cachetextconv",
    "diff.q.funcname",
    "diff.q.textconv",
    "diff.q.xfuncname",
    "extensions.compatObjectFormat",
    "extensions.noop",
    "extensions.noop-v1",
    "extensions.nosuch",
    "extensions.objectFormat",
    "extensions.partialClone",
    "extensions.preciousObjects",
    "extensions.refStorage",
    "extensions.worktreeConfig",
    "filter.q.clean",
    "filter.q.process",
    "filter.q.required",
    "filter.q.smudge",
    "i18n.commitEncoding",
    "i18n.logOutputEncoding",
    "include.path",
    "remote.main.partialclonefilter",
    "remote.main.promisor",
];

/// Variables with an effect that newer gits treat otherwise than older ones.
const NEWER: &[&str] = &[
    "diff.algorithm",
    "extensions.relativeWorktrees",
    "mailmap.blob",
    "mailmap.file",
];

/// Variables whose values git validates, but that change no blame.
const IGNORED: &[&str] = &[
    "advice.detachedHead",
    "advice.graftFileDeprecated",
    "advice.nestedTag",
    "advice.nosuch",
    "author.email",
    "author.name",
    "branch.autoSetupMerge",
    "branch.autoSetupRebase",
    "color.advice",
    "color.advice.hint",
    "color.pager",
    "color.ui",
    "commitGraph.changedPathsVersion",
    "commitGraph.generationVersion",
    "commitGraph.readChangedPaths",
    "committer.email",
    "committer.name",
    "core.askPass",
    "core.bigFileThreshold",
    "core.checkRoundtripEncoding",
    "core.checkStat",
    "core.commentChar",
    "core.commentString",
    "core.commitGraph",
    "core.compression",
    "core.createObject",
    "core.deltaBaseCacheLimit",
    "core.editor",
    "core.excludesFile",
    "core.fileMode",
    "core.fsync",
    "core.fsyncMethod",
    "core.fsyncObjectFiles",
    "core.hooksPath",
    "core.ignoreStat",
    "core.lockfilePid",
    "core.logAllRefUpdates",
    "core.looseCompression",
    "core.maxTreeDepth",
    "core.multiPackIndex",
    "core.notesRef",
    "core.packedGitLimit",
    "core.packedGitWindowSize",
    "core.pager",
    "core.precomposeUnicode",
    "core.preloadIndex",
    "core.protectHFS",
    "core.protectNTFS",
    "core.safecrlf",
    "core.sharedRepository",
    "core.sparseCheckout",
    "core.sparseCheckoutCone",
    "core.symlinks",
    "core.trustctime",
    "core.untrackedCache",
    "core.warnAmbiguousRefs",
    "core.whitespace",
    "diff.q.algorithm",
    "diff.q.command",
    "diff.q.trustExitCode",
    "diff.q.wordRegex",
    "diff.renames",
    "feature.experimental",
    "feature.manyFiles",
    "fetch.negotiationAlgorithm",
    "fetch.writeCommitGraph",
    "gc.writeCommitGraph",
    "index.skipHash",
    "index.sparse",
    "index.threads",
    "index.version",
    "log.date",
    "pack.compression",
    "pack.packSizeLimit",
    "pack.readReverseIndex",
    "pack.useBitmapBoundaryTraversal",
    "pack.usePathWalk",
    "pack.useSparse",
    "push.default",
    "sparse.expectFilesOutsideOfPatterns",
    "user.email",
    "user.name",
    "user.useConfigOnly",
];

/// The first git that treats [`NEWER`] as this program does, as far as it was tried.
const NEWEST: (u32, u32) = (2, 56);

/// Values as written in a file; an empty one is written as such.
const VALUES: &[&str] = &[
    "",
    "x",
    "-1",
    "0",
    "1",
    "4",
    "12",
    "99",
    "true",
    "no",
    "auto",
    "always",
    "input",
    "0x10",
    "010",
    "08",
    "1k",
    "2g",
    "99999999999",
    "18446744073709551616",
    "~nouser/x",
    "~/x",
    "\"a b\"",
    "red",
    "default",
    "sha1",
    "sha256",
    "files",
    "short",
    "fsync",
    "tab-in-indent,indent-with-non-tab",
];

/// Where a variable is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Local,
    Included,
    Global,
    Count,
    Parameters,
}

/// The settings of a repository while a case runs.
struct Settings {
    repository: TestRepo,
    original: Vec<u8>,
}

impl Settings {
    fn new() -> Settings {
        let repository = two_commits();
        repository.write(b".gitattributes", b"*.q diff=q\n");
        repository.write(b"b.q", b"int main()\n{\n\ty;\n}\n");
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "attributes"]);
        let original = std::fs::read(repository.root().join(".git/config")).expect("git made it");
        Settings {
            repository,
            original,
        }
    }

    /// Writes `text` after the repository's own settings.
    fn write(&self, text: &str) {
        let config = [&self.original, text.as_bytes()].concat();
        self.repository.write(b".git/config", &config);
    }

    /// Compares with `text` after the repository's own settings.
    fn compare(&self, cases: &mut Cases, text: &str, environment: &[(&str, &str)], args: &[&str]) {
        self.write(text);
        let root = self.repository.root();
        let case = format!("{text:?} {environment:?}");
        cases.compare_in(&self.repository, root, environment, &case, args);
    }

    fn variable(
        &self,
        cases: &mut Cases,
        key: &str,
        value: Option<&str>,
        source: Source,
        args: &[&str],
    ) {
        let text = assignment(key, value);
        let plain = value.map(|value| value.trim_matches('"'));
        let file = self.repository.root().join("../other.config");
        let file = file.to_str().expect("UTF-8");
        match source {
            Source::Local => self.compare(cases, &text, &[], args),
            Source::Included => {
                std::fs::write(file, &text).expect("it can be written");
                let include = "[include]\n\tpath = ../../other.config\n";
                self.compare(cases, include, &[], args);
            }
            Source::Global => {
                std::fs::write(file, &text).expect("it can be written");
                self.compare(cases, "", &[("GIT_CONFIG_GLOBAL", file)], args);
            }
            Source::Count => {
                let environment = [
                    ("GIT_CONFIG_COUNT", "1"),
                    ("GIT_CONFIG_KEY_0", key),
                    ("GIT_CONFIG_VALUE_0", plain.unwrap_or_default()),
                ];
                self.compare(cases, "", &environment, args);
            }
            Source::Parameters => {
                let parameter = match plain {
                    Some(value) => format!("'{key}={value}'"),
                    None => format!("'{key}'"),
                };
                self.compare(cases, "", &[("GIT_CONFIG_PARAMETERS", &parameter)], args);
            }
        }
    }
}

/// A variable as a file has it.
fn assignment(key: &str, value: Option<&str>) -> String {
    let (section, name) = key.rsplit_once('.').expect("a dot");
    let header = match section.split_once('.') {
        Some((section, subsection)) => format!("[{section} \"{subsection}\"]"),
        None => format!("[{section}]"),
    };
    match value {
        Some(value) => format!("{header}\n\t{name} = {value}\n"),
        None => format!("{header}\n\t{name}\n"),
    }
}

/// Whether git crashes, refuses what this program need not refuse, or reports an error of the command line first; see
/// "Known differences".
fn is_known_difference(key: &str, value: Option<&str>, arguments: &[&str]) -> bool {
    match key {
        "color.blame.highlightRecent" | "color.blame.repeatedLines" => value.is_none(),
        "core.useReplaceRefs" | "mailmap.blob" | "mailmap.file" => {
            arguments.last().is_some_and(|last| last.contains("nosuch"))
        }
        _ => false,
    }
}

#[test]
fn variables() {
    let settings = Settings::new();
    let mut cases = Cases::new("configuration variables");
    let mut rng = Rng::new(12);
    let newer: &[&str] = if git_version() < NEWEST { &[] } else { NEWER };
    let keys = Vec::from_iter(VARIABLES.iter().chain(newer).copied());
    let sources = [
        Source::Local,
        Source::Included,
        Source::Global,
        Source::Count,
        Source::Parameters,
    ];
    let arguments: [&[&str]; 5] = [
        &["a.txt"],
        &["--porcelain", "HEAD", "--", "a.txt"],
        &["HEAD", "--", "b.q"],
        &["--nosuch"],
        &["nosuch"],
    ];
    for &key in &keys {
        for _ in 0..3 * breadth() {
            let value = if rng.chance(20) {
                None
            } else {
                Some(*rng.pick(VALUES))
            };
            let source = *rng.pick(&sources);
            let arguments = if rng.chance(60) {
                arguments[0]
            } else {
                *rng.pick(&arguments)
            };
            if !is_known_difference(key, value, arguments) {
                settings.variable(&mut cases, key, value, source, arguments);
            }
        }
    }
    cases.finish(120);
}

/// Variables without effect change nothing, whatever their values; git refuses some of them.
#[test]
fn ignored_variables() {
    let settings = Settings::new();
    let repository = &settings.repository;
    let arguments: [&[&str]; 3] = [
        &["a.txt"],
        &["--porcelain", "HEAD", "--", "a.txt"],
        &["HEAD", "--", "b.q"],
    ];
    let run = |program: &OsStr, first, arguments: &[&str]| {
        let mut command = repository.command(program);
        command.arg(first).args(arguments);
        let output = ProgramOutput::of(command.current_dir(repository.root()));
        (output.status, output.stdout)
    };
    let blamed = arguments.map(|arguments| assert_same(repository, arguments));
    let mut rng = Rng::new(78);
    let (mut taken, mut refused) = (0, 0);
    for &key in IGNORED {
        for _ in 0..2 * breadth() {
            let value = rng.chance(80).then(|| *rng.pick(VALUES));
            let at = rng.below(arguments.len());
            settings.write(&assignment(key, value));
            let case = format!("{key} {value:?} {:?}", arguments[at]);
            let expected = (Some(0), blamed[at].stdout.clone());
            let ours = run(tblame_program().as_os_str(), "--threads=1", arguments[at]);
            assert_eq!(ours, expected, "{case}");
            match run(git_program(), "blame", arguments[at]) {
                (Some(0), git) => {
                    assert_eq!(git, expected.1, "{case}");
                    taken += 1;
                }
                _ => refused += 1,
            }
        }
    }
    assert!(
        taken > 30 && refused > 30,
        "{taken} taken, {refused} refused"
    );
}

/// Random text of the pieces of a file.
#[test]
fn syntax() {
    const PIECES: &[&str] = &[
        "[blame]",
        "[Blame]",
        "[core]",
        "[blame \"x\"]",
        "[color.Blame]",
        "[diff \"q\"]",
        "[a.b]",
        "\n",
        "\n",
        "\n",
        "\r\n",
        "\t",
        " ",
        "coloring",
        "coloring = ",
        "coloring=x",
        "showRoot",
        "showEmail = true",
        "abbrev = 3",
        "abbrev = 9",
        "repeatedLines = y",
        "=",
        "\"",
        "\"a b\"",
        "\\",
        "\\\\",
        "\\n",
        "\\t",
        "\\\"",
        "\\x",
        "\\\n",
        "# c",
        "; c",
        "a",
        "b c",
        "0x10",
        "]",
        "[",
        "é",
        "\u{1}",
    ];
    let settings = Settings::new();
    let mut cases = Cases::new("configuration syntax");
    let mut rng = Rng::new(34);
    for _ in 0..120 * breadth() {
        let mut text = String::from(*rng.pick(&["[blame]\n\tcoloring = ", "[blame]\n", ""]));
        for _ in 0..rng.between(1, 9) {
            let piece = rng.pick::<&str>(PIECES);
            text.push_str(piece);
        }
        if rng.chance(50) {
            text.push_str("\n[core]\n\tabbrev = 2\n");
        }
        settings.compare(&mut cases, &text, &[], &["-s", "a.txt"]);
    }
    cases.finish(100);
}

#[test]
fn includes() {
    let settings = Settings::new();
    let mut cases = Cases::new("configuration includes");
    let root = settings.repository.root().to_str().expect("UTF-8");
    let other = settings.repository.root().join("../other.config");
    let other = other.to_str().expect("UTF-8");
    let remote = "[remote \"o\"]\n\turl = http://x/y\n";
    let mut conditions = Vec::from(
        [
            "onbranch:main",
            "onbranch:m*",
            "onbranch:Main",
            "onbranch:main/",
            "onbranch:",
            "gitdir:repo/",
            "gitdir:.git",
            "gitdir:**/.git",
            "gitdir:./",
            "gitdir:.",
            "gitdir:",
            "gitdir:~/repo/",
            "gitdir:~/",
            "gitdir:~nouser/",
            "gitdir/i:REPO/",
            "gitdir:REPO/",
            "Gitdir:repo/",
            "foo:bar",
            "hasconfig:remote.*.url:http://x/*",
            "hasconfig:remote.*.url:http://**",
            "hasconfig:remote.o.url:http://x/y",
            "hasconfig:remote.*.url:z",
        ]
        .map(ToOwned::to_owned),
    );
    conditions.extend([
        format!("gitdir:{root}/"),
        format!("gitdir:{root}/.git"),
        format!("gitdir:{root}"),
        format!("gitdir:{root}/*"),
        format!("gitdir/i:{}/", root.to_uppercase()),
    ]);
    if git_version() >= NEWEST {
        conditions.extend(
            [
                "worktree:repo",
                "worktree:./",
                "worktree/i:REPO",
                "worktree:x/",
            ]
            .map(ToOwned::to_owned),
        );
        conditions.extend([format!("worktree:{root}"), format!("worktree:{root}/")]);
    }
    let texts = [
        "[blame]\n\tcoloring = included\n",
        "[core]\n\n\tabbrev = 3\n",
        "[core]\n\tabbrev = x\n",
        "[blame\n",
        "[remote \"z\"]\n\turl = q\n",
    ];
    for (nth, condition) in conditions.iter().enumerate() {
        let names = ["includeIf", "IncludeIF"];
        for text in texts
            .iter()
            .cycle()
            .skip(nth % texts.len())
            .take(2 * breadth().min(2))
        {
            std::fs::write(other, text).expect("it can be written");
            let name = names[nth % 2];
            let include = format!("{remote}[{name} \"{condition}\"]\n\tpath = {other}\n");
            settings.compare(&mut cases, &include, &[], &["-s", "a.txt"]);
            // Older gits do not include the file if a relative condition has no file.
            if condition.ends_with(":./") && git_version() < NEWEST {
                continue;
            }
            let key = format!("includeIf.{condition}.path");
            let environment = [
                ("GIT_CONFIG_COUNT", "1"),
                ("GIT_CONFIG_KEY_0", key.as_str()),
                ("GIT_CONFIG_VALUE_0", other),
            ];
            settings.compare(&mut cases, remote, &environment, &["-s", "a.txt"]);
        }
    }
    std::fs::write(other, texts[0]).expect("it can be written");
    for path in [
        "config",
        "nosuch",
        ".",
        "../../other.config",
        "~/other.config",
        "~nouser/x",
        "",
    ] {
        for header in [
            "include",
            "INCLUDE",
            "include \"x\"",
            "includeIf",
            "includeIf \"\"",
            "includeIf.path",
        ] {
            let text = format!("[{header}]\n\tpath = {path}\n[core]\n\tabbrev = 2\n");
            settings.compare(&mut cases, &text, &[], &["-s", "a.txt"]);
        }
        let parameter = format!("'include.path={path}'");
        settings.compare(
            &mut cases,
            "",
            &[("GIT_CONFIG_PARAMETERS", &parameter)],
            &["a.txt"],
        );
    }
    cases.finish(120);
}

#[test]
fn environment() {
    let settings = Settings::new();
    let mut cases = Cases::new("configuration in the environment");
    let parameters = [
        "'core.abbrev=3'",
        "'core.abbrev'='3'",
        "'core.abbrev'",
        "core.abbrev=3",
        "'core.abbrev",
        "'nokey=x'",
        "'a b=x'",
        "'.x=y'",
        "'core.=x'",
        "''",
        "'='",
        "'=x'",
        "'blame.coloring='",
        "'blame.coloring=a' 'blame.coloring=b'",
        "'blame.coloring=a''blame.coloring=b'",
        " 'blame.coloring=a'",
        "'blame.coloring=a\nb'",
        "'blame.colo_ring=x'",
        "'a.b\nc.d=x'",
        "'blame.coloring'=",
        "'blame.coloring'='x' ",
        "'blame.coloring'=x",
        "'a.1=c'",
        "'1a.b=c'",
        "'blame.coloring=it'\\''s'",
        "'Blame.Coloring=a'",
        "'core.abbrev'=''",
        "'core.abbrev=0x3'",
    ];
    for parameter in parameters {
        let environment = [("GIT_CONFIG_PARAMETERS", parameter)];
        settings.compare(&mut cases, "", &environment, &["-s", "a.txt"]);
    }
    let counts = [
        "",
        "0",
        "1",
        "2",
        "-1",
        "x",
        " 1",
        "+1",
        "01",
        "0x1",
        "1k",
        "1x",
        "99999999999",
        "2147483648",
    ];
    for count in counts {
        for key in [
            None,
            Some(""),
            Some("foo"),
            Some("foo."),
            Some("blame.coloring"),
        ] {
            let mut environment = vec![("GIT_CONFIG_COUNT", count)];
            environment.extend(key.map(|key| ("GIT_CONFIG_KEY_0", key)));
            environment.push(("GIT_CONFIG_VALUE_0", "x"));
            settings.compare(&mut cases, "", &environment, &["-s", "a.txt"]);
        }
    }
    for value in ["", "x", "0", "true"] {
        settings.compare(
            &mut cases,
            "",
            &[("GIT_CONFIG_NOSYSTEM", value)],
            &["-s", "a.txt"],
        );
    }
    for file in ["", "/nosuch", "."] {
        settings.compare(
            &mut cases,
            "",
            &[("GIT_CONFIG_GLOBAL", file)],
            &["-s", "a.txt"],
        );
    }
    cases.finish(100);
}

/// Two invalid values, of which git reports the one that it finds first.
#[test]
fn order() {
    let settings = Settings::new();
    let mut cases = Cases::new("configuration order");
    let mut rng = Rng::new(56);
    let keys = [
        "blame.showRoot",
        "core.bare",
        "core.repositoryFormatVersion",
        "filter.q.required",
        "remote.main.promisor",
        "extensions.preciousObjects",
        "diff.q.binary",
        "core.abbrev",
        "core.autocrlf",
        "diff.indentHeuristic",
    ];
    let arguments: [&[&str]; 6] = [
        &["a.txt"],
        &["HEAD", "--", "a.txt"],
        &["--progress", "--porcelain", "a.txt"],
        &["--nosuch", "a.txt"],
        &["-L99", "a.txt"],
        &["nosuch", "--", "a.txt"],
    ];
    for _ in 0..80 * breadth() {
        let mut text = String::new();
        for _ in 0..2 {
            let key: &&str = rng.pick(&keys);
            text.push_str(&assignment(key, Some("bogus")));
        }
        let arguments = *rng.pick(&arguments);
        settings.compare(&mut cases, &text, &[], arguments);
    }
    cases.finish(70);
}

/// Which repositories git refuses for their owner, or for being bare.
#[test]
fn safe_repositories() {
    let repository = two_commits();
    let mut cases = Cases::new("safe repositories");
    let root = repository.root().to_owned();
    let bare = root.join("bare.git");
    repository.git(&["clone", "-q", "--bare", ".", "bare.git"]);
    let global = root.join("../global.config");
    let global = global.to_str().expect("UTF-8");
    let arguments = ["-s", "HEAD", "--", "a.txt"];
    for value in [
        "explicit",
        "all",
        "x",
        "",
        "EXPLICIT",
        "explicit\n\tbareRepository = all",
    ] {
        let text = format!("[safe]\n\tbareRepository = {value}\n");
        std::fs::write(global, text).expect("it can be written");
        let environment = [
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", "safe.bareRepository"),
            ("GIT_CONFIG_VALUE_0", value),
        ];
        for directory in [&root, &root.join(".git"), &bare, &bare.join("refs")] {
            let from_file = [("GIT_CONFIG_GLOBAL", global)];
            cases.compare_in(&repository, directory, &from_file, value, &arguments);
            if !value.contains('\n') {
                cases.compare_in(&repository, directory, &environment, value, &arguments);
            }
        }
        let named = [("GIT_CONFIG_GLOBAL", global), ("GIT_DIR", ".")];
        cases.compare_in(&repository, &bare, &named, value, &arguments);
    }
    // Only root can give files to another user.
    let other = Some(65534);
    let given = [&root, &root.join(".git"), &bare];
    if given
        .iter()
        .any(|path| std::os::unix::fs::chown(path, other, other).is_err())
    {
        return cases.finish(50);
    }
    let path = root.to_str().expect("UTF-8").to_owned();
    let parent = root
        .parent()
        .and_then(|parent| parent.to_str())
        .expect("UTF-8");
    let mut values = Vec::from(
        [
            "*",
            ".",
            "..",
            "/",
            "/*",
            "*/",
            "",
            "./",
            "./*",
            "repo",
            "~nouser/x",
            "~/repo",
            "~/*",
        ]
        .map(ToOwned::to_owned),
    );
    values.extend([
        format!("{path}/"),
        format!("{path}/*"),
        format!("{path}/.git"),
        format!("{path}/bare.git"),
        format!("{path}/..//repo"),
        format!("{parent}/*"),
        format!("{path}\n\tdirectory ="),
        format!("{path}\n\tdirectory"),
        path,
    ]);
    for value in &values {
        for (name, directory) in [
            ("root", &root),
            ("git", &root.join(".git")),
            ("bare", &bare),
        ] {
            let text = format!("[safe]\n\tdirectory = {value}\n");
            std::fs::write(global, &text).expect("it can be written");
            let case = format!("{name} {value}");
            let from_file = [("GIT_CONFIG_GLOBAL", global)];
            cases.compare_in(&repository, directory, &from_file, &case, &arguments);
            let environment = [
                ("GIT_CONFIG_COUNT", "1"),
                ("GIT_CONFIG_KEY_0", "safe.directory"),
                ("GIT_CONFIG_VALUE_0", value),
            ];
            if !value.contains('\n') {
                cases.compare_in(&repository, directory, &environment, &case, &arguments);
            }
        }
    }
    let own = [repository.root().join(".git/config")];
    let before = std::fs::read(&own[0]).expect("git made it");
    for text in [
        "[safe]\n\tdirectory = *\n",
        "[x\n",
        "[core]\n\trepositoryFormatVersion = 9\n",
    ] {
        let config = [&before, text.as_bytes()].concat();
        std::fs::write(&own[0], config).expect("it can be written");
        cases.compare_in(&repository, &root, &[], text, &arguments);
    }
    cases.finish(170);
}
