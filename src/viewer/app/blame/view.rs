//! A view: one version of a file, its attribution, selection and scroll position.

use std::{collections::BTreeSet, ops::Range, sync::Arc};

use bstr::BString;
use rustc_hash::FxHashMap;

use crate::{
    objects::ObjectId,
    viewer::{
        app::{
            blame::{merge_step::MergeStep, peel::Peel},
            display::{highlight_cache::HighlightCache, pager::Pager},
            file_history::version_step::VersionStep,
        },
        model::{
            attribution::{Attribution, LineEntry, Tally},
            color_mode::KeptHues,
            diff::FunctionName,
            source::{BlameReport, CommitMetadata, Failure, FileVersion, Freshness},
            texts::{encodings::Encoding, text::Text},
            toggled_options::ToggledOptions,
        },
        protocol::{AttributedOrigin, BlameBatch},
    },
};

/// About the bytes of a commit without its message, with its idents and its place in the table.
const COMMIT_LEN: usize = 600;

/// About the bytes of an origin, with its place in the table.
const ORIGIN_LEN: usize = 200;

/// The state of a view's blame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Running; all pending lines are about as old as the date, once known, or older.
    Running(Option<i64>),
    /// Interrupted; it continues when the view is shown again.
    Interrupted,
    /// All lines are attributed.
    Finished(BlameReport),
    /// Failed.
    Failed(Failure),
}

/// The origin of lines: a file in a commit.
#[derive(Debug, Clone)]
pub struct ViewOrigin {
    /// Index of the commit in the view.
    pub commit: u32,
    /// The file's path in it.
    pub path: Arc<BString>,
    /// Commit and path of the parent, for a blame before this commit.
    pub previous: Option<(ObjectId, Arc<BString>)>,
    /// True if this is a boundary commit.
    pub boundary: bool,
}

/// A commit with attributed lines.
#[derive(Debug, Clone)]
pub struct ViewCommit {
    /// Its id; the null id for uncommitted changes.
    pub id: ObjectId,
    /// Its contents, or why it cannot be read.
    pub metadata: Result<Arc<CommitMetadata>, Failure>,
}

/// The attribution of one line.
#[derive(Debug, Clone, Copy)]
pub struct LineAttribution<'a> {
    /// The line's entry.
    pub entry: &'a LineEntry,
    /// Its origin.
    pub origin: &'a ViewOrigin,
    /// Its commit.
    pub commit: &'a ViewCommit,
}

/// One version of a file with its blame.
#[derive(Debug, Clone)]
pub struct View {
    /// Unique number.
    pub id: u64,
    /// Unique number of the displayed text, for its highlighting.
    pub text_id: u64,
    /// The blamed version.
    pub version: FileVersion,
    /// The blamed path.
    pub path: Arc<BString>,
    /// The revision, for display.
    pub revision: String,
    /// The blame options.
    pub options: Arc<ToggledOptions>,
    /// The option that was toggled to get from the previous view to this one, if so.
    pub toggled_option: Option<String>,
    /// The lines (0-based) that the option changed, once the blame of this view or of the one
    /// before is dropped.
    pub(crate) changed_lines: Option<Vec<u32>>,
    /// The contents, converted for display.
    pub text: Arc<Text>,
    /// The contents as blamed.
    pub raw: Arc<Text>,
    /// The encoding of the display.
    pub encoding: Encoding,
    /// The attribution of lines.
    pub attribution: Attribution,
    /// The state of the blame.
    pub progress: Progress,
    /// Selection and scroll position.
    pub pager: Pager,
    /// Syntax highlighting.
    pub highlights: HighlightCache,
    /// What is known of changes of file and HEAD since it was read.
    pub freshness: Freshness,
    /// The declared encoding of the file.
    pub declared_encoding: Option<Encoding>,
    /// The width of tabs that the project sets for the file.
    pub(crate) declared_tab_width: Option<u8>,
    /// The place of a line that has no counterpart here: before this line (0-based). It is shown
    /// while the second line is selected.
    pub(crate) insertion: Option<(u32, u32)>,
    /// The selected line (0-based) took the place of one that was deleted, and the words for the
    /// commit that did it.
    pub(crate) deleted: Option<(u32, String)>,
    /// The commit, if this is the command line's version and not of the work tree.
    pub(crate) command_line_commit: Option<ObjectId>,
    /// The lines that are not staged, once known.
    pub(crate) unstaged: Option<Vec<Range<u32>>>,
    /// The functions of the text, once they are known.
    pub(crate) functions: Option<Arc<[FunctionName]>>,
    /// The line at which the selection of several lines began.
    pub(crate) anchor: Option<u32>,
    /// That was done with the mouse.
    pub(crate) is_dragged: bool,
    /// The step through the versions of the file that led to it.
    pub step: Option<VersionStep>,
    /// The step to before lines of a merge that led to it.
    pub(crate) merge_step: Option<MergeStep>,
    /// The groups that were peeled, in this order.
    pub peels: Vec<Peel>,
    /// The text was dropped, and is read again before the view is visible.
    pub is_dropped: bool,
    /// The hues, which the views of a file's history have in common.
    pub(crate) hues: KeptHues,
    origins: Vec<ViewOrigin>,
    commits: Vec<ViewCommit>,
    /// The bytes of their messages.
    messages_len: usize,
    origin_numbers: FxHashMap<(u32, Arc<BString>), u32>,
    commit_numbers: FxHashMap<ObjectId, u32>,
}

impl View {
    /// A view of `text` whose blame has just started.
    pub fn new(
        id: u64,
        version: FileVersion,
        path: Arc<BString>,
        revision: String,
        options: Arc<ToggledOptions>,
        text: Arc<Text>,
    ) -> Self {
        View {
            id,
            text_id: id,
            version,
            path,
            revision,
            options,
            toggled_option: None,
            changed_lines: None,
            raw: text.clone(),
            text,
            encoding: Encoding::Utf8,
            attribution: Attribution::default(),
            progress: Progress::Running(None),
            pager: Pager::default(),
            freshness: Freshness::default(),
            declared_encoding: None,
            declared_tab_width: None,
            unstaged: None,
            functions: None,
            anchor: None,
            is_dragged: false,
            step: None,
            merge_step: None,
            peels: Vec::new(),
            insertion: None,
            deleted: None,
            command_line_commit: None,
            is_dropped: false,
            hues: KeptHues::default(),
            origins: Vec::new(),
            commits: Vec::new(),
            messages_len: 0,
            origin_numbers: FxHashMap::default(),
            commit_numbers: FxHashMap::default(),
            highlights: HighlightCache::default(),
        }
    }

    /// A copy at the same position, to be blamed with other options.
    pub fn with_options(
        &self,
        id: u64,
        options: Arc<ToggledOptions>,
        toggled_option: String,
    ) -> Self {
        let (version, path) = (self.version.clone(), self.path.clone());
        let (revision, text) = (self.revision.clone(), self.text.clone());
        View {
            pager: Pager::at(self.pager.position),
            toggled_option: Some(toggled_option),
            freshness: self.freshness.clone(),
            step: self.step.clone(),
            merge_step: self.merge_step.clone(),
            command_line_commit: self.command_line_commit,
            raw: self.raw.clone(),
            encoding: self.encoding,
            declared_encoding: self.declared_encoding,
            declared_tab_width: self.declared_tab_width,
            highlights: self.highlights.clone(),
            functions: self.functions.clone(),
            hues: self.hues.of_history(),
            ..View::new(id, version, path, revision, options, text)
        }
    }

    /// A copy as a new step, at the start of the file.
    pub(crate) fn opened_again(self, id: u64, revision: String) -> Self {
        View {
            id,
            text_id: id,
            revision,
            toggled_option: None,
            changed_lines: None,
            pager: Pager::default(),
            insertion: None,
            deleted: None,
            anchor: None,
            is_dragged: false,
            step: None,
            merge_step: None,
            ..self
        }
    }

    /// Exchanges the attributions of two views of the same text, with the options that they are
    /// made with.
    pub(crate) fn exchange_attribution(&mut self, other: &mut View) {
        use std::mem::swap;
        swap(&mut self.options, &mut other.options);
        swap(&mut self.attribution, &mut other.attribution);
        swap(&mut self.progress, &mut other.progress);
        swap(&mut self.hues, &mut other.hues);
        swap(&mut self.peels, &mut other.peels);
        swap(&mut self.origins, &mut other.origins);
        swap(&mut self.commits, &mut other.commits);
        swap(&mut self.messages_len, &mut other.messages_len);
        swap(&mut self.origin_numbers, &mut other.origin_numbers);
        swap(&mut self.commit_numbers, &mut other.commit_numbers);
    }

    /// The line (0-based) before which the place of a line is shown that has no counterpart here.
    pub fn insertion(&self) -> Option<u32> {
        let (place, selected) = self.insertion?;
        (self.pager.position.line == selected).then_some(place)
    }

    /// The first lines (0-based) of the runs of lines for which `is_in` is true.
    pub(crate) fn starts_of_runs(&self, is_in: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut was_in = false;
        let is_start = |line: &u32| {
            let is_in = is_in(*line);
            !std::mem::replace(&mut was_in, is_in) && is_in
        };
        (0..self.text.line_count()).filter(is_start).collect()
    }

    /// Adds attributed lines.
    pub fn add(&mut self, batch: BlameBatch) {
        self.hues = self.hues.of_history();
        for (id, metadata) in batch.commits {
            let next = self.commits.len() as u32;
            let number = *self.commit_numbers.entry(id).or_insert(next);
            let message = metadata.as_ref().map(|metadata| metadata.message.len());
            self.messages_len += message.unwrap_or(0);
            let metadata = metadata.map(Arc::new);
            match self.commits.get_mut(number as usize) {
                Some(shortened) => shortened.metadata = metadata,
                None => self.commits.push(ViewCommit { id, metadata }),
            }
        }
        let last = self.text.line_count();
        for attributed in batch.origins {
            let (commit, origin) = self.origin_number(&attributed);
            let entries = attributed.entries.into_iter().map(|entry| LineEntry {
                lines: entry.lines.start.min(last)..entry.lines.end.min(last),
                source_start: entry.source_start,
                origin,
                ignored: entry.ignored,
                unblamable: entry.unblamable,
            });
            let entries = entries.filter(|entry| !entry.lines.is_empty());
            self.attribution.add(commit, entries.collect());
        }
    }

    fn origin_number(&mut self, attributed: &AttributedOrigin) -> (u32, u32) {
        let id = attributed.commit;
        let next = self.commits.len() as u32;
        let commit = *self.commit_numbers.entry(id).or_insert(next);
        if commit == next {
            let metadata = Err(Failure::new("internal error: no commit data"));
            self.commits.push(ViewCommit { id, metadata });
        }
        let next = self.origins.len() as u32;
        let key = (commit, attributed.path.clone());
        let origin = *self.origin_numbers.entry(key).or_insert(next);
        if origin == next {
            let metadata = self.commits[commit as usize].metadata.as_ref();
            let root = metadata.is_ok_and(|metadata| metadata.root);
            self.origins.push(ViewOrigin {
                commit,
                path: attributed.path.clone(),
                previous: attributed.previous.clone(),
                boundary: attributed.boundary && !root,
            });
        }
        (commit, origin)
    }

    /// Index of the commit of an origin.
    pub(crate) fn commit_of_origin(&self, origin: u32) -> u32 {
        let found = self.origins.get(origin as usize);
        found.map_or(0, |origin| origin.commit)
    }

    /// The attribution of a line (0-based).
    pub fn attribution_of(&self, line: u32) -> Option<LineAttribution<'_>> {
        let entry = self.attribution.entry(line)?;
        let origin = self.origins.get(entry.origin as usize)?;
        let commit = self.commits.get(origin.commit as usize)?;
        Some(LineAttribution {
            entry,
            origin,
            commit,
        })
    }

    /// True if a line (0-based) of the same text is attributed otherwise in `other`.
    pub(crate) fn differs(&self, other: &View, line: u32) -> bool {
        let answers = (self.attribution_of(line), other.attribution_of(line));
        matches!(answers, (Some(own), Some(other))
            if own.commit.id != other.commit.id || own.origin.path != other.origin.path)
    }

    /// The attribution of the selected line.
    pub fn selected(&self) -> Option<LineAttribution<'_>> {
        self.attribution_of(self.pager.position.line)
    }

    /// The paths of the origins.
    pub(crate) fn origin_paths(&self) -> impl Iterator<Item = &Arc<BString>> {
        self.origins.iter().map(|origin| &origin.path)
    }

    /// True if lines come from a path, or may do so in another version.
    pub(crate) fn has_path(&self, path: &BString) -> bool {
        *self.path == *path || self.origin_paths().any(|origin| **origin == *path)
    }

    /// The commits by index.
    pub fn commits(&self) -> &[ViewCommit] {
        &self.commits
    }

    /// Index of the selected line's commit.
    pub fn selected_commit(&self) -> Option<u32> {
        self.selected().map(|facts| facts.origin.commit)
    }

    /// Number of lines and groups of the selected line's commit.
    pub fn selected_tally(&self) -> Tally {
        let commit = self.selected_commit();
        commit
            .map(|commit| self.attribution.tally(commit))
            .unwrap_or_default()
    }

    /// The lines (0-based) from where their selection began to the selected line, if several are
    /// being selected.
    pub fn chosen_lines(&self) -> Option<Range<u32>> {
        let (line, anchor) = (self.pager.position.line, self.anchor?);
        Some(line.min(anchor)..line.max(anchor) + 1)
    }

    /// About how many bytes it has. Texts that are among `seen` are not counted again.
    pub(crate) fn memory_len(&self, seen: &mut BTreeSet<*const Text>) -> usize {
        let texts = [&self.text, &self.raw];
        let new = texts
            .into_iter()
            .filter(|text| seen.insert(Arc::as_ptr(text)));
        new.map(|text| text.memory_len()).sum::<usize>()
            + self.attribution.memory_len()
            + self.messages_len
            + self.commits.len() * COMMIT_LEN
            + self.origins.len() * ORIGIN_LEN
            + self.highlights.memory_len()
    }

    /// Drops what the blame has found.
    pub(crate) fn drop_blame(&mut self) {
        self.attribution = Attribution::default();
        self.hues = self.hues.of_history();
        self.origins = Vec::new();
        self.commits = Vec::new();
        self.messages_len = 0;
        self.origin_numbers = FxHashMap::default();
        self.commit_numbers = FxHashMap::default();
        self.highlights = HighlightCache::default();
        self.functions = None;
        self.pager.clear_caches();
    }

    /// Takes the text that was read again, under a new number. Its blame has just started.
    pub(crate) fn restore(&mut self, text: Arc<Text>, text_id: u64) {
        self.is_dropped = false;
        self.raw = Arc::clone(&text);
        self.show_in(Encoding::Utf8, text, text_id);
        self.progress = Progress::Running(None);
    }

    /// True if the blame is running.
    pub fn is_running(&self) -> bool {
        matches!(self.progress, Progress::Running(_))
    }

    /// Replaces the displayed text by one in another encoding, under a new number of the text.
    pub fn show_in(&mut self, encoding: Encoding, text: Arc<Text>, text_id: u64) {
        self.text_id = text_id;
        self.encoding = encoding;
        self.text = text;
        self.functions = None;
        self.highlights = HighlightCache::default();
        self.pager.clear_caches();
    }
}
