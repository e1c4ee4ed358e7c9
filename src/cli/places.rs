//! The options of `--places`.

use bstr::BString;

use crate::{
    error::{Error, Result},
    output::json::records::JsonFields,
};

/// How `--places` reads and writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlacesOutput {
    /// As JSON with these fields, instead of rows.
    pub json: Option<JsonFields>,
    /// Standard input is SARIF, not lines.
    pub sarif: bool,
    /// The places that are written.
    pub filter: PlaceFilter,
    /// `--color`: always or never; `None` by the terminal.
    pub color: Option<bool>,
}

/// The places that are written; all of them by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaceFilter {
    /// `--newer-than`: a date, as written.
    pub newer_than: Option<BString>,
    /// `--older-than`: a date, as written.
    pub older_than: Option<BString>,
    /// `--by`: parts of names and addresses, of which one is enough.
    pub by: Vec<BString>,
}

impl PlaceFilter {
    /// What the places are that it takes; empty if these are all.
    pub fn in_words(&self) -> String {
        let dates = [
            ("newer than", &self.newer_than),
            ("older than", &self.older_than),
        ];
        let dates = dates.into_iter().filter_map(|(words, date)| {
            let date = date.as_ref()?;
            Some(format!("{words} {date}"))
        });
        let names: Vec<String> = self.by.iter().map(BString::to_string).collect();
        let by = (!names.is_empty()).then(|| format!("by {}", names.join(" or ")));
        dates.chain(by).collect::<Vec<_>>().join(", ")
    }
}

/// The options as given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PlacesOptions {
    pub(super) is_on: bool,
    pub(super) format: Option<BString>,
    pub(super) filter: PlaceFilter,
}

impl PlacesOptions {
    /// # Errors
    ///
    /// Options that need `--places` without it.
    pub(super) fn check(&self) -> Result<()> {
        let others = [
            (self.filter.newer_than.is_some(), "--newer-than"),
            (self.filter.older_than.is_some(), "--older-than"),
            (!self.filter.by.is_empty(), "--by"),
        ];
        match others.iter().find(|(is_given, _)| *is_given) {
            Some((_, name)) if !self.is_on => Err(Error::fatal(format!("{name} needs --places"))),
            _ => Ok(()),
        }
    }

    /// # Errors
    ///
    /// A value that is unknown.
    pub(super) fn output(
        &self,
        json: Option<JsonFields>,
        color: Option<bool>,
    ) -> Result<PlacesOutput> {
        if json.is_some_and(|fields| fields.agent) {
            return Err(Error::fatal("--json-fields has no 'agent' with --places"));
        }
        let sarif = match self.format.as_ref().map(|it| it.as_slice()) {
            None | Some(b"text") => false,
            Some(b"sarif") => true,
            Some(_) => return Err(Error::fatal("--places has the formats text and sarif")),
        };
        Ok(PlacesOutput {
            json,
            sarif,
            filter: self.filter.clone(),
            color,
        })
    }
}
