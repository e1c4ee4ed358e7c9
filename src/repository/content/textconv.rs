//! Text conversion: runs `diff.<driver>.textconv` for paths whose attribute `diff` names the
//! driver. The command gets a file: that of the work tree, or a temporary one that a blob is
//! checked out to with all conversions that attributes ask for.

use std::{
    collections::{BTreeMap, HashMap},
    fs::OpenOptions,
    io::{self, Write},
    path::Path,
    process::Stdio,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    engine::{ConversionError, TextConversion},
    error::{Error, Result},
    objects::{ObjectId, ObjectKind, Reader, file_type},
    repository::{
        content::{
            attributes::{AttributeFiles, Attributes},
            configured_command::{CommandPlace, ConfiguredCommand, died},
            conversion::Conversion,
            filters::{Filter, FilterDirection, FilterProcesses},
        },
        open::{git_config::Filters, repository::Repository},
    },
    system::{self, leftovers::TemporaryDirectory},
};

/// Runs the configured commands, once per blob.
#[derive(Debug)]
pub struct TextConverter {
    /// The configured commands by driver.
    commands: BTreeMap<BString, TextconvCommand>,
    place: CommandPlace,
    /// Captures the commands' standard error instead of inheriting it.
    silent: AtomicBool,
    filters: Filters,
    state: Mutex<ConverterState>,
}

/// A text conversion driver.
#[derive(Debug)]
struct TextconvCommand {
    command: BString,
    /// The notes tree with cached results of this command, by blob.
    cache: Option<ObjectId>,
}

#[derive(Debug)]
struct ConverterState {
    attributes: Attributes,
    reader: Reader,
    driver_of: HashMap<BString, Option<BString>>,
    texts: HashMap<(BString, ObjectId), Arc<[u8]>>,
    processes: FilterProcesses,
    /// Messages about problems that do not end the blame.
    notes: Vec<BString>,
}

impl TextConverter {
    /// The converter of `repository`, or `None` if no command is configured.
    pub fn new(repository: &Repository) -> Option<TextConverter> {
        let mut commands = BTreeMap::new();
        for (name, driver) in &repository.config().drivers {
            let Some(command) = driver.text_conversion.clone() else {
                continue;
            };
            let cache = if driver.cache_text_conversion {
                cached_notes(repository, name.as_bstr(), command.as_bstr())
            } else {
                None
            };
            commands.insert(name.clone(), TextconvCommand { command, cache });
        }
        if commands.is_empty() {
            return None;
        }
        Some(TextConverter {
            commands,
            place: CommandPlace::of(repository),
            silent: AtomicBool::new(false),
            filters: repository.config().filters.clone(),
            state: Mutex::new(ConverterState {
                attributes: AttributeFiles::new(repository).open(),
                reader: repository.reader(),
                driver_of: HashMap::new(),
                texts: HashMap::new(),
                processes: FilterProcesses::new(),
                notes: Vec::new(),
            }),
        })
    }

    /// Reads attributes that the work tree lacks from the index; before the first conversion.
    pub(crate) fn use_index(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.attributes.use_index();
    }

    /// The text of the file `name`, relative to the root of the work tree, or `None` if it is not
    /// converted.
    ///
    /// # Errors
    ///
    /// If the command fails.
    pub fn text_of_file(&self, name: &BStr) -> Result<Option<Vec<u8>>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let driver = state.driver(name)?;
        match driver.and_then(|driver| self.commands.get(&driver)) {
            Some(textconv) => self
                .run(textconv.command.as_bstr(), &name.to_path_lossy())
                .map(Some),
            None => Ok(None),
        }
    }

    /// The text of the blob `id` at `path`.
    fn text_of_blob(
        &self,
        state: &mut ConverterState,
        command: &BStr,
        path: &BStr,
        id: &ObjectId,
        blob: &[u8],
    ) -> Result<Vec<u8>> {
        let contents = self.check_out(state, path, id, blob);
        let contents = contents.map_err(|err| err.after(std::mem::take(&mut state.notes)))?;
        let path = path.to_path_lossy();
        // A tree can have names that are no names of files, such as `..`.
        let base = path.file_name().unwrap_or("blob".as_ref());
        let unwritten =
            |err: io::Error| failed().with_cause(format!("temporary file: {:?}", err.kind()));
        let made = TemporaryDirectory::new("tblame-blob-", |directory| {
            let name = directory.join(base);
            let mut options = OpenOptions::new();
            system::make_private(options.write(true).create_new(true));
            Ok::<_, io::Error>((options.open(&name)?, name))
        });
        let (_directory, (mut open, file)) = made.map_err(unwritten)?;
        open.write_all(&contents).map_err(unwritten)?;
        drop(open);
        self.run(command, &file)
    }

    /// The contents that the file `path` of the work tree gets from `blob`.
    fn check_out(
        &self,
        state: &mut ConverterState,
        path: &BStr,
        id: &ObjectId,
        blob: &[u8],
    ) -> Result<Vec<u8>> {
        self.filters.check()?;
        let attributes = &mut state.attributes;
        let name = attributes.filter(path)?;
        let driver = name
            .as_ref()
            .and_then(|name| self.filters.driver(name.as_bstr()));
        let conversion = Conversion::of(attributes, path)?;
        let contents = conversion.check_out(path, id, blob.to_vec(), &mut state.notes)?;
        let (Some(name), Some(driver)) = (&name, driver) else {
            return Ok(contents);
        };
        let filter = Filter {
            name: name.as_bstr(),
            driver,
            place: &self.place,
            silent: self.silent.load(Ordering::Relaxed),
        };
        let smudge = FilterDirection::Smudge(*id);
        let ConverterState {
            processes, notes, ..
        } = state;
        let filtered = filter.apply(smudge, processes, path, &contents, notes)?;
        Ok(filtered.unwrap_or(contents))
    }

    fn run(&self, command: &BStr, file: &Path) -> Result<Vec<u8>> {
        let started = ConfiguredCommand {
            command,
            argument: Some(file),
            place: &self.place,
            input: Stdio::null,
            errors: if self.silent.load(Ordering::Relaxed) {
                Stdio::piped
            } else {
                Stdio::inherit
            },
        }
        .start();
        let (process, _tracking) = started.map_err(|note| {
            let err = failed().with_cause("the program could not be started");
            err.after(vec![note])
        })?;
        let output = process.wait_with_output().map_err(|_| failed())?;
        if !output.status.success() {
            // Empty unless it was captured.
            let first_line = output.stderr.lines().next().unwrap_or_default();
            let death = died(command, output.status);
            let err = if first_line.is_empty() {
                failed().after(Vec::from_iter(death))
            } else {
                Error::conversion(format!(
                    "unable to read files to diff: {}",
                    String::from_utf8_lossy(first_line)
                ))
                .with_hint(HINT)
            };
            return Err(err.with_cause(format!("the program ended with {}", output.status)));
        }
        Ok(output.stdout)
    }
}

impl ConverterState {
    fn driver(&mut self, path: &BStr) -> Result<Option<BString>> {
        if let Some(known) = self.driver_of.get(path) {
            return Ok(known.clone());
        }
        let driver = self.attributes.diff_driver(path)?;
        self.driver_of.insert(path.to_owned(), driver.clone());
        Ok(driver)
    }

    /// The cached text of the blob `id`: the note on it in the notes tree `tree`, which fans out by
    /// two hex digits per level.
    fn cached_text(&mut self, mut tree: ObjectId, id: &ObjectId) -> Option<Arc<[u8]>> {
        let hex = id.to_string();
        let mut rest = hex.as_str();
        loop {
            if let Ok(Some(entry)) = self.reader.find_entry(&tree, rest.as_bytes()) {
                let note = self.reader.object_of_kind(&entry.id, ObjectKind::Blob);
                return note.ok().map(|note| note.data);
            }
            let (folder, below) = rest
                .split_at_checked(2)
                .filter(|(_, below)| !below.is_empty())?;
            let entry = self.reader.find_entry(&tree, folder.as_bytes()).ok()??;
            (tree, rest) = (entry.id, below);
        }
    }
}

#[track_caller]
fn failed() -> Error {
    Error::conversion("unable to read files to diff").with_hint(HINT)
}

/// The way around a program that fails.
const HINT: &str = "--no-textconv blames the text as it is stored, without the configured program";

/// The notes tree of `cachetextconv` for a driver, if it was made by `command`.
fn cached_notes(repository: &Repository, driver: &BStr, command: &BStr) -> Option<ObjectId> {
    let name = [b"refs/notes/textconv/", driver.as_bytes()].concat();
    let commit = repository.references().object(name.as_bstr())?;
    let mut reader = repository.reader();
    let stored = reader.object_of_kind(&commit, ObjectKind::Commit).ok()?;
    let message = stored.data.find(b"\n\n").map(|at| &stored.data[at + 2..])?;
    let subject = message.lines().take_while(|line| !line.trim().is_empty());
    let subject: Vec<&[u8]> = subject.map(ByteSlice::trim_end).collect();
    let made_by = bstr::join(" ", subject);
    (made_by == command.as_bytes())
        .then(|| reader.commit_head(&commit).ok())
        .flatten()
        .map(|head| head.tree)
}

impl TextConversion for TextConverter {
    fn converts(&self, path: &[u8]) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.driver(path.as_bstr()) {
            Ok(driver) => driver.is_some_and(|driver| self.commands.contains_key(&driver)),
            Err(_) => true,
        }
    }

    fn silence(&self) {
        self.silent.store(true, Ordering::Relaxed);
    }

    fn take_notes(&self) -> Vec<BString> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state.notes)
    }

    fn convert(
        &self,
        path: &[u8],
        mode: u32,
        id: &ObjectId,
        blob: &[u8],
    ) -> Result<Option<Arc<[u8]>>, ConversionError> {
        if file_type(mode) != 0o100_000 {
            return Ok(None);
        }
        let path = path.as_bstr();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(driver) = state.driver(path)? else {
            return Ok(None);
        };
        let Some(textconv) = self.commands.get(&driver) else {
            return Ok(None);
        };
        let key = (driver, *id);
        if let Some(text) = state.texts.get(&key) {
            return Ok(Some(Arc::clone(text)));
        }
        let cached = textconv.cache.and_then(|tree| state.cached_text(tree, id));
        let text: Arc<[u8]> = match cached {
            Some(text) => text,
            None => self
                .text_of_blob(&mut state, textconv.command.as_bstr(), path, id, blob)?
                .into(),
        };
        state.texts.insert(key, Arc::clone(&text));
        Ok(Some(text))
    }
}
