//! The git configuration that affects a blame, validated as git does.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use bstr::{BStr, BString, ByteSlice, ByteVec};
use gix::config::{Source, file::Metadata};

use crate::{
    diff::Algorithm,
    error::{Error, Result},
};

/// `core.abbrev`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AbbrevConfig {
    /// Computed from the number of packed objects.
    #[default]
    Auto,
    /// The minimum number of digits; 64 if abbreviation is off.
    Digits(usize),
}

/// A diff driver: `diff.<driver>.…`, selected by the attribute `diff=<driver>`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiffDriver {
    /// `textconv`: the command that converts a file to text.
    pub text_conversion: Option<BString>,
    /// `cachetextconv`: results are cached in `refs/notes/textconv/<driver>`.
    pub cache_text_conversion: bool,
    /// `xfuncname` or `funcname`; true if it is an extended regular expression.
    pub function_names: Option<(BString, bool)>,
}

/// The configuration variables that affect a blame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitConfig {
    /// `blame.showRoot`.
    pub show_root: bool,
    /// `blame.blankBoundary`.
    pub blank_boundary: bool,
    /// `blame.showEmail`.
    pub show_email: bool,
    /// `blame.markIgnoredLines`.
    pub mark_ignored: bool,
    /// `blame.markUnblamableLines`.
    pub mark_unblamable: bool,
    /// `blame.date`, as written.
    pub date: Option<BString>,
    /// `blame.ignoreRevsFile`, as written, in order.
    pub ignored_files: Vec<BString>,
    /// `blame.coloring` has `repeatedLines`.
    pub color_lines: bool,
    /// `blame.coloring` has `highlightRecent`.
    pub color_by_age: bool,
    /// `color.blame.repeatedLines`, every value in order.
    pub repeated_colors: Vec<BString>,
    /// `color.blame.highlightRecent`, every value in order.
    pub age_colors: Vec<BString>,
    /// `core.abbrev`.
    pub abbrev: AbbrevConfig,
    /// `core.quotePath`.
    pub quote_path: bool,
    /// `core.commitGraph`.
    pub commit_graph: bool,
    /// `commitGraph.readChangedPaths`.
    pub read_changed_paths: bool,
    /// `commitGraph.changedPathsVersion`; -1 accepts any.
    pub changed_paths_version: i32,
    /// `core.deltaBaseCacheLimit` in bytes.
    pub delta_base_cache: usize,
    /// `core.useReplaceRefs`.
    pub use_replace_refs: bool,
    /// `core.warnAmbiguousRefs`.
    pub warn_ambiguous_refs: bool,
    /// `core.bare`, if set.
    pub bare: Option<bool>,
    /// `diff.algorithm`.
    pub algorithm: Algorithm,
    /// `diff.indentHeuristic`.
    pub indent_heuristic: bool,
    /// `i18n.logOutputEncoding`.
    pub log_output_encoding: Option<BString>,
    /// `i18n.commitEncoding`.
    pub commit_encoding: Option<BString>,
    /// `mailmap.file`, as written.
    pub mailmap_file: Option<BString>,
    /// `mailmap.blob`.
    pub mailmap_blob: Option<BString>,
    /// `diff.<driver>.…` by driver.
    pub drivers: BTreeMap<BString, DiffDriver>,
}

impl Default for GitConfig {
    fn default() -> Self {
        GitConfig {
            show_root: false,
            blank_boundary: false,
            show_email: false,
            mark_ignored: false,
            mark_unblamable: false,
            date: None,
            ignored_files: Vec::new(),
            color_lines: false,
            color_by_age: false,
            repeated_colors: Vec::new(),
            age_colors: Vec::new(),
            abbrev: AbbrevConfig::Auto,
            quote_path: true,
            commit_graph: true,
            read_changed_paths: true,
            changed_paths_version: -1,
            delta_base_cache: 96 << 20,
            use_replace_refs: true,
            warn_ambiguous_refs: true,
            bare: None,
            algorithm: Algorithm::Myers,
            indent_heuristic: true,
            log_output_encoding: None,
            commit_encoding: None,
            mailmap_file: None,
            mailmap_blob: None,
            drivers: BTreeMap::new(),
        }
    }
}

/// Validates a variable (name in lower case) that the output interprets: dates and colours. Called
/// in configuration order, may add notes.
pub type ConfigCheck<'a> = &'a dyn Fn(&str, &BStr, &mut Vec<BString>) -> Result<()>;

/// One variable of the configuration.
struct ConfigVariable<'a> {
    /// Section and name in lower case, the subsection between them as written.
    key: BString,
    /// `None` for a variable without an equals sign.
    value: Option<&'a BStr>,
    meta: &'a Metadata,
    /// The work tree's root, which messages name files relative to.
    root: Option<&'a Path>,
}

impl GitConfig {
    /// Reads `config`, then `given`: the variables of the command line and the environment, which gix
    /// keeps in another order. `root` is the work tree's root, or the repository if it is bare.
    /// Warnings are added to `notes`.
    ///
    /// # Errors
    ///
    /// Invalid values, overridden ones included, in git's words.
    pub fn read(
        config: &gix::config::File,
        given: &[(BString, Option<BString>)],
        root: Option<&Path>,
        check: ConfigCheck<'_>,
        notes: &mut Vec<BString>,
    ) -> Result<GitConfig> {
        let mut settings = GitConfig::default();
        let is_given = |meta: &Metadata| matches!(meta.source, Source::Env | Source::Cli);
        for section in config.sections() {
            let name = section.header().name().to_ascii_lowercase();
            if !is_known(&name) || is_given(section.meta()) {
                continue;
            }
            let subsection = section.header().subsection_name();
            for (value_name, raw) in section.body() {
                let value = gix::config::value::normalize(raw.as_bstr());
                let implicit =
                    value.is_empty() && section.value_implicit(&value_name) == Some(None);
                let variable = ConfigVariable {
                    key: key(&name, subsection, value_name.as_bytes()),
                    value: (!implicit).then_some(value.as_ref()),
                    meta: section.meta(),
                    root,
                };
                settings.apply(&variable, subsection, check, notes)?;
            }
        }
        let meta = Metadata::from(Source::Cli);
        for (name, value) in given {
            let (Some(first), Some(last)) = (name.find_byte(b'.'), name.rfind_byte(b'.')) else {
                continue;
            };
            let section = name[..first].to_ascii_lowercase();
            if !is_known(&section) {
                continue;
            }
            let subsection = (first < last).then(|| name[first + 1..last].as_bstr());
            let variable = ConfigVariable {
                key: key(&section, subsection, &name[last + 1..]),
                value: value.as_ref().map(|value| value.as_bstr()),
                meta: &meta,
                root,
            };
            settings.apply(&variable, subsection, check, notes)?;
        }
        Ok(settings)
    }

    fn apply(
        &mut self,
        variable: &ConfigVariable<'_>,
        subsection: Option<&BStr>,
        check: ConfigCheck<'_>,
        notes: &mut Vec<BString>,
    ) -> Result<()> {
        if matches!(
            variable.key.as_slice(),
            b"blame.date" | b"color.blame.repeatedlines" | b"color.blame.highlightrecent"
        ) {
            let key = variable.key.to_str_lossy();
            check(&key, variable.text()?.as_bstr(), notes)?;
        }
        match variable.key.as_slice() {
            b"blame.showroot" => self.show_root = variable.boolean()?,
            b"blame.blankboundary" => self.blank_boundary = variable.boolean()?,
            b"blame.showemail" => self.show_email = variable.boolean()?,
            b"blame.markignoredlines" => self.mark_ignored = variable.boolean()?,
            b"blame.markunblamablelines" => self.mark_unblamable = variable.boolean()?,
            b"blame.date" => self.date = Some(variable.text()?),
            b"blame.ignorerevsfile" => self.ignored_files.push(variable.text()?),
            b"blame.coloring" => self.coloring(variable.text()?.as_ref(), notes),
            b"color.blame.repeatedlines" => self.repeated_colors.push(variable.text()?),
            b"color.blame.highlightrecent" => self.age_colors.push(variable.text()?),
            b"core.abbrev" => self.abbrev = variable.abbrev()?,
            b"core.quotepath" => self.quote_path = variable.boolean()?,
            b"core.commitgraph" => self.commit_graph = variable.boolean()?,
            b"commitgraph.readchangedpaths" => self.read_changed_paths = variable.boolean()?,
            b"commitgraph.changedpathsversion" => {
                self.changed_paths_version =
                    i32::try_from(variable.integer()?).map_err(|_| variable.bad_number())?;
            }
            b"core.deltabasecachelimit" => {
                self.delta_base_cache =
                    usize::try_from(variable.integer()?).map_err(|_| variable.bad_number())?;
            }
            b"core.usereplacerefs" => self.use_replace_refs = variable.boolean()?,
            b"core.warnambiguousrefs" => self.warn_ambiguous_refs = variable.boolean()?,
            b"core.bare" => self.bare = Some(variable.boolean()?),
            b"core.filemode" | b"core.ignorecase" | b"core.trustctime" | b"core.preloadindex" => {
                variable.boolean()?;
            }
            b"core.autocrlf" | b"core.safecrlf" | b"core.logallrefupdates"
                if !matches!(
                    variable
                        .value
                        .map(|value| value.to_ascii_lowercase())
                        .as_deref(),
                    Some(b"input" | b"warn" | b"always")
                ) =>
            {
                variable.boolean()?;
            }
            b"core.attributesfile" | b"user.name" | b"user.email" => {
                variable.text()?;
            }
            b"core.bigfilethreshold"
            | b"core.packedgitlimit"
            | b"core.packedgitwindowsize"
            | b"core.compression"
            | b"core.loosecompression" => {
                variable.integer()?;
            }
            b"diff.algorithm" => self.algorithm = variable.algorithm()?,
            b"diff.indentheuristic" => self.indent_heuristic = variable.boolean()?,
            b"i18n.logoutputencoding" => self.log_output_encoding = Some(variable.text()?),
            b"i18n.commitencoding" => self.commit_encoding = Some(variable.text()?),
            b"mailmap.file" => self.mailmap_file = Some(variable.text()?),
            b"mailmap.blob" => self.mailmap_blob = Some(variable.text()?),
            key if key.starts_with(b"diff.") => {
                if let Some(name) = subsection {
                    let field = key[b"diff.".len() + name.len() + 1..].to_owned();
                    self.driver(name, &field, variable)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn driver(&mut self, name: &BStr, field: &[u8], variable: &ConfigVariable<'_>) -> Result<()> {
        let driver = self.drivers.entry(name.to_owned()).or_default();
        match field {
            b"textconv" => driver.text_conversion = Some(variable.text()?),
            b"cachetextconv" => driver.cache_text_conversion = variable.boolean()?,
            b"funcname" => driver.function_names = Some((variable.text()?, false)),
            b"xfuncname" => driver.function_names = Some((variable.text()?, true)),
            b"binary" if variable.value != Some("auto".into()) => {
                variable.boolean()?;
            }
            _ => {}
        }
        Ok(())
    }

    fn coloring(&mut self, value: &BStr, notes: &mut Vec<BString>) {
        match value.as_bytes() {
            b"repeatedLines" => self.color_lines = true,
            b"highlightRecent" => self.color_by_age = true,
            b"none" => (self.color_lines, self.color_by_age) = (false, false),
            _ => {
                let mut note = BString::from("warning: invalid value for 'blame.coloring': '");
                note.push_str(value);
                note.push(b'\'');
                notes.push(note);
            }
        }
    }
}

/// Whether a section (in lower case) has variables read here.
fn is_known(section: &[u8]) -> bool {
    matches!(
        section,
        b"blame" | b"color" | b"core" | b"diff" | b"i18n" | b"mailmap" | b"commitgraph" | b"user"
    )
}

/// The full key of a variable: section and name in lower case, the subsection as written.
fn key(section: &[u8], subsection: Option<&BStr>, name: &[u8]) -> BString {
    let mut key = BString::from(section);
    if let Some(subsection) = subsection {
        key.push(b'.');
        key.push_str(subsection);
    }
    key.push(b'.');
    key.push_str(name.to_ascii_lowercase());
    key
}

impl ConfigVariable<'_> {
    fn text(&self) -> Result<BString> {
        match self.value {
            Some(value) => Ok(value.to_owned()),
            None => Err(self.refuse("missing value for ", true)),
        }
    }

    fn boolean(&self) -> Result<bool> {
        match self.value {
            None => Ok(true),
            Some(value) => boolean(value).ok_or_else(|| {
                let mut message = b"bad boolean config value '".to_vec();
                message.push_str(value);
                message.push_str("' for '");
                message.push_str(&self.key);
                message.push(b'\'');
                Error::fatal(message)
            }),
        }
    }

    fn integer(&self) -> Result<i64> {
        integer(&self.text()?).ok_or_else(|| self.bad_number())
    }

    fn bad_number(&self) -> Error {
        let mut message = b"bad numeric config value '".to_vec();
        message.push_str(self.value.unwrap_or_default());
        message.push_str("' for '");
        message.push_str(&self.key);
        message.push(b'\'');
        if let Some(path) = self.path() {
            message.push_str(" in file ");
            message.push_str(path.as_os_str().as_encoded_bytes());
        }
        message.push_str(": invalid unit");
        Error::fatal(message)
    }

    fn abbrev(&self) -> Result<AbbrevConfig> {
        let value = self.text()?;
        if value.eq_ignore_ascii_case(b"auto") {
            return Ok(AbbrevConfig::Auto);
        }
        if matches!(
            value.to_ascii_lowercase().as_slice(),
            b"" | b"no" | b"off" | b"false"
        ) {
            return Ok(AbbrevConfig::Digits(64));
        }
        let digits = self.integer()?;
        match usize::try_from(digits) {
            Ok(digits) if digits >= 4 => Ok(AbbrevConfig::Digits(digits.min(64))),
            _ => Err(self.refuse(&format!("abbrev length out of range: {digits}"), false)),
        }
    }

    fn algorithm(&self) -> Result<Algorithm> {
        match self.text()?.to_ascii_lowercase().as_slice() {
            b"myers" | b"default" => Ok(Algorithm::Myers),
            b"minimal" => Ok(Algorithm::Minimal),
            b"patience" => Ok(Algorithm::Patience),
            b"histogram" => Ok(Algorithm::Histogram),
            value => Err(self.refuse(
                &format!(
                    "unknown value for config 'diff.algorithm': {}",
                    value.as_bstr()
                ),
                false,
            )),
        }
    }

    /// Rejects the value: `error: <reason>`, then a fatal error with the variable's name.
    /// `name_key` appends the name to the reason too.
    fn refuse(&self, reason: &str, name_key: bool) -> Error {
        let mut note = BString::from("error: ");
        note.push_str(reason);
        if name_key {
            note.push(b'\'');
            note.push_str(&self.key);
            note.push(b'\'');
        }
        let mut message = Vec::new();
        match self.path() {
            None => {
                message.push_str("unable to parse '");
                message.push_str(&self.key);
                message.push_str("' from command-line config");
            }
            Some(path) => {
                message.push_str("bad config variable '");
                message.push_str(&self.key);
                message.push_str("' in file '");
                message.push_str(path.as_os_str().as_encoded_bytes());
                message.push_str(format!("' at line {}", self.line()));
            }
        }
        Error::fatal(message).after(vec![note])
    }

    /// The configuration file, relative to the root where possible, as in git's messages.
    fn path(&self) -> Option<PathBuf> {
        let path = self.meta.path.as_deref()?;
        let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        match self.root.and_then(|root| absolute.strip_prefix(root).ok()) {
            Some(relative) => Some(relative.to_owned()),
            None => Some(path.to_owned()),
        }
    }

    /// The line of the variable in its file (1-based), or 1 if not found. gix does not record it, so
    /// the file is read again.
    fn line(&self) -> usize {
        let text = match self.meta.path.as_deref().map(std::fs::read) {
            Some(Ok(text)) => text,
            _ => return 1,
        };
        let Some(last_dot) = self.key.rfind_byte(b'.') else {
            return 1;
        };
        let (section, name) = (&self.key[..last_dot], &self.key[last_dot + 1..]);
        let mut inside = false;
        let mut found = 1;
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if let Some(header) = line.strip_prefix(b"[") {
                let header = header
                    .split(|&byte| byte == b']')
                    .next()
                    .unwrap_or_default();
                let header = header.replace(" \"", ".").replace("\"", "");
                inside = header.eq_ignore_ascii_case(section);
            } else if inside {
                let (word, value) = match line.find_byte(b'=') {
                    Some(at) => (line[..at].trim_end(), Some(line[at + 1..].trim_start())),
                    None => (line, None),
                };
                let same_value = match (self.value, value) {
                    (None, None) => true,
                    (Some(wanted), Some(value)) => value.starts_with(wanted),
                    _ => false,
                };
                if word.eq_ignore_ascii_case(name) && same_value {
                    found = index + 1;
                }
            }
        }
        found
    }
}

/// Parses a boolean as git does; `None` if invalid.
pub fn boolean(value: &[u8]) -> Option<bool> {
    match value.to_ascii_lowercase().as_slice() {
        b"true" | b"yes" | b"on" => Some(true),
        b"" | b"false" | b"no" | b"off" => Some(false),
        _ => integer(value).map(|number| number != 0),
    }
}

/// Parses an integer with an optional unit (k, m, g); `None` if invalid or too large.
pub fn integer(value: &[u8]) -> Option<i64> {
    let text = value.trim_start().to_str().ok()?;
    let (digits, unit) = match text.as_bytes().last()?.to_ascii_lowercase() {
        b'k' => (&text[..text.len() - 1], 1 << 10),
        b'm' => (&text[..text.len() - 1], 1 << 20),
        b'g' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1i64),
    };
    digits.parse::<i64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Result<GitConfig>, Vec<BString>) {
        let file = gix::config::File::try_from(text).unwrap();
        let mut notes = Vec::new();
        let check: ConfigCheck<'_> = &|_, _, _| Ok(());
        (GitConfig::read(&file, &[], None, check, &mut notes), notes)
    }

    #[test]
    fn later_values_win_and_all_are_checked() {
        let (settings, _) = read("[blame]\nshowRoot\nblankBoundary = 0\n[Blame]\nshowroot=no\n");
        let settings = settings.unwrap();
        assert!(!settings.show_root && !settings.blank_boundary);
        let (settings, _) = read("[blame]\nshowEmail = maybe\nshowEmail = yes\n");
        assert_eq!(
            settings.unwrap_err().message(),
            "bad boolean config value 'maybe' for 'blame.showemail'"
        );
    }

    #[test]
    fn numbers_and_lengths() {
        assert_eq!(integer(b"2k"), Some(2048));
        assert_eq!(integer(b"x"), None);
        assert_eq!(boolean(b"2"), Some(true));
        let abbrev = |value: &str| read(&format!("[core]\nabbrev = {value}\n")).0;
        assert_eq!(abbrev("auto").unwrap().abbrev, AbbrevConfig::Auto);
        assert_eq!(abbrev("off").unwrap().abbrev, AbbrevConfig::Digits(64));
        assert_eq!(abbrev("9").unwrap().abbrev, AbbrevConfig::Digits(9));
        assert_eq!(
            abbrev("x").unwrap_err().message(),
            "bad numeric config value 'x' for 'core.abbrev': invalid unit"
        );
    }

    #[test]
    fn drivers_keep_their_case() {
        let (settings, _) = read("[diff \"My.Doc\"]\ntextconv = cat\nxfuncname = ^x\n");
        let settings = settings.unwrap();
        let driver = &settings.drivers[&BString::from("My.Doc")];
        assert_eq!(driver.text_conversion, Some("cat".into()));
        assert_eq!(driver.function_names, Some(("^x".into(), true)));
    }

    #[test]
    fn colorings_add_up() {
        let (settings, notes) = read(
            "[blame]\ncoloring = repeatedLines\ncoloring = highlightRecent\ncoloring = bogus\n",
        );
        let settings = settings.unwrap();
        assert!(settings.color_lines && settings.color_by_age);
        assert_eq!(
            notes,
            ["warning: invalid value for 'blame.coloring': 'bogus'"]
        );
    }
}
