//! Which version of git decides where versions write different bytes.

use std::{cell::OnceCell, ffi::OsStr, process, time::UNIX_EPOCH};

use bstr::{BString, ByteSlice};

use crate::{
    cache::KeptText,
    cli::{Invocation, Output},
    dates::approxidate,
    diff::{Algorithm, OlderDiff},
    error::{Error, Result},
    output::abbreviation::MarkColumns,
    repository::{open::git_config::GitConfig, request::options::BlameOptions},
    run::{cache, format_options::FormatOptions},
    sanitize,
    system::{
        git_version::{GitChange, GitVersion},
        installed_git,
    },
};

/// The variable that overrides the configuration.
const VARIABLE: &str = "TBLAME_GIT_COMPAT";

/// The variable of git's configuration.
const SETTING: &str = "tblame.gitCompat";

/// The name in the cache of the file that says which version the installed git has.
const KEPT: &str = "git-version";

/// The version of git to follow. The installed git is asked when its version is needed first.
pub(super) struct GitCompat {
    invocation: Invocation,
    /// With what has chosen it.
    chosen: Option<(GitVersion, &'static str)>,
    /// What the installed git prints as its version; `None` if there is none.
    installed: OnceCell<Option<String>>,
}

impl GitCompat {
    /// The version by `--git-compat`, the environment, `tblame.gitCompat`, or the installed git.
    ///
    /// # Errors
    ///
    /// If the environment or the configuration has no version.
    pub(super) fn new(invocation: &Invocation, config: &GitConfig) -> Result<GitCompat> {
        let variable = std::env::var_os(VARIABLE).filter(|value| !value.is_empty());
        let chosen = match (&invocation.git_compat, variable, &config.git_compat) {
            (Some(text), ..) => Some((parse("--git-compat", text)?, "--git-compat")),
            (None, Some(text), _) => Some((parse(VARIABLE, text.as_encoded_bytes())?, VARIABLE)),
            (None, None, Some(text)) => Some((parse(SETTING, text)?, SETTING)),
            (None, None, None) => None,
        };
        Ok(GitCompat {
            invocation: invocation.clone(),
            chosen,
            installed: OnceCell::new(),
        })
    }

    fn version(&self) -> GitVersion {
        self.chosen.map_or_else(
            || {
                let version = self.installed().and_then(GitVersion::of_output);
                version.unwrap_or_default()
            },
            |(version, _)| version,
        )
    }

    /// What the installed git prints as its version.
    fn installed(&self) -> Option<&str> {
        let installed = self.installed.get_or_init(|| installed(&self.invocation));
        installed.as_deref()
    }

    /// The version, and why it is this one, for reports.
    pub(super) fn described(&self) -> String {
        let installed = self.installed();
        let shown = installed.map(|printed| sanitize::clip(printed.as_bytes(), 100));
        let shown = shown.unwrap_or_else(|| "no git in PATH".to_owned());
        match (self.chosen, installed) {
            (Some((GitVersion::NEWEST, by)), _) => format!("as the newest, by {by}; {shown}"),
            (Some((GitVersion { major, minor }, by)), _) => {
                format!("as {major}.{minor}, by {by}; {shown}")
            }
            (None, Some(_)) => format!("as the installed one: {shown}"),
            (None, None) => format!("as the newest, as there is {shown}"),
        }
    }

    /// True if the version has `change`.
    fn has(&self, change: GitChange) -> bool {
        self.version().has(change)
    }

    /// Changes the options of the blame to what the version does.
    pub(super) fn change_options(&self, options: &mut BlameOptions, config: &GitConfig) {
        let mut algorithm = options.algorithm;
        if algorithm.unwrap_or(config.algorithm) != Algorithm::Myers
            && !self.has(GitChange::DiffAlgorithm)
        {
            algorithm = Some(if self.invocation.minimal {
                Algorithm::Minimal
            } else {
                Algorithm::Myers
            });
        }
        let effective = algorithm.unwrap_or(config.algorithm);
        let is_optional = |name: &BString| name.starts_with(b":(optional)");
        options.algorithm = algorithm;
        options.older_diff = OlderDiff {
            minimal: effective == Algorithm::Minimal && !self.has(GitChange::MinimalIsMinimal),
            histogram: effective == Algorithm::Histogram && !self.has(GitChange::RefinedHistogram),
        };
        options.no_optional_files =
            config.ignored_files.iter().any(is_optional) && !self.has(GitChange::OptionalFiles);
        if options.names_functions() {
            options.functions_of = self.version();
        }
    }

    /// True if dates that the blame reads are to be read as before [`GitChange::ApproximateDays`].
    pub(super) fn has_older_dates(&self, options: &BlameOptions, config: &GitConfig) -> bool {
        let dates = [&options.since, &options.until, &options.since_as_filter];
        let mut texts = dates
            .into_iter()
            .flatten()
            .chain(config.age_colors.last())
            .chain(options.operands.iter().filter(|it| it.contains_str("@{")));
        texts.any(|text| approxidate::depends_on_version(text))
            && !self.has(GitChange::ApproximateDays)
    }

    /// Changes the options of the output to what the version does.
    pub(super) fn change_format(&self, format: &mut FormatOptions) {
        let plain = &mut format.plain;
        match self.invocation.output {
            Output::Plain => {}
            Output::Porcelain { .. } => {
                let marks = &mut format.porcelain.marks;
                if (marks.ignored || marks.unblamable) && !self.has(GitChange::MarksInPorcelain) {
                    *marks = Default::default();
                }
                return;
            }
            _ => return,
        }
        if !plain.long && !self.has(GitChange::ColumnsForMarks) {
            plain.mark_columns = MarkColumns::One;
        }
        plain.repeats_in_entries =
            plain.coloring.repeated.is_some() && !self.has(GitChange::RepeatedAcrossEntries);
    }

    /// Changes `notes` to the words of the version.
    pub(super) fn change_notes(&self, notes: &mut [BString]) {
        const NEW: &str = "\"git config set advice.";
        for note in notes.iter_mut().filter(|note| note.contains_str(NEW)) {
            if !self.has(GitChange::AdviceWithSet) {
                *note = note.replace(NEW, "\"git config advice.").into();
            }
        }
    }
}

/// A version that `source` names.
fn parse(source: &str, text: &[u8]) -> Result<GitVersion> {
    if text == b"newest" {
        return Ok(GitVersion::NEWEST);
    }
    text.to_str()
        .ok()
        .and_then(GitVersion::parse)
        .ok_or_else(|| {
            let text = text.to_str_lossy();
            Error::fatal(format!("{source} is no version of git: '{text}'"))
        })
}

/// What the installed git prints as its version: what the cache has for this file, or what it prints
/// now. Without the cache it is not kept.
fn installed(invocation: &Invocation) -> Option<String> {
    let git = installed_git::find()?;
    let settings = cache::settings(invocation, None);
    let directory = cache::directory(&settings).filter(|_| settings.enabled);
    let kept = directory
        .as_ref()
        .map(|directory| KeptText::new(directory, KEPT));
    let identity = identity()?;
    if let Some(text) = kept.as_ref().and_then(KeptText::read)
        && let Some((version, of)) = text.split_once('\n')
        && of == identity
    {
        return Some(version.to_owned());
    }
    let mut command = process::Command::new(git);
    command.arg("--version").stdin(process::Stdio::null());
    let printed = command.stderr(process::Stdio::null()).output().ok()?.stdout;
    let printed = printed.to_str().ok()?.lines().next()?.to_owned();
    GitVersion::of_output(&printed)?;
    if let Some(kept) = kept {
        kept.write(&format!("{printed}\n{identity}"));
    }
    Some(printed)
}

/// A text that tells the installed git from another one, and from an earlier or later state of it.
fn identity() -> Option<String> {
    let (git, metadata) = (installed_git::find_real()?, installed_git::metadata()?);
    let modified = metadata.modified().ok()?;
    let nanoseconds = modified.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    let path: &OsStr = git.as_ref();
    let path = path.as_encoded_bytes().escape_ascii();
    Some(format!("{} {nanoseconds} {path}\n", metadata.len()))
}
