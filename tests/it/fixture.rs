//! Small repositories whose commits have names.

use std::ffi::{OsStr, OsString};

use crate::{
    compare::assert_same,
    import::{Commit, File, Ident, Import, Tree, place},
    scratch::{Hash, Scratch},
};

/// In a list of files: the file is deleted.
pub const GONE: &str = "\u{1}gone";

/// Commits being written; [`done`](Self::done) makes the repository.
#[derive(Debug, Default)]
pub struct Drawing {
    import: Import,
    names: Vec<&'static str>,
}

impl Drawing {
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
            .map(|&(path, text)| (path, (text != GONE).then(|| File::text(text))))
            .collect();
        self.commit_of(name, date, parents, &files)
    }

    /// As [`commit`](Self::commit), for files that are not all plain text.
    pub fn commit_of(
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
                Some(file) => place(&mut tree, path.as_bytes(), file.clone()),
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
    pub fn done(self) -> Fixture {
        let repository = Scratch::new(Hash::Sha1);
        let (ids, _) = self.import.write(&repository);
        let refs = ids.iter().zip(&self.names);
        let refs: String = refs
            .map(|(id, name)| format!("create refs/tags/{name} {id}\n"))
            .collect();
        repository.git_with_input(&["update-ref", "--stdin"], refs.as_bytes());
        Fixture {
            repository,
            ids,
            names: self.names,
        }
    }
}

/// A repository of named commits. Each question is put to both programs, which must agree.
#[derive(Debug)]
pub struct Fixture {
    pub repository: Scratch,
    ids: Vec<String>,
    names: Vec<&'static str>,
}

impl Fixture {
    /// A commit's id.
    pub fn id(&self, name: &str) -> &str {
        let number = self.names.iter().position(|known| *known == name);
        &self.ids[number.unwrap_or_else(|| panic!("there is no commit {name}"))]
    }

    fn name<'a>(&self, id: &'a str) -> &'a str {
        match self.ids.iter().position(|known| known == id) {
            Some(number) => self.names[number],
            None if id.bytes().all(|b| b == b'0') => "uncommitted",
            None => id,
        }
    }

    /// Checks that both programs agree in all formats, then says for each line who has it.
    ///
    /// `^` stands before boundaries; behind come `:path` where it is not the file's own, and the
    /// marks `*` and `?`, as the plain format shows them.
    pub fn lines<A: AsRef<OsStr>>(&self, arguments: &[A]) -> String {
        for format in [
            &["--porcelain"][..],
            &["--line-porcelain"],
            &["--incremental"],
            &[],
        ] {
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
                path = match other == file {
                    true => String::new(),
                    false => format!(":{other}"),
                };
            }
        }
        lines.join(" ")
    }

    /// Who is found guilty of which final lines, in the order of `--incremental`.
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

    /// Both programs' complaint for these arguments, which must be an error.
    pub fn error<A: AsRef<OsStr>>(&self, arguments: &[A]) -> String {
        let outcome = assert_same(&self.repository, arguments);
        assert_ne!(outcome.status, Some(0), "there is no error");
        String::from_utf8_lossy(&outcome.complaint).into_owned()
    }
}
