//! The list of the places that the lines of standard input name (`--places`), with who wrote each.

use std::{cmp::Reverse, sync::Arc};

use bstr::ByteSlice;

use crate::{
    objects::ObjectId,
    repository::places::escapes::without_escapes,
    sanitize, sorting,
    viewer::{
        app::state::App,
        model::{
            background::{
                named_places::{NamedPlace, NamedPlacesQuery, WrittenPlace},
                provenance::WrittenLine,
                queries::PageAnswer,
                query::Answer,
            },
            file_version::{CommitMetadata, Failure, version_of},
            hyperlink::Hyperlink,
            keys::{
                bindings::Action,
                key::{Key, KeyCode},
            },
            line_filter::LineFilter,
        },
        pages::{
            commit_row::{author_columns_of, author_within, longest_author},
            list::{ItemList, KeyHelp, ListRow, Tone, own_list},
            page::{Handled, Page, PageKind, WhenLeft},
        },
        protocol::Effect,
        theme::{roles::Foreground, styles::Theme},
        ui::{
            header::{counted, thousands},
            paint::RowWriter,
        },
    },
};

/// The keys of the page.
const KEYS: &[KeyHelp] = &[
    (
        "{diff}  {right}",
        "open: the blame of the file at this line",
    ),
    ("{help}", "keys"),
    ("S", "sort: as read, by date, author or file"),
    ("{filter}", "filter: by author, date or /summary"),
    (
        "{commit-diff}",
        "diff: the commit that wrote the line, or what is not committed",
    ),
    ("{quit}", "quit"),
    (
        "{forward}",
        "forward: to the blame that was left with {back}",
    ),
    ("{copy-id}", "copy the id of the commit"),
    ("{browse}", "open the commit in the browser"),
];

/// Those of them that do something where there is no place.
const EMPTY_KEYS: &[KeyHelp] = &[("{help}", "keys"), ("{quit}", "quit")];

/// What the places are sorted by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum PlaceOrder {
    #[default]
    AsRead,
    /// Newest first.
    Date,
    Author,
    File,
}

impl PlaceOrder {
    fn next(self) -> PlaceOrder {
        match self {
            PlaceOrder::AsRead => PlaceOrder::Date,
            PlaceOrder::Date => PlaceOrder::Author,
            PlaceOrder::Author => PlaceOrder::File,
            PlaceOrder::File => PlaceOrder::AsRead,
        }
    }

    fn words(self) -> &'static str {
        match self {
            PlaceOrder::AsRead => "in the order of the input",
            PlaceOrder::Date => "newest first",
            PlaceOrder::Author => "by author",
            PlaceOrder::File => "by file",
        }
    }
}

/// The open list.
#[derive(Debug)]
struct NamedPlacesPage {
    /// The commit whose files are named; `None` for the work tree.
    commit: Option<ObjectId>,
    revision: String,
    /// What the places are that are listed, in words; empty for all of them.
    filter: String,
    /// The typed filter, which hides others.
    typed: LineFilter,
    list: ItemList,
    places: Vec<NamedPlace>,
    /// The width of the longest name of their authors.
    longest_author: usize,
    /// How many others were read.
    left_out: usize,
    /// How many lines were read that name no place.
    others: usize,
    /// Indexes of `places` in the order of the rows.
    rows: Vec<usize>,
    order: PlaceOrder,
    /// The number of the query.
    id: u64,
    /// How reading ended; `None` while it goes on.
    end: Option<Result<(), Failure>>,
}

impl Page<App> for NamedPlacesPage {
    fn kind(&self) -> PageKind {
        PageKind::Places
    }

    fn covers(&self) -> bool {
        true
    }

    fn when_left(&self) -> WhenLeft {
        WhenLeft::Returns
    }

    fn key(&mut self, key: Key, app: &mut App) -> Handled {
        if key != Key::plain(KeyCode::Char('S')) {
            return Handled::Pass;
        }
        self.order = self.order.next();
        self.choose(self.typed.clone());
        app.show_message(self.order.words());
        Handled::Yes
    }

    fn action(&mut self, action: Action, _: Option<u32>, app: &mut App) -> Handled {
        match action {
            Action::Right | Action::Diff => self.open_item(app),
            Action::CommitDiff => self.open_diff(app),
            Action::CopyId | Action::Browse => app.use_commit(action, self.selected_commit()),
            Action::Forward => app.forward(1),
            Action::Reload => app.show_message("the input cannot be read again"),
            Action::Quit => app.effects.push(Effect::Quit),
            Action::Filter => app.open_filter_prompt(),
            Action::Close if self.list.search.take().is_some() => {}
            Action::Close if !self.typed.is_empty() => self.choose(LineFilter::default()),
            Action::Close | Action::Back | Action::Left => app.show_filled("{quit} quits"),
            _ => return Handled::Pass,
        }
        Handled::Yes
    }

    fn awaits(&self, id: u64) -> bool {
        self.id == id
    }

    fn on_answer(&mut self, answer: PageAnswer, _: &mut App) {
        match answer {
            PageAnswer::NamedPlaces(Answer::Found(found)) => {
                let written = found
                    .places
                    .iter()
                    .filter_map(|it| it.written.as_ref().ok());
                let longest = longest_author(written.map(|written| &written.metadata));
                self.longest_author = self.longest_author.max(longest);
                self.places.extend(found.places);
                self.left_out += found.left_out;
                self.others += found.others;
                self.sort();
            }
            PageAnswer::NamedPlaces(Answer::Ended(end)) => self.end = Some(end),
            _ => {}
        }
    }

    /// The pages of the places on the screen, at the words that name them.
    fn hyperlinks(&self, app: &App) -> Vec<Hyperlink> {
        let (shape, web) = (self.list.shape, &app.environment.repository.web);
        let shown = self.rows.iter().skip(self.list.top).take(shape.window());
        let rows = (shape.area.y..).step_by(usize::from(shape.item_rows.max(1)));
        let links = shown.zip(rows).filter_map(|(&at, y)| {
            let place = &self.places[at];
            let written = &place.written.as_ref().ok()?.line;
            let (commit, path, line) = match place.revision.or(self.commit) {
                Some(commit) => (commit, place.path.as_bstr(), place.line?.saturating_sub(1)),
                None => (written.commit, written.path.as_bstr(), written.line),
            };
            let url = web
                .file(&commit, path, line)
                .filter(|_| !commit.is_null())?;
            let named = text_of(place).0;
            let width = u16::try_from(sanitize::width(named.trim_end().as_bytes())).ok()?;
            let (start, most) = (shape.area.x + 1, shape.row_width().saturating_sub(1));
            Hyperlink::new(start..start + width.min(most), y, &url)
        });
        links.collect()
    }

    own_list!();

    fn count(&self, _: &App) -> usize {
        self.rows.len()
    }

    fn filter(&mut self, filter: &LineFilter, app: &mut App) -> Handled {
        let asks = filter.bringer.is_some() || filter.release.is_some();
        if asks || filter.agent.is_some() || filter.unformatted {
            app.show_message("places are chosen by author, date or /summary");
            return Handled::Yes;
        }
        let before = std::mem::take(&mut self.typed);
        self.choose(filter.clone());
        if self.rows.is_empty() && !self.places.is_empty() {
            self.choose(before);
            app.show_message(format!("no place is of “{filter}”: filter unchanged"));
        } else if filter.is_empty() {
            app.show_message("no filter: all places are listed");
        }
        Handled::Yes
    }

    fn item_rows(&self) -> u16 {
        2
    }

    fn rows(&self, at: usize, width: usize, _: &App) -> Vec<ListRow> {
        let place = self.rows.get(at).and_then(|&at| self.places.get(at));
        let columns = author_columns_of(self.longest_author, width);
        place.map_or_else(Vec::new, |place| place_rows(place, columns))
    }

    fn is_reading(&self, _: &App) -> bool {
        self.end.is_none()
    }

    fn ending(&self, _: &App) -> String {
        match &self.end {
            None => "reading…".to_owned(),
            Some(Err(failure)) => sanitize::line(failure.0.as_bytes()),
            Some(Ok(())) if self.places.is_empty() => self.why_empty(),
            Some(Ok(())) => String::new(),
        }
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        let keys = if self.rows.is_empty() {
            EMPTY_KEYS
        } else {
            KEYS
        };
        Some(("Places", keys))
    }

    /// Opens the blame of the file at the selected place.
    fn open_item(&mut self, app: &mut App) {
        let Some(place) = self.selected() else {
            return;
        };
        let line = match (place.line, &place.written) {
            (Some(line), Ok(_)) => line.saturating_sub(1),
            (_, Err(problem)) => {
                return app.show_message(format!("cannot be opened: {problem}"));
            }
            (None, Ok(_)) => return app.show_message("there is no such file"),
        };
        let commit = place.revision.or(self.commit);
        let version = version_of(commit, place.path.as_ref().clone());
        if app.view().is_some_and(|view| view.version == version) {
            app.leave_first_pages();
            return app.jump_to_start(line);
        }
        app.open(version, Some(line), None);
        app.show_filled("{back} returns to the places, {help} shows the keys");
    }

    /// Which revision, which places in which order, and how many.
    fn header(&self, _: &App, theme: &Theme, row: &mut RowWriter<'_>) -> bool {
        let count = self.rows.len();
        let at = match count {
            0 | 1 => String::new(),
            _ => format!("{} of ", thousands(self.list.selected + 1)),
        };
        let more = if self.end.is_none() { ", reading" } else { "" };
        let read = match self.places.len() + self.left_out {
            all if all == count => String::new(),
            all => format!(" of {}", thousands(all)),
        };
        row.put_right(
            &format!(" {at}{}{read}{more} ", counted(count, "place")),
            theme.bar(),
        );
        row.put(" places", theme.bar_emphasis());
        let mut about = format!(" @ {}", sanitize::line(self.revision.as_bytes()));
        let order = Some(self.order.words()).filter(|_| self.order != PlaceOrder::AsRead);
        let filter = Some(self.filter.as_str()).filter(|words| !words.is_empty());
        let typed = sanitize::line(self.typed.to_string().as_bytes());
        let typed = Some(typed.as_str()).filter(|words| !words.is_empty());
        for words in order.into_iter().chain(filter).chain(typed) {
            about = format!("{about} · {words}");
        }
        row.put(&about, theme.bar());
        true
    }
}

impl NamedPlacesPage {
    fn selected(&self) -> Option<&NamedPlace> {
        self.places.get(*self.rows.get(self.list.selected)?)
    }

    /// The selected line in its commit.
    fn written(&self) -> Option<&WrittenLine> {
        Some(&self.selected()?.written.as_ref().ok()?.line)
    }

    /// Opens what the commit of the selected line did, or what is not committed of its file.
    fn open_diff(&self, app: &mut App) {
        let Some((place, Ok(written))) = self.selected().map(|it| (it, &it.written)) else {
            app.committed(Action::Diff, None);
            return;
        };
        let (line, path) = (&written.line, Arc::new(written.line.path.clone()));
        if line.commit.is_null() {
            let metadata = written.metadata.clone();
            app.open_uncommitted(path, place.before.as_deref().cloned(), line.line, metadata);
        } else {
            app.open_commit_at(line.commit, path, Some(line.line));
        }
    }

    /// Why there is no place.
    fn why_empty(&self) -> String {
        let forms = "FILE:LINE; see tblame --generate places";
        match (self.left_out, self.others) {
            (0, 0) => "the input was empty".to_owned(),
            (0, 1) => format!("the line of the input names no place ({forms})"),
            (0, lines) => format!("none of {} lines names a place ({forms})", thousands(lines)),
            (1, _) => format!("the only place is not {}", self.filter),
            (places, _) => format!("none of {} places is {}", thousands(places), self.filter),
        }
    }

    fn selected_commit(&self) -> Option<ObjectId> {
        Some(self.written()?.commit)
    }

    /// Lists only the places of a filter, with the selected one where it is.
    fn choose(&mut self, filter: LineFilter) {
        let selected = self.rows.get(self.list.selected).copied();
        self.typed = filter;
        self.sort();
        let row = self.rows.iter().position(|at| Some(*at) == selected);
        self.list.select(row.unwrap_or(0));
    }

    fn sort(&mut self) {
        let (places, typed) = (&self.places, &self.typed);
        let metadata = |at: &usize| metadata(&places[*at]);
        let is_chosen = |at: &usize| {
            typed.is_empty()
                || metadata(at).is_some_and(|metadata| {
                    typed.admits(&metadata.people())
                        && typed.admits_summary(metadata.summary().as_bstr())
                })
        };
        self.rows = (0..places.len()).filter(is_chosen).collect();
        match self.order {
            PlaceOrder::AsRead => {}
            PlaceOrder::Date => {
                sorting::sort_by_key(&mut self.rows, |&at| Reverse(time(&places[at])))
            }
            PlaceOrder::Author => self.rows.sort_by_cached_key(|at| {
                let name = metadata(at).map(|it| it.author.name.to_str_lossy().to_lowercase());
                (name.is_none(), name)
            }),
            PlaceOrder::File => {
                sorting::sort_by_key(&mut self.rows, |&at| (&places[at].path, places[at].line));
            }
        }
    }
}

/// When the line of a place was written; what is not committed is the newest.
fn time(place: &NamedPlace) -> Option<i64> {
    match &place.written {
        Ok(written) if written.line.commit.is_null() => Some(i64::MAX),
        _ => metadata(place).map(|metadata| metadata.author.time),
    }
}

/// What is known of the commit of a place.
fn metadata(place: &NamedPlace) -> Option<&Arc<CommitMetadata>> {
    place.written.as_ref().ok()?.metadata.as_ref().ok()
}

/// The line as it was read, and below it date, author in so many columns, and summary.
fn place_rows(place: &NamedPlace, columns: usize) -> Vec<ListRow> {
    let (named, rest) = text_of(place);
    let line = ListRow::new(" ")
        .put_as(named, Tone::Strong(Foreground::Text))
        .put(rest, Foreground::Text);
    let below = ListRow::new(" ").put("  ", Foreground::Faint);
    let below = match &place.written {
        Ok(written) if written.line.commit.is_null() => {
            below.put("not committed yet", Foreground::Faint)
        }
        Ok(WrittenPlace {
            line,
            metadata: Ok(metadata),
            ..
        }) => author_within(below, (&line.commit, metadata), Foreground::Author, columns)
            .put(" ", Foreground::Faint)
            .put(sanitize::line(&metadata.summary()), Foreground::Faint),
        Ok(WrittenPlace {
            metadata: Err(failure),
            ..
        }) => below.put(sanitize::line(failure.0.as_bytes()), Foreground::Mark),
        Err(problem) => below.put(sanitize::line(problem), Foreground::Mark),
    };
    // A blank at the right end.
    [line, below].map(|row| row.right(" ")).into()
}

/// The line as it was read, in two parts: the place, with the path where the line does not name the file
/// (as below a heading), and what follows it.
fn text_of(place: &NamedPlace) -> (String, String) {
    let text = without_escapes(&place.text);
    let text = text.trim_start();
    let (place_text, rest) = text.split_at(end_of_place(text, place));
    let mut named = sanitize::line(place_text);
    let path: &[u8] = &place.path;
    let name = path.rsplit_once_str("/").map_or(path, |(_, name)| name);
    if !text.contains_str(name) {
        let path = sanitize::line(path);
        named = match place.line {
            Some(line) if named.is_empty() => format!("{path}:{line}: "),
            _ => format!("{path}:{named}"),
        };
    }
    let code = rest.trim_start();
    let is_indented = !named.is_empty() && code.len() < rest.len();
    let blank = if is_indented { " " } else { "" };
    (named, format!("{blank}{}", sanitize::line(code)))
}

/// Where the number of the line, and that of a column behind it, end in a text; 0 if they are not there.
fn end_of_place(text: &[u8], place: &NamedPlace) -> usize {
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let is_separator = |at: usize| text.get(at).is_some_and(|byte| b":-=),".contains(byte));
    let number = match place.line {
        Some(line) => line.to_string(),
        None => {
            // Of a missing file, it is what stands next behind the name.
            let path: &[u8] = &place.path;
            let after = text
                .split_once_str(path)
                .map_or(&b""[..], |(_, after)| after);
            let digits = after.iter().skip_while(|byte| !byte.is_ascii_digit());
            let digits = digits.take_while(|byte| byte.is_ascii_digit());
            digits.map(|&byte| char::from(byte)).collect()
        }
    };
    if number.is_empty() {
        return 0;
    }
    let mut ends = text.find_iter(&number).map(|at| (at, at + number.len()));
    let is_whole = |&(at, end): &(usize, usize)| {
        (at == 0 || !is_digit(at - 1)) && (is_separator(end) || end == text.len())
    };
    let Some((_, mut end)) = ends.find(is_whole) else {
        return 0;
    };
    while is_separator(end) {
        end += 1;
        let digits = (end..).take_while(|&at| is_digit(at)).count();
        let after = end + digits;
        if digits == 0 || !(is_separator(after) || after == text.len()) {
            break;
        }
        end = after;
    }
    end
}

impl App {
    /// Opens the list of the places of the input at the start of the viewer. `commit` is the one
    /// whose files are named, and `revision` its name. `filter` says which places are listed.
    pub(crate) fn open_named_places(
        &mut self,
        commit: Option<ObjectId>,
        revision: String,
        filter: String,
    ) {
        let id = self.ask(NamedPlacesQuery);
        self.pages.open(NamedPlacesPage {
            commit,
            revision,
            filter: sanitize::line(filter.as_bytes()),
            typed: LineFilter::default(),
            list: ItemList::default(),
            places: Vec::new(),
            longest_author: 0,
            left_out: 0,
            others: 0,
            rows: Vec::new(),
            order: PlaceOrder::default(),
            id,
            end: None,
        });
    }
}
