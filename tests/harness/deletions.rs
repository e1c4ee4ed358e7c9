//! The lines that the commits of a file's history deleted, replayed from what git's commands tell: the file in each commit,
//! and the diffs between its versions. The rule is that of `docs/deletions.md`.

use std::{
    collections::{BTreeSet, HashMap},
    ffi::OsString,
    ops::Range,
    os::unix::ffi::OsStringExt,
};

use super::file_versions::{RunGit, renamed_from};

/// Deleted lines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReplayedDeletion {
    pub commit: String,
    pub is_merge: bool,
    /// The nearest lines before and after, 1-based.
    pub neighbours: (Option<u32>, Option<u32>),
    pub parent: String,
    /// The first and the last line in the parent's version, 1-based.
    pub lines: (u32, u32),
}

impl ReplayedDeletion {
    /// Reads a record of `--deletions --json`; `None` for the header and the end.
    pub fn of_record(record: &str) -> Option<ReplayedDeletion> {
        let after = |text: &str, key: &str| {
            let at = text.find(key)? + key.len();
            Some(text[at..].to_owned())
        };
        let number = |key: &str| {
            let digits = after(record, key).expect("the key is there");
            let end = digits.find(|c: char| !c.is_ascii_digit());
            digits[..end.expect("the record goes on")].parse().ok()
        };
        record.strip_prefix("{\"type\":\"deletion\"")?;
        let id = |text: String| text[..text.find('"').expect("the id ends")].to_owned();
        let commit = id(after(record, "\"commit\":\"")?);
        let parent = id(after(record, "\"previous\":{\"commit\":\"")?);
        Some(ReplayedDeletion {
            commit,
            is_merge: record.contains(",\"merge\":true,"),
            neighbours: (number("\"lineBefore\":"), number("\"lineAfter\":")),
            parent,
            lines: (number("\"startLine\":")?, number("\"endLine\":")?),
        })
    }
}

/// A commit and a path.
type Place = (String, Vec<u8>);

/// Mode and blob of a file.
type FileEntry = (String, String);

/// The old and the new lines of a hunk (0-based, half-open).
type LinePair = (Range<usize>, Range<usize>);

/// A version of the file.
struct Version {
    entry: FileEntry,
    is_merge: bool,
    /// For each parent that has the file: its place there, and that of the version.
    parents: Vec<(Place, Place)>,
}

/// What was replayed.
pub struct Replay {
    pub deletions: Vec<ReplayedDeletion>,
    /// The number of versions of the file.
    pub versions: usize,
}

/// Replays the history of the file at `path` in `revision`, an id. `order` has the commits of its versions in the order of
/// `--file-history`.
pub fn replay(git: &RunGit<'_>, revision: &str, path: &[u8], order: &[String]) -> Replay {
    let mut reader = Reader {
        git,
        revision,
        files: HashMap::new(),
        parents: HashMap::new(),
        texts: HashMap::new(),
        diffs: HashMap::new(),
    };
    let newest = reader.version_of((revision.to_owned(), path.to_vec()));
    let versions = reader.versions(&newest);
    let blobs = versions.values().map(|version| version.entry.1.as_str());
    reader.read_texts(&blobs.collect());
    let mut main_line = BTreeSet::new();
    let mut next = Some(&newest);
    while let Some(place) = next.filter(|place| main_line.insert((*place).clone())) {
        next = versions[place].parents.first().map(|(_, version)| version);
    }
    let ranks: HashMap<&String, usize> = order.iter().zip(0..).collect();
    let rank = |place: &Place| ranks[&place.0];
    // The version that each is compared with.
    let mut newer: HashMap<Place, Place> = HashMap::new();
    let mut places: Vec<&Place> = versions.keys().collect();
    places.sort_by_key(|place| rank(place));
    for &child in &places {
        for (nth, (_, parent)) in versions[child].parents.iter().enumerate() {
            let is_main = nth == 0 && main_line.contains(child);
            if is_main || !newer.contains_key(parent) {
                newer.insert(parent.clone(), child.clone());
            }
        }
    }
    let mut final_lines: HashMap<Place, Vec<Option<u32>>> = HashMap::new();
    for &place in &places {
        let entry = &versions[place].entry;
        let lines = match newer.get(place) {
            None => (1..=reader.text(entry).len() as u32).map(Some).collect(),
            Some(newer) => {
                let counterparts = reader.counterparts(entry, &versions[newer].entry);
                let newer = &final_lines[newer];
                let lines = counterparts.into_iter();
                lines.map(|line| line.and_then(|at| newer[at])).collect()
            }
        };
        final_lines.insert(place.clone(), lines);
    }
    let mut deletions = Vec::new();
    for &place in &places {
        let version = &versions[place];
        let entries: Vec<&FileEntry> = version
            .parents
            .iter()
            .map(|(_, parent)| &versions[parent].entry)
            .collect();
        let Some((place_before, version_before)) = version.parents.first() else {
            continue;
        };
        for (old, gap) in reader.removals(entries[0], &version.entry) {
            let text = reader.text(entries[0])[old.clone()].to_vec();
            let is_everywhere = entries[1..].iter().all(|entry| {
                let removals = reader.removals(entry, &version.entry);
                let mut same = removals.into_iter().filter(|(_, other)| *other == gap);
                same.any(|(lines, _)| reader.text(entry)[lines] == text[..])
            });
            if !is_everywhere {
                continue;
            }
            let lines = &final_lines[place];
            let neighbours = (
                lines[..gap].iter().rev().find_map(|line| *line),
                lines[gap..].iter().find_map(|line| *line),
            );
            let before = &final_lines[version_before];
            let gone: Vec<usize> = old.filter(|&line| before[line].is_none()).collect();
            for run in gone.chunk_by(|one, next| one + 1 == *next) {
                deletions.push(ReplayedDeletion {
                    commit: place.0.clone(),
                    is_merge: version.is_merge,
                    neighbours,
                    parent: place_before.0.clone(),
                    lines: (run[0] as u32 + 1, (run[0] + run.len()) as u32),
                });
            }
        }
    }
    deletions.sort();
    Replay {
        deletions,
        versions: versions.len(),
    }
}

/// Asks git, and remembers the answers.
struct Reader<'a> {
    git: &'a RunGit<'a>,
    revision: &'a str,
    /// By path: the file in each commit that has it.
    files: HashMap<Vec<u8>, HashMap<String, FileEntry>>,
    parents: HashMap<String, Vec<String>>,
    texts: HashMap<String, Vec<Vec<u8>>>,
    /// The hunks between two blobs.
    diffs: HashMap<(String, String), Vec<LinePair>>,
}

impl Reader<'_> {
    fn ask(&self, words: &[&str], path: Option<&[u8]>) -> Vec<u8> {
        let mut arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
        if let Some(path) = path {
            arguments.push("--".into());
            arguments.push(OsString::from_vec(path.to_vec()));
        }
        (self.git)(&arguments, b"")
    }

    /// The file at a path in a commit.
    fn file(&mut self, (commit, path): &Place) -> Option<FileEntry> {
        if !self.files.contains_key(path) {
            let files = self.files_at(path);
            self.files.insert(path.clone(), files);
        }
        self.files[path].get(commit).cloned()
    }

    /// The file at a path in each commit that has it.
    fn files_at(&mut self, path: &[u8]) -> HashMap<String, FileEntry> {
        let words = [
            "--literal-pathspecs",
            "log",
            "-m",
            "--root",
            "--topo-order",
            "--full-history",
            "--sparse",
            "--raw",
            "--no-renames",
            "--no-abbrev",
            "-z",
            "--format=commit %H %P",
            self.revision,
        ];
        let output = self.ask(&words, Some(path));
        let mut commits: Vec<(String, Option<FileEntry>, bool)> = Vec::new();
        let mut fields = output.split(|&byte| byte == 0);
        while let Some(field) = fields.next() {
            let field = field.strip_prefix(b"\n").unwrap_or(field);
            if let Some(ids) = field.strip_prefix(b"commit ") {
                let ids = String::from_utf8(ids.to_vec()).expect("ids are ASCII");
                let mut ids = ids.split_ascii_whitespace().map(str::to_owned);
                let id = ids.next().expect("a commit");
                self.parents.insert(id.clone(), ids.collect());
                if commits.last().is_none_or(|(last, ..)| *last != id) {
                    commits.push((id, None, false));
                }
            } else if let Some(change) = field.strip_prefix(b":") {
                let changed = fields.next().expect("a path follows");
                if changed != path {
                    continue;
                }
                let change = String::from_utf8(change.to_vec()).expect("it is ASCII");
                let parts: Vec<&str> = change.split(' ').collect();
                let (_, file, is_changed) = commits.last_mut().expect("a commit precedes");
                *is_changed = true;
                *file = match &parts[1][..3] {
                    "100" | "120" => Some((parts[1].to_owned(), parts[3].to_owned())),
                    _ => None,
                };
            }
        }
        let mut files = HashMap::new();
        for (id, file, is_changed) in commits.into_iter().rev() {
            let first = self.parents[&id].first();
            let file = if is_changed {
                file
            } else {
                first.and_then(|parent| files.get(parent).cloned())
            };
            if let Some(file) = file {
                files.insert(id, file);
            }
        }
        files
    }

    /// The version that the file has at a place: the commit that made it.
    fn version_of(&mut self, mut place: Place) -> Place {
        let file = self.file(&place).unwrap_or_else(|| panic!("no {place:?}"));
        loop {
            let parents = self.parents[&place.0].clone();
            let mut parents = parents.into_iter().map(|id| (id, place.1.clone()));
            match parents.find(|parent| self.file(parent).as_ref() == Some(&file)) {
                Some(parent) => place = parent,
                None => return place,
            }
        }
    }

    /// All versions that lead to the newest one.
    fn versions(&mut self, newest: &Place) -> HashMap<Place, Version> {
        let mut versions = HashMap::new();
        let mut todo = vec![newest.clone()];
        while let Some(place) = todo.pop() {
            if versions.contains_key(&place) {
                continue;
            }
            let ids = self.parents[&place.0].clone();
            let mut parents = Vec::new();
            for id in &ids {
                let mut before = (id.clone(), place.1.clone());
                if self.file(&before).is_none() {
                    match renamed_from(self.git, id, &place.0, &place.1) {
                        Some(source) => before.1 = source,
                        None => continue,
                    }
                }
                let version = self.version_of(before.clone());
                todo.push(version.clone());
                parents.push((before, version));
            }
            let version = Version {
                entry: self.file(&place).expect("the file is there"),
                is_merge: ids.len() > 1,
                parents,
            };
            versions.insert(place, version);
        }
        versions
    }

    /// Reads the texts of all versions at once.
    fn read_texts(&mut self, blobs: &BTreeSet<&str>) {
        let input: String = blobs.iter().map(|id| format!("{id}\n")).collect();
        let words = ["cat-file", "--batch=%(objectsize)"].map(OsString::from);
        let output = (self.git)(&words, input.as_bytes());
        let mut rest = &output[..];
        for &blob in blobs {
            let end = rest.iter().position(|&byte| byte == b'\n');
            let (size, after) = rest.split_at(end.expect("a size for each blob"));
            let size = std::str::from_utf8(size)
                .ok()
                .and_then(|it| it.parse().ok());
            let (text, after) = after[1..].split_at(size.expect("a number"));
            rest = &after[1..];
            let lines = text.split_inclusive(|&byte| byte == b'\n');
            let lines = lines.map(<[u8]>::to_vec).collect();
            self.texts.insert(blob.to_owned(), lines);
        }
        assert!(rest.is_empty(), "an answer for each blob");
    }

    fn text(&self, (_, blob): &FileEntry) -> &[Vec<u8>] {
        &self.texts[blob]
    }

    /// The hunks between two versions.
    fn hunks(&mut self, old: &FileEntry, new: &FileEntry) -> Vec<LinePair> {
        let pair = (old.1.clone(), new.1.clone());
        if !self.diffs.contains_key(&pair) {
            let words = ["diff", "--no-color", "--text", "-U0", &old.1, &new.1];
            let output = self.ask(&words, None);
            let lines = output.split(|&byte| byte == b'\n');
            let hunks = lines.filter_map(|line| {
                let line = String::from_utf8_lossy(line.strip_prefix(b"@@ -")?);
                let (old, rest) = line.split_once(" +")?;
                let (new, _) = rest.split_once(" @@")?;
                Some((lines_of(old), lines_of(new)))
            });
            let hunks = hunks.collect();
            self.diffs.insert(pair.clone(), hunks);
        }
        self.diffs[&pair].clone()
    }

    /// The lines that a version lacks without others in their place, and the number of its lines before that place.
    fn removals(&mut self, old: &FileEntry, new: &FileEntry) -> Vec<(Range<usize>, usize)> {
        let hunks = self.hunks(old, new).into_iter();
        let removals = hunks.filter(|(_, new)| new.is_empty());
        removals.map(|(old, new)| (old, new.start)).collect()
    }

    /// The line of a newer version that each line of an older one is.
    fn counterparts(&mut self, old: &FileEntry, new: &FileEntry) -> Vec<Option<usize>> {
        let mut counterparts = Vec::new();
        let mut at = 0;
        let count = self.text(old).len();
        let hunks = self.hunks(old, new);
        for (old, new) in hunks {
            while counterparts.len() < old.start {
                counterparts.push(Some(at));
                at += 1;
            }
            counterparts.extend(old.map(|_| None));
            at = new.end;
        }
        while counterparts.len() < count {
            counterparts.push(Some(at));
            at += 1;
        }
        counterparts
    }
}

/// Reads `START,COUNT` of a hunk; with a count of 0, START is the line before.
fn lines_of(text: &str) -> Range<usize> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    let start: usize = start.parse().expect("a line number");
    let count: usize = count.parse().expect("a number of lines");
    match count {
        0 => start..start,
        _ => start - 1..start - 1 + count,
    }
}
