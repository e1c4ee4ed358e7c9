//! What `--tree --recursive --json --json-fields=lines` says of each file.

use std::collections::{BTreeMap, BTreeSet};

/// A line's commit, path and number there.
pub type LineOrigin = (String, String, usize);

/// The files of a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeAnswer {
    /// All entries but submodules.
    pub listed: BTreeSet<String>,
    /// By path, the records of the entries of those that were blamed.
    pub files: BTreeMap<String, Vec<String>>,
}

impl TreeAnswer {
    /// Reads the records of a run, which may have ended early.
    pub fn read(stdout: &[u8]) -> TreeAnswer {
        let mut answer = TreeAnswer::default();
        let mut path = String::new();
        for record in String::from_utf8_lossy(stdout).lines() {
            let named = || text(record, "path").unwrap_or_default();
            match text(record, "type").as_deref() {
                Some("file") => {
                    path = named();
                    answer.files.insert(path.clone(), Vec::new());
                }
                Some("entry") => {
                    let entries = answer.files.get_mut(&path);
                    entries.expect("a file comes first").push(record.to_owned());
                }
                Some("node") if text(record, "kind").as_deref() != Some("submodule") => {
                    answer.listed.insert(named());
                }
                _ => {}
            }
        }
        answer
    }

    /// Where the lines of a file come from, in its order.
    pub fn origins(&self, path: &str) -> Vec<LineOrigin> {
        let mut lines = Vec::new();
        for record in self.files.get(path).into_iter().flatten() {
            let number = |key: &str| {
                let value = after(record, key).map(|rest| {
                    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                    rest[..digits].parse().ok()
                });
                value.flatten().unwrap_or(usize::MAX)
            };
            let (first, last) = (number("finalLine"), number("lineCount"));
            assert_eq!(first, lines.len() + 1, "{record}");
            let (commit, path) = (text(record, "commit"), text(record, "path"));
            for nth in 0..last {
                lines.push((
                    commit.clone().unwrap_or_default(),
                    path.clone().unwrap_or_default(),
                    number("originalLine") + nth,
                ));
            }
        }
        lines
    }
}

/// The same from the output of `git blame --line-porcelain`.
pub fn origins_by_git(porcelain: &[u8]) -> Vec<LineOrigin> {
    let mut lines: Vec<LineOrigin> = Vec::new();
    let mut is_header = true;
    for line in String::from_utf8_lossy(porcelain).lines() {
        if line.starts_with('\t') {
            is_header = true;
        } else if let Some(path) = line.strip_prefix("filename ") {
            lines.last_mut().expect("a header comes first").1 = path.to_owned();
        } else if is_header {
            let mut words = line.split(' ');
            let commit = words.next().unwrap_or_default().to_owned();
            let number = words.next().and_then(|word| word.parse().ok());
            lines.push((commit, String::new(), number.unwrap_or(usize::MAX)));
            is_header = false;
        }
    }
    lines
}

/// What follows a key of a record. The names in these histories need no escapes.
fn after<'a>(record: &'a str, key: &str) -> Option<&'a str> {
    let key = format!("\"{key}\":");
    record.find(&key).map(|at| &record[at + key.len()..])
}

fn text(record: &str, key: &str) -> Option<String> {
    let text = after(record, key)?.strip_prefix('"')?;
    Some(text[..text.find('"')?].to_owned())
}
