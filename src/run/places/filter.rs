//! Which places are written.

use bstr::{BStr, BString, ByteSlice};

use crate::{
    cli::PlaceFilter,
    dates::{approxidate, calendar::Clock},
    error::{Error, Result, quoted},
    repository::commits::commit_text::Ident,
};

/// A filter with its dates read.
#[derive(Debug, Clone, Default)]
pub(super) struct ResolvedFilter {
    newer_than: Option<i64>,
    older_than: Option<i64>,
    /// In lower case.
    by: Vec<String>,
}

impl ResolvedFilter {
    /// # Errors
    ///
    /// A date of which nothing is known, which git takes for now.
    pub(super) fn new(filter: &PlaceFilter, clock: &Clock) -> Result<ResolvedFilter> {
        let date = |name: &str, text: &Option<BString>| {
            let text = text.as_ref().map(|text| text.as_bstr());
            text.map(|text| known_date(name, text, clock)).transpose()
        };
        let by = filter.by.iter().map(|text| lower_case(text));
        Ok(ResolvedFilter {
            newer_than: date("--newer-than", &filter.newer_than)?,
            older_than: date("--older-than", &filter.older_than)?,
            by: by.collect(),
        })
    }

    /// True if a place is written whose line is of this author, by the author's date.
    pub(super) fn takes(&self, author: &Ident) -> bool {
        let time = author.seconds();
        let is_of = || {
            let name = lower_case(&[author.name.as_slice(), b" ", &author.mail].concat());
            self.by.iter().any(|text| name.contains(text))
        };
        self.newer_than.is_none_or(|date| time > date)
            && self.older_than.is_none_or(|date| time < date)
            && (self.by.is_empty() || is_of())
    }
}

/// The date that the option `name` has.
fn known_date(name: &str, text: &BStr, clock: &Clock) -> Result<i64> {
    let date = approxidate::parse_known(text, clock);
    let what = format!("{name} takes a date such as 2.weeks.ago or 2024-03-01, not ");
    date.ok_or_else(|| Error::fatal(quoted(&what, text, "")))
}

fn lower_case(text: &[u8]) -> String {
    String::from_utf8_lossy(text).to_lowercase()
}
