//! `--porcelain` and `--line-porcelain`.

use std::sync::Arc;

use bstr::BString;
use rustc_hash::FxHashMap;

use crate::{
    engine::{Blame, Entry, Origin, OriginId},
    output::{
        buffer::{HexId, OutputBuffer, push_path},
        commit_provider::CommitProvider,
        error::OutputError,
        plain::options::IgnoreMarks,
    },
    repository::commits::commit_text::{CommitText, Ident},
    text::{decimal::push_number, line_offsets::LineOffsets},
};

/// Options of the porcelain formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PorcelainOptions {
    /// `--line-porcelain`: repeat the commit's headers for every line.
    pub every_line: bool,
    /// Marks of ignored revisions.
    pub marks: IgnoreMarks,
    /// `core.quotePath`: whether to quote bytes from 0x80 on in paths.
    pub quote_path: bool,
}

/// Writes a finished blame.
///
/// # Errors
///
/// If a commit cannot be read or the writer fails; what was written before stays in `out`.
pub fn write(
    out: &mut OutputBuffer<'_>,
    blame: &Blame,
    commits: &mut dyn CommitProvider,
    options: PorcelainOptions,
) -> Result<(), OutputError> {
    let lines = LineOffsets::new(&blame.contents);
    let numbers = commit_numbers(&blame.origins);
    let many_paths = have_many_paths(blame, &numbers);
    let mut shown = vec![false; numbers.len()];
    for entry in &blame.entries {
        let at = entry.origin.0 as usize;
        let (Some(origin), Some(&commit)) = (blame.origins.get(at), numbers.get(at)) else {
            continue;
        };
        let hex = HexId::new(&origin.commit);
        let mut details = Vec::new();
        let first = !std::mem::replace(&mut shown[commit], true);
        if first || options.every_line {
            let text = if options.every_line {
                commits.text(&origin.commit)
            } else {
                commits.text_once(&origin.commit)
            };
            let text = text.map_err(OutputError::Commit)?;
            push_details(
                &mut details,
                &text,
                blame.boundaries.contains(&origin.commit),
            );
        }
        if first || options.every_line || many_paths[commit] {
            push_path_part(&mut details, origin, &blame.origins, options.quote_path);
        }
        write_entry(out, entry, &hex, &details, &lines, options)?;
    }
    Ok(())
}

fn write_entry(
    out: &mut OutputBuffer<'_>,
    entry: &Entry,
    hex: &HexId,
    details: &[u8],
    lines: &LineOffsets<'_>,
    options: PorcelainOptions,
) -> Result<(), OutputError> {
    let unblamable = options.marks.unblamable && entry.unblamable;
    let ignored = options.marks.ignored && entry.ignored;
    let count = entry.lines.end.saturating_sub(entry.lines.start);
    let mut header = LineHeader::new(hex, entry);
    for nth in 0..count {
        out.bytes(&header.text);
        header.increment();
        if nth == 0 {
            out.byte(b' ');
            out.number(u64::from(count));
        }
        out.byte(b'\n');
        if nth == 0 || options.every_line {
            out.bytes(details);
        }
        if unblamable {
            out.bytes(b"unblamable\n");
        }
        if ignored {
            out.bytes(b"ignored\n");
        }
        out.byte(b'\t');
        out.line(lines.get((entry.lines.start + nth) as usize))?;
        out.spill()?;
    }
    Ok(())
}

/// The header line of a line: commit, original line number, final line number. The numbers are
/// incremented as text: formatting them would take longer than everything else about a line.
struct LineHeader<'a> {
    hex: &'a HexId,
    numbers: [u64; 2],
    text: Vec<u8>,
    /// End of the first number in `text`.
    between: usize,
}

impl<'a> LineHeader<'a> {
    fn new(hex: &'a HexId, entry: &Entry) -> Self {
        let numbers = [entry.source_start, entry.lines.start].map(|line| u64::from(line) + 1);
        let mut header = LineHeader {
            hex,
            numbers,
            text: Vec::with_capacity(hex.as_bytes().len() + 24),
            between: 0,
        };
        header.write();
        header
    }

    fn write(&mut self) {
        self.text.clear();
        self.text.extend_from_slice(self.hex.as_bytes());
        self.text.push(b' ');
        push_number(&mut self.text, self.numbers[0]);
        self.between = self.text.len();
        self.text.push(b' ');
        push_number(&mut self.text, self.numbers[1]);
    }

    /// Advances to the next line.
    #[inline]
    fn increment(&mut self) {
        self.numbers = self.numbers.map(|number| number + 1);
        let (first, second) = self.text.split_at_mut(self.between);
        if !(increment_decimal(first) && increment_decimal(second)) {
            self.write();
        }
    }
}

/// Increments the decimal number at the end of `text`; false if it would need another digit.
#[inline]
fn increment_decimal(text: &mut [u8]) -> bool {
    for digit in text.iter_mut().rev() {
        match digit {
            b'0'..=b'8' => {
                *digit += 1;
                return true;
            }
            b'9' => *digit = b'0',
            _ => return false,
        }
    }
    false
}

/// For each origin the number of its commit, less than the number of origins. Origins with one path
/// are of different commits.
fn commit_numbers(origins: &[Origin]) -> Vec<usize> {
    let one_path = origins
        .windows(2)
        .all(|pair| is_same_path(&pair[0].path, &pair[1].path));
    if one_path {
        return (0..origins.len()).collect();
    }
    let mut numbers = FxHashMap::default();
    let numbered = origins.iter().map(|origin| {
        let next = numbers.len();
        *numbers.entry(origin.commit).or_insert(next)
    });
    numbered.collect()
}

/// By number of the commit: whether it is blamed under more than one path.
fn have_many_paths(blame: &Blame, numbers: &[usize]) -> Vec<bool> {
    let mut path_of: Vec<Option<&Arc<BString>>> = vec![None; numbers.len()];
    let mut many = vec![false; numbers.len()];
    for entry in &blame.entries {
        let at = entry.origin.0 as usize;
        if let (Some(origin), Some(&commit)) = (blame.origins.get(at), numbers.get(at)) {
            let known = *path_of[commit].get_or_insert(&origin.path);
            many[commit] |= !is_same_path(known, &origin.path);
        }
    }
    many
}

fn is_same_path(path: &Arc<BString>, other: &Arc<BString>) -> bool {
    Arc::ptr_eq(path, other) || path == other
}

/// Appends the headers about a commit: idents, summary, `boundary`.
pub(super) fn push_details(out: &mut Vec<u8>, text: &CommitText, boundary: bool) {
    push_ident(out, b"author", &text.author);
    push_ident(out, b"committer", &text.committer);
    out.extend_from_slice(b"summary ");
    out.extend_from_slice(&text.summary);
    out.push(b'\n');
    if boundary {
        out.extend_from_slice(b"boundary\n");
    }
}

fn push_ident(out: &mut Vec<u8>, role: &[u8], ident: &Ident) {
    let mut time = Vec::new();
    push_number(&mut time, ident.time);
    let fields: [(&[u8], &[u8]); 4] = [
        (b" ", &ident.name),
        (b"-mail ", &ident.mail),
        (b"-time ", &time),
        (b"-tz ", &ident.zone),
    ];
    for (key, value) in fields {
        out.extend_from_slice(role);
        out.extend_from_slice(key);
        out.extend_from_slice(value);
        out.push(b'\n');
    }
}

/// Appends the headers `previous`, if the origin has one, and `filename`.
pub(super) fn push_path_part(
    out: &mut Vec<u8>,
    origin: &Origin,
    origins: &[Origin],
    quote_path: bool,
) {
    let previous = origin
        .previous
        .and_then(|OriginId(at)| origins.get(at as usize));
    if let Some(previous) = previous {
        out.extend_from_slice(b"previous ");
        out.extend_from_slice(HexId::new(&previous.commit).as_bytes());
        out.push(b' ');
        push_path(out, &previous.path, quote_path);
        out.push(b'\n');
    }
    out.extend_from_slice(b"filename ");
    push_path(out, &origin.path, quote_path);
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::ObjectId;

    #[test]
    fn line_numbers_are_incremented() {
        let id = ObjectId::null(gix_hash::Kind::Sha1);
        let hex = HexId::new(&id);
        for (source_start, line) in [(0, 0), (7, 98), (989, 5), (u32::MAX - 20, 999_990)] {
            let entry = Entry {
                lines: line..line + 20,
                source_start,
                origin: OriginId(0),
                ignored: false,
                unblamable: false,
            };
            let mut header = LineHeader::new(&hex, &entry);
            for nth in 1..=20 {
                let (source, line) = (u64::from(source_start) + nth, u64::from(line) + nth);
                assert_eq!(header.text, format!("{id} {source} {line}").as_bytes());
                header.increment();
            }
        }
    }
}
