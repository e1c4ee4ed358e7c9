//! Going where the prompt says: to a line, or to another revision or file.

use std::sync::Arc;

use bstr::BString;

use crate::{
    sanitize,
    viewer::{
        app::{
            blame::{motion::percent_of, navigation::beyond_the_end, view::View},
            file_history::known_versions::AwaitedVersion,
            state::{App, STILL_READING},
        },
        model::{
            abbreviation::short,
            background::line_history::HistoryProgress,
            keys::bindings::Action,
            relative_dates,
            source::{Failure, FileVersion, NamedVersion, PlaceQuery},
        },
        pages::page::Handled,
        protocol::LineRef,
    },
};

/// Most names of a file that a revision is searched for.
const MAX_NAMES: usize = 16;

impl App {
    /// Goes where the input of the prompt says, in the topmost page or else in the blame.
    pub(crate) fn go_to(&mut self, input: &str) {
        if self.let_top_act(|page, app| page.go_to(input, app)) == Handled::Pass {
            self.goto_input(input);
        }
    }

    /// Goes where the input of the prompt says in the blame: `120`, `50%`, `$`, `q`, `v1.0`, `src/main.c`,
    /// `src/main.c:10`, `v1.0:src/main.c`.
    pub(crate) fn goto_input(&mut self, input: &str) {
        let of_diff = self.diff().and_then(|diff| {
            let part = diff.part_at(diff.selected_row().unwrap_or(0));
            let [_, new] = diff.texts_of(part)?;
            Some(new.line_count().saturating_sub(1))
        });
        let last = of_diff.unwrap_or_else(|| self.last_line());
        let percent = input
            .strip_suffix('%')
            .and_then(|n| n.trim().parse::<u64>().ok());
        let line = match input {
            "" => return,
            "q" | "q!" | "quit" | "x" => return self.perform(Action::Quit, None),
            "qa" | "qa!" => return self.perform(Action::QuitAll, None),
            "$" => u64::from(last) + 1,
            _ => match (input.parse::<u64>(), percent) {
                (Ok(line), _) => line,
                (_, Some(percent)) => u64::from(percent_of(last, percent)) + 1,
                _ => return self.ask_place(input),
            },
        };
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        if self.diff().is_some() {
            return self.go_to_new_line(line);
        }
        let line = line.saturating_sub(1);
        let count = self.view().map_or(0, |view| view.text.line_count());
        let beyond = (line >= count).then(|| beyond_the_end(count));
        self.hint_at_year(beyond, input);
        self.mark_before_jump();
        self.jump_to_start(line);
    }

    /// Shows words, and after them how to name a year, for a number that could be meant as one, once.
    pub(crate) fn hint_at_year(&mut self, words: Option<String>, input: &str) {
        let year = |text: &str| text.parse::<u32>().ok();
        let this_year = relative_dates::day(self.now, 0).get(..4).and_then(year);
        let years = 1970..=this_year.unwrap_or_default();
        let named = year(input).filter(|named| years.contains(named));
        let named = named.filter(|_| !std::mem::replace(&mut self.guide.named_year, true));
        let hint = named.map(|named| {
            let words = format!("for the year {named}: {{goto}}{named}-01-01");
            self.keymap.fill(&words)
        });
        let words: Vec<String> = words.into_iter().chain(hint).collect();
        if !words.is_empty() {
            self.show_message(words.join("; "));
        }
    }

    /// Asks for the revision or file of this name.
    pub(crate) fn ask_place(&mut self, input: &str) {
        let Some(view) = self.view() else {
            return self.show_message("no file is open of which this could name a version");
        };
        let query = PlaceQuery {
            input: input.into(),
            version: view.version.clone(),
            names: self.names_of_file(view),
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
        if place.is_too_early {
            return self.say_when_added(input, &name);
        }
        if let (true, Some(line)) = (view.version == place.version, place.line) {
            let count = view.text.line_count();
            self.mark_before_jump();
            self.jump_to_start(line);
            if line >= count {
                self.show_message(beyond_the_end(count));
            }
            return;
        }
        if view.version == place.version {
            let words = format!("{name} is what you see");
            return self.show_message(place.note.unwrap_or(words));
        }
        let keeps_line = place.is_same_file && place.line.is_none();
        let from = keeps_line.then(|| LineRef {
            version: view.version.clone(),
            line: view.pager.position.line,
        });
        let revision = match (place.is_same_file, &place.version) {
            (true, FileVersion::Commit { commit, .. }) if place.is_uncertain => short(commit),
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
        let line = place.line.or((!place.is_same_file).then_some(0));
        self.open(place.version, line, from);
        if let Some(pending) = &mut self.history.pending {
            pending.revision = revision;
            pending.notice = place.note;
            pending.is_named = true;
        }
        self.show_filled("{back} returns");
    }

    /// Says that the visible file is not in the version of this name yet, and which one added it. That, and
    /// under which names, is known once all versions are.
    fn say_when_added(&mut self, input: String, name: &str) {
        self.find_versions(None);
        let path = self.view().map(|view| file_name(&view.path));
        let Some((known, file)) = self.history.versions.as_mut().zip(path) else {
            return;
        };
        let mut words = format!("{name} has no {file}");
        if known.is_running() {
            known.waiting = Some(AwaitedVersion::Place(input));
            return self.show_message(format!("{words} so far: {STILL_READING}"));
        }
        let is_whole = known.progress == HistoryProgress::Finished(true);
        let first = known.list.revisions().last().filter(|_| is_whole);
        let first = first.filter(|it| it.previous.is_none() && !it.commit.is_null());
        if let Some((first, Ok(metadata))) = first.map(|it| (it, it.metadata.as_deref())) {
            let (author, id) = (&metadata.author, short(&first.commit));
            let day = relative_dates::day(author.time, author.offset);
            let author = sanitize::line(&author.name);
            let goto = self.keymap.fill("{goto}");
            words += &format!(": added {day} by {author}; {goto}{id} opens that");
        }
        self.show_message(words);
    }

    /// The names that the visible file has had, as far as its blame and the list of its versions have
    /// found them.
    fn names_of_file(&self, view: &View) -> Vec<Arc<BString>> {
        let known = self.history.versions.as_ref();
        let known = known.filter(|known| known.position_of_view(view).is_some());
        let revisions = known.map_or(&[][..], |known| known.list.revisions());
        let of_revisions = revisions.iter().map(|it| &it.path);
        let mut names = vec![view.path.clone()];
        for path in view.origin_paths().chain(of_revisions) {
            if !names.contains(path) {
                names.push(path.clone());
                if names.len() == MAX_NAMES {
                    break;
                }
            }
        }
        names
    }
}

fn file_name(path: &[u8]) -> String {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    sanitize::line(name)
}
