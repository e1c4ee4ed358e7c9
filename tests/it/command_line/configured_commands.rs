//! Commands that a repository's configuration names: tblame runs those that `git blame` runs, and no others.

use std::{collections::BTreeMap, fs, path::PathBuf, time::Duration};

use crate::harness::{
    command_lines::two_commits,
    compare::{assert_same, assert_same_in},
    git::git_program,
    program::{ProgramOutput, tblame_program, write_script},
    repository::{ObjectFormat, TestRepo},
    session::{Session, tblame_command},
};

/// Configuration keys whose value is a command or the name of a program. `SPY` stands for a command that writes its
/// first argument into a log, and then copies the file that its last argument names or its standard input.
const KEYS: &[(&str, &str)] = &[
    ("alias.blame", "!SPY"),
    ("alias.version", "!SPY"),
    ("browser.spy.cmd", "SPY"),
    ("core.alternateRefsCommand", "SPY"),
    ("core.askPass", "SPY"),
    ("core.editor", "SPY"),
    ("core.fsmonitor", "SPY"),
    ("core.gitProxy", "SPY"),
    ("core.pager", "SPY"),
    ("core.sshCommand", "SPY"),
    ("credential.helper", "!SPY"),
    ("diff.external", "SPY"),
    ("diff.spy.command", "SPY"),
    ("diff.spy.textconv", "SPY"),
    ("diff.tool", "spy"),
    ("difftool.spy.cmd", "SPY"),
    ("filter.spy.clean", "SPY"),
    ("filter.spy.smudge", "SPY"),
    ("gpg.program", "SPY"),
    ("gpg.ssh.program", "SPY"),
    ("interactive.diffFilter", "SPY"),
    ("man.viewer", "spy"),
    ("man.spy.cmd", "SPY"),
    ("merge.spy.driver", "SPY"),
    ("mergetool.spy.cmd", "SPY"),
    ("pager.blame", "SPY"),
    ("remote.origin.receivepack", "SPY"),
    ("remote.origin.uploadpack", "SPY"),
    ("sequence.editor", "SPY"),
    ("submodule.sub.update", "!SPY"),
    ("trailer.spy.cmd", "SPY"),
    ("trailer.spy.command", "SPY"),
    ("uploadpack.packObjectsHook", "SPY"),
    ("web.browser", "spy"),
];

/// Those of [`KEYS`] that git runs for a blame and tblame too.
const GIT_RUNS: [&str; 3] = ["diff.spy.textconv", "filter.spy.clean", "filter.spy.smudge"];

const HOOKS: &[&str] = &[
    "post-checkout",
    "post-index-change",
    "pre-auto-gc",
    "reference-transaction",
];

const ARGUMENTS: &[&[&str]] = &[
    &["--porcelain", "f"],
    &["--incremental", "f"],
    &["-s", "f"],
    &["-s", "HEAD", "--", "f"],
    &["-s", "HEAD~1", "--", "f"],
    &["-s", "-C", "-C", "-C", "f"],
    &["-s", "-M", "-w", "f"],
    &["-s", "--no-textconv", "f"],
    &["-s", "--contents", "f", "f"],
    &["-s", "--contents", "other", "HEAD", "--", "f"],
    &["-s", "--reverse", "HEAD~2..HEAD", "--", "f"],
    &["-s", "--since=2010-01-01", "f"],
    &["-s", "-L", ":two", "f"],
    &["-s", "other"],
    &["--show-email", "--show-stats", "other"],
];

struct Spies {
    repository: TestRepo,
    log: PathBuf,
}

impl Spies {
    fn new() -> Spies {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        repository.write(b".gitattributes", b"f diff=spy filter=spy merge=spy\n");
        for text in ["one\n", "one\ntwo\n", "zero\none\ntwo\n"] {
            repository.write(b"f", text.as_bytes());
            repository.write(b"other", text.as_bytes());
            repository.git(&["add", "."]);
            repository.git(&["commit", "-q", "-m", "a line\n\nSpy: a trailer"]);
        }
        let outside = |name: &str| repository.root().with_file_name(name);
        let (program, log) = (outside("spy"), outside("log"));
        let script = format!(
            "#!/bin/sh\necho \"$1\" >> '{}'\nshift\nfor file; do :; done\nif [ -f \"$file\" ]; then cat \"$file\"; else cat; fi\n",
            log.display()
        );
        write_script(&program, script.as_bytes());
        for (key, value) in KEYS {
            let command = format!("'{}' {key}", program.display());
            repository.git(&["config", key, &value.replace("SPY", &command)]);
        }
        let hooks = repository.root().join(".git/hooks");
        fs::create_dir_all(&hooks).expect("it can be made");
        for hook in HOOKS {
            let script = format!(
                "#!/bin/sh\nexec '{}' hook.{hook} < /dev/null\n",
                program.display()
            );
            write_script(&hooks.join(hook), script.as_bytes());
        }
        fs::write(&log, "").expect("it is writable");
        Spies { repository, log }
    }

    /// How often each command was run since the last call.
    fn take(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for key in fs::read_to_string(&self.log).expect("it is there").lines() {
            *counts.entry(key.to_owned()).or_default() += 1;
        }
        fs::write(&self.log, "").expect("it is writable");
        counts
    }
}

#[test]
fn only_what_git_blame_runs() {
    let spies = Spies::new();
    let mut seen = BTreeMap::<String, usize>::new();
    for arguments in ARGUMENTS {
        let mut command = spies.repository.command(git_program());
        let git = ProgramOutput::of(command.arg("blame").args(*arguments));
        let of_git = spies.take();
        let mut command = spies.repository.command(tblame_program().as_os_str());
        let tblame = ProgramOutput::of(command.args(*arguments));
        let of_tblame = spies.take();
        assert_eq!(tblame.stdout, git.stdout, "{arguments:?}: {tblame:?}");
        // git also asks the file system monitor when it reads the index.
        let expected = of_git.keys().filter(|key| *key != "core.fsmonitor");
        assert!(
            of_tblame.keys().eq(expected),
            "{arguments:?}: git ran {of_git:?}, tblame {of_tblame:?}"
        );
        for (key, count) in of_tblame {
            *seen.entry(key).or_default() += count;
        }
    }
    // Otherwise the commands could not be seen at all.
    let keys: Vec<_> = seen.keys().map(String::as_str).collect();
    assert_eq!(keys, GIT_RUNS);
}

/// The viewer's views, its idle work and its queries; the keys that start a program are not pressed.
#[test]
fn the_viewer_runs_nothing_else() {
    let spies = Spies::new();
    let mut command = tblame_command();
    command.args(["f"]);
    command.cwd(spies.repository.root());
    let mut session = Session::run(command, (100, 30));
    session.wait_for("zero");
    session.wait_until_stable(Duration::from_millis(500), Duration::from_secs(20));
    let mut pressed = 0;
    for keys in [
        "j", "\r", "q", "a", "q", "L", "\x1b", "F", "\x1b", "A", "\x1b", "(", ")", "b", ",", "<",
        "i", "/one\r", "c",
    ] {
        session.press(keys);
        session.wait_until_stable(Duration::from_millis(150), Duration::from_secs(10));
        pressed += 1;
        assert!(!session.has_exited(), "after {pressed} keys, {keys:?}");
    }
    session.press("q");
    session.press("q");
    session.wait_until(Duration::from_secs(10), |_| false);
    assert!(session.has_exited(), "{}", session.screen().contents());
    let ran = spies.take();
    let others: Vec<_> = ran
        .keys()
        .filter(|key| !GIT_RUNS.contains(&key.as_str()))
        .collect();
    assert!(others.is_empty(), "{others:?}");
    assert!(!ran.is_empty(), "the work tree's file is filtered");
}

/// The conversion shows its environment, so that it is compared as the text of the file.
#[test]
fn the_environment_of_commands_is_gits() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(
        b".git/info/attributes",
        b"*.text diff=show\n*.clean filter=show\n",
    );
    for file in [&b"sub/a.text"[..], b"sub/a.clean", b"a.text"] {
        repository.write(file, b"text\n");
    }
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "a file"]);
    repository.git(&["worktree", "add", "-q", "../linked"]);
    let show = "env | grep -E '^(PATH=|GIT_(PREFIX|EXEC_PATH|DIR|WORK_TREE)=)' | sort; pwd; git rev-parse --absolute-git-dir --show-toplevel; :";
    repository.git(&["config", "diff.show.textconv", show]);
    repository.git(&["config", "filter.show.clean", show]);
    let root = repository.root().to_owned();
    let linked = root.join("../linked").canonicalize().expect("it was made");
    let root_text = root.to_str().expect("UTF-8");
    let mut compared = 0;
    for (directory, environment, file) in [
        (root.clone(), vec![], "a.text"),
        (root.join("sub"), vec![], "a.text"),
        (root.join("sub"), vec![], "../a.text"),
        (root.join("sub"), vec![], "a.clean"),
        (linked.clone(), vec![], "a.text"),
        (linked.join("sub"), vec![], "a.clean"),
        (root.clone(), vec![("GIT_EXEC_PATH", "/x")], "a.text"),
        (root.clone(), vec![("GIT_EXEC_PATH", "")], "sub/a.clean"),
        (root.clone(), vec![("GIT_PREFIX", "other/")], "sub/a.text"),
        (root.join("sub"), vec![("GIT_WORK_TREE", "..")], "a.text"),
        (
            root.join("sub"),
            vec![("GIT_DIR", "../.git"), ("GIT_WORK_TREE", "..")],
            "a.text",
        ),
        (
            root.join(".."),
            vec![
                ("GIT_DIR", &*format!("{root_text}/.git")),
                ("GIT_WORK_TREE", root_text),
            ],
            "a.text",
        ),
    ] {
        for revision in [&[][..], &["HEAD", "--"]] {
            // git then leaves a relative path, which leads elsewhere.
            if !revision.is_empty() && environment.contains(&("GIT_WORK_TREE", "..")) {
                continue;
            }
            let arguments = [&["-s"], revision, &[file]].concat();
            let output = assert_same_in(&repository, &directory, &environment, &arguments);
            let has = |text: &[u8]| output.stdout.windows(text.len()).any(|it| it == text);
            let is_shown = file.ends_with("text") || revision.is_empty();
            assert_eq!(has(b"GIT_PREFIX="), is_shown, "{output:?}");
            compared += usize::from(is_shown);
        }
    }
    assert!(compared > 15, "{compared}");
}

#[test]
fn commands_that_fail_are_reported_as_by_git() {
    let repository = two_commits();
    repository.write(b".git/info/attributes", b"a.txt diff=x filter=x\n");
    let script = |name: &str, text: &str| {
        let path = repository.root().with_file_name(name);
        write_script(&path, text.as_bytes());
        path.to_str().expect("UTF-8").to_owned()
    };
    let mut commands: Vec<String> = ["TERM", "KILL", "INT", "QUIT", "PIPE", "HUP", "SEGV", "USR1"]
        .iter()
        .flat_map(|signal| {
            let dies = script(
                &format!("dies{signal}"),
                &format!("#!/bin/sh\nkill -{signal} $$\n"),
            );
            [format!("{dies} x"), dies, format!("kill -{signal} $$; cat")]
        })
        .collect();
    commands.push(script("fails", "#!/bin/sh\necho text\nexit 3\n"));
    commands.push(script("no-interpreter-line", "cat \"$@\"\n"));
    commands.push(script("missing-interpreter", "#!/nonexistent\n"));
    for command in [
        "nonexistent",
        "nonexistent x",
        "/nonexistent/x",
        "./a.txt",
        "cat",
        "false",
        "exit 129;",
    ] {
        commands.push(command.to_owned());
    }
    let (mut failed, mut succeeded) = (0, 0);
    for key in ["diff.x.textconv", "filter.x.clean"] {
        for command in &commands {
            repository.git(&["config", key, command]);
            for revision in [&[][..], &["HEAD", "--"]] {
                let arguments = [&["-s"], revision, &["a.txt"]].concat();
                if assert_same(&repository, &arguments).stderr.is_empty() {
                    succeeded += 1
                } else {
                    failed += 1
                }
            }
        }
        repository.git(&["config", "--unset", key]);
    }
    assert!(
        failed > 60 && succeeded > 3,
        "{failed} failed, {succeeded} succeeded"
    );
}
