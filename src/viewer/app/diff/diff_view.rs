//! What a commit did, on a screen of its own: one of its files at a time.

use std::{ops::Range, sync::Arc};

use bstr::BString;

use crate::{
    objects::ObjectId,
    viewer::{
        app::{
            blame::{
                rows::{Spot, Stack},
                search::Search,
            },
            display::highlighted::Coloured,
            state::App,
        },
        model::{
            encodings,
            keymap::Action,
            source::{CommitChanges, CommitInfo, Failure, FileVersion},
            text::Text,
            wrap::{Broken, Piece, Wrap},
        },
        protocol::{
            ChangeNews, ColourJob, CompareJob, Compared, Comparison, DiffRow, Effect, Sides,
            Subject,
        },
    },
};

/// Changes that are returned to.
const STEPS: usize = 20;

/// Columns of an unchanged line's margin: its sign and a blank.
const SIGN: u16 = 2;

/// The change that is looked at. Its rows are numbered from the first of the diff; those of the
/// commit's words above it have negative numbers.
#[derive(Debug, Clone)]
pub struct Change {
    /// The commit; none for what is not committed.
    pub commit: Option<ObjectId>,
    /// The commit's words, once they are there.
    pub words: Option<Result<Arc<CommitInfo>, Failure>>,
    /// The file that is shown, once that is known.
    pub sides: Option<Sides>,
    /// What is to be known about the line that one came from.
    pub notes: Vec<String>,
    /// The files of the commit, once they are there.
    pub files: Option<Result<CommitChanges, Failure>>,
    /// The file's diff, once it is there.
    pub diff: Option<Result<Comparison, Failure>>,
    /// The selected row.
    pub at: i64,
    /// The first row on the screen, and which row of it if it is wrapped.
    pub top: (i64, u32),
    /// The first column on the screen (0-based).
    pub left: usize,
    /// The search through the diff.
    pub search: Option<Search>,
    /// Which way a search goes that waits for more of the diff to be looked at.
    pub(crate) seek: Option<bool>,
    colours: [Coloured; 2],
    pub(crate) broken: Broken,
    /// What was asked. Behind its number follow those of the two sides' colours.
    job: CompareJob,
    /// The line (0-based) of the new file that is looked for.
    line: Option<u32>,
    /// It is what the selected line of the blame behind it comes from.
    pub(crate) own: bool,
    /// The path of [`FileVersion::CommandLine`].
    start: Arc<BString>,
}

impl Change {
    fn new(job: CompareJob, commit: Option<ObjectId>, start: Arc<BString>) -> Self {
        Change {
            commit,
            words: None,
            sides: None,
            notes: Vec::new(),
            files: None,
            diff: None,
            at: 0,
            top: (0, 0),
            left: 0,
            search: None,
            seek: None,
            colours: Default::default(),
            broken: Broken::default(),
            job,
            line: None,
            own: false,
            start,
        }
    }

    /// The rows of the diff.
    pub fn rows(&self) -> &[DiffRow] {
        self.comparison().map_or(&[], |comparison| &comparison.rows)
    }

    /// The diff, if there is one.
    pub fn comparison(&self) -> Option<&Comparison> {
        self.diff.as_ref()?.as_ref().ok()
    }

    /// Nothing more is to come.
    pub fn is_complete(&self) -> bool {
        let searched = self.search.as_ref().is_none_or(Search::is_complete);
        self.diff.is_some() && self.files.is_some() && searched
    }

    /// The selected row, if it is one of the diff.
    pub fn selected(&self) -> Option<DiffRow> {
        let at = usize::try_from(self.at).ok()?;
        self.rows().get(at).copied()
    }

    /// The line that a row shows; nothing between parts.
    pub fn line(&self, row: DiffRow) -> &[u8] {
        match (self.comparison(), row) {
            (None, _) | (_, DiffRow::Hunk { .. }) => &[],
            (Some(comparison), DiffRow::Removed(old)) => comparison.old.line(old),
            (Some(comparison), DiffRow::Context { new, .. } | DiffRow::Added(new)) => {
                comparison.new.line(new)
            }
        }
    }

    /// The colours of the line that a row shows.
    pub fn coloured(&self, row: DiffRow) -> &[(u32, crate::viewer::protocol::SyntaxClass)] {
        match row {
            DiffRow::Removed(old) => self.colours[0].line(old),
            _ => row.new_line().map_or(&[], |new| self.colours[1].line(new)),
        }
    }

    /// Why the code has no colours, if that needs words.
    pub fn plain(&self) -> Option<&str> {
        let words = self.colours.iter().find_map(|side| side.plain.as_deref());
        words.filter(|words| !words.is_empty())
    }

    /// The paths of both sides.
    pub fn paths(&self) -> (Option<&Arc<BString>>, Option<&Arc<BString>>) {
        let Some(sides) = &self.sides else {
            return (None, None);
        };
        let new = sides.new.as_ref().map(|version| match version {
            FileVersion::Commit { path, .. }
            | FileVersion::WorkTree { path }
            | FileVersion::Reloaded { path, .. } => path,
            FileVersion::CommandLine => &self.start,
        });
        (sides.old.as_ref().map(|(_, path)| path), new)
    }

    /// Which of the commit's files it is (0-based).
    pub fn file(&self) -> Option<usize> {
        let files = &self.files.as_ref()?.as_ref().ok()?.files;
        let (old, new) = self.paths();
        files.iter().position(|file| match new {
            Some(new) => file.new.as_ref().is_some_and(|(path, _)| path == new),
            None => file.new.is_none() && file.old.as_ref().map(|(path, _)| path) == old,
        })
    }

    /// Columns of the numbers of either side, if the screen has room for them.
    pub fn numbers(&self, width: u16) -> (u16, u16) {
        let sides = self
            .comparison()
            .map(|it| [it.old.line_count(), it.new.line_count()]);
        let last = sides.unwrap_or_default().into_iter().max();
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
        old + u16::from(old > 0) + new + u16::from(new > 0) + SIGN
    }

    /// How many rows of the screen a row of the diff takes, whose line is given again.
    pub fn height(&self, row: u32, line: &[u8], wrap: Wrap) -> u32 {
        self.broken.height(row, line, wrap)
    }

    /// What a row of the screen shows of a row of the diff, whose line is given again.
    pub fn piece(&self, spot: Spot, line: &[u8], wrap: Wrap) -> Option<Piece> {
        self.broken.piece(spot, line, wrap)
    }

    /// The side whose colours have this number, and its text.
    pub(crate) fn side_numbered(&mut self, number: u64) -> Option<(&mut Coloured, &Text)> {
        let side = number.checked_sub(self.job.number + 1)?;
        let comparison = self.diff.as_ref()?.as_ref().ok()?;
        let text = [&comparison.old, &comparison.new];
        let side = usize::try_from(side).ok()?;
        Some((self.colours.get_mut(side)?, text.get(side)?))
    }

    /// What is on a screen of so many rows and has no colours yet, the newer side first.
    pub(crate) fn wanted_colours(&self, rows: u16) -> Vec<ColourJob> {
        let Some(comparison) = self.comparison() else {
            return Vec::new();
        };
        let first = usize::try_from(self.top.0).unwrap_or(0);
        let past = self.top.0.saturating_add(i64::from(rows));
        let past = usize::try_from(past)
            .unwrap_or(0)
            .min(comparison.rows.len());
        let seen = comparison.rows.get(first..past).unwrap_or_default();
        let mut wanted: [Vec<Range<u32>>; 2] = Default::default();
        for row in seen {
            let (side, line) = match *row {
                DiffRow::Hunk { .. } => continue,
                DiffRow::Removed(old) => (0, old),
                DiffRow::Context { new, .. } | DiffRow::Added(new) => (1, new),
            };
            match wanted[side].last_mut().filter(|last| last.end == line) {
                Some(last) => last.end += 1,
                None => wanted[side].push(line..line + 1),
            }
        }
        let (old, new) = self.paths();
        let texts = [&comparison.old, &comparison.new];
        let paths = [old.or(new), new.or(old)];
        let mut jobs = Vec::new();
        for side in [1, 0] {
            let wanted = std::mem::take(&mut wanted[side]);
            let (text, colours) = (texts[side], &self.colours[side]);
            let count = text.line_count();
            let known = wanted.iter().all(|lines| colours.covers(lines, count));
            if let (false, Some(path)) = (known, paths[side]) {
                jobs.push(ColourJob {
                    view: self.job.number + 1 + side as u64,
                    text: text.clone(),
                    path: path.clone(),
                    wanted,
                });
            }
        }
        jobs
    }
}

impl App {
    fn change_number(&mut self) -> u64 {
        // One for the job, one for each side's colours.
        self.numbers += 3;
        self.numbers - 2
    }

    /// Opens the diff of the selected line's commit.
    pub(crate) fn open_change(&mut self, effects: &mut Vec<Effect>) {
        let number = self.change_number();
        let Some((view, facts)) = self.selected_facts() else {
            return self.unattributed(Action::Change);
        };
        let commit = Some(facts.commit.id).filter(|id| !id.is_null());
        let old = facts.origin.previous.clone();
        let cut = facts.origin.boundary && old.is_none();
        let sides = Sides {
            old,
            new: Some(Self::version_of(view, &facts)),
        };
        let job = CompareJob {
            number,
            subject: Subject::Line {
                commit,
                sides: sides.clone(),
                line: Self::source_line(view, &facts),
            },
            whitespace: view.switches.whitespace,
        };
        let mut change = Change {
            words: Some(facts.commit.words.clone()),
            notes: crate::viewer::app::commit::details::line_notes(&facts),
            line: Some(Self::source_line(view, &facts)),
            own: true,
            sides: Some(sides),
            ..Change::new(job.clone(), commit, view.path.clone())
        };
        if cut {
            let ends = "this blame does not look before the commit, so there is no diff";
            change.diff = Some(Err(Failure(ends.to_owned())));
            change.files = Some(Ok(CommitChanges::default()));
        } else {
            effects.push(Effect::Compare(job));
        }
        self.behind.clear();
        self.change = Some(change);
    }

    /// Opens what a commit did, at the file of the blame if that is among what it changed.
    pub(crate) fn open_commit(&mut self, commit: ObjectId, effects: &mut Vec<Effect>) {
        let number = self.change_number();
        let Some(view) = self.view() else { return };
        let path = match self.change.as_ref().map(Change::paths) {
            Some((old, new)) => new.or(old).unwrap_or(&view.path).clone(),
            None => view.path.clone(),
        };
        let job = CompareJob {
            number,
            subject: Subject::Commit { commit, path },
            whitespace: view.switches.whitespace,
        };
        let change = Change::new(job.clone(), Some(commit), view.path.clone());
        if let Some(before) = self.change.replace(change) {
            self.behind.push(before);
            if self.behind.len() > STEPS {
                self.behind.remove(0);
            }
        }
        self.picked = None;
        effects.push(Effect::Compare(job));
    }

    /// Shows another of the commit's files.
    pub(crate) fn open_file(&mut self, at: usize, effects: &mut Vec<Effect>) {
        let number = self.change_number();
        let Some(change) = &mut self.change else {
            return;
        };
        let (Some(commit), Some(Ok(changes))) = (change.commit, &change.files) else {
            return;
        };
        let Some(file) = changes.files.get(at) else {
            return;
        };
        let sides = crate::viewer::tasks::diff::sides_of(file, &commit, changes.parent);
        let job = CompareJob {
            number,
            subject: Subject::File(sides.clone()),
            whitespace: change.job.whitespace,
        };
        *change = Change {
            words: change.words.take(),
            files: change.files.take(),
            sides: Some(sides),
            ..Change::new(job.clone(), Some(commit), change.start.clone())
        };
        self.picked = None;
        effects.push(Effect::Compare(job));
    }

    /// Compares the file again, with white space counting or not.
    pub(crate) fn turn_change_whitespace(&mut self, effects: &mut Vec<Effect>) {
        let Some(change) = &mut self.change else {
            return;
        };
        if !matches!(change.diff, Some(Ok(_))) {
            return;
        }
        // The selection stays where it is, or near it.
        if let Some(row) = change.selected() {
            let before = &change.rows()[..change.at.max(0) as usize];
            let line = row.new_line();
            change.line = line.or(before.iter().rev().find_map(|row| row.new_line()));
        }
        change.job.whitespace = !change.job.whitespace;
        if let (Some(_), Some(sides)) = (&change.files, &change.sides) {
            change.job.subject = Subject::File(sides.clone());
        }
        let job = change.job.clone();
        change.diff = None;
        let words = match job.whitespace {
            true => "in this diff, white space does not count",
            false => "in this diff, white space counts",
        };
        self.say(words);
        effects.push(Effect::Compare(job));
    }

    /// Closes what is open of a commit, and returns to what was before.
    pub(crate) fn close_change(&mut self, effects: &mut Vec<Effect>) {
        self.picked = None;
        self.change = self.behind.pop();
        // What came of it meanwhile was not for the screen.
        let change = self.change.as_ref();
        if let Some(change) = change.filter(|it| it.diff.is_none() || it.files.is_none()) {
            effects.push(Effect::Compare(change.job.clone()));
        }
    }

    /// Something about the change is there.
    pub(crate) fn compared(&mut self, compared: Compared) {
        let encoding = self.encoding.or(self.view().and_then(|view| view.named));
        let pattern = self.search.clone();
        let Some(change) = self.change.as_mut() else {
            return;
        };
        if change.job.number != compared.number {
            return;
        }
        let result = match compared.news {
            ChangeNews::Words(words) => return change.words = Some(words.map(Arc::new)),
            ChangeNews::Sides(sides) => return change.sides = Some(sides),
            ChangeNews::Files(files) => {
                if let (Err(failure), None) = (&files, &change.diff) {
                    change.diff = Some(Err(failure.clone()));
                }
                return change.files = Some(files);
            }
            ChangeNews::Diff(result) => result,
        };
        change.diff = Some(result.map(|comparison| Comparison {
            old: encodings::shown(&comparison.old, encoding),
            new: encodings::shown(&comparison.new, encoding),
            ..comparison
        }));
        let changed = |row: &DiffRow| matches!(row, DiffRow::Added(_) | DiffRow::Removed(_));
        let found = change.rows().iter().position(|row| match change.line {
            Some(line) => {
                let shown = !matches!(row, DiffRow::Hunk { .. });
                shown && row.new_line().is_some_and(|new| new >= line)
            }
            None => changed(row),
        });
        change.at = found.map_or(0, |at| at as i64);
        let count = u32::try_from(change.rows().len()).unwrap_or(u32::MAX);
        change.search = pattern.map(|search| search.again(count));
        // The commit's words above the diff, unless the line is far below them.
        let rows = i64::from(self.change_rows());
        if let Some(change) = &mut self.change {
            change.top = (change.at - rows / 2, 0);
        }
    }

    /// Rows of the diff's screen between its first and its last line.
    pub(crate) fn change_rows(&self) -> u16 {
        self.layout().middle().height
    }

    /// How the diff's lines are broken; `None` if they are not wrapped.
    pub fn change_wrapping(&self, change: &Change) -> Option<Wrap> {
        let width = self.size.0;
        let room = usize::from(width.saturating_sub(change.margin(width)));
        (self.wrap && room > 0).then(|| Wrap::new(room))
    }

    /// What is on the screen of a change as rows below each other: those of the commit's words
    /// first, as many as are handed over too.
    pub(crate) fn stacked_change<T>(
        &self,
        run: impl FnOnce(&Change, i64, &Stack<'_>) -> T,
    ) -> Option<T> {
        let change = self.change.as_ref()?;
        let head = self.change_head().len();
        let count = (head + change.rows().len().max(1)).saturating_sub(1);
        let last = u32::try_from(count).unwrap_or(u32::MAX);
        let head = head as i64;
        let height = |index: u32, wrap: Wrap| {
            let row = u32::try_from(i64::from(index) - head).ok();
            let shown = row.and_then(|row| Some((row, *change.rows().get(row as usize)?)));
            shown.map_or(1, |(row, shown)| {
                change.broken.height(row, change.line(shown), wrap)
            })
        };
        Some(match self.change_wrapping(change) {
            Some(wrap) => run(
                change,
                head,
                &Stack {
                    last,
                    height: Some(&|index| height(index, wrap)),
                },
            ),
            None => run(change, head, &Stack { last, height: None }),
        })
    }
}
