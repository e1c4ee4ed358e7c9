//! What git refuses, of all remotes, before it looks up what a branch follows.

use std::collections::HashSet;

use bstr::{BString, ByteSlice};

use crate::{
    error::{Error, Result, quoted},
    repository::{
        open::configuration::variable::Located,
        revisions::{
            refspec::{Refspec, RefspecUse},
            resolver::RevisionResolver,
        },
    },
};

/// Variables of a remote that are booleans.
const BOOLEANS: [&[u8]; 5] = [
    b"mirror",
    b"prune",
    b"prunetags",
    b"skipdefaultupdate",
    b"skipfetchall",
];

/// Variables of a remote that need a value.
const TEXTS: [&[u8]; 9] = [
    b"fetch",
    b"proxy",
    b"proxyauthmethod",
    b"push",
    b"pushurl",
    b"receivepack",
    b"uploadpack",
    b"url",
    b"vcs",
];

impl RevisionResolver<'_> {
    /// Checks the variables of all remotes, branches and URLs in the order in which git reads them; warns of remotes that
    /// it leaves out. Does nothing the second time.
    ///
    /// # Errors
    ///
    /// In git's words, if a value is missing or invalid.
    pub(super) fn check_remotes(&mut self) -> Result<()> {
        if self.remotes_checked {
            return Ok(());
        }
        self.remotes_checked = true;
        let hex_len = self.repository.hash().len_in_hex();
        let mut programs = HashSet::new();
        for located in self.repository.remotes().located() {
            let variable = located.variable;
            let (section, name) = (variable.section().as_bytes(), variable.name());
            let needs_value: &[&[u8]] = match (section, variable.subsection()) {
                (b"remote", Some(remote)) if remote.starts_with(b"/") => {
                    self.notes.push(shorthand_warning(&located));
                    continue;
                }
                (b"remote", Some(_)) => {
                    if BOOLEANS.contains(&name.as_bytes()) {
                        located.boolean()?;
                    }
                    &TEXTS
                }
                (b"remote", None) => &[b"pushdefault"],
                (b"branch", Some(_)) => &[b"merge", b"pushremote", b"remote"],
                (b"url", Some(_)) => &[b"insteadof", b"pushinsteadof"],
                _ => continue,
            };
            if !needs_value.contains(&name.as_bytes()) {
                continue;
            }
            let text = located.text()?;
            let of = match (section, name.as_bytes()) {
                (b"remote", b"fetch") => RefspecUse::Fetch,
                (b"remote", b"push") => RefspecUse::Push,
                (b"remote", b"receivepack" | b"uploadpack") => {
                    if !programs.insert(located.key()) {
                        let note = format!("error: more than one {name} given, using the first");
                        self.notes.push(note.into());
                    }
                    continue;
                }
                _ => continue,
            };
            if Refspec::parse(&text, of, hex_len).is_none() {
                return Err(Error::fatal(quoted("invalid refspec ", text.as_bstr(), "")));
            }
        }
        Ok(())
    }
}

fn shorthand_warning(located: &Located<'_>) -> BString {
    let mut warning = BString::from("warning: config remote shorthand cannot begin with '/': ");
    warning.extend_from_slice(&located.key()[b"remote.".len()..]);
    warning
}
