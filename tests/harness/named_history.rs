//! Small hand-written histories whose commits have names.

use std::ffi::{OsStr, OsString};

use super::{
    compare::{FORMATS, assert_same},
    fast_import::{Commit, FastImport, File, Ident, Tree, insert_file},
    repository::{ObjectFormat, TestRepo},
};

/// In a list of files, in place of a text: the file is deleted.
pub const DELETED: &str = "\u{1}gone";

/// Commits being written; [`build`](Self::build) writes the repository.
#[derive(Debug, Default)]
pub struct HistoryBuilder {
    import: FastImport,
    names: Vec<&'static str>,
}

impl HistoryBuilder {
    /// A commit of the given date: its first parent's files with some of them changed.
    pub fn commit(
        self,
        name: &'static str,
        date: u64,
        parents: &[&str],
        files: &[(&str, &str)],
    ) -> Self {
        let files: Vec<_> = files
            .iter()
            .map(|&(path, text)| (path, (text != DELETED).then(|| File::text(text))))
            .collect();
        self.commit_files(name, date, parents, &files)
    }

    /// As [`commit`](Self::commit), for files that are not all plain text.
    pub fn commit_files(
        mut self,
        name: &'static str,
        date: u64,
        parents: &[&str],
        files: &[(&str, Option<File>)],
    ) -> Self {
        let number = |name: &&str| {
            let found = self.names.iter().position(|known| known == name);
            found.unwrap_or_else(|| panic!("there is no commit {name} yet"))
        };
        let parents: Vec<usize> = parents.iter().map(number).collect();
        let mut tree = match parents.first() {
            Some(&parent) => self.import.tree(parent).clone(),
            None => Tree::new(),
        };
        for (path, file) in files {
            match file {
                Some(file) => insert_file(&mut tree, path.as_bytes(), file.clone()),
                None => drop(tree.remove(path.as_bytes())),
            }
        }
        let ident = Ident {
            name: format!("Author of {name}").into_bytes(),
            mail: format!("{name}@example.com").into_bytes(),
            time: date,
            zone: "+0000",
        };
        self.import.commit(Commit {
            parents,
            tree,
            author: ident.clone(),
            committer: ident,
            encoding: None,
            message: name.as_bytes().to_vec(),
        });
        self.names.push(name);
        self
    }

    /// Writes the repository: `main` is at the last commit, and every commit has a tag.
    pub fn build(self) -> NamedHistory {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        let (ids, _) = self.import.write(&repository);
        let refs = ids.iter().zip(&self.names);
        let refs: String = refs
            .map(|(id, name)| format!("create refs/tags/{name} {id}\n"))
            .collect();
        repository.git_with_input(&["update-ref", "--stdin"], refs.as_bytes());
        NamedHistory {
            repository,
            ids,
            names: self.names,
        }
    }
}

/// A repository of named commits. Every method compares both programs.
#[derive(Debug)]
pub struct NamedHistory {
    pub repository: TestRepo,
    ids: Vec<String>,
    names: Vec<&'static str>,
}

impl NamedHistory {
    /// A commit's id.
    pub fn id(&self, name: &str) -> &str {
        let number = self.names.iter().position(|known| *known == name);
        &self.ids[number.unwrap_or_else(|| panic!("there is no commit {name}"))]
    }

    /// A commit's name; `uncommitted` for the null id, and an unknown id as it is.
    pub fn name<'a>(&'a self, id: &'a str) -> &'a str {
        match self.ids.iter().position(|known| known == id) {
            Some(number) => self.names[number],
            None if id.bytes().all(|b| b == b'0') => "uncommitted",
            None => id,
        }
    }

    /// The commit of each line, after a comparison of all formats.
    ///
    /// `^` precedes boundaries. `:path` follows where it is not the file's own, and then the marks
    /// `*` and `?` of the human format.
    pub fn lines<A: AsRef<OsStr>>(&self, arguments: &[A]) -> String {
        for format in FORMATS {
            self.same(format, arguments);
        }
        let file = arguments.last().expect("a path").as_ref();
        let file = file.to_string_lossy().into_owned();
        let plain = self.same(&["-s", "-l"], arguments);
        let plain = plain.split('\n').map(|line| {
            let marks = line.find(|c| !"^*?".contains(c)).unwrap_or(0);
            &line[..marks]
        });
        let details = self.same(&["--line-porcelain"], arguments);
        let mut lines = Vec::new();
        let (mut name, mut path) = ("", String::new());
        let mut plain = plain.into_iter();
        for line in details.lines() {
            let word = line.split(' ').next().unwrap_or_default();
            if line.starts_with('\t') {
                let marks = plain.next().expect("a line of plain output");
                let boundary = if marks.contains('^') { "^" } else { "" };
                let marks = marks.trim_start_matches('^');
                lines.push(format!("{boundary}{name}{path}{marks}"));
            } else if word.len() == 40 && word.bytes().all(|b| b.is_ascii_hexdigit()) {
                name = self.name(word);
            } else if let Some(other) = line.strip_prefix("filename ") {
                path = if other == file {
                    String::new()
                } else {
                    format!(":{other}")
                };
            }
        }
        lines.join(" ")
    }

    /// The commits and their final lines in the order of `--incremental`.
    pub fn order<A: AsRef<OsStr>>(&self, arguments: &[A]) -> String {
        let details = self.same(&["--incremental"], arguments);
        let mut entries = Vec::new();
        for line in details.lines() {
            let words: Vec<_> = line.split(' ').collect();
            if let [id, _, first, count] = words[..]
                && id.len() == 40
            {
                let count: u32 = count.parse().expect("a number");
                let first: u32 = first.parse().expect("a number");
                let name = self.name(id);
                entries.push(match count {
                    1 => format!("{name}:{first}"),
                    _ => format!("{name}:{first}-{}", first + count - 1),
                });
            }
        }
        entries.join(" ")
    }

    /// Both programs' output for these arguments.
    pub fn same<A: AsRef<OsStr>>(&self, before: &[&str], arguments: &[A]) -> String {
        let mut all: Vec<OsString> = before.iter().map(OsString::from).collect();
        all.extend(
            arguments
                .iter()
                .map(|argument| argument.as_ref().to_owned()),
        );
        let outcome = assert_same(&self.repository, &all);
        String::from_utf8_lossy(&outcome.stdout).into_owned()
    }

    /// The first line of the error that both programs give for these arguments.
    pub fn error<A: AsRef<OsStr>>(&self, arguments: &[A]) -> String {
        let outcome = assert_same(&self.repository, arguments);
        assert_ne!(
            outcome.status,
            Some(0),
            "{arguments:?}: no error",
            arguments = Vec::from_iter(arguments.iter().map(AsRef::as_ref))
        );
        String::from_utf8_lossy(outcome.first_error_line()).into_owned()
    }
}
