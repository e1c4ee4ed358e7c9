//! Finds the files and hunks of a patch.

use std::{fmt, sync::Arc};

use bstr::{BString, ByteSlice};

use crate::patch::{
    file::{PatchName, PatchedFile, PrefixUse},
    headers,
    hunk::{HunkLine, PatchHunk, hunk_line},
};

/// Most bytes of a patch.
pub const MAX_BYTES: usize = 256 << 20;

/// Most files and hunks of a patch.
const MAX_PARTS: usize = 1 << 20;

/// Most faults that are kept.
const MAX_FAULTS: usize = 100;

/// A patch, and the faults that were found in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    /// The text as it was given.
    pub text: Arc<[u8]>,
    /// The files, in order; one that occurs more than once is there as often.
    pub files: Vec<PatchedFile>,
    /// Hunks that are damaged, and therefore not among those of `files`; the first hundred.
    pub faults: Vec<PatchFault>,
    /// There are lines that name commits, as of `git show`, so that it may be without changes.
    pub names_commits: bool,
}

/// A fault in a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchFault {
    /// The line of the patch (1-based).
    pub line: u32,
    /// What is wrong there.
    pub reason: FaultReason,
}

/// What is wrong with a part of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultReason {
    /// The header of a hunk cannot be read.
    Header,
    /// There is no name of a file before a hunk.
    NoFile,
    /// The hunk has other lines than its header says.
    Count,
    /// The hunk begins before the end of the one before it.
    Order,
    /// The hunk has another number of old sides than the ones before it.
    Sides,
}

impl fmt::Display for PatchFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.reason {
            FaultReason::Header => "the header of the hunk cannot be read",
            FaultReason::NoFile => "the hunk has no file",
            FaultReason::Count => "the hunk has other lines than its header says",
            FaultReason::Order => "the hunk begins before the end of the last one",
            FaultReason::Sides => "the hunk has another number of sides than the last one",
        };
        write!(f, "line {} of the patch: {reason}", self.line)
    }
}

/// A patch that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooLarge {
    /// It has more bytes than [`MAX_BYTES`].
    Bytes,
    /// It has too many files and hunks.
    Parts,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TooLarge::Bytes => write!(f, "the patch has more than {} MiB", MAX_BYTES >> 20),
            TooLarge::Parts => write!(f, "the patch has more than {MAX_PARTS} files and hunks"),
        }
    }
}

impl Patch {
    /// Finds the files and hunks of a patch. Whatever is not part of one is text between them.
    ///
    /// # Errors
    ///
    /// A patch that is too large.
    pub fn parse(text: Arc<[u8]>) -> Result<Patch, TooLarge> {
        if text.len() > MAX_BYTES {
            return Err(TooLarge::Bytes);
        }
        let mut parser = Parser {
            text: &text,
            at: 0,
            line: 0,
            commit: None,
            parent: None,
            file: None,
            files: Vec::new(),
            faults: Vec::new(),
            parts: 0,
        };
        while let Some(line) = parser.next_line() {
            parser.header(line)?;
        }
        parser.end_file();
        let Parser {
            files,
            faults,
            commit,
            ..
        } = parser;
        Ok(Patch {
            text,
            files,
            faults,
            names_commits: commit.is_some(),
        })
    }

    /// True if there is nothing in it that is part of a patch.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.faults.is_empty() && !self.names_commits
    }
}

struct Parser<'a> {
    text: &'a [u8],
    /// The offset after the last line.
    at: usize,
    /// The number of the last line (1-based).
    line: u32,
    /// The commit that the next files are of.
    commit: Option<BString>,
    parent: Option<BString>,
    file: Option<OpenFile>,
    files: Vec<PatchedFile>,
    faults: Vec<PatchFault>,
    /// Files and hunks so far.
    parts: usize,
}

/// A file whose headers or hunks are being read.
#[derive(Default)]
struct OpenFile {
    found: PatchedFile,
    /// It has a `---` and a `+++` line.
    has_names: bool,
    /// It has lines of its own beside `---` and `+++`: names without `a/` are whole.
    is_of_git: bool,
    /// Its old sides so far.
    sides: Option<usize>,
}

impl<'a> Parser<'a> {
    /// The next line, with its newline.
    fn next_line(&mut self) -> Option<&'a [u8]> {
        let line = self.peek(0)?;
        self.at += line.len();
        self.line = self.line.saturating_add(1);
        Some(line)
    }

    /// The line after `skipped` bytes.
    fn peek(&self, skipped: usize) -> Option<&'a [u8]> {
        self.text
            .get(self.at + skipped..)?
            .lines_with_terminator()
            .next()
    }

    /// Reads a line outside of hunks.
    fn header(&mut self, whole: &'a [u8]) -> Result<(), TooLarge> {
        let ended = whole.strip_suffix(b"\n").unwrap_or(whole);
        let line = ended.strip_suffix(b"\r").unwrap_or(ended);
        if headers::is_hunk_header(line) {
            return self.hunk(whole, line);
        }
        if let Some(rest) = line.strip_prefix(b"diff ") {
            self.begin_file(rest)
        } else if line.starts_with(b"--- ") {
            self.names(line, ended.len() > line.len())
        } else if let Some((commit, parent)) = headers::commit(line) {
            self.end_file();
            (self.commit, self.parent) = (Some(commit), parent);
            Ok(())
        } else {
            self.extended_header(line);
            Ok(())
        }
    }

    /// Reads what follows `diff `.
    fn begin_file(&mut self, rest: &[u8]) -> Result<(), TooLarge> {
        self.end_file();
        self.count_part()?;
        let mut file = OpenFile::default();
        file.found.commit.clone_from(&self.commit);
        file.found.parent.clone_from(&self.parent);
        let combined = rest.strip_prefix(b"--cc ");
        if let Some(rest) = combined.or_else(|| rest.strip_prefix(b"--combined ")) {
            file.is_of_git = true;
            let name = headers::name(rest);
            file.found.new = name.map(|path| whole_name(path.clone()));
        } else if let Some(rest) = rest.strip_prefix(b"--git ") {
            file.is_of_git = true;
            if let Some((old, new)) = headers::names_of_git(rest) {
                let prefix = prefix_of(&old, &new);
                let name = |path| Some(PatchName { path, prefix });
                (file.found.old, file.found.new) = (vec![name(old)], name(new));
            }
        }
        self.file = Some(file);
        Ok(())
    }

    /// Reads the `---` and `+++` lines, of which the first was read.
    fn names(&mut self, first: &[u8], has_crlf: bool) -> Result<(), TooLarge> {
        let mut old = vec![headers::name(&first[4..])];
        let (mut skipped, mut lines) = (0, 0);
        let new = loop {
            let Some(whole) = self.peek(skipped) else {
                return Ok(());
            };
            let line = trimmed(whole);
            skipped += whole.len();
            lines += 1;
            if let Some(rest) = line.strip_prefix(b"+++ ") {
                break headers::name(rest);
            }
            match line.strip_prefix(b"--- ") {
                // Those of a combined diff with the names of all sides.
                Some(rest) if lines < 128 => old.push(headers::name(rest)),
                _ => return Ok(()),
            }
        };
        let begins_hunk = self.peek(skipped).map(trimmed);
        if !begins_hunk.is_some_and(headers::is_hunk_header) {
            return Ok(());
        }
        self.at += skipped;
        self.line = self.line.saturating_add(lines);
        if self.file.as_ref().is_none_or(|file| file.has_names) {
            self.begin_file(b"")?;
        }
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        file.has_names = true;
        file.found.has_crlf = has_crlf;
        // A file is whole in its `rename` lines, and has both names in its `diff` line.
        if file.found.is_renamed {
            return Ok(());
        }
        let exists = |name: &Option<BString>| name.as_ref().is_some_and(|name| name != "/dev/null");
        let known = file.found.old.first().cloned().flatten();
        let prefix = match (&known, &old[0], &new) {
            (Some(known), ..) if file.is_of_git => known.prefix,
            (_, Some(old), Some(new)) if old != "/dev/null" && new != "/dev/null" => {
                prefix_of(old, new)
            }
            _ => PrefixUse::Unknown,
        };
        let name = |path: Option<BString>| {
            let path = path.filter(|path| path != "/dev/null")?;
            Some(PatchName { path, prefix })
        };
        if exists(&new) {
            file.found.new = name(new);
        } else {
            file.found.new = None;
        }
        file.found.old = old.into_iter().map(name).collect();
        Ok(())
    }

    /// Reads a line of git between `diff` and the hunks.
    fn extended_header(&mut self, line: &[u8]) {
        let Some(file) = &mut self.file else {
            return;
        };
        if file.has_names {
            return;
        }
        let found = &mut file.found;
        if let Some(rest) = line.strip_prefix(b"index ") {
            found.old_blobs = headers::old_blobs(rest);
        } else if line.starts_with(b"Binary files ") || line == b"GIT binary patch" {
            found.is_binary = true;
        } else if line.starts_with(b"new file mode ") {
            found.old = vec![None];
        } else if line.starts_with(b"deleted file mode ") {
            found.new = None;
        } else if let Some(rest) = after_any(line, [b"rename from ", b"copy from "]) {
            found.is_renamed = true;
            found.old = vec![headers::name(rest).map(whole_name)];
        } else if let Some(rest) = after_any(line, [b"rename to ", b"copy to "]) {
            found.is_renamed = true;
            found.new = headers::name(rest).map(whole_name);
        }
    }

    /// Reads a hunk whose header line was read.
    fn hunk(&mut self, whole: &[u8], line: &[u8]) -> Result<(), TooLarge> {
        let number = self.line;
        let start = self.at - whole.len();
        let Some(header) = headers::hunk_header(line) else {
            self.fault(number, FaultReason::Header);
            return Ok(());
        };
        let body_start = self.at;
        let (left_out, unseen) = self.body_of(&header);
        let body = body_start..self.at;
        let Some(file) = self.file.as_mut().filter(|file| file.has_names) else {
            self.fault(number, FaultReason::NoFile);
            return Ok(());
        };
        let sides = header.old.len();
        let reason = match file.found.hunks.last() {
            _ if left_out.is_none() => Some(FaultReason::Count),
            _ if file.sides.is_some_and(|it| it != sides) => Some(FaultReason::Sides),
            Some(last) => {
                let mut pairs = last.old.iter().zip(&header.old);
                let is_later = pairs.all(|(one, other)| one.end <= other.start);
                (!is_later).then_some(FaultReason::Order)
            }
            None => None,
        };
        if let Some(reason) = reason {
            self.fault(number, reason);
            return Ok(());
        }
        file.sides = Some(sides);
        let left_out = left_out.unwrap_or_default();
        let sides = header.old.iter().zip(&left_out);
        let old = sides.map(|(range, count)| {
            let end = i64::from(range.start) + range.count + unseen;
            range.start + count..u32::try_from(end).unwrap_or(range.start)
        });
        let mut hunk = PatchHunk {
            header: start..body_start,
            body,
            line: number,
            old: old.collect(),
            left_out,
            hides_context: false,
        };
        let has_context = hunk.lines(self.text).any(|line| line.is_context());
        hunk.hides_context = hunk.old.len() > 1 && !has_context;
        file.found.hunks.push(hunk);
        self.count_part()
    }

    /// Reads the lines of a hunk as [`body`](Self::body), also if each side has one line more than the
    /// header says: in combined diffs without context, git subtracts one where the last line of a file
    /// was removed. Returns with the rest how many more there are.
    fn body_of(&mut self, header: &headers::HunkHeader) -> (Option<Vec<u32>>, i64) {
        let sides = header.old.len();
        let before = (self.at, self.line);
        let found = self.body(header, 0);
        let is_removed = |line: &HunkLine<'_>| line.is_removed() && line.whole != b"-- \n";
        let next = self.peek(0).and_then(|line| hunk_line(line, sides));
        if sides == 1 || (found.is_some() && !next.is_some_and(|line| is_removed(&line))) {
            return (found, 0);
        }
        let after = (self.at, self.line);
        (self.at, self.line) = before;
        let again = self.body(header, 1);
        let lines = self.text[before.0..self.at].lines_with_terminator();
        let mut lines = lines.filter_map(|line| hunk_line(line, sides));
        let mut last = None;
        let has_context = lines.any(|line| {
            last = Some(line).filter(|line| !line.marks.is_empty()).or(last);
            line.is_context()
        });
        if again.is_some() && !has_context && last.is_some_and(|line| is_removed(&line)) {
            return (again, 1);
        }
        (self.at, self.line) = after;
        (found, 0)
    }

    /// Reads the lines of a hunk, of which each side has `unseen` more than the header says, and returns
    /// how many of each old side are left out at its beginning. `None` if there are others.
    ///
    /// `git diff --cc` counts, but does not show, lines that were removed before the first line of a
    /// hunk if that line is context.
    fn body(&mut self, header: &headers::HunkHeader, unseen: i64) -> Option<Vec<u32>> {
        let left = |count: i64| u32::try_from(count + unseen).ok();
        let old_left = header.old.iter().map(|it| left(it.count));
        let mut old_left: Vec<u32> = old_left.collect::<Option<_>>()?;
        let mut new_left = left(header.new_count)?;
        let sides = old_left.len();
        let is_remark = |line: &[u8]| line.starts_with(b"\\");
        let first = self.peek(0).and_then(|line| hunk_line(line, sides));
        let begins_with_context =
            first.is_some_and(|line| line.marks.iter().all(|&mark| mark == b' '));
        let may_leave_out = sides > 1 && begins_with_context;
        loop {
            let is_complete = new_left == 0 && old_left.iter().all(|&left| left == 0);
            let may_end = is_complete || (new_left == 0 && may_leave_out);
            let Some(whole) = self.peek(0) else {
                return may_end.then_some(old_left);
            };
            if is_complete && !is_remark(whole) {
                return Some(old_left);
            }
            let Some(line) = hunk_line(whole, sides) else {
                return may_end.then_some(old_left);
            };
            if line.is_in_new() {
                match new_left.checked_sub(1) {
                    Some(left) => new_left = left,
                    None => return None,
                }
            }
            for (parent, left) in old_left.iter_mut().enumerate() {
                if line.is_in_old(parent) {
                    match left.checked_sub(1) {
                        Some(less) => *left = less,
                        None => return None,
                    }
                }
            }
            self.next_line();
        }
    }

    fn fault(&mut self, line: u32, reason: FaultReason) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(PatchFault { line, reason });
        }
    }

    fn end_file(&mut self) {
        let Some(OpenFile { mut found, .. }) = self.file.take() else {
            return;
        };
        let mut hunks = found.hunks.iter();
        if !hunks.all(|hunk| hunk.hides_context) {
            found
                .hunks
                .iter_mut()
                .for_each(|hunk| hunk.hides_context = false);
        }
        // A combined diff has one name, unless it has those of all sides.
        let sides = found.hunks.first().map_or(1, |hunk| hunk.old.len());
        if sides > 1 && found.old.len() == 1 {
            found.old = vec![found.old[0].clone(); sides];
        }
        let is_named = found.new.is_some() || found.old.iter().any(Option::is_some);
        if is_named {
            self.files.push(found);
        }
    }

    fn count_part(&mut self) -> Result<(), TooLarge> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(TooLarge::Parts);
        }
        Ok(())
    }
}

/// A line without its end, which may be CR LF.
fn trimmed(whole: &[u8]) -> &[u8] {
    let line = whole.strip_suffix(b"\n").unwrap_or(whole);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A name that is the path.
fn whole_name(path: BString) -> PatchName {
    PatchName {
        path,
        prefix: PrefixUse::None,
    }
}

/// What the two names of a file say about their first directories: where these differ and nothing
/// else does, they are not part of the paths.
fn prefix_of(old: &[u8], new: &[u8]) -> PrefixUse {
    match (headers::without_first(old), headers::without_first(new)) {
        _ if old == new => PrefixUse::None,
        (Some(one), Some(other)) if one == other => PrefixUse::First,
        _ => PrefixUse::Unknown,
    }
}

fn after_any<'a>(line: &'a [u8], prefixes: [&[u8]; 2]) -> Option<&'a [u8]> {
    let mut rests = prefixes.iter().map(|prefix| line.strip_prefix(*prefix));
    rests.find_map(|rest| rest)
}
