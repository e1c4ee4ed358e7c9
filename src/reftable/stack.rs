//! The tables of a repository, the newest last.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use gix_hash::Kind;

use super::{
    error::{Error, Result},
    record::{LogEntry, Value},
    table::Table,
};

/// Tables that a list may name.
const MAX_TABLES: usize = 1 << 12;
/// How often the list is read again because a table of it was removed meanwhile.
const MAX_ATTEMPTS: usize = 5;
/// Bytes of names and values collected at most.
const MAX_COLLECTED: usize = 1 << 28;

/// All tables of a directory as one.
#[derive(Debug, Default)]
pub struct Stack {
    /// The oldest first.
    tables: Vec<Table>,
}

impl Stack {
    /// Opens the tables that `tables.list` in `directory` names, which must all use `hash`. No list
    /// means no tables.
    ///
    /// # Errors
    ///
    /// If one of them cannot be read, or is damaged.
    pub fn open(directory: &Path, hash: Kind) -> Result<Stack> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            match Stack::open_once(directory, hash) {
                // Tables are removed when others replace them in the list.
                Err(Error::Io { source, .. })
                    if source.kind() == io::ErrorKind::NotFound && attempts < MAX_ATTEMPTS => {}
                opened => return opened,
            }
        }
    }

    fn open_once(directory: &Path, hash: Kind) -> Result<Stack> {
        let path = directory.join("tables.list");
        let damaged = |path: PathBuf, reason| Error::Damaged { path, reason };
        let list = match fs::read(&path) {
            Ok(list) => list,
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Stack::default()),
            Err(source) => return Err(Error::Io { path, source }),
        };
        let mut tables = Vec::new();
        for name in list.split(|byte| *byte == b'\n') {
            if name.is_empty() {
                continue;
            }
            let name = std::str::from_utf8(name).ok();
            // Tables are files of the directory.
            let name = name.filter(|name| !name.contains(['/', '\\', '\0']));
            let Some(name) = name else {
                return Err(damaged(path, "it names no file"));
            };
            if tables.len() == MAX_TABLES {
                return Err(damaged(path, "it names too many files"));
            }
            let file = directory.join(name);
            let table = Table::open(&file)?;
            if table.hash() != hash {
                return Err(damaged(file, "it has another hash function"));
            }
            tables.push(table);
        }
        Ok(Stack { tables })
    }

    /// The value of the reference `name`, which is no deletion.
    ///
    /// # Errors
    ///
    /// If a table cannot be read, or is damaged.
    pub fn find(&self, name: &[u8]) -> Result<Option<Value>> {
        for table in self.tables.iter().rev() {
            if let Some(value) = table.find(name)? {
                return Ok(Some(value).filter(|value| *value != Value::Deletion));
            }
        }
        Ok(None)
    }

    /// The references whose names begin with `prefix`, in order.
    ///
    /// # Errors
    ///
    /// As [`find`](Self::find).
    pub fn refs(&self, prefix: &[u8]) -> Result<BTreeMap<Vec<u8>, Value>> {
        let mut found = BTreeMap::new();
        let mut budget = Budget::default();
        for table in &self.tables {
            table.refs(prefix, |name, value| {
                match value {
                    Value::Deletion => {
                        found.remove(name);
                    }
                    value => {
                        let target = match &value {
                            Value::Symbolic(target) => target.len(),
                            _ => 0,
                        };
                        budget.spend(name.len() + target)?;
                        found.insert(name.to_vec(), value);
                    }
                }
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// The log of the reference `name`, oldest entry first; `None` if it has none.
    ///
    /// # Errors
    ///
    /// As [`find`](Self::find).
    pub fn log(&self, name: &[u8]) -> Result<Option<Vec<LogEntry>>> {
        let prefix = [name, b"\0"].concat();
        let mut entries = BTreeMap::new();
        let mut budget = Budget::default();
        for table in &self.tables {
            table.logs(&prefix, |_, index, entry| {
                match entry {
                    Some(entry) => {
                        budget.spend(entry.message.len())?;
                        entries.insert(index, entry);
                    }
                    None => {
                        entries.remove(&index);
                    }
                }
                Ok(())
            })?;
        }
        if entries.is_empty() {
            return Ok(None);
        }
        // An entry without ids only says that there is a log.
        let is_real = |entry: &LogEntry| !(entry.old.is_null() && entry.new.is_null());
        Ok(Some(entries.into_values().filter(is_real).collect()))
    }

    /// The names of references with a log, in order.
    ///
    /// # Errors
    ///
    /// As [`find`](Self::find).
    pub fn names_of_logs(&self) -> Result<Vec<Vec<u8>>> {
        let mut entries: BTreeMap<Vec<u8>, BTreeSet<u64>> = BTreeMap::new();
        let mut budget = Budget::default();
        for table in &self.tables {
            table.logs(b"", |name, index, entry| {
                match entry {
                    Some(_) => {
                        budget.spend(name.len())?;
                        entries.entry(name.to_vec()).or_default().insert(index);
                    }
                    None => {
                        if let Some(left) = entries.get_mut(name) {
                            left.remove(&index);
                        }
                    }
                }
                Ok(())
            })?;
        }
        entries.retain(|_, left| !left.is_empty());
        Ok(entries.into_keys().collect())
    }
}

/// Counts the bytes collected, up to [`MAX_COLLECTED`].
#[derive(Default)]
struct Budget(usize);

impl Budget {
    fn spend(&mut self, bytes: usize) -> Result<(), &'static str> {
        self.0 += bytes + 64;
        if self.0 > MAX_COLLECTED {
            Err("it has too many entries")
        } else {
            Ok(())
        }
    }
}
