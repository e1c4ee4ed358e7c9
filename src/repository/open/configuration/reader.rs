//! Reads configuration files with what they include.

use std::{
    io,
    path::{Path, PathBuf},
};

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result, noted, os_message, quoted},
    repository::open::{
        configuration::{
            condition::{ConditionContext, REMOTE_URL, matches_url},
            interpolate::expand_path,
            syntax::Assignments,
            variable::{Located, Scope, Variable, VariableOrigin, bad_line},
        },
        optional_file::{FileText, read_configuration},
    },
};

/// How deep includes may be nested.
const MAX_DEPTH: usize = 10;

/// Reads all sources into a reader, from which the URLs of remotes are taken.
pub(super) type Scan<'a> = &'a dyn Fn(&mut ConfigurationReader<'_>) -> Result<()>;

/// Reads configuration files into a list of variables, following includes.
pub(super) struct ConfigurationReader<'a> {
    place: &'a ConditionContext,
    /// Reads everything again, for conditions on the URLs of remotes.
    scan: Option<Scan<'a>>,
    pub(super) variables: Vec<Variable>,
    pub(super) origins: Vec<VariableOrigin>,
    pub(super) notes: Vec<BString>,
    depth: usize,
    /// True while a file is read that a condition on the URLs of remotes includes.
    below_url_condition: bool,
    urls: Option<Vec<BString>>,
}

impl<'a> ConfigurationReader<'a> {
    pub(super) fn new(
        place: &'a ConditionContext,
        scan: Option<Scan<'a>>,
    ) -> ConfigurationReader<'a> {
        ConfigurationReader {
            place,
            scan,
            variables: Vec::new(),
            origins: Vec::new(),
            notes: Vec::new(),
            depth: 0,
            below_url_condition: false,
            urls: None,
        }
    }

    /// Reads the file `path`, called `name` in messages, if it exists.
    pub(super) fn file(&mut self, scope: Scope, path: PathBuf, name: BString) -> Result<()> {
        let text = read_configuration(&path);
        self.file_with_text(scope, path, name, &text)
    }

    /// As [`file`](Self::file), with what was read from it.
    pub(super) fn file_with_text(
        &mut self,
        scope: Scope,
        path: PathBuf,
        name: BString,
        text: &FileText,
    ) -> Result<()> {
        match text {
            Ok(Some(text)) => self.text(scope, path, name, text),
            Ok(None) => Ok(()),
            Err(err) if err.kind() == io::ErrorKind::PermissionDenied => {
                Err(Error::fatal(unable_to_access(name.as_bstr(), err)))
            }
            Err(err) => {
                // git tries three times.
                let warning = warning_of(name.as_bstr(), err);
                let message = "unknown error occurred while reading the configuration files";
                Err(Error::fatal(message).after(vec![warning; 3]))
            }
        }
    }

    pub(super) fn text(
        &mut self,
        scope: Scope,
        path: PathBuf,
        name: BString,
        text: &[u8],
    ) -> Result<()> {
        let file = Some((path, name));
        let origin = self.origins.len();
        self.origins.push(VariableOrigin {
            scope,
            included: self.depth > 0,
            file,
        });
        for assignment in Assignments::new(text) {
            let assignment =
                assignment.map_err(|err| bad_line(self.origins[origin].name(), err.line))?;
            if let Some(problem) = problem_of_key(assignment.key.as_bstr()) {
                let mut note = BString::from(problem);
                note.push_str(&assignment.key);
                self.notes.push(noted(note));
                continue;
            }
            self.add(Variable {
                key: assignment.key,
                value: assignment.value,
                origin,
                line: assignment.line,
            })?;
        }
        Ok(())
    }

    /// Adds the variables of the command line and the environment.
    pub(super) fn parameters(&mut self, all: Vec<(BString, Option<BString>)>) -> Result<()> {
        let origin = self.origins.len();
        self.origins.push(VariableOrigin {
            scope: Scope::Command,
            included: false,
            file: None,
        });
        for (key, value) in all {
            self.add(Variable {
                key,
                value,
                origin,
                line: 0,
            })?;
        }
        Ok(())
    }

    fn add(&mut self, variable: Variable) -> Result<()> {
        if self.below_url_condition && is_remote_url(&variable.key) {
            return Err(Error::fatal(
                "remote URLs cannot be configured in file directly or indirectly included by \
                 includeIf.hasconfig:remote.*.url",
            ));
        }
        // As in git, the variables of the included file come after the one that includes it.
        let include = if is_include(&variable) {
            Some(variable.clone())
        } else {
            None
        };
        self.variables.push(variable);
        match include {
            Some(variable) => self.include(&variable),
            None => Ok(()),
        }
    }

    fn include(&mut self, variable: &Variable) -> Result<()> {
        let mut on_urls = false;
        if let Some(condition) = variable.subsection() {
            if let Some(pattern) = condition.strip_prefix(REMOTE_URL) {
                on_urls = true;
                if !self.has_url(pattern.as_bstr())? {
                    return self.check_urls_of_excluded(variable);
                }
            } else {
                let file = self.origins[variable.origin].file.as_ref();
                let path = file.map(|(path, _)| path.clone());
                match self.place.meets(condition, path.as_deref()) {
                    Ok(true) => {}
                    Ok(false) => return Ok(()),
                    Err(_) => {
                        // git takes the error for true.
                        let note =
                            "error: relative config include conditionals must come from files";
                        self.notes.push(noted(note.into()));
                    }
                }
            }
        }
        self.follow(variable, on_urls)
    }

    /// Reads a file that a condition on URLs does not include, because remotes are refused in it
    /// too.
    fn check_urls_of_excluded(&mut self, variable: &Variable) -> Result<()> {
        let count = (self.variables.len(), self.origins.len(), self.notes.len());
        self.follow(variable, true)?;
        self.variables.truncate(count.0);
        self.origins.truncate(count.1);
        self.notes.truncate(count.2);
        Ok(())
    }

    fn follow(&mut self, variable: &Variable, on_urls: bool) -> Result<()> {
        let origin = self.origins[variable.origin].clone();
        let located = Located {
            variable,
            origin: &origin,
        };
        let Some(value) = &variable.value else {
            return Err(located.refuse_line("missing value for 'include.path'"));
        };
        let optional = value.strip_prefix(b":(optional)").map(ByteSlice::as_bstr);
        let written = optional.unwrap_or(value.as_bstr());
        let Some(path) = expand_path(written) else {
            let reason = quoted("could not expand include path ", written, "");
            return Err(located.refuse_line(reason));
        };
        let (file, name) = match (&origin.file, path.first()) {
            (_, Some(b'/')) => (path.to_path_lossy().into_owned(), path),
            (None, _) => {
                return Err(located.refuse_line("relative config includes must come from files"));
            }
            (Some((including, name)), _) => (
                beside(including, path.as_bstr()),
                name_beside(name.as_bstr(), path.as_bstr()),
            ),
        };
        let text = match read_configuration(&file) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(()),
            Err(err) if err.kind() == io::ErrorKind::PermissionDenied => {
                return Err(Error::fatal(unable_to_access(name.as_bstr(), &err)));
            }
            Err(err) => {
                let warning = warning_of(name.as_bstr(), &err);
                return Err(bad_line(origin.name(), variable.line).after(vec![warning]));
            }
        };
        if self.depth == MAX_DEPTH {
            let including = origin.file.as_ref().map(|(_, name)| name.as_bstr());
            return Err(too_deep(name.as_bstr(), including));
        }
        let outer = self.below_url_condition;
        self.depth += 1;
        self.below_url_condition |= on_urls;
        self.text(origin.scope, file, name, &text)?;
        self.depth -= 1;
        self.below_url_condition = outer;
        Ok(())
    }

    /// True if any remote of the whole configuration has a URL that matches `pattern`.
    fn has_url(&mut self, pattern: &BStr) -> Result<bool> {
        let Some(scan) = self.scan else {
            return Ok(false);
        };
        if self.urls.is_none() {
            let mut reader = ConfigurationReader::new(self.place, None);
            scan(&mut reader)?;
            let urls = reader.variables.into_iter();
            let urls = urls.filter(|variable| is_remote_url(&variable.key));
            self.urls = Some(urls.filter_map(|variable| variable.value).collect());
        }
        let mut urls = self.urls.iter().flatten();
        Ok(urls.any(|url| matches_url(pattern, url.as_bstr())))
    }
}

/// The words of git on a key that it passes over. A name that follows a NUL is not in the key.
fn problem_of_key(key: &BStr) -> Option<&'static str> {
    let Some(dot) = key.rfind_byte(b'.') else {
        return Some("error: key does not contain a section: ");
    };
    match &key.as_bytes()[dot + 1..] {
        [] => Some("error: key does not contain variable name: "),
        [first, rest @ ..] => {
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
            let is_valid = first.is_ascii_alphabetic() && rest.iter().all(is_name);
            (!is_valid).then_some("error: invalid key: ")
        }
    }
}

fn is_include(variable: &Variable) -> bool {
    let key = variable.key.as_slice();
    let condition = key.strip_prefix(b"includeif.");
    key == b"include.path" || condition.is_some_and(|rest| rest.ends_with(b".path"))
}

fn is_remote_url(key: &[u8]) -> bool {
    key.starts_with(b"remote.") && key.ends_with(b".url") && key.len() > b"remote.url".len()
}

fn unable_to_access(name: &BStr, err: &io::Error) -> Vec<u8> {
    quoted("unable to access ", name, &format!(": {}", os_message(err)))
}

fn warning_of(name: &BStr, err: &io::Error) -> BString {
    [b"warning: ", unable_to_access(name, err).as_slice()]
        .concat()
        .into()
}

fn too_deep(name: &BStr, including: Option<&BStr>) -> Error {
    let mut message =
        format!("exceeded maximum include depth ({MAX_DEPTH}) while including\n\t").into_bytes();
    message.push_str(name);
    message.push_str("\nfrom\n\t");
    message.push_str(including.unwrap_or(b"the command line".into()));
    message.push_str("\nThis might be due to circular includes.");
    Error::fatal(message)
}

/// `path` in the directory of `file`.
fn beside(file: &Path, path: &BStr) -> PathBuf {
    let directory = file.parent().unwrap_or(Path::new(""));
    directory.join(path.to_path_lossy())
}

/// `path` in the directory of the file `name`, as text.
fn name_beside(name: &BStr, path: &BStr) -> BString {
    let end = name.rfind_byte(b'/').map_or(0, |at| at + 1);
    [&name[..end], path.as_bytes()].concat().into()
}
