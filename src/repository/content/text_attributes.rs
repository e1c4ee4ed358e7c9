//! Which files are text or binary by the attribute `diff`, whatever their contents.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, PoisonError},
};

use bstr::{BString, ByteSlice};

use crate::{
    engine::TextAttributes,
    repository::{
        content::attributes::{AttributeFiles, AttributeState, Attributes},
        open::git_config::DiffDriver,
    },
};

/// The attribute `diff` of a repository's files, read when it is first asked for.
#[derive(Debug)]
pub(crate) struct DiffAttributes {
    /// `diff.<driver>.binary` by driver.
    binary: BTreeMap<BString, bool>,
    state: Mutex<AttributeReader>,
}

#[derive(Debug)]
struct AttributeReader {
    files: AttributeFiles,
    /// Opened on first use; none if they cannot be read.
    attributes: Option<Option<Attributes>>,
    known: HashMap<BString, Option<bool>>,
}

impl DiffAttributes {
    /// The attributes in `files`, which name these drivers.
    pub(crate) fn new(
        drivers: &BTreeMap<BString, DiffDriver>,
        files: AttributeFiles,
    ) -> DiffAttributes {
        let drivers = drivers.iter();
        let binary = drivers.filter_map(|(name, driver)| Some((name.clone(), driver.binary?)));
        DiffAttributes {
            binary: binary.collect(),
            state: Mutex::new(AttributeReader {
                files,
                attributes: None,
                known: HashMap::new(),
            }),
        }
    }
}

impl TextAttributes for DiffAttributes {
    fn is_text(&self, path: &[u8]) -> Option<bool> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let AttributeReader {
            files,
            attributes,
            known,
        } = &mut *state;
        if let Some(known) = known.get(path.as_bstr()) {
            return *known;
        }
        let attributes = attributes.get_or_insert_with(|| files.open().ok());
        let states = attributes.as_mut()?.states(path.as_bstr(), ["diff"]);
        let is_text = match states.ok()? {
            [AttributeState::Set] => Some(true),
            [AttributeState::Unset] => Some(false),
            [AttributeState::Value(driver)] => self.binary.get(&driver).map(|binary| !binary),
            [AttributeState::Unspecified] => None,
        };
        known.insert(path.into(), is_text);
        is_text
    }
}
