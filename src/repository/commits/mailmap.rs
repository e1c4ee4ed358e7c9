//! The mailmap: canonical names and mail addresses.

use std::collections::HashMap;

use bstr::{BStr, BString, ByteSlice};

use crate::{error::until_nul, repository::commits::commit_text::Ident};

/// Canonical idents by the mail addresses found in commits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mailmap {
    by_mail: HashMap<Vec<u8>, MailmapEntry>,
}

/// Replacements for a mail address, for any name and for particular names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct MailmapEntry {
    any_name: CanonicalIdent,
    by_name: HashMap<Vec<u8>, CanonicalIdent>,
}

/// Canonical values; `None` keeps the field as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct CanonicalIdent {
    name: Option<BString>,
    mail: Option<BString>,
}

/// One `Name <mail>` of a line.
struct NameAndMail<'a> {
    name: Option<&'a [u8]>,
    mail: &'a [u8],
}

impl Mailmap {
    /// Adds the lines of a blob, which take precedence over earlier ones. They end at a NUL.
    pub fn add_blob(&mut self, text: &[u8]) {
        self.add(until_nul(text));
    }

    /// As [`add_blob`](Self::add_blob), those of a file. git reads so many bytes of one at once, of
    /// which each ends at a NUL.
    pub fn add_file(&mut self, text: &[u8]) {
        const MAX_LINE: usize = 1023;
        let lines = text.split_inclusive(|&byte| byte == b'\n');
        lines
            .flat_map(|line| line.chunks(MAX_LINE))
            .for_each(|line| self.add(until_nul(line)));
    }

    fn add(&mut self, text: &[u8]) {
        for line in text.split(|&byte| byte == b'\n') {
            if line.first() != Some(&b'#') {
                self.add_line(line);
            }
        }
    }

    fn add_line(&mut self, line: &[u8]) {
        let Some((first, rest)) = part(line, false) else {
            return;
        };
        let second = part(rest, true).map(|(second, _)| second);
        let (old_name, old_mail, new_mail) = match &second {
            Some(second) => (second.name, second.mail, Some(first.mail)),
            None => (None, first.mail, None),
        };
        let entry = self
            .by_mail
            .entry(old_mail.to_ascii_lowercase())
            .or_default();
        let name = first.name.map(BString::from);
        let mail = new_mail.map(BString::from);
        match old_name {
            Some(old_name) => {
                let old_name = old_name.to_ascii_lowercase();
                entry
                    .by_name
                    .insert(old_name, CanonicalIdent { name, mail });
            }
            None => {
                let proper = &mut entry.any_name;
                proper.name = name.or(proper.name.take());
                proper.mail = mail.or(proper.mail.take());
            }
        }
    }

    /// True if there are no replacements.
    pub fn is_empty(&self) -> bool {
        self.by_mail.is_empty()
    }

    /// Replaces name and mail by the canonical ones. An ident without a mail is left alone.
    pub fn apply(&self, ident: &mut Ident) {
        let Some(mail) = bare_mail(ident.mail.as_bstr()) else {
            return;
        };
        let Some(proper) = self.canonical(&ident.name, mail) else {
            return;
        };
        if let Some(mail) = &proper.mail {
            ident.mail = [b"<", mail.as_slice(), b">"].concat().into();
        }
        if let Some(name) = &proper.name {
            ident.name = name.clone();
        }
    }

    /// Replaces a name and an address without angle brackets by the canonical ones. Without an
    /// address, the name is left alone.
    pub fn apply_to_co_author(&self, name: &mut BString, mail: &mut BString) {
        if mail.is_empty() {
            return;
        }
        let Some(proper) = self.canonical(name, mail) else {
            return;
        };
        if let Some(proper) = &proper.mail {
            *mail = proper.clone();
        }
        if let Some(proper) = &proper.name {
            *name = proper.clone();
        }
    }

    fn canonical(&self, name: &[u8], mail: &[u8]) -> Option<&CanonicalIdent> {
        let entry = self.by_mail.get(&mail.to_ascii_lowercase())?;
        let of_name = entry.by_name.get(&name.to_ascii_lowercase());
        Some(of_name.unwrap_or(&entry.any_name))
    }
}

fn bare_mail(mail: &BStr) -> Option<&[u8]> {
    mail.strip_prefix(b"<")?.strip_suffix(b">")
}

/// Parses the next `Name <mail>` of `line`; also returns the rest.
fn part(line: &[u8], may_be_empty: bool) -> Option<(NameAndMail<'_>, &[u8])> {
    let open = line.find_byte(b'<')?;
    let close = open + line[open..].find_byte(b'>')?;
    let mail = &line[open + 1..close];
    if mail.is_empty() && !may_be_empty {
        return None;
    }
    let name = line[..open].trim_ascii();
    let part = NameAndMail {
        name: (!name.is_empty()).then_some(name),
        mail,
    };
    Some((part, &line[close + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(map: &str, name: &str, mail: &str) -> String {
        let mut mailmap = Mailmap::default();
        mailmap.add(map.as_bytes());
        let mut ident = Ident {
            name: name.into(),
            mail: mail.into(),
            time: 0,
            zone: "+0000".into(),
        };
        mailmap.apply(&mut ident);
        format!("{} {}", ident.name, ident.mail)
    }

    #[test]
    fn every_form() {
        assert_eq!(mapped("Ann Lee <a@b>", "ann", "<A@B>"), "Ann Lee <A@B>");
        assert_eq!(mapped("<n@x> <a@b>", "ann", "<a@b>"), "ann <n@x>");
        assert_eq!(mapped("Ann <n@x> <a@b>", "x", "<a@b>"), "Ann <n@x>");
        assert_eq!(mapped("Ann <n@x> Old <a@b>", "x", "<a@b>"), "x <a@b>");
        assert_eq!(mapped("Ann <n@x> Old <a@b>", "OLD", "<a@b>"), "Ann <n@x>");
        assert_eq!(mapped("Ann <n@x> <>", "x", "<>"), "Ann <n@x>");
        assert_eq!(mapped("#Ann <a@b>", "x", "<a@b>"), "x <a@b>");
        assert_eq!(mapped("Ann <(unknown)>", "x", "(unknown)"), "x (unknown)");
    }

    #[test]
    fn later_lines_win_field_by_field() {
        let map = "Ann <n@x> <a@b>\nLee <a@b>\n";
        assert_eq!(mapped(map, "x", "<a@b>"), "Lee <n@x>");
        let map = "One <1@x> Old <a@b>\nTwo <a@b>\n";
        assert_eq!(mapped(map, "old", "<a@b>"), "One <1@x>");
        assert_eq!(mapped(map, "new", "<a@b>"), "Two <a@b>");
    }
}
