//! Which places are written.

use crate::{
    cli::PlaceFilter,
    dates::{approxidate, calendar::Clock},
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
    pub(super) fn new(filter: &PlaceFilter, clock: &Clock) -> ResolvedFilter {
        let date = |text: &bstr::BString| approxidate::parse(text, clock);
        let by = filter.by.iter().map(|text| lower_case(text));
        ResolvedFilter {
            newer_than: filter.newer_than.as_ref().map(date),
            older_than: filter.older_than.as_ref().map(date),
            by: by.collect(),
        }
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

fn lower_case(text: &[u8]) -> String {
    String::from_utf8_lossy(text).to_lowercase()
}
