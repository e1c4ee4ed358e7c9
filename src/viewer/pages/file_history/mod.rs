//! The list of the versions of a file, or of those that a search found. What is known of them
//! belongs to the state beside the stack of pages, since steps from version to version need it too.

pub(crate) mod version_row;

use ratatui::buffer::Buffer;

use crate::{
    engine::TextOccurrences,
    objects::ObjectId,
    sanitize,
    viewer::{
        app::{
            blame::{
                navigation::{no_earlier_version, step_name},
                search::{ActiveSearch, Search},
                search_actions::TOO_LARGE_PATTERN,
            },
            display::layout::Area,
            file_history::known_versions::KnownVersions,
            state::App,
        },
        model::{
            abbreviation::{short, short_or_uncommitted},
            background::{
                file_history::KnownRevision,
                line_change::VersionChangeQuery,
                line_history::ChangedLine,
                queries::{PageAnswer, QueryKind},
            },
            diff::VersionPair,
            hyperlink::Hyperlink,
            keys::bindings::Action,
            relative_dates,
            source::FileVersion,
            texts::pattern::Pattern,
        },
        pages::{
            commit_row::{
                BROWSE_HELP, COPY_ID_HELP, SCROLL_HALF_HELP, SCROLL_HELP, WHOLE_COMMIT_HELP,
                longest_author, looking,
            },
            dispatch,
            file_history::version_row::version_row,
            list::{ItemList, KeyHelp, ListRow, as_text, legend_sign, own_list},
            page::{Handled, ListPlace, Page, PageKind, WhenLeft},
            preview::{self, PreviewLayout, PreviewedCommit},
        },
        theme::styles::Theme,
        ui::{
            header::{counted, thousands},
            paint::{self, RowWriter},
        },
    },
};

/// Stands below the first version where no commit has it.
pub(crate) const NEW_AND_UNCOMMITTED: &str = "new, uncommitted";

/// The rows of a change that are shown before the first match of the search.
const ROWS_BEFORE_MATCH: usize = 2;

/// The keys of the page.
const KEYS: &[KeyHelp] = &[
    ("{close}  {file-history}", "close"),
    ("{down}  {older-version}", "older"),
    ("{up}  {newer-version}", "newer"),
    ("{diff}  {blame-commit}", "blame: this version of the file"),
    WHOLE_COMMIT_HELP,
    ("{help}", "keys"),
    ("“►”", "shown: the version that the blame shows"),
    (
        "{blame-parent}",
        "before: blame the version before this one",
    ),
    SCROLL_HELP,
    SCROLL_HALF_HELP,
    COPY_ID_HELP,
    BROWSE_HELP,
];

/// The open list.
#[derive(Debug, Default)]
struct FileHistoryPage {
    list: ItemList,
    /// A search: the rows are the versions that it found, not all versions, and its matches are marked
    /// in the change.
    searched: Option<Search>,
    /// What the selected version changed: the question, its number, and the rows once they are known.
    preview: Option<(VersionChangeQuery, u64, Option<Vec<ChangedLine>>)>,
    /// How many versions are known, and the width of the longest name of their authors.
    longest_author: (usize, usize),
    /// The number of rows, once all versions are known.
    complete: Option<usize>,
    /// The first row of the change on the screen.
    scroll: usize,
}

impl Page<App> for FileHistoryPage {
    fn kind(&self) -> PageKind {
        PageKind::FileHistory
    }

    fn covers(&self) -> bool {
        true
    }

    fn when_left(&self) -> WhenLeft {
        WhenLeft::Returns
    }

    fn action(&mut self, action: Action, count: Option<u32>, app: &mut App) -> Handled {
        let times = count.unwrap_or(1) as usize;
        let half = usize::from((self.change_area(app).height / 2).max(1)).saturating_mul(times);
        match action {
            Action::ScrollDown => self.scroll = self.scroll.saturating_add(times),
            Action::ScrollUp => self.scroll = self.scroll.saturating_sub(times),
            Action::NextFiltered => self.scroll = self.scroll.saturating_add(half),
            Action::PreviousFiltered => self.scroll = self.scroll.saturating_sub(half),
            Action::OlderVersion => return dispatch::list_action(self, Action::Down, count, app),
            Action::NewerVersion => return dispatch::list_action(self, Action::Up, count, app),
            Action::BlameCommit => self.open_item(app),
            Action::BlameParent => self.blame_before(app),
            Action::CommitDiff => {
                let path = self.revision(app).map(|revision| revision.path.clone());
                let commit = app.committed(action, self.commit(app));
                if let (Some(commit), Some(path)) = (commit, path) {
                    app.open_commit_at(commit, path, None);
                    if let Some(diff) = app.diff_mut() {
                        diff.begins_at_match = self.is_search();
                    }
                }
            }
            Action::CopyId | Action::Browse => app.use_commit(action, self.commit(app)),
            Action::Close | Action::Quit | Action::FileHistory | Action::Back => {
                app.pages.close_acting();
                if self.is_search() {
                    // Its matches are no business of the blame.
                    app.search = ActiveSearch::default();
                }
                // Versions that are still looked for are given up.
                let versions = &mut app.history.versions;
                if versions.take_if(|known| known.is_running()).is_some() {
                    app.cancel(QueryKind::FileHistory);
                }
            }
            _ => return Handled::Pass,
        }
        Handled::Yes
    }

    /// Finds the versions again if others were looked for meanwhile.
    fn on_reopened(&mut self, app: &mut App) {
        // Another list may have ended the question meanwhile.
        self.preview = None;
        let known = app.history.versions.as_ref();
        let searched = self.searched.as_ref().map(Search::expression);
        let is_other = |asked: Option<&Pattern>| searched.is_some() && asked != searched;
        if known.is_none_or(|known| is_other(known.query.search.as_ref())) {
            app.history.versions = None;
        }
        app.find_versions(searched.cloned());
    }

    fn commit(&self, app: &App) -> Option<ObjectId> {
        self.revision(app).map(|revision| revision.commit)
    }

    fn awaits(&self, id: u64) -> bool {
        self.preview
            .as_ref()
            .is_some_and(|(_, asked, _)| *asked == id)
    }

    fn on_answer(&mut self, answer: PageAnswer, _: &mut App) {
        if let (PageAnswer::VersionChange(answer), Some((_, _, rows))) = (answer, &mut self.preview)
        {
            *rows = Some(answer.end().unwrap_or_default());
            // What changed the number of matches is seen, below what stands before it.
            let first = self.changed_match().unwrap_or(0);
            self.scroll = first.saturating_sub(ROWS_BEFORE_MATCH);
        }
    }

    /// Asks for the change of the selected version.
    fn refresh(&mut self, app: &mut App) {
        let known = app.history.versions.as_ref();
        let revisions = known.map_or(&[][..], |known| known.list.revisions());
        if revisions.len() != self.longest_author.0 {
            let longest = longest_author(revisions.iter().map(|it| &it.metadata));
            self.longest_author = (revisions.len(), longest);
        }
        self.complete = known
            .filter(|known| !known.is_running())
            .map(|known| self.row_count(known));
        let asked = known.and_then(|known| known.query.search.as_ref());
        if let (Some(search), Some(asked)) = (&mut self.searched, asked)
            && asked.is_as_text()
            && asked.typed() == search.pattern()
        {
            search.go_on_as_text();
        }
        let query = self.change_query(app);
        let asked = self.preview.as_ref().map(|(asked, ..)| asked);
        if asked != query.as_ref() {
            self.scroll = 0;
            self.preview = query.map(|query| {
                let id = app.ask(query.clone());
                (query, id, None)
            });
        }
        let window = usize::from(self.change_area(app).height).max(1);
        let rows = self.changed_rows().map_or(0, <[_]>::len);
        self.scroll = self.scroll.min(rows.saturating_sub(window));
    }

    fn list_place(&self, body: Area) -> ListPlace {
        ListPlace::Part(PreviewLayout::new(body, 1, self.complete).list)
    }

    fn is_idle(&self, action: Action, app: &App) -> bool {
        let scrolls = [Action::ScrollDown, Action::ScrollUp, Action::NextFiltered];
        if !scrolls.contains(&action) {
            return false;
        }
        let rows = self.changed_rows().map_or(0, <[_]>::len);
        rows <= usize::from(self.change_area(app).height)
    }

    /// The signs that are on the screen.
    fn has_key(&self, keys: &str, app: &App) -> bool {
        let Some(known) = app
            .history
            .versions
            .as_ref()
            .filter(|_| legend_sign(keys).is_some())
        else {
            return true;
        };
        let window = self.list.top..self.list.top + self.list.shape.window();
        let shown = app.view().and_then(|view| known.position_of_view(view));
        shown.is_some_and(|shown| {
            let mut seen = window.filter_map(|row| self.version_in(row, known));
            seen.any(|at| at == shown)
        })
    }

    fn refusal(&self, action: Action, app: &App) -> Option<String> {
        let revision = self
            .revision(app)
            .filter(|_| action == Action::BlameParent)?;
        let is_first = revision.previous.is_none();
        is_first.then(|| no_earlier_version(&revision.commit))
    }

    /// Draws the message of the selected version and its change, below the list or beside it.
    fn draw(&self, app: &App, theme: &Theme, body: Area, buffer: &mut Buffer) {
        let layout = PreviewLayout::new(body, 1, self.complete);
        layout.divider(theme, buffer);
        if layout.title.height == 0 {
            return;
        }
        let Some(revision) = self.revision(app) else {
            return;
        };
        paint::fill(buffer, layout.title, theme.bar());
        let mut row = RowWriter::new(buffer, layout.title);
        let name = short_or_uncommitted(&revision.commit);
        row.put(&format!(" {name} "), theme.bar_emphasis());
        let path = app.history.versions.as_ref().map(|known| &known.path);
        if path != Some(&revision.path) {
            row.put(&format!("{} ", sanitize::line(&revision.path)), theme.bar());
        }
        let metadata = revision.metadata.as_ref().ok();
        if let Some(metadata) = metadata.filter(|_| !revision.commit.is_null()) {
            let author = &metadata.author;
            let day = relative_dates::day(author.time, author.offset);
            let ago = relative_dates::ago(app.now, author.time);
            // Versions are in the order of commits, which were made when rebased or applied.
            let committer = &metadata.committer;
            let committed = match relative_dates::day(committer.time, committer.offset) {
                same if same == day => String::new(),
                other => format!(", committed {other}"),
            };
            row.put(&format!("{}  ", sanitize::line(&author.name)), theme.bar());
            row.put(&format!("{day} ({ago}){committed}"), theme.bar());
        }
        if let Some(previewed) = self.previewed(app) {
            let (search, place) = (self.searched.as_ref(), (theme, layout.change));
            previewed.draw(app, search, self.scroll, |_| false, place, buffer);
        }
    }

    fn hyperlinks(&self, app: &App) -> Vec<Hyperlink> {
        let layout = PreviewLayout::new(app.layout().body(), 1, self.complete);
        let previewed = self.previewed(app);
        previewed.map_or_else(Vec::new, |it| it.hyperlinks(app, layout))
    }

    own_list!();

    fn count(&self, app: &App) -> usize {
        let known = app.history.versions.as_ref();
        known.map_or(0, |known| self.row_count(known))
    }

    fn rows(&self, at: usize, width: usize, app: &App) -> Vec<ListRow> {
        let Some(known) = &app.history.versions else {
            return Vec::new();
        };
        let version = self.version_in(at, known);
        let shown = app.view().and_then(|view| known.position_of_view(view));
        let is_shown = version.is_some() && version == shown;
        let revision = version.and_then(|at| known.list.get(at));
        let (_, longest) = self.longest_author;
        let row = revision.map(|it| version_row(it, self.is_search(), is_shown, (longest, width)));
        row.into_iter().collect()
    }

    fn is_reading(&self, app: &App) -> bool {
        let known = app.history.versions.as_ref();
        known.is_some_and(KnownVersions::is_running)
    }

    fn ending(&self, app: &App) -> String {
        let Some(known) = &app.history.versions else {
            return String::new();
        };
        if let Some(words) = looking(&known.progress) {
            return words;
        }
        let list = &known.list;
        match (&self.searched, list.revisions().last()) {
            (Some(search), _) if list.found().is_empty() => {
                let case = if search.pattern().chars().any(char::is_uppercase) {
                    "; its capitals matter"
                } else {
                    ""
                };
                format!("no version added or removed this text{case}")
            }
            (Some(_), _) => String::new(),
            (None, Some(last)) if last.commit.is_null() => NEW_AND_UNCOMMITTED.to_owned(),
            (None, Some(last)) => format!("added in {}", short(&last.commit)),
            (None, None) => "there are no versions".to_owned(),
        }
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        Some(("Versions of the file", KEYS))
    }

    /// Goes to the selected version, at a match of the search, or where the last ones stood. A step back
    /// returns to the list, unless the version is the visible one.
    fn open_item(&mut self, app: &mut App) {
        let at = self.version(app);
        let wants_match = self.occurrences(app).is_some_and(|found| found.count > 0);
        let gone = self
            .changed_match()
            .filter(|_| self.is_search() && !wants_match);
        let rows = self.changed_rows().zip(gone).map(|(rows, at)| &rows[at..]);
        let place = rows.and_then(|rows| rows.iter().find_map(|row| row.row.new_line()));
        if let Some(at) = at {
            app.go_to_revision(at, place);
        }
        if app.history.pending.is_none() {
            app.pages.close_acting();
        }
        if let Some(pending) = &mut app.history.pending {
            pending.wants_match = wants_match;
        }
    }

    /// Which file, and how many versions are known.
    fn header(&self, app: &App, theme: &Theme, row: &mut RowWriter<'_>) -> bool {
        let Some(known) = &app.history.versions else {
            return false;
        };
        let count = self.row_count(known);
        let more = if known.is_running() { "…" } else { "" };
        let at = match count {
            0 | 1 => String::new(),
            _ => format!("{} of ", thousands(self.list.selected + 1)),
        };
        let words = format!(" {at}{}{more} ", counted(count, "version"));
        row.put_right(&words, theme.bar());
        match &self.searched {
            Some(search) => {
                let room = usize::from(row.remaining()) / 2;
                let text = sanitize::clip(search.pattern().as_bytes(), room);
                row.put(" added or removed ", theme.bar());
                row.put(&text, theme.bar_emphasis());
                row.put(as_text(search), theme.bar());
                row.put(" in ", theme.bar());
            }
            None => row.put(" history of ", theme.bar()),
        }
        let room = usize::from(row.remaining());
        let path = sanitize::clip_left(&sanitize::line(&known.path), room);
        row.put_linked(&path, theme.bar_emphasis(), app.page_of_line());
        true
    }
}

impl FileHistoryPage {
    fn is_search(&self) -> bool {
        self.searched.is_some()
    }

    fn row_count(&self, known: &KnownVersions) -> usize {
        if self.is_search() {
            known.list.found().len()
        } else {
            known.list.revisions().len()
        }
    }

    /// The position of the version in a row.
    fn version_in(&self, row: usize, known: &KnownVersions) -> Option<usize> {
        if self.is_search() {
            known.list.found().get(row).copied()
        } else {
            (row < known.list.revisions().len()).then_some(row)
        }
    }

    /// The position of the selected version.
    fn version(&self, app: &App) -> Option<usize> {
        self.version_in(self.list.selected, app.history.versions.as_ref()?)
    }

    /// The selected version.
    fn revision<'a>(&self, app: &'a App) -> Option<&'a KnownRevision> {
        let list = &app.history.versions.as_ref()?.list;
        list.get(self.version(app)?)
    }

    /// What the selected version changed, once that is known.
    fn changed_rows(&self) -> Option<&[ChangedLine]> {
        self.preview.as_ref()?.2.as_deref()
    }

    /// The row of the change of the selected version where the number of matches changes.
    fn changed_match(&self) -> Option<usize> {
        let search = self.searched.as_ref()?;
        let matches = |row: &ChangedLine| search.matches(&row.text).len();
        let rows = self.changed_rows()?.iter();
        preview::first_changed_match(rows.map(|row| (row.row, matches(row))))
    }

    /// What is shown of the selected version.
    fn previewed<'a>(&'a self, app: &'a App) -> Option<PreviewedCommit<'a>> {
        let revision = self.revision(app)?;
        Some(PreviewedCommit {
            id: &revision.commit,
            metadata: revision.metadata.as_deref().ok(),
            rows: self.changed_rows(),
        })
    }

    /// Where the change is, below the message.
    fn change_area(&self, app: &App) -> Area {
        let area = PreviewLayout::new(app.layout().body(), 1, self.complete).change;
        let previewed = self.previewed(app);
        previewed.map_or(area, |commit| commit.divided(app, area).1)
    }

    /// The question for the change of the selected version.
    fn change_query(&self, app: &App) -> Option<VersionChangeQuery> {
        let known = app.history.versions.as_ref()?;
        let at = self.version(app)?;
        Some(VersionChangeQuery {
            versions: VersionPair {
                old: known.list.get(at)?.previous.clone(),
                new: known.version(at),
            },
            whitespace: known.query.whitespace,
            pattern: self.searched.as_ref().map(Search::expression).cloned(),
        })
    }

    /// The occurrences in the selected version, if the list shows what a search found.
    fn occurrences(&self, app: &App) -> Option<TextOccurrences> {
        self.revision(app).filter(|_| self.is_search())?.occurrences
    }

    /// Blames the version before the selected one, at a match of the search if there is one.
    fn blame_before(&self, app: &mut App) {
        let Some(revision) = self.revision(app) else {
            return;
        };
        let Some((commit, path)) = revision.previous.clone() else {
            return;
        };
        let metadata = revision.metadata.as_deref().ok();
        let name = step_name(true, &revision.commit, metadata);
        let wants_match = self
            .occurrences(app)
            .is_some_and(|found| found.previous > 0);
        app.open(FileVersion::Commit { commit, path }, None, None);
        app.name_step(name);
        if let Some(pending) = &mut app.history.pending {
            pending.wants_match = wants_match;
        }
    }
}

impl App {
    /// Lists the versions of the visible file.
    pub(crate) fn open_file_history(&mut self) {
        if self.view().is_none() {
            return;
        }
        let selected = self.find_versions(None).unwrap_or(0);
        self.pages.open(FileHistoryPage {
            list: ItemList::at(selected),
            ..FileHistoryPage::default()
        });
    }

    /// Lists the commits that changed how often a pattern matches in the visible file.
    pub(crate) fn search_versions(&mut self, text: &str) {
        if text.is_empty() || self.view().is_none() {
            return;
        }
        let Some(search) = Search::new(text, 0) else {
            return self.show_message(TOO_LARGE_PATTERN);
        };
        let known = self.history.versions.as_ref();
        let asked = known.and_then(|known| known.query.search.as_ref());
        let is_known = asked.is_some_and(|asked| asked.typed() == text);
        if !is_known || self.find_versions(None).is_none() {
            self.history.versions = None;
            self.find_versions(Some(search.expression().clone()));
        }
        // The matches of the versions that are gone to.
        self.search.note_elsewhere(Some(search.clone()));
        self.pages.open(FileHistoryPage {
            searched: Some(search),
            ..FileHistoryPage::default()
        });
    }
}
