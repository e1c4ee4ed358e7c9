//! Makes the patch between two commits.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};

use crate::{
    diff::{Differ, LineInterner},
    engine::{Request, Start},
    error::{Error, Result},
    objects::{ObjectId, Reader, TreeEntry},
    output::{abbreviation::auto_len, buffer::push_path, patch::unified},
    patch::parser::{MAX_BYTES, TooLarge},
    repository::{
        Repository,
        open::git_config::AbbrevConfig,
        request::{line_ranges::function_matcher, options::BlameOptions},
        revisions::peel::damaged,
    },
    text::{binary::is_binary, line_offsets::LineOffsets},
    viewer::{model::source::FileChange, repository::commit_files},
};

/// The file type of a submodule.
const SUBMODULE: u32 = 0o160_000;

/// The patch from the start of `model` to the commit `new`, in the files at and below `paths`, or in
/// all. `model` is of `options`, all of which count, and a note tells of files that are left out.
///
/// # Errors
///
/// If an object cannot be read, or the patch is too large.
pub(super) fn patch(
    repository: &Arc<Repository>,
    (options, model): (&BlameOptions, &Request),
    new: ObjectId,
    paths: &[BString],
    notes: &mut Vec<BString>,
) -> Result<Arc<[u8]>> {
    let Start::Commit(old) = model.start else {
        return Ok(Arc::from([]));
    };
    let mut reader = repository.reader();
    let changes = commit_files::list(&mut reader, &new, Some(old), &|| false).map_err(damaged)?;
    if changes.more > 0 {
        let note = format!(
            "warning: {} more files have changed, and are left out",
            changes.more
        );
        notes.push(note.into());
    }
    let least_digits = match repository.config().abbrev {
        AbbrevConfig::Digits(digits) => digits,
        AbbrevConfig::Auto => auto_len(reader.packed_object_count().map_err(damaged)?),
    };
    let mut maker = PatchMaker {
        repository,
        options,
        least_digits,
        reader,
        model,
        commits: [old, new],
        text: Vec::new(),
        quotes_high: repository.config().quote_path,
    };
    for change in &changes.files {
        let is_in = |side: &Option<(Arc<BString>, u32)>| {
            side.as_ref()
                .is_some_and(|(path, _)| is_at_or_below(path, paths))
        };
        if is_in(&change.old) || is_in(&change.new) {
            maker.file(change)?;
        }
        if maker.text.len() > MAX_BYTES {
            return Err(Error::fatal(TooLarge::Bytes.to_string()));
        }
    }
    Ok(maker.text.into())
}

fn is_at_or_below(path: &BString, paths: &[BString]) -> bool {
    let mut paths_above = paths.iter().filter(|above| {
        let rest = path.strip_prefix(above.as_slice());
        above.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    });
    paths.is_empty() || paths_above.next().is_some()
}

struct PatchMaker<'a> {
    repository: &'a Repository,
    options: &'a BlameOptions,
    /// Fewest digits of ids.
    least_digits: usize,
    reader: Reader,
    model: &'a Request,
    /// The old and the new one.
    commits: [ObjectId; 2],
    text: Vec<u8>,
    /// `core.quotePath`.
    quotes_high: bool,
}

impl PatchMaker<'_> {
    /// Appends the patch of a file.
    fn file(&mut self, change: &FileChange) -> Result<()> {
        // As for git, a copy is a new file.
        let old = change.old.as_ref().filter(|_| !change.copied);
        let (old_path, new_path) = match (old, &change.new) {
            (Some((old, _)), Some((new, _))) => (Arc::clone(old), Arc::clone(new)),
            (Some((path, _)), None) | (None, Some((path, _))) => {
                (Arc::clone(path), Arc::clone(path))
            }
            (None, None) => return Ok(()),
        };
        let [old_commit, new_commit] = self.commits;
        let before = self.side(&old_commit, old.map(|_| old_path.as_bstr()))?;
        let after = self.side(&new_commit, change.new.as_ref().map(|_| new_path.as_bstr()))?;
        self.line("diff --git ", &[("a/", &old_path), ("b/", &new_path)]);
        let modes = (before.mode(), after.mode());
        match modes {
            (Some(old), Some(new)) if old != new => {
                self.words(&format!("old mode {old:06o}\nnew mode {new:06o}\n"));
            }
            (None, Some(new)) => self.words(&format!("new file mode {new:06o}\n")),
            (Some(old), None) => self.words(&format!("deleted file mode {old:06o}\n")),
            _ => {}
        }
        if old_path != new_path {
            let similarity = change.similarity.unwrap_or(0);
            self.words(&format!("similarity index {similarity}%\n"));
            self.line("rename from ", &[("", &old_path)]);
            self.line("rename to ", &[("", &new_path)]);
        }
        if before.id() == after.id() {
            return Ok(());
        }
        let ids = (self.short(before.id())?, self.short(after.id())?);
        let mode = match modes {
            (Some(old), Some(new)) if old == new => format!(" {old:06o}"),
            _ => String::new(),
        };
        self.words(&format!("index {}..{}{mode}\n", ids.0, ids.1));
        self.hunks((&before, &old_path), (&after, &new_path))
    }

    /// Appends the names and hunks of a file.
    fn hunks(
        &mut self,
        (before, old_path): (&FileSide, &BString),
        (after, new_path): (&FileSide, &BString),
    ) -> Result<()> {
        let is_submodule =
            |side: &FileSide| side.entry.is_some_and(|it| it.file_type() == SUBMODULE);
        if is_submodule(before) || is_submodule(after) {
            return Ok(());
        }
        if self.is_binary(before, old_path) || self.is_binary(after, new_path) {
            self.words("Binary files differ\n");
            return Ok(());
        }
        let (old, new) = (
            LineOffsets::new(&before.text),
            LineOffsets::new(&after.text),
        );
        let options = &self.model.diff;
        let mut lines = LineInterner::new(options.ignore_whitespace);
        let mut tokens = |text: &LineOffsets<'_>| {
            let all = (0..text.count()).map(|line| lines.intern(text.get(line)));
            all.collect::<std::result::Result<Vec<_>, _>>()
        };
        let failed = |err: crate::diff::DiffError| Error::fatal(err.to_string());
        let old_tokens = tokens(&old).map_err(failed)?;
        let new_tokens = tokens(&new).map_err(failed)?;
        let mut hunks = Vec::new();
        let mut differ = Differ::default();
        let compared = differ.hunks(&lines, &old_tokens, &new_tokens, options, &mut hunks);
        compared.map_err(failed)?;
        if hunks.is_empty() {
            return Ok(());
        }
        for (mark, side, prefix, path) in [
            ("--- ", before, "a/", old_path),
            ("+++ ", after, "b/", new_path),
        ] {
            match side.entry {
                // A tab ends a name with a blank, as in git.
                Some(_) => self.name_line(mark, prefix, path),
                None => self.words(&format!("{mark}/dev/null\n")),
            }
        }
        let request = Request {
            path: old_path.clone(),
            ..self.model.clone()
        };
        let functions = function_matcher(self.repository, &request, self.options)?;
        unified::push_hunks(&mut self.text, &old, &new, &hunks, |line| {
            Some(&line[functions.function_name(line)?])
        });
        Ok(())
    }

    fn words(&mut self, words: &str) {
        self.text.extend_from_slice(words.as_bytes());
    }

    /// Appends a line with names.
    fn line(&mut self, words: &str, names: &[(&str, &BString)]) {
        self.words(words);
        for (nth, (prefix, path)) in names.iter().enumerate() {
            if nth > 0 {
                self.text.push(b' ');
            }
            let name = [prefix.as_bytes(), path].concat();
            push_path(&mut self.text, &name, self.quotes_high);
        }
        self.text.push(b'\n');
    }

    fn name_line(&mut self, mark: &str, prefix: &str, path: &BString) {
        self.line(mark, &[(prefix, path)]);
        if path.contains(&b' ') {
            self.text.pop();
            self.text.extend_from_slice(b"\t\n");
        }
    }

    /// Reads a file as it is compared.
    fn side(&mut self, commit: &ObjectId, path: Option<&BStr>) -> Result<FileSide> {
        let Some(path) = path else {
            return Ok(FileSide::default());
        };
        let tree = self.reader.commit_head(commit).map_err(damaged)?.tree;
        let found = self.reader.find_path(tree, path, None).map_err(damaged)?;
        let Some(entry) = found.map(|found| found.entry) else {
            return Ok(FileSide::default());
        };
        let mut text: Arc<[u8]> = Arc::from([]);
        if self.reader.is_blob(&entry).map_err(damaged)? {
            text = self.reader.object(&entry.id).map_err(damaged)?.data;
            if let Some(converter) = &self.model.text_conversion {
                let converted = converter.convert(path, entry.mode, &entry.id, &text);
                text = converted.map_err(Error::from_conversion)?.unwrap_or(text);
            }
        }
        Ok(FileSide {
            entry: Some(entry),
            text,
        })
    }

    fn is_binary(&self, side: &FileSide, path: &BString) -> bool {
        let attributes = self.model.text_attributes.as_ref();
        let by_attributes = attributes.and_then(|attributes| attributes.is_text(path));
        side.entry.is_some() && !by_attributes.unwrap_or_else(|| !is_binary(&side.text))
    }

    fn short(&mut self, id: Option<ObjectId>) -> Result<String> {
        let least = self.least_digits;
        let (id, length) = match id {
            None => (ObjectId::null(self.repository.hash()), least),
            Some(id) => (id, self.reader.unique_len(&id, least).map_err(damaged)?),
        };
        let mut id = id.to_string();
        id.truncate(length);
        Ok(id)
    }
}

/// A file on one side.
#[derive(Default)]
struct FileSide {
    entry: Option<TreeEntry>,
    text: Arc<[u8]>,
}

impl FileSide {
    fn mode(&self) -> Option<u32> {
        self.entry.map(|entry| entry.mode)
    }

    fn id(&self) -> Option<ObjectId> {
        self.entry.map(|entry| entry.id)
    }
}
