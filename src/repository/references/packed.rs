//! `packed-refs`: references in one file, in order of their names if its first line says so
//! (git-pack-refs(1)).

use std::{
    cmp::Ordering,
    collections::{BTreeMap, HashMap},
    io::{self, ErrorKind},
    path::Path,
};

use bstr::{BStr, BString, ByteSlice};
use memchr::memmem::Finder;

use crate::{
    error::until_nul,
    objects::{HashKind, ObjectId},
    system,
};

/// How the first line begins that tells how the rest is written.
const HEADER: &[u8] = b"# pack-refs with:";

/// The references of a file.
#[derive(Debug)]
pub(crate) enum PackedRefs {
    /// They are in order. The first begins at `start` of the text.
    InOrder {
        text: Vec<u8>,
        start: usize,
        hash: HashKind,
    },
    /// They were put in order.
    Sorted(BTreeMap<BString, ObjectId>),
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

/// The words in the first line of a file on how the rest is written; empty without such a line.
fn traits(start: &[u8]) -> &[u8] {
    let line = ByteSlice::lines(start).next().unwrap_or_default();
    line.strip_prefix(HEADER).unwrap_or_default()
}

impl PackedRefs {
    /// Reads the file in `directory`; `None` if there is none. Like git, looks at all lines of a
    /// file that is not in order, and at the last one of others.
    pub(crate) fn open(
        directory: &Path,
        hash: HashKind,
    ) -> Result<Option<PackedRefs>, PackedProblem> {
        let text = match system::read_file(&directory.join("packed-refs")) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let has_header = text.starts_with(HEADER);
        let start = if has_header { line_end(&text, 0) } else { 0 };
        let check = |line: &[u8]| {
            let refuse = |problem| PackedProblem::Line(problem, until_nul(line).trim_end().into());
            let whole = line.strip_suffix(b"\n");
            let whole = whole.ok_or_else(|| refuse("unterminated"))?;
            match record(whole, hash) {
                None if !is_peeled(whole) => Err(refuse("unexpected")),
                record => Ok(record.map(|(name, id)| (name.to_owned(), id))),
            }
        };
        let mut lines = text[start..].split_inclusive(|&byte| byte == b'\n');
        if traits(&text).contains_str(" sorted ") {
            // git does not look at the id behind the mark there.
            if let Some(last) = lines.next_back()
                && !(last.starts_with(b"^") && last.ends_with(b"\n"))
            {
                check(last)?;
            }
            return Ok(Some(PackedRefs::InOrder { text, start, hash }));
        }
        let mut all = BTreeMap::new();
        let mut follows_tag = false;
        for line in lines {
            let record = check(line)?;
            if record.is_none() && !follows_tag {
                let line = line.trim_end().into();
                return Err(PackedProblem::Line("unexpected", line));
            }
            follows_tag = record.is_some();
            all.extend(record);
        }
        Ok(Some(PackedRefs::Sorted(all)))
    }

    /// The object of the reference `name`.
    pub(crate) fn find(&self, name: &BStr) -> Option<ObjectId> {
        match self {
            PackedRefs::Sorted(all) => all.get(name).copied(),
            PackedRefs::InOrder { text, start, hash } => {
                let at = search(text, *start, name, *hash).ok()?;
                Some(record(line_at(text, at), *hash)?.1)
            }
        }
    }

    /// Passes the references from `first` on to `visit`, in order, until it returns false.
    pub(crate) fn visit(&self, first: &BStr, mut visit: impl FnMut(&BStr, ObjectId) -> bool) {
        match self {
            PackedRefs::Sorted(all) => {
                let mut all = all.range(first.to_owned()..);
                all.all(|(name, id)| visit(name.as_bstr(), *id));
            }
            PackedRefs::InOrder { text, start, hash } => {
                let (Ok(at) | Err(at)) = search(text, *start, first, *hash);
                let mut records = text[at..].split(|&byte| byte == b'\n');
                records.all(|line| match record(line, *hash) {
                    Some((name, id)) => name < first || visit(name, id),
                    None => true,
                });
            }
        }
    }
}

/// Where the line of a reference starts in a text that is in order, or else where it would be. Like
/// git's, the search looks at the line in the middle, whatever the order really is.
fn search(text: &[u8], start: usize, name: &BStr, hash: HashKind) -> Result<usize, usize> {
    let (mut low, mut high) = (start, text.len());
    while low < high {
        let before = |at: usize| {
            text[low..at]
                .rfind_byte(b'\n')
                .map_or(low, |end| low + end + 1)
        };
        let middle = low + (high - low) / 2;
        let mut at = before(middle);
        while at > low && text[at] == b'^' {
            at = before(at - 1);
        }
        let Some((other, _)) = record(line_at(text, at), hash) else {
            return Err(at);
        };
        match other.cmp(name) {
            Ordering::Equal => return Ok(at),
            Ordering::Greater => high = at,
            Ordering::Less => {
                low = line_end(text, middle);
                while text.get(low) == Some(&b'^') {
                    low = line_end(text, low);
                }
            }
        }
    }
    Err(low)
}

/// Where the line after that of `at` starts.
fn line_end(text: &[u8], at: usize) -> usize {
    let end = text[at..].find_byte(b'\n');
    end.map_or(text.len(), |end| at + end + 1)
}

/// The line that starts at `at`, without its end.
fn line_at(text: &[u8], at: usize) -> &[u8] {
    let line = &text[at..line_end(text, at)];
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// The name and the object of a reference.
fn record(line: &[u8], hash: HashKind) -> Option<(&BStr, ObjectId)> {
    let (id, name) = line.split_once_str(" ")?;
    let id = ObjectId::from_hex(id).ok().filter(|id| id.kind() == hash)?;
    (!name.is_empty()).then(|| (name.as_bstr(), id))
}

/// True if a line names the object that the tag before it leads to.
fn is_peeled(line: &[u8]) -> bool {
    line.strip_prefix(b"^")
        .is_some_and(|id| ObjectId::from_hex(id).is_ok())
}

/// The text of a file that has, after each tag object, the object that it leads to, as git writes
/// it.
pub(crate) struct PeeledRefs(Vec<u8>);

impl PeeledRefs {
    /// `None` if the first line of the file in `directory` does not say that all is peeled.
    pub(crate) fn read(directory: &Path) -> Option<PeeledRefs> {
        let text = system::read_file(&directory.join("packed-refs")).ok()?;
        let mut words = traits(&text).fields();
        let is_peeled = words.any(|word| word == b"fully-peeled");
        is_peeled.then_some(PeeledRefs(text))
    }

    /// The objects that tags lead to, by the ids of the tags.
    pub(crate) fn targets(&self) -> HashMap<ObjectId, ObjectId> {
        let text = self.0.as_slice();
        let ends = Finder::new(b"\n^");
        let targets = ends.find_iter(text).filter_map(|end| {
            let start = text[..end].rfind_byte(b'\n').map_or(0, |end| end + 1);
            let id = |hex| ObjectId::from_hex(hex).ok();
            let (tag, _) = text[start..end].split_once_str(" ")?;
            Some((id(tag)?, id(line_at(text, end + 1).get(1..)?)?))
        });
        targets.collect()
    }

    /// The full names of references to `id`, or to tags that lead to it, as they are written.
    ///
    /// Only lines with the id are parsed: 20,000 references are searched in 0.2 ms, and were listed
    /// and peeled in 26.
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
                let in_order = names.clone();
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
                    packed.visit(name.as_str().into(), |name, _| {
                        after.push(name.to_string());
                        true
                    });
                    let first = in_order.partition_point(|other| *other < name);
                    assert_eq!(after, in_order[first..]);
                    searched += 1;
                }
            }
        }
        assert!(searched > 300, "{searched}");
    }

    #[test]
    fn tags_lead_to_what_is_written_behind_them() {
        let [tag, commit, plain] = [1, 2, 3].map(|number| format!("{number:040x}"));
        let directory = tempfile::tempdir().unwrap();
        for (traits, is_peeled) in [("peeled fully-peeled sorted", true), ("peeled", false)] {
            let text = format!(
                "# pack-refs with: {traits} \n{plain} refs/tags/a\n{tag} refs/tags/b\n^{commit}\n{plain} refs/tags/c\n^damaged\n"
            );
            std::fs::write(directory.path().join("packed-refs"), text).unwrap();
            let targets = PeeledRefs::read(directory.path()).map(|packed| packed.targets());
            let [tag, commit] =
                [&tag, &commit].map(|hex| ObjectId::from_hex(hex.as_bytes()).unwrap());
            let expected = is_peeled.then(|| HashMap::from([(tag, commit)]));
            assert_eq!(targets, expected);
        }
    }
}
