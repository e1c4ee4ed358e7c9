//! Options that add revisions: `--all`, `--branches`, `--glob`, `--merge`, `--reflog` and the like.

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result, noted},
    repository::{open::index_file::read_index, revisions::arguments::RevisionArguments},
};

impl RevisionArguments<'_> {
    /// Applies a revision option, given without `--`.
    pub(super) fn option(&mut self, option: &BStr) -> Result<()> {
        let (name, pattern) = match option.find_byte(b'=') {
            Some(at) => (option[..at].as_bytes(), Some(option[at + 1..].as_bstr())),
            None => (option.as_bytes(), None),
        };
        if self.hidden && matches!(name, b"branches" | b"tags" | b"remotes") {
            let name = name.as_bstr();
            let note =
                format!("error: options '--exclude-hidden' and '--{name}' cannot be used together");
            self.names.notes.push(noted(note.into()));
            return Ok(());
        }
        self.has_revisions |= matches!(
            name,
            b"all"
                | b"branches"
                | b"tags"
                | b"remotes"
                | b"glob"
                | b"bisect"
                | b"reflog"
                | b"indexed-objects"
                | b"merge"
        );
        match (name, pattern) {
            (b"not", None) => self.flip = !self.flip,
            (b"merge", None) => self.merge = true,
            (b"do-walk", None) => self.walked = true,
            (b"no-walk", kind) => match kind.map(|kind| kind.as_bytes()) {
                None | Some(b"sorted" | b"unsorted") => self.walked = false,
                _ => self
                    .names
                    .notes
                    .push(noted("error: invalid argument to --no-walk".into())),
            },
            (b"exclude-hidden", _) if self.hidden => {
                return Err(Error::fatal("--exclude-hidden= passed more than once"));
            }
            (b"exclude-hidden", _) => self.hidden = true,
            (b"all", None) => {
                let excluded = self.excluded.clone();
                self.add_references(b"refs/", None)?;
                self.add_heads(&excluded)?;
            }
            (b"branches", pattern) => self.add_references(b"refs/heads/", pattern)?,
            (b"tags", pattern) => self.add_references(b"refs/tags/", pattern)?,
            (b"remotes", pattern) => self.add_references(b"refs/remotes/", pattern)?,
            (b"glob", Some(pattern)) if pattern.starts_with(b"refs/") => {
                self.add_references(b"", Some(pattern))?;
            }
            (b"glob", pattern) => self.add_references(b"refs/", pattern)?,
            (b"reflog", None) => self.add_reflogs(),
            (b"indexed-objects", None) => self.add_index(),
            (b"bisect", None) => {
                self.add_references(b"refs/bisect/bad", None)?;
                self.flip = !self.flip;
                self.add_references(b"refs/bisect/good", None)?;
                self.flip = !self.flip;
            }
            (b"exclude", Some(pattern)) => self.excluded.push(pattern.to_owned()),
            _ => {}
        }
        Ok(())
    }

    /// Adds the references below `base`, filtered by `pattern` if given.
    fn add_references(&mut self, base: &[u8], pattern: Option<&BStr>) -> Result<()> {
        let pattern = pattern.map(|pattern| {
            let mut full = BString::from(base);
            full.push_str(pattern);
            if !pattern.iter().any(|byte| b"?*[".contains(byte)) {
                if !full.ends_with(b"/") {
                    full.push(b'/');
                }
                full.push(b'*');
            }
            full
        });
        let excluded = std::mem::take(&mut self.excluded);
        self.hidden = false;
        let base = if base.is_empty() { b"refs/" } else { base };
        // Options for one kind of reference match names without the common prefix.
        let is_kind = base != b"refs/" && base.ends_with(b"/");
        for (name, id) in self.names.references.below(base.as_bstr()) {
            let wanted = pattern
                .as_ref()
                .is_none_or(|pattern| matches(pattern, &name));
            let name = if is_kind {
                name[base.len().min(name.len())..].into()
            } else {
                name
            };
            let refused = excluded.iter().any(|pattern| matches(pattern, &name));
            if wanted && !refused {
                if self.names.kind(&id)?.is_none() {
                    return Err(bad_object(&name));
                }
                self.push(name, id, false);
            }
        }
        Ok(())
    }

    /// Adds the `HEAD` of every work tree, except those whose names match one of `excluded`.
    fn add_heads(&mut self, excluded: &[BString]) -> Result<()> {
        let others = self.names.references.heads_of_other_work_trees();
        for name in std::iter::once("HEAD".into()).chain(others) {
            if excluded.iter().any(|pattern| matches(pattern, &name)) {
                continue;
            }
            let Some(head) = self.names.full_reference(name.as_bstr()) else {
                continue;
            };
            if self.names.kind(&head)?.is_none() {
                return Err(bad_object(&name));
            }
            self.push(name, head, false);
        }
        Ok(())
    }

    /// `--merge`: adds both sides of the merge in progress, without their merge bases.
    pub(super) fn add_merge_sides(&mut self) -> Result<()> {
        const OTHERS: [&str; 4] = [
            "MERGE_HEAD",
            "CHERRY_PICK_HEAD",
            "REVERT_HEAD",
            "REBASE_HEAD",
        ];
        let mut others = OTHERS.into_iter();
        let other = others.find_map(|name| Some((name, self.names.full_reference(name.into())?)));
        let Some((name, other)) = other else {
            return Err(Error::fatal(
                "--merge requires one of the pseudorefs MERGE_HEAD, CHERRY_PICK_HEAD, REVERT_HEAD or REBASE_HEAD",
            ));
        };
        let Some(head) = self.names.full_reference("HEAD".into()) else {
            return Err(Error::fatal("--merge without HEAD?"));
        };
        self.push("HEAD".into(), head, false);
        self.push(name.into(), other, false);
        self.add_merge_bases(head, other);
        Ok(())
    }

    /// `--reflog`: adds all ids in reflogs, without names.
    fn add_reflogs(&mut self) {
        let logs = self.names.references.logs();
        for entry in logs.into_iter().flatten() {
            for id in [entry.old, entry.new] {
                if !id.is_null() {
                    self.push(BString::default(), id, false);
                }
            }
        }
    }

    /// `--indexed-objects`: adds all ids in the index, without names.
    fn add_index(&mut self) {
        let Ok(index) = read_index(self.names.repository.layout()) else {
            return;
        };
        for entry in index.entries() {
            self.push(BString::default(), entry.id, false);
        }
    }
}

fn matches(pattern: &BString, name: &BString) -> bool {
    let mode = gix_glob::wildmatch::Mode::empty();
    gix_glob::wildmatch(pattern.as_bstr(), name.as_bstr(), mode)
}

fn bad_object(name: &BString) -> Error {
    Error::fatal([b"bad object ", name.as_bytes()].concat())
}
