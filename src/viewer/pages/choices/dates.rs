//! Choosing a span of dates in a list of the spans of the histogram, the oldest first.

use crate::viewer::{
    app::{display::layout::Area, state::App},
    model::{
        color_mode::ColorMode,
        date_histogram::DateHistogram,
        keys::{
            bindings::Action,
            key::{Key, KeyCode},
        },
        line_filter::DateSpan,
    },
    pages::{
        dispatch,
        list::{ItemList, KeyHelp, ListRow, own_list},
        page::{CORNER_WIDTH, Handled, ListPlace, Page},
    },
    theme::roles::Foreground,
    ui::header::thousands,
};

/// Columns of the longest bar.
const BAR_COLUMNS: u64 = 12;

/// The keys of the choice.
const KEYS: &[KeyHelp] = &[
    ("Enter", "keep: lines of these dates stand out"),
    ("Space", "several: begin or end here"),
    (
        "{close}  {choose-dates}",
        "cancel: the dates stay as they were",
    ),
    ("{left}", "earlier"),
    ("{right}", "later"),
    ("{help}", "keys"),
];

/// The choice of a span in the histogram of dates.
#[derive(Debug)]
struct DatesPage {
    list: ItemList,
    /// A moment in the selected item: on a screen of another width, the items are other spans.
    selected: i64,
    /// A moment in the item at which a span began.
    anchor: Option<i64>,
    histogram: Option<DateHistogram>,
    /// The span and the colors with which the choice began.
    before: (Option<DateSpan>, ColorMode),
}

impl Page<App> for DatesPage {
    fn key(&mut self, key: Key, app: &mut App) -> Handled {
        if key != Key::plain(KeyCode::Char(' ')) {
            return Handled::Pass;
        }
        self.anchor = match self.anchor {
            Some(_) => None,
            None => Some(self.selected),
        };
        self.list_used(false, app);
        Handled::Yes
    }

    fn action(&mut self, action: Action, count: Option<u32>, app: &mut App) -> Handled {
        let motion = match action {
            Action::ChooseDates | Action::Close | Action::Quit => {
                self.leave(app);
                return Handled::Yes;
            }
            Action::Left => Action::Up,
            Action::Right => Action::Down,
            Action::LineStart => Action::Top,
            Action::LineEnd => Action::Bottom,
            _ => return Handled::Pass,
        };
        dispatch::list_action(self, motion, count, app)
    }

    own_list!();

    fn refresh(&mut self, app: &mut App) {
        let histogram = app.date_histogram();
        if let Some(histogram) = histogram.filter(|new| Some(new) != self.histogram.as_ref()) {
            self.list.selected = histogram.column(self.selected);
            self.histogram = Some(histogram);
        }
    }

    fn count(&self, _: &App) -> usize {
        let histogram = self.histogram.as_ref();
        histogram.map_or(0, |histogram| histogram.counts.len())
    }

    fn rows(&self, at: usize, width: usize, _: &App) -> Vec<ListRow> {
        let Some(histogram) = &self.histogram else {
            return Vec::new();
        };
        let count = histogram.counts.get(at).copied().unwrap_or(0);
        let most = histogram.counts.iter().copied().max().unwrap_or(0).max(1);
        let (anchor, selected) = (self.anchor, self.list.selected);
        let anchor = anchor.map(|anchor| histogram.column(anchor));
        let is_in_span = anchor
            .is_some_and(|anchor| (anchor.min(selected)..=anchor.max(selected)).contains(&at));
        let (words, number) = (histogram.words(at), thousands(count));
        let spans = 0..histogram.counts.len();
        let longest = spans.map(|at| histogram.words(at).len()).max().unwrap_or(0);
        // The mark, blanks at both sides of the bar, and one after the number.
        let used = longest + thousands(most).len() + 4;
        let columns = (width.saturating_sub(used) as u64).clamp(1, BAR_COLUMNS);
        let bar = "█".repeat((count * columns).div_ceil(most) as usize);
        let row = ListRow::new(if is_in_span { "·" } else { " " });
        let text = format!("{words:<longest$} {bar}");
        vec![row.put(text, Foreground::Text).right(format!("{number} "))]
    }

    fn title(&self, _: &App) -> Option<String> {
        Some(" Dates".to_owned())
    }

    fn help(&self) -> Option<(&'static str, &'static [KeyHelp])> {
        Some(("Dates", KEYS))
    }

    fn is_idle(&self, action: Action, app: &App) -> bool {
        match action {
            Action::Left => self.list.selected == 0,
            Action::Right => self.list.selected + 1 >= self.count(app),
            _ => false,
        }
    }

    fn list_place(&self, _: Area) -> ListPlace {
        ListPlace::Corner(CORNER_WIDTH)
    }

    /// Keeps the span, with the colors as before, and says how many lines it has.
    fn open_item(&mut self, app: &mut App) {
        app.pages.close_acting();
        app.display.color_mode = self.before.1;
        app.set_filter(app.display.filter.clone());
    }

    /// Lets the lines of the chosen span stand out.
    fn list_used(&mut self, _: bool, app: &mut App) {
        match app.date_histogram() {
            Some(histogram) => {
                let at = self.list.selected;
                self.selected = histogram.start(at);
                let anchor = self.anchor.map_or(at, |anchor| histogram.column(anchor));
                app.display.filter.dates = histogram.days(anchor, at);
            }
            None => self.leave(app),
        }
    }
}

impl DatesPage {
    /// Ends the choice, with the span and the colors as before.
    fn leave(&self, app: &mut App) {
        app.pages.close_acting();
        (app.display.filter.dates, app.display.color_mode) = self.before.clone();
    }
}

impl App {
    /// Lets keys choose a span of dates, in colors of age, whose legend is the histogram.
    pub(crate) fn open_dates(&mut self) {
        let before = (self.display.filter.dates.clone(), self.display.color_mode);
        self.display.color_mode = ColorMode::Age;
        let Some(histogram) = self.date_histogram() else {
            self.display.color_mode = before.1;
            let is_read = self.view().is_some_and(|view| !view.is_running());
            return self.refuse(is_read, "there are no dates to choose from");
        };
        let last = histogram.counts.len().saturating_sub(1);
        self.pages.open(DatesPage {
            list: ItemList::at(last),
            selected: histogram.start(last),
            anchor: None,
            histogram: Some(histogram),
            before,
        });
    }
}
