//! Actions that use the clipboard or an external program: browser, editor, the configured command.

use std::ffi::OsString;

use bstr::{BStr, BString, ByteSlice};

use crate::{
    objects::ObjectId,
    viewer::{
        app::{
            blame::view::{LineAttribution, View},
            state::App,
        },
        model::{
            external_commands::{EditRequest, ExternalCommand},
            keys::bindings::Action,
            source::FileVersion,
        },
        protocol::Effect,
    },
};

/// The message about the commit of what is not committed.
pub(crate) const NOT_COMMITTED: &str = "this is not committed yet";

/// Why an action has no id or page to use where nothing is committed; `None` for other actions.
pub(crate) fn uncommitted(action: Action) -> Option<&'static str> {
    match action {
        Action::CopyId => Some("uncommitted: no id to copy yet"),
        Action::CopyLink => Some("uncommitted: no link to copy yet"),
        Action::Browse => Some("uncommitted: no page yet"),
        _ => None,
    }
}

impl App {
    /// Performs an action on the selected line that is not [refused](App::refusal).
    pub(crate) fn external_action(&mut self, action: Action) {
        let Some((view, facts)) = self.selected_attribution() else {
            // Editing does not need the line's commit.
            match (action, self.view()) {
                (Action::Edit, Some(_)) => return self.edit(),
                _ => return self.unattributed(action),
            }
        };
        let id = facts.commit.id;
        match action {
            Action::CopyId => self.copy(id.to_string()),
            Action::CopyLink => {
                self.page_of_line()
                    .into_iter()
                    .for_each(|url| self.copy(url));
            }
            Action::Browse => {
                let url = self.page_of_commit(&id);
                url.into_iter().for_each(|url| self.browse(url));
            }
            Action::Edit => self.edit(),
            _ => match self.command(view, &facts) {
                Ok(arguments) => self
                    .effects
                    .push(Effect::External(ExternalCommand::Run(arguments))),
                Err(message) => self.show_message(message),
            },
        }
    }

    /// The selected commit of a list. Says so if nothing is committed there, or none is known.
    pub(crate) fn committed(
        &mut self,
        action: Action,
        selected: Option<ObjectId>,
    ) -> Option<ObjectId> {
        match selected {
            Some(id) if !id.is_null() => return selected,
            Some(_) => self.show_message(uncommitted(action).unwrap_or(NOT_COMMITTED)),
            None => self.show_message("no commit is known here"),
        }
        None
    }

    /// Copies the id of the selected commit of a list, or opens it in the browser.
    pub(crate) fn use_commit(&mut self, action: Action, selected: Option<ObjectId>) {
        match self.committed(action, selected) {
            Some(commit) if action == Action::Browse => self.browse_commit(&commit),
            Some(commit) => self.copy(commit.to_string()),
            None => {}
        }
    }

    /// Puts text on the clipboard.
    pub(crate) fn copy(&mut self, text: String) {
        let words = format!("copied {text}");
        self.put_on_clipboard(text, words);
    }

    /// Puts text on the clipboard, and says so.
    pub(crate) fn put_on_clipboard(&mut self, text: String, words: String) {
        self.show_message(words);
        self.effects.push(Effect::Copy(text));
    }

    /// Opens a page in the browser.
    pub(crate) fn browse(&mut self, url: String) {
        self.show_message(format!("opened {url}"));
        self.effects.push(Effect::Browse(url));
    }

    /// The URL of a commit.
    pub(crate) fn page_of_commit(&self, id: &ObjectId) -> Option<String> {
        let web = &self.environment.repository.web;
        web.commit(id).filter(|_| !id.is_null())
    }

    /// The URL of the selected line: in the visible version if that is a commit, otherwise in the
    /// commit that the line is attributed to.
    pub(crate) fn page_of_line(&self) -> Option<String> {
        let (view, facts) = self.selected_attribution()?;
        if facts.commit.id.is_null() {
            return None;
        }
        let web = &self.environment.repository.web;
        let line = view.pager.position.line;
        match (&view.version, &view.command_line_commit) {
            (FileVersion::Commit { commit, path }, _) => {
                web.file(commit, path.as_slice().as_bstr(), line)
            }
            (_, Some(commit)) => web.file(commit, view.path.as_slice().as_bstr(), line),
            (
                FileVersion::CommandLine
                | FileVersion::WorkTree { .. }
                | FileVersion::Reloaded { .. },
                _,
            ) => {
                let path: &BStr = facts.origin.path.as_slice().as_bstr();
                web.file(&facts.commit.id, path, Self::source_line(view, &facts))
            }
        }
    }

    fn edit(&mut self) {
        let Some(root) = self.environment.repository.root.clone() else {
            return self.show_message("cannot edit: no work tree");
        };
        let Some(view) = self.view() else { return };
        let first = self
            .history
            .views
            .first()
            .map(|view| view.path.as_ref().clone());
        let mut paths = vec![view.path.as_ref().clone()];
        paths.extend(first.filter(|path| *path != paths[0]));
        self.effects
            .push(Effect::External(ExternalCommand::Edit(EditRequest {
                root,
                paths,
                text: view.raw.clone(),
                line: view.pager.position.line,
                configured: self.environment.repository.editor.clone(),
            })));
    }

    /// The arguments of the configured command, with its placeholders replaced.
    fn command(&self, view: &View, facts: &LineAttribution<'_>) -> Result<Vec<OsString>, String> {
        if self.environment.command.is_empty() {
            return Err(
                "no command is configured: [run] in the configuration names one".to_owned(),
            );
        }
        let metadata = facts.commit.metadata.as_ref().ok();
        let author = metadata.map(|metadata| &metadata.author);
        let number = |line: u32| BString::from((u64::from(line) + 1).to_string());
        let text = |text: Option<&BString>| text.cloned().unwrap_or_default();
        let root = self.environment.repository.root.as_ref();
        let file = root.map(|root| root.join(view.path.to_path_lossy()));
        let file = file.map(|file| BString::from(file.as_os_str().as_encoded_bytes()));
        let fields: [(&str, BString); 9] = [
            ("{id}", facts.commit.id.to_string().into()),
            ("{path}", view.path.as_ref().clone()),
            ("{file}", file.unwrap_or_default()),
            ("{line}", number(view.pager.position.line)),
            ("{original-path}", facts.origin.path.as_ref().clone()),
            ("{original-line}", number(Self::source_line(view, facts))),
            ("{author}", text(author.map(|author| &author.name))),
            ("{email}", text(author.map(|author| &author.mail))),
            (
                "{summary}",
                metadata
                    .map(|metadata| metadata.summary())
                    .unwrap_or_default(),
            ),
        ];
        let filled = self
            .environment
            .command
            .iter()
            .map(|word| fill(word, &fields));
        filled.collect()
    }
}

/// Replaces the placeholders in one argument of the command.
///
/// # Errors
/// The value would turn the argument into an option, or contains a NUL byte.
fn fill(word: &str, fields: &[(&str, BString)]) -> Result<OsString, String> {
    let mut filled = BString::default();
    let mut rest = word;
    while let Some(at) = rest.find('{') {
        filled.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at..];
        let field = fields.iter().find(|(name, _)| rest.starts_with(name));
        match field {
            Some((name, value)) => {
                filled.extend_from_slice(value);
                rest = &rest[name.len()..];
            }
            None => {
                filled.push(b'{');
                rest = &rest[1..];
            }
        }
    }
    filled.extend_from_slice(rest.as_bytes());
    if filled.starts_with(b"-") && !word.starts_with('-') {
        return Err(format!(
            "{word} would begin with a dash and could be taken as an option"
        ));
    }
    if filled.contains(&0) {
        return Err(format!(
            "{word} would contain a NUL byte, which an argument cannot"
        ));
    }
    Ok(filled.to_os_str_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_never_becomes_an_option_or_another_field() {
        let fields = [
            ("{id}", "abc".into()),
            ("{author}", "-x; {id} $(rm)".into()),
        ];
        let filled = |word| fill(word, &fields).map(|word| word.into_string().expect("text"));
        assert_eq!(filled("{id}^{}"), Ok("abc^{}".to_owned()));
        assert_eq!(filled("by {author}"), Ok("by -x; {id} $(rm)".to_owned()));
        assert_eq!(filled("--id={id}"), Ok("--id=abc".to_owned()));
        assert!(filled("{author}").is_err());
    }
}
