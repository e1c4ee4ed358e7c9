//! The commands in the documents are run: each block of `sh` in a repository of its own.
//!
//! A comment on the line before a block says what else it needs: `<!-- in a terminal -->`, `<!-- needs: PROGRAM -->` (run
//! where it is installed), `<!-- fails -->` (its last command) or `<!-- not run: REASON -->`. Of blocks that only run cargo, the
//! names of targets and profiles are checked.

use std::{
    ffi::OsString,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use portable_pty::CommandBuilder;

use crate::harness::{
    git::git_program,
    program::{ProgramOutput, tblame_program, write_script},
    repository::{ObjectFormat, TestRepo},
    session::{Session, TIMEOUT},
};

/// What the comment before a block asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Mode {
    Plain,
    Terminal,
    Fails,
    Needs(String),
    NotRun,
}

#[derive(Debug)]
struct Block {
    /// 1-based.
    line: usize,
    mode: Mode,
    text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn documents() -> Vec<PathBuf> {
    let mut paths = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    for entry in fs::read_dir(root().join("docs")).expect("it is a directory") {
        paths.push(entry.expect("it can be listed").path());
    }
    paths.retain(|path| path.extension().is_some_and(|it| it == "md"));
    paths.sort();
    paths
}

/// The mode that the line before a block asks for.
fn mode(line: &str, place: &str) -> Mode {
    let Some(comment) = line.trim().strip_prefix("<!-- ") else {
        return Mode::Plain;
    };
    let comment = comment
        .strip_suffix(" -->")
        .unwrap_or_else(|| panic!("{place}: the comment does not end on its line"));
    match comment.split_once(": ") {
        None if comment == "in a terminal" => Mode::Terminal,
        None if comment == "fails" => Mode::Fails,
        Some(("needs", program)) => Mode::Needs(program.to_owned()),
        Some(("not run", reason)) if !reason.trim().is_empty() => Mode::NotRun,
        _ => panic!("{place}: '{comment}' says nothing about the block after it"),
    }
}

/// The blocks of `sh` in a document.
fn blocks(text: &str, name: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut before = "";
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            let indent = line.len() - line.trim_start().len();
            let mut text = String::new();
            for (_, line) in lines.by_ref() {
                if line.trim_start().starts_with("```") {
                    break;
                }
                writeln!(text, "{}", line.get(indent..).unwrap_or_default())
                    .expect("a string takes everything");
            }
            if language == "sh" {
                let line = at + 1;
                let mode = mode(before, &format!("{name}:{line}"));
                blocks.push(Block { line, mode, text });
            }
        }
        if !line.trim().is_empty() {
            before = line;
        }
    }
    blocks
}

/// The repository that commands are about, and programs for them.
struct Scratch {
    repository: TestRepo,
    path: OsString,
}

impl Scratch {
    /// `FILE`, `DIR`, `REV` and `COMMIT` are what they are called; editors run `git blame`.
    fn new() -> Scratch {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        repository.write(b"src/list.rs", b"// TODO: sort\n");
        let mut text = String::from("int main(void)\n{\n");
        for line in 1..40 {
            writeln!(text, "\tcall({line});").expect("a string takes everything");
            if line % 10 == 0 {
                for path in ["FILE", "DIR/FILE", "Makefile", "README.md", "src/main.rs"] {
                    repository.write(path.as_bytes(), text.as_bytes());
                }
                repository.git(&["add", "."]);
                repository.git(&["commit", "-q", "-m", &format!("Call {line}")]);
                repository.git(&["tag", &format!("v{}.0", line / 10)]);
            }
        }
        for name in ["REV", "COMMIT"] {
            repository.git(&["tag", name, "HEAD~1"]);
        }
        let home = repository.root().join("..");
        let bin = home.join("bin");
        for directory in ["bin", ".local/bin", ".local/lib", ".config/tblame"] {
            fs::create_dir_all(home.join(directory)).expect("the directory is new");
        }
        let tblame = tblame_program().display();
        let log = home.join("runs");
        let script = format!(
            "#!/bin/sh\necho >>'{}'\nexec '{tblame}' \"$@\"\n",
            log.display()
        );
        let editor = "#!/bin/sh\ngit blame --porcelain FILE\n";
        for (name, text) in [("tblame", &*script), ("code", editor), ("vim", editor)] {
            let path = bin.join(name);
            write_script(&path, text.as_bytes());
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let git = Path::new(git_program());
        let mut directories = vec![bin];
        // The git that tests compare with may not be the one in `PATH`.
        directories.extend(git.parent().map(Path::to_owned));
        directories.extend(std::env::split_paths(&path));
        let path = std::env::join_paths(directories).expect("no directory has a colon");
        Scratch { repository, path }
    }

    /// How many times `tblame` was run.
    fn runs(&self) -> usize {
        fs::read(self.repository.root().join("../runs")).map_or(0, |log| log.len())
    }

    fn command(&self, script: &str) -> Command {
        let mut command = self.repository.command("bash".as_ref());
        command
            .env("PATH", &self.path)
            .args(["-o", "pipefail", "-euc", script]);
        command
    }

    fn run(&self, block: &Block, place: &str) {
        let output = ProgramOutput::of(&mut self.command(&block.text));
        let fails = output.status != Some(0);
        assert_eq!(
            fails,
            block.mode == Mode::Fails,
            "{place}: status {:?}\n{}\n{}",
            output.status,
            block.text,
            output.stderr.escape_ascii()
        );
    }

    /// Runs each line in a terminal. The viewer is ended with `q`.
    fn run_in_terminal(&self, block: &Block, place: &str) {
        let mut viewers = 0;
        for line in block.text.lines() {
            let mut command = CommandBuilder::new("bash");
            command.args(["-euc", line]);
            command.cwd(self.repository.root());
            command.env_clear();
            for (name, value) in self.command("").get_envs() {
                command.env(name, value.unwrap_or_default());
            }
            command.env("GIT_PAGER", "cat");
            let mut session = Session::run(command, (100, 30));
            if session
                .wait_until(TIMEOUT, |screen| screen.alternate_screen())
                .is_some()
            {
                session.press("q");
                viewers += 1;
            }
            let status = session.end();
            assert!(status.success(), "{place}: '{line}': {status}");
        }
        assert!(viewers > 0, "{place}: nothing needs a terminal");
    }
}

/// The names of targets and profiles in a block that only runs cargo are in `Cargo.toml`. `None` for other blocks.
fn check_cargo(text: &str, place: &str) -> Option<usize> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("it is text");
    let mut count = 0;
    for line in text.lines().filter(|line| !line.is_empty()) {
        let words = Vec::from_iter(line.split(" #").next()?.split_whitespace());
        let cargo = words.iter().position(|word| !word.contains('='))?;
        if words[cargo] != "cargo" {
            return None;
        }
        for pair in words.windows(2) {
            let heading = match pair[0] {
                "--bench" | "--test" => format!("name = \"{}\"", pair[1]),
                "--profile" => format!("[profile.{}]", pair[1]),
                _ => continue,
            };
            assert!(
                manifest.lines().any(|line| line == heading),
                "{place}: Cargo.toml has no {} '{}'",
                pair[0],
                pair[1]
            );
        }
        count += 1;
    }
    Some(count)
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

#[test]
fn every_command_of_the_documents_does_what_it_says() {
    let (mut ran, mut cargo, mut not_run, mut runs) = (0, 0, 0, 0);
    for path in documents() {
        let name = path.strip_prefix(root()).expect("it is below").display();
        let text = fs::read_to_string(&path).expect("documents are text");
        let blocks = blocks(&text, &name.to_string());
        for block in &blocks {
            let place = format!("{name}:{}", block.line);
            if let Some(commands) = check_cargo(&block.text, &place) {
                assert_eq!(block.mode, Mode::Plain, "{place}: cargo is not run anyway");
                cargo += commands;
                continue;
            }
            let scratch = Scratch::new();
            match &block.mode {
                Mode::NotRun => {
                    not_run += 1;
                    continue;
                }
                Mode::Needs(program) if !is_installed(program) => {
                    eprintln!("{place}: not run, for want of {program}");
                    not_run += 1;
                    continue;
                }
                Mode::Terminal => scratch.run_in_terminal(block, &place),
                _ => scratch.run(block, &place),
            }
            ran += 1;
            runs += scratch.runs();
        }
    }
    eprintln!(
        "{ran} blocks were run, and tblame {runs} times in them; {cargo} commands of cargo were checked; {not_run} blocks \
         were not run"
    );
    assert!(ran > 15 && runs > 15 && cargo > 25, "{ran} {runs} {cargo}");
    assert!(not_run < ran, "{not_run}");
}
