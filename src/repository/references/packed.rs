//! `packed-refs`: references in one file, in order of their names if its first line says so (git-pack-refs(1)).

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead as _, BufReader, ErrorKind, Read, Seek, SeekFrom},
    path::Path,
};

use bstr::{BStr, BString, ByteSlice};
use memchr::memmem::Finder;

use crate::{
    error::until_nul,
    objects::{HashKind, ObjectId},
    system,
};

/// Bytes read for the first line.
const MAX_HEADER_LEN: usize = 256;
/// Bytes read for one step of a search.
const STEP: usize = 4 << 10;
/// The longest line that is read of a file in order.
const MAX_LINE: u64 = 1 << 16;

/// The references of a file.
#[derive(Debug)]
pub(crate) enum PackedRefs {
    /// They are in order, and searched in the file, where the first begins at `start`.
    InOrder {
        file: File,
        start: u64,
        hash: HashKind,
    },
    /// They were read.
    Read(BTreeMap<BString, ObjectId>),
}

/// Why there is nothing to be had of a file.
#[derive(Debug)]
pub(crate) enum PackedProblem {
    /// It cannot be read.
    Unreadable(io::Error),
    /// git refuses this line, for this reason.
    Line(&'static str, BString),
}

impl From<io::Error> for PackedProblem {
    fn from(error: io::Error) -> PackedProblem {
        PackedProblem::Unreadable(error)
    }
}

/// What the first line of a file says of how the rest is written; empty without such a line.
fn traits(start: &[u8]) -> &[u8] {
    let line = ByteSlice::lines(start).next().unwrap_or_default();
    line.strip_prefix(b"# pack-refs with:").unwrap_or_default()
}

impl PackedRefs {
    /// Opens the file in `directory`. None if there is none. Like git, looks at all lines of a file that is not in order.
    pub(crate) fn open(
        directory: &Path,
        hash: HashKind,
    ) -> Result<Option<PackedRefs>, PackedProblem> {
        let mut file = match system::open_file(&directory.join("packed-refs")) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let mut text = Vec::new();
        file.by_ref()
            .take(MAX_HEADER_LEN as u64)
            .read_to_end(&mut text)?;
        if traits(&text).contains_str(" sorted ") {
            let start = text.find_byte(b'\n').map_or(text.len(), |end| end + 1) as u64;
            return Ok(Some(PackedRefs::InOrder { file, start, hash }));
        }
        file.read_to_end(&mut text)?;
        let mut all = BTreeMap::new();
        let lines = text.split_inclusive(|&byte| byte == b'\n');
        for line in lines.skip_while(|line| line.starts_with(b"#")) {
            let refuse = |problem| PackedProblem::Line(problem, until_nul(line).trim_end().into());
            let Some(line) = line.strip_suffix(b"\n") else {
                return Err(refuse("unterminated"));
            };
            if let Some((name, id)) = record(line, hash) {
                all.insert(name.to_owned(), id);
            } else if !is_peeled(line) {
                return Err(refuse("unexpected"));
            }
        }
        Ok(Some(PackedRefs::Read(all)))
    }

    /// The object of the reference `name`.
    pub(crate) fn find(&self, name: &BStr) -> Option<ObjectId> {
        let mut found = None;
        // Unreadable means missing here: replacements were read before, which tells of it.
        let _ = self.visit(name, |other, id| {
            found = (other == name).then_some(id);
            false
        });
        found
    }

    /// Passes the references from `first` on to `visit`, in order, until it returns false.
    pub(crate) fn visit(
        &self,
        first: &BStr,
        mut visit: impl FnMut(&BStr, ObjectId) -> bool,
    ) -> io::Result<()> {
        match self {
            PackedRefs::Read(all) => {
                let mut all = all.range(first.to_owned()..);
                all.all(|(name, id)| visit(name.as_bstr(), *id));
                Ok(())
            }
            PackedRefs::InOrder { file, start, hash } => {
                let mut reader = BufReader::with_capacity(STEP, file);
                let start = search(&mut reader, *start, first, *hash)?;
                reader.seek(SeekFrom::Start(start))?;
                let mut line = Vec::new();
                loop {
                    line.clear();
                    if reader
                        .by_ref()
                        .take(MAX_LINE)
                        .read_until(b'\n', &mut line)?
                        == 0
                    {
                        return Ok(());
                    }
                    if let Some((name, id)) = record(line.trim_end(), *hash)
                        && name >= first
                        && !visit(name, id)
                    {
                        return Ok(());
                    }
                }
            }
        }
    }
}

/// Where to read on from for the first reference that is not before `name`: at most some steps before it.
fn search(
    reader: &mut BufReader<&File>,
    start: u64,
    name: &BStr,
    hash: HashKind,
) -> io::Result<u64> {
    let (mut low, mut high) = (start, reader.seek(SeekFrom::End(0))?);
    let mut step = Vec::with_capacity(STEP);
    while high.saturating_sub(low) > 4 * STEP as u64 {
        let middle = low + (high - low) / 2;
        reader.seek(SeekFrom::Start(middle))?;
        step.clear();
        reader.by_ref().take(STEP as u64).read_to_end(&mut step)?;
        let mut at = middle;
        let lines = step.split_inclusive(|&byte| byte == b'\n');
        let mut found = None;
        // The first line of a step may be part of one, and so may the last.
        for line in lines {
            let is_whole = at > middle && line.ends_with(b"\n");
            if let Some((other, _)) = record(line.trim_end(), hash).filter(|_| is_whole) {
                found = Some(other < name);
                break;
            }
            at += line.len() as u64;
        }
        match found {
            Some(true) => low = at,
            Some(false) => high = middle,
            // Lines longer than a step.
            None => break,
        }
    }
    Ok(low)
}

/// The name and the object of a reference.
fn record(line: &[u8], hash: HashKind) -> Option<(&BStr, ObjectId)> {
    let (id, name) = line.split_once_str(" ")?;
    let id = ObjectId::from_hex(id).ok().filter(|id| id.kind() == hash)?;
    (!name.is_empty()).then(|| (name.as_bstr(), id))
}

/// Whether a line names what the tag before it leads to.
fn is_peeled(line: &[u8]) -> bool {
    line.strip_prefix(b"^")
        .is_some_and(|id| ObjectId::from_hex(id).is_ok())
}

/// The text of a file that has, after each tag object, the object that it leads to, as git writes it.
pub(crate) struct PeeledRefs(Vec<u8>);

impl PeeledRefs {
    /// `None` if the first line of the file in `directory` does not say that all is peeled.
    pub(crate) fn read(directory: &Path) -> Option<PeeledRefs> {
        let text = system::read_file(&directory.join("packed-refs")).ok()?;
        let mut words = traits(&text).fields();
        let is_peeled = words.any(|word| word == b"fully-peeled");
        is_peeled.then_some(PeeledRefs(text))
    }

    /// The full names of references to `id`, or to tags that lead to it, as they are written.
    ///
    /// Only lines with the id are parsed: 20,000 references are searched in 0.2 ms, and were listed and peeled in 26.
    pub(crate) fn names_of(&self, id: &ObjectId) -> Vec<&BStr> {
        let text = self.0.as_slice();
        let id = id.to_hex().to_string();
        let mut found = Vec::new();
        for at in Finder::new(&id).find_iter(text) {
            let line = text[..at].rfind_byte(b'\n').map_or(0, |end| end + 1);
            let name = match &text[line..at] {
                b"" => name_in(&text[at..]),
                b"^" => {
                    let before = &text[..line.saturating_sub(1)];
                    let start = before.rfind_byte(b'\n').map_or(0, |end| end + 1);
                    name_in(&before[start..])
                }
                _ => None,
            };
            found.extend(name);
        }
        found
    }
}

/// The name in the line at the start of `text`.
fn name_in(text: &[u8]) -> Option<&BStr> {
    let line = ByteSlice::lines(text).next()?;
    Some(line.split_once_str(" ")?.1.as_bstr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_in_files_of_any_size_and_order() {
        let id = |number: usize| format!("{number:040x}");
        let directory = tempfile::tempdir().unwrap();
        let mut searched = 0;
        for count in [0, 1, 2, 50, 3000] {
            for is_in_order in [true, false] {
                let mut text = if is_in_order {
                    "# pack-refs with: peeled fully-peeled sorted \n".to_owned()
                } else {
                    String::new()
                };
                let mut names: Vec<_> = (0..count)
                    .map(|at| format!("refs/tags/{:05}", 2 * at))
                    .collect();
                if !is_in_order {
                    names.reverse();
                }
                for (at, name) in names.iter().enumerate() {
                    let peeled = if at % 3 == 0 {
                        format!("^{}\n", id(at))
                    } else {
                        String::new()
                    };
                    text += &format!("{} {name}\n{peeled}", id(at));
                }
                std::fs::write(directory.path().join("packed-refs"), text).unwrap();
                let packed = PackedRefs::open(directory.path(), HashKind::Sha1)
                    .unwrap()
                    .unwrap();
                for number in (0..2 * count + 2).step_by(if count > 100 { 37 } else { 1 }) {
                    let name = format!("refs/tags/{number:05}");
                    let expected = names.iter().position(|other| *other == name);
                    let expected =
                        expected.map(|at| ObjectId::from_hex(id(at).as_bytes()).unwrap());
                    assert_eq!(
                        packed.find(name.as_str().into()),
                        expected,
                        "{name} of {count}"
                    );
                    let mut after = Vec::new();
                    packed
                        .visit(name.as_str().into(), |name, _| {
                            after.push(name.to_string());
                            true
                        })
                        .unwrap();
                    names.sort();
                    let first = names.partition_point(|other| *other < name);
                    assert_eq!(after, names[first..]);
                    if !is_in_order {
                        names.reverse();
                    }
                    searched += 1;
                }
            }
        }
        assert!(searched > 300, "{searched}");
    }
}
