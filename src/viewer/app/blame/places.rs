//! Going where the prompt says: to a line, or to another revision or file.

use std::sync::Arc;

use bstr::{BString, ByteSlice};

use crate::{
    sanitize,
    viewer::{
        app::{
            blame::{motion::percent_of, view::View},
            overlays::prompt::Completion,
            state::App,
        },
        model::{
            abbreviation::short,
            bindings::Action,
            repository_queries::CompletionQuery,
            source::{Failure, FileVersion, NamedVersion, PlaceQuery},
        },
        pages::list::ItemList,
        protocol::LineRef,
    },
};

/// Most names of a file that a revision is searched for.
const MAX_NAMES: usize = 16;

impl App {
    /// Goes where the input of the prompt says: `120`, `50%`, `$`, `q`, `v1.0`, `src/main.c`,
    /// `v1.0:src/main.c`.
    pub(crate) fn goto_input(&mut self, input: &str) {
        let last = self.last_line();
        let percent = input
            .strip_suffix('%')
            .and_then(|n| n.trim().parse::<u64>().ok());
        let line = match input {
            "" => return,
            "q" | "q!" | "qa" | "qa!" | "quit" | "x" => {
                return self.perform(Action::Quit, None);
            }
            "$" => u64::from(last) + 1,
            _ => match (input.parse::<u64>(), percent) {
                (Ok(line), _) => line,
                (_, Some(percent)) => u64::from(percent_of(last, percent)) + 1,
                _ => return self.ask_place(input),
            },
        };
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        if self.overlays.diff().is_some() {
            return self.go_to_new_line(line);
        }
        let line = line.saturating_sub(1);
        if line > last {
            self.show_message(format!("the file has {} lines", u64::from(last) + 1));
        }
        self.mark_before_jump();
        self.jump(line);
    }

    /// Asks for the revision or file of this name.
    fn ask_place(&mut self, input: &str) {
        let Some(view) = self.view() else { return };
        let query = PlaceQuery {
            input: input.into(),
            version: view.version.clone(),
            names: names_of_file(view),
        };
        let id = self.ask(query);
        self.requests.place = Some((id, input.to_owned()));
    }

    /// Opens the place that was asked for.
    pub(crate) fn on_place(&mut self, id: u64, place: Result<NamedVersion, Failure>) {
        let asked = self.requests.place.take_if(|(asked, _)| *asked == id);
        // A step that was taken since then is what is wanted.
        let Some((_, input)) = asked.filter(|_| self.history.pending.is_none()) else {
            return;
        };
        let (place, view) = match (place, self.view()) {
            (Ok(place), Some(view)) => (place, view),
            (Err(failure), _) => return self.show_message(failure.0),
            (_, None) => return,
        };
        let name = sanitize::line(input.as_bytes());
        if view.version == place.version {
            return self.show_message(format!("{name} is what you see"));
        }
        let from = place.is_same_file.then(|| LineRef {
            version: view.version.clone(),
            line: view.pager.position.line,
        });
        let revision = match (place.is_same_file, &place.version) {
            (true, _) => name,
            (false, FileVersion::Commit { commit, path }) => {
                format!("{} {}", file_name(path), short(commit))
            }
            (false, FileVersion::WorkTree { path } | FileVersion::Reloaded { path, .. }) => {
                file_name(path)
            }
            (false, FileVersion::CommandLine) => name,
        };
        self.mark_before_jump();
        let line = (!place.is_same_file).then_some(0);
        self.open(place.version, line, from);
        if let Some(pending) = &mut self.history.pending {
            pending.revision = revision;
        }
        self.show_filled("{back} returns");
    }

    /// Completes the input of the prompt with the names of references and files.
    pub(crate) fn complete_place(&mut self, forward: bool) {
        let Some(version) = self.view().map(|view| view.version.clone()) else {
            return;
        };
        let Some(prompt) = self.prompt_mut() else {
            return;
        };
        match &mut prompt.completion {
            Some(completion) => {
                let count = completion.candidates.len();
                let step = if forward { 1 } else { count.saturating_sub(1) };
                let at = (completion.list.selected + step).checked_rem(count);
                completion.list.selected = at.unwrap_or(0);
                prompt.take_completion();
            }
            None => {
                let input = BString::from(prompt.text.as_str());
                let query = CompletionQuery {
                    version,
                    input: input.clone(),
                };
                self.requests.completion = Some((self.ask(query), input));
            }
        }
    }

    /// Completes the input as far as the found names agree; the next key chooses among them.
    pub(crate) fn on_completions(&mut self, id: u64, found: Result<Vec<BString>, Failure>) {
        let asked = self.requests.completion.take_if(|(asked, _)| *asked == id);
        let Some((_, input)) = asked else { return };
        let found = found.unwrap_or_default();
        let names = found.iter().filter_map(|name| name.to_str().ok());
        let mut candidates: Vec<String> = names.map(str::to_owned).collect();
        let Some(prompt) = self.prompt_mut().filter(|it| it.text.as_bytes() == *input) else {
            return;
        };
        let common = common_start(&candidates);
        let is_longer = common.len() > prompt.text.len();
        if is_longer {
            prompt.text = common;
        }
        let mut list = ItemList::default();
        if candidates
            .first()
            .is_some_and(|first| *first != prompt.text)
        {
            candidates.insert(0, prompt.text.clone());
            list.selected = usize::from(!is_longer);
        }
        // A single name is complete, so that the next key completes what follows it.
        prompt.completion =
            (candidates.len() != 1).then(|| Box::new(Completion { candidates, list }));
        prompt.take_completion();
    }
}

/// The names that the visible file has had, as far as its blame has found them.
fn names_of_file(view: &View) -> Vec<Arc<BString>> {
    let mut names = vec![view.path.clone()];
    for path in view.origin_paths() {
        if !names.contains(path) {
            names.push(path.clone());
            if names.len() == MAX_NAMES {
                break;
            }
        }
    }
    names
}

fn file_name(path: &[u8]) -> String {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    sanitize::line(name)
}

/// The longest common start of some names.
fn common_start(names: &[String]) -> String {
    let Some((first, others)) = names.split_first() else {
        return String::new();
    };
    let agrees = |end: &usize| others.iter().all(|name| name.starts_with(&first[..*end]));
    let ends = first.char_indices().map(|(at, c)| at + c.len_utf8());
    let end = ends.take_while(agrees).last().unwrap_or(0);
    first[..end].to_owned()
}
