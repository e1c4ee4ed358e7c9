//! The list of people: lines, share, first and last date, and the years in which the lines were
//! written. The lines of one of them can stand out.

use std::collections::BTreeMap;

use bstr::BString;
use rustc_hash::FxHashMap;

use crate::{
    dates::moment::Moment,
    output::people::year_bars::YearBars,
    repository::commits::people::{self, CommitPeople, Person},
    sanitize,
    viewer::{
        app::{blame::view::View, state::App},
        model::{
            background::{
                directory_lines::{AgeSpan, CountProgress, CountScope, DirectoryPeopleQuery},
                queries::PageAnswer,
                query::Answer,
            },
            file_version::Failure,
            keys::bindings::Action,
            line_filter::LineFilter,
            relative_dates,
        },
        pages::{
            commit_row::year_bars,
            count_words::{CO_AUTHORED, SHARE_HELP, count_words, fitting_words},
            directory::title::NamedDirectory,
            list::{ItemList, KeyHelp, ListRow, ListShape, own_list},
            page::{Handled, Page, PageKind},
        },
        theme::{roles::Foreground, styles::Theme},
        ui::{header::thousands, paint::RowWriter},
    },
};

/// Widths of the columns after the name, without the blank before each: lines, share, first and
/// last month.
const COLUMNS: [usize; 4] = [10, 5, 7, 7];
/// Which of them are left out first where names have too little room.
const LEFT_OUT: [usize; 3] = [2, 3, 1];
/// The least width of a name beside these columns.
const MIN_NAME: usize = 10;
/// The width of names that the column has without need of the screen.
const USUAL_NAME: usize = 40;
/// The least and the greatest width of names that go before years of their own.
const WHOLE_NAME: [usize; 2] = [12, 24];
/// The columns of an address that are kept where there is room, and the least that are worth showing.
const MAIL_BEGIN: usize = 12;
const MIN_MAIL: usize = 4;
/// The least columns of years beside addresses.
const MIN_YEARS: usize = 9;

/// The least columns of a header for the number of people beside how far their lines are counted.
const MIN_WIDTH_FOR_COUNT: u16 = 70;

/// Fewest columns of the header that says which files are not counted.
const MIN_WIDTH_FOR_LEFT_OUT: u16 = 100;

/// The name of the first row.
const EVERYBODY: &str = "everybody";

/// The keys of the list.
const KEYS: &[KeyHelp] = &[
    ("Enter", "only their lines: all others are faint"),
    ("{close}  {people}", "close"),
    ("{help}", "keys"),
    SHARE_HELP,
];

/// The keys of the list of a directory.
const DIRECTORY_KEYS: &[KeyHelp] = &[
    ("Enter", "only their lines: all others are not counted"),
    ("{close}  {people}", "close"),
    ("{help}", "keys"),
    ("{reload}", "read the directory again"),
    SHARE_HELP,
];

/// The open list.
#[derive(Debug, Default)]
struct PeoplePage {
    /// The people, most lines first.
    people: Vec<Person>,
    /// Row 0 stands for everybody, 1 for the first of the people.
    list: ItemList,
    /// A row was selected.
    is_used: bool,
    /// The number of the view and the number of its lines that were attributed.
    of: (u64, u32),
    /// How many lines are counted: all, or those that meet the conditions of the filter that are not
    /// about people.
    lines: u32,
    /// The directory whose people they are, in place of the visible view.
    directory: Option<PeopleOfDirectory>,
    /// The numbers of lines by year, of everybody.
    years_of_all: BTreeMap<i32, u32>,
    /// Up to when the colors of the years are.
    ages: AgeSpan,
    /// How the years are drawn, and the width of the names.
    years: Option<YearBars>,
    name_width: usize,
    /// The width of the longest name with the number that tells namesakes apart, which goes before years of
    /// their own; that with the address, too.
    longest_name: usize,
    longest_label: usize,
    /// By person: which one of those with the same name and an address, and of how many.
    namesakes: Vec<(usize, usize)>,
    /// The widths of the columns after the name; 0 for those that are not shown.
    columns: [usize; 4],
}

/// What is known of the people of a directory.
#[derive(Debug)]
struct PeopleOfDirectory {
    named: NamedDirectory,
    /// The number of the query.
    id: u64,
    progress: CountProgress,
    /// Why not all files are counted, if so.
    failure: Option<Failure>,
}

impl PeopleOfDirectory {
    /// Asks for them. What is known stays until the answer comes.
    fn ask(&mut self, reading: u64, app: &mut App) {
        self.failure = None;
        self.id = app.ask(DirectoryPeopleQuery(CountScope {
            version: self.named.version.clone(),
            reading,
            filter: without_people(app),
            with_generated: app.display.with_generated,
        }));
    }
}

impl Page<App> for PeoplePage {
    fn kind(&self) -> PageKind {
        match self.directory {
            Some(_) => PageKind::Directory,
            None => PageKind::Other,
        }
    }

    fn covers(&self) -> bool {
        true
    }

    /// Whose people, how far their lines are counted, and how many they are.
    fn header(&self, app: &App, theme: &Theme, row: &mut RowWriter<'_>) -> bool {
        let counting = self.counting_in_words(app);
        let is_known = counting.is_none() || !self.people.is_empty();
        let has_room = counting.is_none() || row.remaining() >= MIN_WIDTH_FOR_COUNT;
        let left_out = self.directory.as_ref().filter(|_| counting.is_none());
        let left_out = left_out.filter(|_| row.remaining() >= MIN_WIDTH_FOR_LEFT_OUT);
        let left_out = left_out.and_then(|directory| count_words(&directory.progress));
        if let Some(words) = counting.or(left_out) {
            row.put_right(&format!(" {words} "), theme.bar());
        }
        if has_room && is_known {
            row.put_right(&format!(" {} ", self.count_in_words()), theme.bar());
        }
        match (&self.directory, app.view()) {
            (Some(directory), _) => {
                let options = app.directory_options();
                let title = ("people of", &directory.named, options.as_str());
                app.directory_title(title, theme, row);
            }
            (None, Some(view)) => {
                row.put(" people of ", theme.bar());
                let room = usize::from(row.remaining());
                let path = sanitize::line(&view.path);
                row.put(&sanitize::clip_left(&path, room), theme.bar_emphasis());
            }
            (None, None) => return false,
        }
        true
    }

    fn awaits(&self, id: u64) -> bool {
        let directory = self.directory.as_ref();
        directory.is_some_and(|directory| directory.id == id)
    }

    fn on_answer(&mut self, answer: PageAnswer, app: &mut App) {
        let (PageAnswer::DirectoryPeople(answer), Some(directory)) = (answer, &mut self.directory)
        else {
            return;
        };
        match answer {
            Answer::Found(found) => {
                directory.progress = found.progress;
                if let CountProgress::Files(files) = found.progress {
                    self.lines = u32::try_from(files.lines).unwrap_or(u32::MAX);
                }
                self.ages = found.ages;
                self.years_of_all = found.years;
                self.set_people(found.people, app);
            }
            Answer::Ended(Ok(files)) => directory.progress = CountProgress::Files(files),
            Answer::Ended(Err(failure)) => directory.failure = Some(failure),
        }
    }

    fn is_reading(&self, app: &App) -> bool {
        match &self.directory {
            Some(directory) => app.requests.is_running(directory.id),
            None => app.view().is_some_and(View::is_running),
        }
    }

    fn ending(&self, app: &App) -> String {
        let directory = self.directory.as_ref();
        let failure = directory.and_then(|directory| directory.failure.as_ref());
        if let Some(failure) = failure {
            return sanitize::line(failure.0.as_bytes());
        }
        let counted = directory.and_then(|directory| count_words(&directory.progress));
        let is_empty = self.people.is_empty() && counted.is_none();
        let named = self.people.iter().zip(&self.namesakes);
        let firsts = named.filter(|(person, it)| it.0 == 1 && has_namesakes(person, **it));
        let named_alike = match firsts.count() {
            0 => None,
            1 => Some("one name has several addresses: a .mailmap joins them".to_owned()),
            count => {
                let count = thousands(count);
                Some(format!(
                    "{count} names have several addresses: a .mailmap joins them"
                ))
            }
        };
        let filter = without_people(app);
        let filtered = (!filter.is_empty()).then(|| format!("lines of {}", filter.in_words()));
        // What the header says in a word comes last.
        let shared = self.is_shared().then(|| CO_AUTHORED.to_owned());
        let words = match is_empty.then(|| "there are no lines".to_owned()) {
            None if self.is_counted() => [filtered, named_alike, counted, shared],
            words => [words.or(counted), filtered, named_alike, shared],
        };
        fitting_words(words.into_iter().flatten().collect(), app.size.0)
    }

    fn action(&mut self, action: Action, _: Option<u32>, app: &mut App) -> Handled {
        match action {
            Action::Reload if self.directory.is_some() => {
                let reading = app.requests.next_id();
                if let Some(directory) = &mut self.directory {
                    directory.ask(reading, app);
                }
                // The directory below is read again too.
                Handled::Pass
            }
            Action::Left | Action::Back if self.directory.is_some() => {
                app.pages.close_acting();
                Handled::Yes
            }
            Action::People | Action::Close | Action::Quit => {
                app.pages.close_acting();
                Handled::Yes
            }
            _ => Handled::Pass,
        }
    }

    /// Reads the people anew while the blame goes on, and lays out their rows.
    fn refresh(&mut self, app: &mut App) {
        let view = app.view().filter(|_| self.directory.is_none());
        if let Some(view) = view
            && (self.of != (view.id, view.attribution.attributed()) || app.display.filter.asks())
        {
            self.read(view, app);
        }
        // A blank at either side, one before the scrollbar, and that.
        let width = usize::from(app.size.0).saturating_sub(4);
        let sum = |columns: &[usize; 4]| -> usize {
            let shown = columns.iter().filter(|width| **width > 0);
            shown.map(|width| width + 1).sum()
        };
        self.columns = COLUMNS;
        for column in LEFT_OUT {
            if sum(&self.columns) + MIN_NAME > width {
                self.columns[column] = 0;
            }
        }
        let fixed = sum(&self.columns);
        let beside = width.saturating_sub(fixed + self.longest_name);
        let mails = self.longest_label.saturating_sub(self.longest_name);
        let mails = mails.min(MAIL_BEGIN + 1);
        let columns = match beside.checked_sub(mails) {
            Some(columns) if columns >= MIN_YEARS => columns,
            _ => beside,
        };
        let years = self.people.iter().map(|person| &person.years);
        let years = YearBars::new(years, columns);
        let room = width.saturating_sub(fixed + years.width());
        // As it will be laid out.
        let mut list = self.list.clone();
        list.fit(ListShape {
            count: self.count(app),
            ..list.shape
        });
        let seen = list.top..list.top + usize::from(app.size.1);
        let seen = seen.filter_map(|row| {
            let label = whole_label(self.person(row)?, self.namesakes[row - 1]);
            Some(sanitize::width(label.as_bytes()))
        });
        // One long label below the screen does not take the others apart.
        let needed = seen.max().unwrap_or(0).max(USUAL_NAME);
        let needed = needed.min(self.longest_label).max(EVERYBODY.len());
        self.name_width = room.min(needed).max(1);
        self.years = Some(years);
    }

    own_list!();

    fn count(&self, _: &App) -> usize {
        match self.people.len() {
            0 => 0,
            count => count + 1,
        }
    }

    fn rows(&self, at: usize, _: usize, app: &App) -> Vec<ListRow> {
        let Some(person) = self.person(at) else {
            let committed = || self.people.iter().filter(|person| !person.is_uncommitted());
            let dates = || committed().map(|person| person.dates);
            let first = dates().map(|(first, _)| first).min_by_key(|date| date.time);
            let last = dates().map(|(_, last)| last).max_by_key(|date| date.time);
            // Not all of them are known while the history of a directory is read.
            let [first, last] = [first, last].map(|date| date.map_or_else(String::new, month));
            let lines = (self.lines == 0).then(String::new);
            let lines = lines.unwrap_or_else(|| thousands(self.lines));
            let cells = [EVERYBODY.to_owned(), lines, String::new(), first, last];
            let row = ListRow::new(" ").put(self.cells(cells), Foreground::Text);
            return vec![match self.years {
                Some(years) => year_bars(row, years, &self.years_of_all, (&self.ages, app.now)),
                None => row,
            }];
        };
        let is_committed = !person.is_uncommitted();
        let shown = |date| {
            if is_committed {
                month(date)
            } else {
                String::new()
            }
        };
        let text = self.cells([
            label(person, self.namesakes[at - 1], self.name_width),
            thousands(person.lines),
            people::share(person.lines.into(), self.lines.into()),
            shown(person.dates.0),
            shown(person.dates.1),
        ]);
        let is_chosen = app.display.filter.names(person);
        let mut row = ListRow::new(" ").put(text, Foreground::Text);
        if let Some(years) = self.years.filter(|_| is_committed) {
            row = year_bars(row, years, &person.years, (&self.ages, app.now));
        }
        vec![row.right(if is_chosen { "✓" } else { "" })]
    }

    fn title(&self, _: &App) -> Option<String> {
        let heads = ["name", "lines", "share", "first", "last"].map(str::to_owned);
        let years = self.years.map_or(String::new(), YearBars::title);
        Some(format!(" {}{years}", self.cells(heads)))
    }

    /// The column of shares has its name.
    fn has_key(&self, keys: &str, _: &App) -> bool {
        keys != SHARE_HELP.0
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        Some((
            "People",
            if self.directory.is_some() {
                DIRECTORY_KEYS
            } else {
                KEYS
            },
        ))
    }

    fn list_used(&mut self, _: bool, _: &mut App) {
        self.is_used = true;
    }

    /// Closes the list and lets the lines of the selected person stand out; in a directory, only
    /// these count.
    fn open_item(&mut self, app: &mut App) {
        app.pages.close_acting();
        let selected = self.list.selected;
        let person = self.person(selected).map(|person| {
            let mut name = sanitize::line(person.shown_name());
            // Their lines are not those of all who have the name.
            if has_namesakes(person, self.namesakes[selected - 1]) {
                name += &format!(" <{}>", sanitize::line(&person.mail));
            }
            (person.key.clone(), name)
        });
        app.set_filter(LineFilter {
            person,
            ..without_people(app)
        });
    }
}

impl App {
    /// Opens the list for all files below a directory, in a reading of the work tree.
    pub(crate) fn open_people_of(&mut self, named: NamedDirectory, reading: u64) {
        let mut directory = PeopleOfDirectory {
            named,
            id: 0,
            progress: CountProgress::default(),
            failure: None,
        };
        directory.ask(reading, self);
        self.pages.open(PeoplePage {
            directory: Some(directory),
            ..PeoplePage::default()
        });
    }

    /// Opens the list, with the person selected whose lines stand out.
    pub(crate) fn open_people(&mut self) {
        let Some(view) = self.view() else { return };
        let mut page = PeoplePage::default();
        page.read(view, self);
        self.pages.open(page);
    }
}

/// The filter without its conditions for people.
fn without_people(app: &App) -> LineFilter {
    LineFilter {
        person: None,
        author: None,
        ..app.display.filter.clone()
    }
}

impl PeoplePage {
    /// True if all files are counted.
    fn is_counted(&self) -> bool {
        match self.directory.as_ref().map(|it| it.progress) {
            Some(CountProgress::Files(files)) => files.counted + files.failed == files.all,
            Some(CountProgress::History(..)) => false,
            None => true,
        }
    }

    /// How far the lines are counted; `None` once all are.
    fn counting_in_words(&self, app: &App) -> Option<String> {
        match &self.directory {
            Some(_) if self.is_counted() => None,
            Some(directory) => count_words(&directory.progress),
            None => {
                let view = app.view().filter(|view| view.is_running())?;
                let lines = [self.of.1, view.text.line_count()].map(thousands);
                Some(format!("{} of {} lines", lines[0], lines[1]))
            }
        }
    }

    /// True if the people have more lines together than there are.
    fn is_shared(&self) -> bool {
        let lines = self.people.iter().map(|person| u64::from(person.lines));
        lines.sum::<u64>() > u64::from(self.lines)
    }

    /// How many people there are. Authors and co-authors have larger shares than the authors alone of a
    /// legend.
    fn count_in_words(&self) -> String {
        let uncommitted = self.people.iter().filter(|it| it.is_uncommitted()).count();
        let count = self.people.len() - uncommitted;
        let people = match (self.is_shared(), uncommitted > 0) {
            (true, true) => "authors, co-authors and uncommitted",
            (true, false) => "authors and co-authors",
            (false, true) if count == 1 => "person and uncommitted",
            (false, true) => "people and uncommitted",
            (false, false) if count == 1 => "person",
            (false, false) => "people",
        };
        format!("{} {people}", thousands(count))
    }

    fn read(&mut self, view: &View, app: &App) {
        let mut counts = vec![0; view.commits().len()];
        for (lines, commit) in app.lines_of(&without_people(app), view) {
            counts[commit as usize] += lines.end - lines.start;
        }
        self.lines = counts.iter().sum();
        let commits = || {
            let commits = view.commits().iter().zip(&counts);
            commits.filter_map(|(commit, lines)| {
                let metadata = commit.metadata.as_ref().ok().filter(|_| *lines > 0)?;
                Some((metadata.people(), *lines))
            })
        };
        self.set_people(people::people(commits()), app);
        let dates = self.people.iter().map(|person| person.dates.1.time);
        self.ages.newest = dates.max();
        // Lines of several people count once.
        let as_one = commits().map(|(commit, lines)| {
            let commit = CommitPeople {
                name: "".into(),
                mail: "".into(),
                co_authors: &[],
                ..commit
            };
            (commit, lines)
        });
        let all = people::people(as_one).pop();
        self.years_of_all = all.map(|all| all.years).unwrap_or_default();
        self.of = (view.id, view.attribution.attributed());
    }

    /// Takes other people. The selected one stays selected; until a row is, the first one whose lines
    /// stand out is.
    fn set_people(&mut self, people: Vec<Person>, app: &App) {
        let selected = self.person(self.list.selected);
        let selected = selected.map(|person| person.key.clone());
        let is_selected = |person: &Person| match &selected {
            Some(key) => person.key == *key,
            None => !self.is_used && app.display.filter.names(person),
        };
        let at = people.iter().position(is_selected);
        self.list.selected = at.map_or(0, |at| at + 1);
        let mut named: FxHashMap<&BString, usize> = FxHashMap::default();
        let numbers = people.iter().map(|person| {
            let number = named.entry(&person.name).or_default();
            *number += usize::from(!person.mail.is_empty());
            *number
        });
        let numbers: Vec<usize> = numbers.collect();
        let counts = people.iter().map(|person| named[&person.name]);
        self.namesakes = numbers.into_iter().zip(counts).collect();
        let labels = people.iter().zip(&self.namesakes);
        let labels = labels.map(|(person, namesakes)| whole_label(person, *namesakes));
        let widths = labels.map(|label| sanitize::width(label.as_bytes()));
        self.longest_label = widths.max().unwrap_or(0);
        let [least, most] = WHOLE_NAME;
        let names = people.iter().zip(&self.namesakes).map(|(person, it)| {
            let name = sanitize::width(person.shown_name()) + mark(person).len();
            name.clamp(least, most) + number(person, *it).len()
        });
        self.longest_name = names.max().unwrap_or(least);
        self.people = people;
    }

    fn cells(&self, texts: [String; 5]) -> String {
        let [name, lines, share, from, to] = texts;
        let missing = self
            .name_width
            .saturating_sub(sanitize::width(name.as_bytes()));
        let blanks = " ".repeat(missing);
        let mut cells = name + &blanks;
        let columns = [lines, share, from, to].into_iter().zip(self.columns);
        for (text, width) in columns.filter(|(_, width)| *width > 0) {
            cells += &format!(" {text:>width$}");
        }
        cells + " "
    }

    /// The person in a row; `None` for everybody.
    fn person(&self, row: usize) -> Option<&Person> {
        self.people.get(row.checked_sub(1)?)
    }
}

fn month(date: Moment) -> String {
    relative_dates::within(7, date.time, date.offset)
}

/// Stands after the name of an agent.
fn mark(person: &Person) -> &'static str {
    if person.is_agent { " (agent)" } else { "" }
}

/// The name of a person with the mark of agents, as far as there is room.
fn name(person: &Person, room: usize) -> String {
    let room = room.saturating_sub(mark(person).len()).max(1);
    sanitize::clip(person.shown_name(), room) + mark(person)
}

/// True if others have the same name, but for another address. Who they are is for the mailmap to say.
fn has_namesakes(person: &Person, (_, of): (usize, usize)) -> bool {
    of > 1 && !person.mail.is_empty()
}

/// Which one of several namesakes with an address a person is, after a blank; empty without others.
fn number(person: &Person, namesakes: (usize, usize)) -> String {
    if !has_namesakes(person, namesakes) {
        return String::new();
    }
    let (at, of) = namesakes;
    format!(" {at} of {of}")
}

/// The name of a person, and of namesakes which one it is of how many and the address.
fn whole_label(person: &Person, namesakes: (usize, usize)) -> String {
    let (name, number) = (name(person, usize::MAX), number(person, namesakes));
    match number.as_str() {
        "" => name,
        _ => format!("{name}{number} <{}>", sanitize::line(&person.mail)),
    }
}

/// The label of a person as far as there is room: the address is cut first, and then the name.
fn label(person: &Person, namesakes: (usize, usize), width: usize) -> String {
    let whole = whole_label(person, namesakes);
    if sanitize::width(whole.as_bytes()) <= width {
        return whole;
    }
    let number = number(person, namesakes);
    let named = name(person, width.saturating_sub(number.len())) + &number;
    let rest = width.saturating_sub(sanitize::width(named.as_bytes()) + 1);
    if number.is_empty() || rest < MIN_MAIL {
        return named;
    }
    let mail = [b"<", person.mail.as_slice(), b">"].concat();
    format!("{named} {}", sanitize::clip(&mail, rest))
}
