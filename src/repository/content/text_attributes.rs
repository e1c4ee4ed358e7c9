//! Which files are text or binary by the attribute `diff`, whatever their contents.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, PoisonError},
};

use bstr::{BString, ByteSlice};

use crate::{
    engine::TextAttributes,
    repository::{
        content::{attribute_rules::AttributeState, attributes::Attributes},
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
    attributes: Attributes,
    known: HashMap<BString, Option<bool>>,
}

impl DiffAttributes {
    /// These attributes, which name these drivers.
    pub(crate) fn new(
        drivers: &BTreeMap<BString, DiffDriver>,
        attributes: Attributes,
    ) -> DiffAttributes {
        let drivers = drivers.iter();
        let binary = drivers.filter_map(|(name, driver)| Some((name.clone(), driver.binary?)));
        DiffAttributes {
            binary: binary.collect(),
            state: Mutex::new(AttributeReader {
                attributes,
                known: HashMap::new(),
            }),
        }
    }
}

impl TextAttributes for DiffAttributes {
    fn is_text(&self, path: &[u8]) -> Option<bool> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let AttributeReader { attributes, known } = &mut *state;
        if let Some(known) = known.get(path.as_bstr()) {
            return *known;
        }
        let states = attributes.states(path.as_bstr(), ["diff"]);
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
