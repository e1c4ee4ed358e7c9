//! The default human-readable format, and that of `git annotate`.

use bstr::{BStr, ByteSlice};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    dates::{
        calendar::{Clock, parse_zone},
        date_format,
    },
    decimal::{digits, push_number},
    engine::{Blame, Entry, Origin},
    line_offsets::LineOffsets,
    objects::ObjectId,
    output::{
        abbreviation::{self, Abbrev, MarkColumns},
        buffer::{HexId, OutputBuffer},
        color::Coloring,
        common::{CommitProvider, IgnoreMarks, OutputError},
        display_width::display_width,
    },
    repository::commits::commit_text::CommitText,
};

/// Minimum width in bytes of author and date.
const MIN_CELL: usize = 10;
const RESET: &[u8] = b"\x1b[m";

/// Options of the human-readable formats.
#[derive(Debug, Clone)]
pub struct PlainOptions {
    /// `--abbrev`, `core.abbrev`.
    pub abbrev: Abbrev,
    /// Columns added for marks.
    pub mark_columns: MarkColumns,
    /// `-l`: full ids.
    pub long: bool,
    /// `-t`: raw timestamps and zones.
    pub raw_time: bool,
    /// `-s`: no author and date.
    pub no_author: bool,
    /// `-e`, `blame.showEmail`: the email instead of the name.
    pub email: bool,
    /// `-f`: the original path, even if no line has another one.
    pub name: bool,
    /// `-n`: the original line number.
    pub number: bool,
    /// `-b`, `blame.blankBoundary`: blank ids of boundary commits.
    pub blank_boundary: bool,
    /// `--score-debug`.
    pub score: bool,
    /// `-c`, `annotate`.
    pub annotate: bool,
    /// Marks of ignored revisions.
    pub marks: IgnoreMarks,
    /// `--date`.
    pub date: date_format::DateMode,
    /// Current time and local time zone.
    pub clock: Clock,
    /// `--color-lines`, `--color-by-age`.
    pub coloring: Coloring,
}

impl PlainOptions {
    /// git's defaults.
    pub fn new(clock: Clock) -> Self {
        PlainOptions {
            abbrev: Abbrev::default(),
            mark_columns: MarkColumns::default(),
            long: false,
            raw_time: false,
            no_author: false,
            email: false,
            name: false,
            number: false,
            blank_boundary: false,
            score: false,
            annotate: false,
            marks: IgnoreMarks::default(),
            date: date_format::DateMode::default(),
            clock,
            coloring: Coloring::default(),
        }
    }
}

/// Writes a finished blame of the file at `path` (relative to the root tree).
///
/// # Errors
///
/// If a commit cannot be read, a date cannot be formatted, or the writer fails. `out` then holds
/// everything before the failure, as git writes it.
pub fn write(
    out: &mut OutputBuffer<'_>,
    blame: &Blame,
    path: &BStr,
    commits: &mut dyn CommitProvider,
    options: &PlainOptions,
) -> Result<(), OutputError> {
    let lines = LineOffsets::new(&blame.contents);
    let groups: Vec<MarkedEntry<'_>> = blame
        .entries
        .iter()
        .filter_map(|entry| {
            let origin = blame.origins.get(entry.origin.0 as usize)?;
            Some(MarkedEntry::new(entry, origin, blame, options))
        })
        .collect();
    let layout = ColumnWidths::new(&groups, blame, path, &lines, commits, options)?;
    let mut writer = PlainWriter {
        out,
        commits,
        options,
        layout,
        cells: FxHashMap::default(),
        previous: None,
    };
    for group in &groups {
        writer.write_group(group, &lines)?;
    }
    Ok(())
}

/// An entry with its origin and marks.
struct MarkedEntry<'a> {
    entry: &'a Entry,
    origin: &'a Origin,
    boundary: bool,
    /// Any of `^`, `*` and `?`.
    marks: &'static [u8],
}

impl<'a> MarkedEntry<'a> {
    fn new(entry: &'a Entry, origin: &'a Origin, blame: &Blame, options: &PlainOptions) -> Self {
        let boundary = blame.boundaries.contains(&origin.commit);
        let caret = boundary && !options.blank_boundary && !options.annotate;
        let star = options.marks.unblamable && entry.unblamable;
        let question = options.marks.ignored && entry.ignored;
        let marks: &[u8] = match (caret, star, question) {
            (false, false, false) => b"",
            (true, false, false) => b"^",
            (false, true, false) => b"*",
            (false, false, true) => b"?",
            (true, true, false) => b"^*",
            (true, false, true) => b"^?",
            (false, true, true) => b"*?",
            (true, true, true) => b"^*?",
        };
        MarkedEntry {
            entry,
            origin,
            boundary,
            marks,
        }
    }

    fn line_count(&self) -> u32 {
        self.entry.lines.end.saturating_sub(self.entry.lines.start)
    }

    /// The score of `--score-debug`: 1 + the number of ASCII letters and digits.
    fn score(&self, lines: &LineOffsets<'_>) -> u64 {
        let alphanumerics = |line| {
            let bytes = lines.get(line as usize).iter();
            bytes.filter(|byte| byte.is_ascii_alphanumeric()).count() as u64
        };
        1 + self.entry.lines.clone().map(alphanumerics).sum::<u64>()
    }
}

/// Column widths, determined by all shown lines.
struct ColumnWidths {
    id: usize,
    /// Display width of the widest author.
    author: usize,
    date: usize,
    /// Length in bytes of the longest path, if paths are shown.
    name: Option<usize>,
    original: usize,
    line: usize,
    score: usize,
    /// git's reference count of each origin, for `--score-debug`.
    references: Vec<u32>,
}

impl ColumnWidths {
    fn new(
        groups: &[MarkedEntry<'_>],
        blame: &Blame,
        path: &BStr,
        lines: &LineOffsets<'_>,
        commits: &mut dyn CommitProvider,
        options: &PlainOptions,
    ) -> Result<Self, OutputError> {
        let mut ids = FxHashSet::default();
        let mut author = 0;
        for group in groups {
            if ids.insert(group.origin.commit) {
                let text = commits
                    .text(&group.origin.commit)
                    .map_err(OutputError::Commit)?;
                author = author.max(display_width(author_of(&text, options)));
            }
        }
        let most_marks = groups.iter().map(|group| group.marks.len()).max();
        let whole = groups
            .first()
            .map_or(0, |group| group.origin.commit.as_slice().len() * 2);
        let id = match options.long {
            true => whole,
            false => abbreviation::id_column_width(
                options.abbrev,
                options.mark_columns,
                most_marks.unwrap_or(0),
                whole,
                ids.iter(),
                commits,
            ),
        };
        let renamed = groups
            .iter()
            .any(|group| group.origin.path.as_bstr() != path);
        let widest =
            |value: &dyn Fn(&MarkedEntry<'_>) -> u64| groups.iter().map(value).max().unwrap_or(0);
        let last_original = |group: &MarkedEntry<'_>| {
            u64::from(group.entry.source_start) + u64::from(group.line_count())
        };
        let score = match options.score {
            true => digits(widest(&|group| group.score(lines))),
            false => 0,
        };
        Ok(ColumnWidths {
            id,
            author,
            date: options.date.width(&options.clock),
            name: (options.name || renamed)
                .then(|| widest(&|group| group.origin.path.len() as u64) as usize),
            original: digits(widest(&last_original)),
            line: digits(widest(&|group| group.entry.lines.end.into())),
            score,
            references: match options.score {
                true => references(groups, blame),
                false => Vec::new(),
            },
        })
    }
}

/// git's reference counts: one for each entry, and one from each live origin to its `previous`.
fn references(groups: &[MarkedEntry<'_>], blame: &Blame) -> Vec<u32> {
    let mut count = vec![0u32; blame.origins.len()];
    let mut live = Vec::new();
    let mut reference = |at: u32, live: &mut Vec<u32>| {
        if let Some(count) = count.get_mut(at as usize) {
            *count += 1;
            if *count == 1 {
                live.push(at);
            }
        }
    };
    for group in groups {
        reference(group.entry.origin.0, &mut live);
    }
    while let Some(at) = live.pop() {
        if let Some(previous) = blame.origins[at as usize].previous {
            reference(previous.0, &mut live);
        }
    }
    count
}

/// The cells shared by all lines of a commit.
struct CommitCells {
    /// The author and date cell. An error is reported only after the cells before it are written,
    /// as git does.
    author_date: Result<Vec<u8>, date_format::DateError>,
    /// The escape sequence of its age.
    color: Option<Vec<u8>>,
}

struct PlainWriter<'a, 'w> {
    out: &'a mut OutputBuffer<'w>,
    commits: &'a mut dyn CommitProvider,
    options: &'a PlainOptions,
    layout: ColumnWidths,
    cells: FxHashMap<ObjectId, CommitCells>,
    /// The commit of the previous line.
    previous: Option<ObjectId>,
}

impl PlainWriter<'_, '_> {
    fn write_group(
        &mut self,
        group: &MarkedEntry<'_>,
        lines: &LineOffsets<'_>,
    ) -> Result<(), OutputError> {
        let options = self.options;
        let commit = group.origin.commit;
        let head = self.head(group, lines);
        if !self.cells.contains_key(&commit) {
            let text = self.commits.text(&commit).map_err(OutputError::Commit)?;
            let cells = self.new_cells(&text);
            self.cells.insert(commit, cells);
        }
        let cells = &self.cells[&commit];
        for nth in 0..group.line_count() {
            let line = group.entry.lines.start + nth;
            let repeated = self.previous.replace(commit) == Some(commit);
            let color = match &options.coloring.repeated {
                _ if options.annotate => None,
                Some(color) if repeated => Some(color),
                _ => cells.color.as_ref(),
            };
            if let Some(color) = color {
                self.out.bytes(color);
            }
            self.out.bytes(&head);
            if options.number && !options.annotate {
                let original = u64::from(group.entry.source_start) + u64::from(nth) + 1;
                self.out.byte(b' ');
                self.out.number_right(original, self.layout.original);
            }
            match &cells.author_date {
                Ok(author_date) => self.out.bytes(author_date),
                Err(err) => return Err(OutputError::Date(err.clone())),
            }
            if options.annotate {
                self.out.number(u64::from(line) + 1);
                self.out.byte(b')');
            } else {
                self.out.number_right(u64::from(line) + 1, self.layout.line);
                self.out.bytes(b") ");
            }
            if color.is_some() {
                self.out.bytes(RESET);
            }
            self.out.line(lines.get(line as usize));
            self.out.spill()?;
        }
        Ok(())
    }

    /// The leading cells of an entry's lines: marks, id, score and path.
    fn head(&self, group: &MarkedEntry<'_>, lines: &LineOffsets<'_>) -> Vec<u8> {
        let mut head = group.marks.to_vec();
        let hex = HexId::new(&group.origin.commit);
        let room = self.layout.id.saturating_sub(group.marks.len());
        let id = &hex.as_bytes()[..room.min(hex.as_bytes().len())];
        if group.boundary && self.options.blank_boundary {
            head.resize(head.len() + id.len(), b' ');
        } else {
            head.extend_from_slice(id);
        }
        if self.options.annotate {
            return head;
        }
        if self.options.score {
            let score = group.score(lines);
            let references = self.layout.references.get(group.entry.origin.0 as usize);
            head.push(b' ');
            pad(&mut head, digits(score), self.layout.score);
            push_number(&mut head, score);
            head.push(b' ');
            let references = u64::from(references.copied().unwrap_or(0));
            if references < 10 {
                head.push(b'0');
            }
            push_number(&mut head, references);
        }
        if let Some(width) = self.layout.name {
            let path = &group.origin.path;
            head.push(b' ');
            head.extend_from_slice(path);
            pad(&mut head, path.len(), width);
        }
        head
    }

    fn new_cells(&self, text: &CommitText) -> CommitCells {
        let by_age = self.options.coloring.by_age.as_ref();
        CommitCells {
            author_date: self.author_date(text),
            color: by_age.map(|ages| ages.color(text.author.time).to_vec()),
        }
    }

    /// The cell between the id (or path, or original line number) and the line number.
    fn author_date(&self, text: &CommitText) -> Result<Vec<u8>, date_format::DateError> {
        let options = self.options;
        let author = author_of(text, options);
        let mut cell = Vec::new();
        if options.annotate {
            cell.extend_from_slice(b"\t(");
            pad(&mut cell, author.len(), MIN_CELL);
            cell.extend_from_slice(author);
            cell.push(b'\t');
            self.push_date(&mut cell, text)?;
            cell.push(b'\t');
            return Ok(cell);
        }
        if !options.no_author {
            cell.extend_from_slice(b" (");
            cell.extend_from_slice(author);
            pad(&mut cell, display_width(author), self.layout.author);
            cell.push(b' ');
            self.push_date(&mut cell, text)?;
        }
        cell.push(b' ');
        Ok(cell)
    }

    fn push_date(
        &self,
        cell: &mut Vec<u8>,
        text: &CommitText,
    ) -> Result<(), date_format::DateError> {
        let author = &text.author;
        let mut date = Vec::new();
        if self.options.raw_time {
            push_number(&mut date, author.time);
            date.push(b' ');
            date.extend_from_slice(&author.zone);
        } else {
            let zone = parse_zone(&author.zone);
            let style = &self.options.date;
            style.push(&mut date, author.time, zone, &self.options.clock)?;
            let width = display_width(&date);
            pad(&mut date, width, self.layout.date);
        }
        pad(cell, date.len(), MIN_CELL);
        cell.extend_from_slice(&date);
        Ok(())
    }
}

/// Appends spaces to fill a `column` of which `width` is taken.
fn pad(out: &mut Vec<u8>, width: usize, column: usize) {
    out.resize(out.len() + column.saturating_sub(width), b' ');
}

fn author_of<'t>(text: &'t CommitText, options: &PlainOptions) -> &'t [u8] {
    match options.email {
        true => &text.author.mail,
        false => &text.author.name,
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use {
        super::*,
        crate::output::fixture::{
            self, FIRST, FixtureCommits, SECOND, entry, id, ident, origin, text,
        },
    };

    fn options() -> PlainOptions {
        // 17 hours after the second commit.
        PlainOptions::new(Clock::new(1_612_400_000, TimeZone::UTC))
    }

    fn written(blame: &Blame, texts: &mut FixtureCommits, options: &PlainOptions) -> String {
        let mut out = Vec::new();
        let mut buffer = OutputBuffer::new(&mut out);
        write(&mut buffer, blame, "a.txt".into(), texts, options).unwrap();
        buffer.flush().unwrap();
        drop(buffer);
        String::from_utf8(out).unwrap()
    }

    /// The first two lines of the example with changed options.
    fn example(change: impl FnOnce(&mut PlainOptions)) -> Vec<String> {
        changed(|_, options| change(options))
    }

    fn changed(change: impl FnOnce(&mut Blame, &mut PlainOptions)) -> Vec<String> {
        let (mut blame, mut texts) = fixture::blame();
        let mut options = options();
        change(&mut blame, &mut options);
        let output = written(&blame, &mut texts, &options);
        output.lines().take(2).map(str::to_owned).collect()
    }

    #[test]
    fn columns() {
        let ann = "(Ann Lee 2020-01-01 10:00:00 +0100 1) one";
        let bo = "(Bö Ünal 2021-02-03 04:05:06 -0330 2) two and more";
        assert_eq!(
            example(|_| ()),
            [format!("^9aa4d58 {ann}"), format!("0cff639f {bo}")]
        );
        // Without boundaries there are no marks, and the id column is narrower.
        assert_eq!(
            changed(|blame, _| blame.boundaries.clear()),
            [format!("9aa4d58 {ann}"), format!("0cff639 {bo}")]
        );
        assert_eq!(
            changed(|blame, options| {
                blame.boundaries.clear();
                options.mark_columns = MarkColumns::One;
            }),
            [format!("9aa4d58a {ann}"), format!("0cff639f {bo}")]
        );
        assert_eq!(
            example(|o| o.blank_boundary = true),
            [format!("        {ann}"), format!("0cff639 {bo}")]
        );
        assert_eq!(
            example(|o| o.email = true),
            [
                "^9aa4d58 (<ann@example.com> 2020-01-01 10:00:00 +0100 1) one",
                "0cff639f (<bo@example.com>  2021-02-03 04:05:06 -0330 2) two and more"
            ]
        );
        assert_eq!(
            example(|o| (o.no_author, o.name, o.number) = (true, true, true)),
            [
                "^9aa4d58 a.txt 1 1) one",
                "0cff639f a.txt 2 2) two and more"
            ]
        );
        assert_eq!(
            example(|o| o.raw_time = true)[0],
            "^9aa4d58 (Ann Lee 1577869200 +0100 1) one"
        );
        assert_eq!(
            example(|o| o.abbrev = Abbrev::Fixed(12)),
            [
                format!("^9aa4d58a7b32 {ann}"),
                format!("0cff639f11523 {bo}")
            ]
        );
        assert_eq!(
            example(|o| o.score = true),
            [
                format!("^9aa4d58  4 03 {ann}"),
                format!("0cff639f 11 02 {bo}")
            ]
        );
        assert_eq!(
            example(|o| o.long = true),
            [format!("^{} {ann}", &FIRST[..39]), format!("{SECOND} {bo}")]
        );
        assert_eq!(
            example(|o| o.abbrev = Abbrev::Unique(64)),
            [format!("^{FIRST} {ann}"), format!("{SECOND} {bo}")]
        );
    }

    #[test]
    fn dates_are_padded_to_their_column() {
        let relative = date_format::DateMode {
            notation: date_format::DateNotation::Relative,
            local: false,
        };
        assert_eq!(
            example(|o| o.date = relative),
            [
                "^9aa4d58 (Ann Lee 1 year, 1 month ago    1) one",
                "0cff639f (Bö Ünal 17 hours ago           2) two and more"
            ]
        );
        let year = date_format::DateMode::parse("format:%Y-%m".into(), false).unwrap();
        assert_eq!(
            example(|o| o.date = year)[0],
            "^9aa4d58 (Ann Lee    2020-01 1) one"
        );
        let empty = date_format::DateMode::parse("format:".into(), false).unwrap();
        assert_eq!(
            example(|o| o.date = empty)[0],
            "^9aa4d58 (Ann Lee            1) one"
        );
    }

    #[test]
    fn annotate() {
        assert_eq!(
            example(|o| o.annotate = true),
            [
                "9aa4d58\t(   Ann Lee\t2020-01-01 10:00:00 +0100\t1)one",
                "0cff639\t( Bö Ünal\t2021-02-03 04:05:06 -0330\t2)two and more"
            ]
        );
        let ignored = |o: &mut PlainOptions| {
            o.annotate = true;
            (o.no_author, o.name, o.number, o.score) = (true, true, true, true);
            o.coloring.repeated = Some(b"\x1b[36m".to_vec());
        };
        assert_eq!(example(ignored), example(|o| o.annotate = true));
    }

    #[test]
    fn marks() {
        let (mut blame, mut texts) = fixture::blame();
        blame.entries[0].ignored = true;
        blame.entries[1].unblamable = true;
        let mut options = options();
        let unmarked = written(&blame, &mut texts, &options);
        options.marks = IgnoreMarks {
            ignored: true,
            unblamable: true,
        };
        let marked = written(&blame, &mut texts, &options);
        let ids = |text: &str| -> Vec<String> {
            text.lines()
                .map(|line| line.split(" (").next().unwrap().to_owned())
                .collect()
        };
        assert_eq!(
            ids(&unmarked),
            ["^9aa4d58", "0cff639f", "^9aa4d58", "0cff639f"]
        );
        assert_eq!(
            ids(&marked),
            ["^?9aa4d58", "*0cff639f", "^9aa4d58a", "0cff639f1"]
        );
        options.blank_boundary = true;
        let blanked = written(&blame, &mut texts, &options);
        assert_eq!(
            ids(&blanked),
            ["?       ", "*0cff639", "        ", "0cff639f"]
        );
    }

    #[test]
    fn wide_names_and_other_paths() {
        let (mut blame, mut texts) = fixture::blame();
        blame.contents = b"line\n".repeat(13).into();
        blame.origins[1] = origin(FIRST, "old.txt", None);
        blame.origins[0] = origin(SECOND, "d/né w.txt", None);
        blame.entries = vec![entry(11..12, 11, 1), entry(12..13, 12, 0)];
        let name = ident("李小龍", "<l@x>", 1_577_869_200, "+0100");
        texts.texts.insert(id(FIRST), text(name, "x"));
        let name = ident("A very long author name", "<a@x>", 1_643_774_706, "+0000");
        texts.texts.insert(id(SECOND), text(name, "x"));
        assert_eq!(
            written(&blame, &mut texts, &options()),
            "^9aa4d58 old.txt     (李小龍                  2020-01-01 10:00:00 +0100 12) line\n\
             0cff639f d/né w.txt (A very long author name 2022-02-02 04:05:06 +0000 13) line\n"
        );
    }

    #[test]
    fn an_invalid_date_fails_after_the_id() {
        let (mut blame, mut texts) = fixture::blame();
        let bad = ident("Bad", "<b@x>", 100, "-0700");
        texts.texts.insert(id(SECOND), text(bad, "x"));
        blame.entries.truncate(2);
        let mut out = Vec::new();
        let mut buffer = OutputBuffer::new(&mut out);
        let err = write(&mut buffer, &blame, "a.txt".into(), &mut texts, &options()).unwrap_err();
        assert_eq!(err.to_string(), "Timestamp before Unix epoch: 100 -700");
        buffer.flush().unwrap();
        drop(buffer);
        assert!(out.ends_with(b"one\n0cff639f"), "{}", out.as_bstr());
    }

    #[test]
    fn colors() {
        let (mut blame, mut texts) = fixture::blame();
        blame.entries = vec![entry(0..2, 0, 1), entry(2..3, 2, 0), entry(3..4, 3, 0)];
        let mut options = options();
        options.no_author = true;
        options.coloring.repeated = Some(b"<R>".to_vec());
        assert_eq!(
            written(&blame, &mut texts, &options),
            "^9aa4d58 1) one\n<R>^9aa4d58 2) \x1b[mtwo and more\n\
             0cff639f 3) three\n<R>0cff639f 4) \x1b[mfour\n"
        );
        options.coloring.by_age = Some(super::super::color::AgeColors {
            limits: vec![(1_600_000_000, b"<old>".to_vec())],
            newest: Vec::new(),
        });
        assert_eq!(
            written(&blame, &mut texts, &options),
            "<old>^9aa4d58 1) \x1b[mone\n<R>^9aa4d58 2) \x1b[mtwo and more\n\
             0cff639f 3) \x1b[mthree\n<R>0cff639f 4) \x1b[mfour\n"
        );
    }
}
