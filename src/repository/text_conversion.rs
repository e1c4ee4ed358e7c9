//! `diff.<driver>.textconv`: commands that make text of files, for paths whose attribute `diff`
//! names the driver.

use std::{
    collections::{BTreeMap, HashMap},
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
};

use bstr::{BStr, BString, ByteSlice};

use super::{attributes::Attributes, open::Repository};
use crate::{
    engine::TextConversion,
    error::{Error, Result},
    objects::ObjectId,
};

/// Runs the configured commands, each blob once.
#[derive(Debug)]
pub struct Converter {
    commands: BTreeMap<BString, BString>,
    directory: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    attributes: Attributes,
    command_of: HashMap<BString, Option<BString>>,
    texts: HashMap<(BString, ObjectId), Arc<[u8]>>,
}

impl Converter {
    /// The converter of `repository`, or `None` if its configuration names no command.
    ///
    /// # Errors
    ///
    /// If the index cannot be read.
    pub fn new(repository: &Repository) -> Result<Option<Converter>> {
        let commands: BTreeMap<BString, BString> = repository
            .settings()
            .drivers
            .iter()
            .filter_map(|(name, driver)| Some((name.clone(), driver.text_conversion.clone()?)))
            .filter(|(_, command)| !command.is_empty())
            .collect();
        if commands.is_empty() {
            return Ok(None);
        }
        Ok(Some(Converter {
            commands,
            directory: repository.place().work_tree.clone(),
            state: Mutex::new(State {
                attributes: Attributes::new(repository)?,
                command_of: HashMap::new(),
                texts: HashMap::new(),
            }),
        }))
    }

    /// The text of the file `name` with these `contents`, or `None` if its bytes count.
    ///
    /// # Errors
    ///
    /// If the command fails.
    pub fn text(&self, name: &BStr, contents: &[u8]) -> Result<Option<Vec<u8>>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.command(&self.commands, name) {
            Some(command) => self.run(command.as_bstr(), name, contents).map(Some),
            None => Ok(None),
        }
    }

    fn run(&self, command: &BStr, name: &BStr, contents: &[u8]) -> Result<Vec<u8>> {
        let failed = || Error::fatal("unable to read files to diff");
        let directory = tempfile::Builder::new()
            .prefix("tblame-blob-")
            .tempdir()
            .map_err(|_| failed())?;
        let base = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name);
        let file = directory.path().join(base.to_path_lossy());
        std::fs::File::create(&file)
            .and_then(|mut file| file.write_all(contents))
            .map_err(|_| failed())?;
        let mut script = command.to_os_str_lossy().into_owned();
        script.push(" \"$@\"");
        let mut shell = Command::new("sh");
        shell
            .arg("-c")
            .arg(script)
            .arg(&*command.to_os_str_lossy())
            .arg(&file)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit());
        if let Some(directory) = &self.directory {
            shell.current_dir(directory);
        }
        let output = shell.output().map_err(|_| failed())?;
        if !output.status.success() {
            return Err(failed());
        }
        Ok(output.stdout)
    }
}

impl State {
    fn command(&mut self, commands: &BTreeMap<BString, BString>, name: &BStr) -> Option<BString> {
        if let Some(known) = self.command_of.get(name) {
            return known.clone();
        }
        let driver = self.attributes.diff_driver(name);
        let command = driver.and_then(|driver| commands.get(&driver).cloned());
        self.command_of.insert(name.to_owned(), command.clone());
        command
    }
}

impl TextConversion for Converter {
    fn convert(&self, path: &[u8], mode: u32, id: &ObjectId, blob: &[u8]) -> Option<Arc<[u8]>> {
        if mode & 0o170_000 != 0o100_000 {
            return None;
        }
        let path = path.as_bstr();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let command = state.command(&self.commands, path)?;
        let key = (command, *id);
        if let Some(text) = state.texts.get(&key) {
            return Some(Arc::clone(text));
        }
        let text: Arc<[u8]> = self.run(key.0.as_bstr(), path, blob).ok()?.into();
        state.texts.insert(key, Arc::clone(&text));
        Some(text)
    }
}
