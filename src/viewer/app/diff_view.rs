//! The state of the diff view: one file of a commit, or all, below the commit's details.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use bstr::BString;
use rustc_hash::FxHashSet;

use crate::{
    objects::ObjectId,
    patch::insertions::{SideLine, insertions},
    viewer::{
        app::{
            blame::search::ActiveSearch,
            commit::detail_line::{DetailLine, Link},
            display::{
                highlight_cache::HighlightCache,
                pager::{LineAndTop, Lines, Pager, Position},
            },
        },
        model::{
            diff::{Comparison, DiffRow, FilePart, VersionPair},
            source::{CommitChanges, CommitMetadata, Failure, FileVersion},
            texts::{syntax::SyntaxClass, text::Text},
        },
        protocol::{DiffJob, DiffTarget, HighlightJob, LOOKAHEAD_LINES},
    },
};

/// Columns of an unchanged line's margin: its sign and a blank.
const SIGN_WIDTH: u16 = 2;

/// The diff of a commit. The pager shows the lines of the header, then the rows of the diff.
#[derive(Debug, Clone)]
pub struct DiffView {
    /// The commit; none for what is not committed.
    pub commit: Option<ObjectId>,
    /// The commit's message and idents, once they are there.
    pub metadata: Option<Result<Arc<CommitMetadata>, Failure>>,
    /// The file that is shown, once that is known.
    pub versions: Option<VersionPair>,
    /// Facts about the line that the diff was opened from.
    pub notes: Vec<String>,
    /// The files of the commit, once they are there.
    pub files: Option<Result<CommitChanges, Failure>>,
    /// The file's diff, once it is there.
    pub comparison: Option<Result<Comparison, Failure>>,
    /// The lines above the diff, for the present size of the screen.
    pub header: Vec<DetailLine>,
    /// The position while another header was above the diff, if there was one since it was moved.
    pub(crate) before: Option<PositionBefore>,
    /// The selected line, and the window.
    pub pager: Pager,
    /// The search through the diff.
    pub search: ActiveSearch,
    /// The highlighting of each part: one file, or all of them.
    pub(crate) highlights: Vec<[HighlightCache; 2]>,
    /// The rows of lines that are kept beside an insertion, in order.
    pub(crate) beside_insertions: Vec<usize>,
    /// True if lines are removed, or kept beside an insertion.
    pub(crate) has_old_lines: bool,
    /// True if a long message is shown whole.
    pub(crate) unfolded: bool,
    /// Where it was moved to before that.
    pub(crate) folded_at: Option<LineAndTop>,
    /// The requested job. The highlighting of the versions has the ids after its own, two for each
    /// part.
    pub(crate) job: DiffJob,
    /// The line (0-based) of the new file to select first.
    pub(crate) line: Option<u32>,
    /// The first change to be seen is one that the search matches.
    pub(crate) begins_at_match: bool,
    /// The row of the diff that was selected first.
    pub(crate) first_row: Option<usize>,
    /// It was opened from the selected line of the blame.
    pub(crate) from_selected_line: bool,
    /// The commit is a boundary of the blame, without a parent to compare it with.
    pub(crate) boundary: bool,
    /// The path of the view that it was opened from, which is that of [`FileVersion::CommandLine`].
    pub(crate) view_path: Arc<BString>,
    /// The position at which the diff was dropped, and the header above it.
    pub(crate) dropped_at: Option<(Position, Vec<DetailLine>)>,
}

/// A position below a header that was replaced since.
#[derive(Debug, Clone)]
pub(crate) struct PositionBefore {
    place: LineAndTop,
    header: Vec<DetailLine>,
    /// What it is below the present header.
    now: LineAndTop,
}

/// The lines of a diff as its pager sees them. Those of the header never wrap.
#[derive(Debug, Clone, Copy)]
pub struct DiffLines<'a> {
    header: u32,
    comparison: Option<&'a Comparison>,
}

impl Lines for DiffLines<'_> {
    fn count(&self) -> u32 {
        let rows = self.comparison.map_or(0, |diff| diff.rows.len());
        // Without rows there is a line that says why.
        self.header + u32::try_from(rows).unwrap_or(u32::MAX).max(1)
    }

    fn bytes(&self, line: u32) -> &[u8] {
        let row = line.checked_sub(self.header);
        let found = row.and_then(|row| {
            let diff = self.comparison?;
            Some(line_of(diff, *diff.rows.get(row as usize)?))
        });
        found.unwrap_or_default()
    }
}

/// The line that a row shows; empty for a hunk header.
fn line_of(diff: &Comparison, row: DiffRow) -> &[u8] {
    match row {
        DiffRow::HunkHeader { .. } | DiffRow::File(_) | DiffRow::OmittedFiles => &[],
        DiffRow::Removed(old) => diff.old.line(old),
        DiffRow::Context { new, .. } | DiffRow::Added(new) => diff.new.line(new),
    }
}

/// The line (0-based) of a header that shows what a line of another one did: the same file, the same
/// words of the message. The first line is the first of any.
fn counterpart(header: &[DetailLine], other: &[DetailLine], at: usize) -> usize {
    if at == 0 || header.starts_with(other.get(..=at).unwrap_or_default()) {
        return at;
    }
    let seen = &other[at];
    let is_of_kind = |line: &&DetailLine| line.kind == seen.kind;
    let file = seen
        .links
        .iter()
        .find(|(_, link)| matches!(link, Link::File(_)));
    let mut ahead: usize = other[..at].iter().filter(is_of_kind).map(word_len).sum();
    let found = header.iter().position(|line| match file {
        Some((_, file)) => line.links.iter().any(|(_, link)| link == file),
        None if !is_of_kind(&line) => false,
        None => {
            let len = word_len(line);
            let is_there = ahead < len;
            ahead = ahead.saturating_sub(len);
            is_there
        }
    });
    found.unwrap_or(at).min(header.len().saturating_sub(1))
}

/// The number of lines of a header.
fn len_of(header: &[DetailLine]) -> u32 {
    u32::try_from(header.len()).unwrap_or(u32::MAX)
}

/// The characters of a line without blanks, which differ where it is wrapped elsewhere.
fn word_len(line: &DetailLine) -> usize {
    line.text.chars().filter(|c| !c.is_whitespace()).count()
}

/// The rows of lines that both sides have and beside which lines are inserted, by the rule of
/// `--patch`.
fn beside_insertions(rows: &[DiffRow]) -> Vec<usize> {
    let (mut found, mut start) = (Vec::new(), 0);
    for hunk in rows.split(|row| row.is_heading()) {
        let first = hunk.iter().find_map(|row| row.old_line()).unwrap_or(0);
        let lines = hunk.iter().map(|row| match row {
            DiffRow::Removed(_) => SideLine::Removed,
            DiffRow::Added(_) => SideLine::Inserted,
            _ => SideLine::Kept,
        });
        let places: FxHashSet<u32> = insertions(first, lines).into_iter().collect();
        let is_beside = |line: &u32| {
            let after = line.checked_add(1);
            places.contains(line) || after.is_some_and(|after| places.contains(&after))
        };
        found.extend((start..).zip(hunk).filter_map(|(at, row)| match row {
            DiffRow::Context { old, .. } if is_beside(old) => Some(at),
            _ => None,
        }));
        start += hunk.len() + 1;
    }
    found
}

impl DiffView {
    pub(crate) fn new(job: DiffJob, commit: Option<ObjectId>, view_path: Arc<BString>) -> Self {
        DiffView {
            commit,
            metadata: None,
            versions: None,
            notes: Vec::new(),
            files: None,
            comparison: None,
            header: Vec::new(),
            before: None,
            pager: Pager::default(),
            search: ActiveSearch::default(),
            highlights: vec![Default::default()],
            beside_insertions: Vec::new(),
            has_old_lines: false,
            unfolded: false,
            folded_at: None,
            job,
            line: None,
            begins_at_match: false,
            first_row: None,
            from_selected_line: false,
            boundary: false,
            view_path,
            dropped_at: None,
        }
    }

    /// Sets the diff, or why there is none.
    pub(crate) fn set_comparison(&mut self, comparison: Result<Comparison, Failure>) {
        let rows = comparison.as_ref().map_or(&[][..], |it| &it.rows);
        self.beside_insertions = beside_insertions(rows);
        let removes = rows.iter().any(|row| matches!(row, DiffRow::Removed(_)));
        self.has_old_lines = removes || !self.beside_insertions.is_empty();
        self.comparison = Some(comparison);
    }

    /// True if it is known that there is no line for the gutter beside the old side.
    pub(crate) fn has_no_old_lines(&self) -> bool {
        self.comparison().is_some() && !self.has_old_lines
    }

    /// True if a row has an old line that matters: it is removed, or lines are inserted beside it and none
    /// is removed.
    pub(crate) fn has_old_line(&self, row: usize) -> bool {
        let is_removed = matches!(self.rows().get(row), Some(DiffRow::Removed(_)));
        is_removed || self.beside_insertions.binary_search(&row).is_ok()
    }

    /// The rows of the diff.
    pub fn rows(&self) -> &[DiffRow] {
        self.comparison().map_or(&[], |comparison| &comparison.rows)
    }

    /// The diff, if there is one.
    pub fn comparison(&self) -> Option<&Comparison> {
        self.comparison.as_ref()?.as_ref().ok()
    }

    /// The commit's message and idents, if they were read.
    pub(crate) fn commit_metadata(&self) -> Option<&CommitMetadata> {
        self.metadata.as_ref()?.as_deref().ok()
    }

    /// Nothing more is to come.
    pub fn is_complete(&self) -> bool {
        self.comparison.is_some() && self.files.is_some() && self.search.is_complete()
    }

    /// About how many bytes its texts have in memory.
    pub(crate) fn memory_len(&self) -> usize {
        let Some(diff) = self.comparison() else {
            return 0;
        };
        let parts = diff.parts.iter().flat_map(|part| &part.texts);
        let texts = [&diff.old, &diff.new].into_iter().chain(parts);
        let highlights = self.highlights.iter().flatten();
        texts.map(|text| text.memory_len()).sum::<usize>()
            + size_of_val(&diff.rows[..])
            + size_of_val(&diff.counterparts[..])
            + highlights.map(HighlightCache::memory_len).sum::<usize>()
    }

    /// Drops the diff, which is made again when it is shown.
    pub(crate) fn drop_contents(&mut self) {
        if self.comparison().is_some() {
            self.dropped_at = Some((self.pager.position, self.header.clone()));
            self.comparison = None;
            self.highlights = vec![Default::default()];
            self.pager.clear_caches();
        }
    }

    /// Returns to where the diff was dropped, below the header of that time.
    pub(crate) fn return_to_dropped(&mut self) {
        if let Some((position, header)) = self.dropped_at.take() {
            (self.header, self.before) = (header, None);
            self.pager = Pager::at(position);
        }
    }

    /// The number of lines in the header.
    pub fn header_len(&self) -> u32 {
        len_of(&self.header)
    }

    /// The row of the diff that a line shows; none for lines of the header.
    pub fn row_at(&self, line: u32) -> Option<usize> {
        line.checked_sub(self.header_len()).map(|row| row as usize)
    }

    /// The number of the selected row; none in the header.
    pub fn selected_row(&self) -> Option<usize> {
        self.row_at(self.pager.position.line)
    }

    /// The selected row, if it is one of the diff, with the line numbers of its file.
    pub fn selected(&self) -> Option<DiffRow> {
        let at = self.selected_row()?;
        Some(self.in_file(at, *self.rows().get(at)?))
    }

    /// True if the diffs of several files of the commit are shown: of all, or of those below a
    /// directory.
    pub fn shows_all(&self) -> bool {
        matches!(self.job.target, DiffTarget::All { .. })
    }

    /// True if that is of all files.
    pub(crate) fn shows_whole_commit(&self) -> bool {
        matches!(self.job.target, DiffTarget::All { below: None, .. })
    }

    /// The files that are shown together.
    pub fn parts(&self) -> &[FilePart] {
        self.comparison()
            .map_or(&[], |comparison| &comparison.parts)
    }

    /// The index of the part that a row is in.
    pub(crate) fn part_at(&self, row: usize) -> usize {
        let parts = self.parts();
        let next = parts.partition_point(|part| part.row <= row);
        next.saturating_sub(1)
    }

    /// The selected one of the files that are shown together.
    pub(crate) fn selected_part(&self) -> Option<&FilePart> {
        let row = self.selected_row().unwrap_or(0);
        self.parts().get(self.part_at(row))
    }

    /// A row with the line numbers of its file.
    pub fn in_file(&self, at: usize, row: DiffRow) -> DiffRow {
        let part = self.parts().get(self.part_at(at));
        part.map_or(row, |part| row.minus(part.start))
    }

    /// The row of a line (0-based) of the new version of the file that begins at the row `first`, or that
    /// of the next line that is shown, or else of the last one.
    pub(crate) fn row_of_new_line(&self, line: u32, first: usize) -> Option<usize> {
        let part = self.part_at(first);
        let shown = |(at, row): (usize, &DiffRow)| match self.in_file(at, *row) {
            DiffRow::HunkHeader { .. } => None,
            row => Some((at, row.new_line()?)),
        };
        let rows = self.rows().iter().enumerate().skip(first);
        let of_file = rows.take_while(|(at, _)| self.part_at(*at) == part);
        let shown: Vec<(usize, u32)> = of_file.filter_map(shown).collect();
        let found = shown.iter().find(|(_, new)| *new >= line);
        found.or(shown.last()).map(|(at, _)| *at)
    }

    /// The compared versions of the selected file.
    pub fn versions(&self) -> Option<&VersionPair> {
        match self.selected_part() {
            Some(part) => Some(&part.versions),
            None => self.versions.as_ref(),
        }
    }

    /// The number of files that a diff of all files does not show.
    pub fn omitted_files(&self) -> usize {
        self.comparison().map_or(0, |diff| diff.omitted_files)
    }

    /// The name of the function that a hunk is in.
    pub fn function(&self, row: DiffRow) -> Option<&[u8]> {
        let DiffRow::HunkHeader { function, .. } = row else {
            return None;
        };
        let name = function?;
        let line = self.comparison()?.old.line(name.line);
        line.get(name.start as usize..name.end as usize)
    }

    /// Selects a row of the diff.
    pub(crate) fn select_row(&mut self, row: usize) {
        let row = u32::try_from(row).unwrap_or(u32::MAX);
        self.pager.position.line = self.header_len().saturating_add(row);
    }

    /// Replaces the header. The selection stays on its line, and the window too unless the header's
    /// first line is in it. The header of before brings back the position of before.
    pub(crate) fn set_header(&mut self, header: Vec<DetailLine>) {
        if header == self.header {
            return;
        }
        let wanted = self.pager.wanted();
        let replaced = std::mem::replace(&mut self.header, header);
        let before = self.before.take().filter(|before| before.now == wanted);
        let mut before = before.unwrap_or(PositionBefore {
            place: wanted,
            header: replaced,
            now: wanted,
        });
        let (len, len_before) = (self.header_len(), len_of(&before.header));
        let shifted = |line: u32| line.saturating_add(len).saturating_sub(len_before);
        let (line, (top, row)) = before.place;
        let line = if line < len_before {
            counterpart(&self.header, &before.header, line as usize) as u32
        } else {
            shifted(line)
        };
        before.now = (line, (if top == 0 { 0 } else { shifted(top) }, row));
        self.pager.follow(before.now);
        self.before = Some(before);
    }

    /// The lines that the pager shows.
    pub fn lines(&self) -> DiffLines<'_> {
        DiffLines {
            header: self.header_len(),
            comparison: self.comparison(),
        }
    }

    /// The pager, and the lines that it shows.
    pub(crate) fn pager_and_lines(&mut self) -> (&mut Pager, DiffLines<'_>) {
        let lines = DiffLines {
            header: len_of(&self.header),
            comparison: self.comparison.as_ref().and_then(|diff| diff.as_ref().ok()),
        };
        (&mut self.pager, lines)
    }

    /// The line that a row shows; empty for a hunk header.
    pub fn line(&self, row: DiffRow) -> &[u8] {
        let diff = self.comparison();
        diff.map_or(&[], |diff| line_of(diff, row))
    }

    /// The syntax classes of the line that a row shows.
    pub fn spans(&self, at: usize, row: DiffRow) -> &[(u32, SyntaxClass)] {
        let Some(highlights) = self.highlights.get(self.part_at(at)) else {
            return &[];
        };
        match self.in_file(at, row) {
            DiffRow::Removed(old) => highlights[0].line(old),
            row => row.new_line().map_or(&[], |new| highlights[1].line(new)),
        }
    }

    /// Why the code is not highlighted, if there is anything to report.
    pub fn unhighlighted_reason(&self) -> Option<&str> {
        let parts = self.highlights.iter().filter(|_| !self.shows_all());
        let reason = parts
            .flatten()
            .find_map(|side| side.unhighlighted_reason.as_deref());
        reason.filter(|reason| !reason.is_empty())
    }

    /// The paths of both versions.
    pub fn paths(&self) -> (Option<&Arc<BString>>, Option<&Arc<BString>>) {
        match self.versions() {
            Some(versions) => self.paths_of(versions),
            None => (None, None),
        }
    }

    pub(crate) fn paths_of<'a>(
        &'a self,
        versions: &'a VersionPair,
    ) -> (Option<&'a Arc<BString>>, Option<&'a Arc<BString>>) {
        let new = versions.new.as_ref().map(|version| match version {
            FileVersion::Commit { path, .. }
            | FileVersion::WorkTree { path }
            | FileVersion::Reloaded { path, .. } => path,
            FileVersion::CommandLine => &self.view_path,
        });
        (versions.old.as_ref().map(|(_, path)| path), new)
    }

    /// Which of the commit's files it is (0-based).
    pub fn file(&self) -> Option<usize> {
        if let Some(part) = self.selected_part() {
            return Some(part.index);
        }
        let files = &self.files.as_ref()?.as_ref().ok()?.files;
        let (old, new) = self.paths();
        files.iter().position(|file| match new {
            Some(new) => file.new.as_ref().is_some_and(|(path, _)| path == new),
            None => file.new.is_none() && file.old.as_ref().map(|(path, _)| path) == old,
        })
    }

    /// Columns of the numbers of either side, if the screen has room for them.
    pub fn numbers(&self, width: u16) -> (u16, u16) {
        let texts = self.comparison().into_iter().flat_map(|it| {
            let one = it.parts.is_empty().then_some([&it.old, &it.new]);
            let all = it.parts.iter().map(|part| [&part.texts[0], &part.texts[1]]);
            one.into_iter().chain(all).flatten()
        });
        let last = texts.map(|text| text.line_count()).max();
        let digits = last.unwrap_or(0).max(100).ilog10() as u16 + 1;
        match width {
            60.. => (digits, digits),
            40.. => (0, digits),
            _ => (0, 0),
        }
    }

    /// Columns left of the code.
    pub fn margin(&self, width: u16) -> u16 {
        let (old, new) = self.numbers(width);
        old + u16::from(old > 0) + new + u16::from(new > 0) + SIGN_WIDTH
    }

    /// The texts of a part: the one file, or one of all.
    pub(crate) fn texts_of(&self, part: usize) -> Option<[&Arc<Text>; 2]> {
        let comparison = self.comparison()?;
        match comparison.parts.get(part) {
            Some(part) => Some([&part.texts[0], &part.texts[1]]),
            None => comparison
                .parts
                .is_empty()
                .then_some([&comparison.old, &comparison.new]),
        }
    }

    /// The version whose highlighting has this id, and the number of its lines.
    pub(crate) fn version_with_text_id(&mut self, id: u64) -> Option<(&mut HighlightCache, u32)> {
        let side = usize::try_from(id.checked_sub(self.job.id + 1)?).ok()?;
        let count = self.texts_of(side / 2)?[side % 2].line_count();
        Some((self.highlights.get_mut(side / 2)?.get_mut(side % 2)?, count))
    }

    /// Highlight jobs for the visible lines that are not highlighted, the new side first.
    pub(crate) fn wanted_highlights(&self, rows: u16) -> Vec<HighlightJob> {
        let Some(comparison) = self.comparison() else {
            return Vec::new();
        };
        let (top, header) = (self.pager.position.top, self.header_len());
        let first = top.saturating_sub(header) as usize;
        let past = top.saturating_add(rows.into()).saturating_sub(header);
        let past = (past as usize).min(comparison.rows.len());
        let seen = comparison.rows.get(first..past).unwrap_or_default();
        let mut wanted: BTreeMap<usize, [Vec<Range<u32>>; 2]> = BTreeMap::new();
        for (at, row) in (first..).zip(seen) {
            let (side, line) = match self.in_file(at, *row) {
                DiffRow::HunkHeader { .. } | DiffRow::File(_) | DiffRow::OmittedFiles => continue,
                DiffRow::Removed(old) => (0, old),
                DiffRow::Context { new, .. } | DiffRow::Added(new) => (1, new),
            };
            let wanted = &mut wanted.entry(self.part_at(at)).or_default()[side];
            match wanted.last_mut().filter(|last| last.end == line) {
                Some(last) => last.end += 1,
                None => wanted.push(line..line + 1),
            }
        }
        let mut jobs = Vec::new();
        for (part, mut wanted) in wanted {
            let (Some(texts), Some(highlights)) = (self.texts_of(part), self.highlights.get(part))
            else {
                continue;
            };
            let (old, new) = match comparison.parts.get(part) {
                Some(part) => self.paths_of(&part.versions),
                None => self.paths(),
            };
            let paths = [old.or(new), new.or(old)];
            for side in [1, 0] {
                let wanted = std::mem::take(&mut wanted[side]);
                let count = texts[side].line_count();
                let known = wanted
                    .iter()
                    .all(|lines| highlights[side].covers(lines, count));
                if let (false, Some(path)) = (known, paths[side]) {
                    jobs.push(HighlightJob {
                        text_id: self.job.id + 1 + (2 * part + side) as u64,
                        text: texts[side].clone(),
                        path: path.clone(),
                        wanted,
                        lookahead: LOOKAHEAD_LINES,
                    });
                }
            }
        }
        jobs
    }
}
