//! The remotes of a partial clone that git asks for missing objects.

use std::collections::HashSet;

use bstr::{BStr, BString, ByteSlice};

use crate::{
    error::{Error, Result},
    repository::open::configuration::sources::Configuration,
};

/// The promisor remotes of the configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromisorRemotes {
    /// Their names, in the order in which git tries them.
    pub names: Vec<BString>,
    /// Those that were cloned without trees, by their names: they can send trees alone.
    pub without_trees: HashSet<BString>,
    /// Warnings of remotes that are ignored.
    warnings: Vec<BString>,
    /// The first invalid value; warnings and names end there.
    invalid: Option<Error>,
}

impl PromisorRemotes {
    /// Reads them.
    pub(super) fn read(configuration: &Configuration) -> PromisorRemotes {
        let mut remotes = PromisorRemotes::default();
        remotes.invalid = remotes.add_all(configuration).err();
        remotes
    }

    /// Adds the warnings to `notes`.
    ///
    /// # Errors
    ///
    /// If a value is invalid.
    pub fn check(&self, notes: &mut Vec<BString>) -> Result<()> {
        notes.extend_from_slice(&self.warnings);
        self.invalid.clone().map_or(Ok(()), Err)
    }

    fn add_all(&mut self, configuration: &Configuration) -> Result<()> {
        let mut main = None;
        let mut known = HashSet::new();
        for located in configuration.variables() {
            let variable = located.variable;
            if variable.key == "extensions.partialclone" {
                main = variable.value.as_ref();
            }
            if variable.section() != "remote" {
                continue;
            }
            let subsection = variable.subsection();
            match variable.name().as_bytes() {
                b"promisor" => {
                    if !located.boolean()? {
                        continue;
                    }
                }
                b"partialclonefilter" => {
                    // git does not read the filter of a remote whose name it refuses.
                    if !subsection.is_some_and(|name| name.starts_with(b"/")) {
                        let filter = located.text()?;
                        let without_trees = subsection.filter(|_| filter.starts_with(b"tree:"));
                        self.without_trees.extend(without_trees.map(BStr::to_owned));
                    }
                }
                _ => continue,
            }
            if let Some(name) = subsection
                && !known.contains(name)
                && self.is_allowed(name)
            {
                known.insert(name);
                self.names.push(name.to_owned());
            }
        }
        // git tries the remote of the extension last.
        if let Some(name) = main
            && !name.is_empty()
            && self.is_allowed(name.as_ref())
        {
            self.names.retain(|other| other != name);
            self.names.push(name.clone());
        }
        Ok(())
    }

    /// Warns and returns `false` if a remote cannot have this name.
    fn is_allowed(&mut self, name: &BStr) -> bool {
        let allowed = !name.starts_with(b"/");
        if !allowed {
            let mut warning =
                BString::from("warning: promisor remote name cannot begin with '/': ");
            warning.extend_from_slice(name);
            self.warnings.push(warning);
        }
        allowed
    }
}
