//! The git configuration that affects a blame. Values that affect it are validated as git validates
//! them; other variables are ignored, whatever their values.

use std::collections::BTreeMap;

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    diff::Algorithm,
    error::{Error, Result, noted},
    repository::open::{
        configuration::{sources::Configuration, variable::Located},
        promisor_remotes::PromisorRemotes,
    },
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

/// The configuration of a filter driver.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilterDriver {
    /// `filter.<driver>.clean`: a command for one file.
    pub clean: Option<BString>,
    /// `filter.<driver>.smudge`: a command for one file.
    pub smudge: Option<BString>,
    /// `filter.<driver>.process`: a command that filters any number of files. Precedes `clean` and
    /// `smudge` even if it is empty.
    pub process: Option<BString>,
    /// `filter.<driver>.required`: contents that cannot be filtered are an error.
    pub required: bool,
}

/// The filter drivers by name, and the first invalid value of one: git reads them when it filters a
/// file, whichever filter that has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filters {
    drivers: BTreeMap<BString, FilterDriver>,
    invalid: Option<Error>,
}

impl Filters {
    /// The driver of this name.
    pub fn driver(&self, name: &BStr) -> Option<&FilterDriver> {
        self.drivers.get(name)
    }

    /// Checks that all values are valid, before a file is filtered or could be.
    ///
    /// # Errors
    ///
    /// The first invalid value, in git's words.
    pub fn check(&self) -> Result<()> {
        self.invalid.clone().map_or(Ok(()), Err)
    }

    fn read(&mut self, name: &BStr, variable: Located<'_>) {
        let driver = self.drivers.entry(name.to_owned()).or_default();
        let read = match variable.variable.name().as_bytes() {
            b"clean" => variable.text().map(|it| driver.clean = Some(it)),
            b"smudge" => variable.text().map(|it| driver.smudge = Some(it)),
            b"process" => variable.text().map(|it| driver.process = Some(it)),
            b"required" => variable.boolean().map(|it| driver.required = it),
            _ => Ok(()),
        };
        self.invalid = self.invalid.take().or(read.err());
    }
}

/// A diff driver: `diff.<driver>.…`, selected by the attribute `diff=<driver>`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiffDriver {
    /// `textconv`: the command that converts a file to text.
    pub text_conversion: Option<BString>,
    /// `cachetextconv`: results are cached in `refs/notes/textconv/<driver>`.
    pub cache_text_conversion: bool,
    /// `binary`: whether files are binary whatever their contents. None for `auto`.
    pub binary: Option<bool>,
    /// `xfuncname` or `funcname`; true if it is an extended regular expression.
    pub function_names: Option<(BString, bool)>,
}

/// How the ends of lines are converted where no attribute says it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineEndSettings {
    /// `core.autocrlf`: a boolean, or `input` in any letter case.
    pub auto_crlf: Option<BString>,
    /// `core.eol`, whatever it is.
    pub eol: Option<BString>,
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
    /// `blame.ignoreRevsFile`, expanded, in order; optional ones with their prefix.
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
    /// `tblame.cache`: whether blames of this repository are kept.
    pub cache: Option<bool>,
    /// `tblame.gitCompat`.
    pub git_compat: Option<BString>,
    /// `color.diff`, otherwise `color.ui`: whether diffs have colors wherever they are written; `None`
    /// if they have on terminals.
    pub colored_diffs: Option<bool>,
    /// `core.pager`.
    pub pager: Option<BString>,
    /// `pager.blame`.
    pub blame_pager: Option<CommandPager>,
    /// `pager.annotate`.
    pub annotate_pager: Option<CommandPager>,
    /// `core.useReplaceRefs`.
    pub use_replace_refs: bool,
    /// `core.warnAmbiguousRefs`.
    pub warn_ambiguous_refs: bool,
    /// `diff.algorithm`.
    pub algorithm: Algorithm,
    /// `diff.indentHeuristic`.
    pub indent_heuristic: bool,
    /// `i18n.logOutputEncoding`.
    pub log_output_encoding: Option<BString>,
    /// `i18n.commitEncoding`.
    pub commit_encoding: Option<BString>,
    /// `mailmap.file`, expanded.
    pub mailmap_file: Option<BString>,
    /// `mailmap.blob`.
    pub mailmap_blob: Option<BString>,
    /// `diff.<driver>.…` by driver.
    pub drivers: BTreeMap<BString, DiffDriver>,
    /// `core.autocrlf` and `core.eol`.
    pub line_ends: LineEndSettings,
    /// `core.ignoreCase`.
    pub ignore_case: bool,
    /// `core.fileMode`: whether the work tree tells which files are executable.
    pub file_mode: bool,
    /// `core.attributesFile`, expanded.
    pub attributes_file: Option<BString>,
    /// `attr.tree`.
    pub attribute_tree: Option<BString>,
    /// `filter.<driver>.…`.
    pub filters: Filters,
    /// Whom git asks for missing objects.
    pub promisors: PromisorRemotes,
}

/// The value of `pager.<command>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandPager {
    /// True if the command's output is paged.
    Wanted(bool),
    /// It is paged by this command line.
    Program(BString),
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
            cache: None,
            git_compat: None,
            colored_diffs: None,
            pager: None,
            blame_pager: None,
            annotate_pager: None,
            use_replace_refs: true,
            warn_ambiguous_refs: true,
            algorithm: Algorithm::Myers,
            indent_heuristic: true,
            log_output_encoding: None,
            commit_encoding: None,
            mailmap_file: None,
            mailmap_blob: None,
            drivers: BTreeMap::new(),
            line_ends: LineEndSettings::default(),
            ignore_case: false,
            file_mode: true,
            attributes_file: None,
            attribute_tree: None,
            filters: Filters::default(),
            promisors: PromisorRemotes::default(),
        }
    }
}

/// Validates a variable (name in lower case) that the output interprets: dates and colors. Called
/// in configuration order, may add notes.
pub type ConfigCheck<'a> = &'a dyn Fn(&str, &BStr, &mut Vec<BString>) -> Result<()>;

impl GitConfig {
    /// Reads `configuration`. Warnings are added to `notes`.
    ///
    /// # Errors
    ///
    /// Invalid values, in git's words. Those of filters are kept in [`Filters`].
    pub fn read(
        configuration: &Configuration,
        check: ConfigCheck<'_>,
        notes: &mut Vec<BString>,
    ) -> Result<GitConfig> {
        let mut settings = GitConfig::default();
        for variable in configuration.variables() {
            settings.apply(variable, check, notes)?;
        }
        settings.read_last(configuration)?;
        Ok(settings)
    }

    fn apply(
        &mut self,
        variable: Located<'_>,
        check: ConfigCheck<'_>,
        notes: &mut Vec<BString>,
    ) -> Result<()> {
        match variable.key().as_bytes() {
            // Not git's, so a value that is no boolean is no error.
            b"tblame.cache" => self.cache = Some(variable.boolean().unwrap_or(false)),
            b"tblame.gitcompat" => self.git_compat = variable.text().ok(),
            b"blame.showroot" => self.show_root = variable.boolean()?,
            b"blame.blankboundary" => self.blank_boundary = variable.boolean()?,
            b"blame.showemail" => self.show_email = variable.boolean()?,
            b"blame.markignoredlines" => self.mark_ignored = variable.boolean()?,
            b"blame.markunblamablelines" => self.mark_unblamable = variable.boolean()?,
            b"blame.date" => self.date = Some(checked(variable, check, notes)?),
            b"blame.ignorerevsfile" => self.ignored_files.push(variable.path()?),
            b"blame.coloring" => self.coloring(variable.text()?.as_ref(), notes),
            b"color.blame.repeatedlines" => {
                self.repeated_colors.push(checked(variable, check, notes)?);
            }
            b"color.blame.highlightrecent" => {
                self.age_colors.push(checked(variable, check, notes)?);
            }
            b"core.abbrev" => self.abbrev = abbrev(variable)?,
            b"core.quotepath" => self.quote_path = variable.boolean()?,
            b"diff.algorithm" => self.algorithm = algorithm(variable)?,
            b"diff.indentheuristic" => self.indent_heuristic = variable.boolean()?,
            b"i18n.logoutputencoding" => self.log_output_encoding = Some(variable.text()?),
            b"i18n.commitencoding" => self.commit_encoding = Some(variable.text()?),
            b"attr.tree" => self.attribute_tree = Some(variable.text()?),
            b"core.attributesfile" => self.attributes_file = Some(variable.path()?),
            b"core.autocrlf" => self.line_ends.auto_crlf = Some(auto_crlf(variable)?),
            b"core.eol" => self.line_ends.eol = variable.text().ok(),
            b"core.ignorecase" => self.ignore_case = variable.boolean()?,
            // It was read when the repository was found.
            b"core.bare" => drop(variable.boolean()?),
            key => match variable.variable.subsection() {
                Some(name) if key.starts_with(b"diff.") => self.driver(name, variable)?,
                Some(name) if key.starts_with(b"filter.") => self.filters.read(name, variable),
                _ => {}
            },
        }
        Ok(())
    }

    /// Reads the variables of which the last value alone counts, after all others.
    fn read_last(&mut self, configuration: &Configuration) -> Result<()> {
        let boolean = |key, default| {
            let value = configuration.last(key).map(|it| it.boolean());
            value.and_then(Result::ok).unwrap_or(default)
        };
        self.commit_graph = boolean("core.commitgraph", true);
        self.file_mode = boolean("core.filemode", true);
        self.read_changed_paths = boolean("commitgraph.readchangedpaths", true);
        if let Some(used) = configuration.last("core.usereplacerefs") {
            self.use_replace_refs = used.boolean()?;
        }
        self.warn_ambiguous_refs = boolean("core.warnambiguousrefs", true);
        let version = configuration.last("commitgraph.changedpathsversion");
        self.changed_paths_version = version.and_then(|it| it.int().ok()).unwrap_or(-1);
        let limit = configuration.last("core.deltabasecachelimit");
        let limit = limit.and_then(|it| it.unsigned_long().ok());
        if let Some(limit) = limit.and_then(|limit| usize::try_from(limit).ok()) {
            self.delta_base_cache = limit;
        }
        let file = configuration.last("mailmap.file");
        self.mailmap_file = file.map(|it| it.path()).transpose()?;
        if let Some(file) = &mut self.mailmap_file
            && let Some(path) = file.strip_prefix(b":(optional)")
        {
            *file = path.into();
        }
        let blob = configuration.last("mailmap.blob");
        self.mailmap_blob = blob.map(|it| it.text()).transpose()?;
        let mut keys = ["color.diff", "color.ui"].iter();
        let colors = keys.find_map(|key| configuration.last(key));
        self.colored_diffs = colors.and_then(|it| match it.text().ok()?.as_slice() {
            b"always" => Some(true),
            b"never" => Some(false),
            // Of booleans, true is for terminals.
            _ => it.boolean().ok().filter(|is_on| !is_on),
        });
        let pager = configuration.last("core.pager");
        self.pager = pager.and_then(|it| it.text().ok());
        let pager = |key| {
            let value = configuration.last(key)?;
            Some(match value.boolean() {
                Ok(wanted) => CommandPager::Wanted(wanted),
                Err(_) => CommandPager::Program(value.text().ok()?),
            })
        };
        self.blame_pager = pager("pager.blame");
        self.annotate_pager = pager("pager.annotate");
        self.promisors = PromisorRemotes::read(configuration);
        Ok(())
    }

    fn driver(&mut self, name: &BStr, variable: Located<'_>) -> Result<()> {
        let driver = self.drivers.entry(name.to_owned()).or_default();
        match variable.variable.name().as_bytes() {
            b"textconv" => driver.text_conversion = Some(variable.text()?),
            b"cachetextconv" => driver.cache_text_conversion = variable.boolean()?,
            b"funcname" => driver.function_names = Some((variable.text()?, false)),
            b"xfuncname" => driver.function_names = Some((variable.text()?, true)),
            b"binary" if variable.bytes() == Some(b"auto") => driver.binary = None,
            b"binary" => driver.binary = Some(variable.boolean()?),
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
                notes.push(noted(note));
            }
        }
    }
}

/// `core.autocrlf`: a boolean, or `input`.
fn auto_crlf(variable: Located<'_>) -> Result<BString> {
    let value = variable.bytes().unwrap_or(b"true");
    if !value.eq_ignore_ascii_case(b"input") {
        variable.boolean()?;
    }
    Ok(value.into())
}

/// The value of a variable that the output interprets.
fn checked(
    variable: Located<'_>,
    check: ConfigCheck<'_>,
    notes: &mut Vec<BString>,
) -> Result<BString> {
    let text = variable.text()?;
    check(&variable.key().to_str_lossy(), text.as_bstr(), notes)?;
    Ok(text)
}

fn abbrev(variable: Located<'_>) -> Result<AbbrevConfig> {
    let value = variable.text()?;
    if value.eq_ignore_ascii_case(b"auto") {
        return Ok(AbbrevConfig::Auto);
    }
    if matches!(
        value.to_ascii_lowercase().as_slice(),
        b"" | b"no" | b"off" | b"false"
    ) {
        return Ok(AbbrevConfig::Digits(64));
    }
    let digits = variable.int()?;
    match usize::try_from(digits) {
        Ok(digits) if digits >= 4 => Ok(AbbrevConfig::Digits(digits.min(64))),
        _ => Err(variable.refuse(format!("abbrev length out of range: {digits}"))),
    }
}

fn algorithm(variable: Located<'_>) -> Result<Algorithm> {
    let value = variable.text()?;
    Algorithm::from_name(&value).ok_or_else(|| {
        let mut reason = b"unknown value for config 'diff.algorithm': ".to_vec();
        reason.push_str(&value);
        variable.refuse(reason)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Result<GitConfig>, Vec<BString>) {
        let configuration = Configuration::of_text(text.as_bytes()).unwrap();
        let mut notes = Vec::new();
        let check: ConfigCheck<'_> = &|_, _, _| Ok(());
        (GitConfig::read(&configuration, check, &mut notes), notes)
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
    fn lengths() {
        let abbrev = |value: &str| read(&format!("[core]\nabbrev = {value}\n")).0;
        assert_eq!(abbrev("auto").unwrap().abbrev, AbbrevConfig::Auto);
        assert_eq!(abbrev("off").unwrap().abbrev, AbbrevConfig::Digits(64));
        assert_eq!(abbrev("9").unwrap().abbrev, AbbrevConfig::Digits(9));
        assert_eq!(
            abbrev("x").unwrap_err().message(),
            "bad numeric config value 'x' for 'core.abbrev' in file config: invalid unit"
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
