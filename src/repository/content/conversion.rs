//! Conversions between the form of a file that is stored in git and its form in the work tree,
//! which attributes ask for besides filters: `working-tree-encoding`, ends of lines and `ident`
//! (gitattributes(5)).

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use bstr::{BStr, BString, ByteSlice};
use gix_filter::{eol, ident as gix_ident};

use super::{
    attribute_rules::AttributeState, attributes::Attributes, ident, working_tree_encoding,
};
use crate::{
    error::{Error, Result},
    objects::ObjectId,
    repository::open::{configuration::value::boolean, git_config::LineEndSettings},
};

/// The conversions at one path.
pub(super) struct Conversion {
    /// `working-tree-encoding`.
    encoding: AttributeState,
    line_ends: eol::AttributesDigest,
    /// `core.autocrlf` and `core.eol`.
    defaults: eol::Configuration,
    /// `ident`.
    identified: bool,
}

impl Conversion {
    /// The conversions that `attributes` ask for at `path`.
    ///
    /// # Errors
    ///
    /// If attributes cannot be read.
    pub(super) fn of(attributes: &mut Attributes, path: &BStr) -> Result<Conversion> {
        let names = ["working-tree-encoding", "text", "crlf", "eol", "ident"];
        let [encoding, text, crlf, line_end, identified] = attributes.states(path, names)?;
        let defaults = line_end_defaults(attributes.settings());
        Ok(Conversion {
            encoding,
            line_ends: line_ends(&text, &crlf, &line_end, defaults.auto_crlf),
            defaults,
            identified: identified == AttributeState::Set,
        })
    }

    /// True if nothing is converted.
    pub(super) fn is_none(&self) -> bool {
        self.is_of_line_ends() && self.line_ends == eol::AttributesDigest::Binary
    }

    /// True if nothing but the ends of lines is converted.
    fn is_of_line_ends(&self) -> bool {
        let has_encoding = matches!(
            self.encoding,
            AttributeState::Set | AttributeState::Value(_)
        );
        !has_encoding && !self.identified
    }

    /// True if a file is stored as it is, as far as that can be said soon: it has no carriage return.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub(super) fn keeps(&self, file: &Path) -> io::Result<bool> {
        if !self.is_of_line_ends() {
            return Ok(false);
        }
        let mut file = File::open(file)?;
        let mut bytes = [0; 1 << 15];
        loop {
            match file.read(&mut bytes) {
                Ok(0) => return Ok(true),
                Ok(len) if bytes[..len].find_byte(b'\r').is_some() => return Ok(false),
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
        }
    }

    /// Converts `contents` of the file `path`, which filters made, to the form stored in git. What
    /// goes wrong is added to `notes`.
    ///
    /// # Errors
    ///
    /// If the working-tree encoding is no name.
    pub(super) fn check_in(
        &self,
        attributes: &mut Attributes,
        path: &BStr,
        mut contents: Vec<u8>,
        notes: &mut Vec<BString>,
    ) -> Result<Vec<u8>> {
        if let Some(name) = self.encoding_name()? {
            contents = working_tree_encoding::to_utf8(path, name, contents, notes);
        }
        let mut converted = Vec::new();
        let changed = eol::convert_to_git(
            &contents,
            self.line_ends,
            &mut converted,
            // If the blob in the index has carriage returns, they are kept.
            &mut |buffer| {
                let blob = attributes.staged_blob(path);
                Ok(blob.map(|blob| buffer.extend_from_slice(&blob)))
            },
            eol::convert_to_git::Options {
                round_trip_check: None,
                config: self.defaults,
            },
        )
        .map_err(not_converted)?;
        if changed {
            std::mem::swap(&mut contents, &mut converted);
        }
        if self.identified && gix_ident::undo(&contents, &mut converted).map_err(not_converted)? {
            contents = converted;
        }
        Ok(contents)
    }

    /// Converts the blob `id` with `contents` for the file `path` of the work tree, before filters.
    /// What goes wrong is added to `notes`.
    ///
    /// # Errors
    ///
    /// If the working-tree encoding is no name.
    pub(super) fn check_out(
        &self,
        path: &BStr,
        id: &ObjectId,
        mut contents: Vec<u8>,
        notes: &mut Vec<BString>,
    ) -> Result<Vec<u8>> {
        if self.identified
            && let Some(expanded) = ident::expand(&contents, id)
        {
            contents = expanded;
        }
        let mut converted = Vec::new();
        let changed =
            eol::convert_to_worktree(&contents, self.line_ends, &mut converted, self.defaults)
                .map_err(not_converted)?;
        if changed {
            contents = converted;
        }
        Ok(match self.encoding_name()? {
            Some(name) => working_tree_encoding::from_utf8(path, name, contents, notes),
            None => contents,
        })
    }

    fn encoding_name(&self) -> Result<Option<&BStr>> {
        match &self.encoding {
            AttributeState::Set => Err(Error::fatal(
                "true/false are no valid working-tree-encodings",
            )),
            AttributeState::Value(name) => Ok(Some(name.as_bstr())),
            AttributeState::Unset | AttributeState::Unspecified => Ok(None),
        }
    }
}

/// Which ends of lines are converted, by the attributes `text`, `crlf` (its former name) and `eol`,
/// and by `everywhere` without them.
fn line_ends(
    text: &AttributeState,
    crlf: &AttributeState,
    line_end: &AttributeState,
    everywhere: eol::AutoCrlf,
) -> eol::AttributesDigest {
    use eol::AttributesDigest as Digest;
    let by = |state: &AttributeState| match state {
        AttributeState::Set => Some(Digest::Text),
        AttributeState::Unset => Some(Digest::Binary),
        value if value.is("input") => Some(Digest::TextInput),
        value if value.is("auto") => Some(Digest::TextAuto),
        _ => None,
    };
    let given = by(text).or_else(|| by(crlf));
    let wanted = match line_end {
        value if value.is("lf") => Some(eol::Mode::Lf),
        value if value.is("crlf") => Some(eol::Mode::CrLf),
        _ => None,
    };
    match (given, wanted) {
        (None, None) => everywhere.into(),
        (Some(given), None) => given,
        (Some(Digest::Binary), Some(_)) => Digest::Binary,
        (Some(Digest::TextAuto), Some(eol::Mode::Lf)) => Digest::TextAutoInput,
        (Some(Digest::TextAuto), Some(eol::Mode::CrLf)) => Digest::TextAutoCrlf,
        (_, Some(wanted)) => wanted.into(),
    }
}

/// `core.autocrlf` and `core.eol`.
fn line_end_defaults(settings: &LineEndSettings) -> eol::Configuration {
    let auto_crlf = match &settings.auto_crlf {
        Some(value) if value.eq_ignore_ascii_case(b"input") => eol::AutoCrlf::Input,
        Some(value) if boolean(value) == Some(true) => eol::AutoCrlf::Enabled,
        _ => eol::AutoCrlf::Disabled,
    };
    let line_end = settings.eol.as_ref().and_then(|value| {
        [("lf", eol::Mode::Lf), ("crlf", eol::Mode::CrLf)]
            .into_iter()
            .find(|(name, _)| value.eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, mode)| mode)
    });
    eol::Configuration {
        auto_crlf,
        eol: line_end,
    }
}

fn not_converted(err: impl std::fmt::Display) -> Error {
    Error::fatal(format!("unable to convert the file: {err}"))
}
