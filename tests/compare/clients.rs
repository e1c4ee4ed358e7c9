//! Replays the command lines with which other programs run `git blame`.
//!
//! They run in a temporary clone that shares the repository's objects. Every second file of its work
//! tree is edited, and the text that an editor would send has further edits.

use std::{
    ffi::OsStr,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::{
    Arguments,
    harness::{
        clients::{BlameCommand, CLIENTS, Client, Directory, Input, words},
        random_text::{TextLines, edit},
        rng::Rng,
    },
    repository::{Repository, Sample},
    run::{Outcome, Programs, Run},
};

/// Blames files of a repository as the clients do. Prints the counts of each client, and returns
/// whether everything is the same and every client had something to compare.
pub fn compare(arguments: &Arguments, repository: &Repository, programs: &Programs) -> bool {
    let clone = EditedClone::of(arguments, repository);
    let mut rng = Rng::new(arguments.seed);
    let files = clone.files(arguments, &mut rng);
    println!("{}: {} files", repository.directory.display(), files.len());
    let mut all_same = true;
    let mut total = (0, 0);
    for client in CLIENTS {
        let mut runs = Vec::new();
        for file in &files {
            for command in client.commands {
                runs.extend(clone.runs(&mut rng, client, command, file));
            }
        }
        let outcomes = programs.compare(&runs, arguments.jobs, arguments.all);
        let count = |predicate: fn(&&Outcome) -> bool| outcomes.iter().filter(predicate).count();
        let (succeeded, different) = (count(|o| o.success), count(|o| !o.same));
        println!(
            "  {:16} {:3} command lines, {:5} runs, {:5} of them succeed, {different} different   ({})",
            client.name,
            client.commands.len(),
            outcomes.len(),
            succeeded,
            client.source,
        );
        all_same &= different == 0 && succeeded > 0;
        total = (total.0 + outcomes.len(), total.1 + different);
    }
    println!("  together {} runs, {} different", total.0, total.1);
    all_same
}

/// A clone with a work tree.
struct EditedClone<'a> {
    repository: Repository<'a>,
    head: String,
    directory: TempDir,
}

/// A file of the clone's work tree.
struct EditedFile {
    path: Vec<u8>,
    commits: Vec<String>,
    /// At the commit that is checked out, and in the index.
    staged: Vec<u8>,
    saved: Vec<u8>,
    unsaved: Vec<u8>,
    /// A file with the unsaved text.
    unsaved_file: PathBuf,
}

impl EditedClone<'_> {
    fn of<'a>(arguments: &'a Arguments, original: &Repository) -> EditedClone<'a> {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let root = directory.path().canonicalize().expect("it was just made");
        let root = root.join("clone");
        let from = original.directory.canonicalize().expect("it is there");
        let revision = format!("{}^{{commit}}", arguments.revision);
        let head = original.ask_lines(&["rev-parse", "--verify", &revision]);
        let head = head.into_iter().next().expect("rev-parse prints an id");
        let clone = ["clone", "-q", "--shared", "--no-checkout", "--"];
        let clone = clone.iter().map(OsStr::new);
        original.ask(
            &clone
                .chain([from.as_os_str(), root.as_os_str()])
                .collect::<Vec<_>>(),
        );
        let repository = Repository {
            git: &arguments.git,
            directory: root,
        };
        repository.ask(&["checkout", "-q", "--detach", &head]);
        EditedClone {
            repository,
            head,
            directory,
        }
    }

    fn root(&self) -> &Path {
        &self.repository.directory
    }

    /// Random files of the commit that is checked out, with edits.
    fn files(&self, arguments: &Arguments, rng: &mut Rng) -> Vec<EditedFile> {
        let mut samples: Vec<Sample> = Vec::new();
        let mut tries = 0;
        while samples.len() < arguments.count && tries < arguments.count * 20 {
            tries += 1;
            let sample = self.repository.random_file(rng, &self.head);
            samples
                .extend(sample.filter(|new| samples.iter().all(|sample| sample.path != new.path)));
        }
        let file = |(index, sample): (usize, Sample)| {
            let on_disk = self.root().join(OsStr::from_bytes(&sample.path));
            let mut text = TextLines::split(&std::fs::read(&on_disk).expect("it is checked out"));
            if index % 2 == 0 {
                edits(rng, &mut text);
                std::fs::write(&on_disk, text.join()).expect("the work tree is writable");
            }
            let saved = text.join();
            edits(rng, &mut text);
            let unsaved_file = self.directory.path().join(format!("unsaved-{index}"));
            std::fs::write(&unsaved_file, text.join()).expect("the directory is writable");
            EditedFile {
                commits: self.repository.commits_of(&self.head, &sample.path),
                path: sample.path,
                staged: sample.text,
                saved,
                unsaved: text.join(),
                unsaved_file,
            }
        };
        let files: Vec<EditedFile> = samples.into_iter().enumerate().map(file).collect();
        self.write_lists(&files);
        files
    }

    /// Writes the lists of commits that some commands name.
    fn write_lists(&self, files: &[EditedFile]) {
        let ignored = self.root().join(".git-blame-ignore-revs");
        if !ignored.exists() {
            let commits = files.iter().filter_map(|file| file.commits.get(1));
            let list: String = commits.map(|commit| format!("{commit}\n")).collect();
            std::fs::write(ignored, list).expect("the work tree is writable");
        }
        let grafts = format!("{}\n", self.head);
        std::fs::write(self.grafts(), grafts).expect("the directory is writable");
    }

    fn grafts(&self) -> PathBuf {
        self.directory.path().join("grafts")
    }

    /// The runs of a command for a file: one for each revision if it names one.
    fn runs(
        &self,
        rng: &mut Rng,
        client: &Client,
        command: &BlameCommand,
        file: &EditedFile,
    ) -> Vec<Run> {
        let mut revisions = vec![None];
        if command.arguments.contains("{rev}") {
            // The newest, one at random, and the oldest.
            let commits = &file.commits;
            let middle = rng.below(commits.len());
            let mut chosen = vec![0, middle, commits.len().saturating_sub(1)];
            chosen.dedup();
            let chosen = chosen.into_iter().filter_map(|index| commits.get(index));
            revisions = chosen.map(|commit| Some(commit.as_str())).collect();
        }
        let runs = revisions
            .into_iter()
            .map(|revision| self.run(rng, client, command, file, revision));
        runs.collect()
    }

    fn run(
        &self,
        rng: &mut Rng,
        client: &Client,
        command: &BlameCommand,
        file: &EditedFile,
        revision: Option<&str>,
    ) -> Run {
        let input = match command.input {
            Input::Nothing => &[][..],
            Input::Unsaved => &file.unsaved,
            Input::Staged => &file.staged,
        };
        let blamed = match (command.input, revision) {
            (Input::Nothing, _) if command.arguments.contains("{unsaved}") => &file.unsaved,
            (Input::Nothing, None) => &file.saved,
            (Input::Nothing, Some(_)) => &file.staged,
            (Input::Unsaved | Input::Staged, _) => input,
        };
        let line = rng.between(1, TextLines::split(blamed).len().max(1));
        let count = rng.between(1, 12);
        let git_dir = self.root().join(".git");
        let values = [
            ("{ }", b" ".to_vec()),
            ("{path}", file.path.clone()),
            ("{rev}", revision.unwrap_or_default().into()),
            ("{line}", line.to_string().into_bytes()),
            ("{end}", (line + count - 1).to_string().into_bytes()),
            ("{count}", count.to_string().into_bytes()),
            ("{root}", self.root().as_os_str().as_bytes().to_vec()),
            ("{git-dir}", git_dir.into_os_string().into_vec()),
            (
                "{unsaved}",
                file.unsaved_file.as_os_str().as_bytes().to_vec(),
            ),
            ("{grafts}", self.grafts().into_os_string().into_vec()),
        ];
        let on_disk = self.root().join(OsStr::from_bytes(&file.path));
        let directory = match client.directory {
            Directory::Root => self.root(),
            Directory::OfFile => on_disk.parent().expect("it is below the root"),
        };
        let variables = client.environment.iter();
        Run {
            directory: directory.to_owned(),
            environment: variables
                .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            git_options: words(client.git_options, &values),
            arguments: words(command.arguments, &values),
            input: input.to_vec(),
            in_place_of_git: true,
        }
    }
}

/// A few edits.
fn edits(rng: &mut Rng, text: &mut TextLines) {
    for _ in 0..rng.between(1, 4) {
        edit(rng, text);
    }
}
