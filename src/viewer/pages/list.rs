//! A list: which item is selected, the window that scrolls over the items, and the search in them.
//!
//! All lists of the viewer are one of these, so that the same keys and gestures do the same in all
//! of them. What the items are and how their rows read is up to the page that has the list. Where a
//! list stands below an input that is typed (finder, completions), letters, digits and the keys
//! that edit the input are not for the list:
//!
//! | | lists | with a typed input |
//! | --- | --- | --- |
//! | down, up | `j` `k`, arrows; `3j` | arrows, `Tab`, `^N` `^P` |
//! | page | `Space`, `PgDn` `PgUp` | `PgDn` `PgUp` |
//! | half page | `^D` `^U` | – |
//! | first, last | `g` `G`, `Home` `End`; `3g` | `Home` `End` |
//! | search | `/`, `n` `N` | – |
//! | open | `Enter` | `Enter` |
//! | wheel, click, double click, scrollbar | yes | yes |
//! | help | `?` | `F1` |

use std::ops::Range;

use crate::{
    text::thousands::thousands,
    viewer::{
        app::{blame::search::Search, display::layout::Area},
        model::keys::{
            bindings::Action,
            key::{Key, KeyCode},
        },
        protocol::{Gesture, Mouse},
        theme::roles::{DiffSide, Foreground},
    },
};

/// A line of the help of a page: keys with two blanks between them, and what they do. Both are
/// templates for [`Keymap::fill`](crate::viewer::model::keys::keymap::Keymap::fill). What is in “quotes”
/// is no key, but a sign or a word that the page uses.
pub type KeyHelp = (&'static str, &'static str);

/// The keys of all lists.
pub const LIST_KEYS: &[KeyHelp] = &[
    ("{down}  {up}", "down and up; 3{down} goes down by three"),
    ("{page-down}  {page-up}", "a page down and up"),
    ("{half-down}  {half-up}", "half a page down and up"),
    (
        "{top}  {bottom}",
        "first and last one; with a count, the one of that number",
    ),
    ("{search}", "search the list"),
    ("{next-match}  {previous-match}", "next and previous match"),
    (
        "Enter",
        "open or choose, as a double click; a click selects",
    ),
];

/// The keys of lists with a typed input.
pub const TYPED_LIST_KEYS: &[KeyHelp] = &[
    ("Down  Up", "down and up"),
    ("PgDn  PgUp", "a page down and up"),
    ("Home  End", "first and last one"),
    (
        "Enter",
        "open or choose, as a double click; a click selects",
    ),
];

/// True if an action needs an item.
pub(crate) fn needs_item(action: Action) -> bool {
    matches!(
        action,
        Action::Down
            | Action::Up
            | Action::ScrollDown
            | Action::ScrollUp
            | Action::NextFiltered
            | Action::PreviousFiltered
            | Action::Diff
            | Action::CommitDiff
            | Action::BlameCommit
            | Action::BlameParent
            | Action::OlderVersion
            | Action::NewerVersion
            | Action::CopyId
            | Action::Browse
    )
}

/// The sign or word of a page that a line of its help explains, which is quoted there; `None` if the
/// line is about keys.
pub(crate) fn legend_sign(keys: &str) -> Option<&str> {
    keys.strip_prefix('“')?.strip_suffix('”')
}

/// The action of the first key in the keys of a help; `None` if it is always the same key.
pub(crate) fn help_action(keys: &str) -> Option<Action> {
    let key = keys.split("  ").next().unwrap_or_default();
    Action::named(key.strip_prefix('{')?.strip_suffix('}')?)
}

/// Implements the access of a page to its list, which is its field `list`.
macro_rules! own_list {
    () => {
        fn list(&self) -> Option<&ItemList> {
            Some(&self.list)
        }

        fn list_mut(&mut self) -> Option<&mut ItemList> {
            Some(&mut self.list)
        }
    };
}
pub(crate) use own_list;

/// How a piece of a row is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As text with this meaning.
    Text(Foreground),
    /// As text that a filter leaves out.
    Dim,
    /// As text with this meaning, emphasized.
    Strong(Foreground),
    /// As words that differ in a diff.
    Words(DiffSide),
    /// In the color of an age, as a step of [`tint::age_step`](crate::viewer::theme::tint::age_step).
    Age(u8),
    /// In a hue.
    Hue(u8),
}

/// A row of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRow {
    /// Stands in the first column unless the item is selected.
    pub mark: &'static str,
    /// Stands before the text, and is not searched; in ASCII.
    pub lead: &'static str,
    /// Sanitized text, from left to right.
    pub pieces: Vec<(String, Tone)>,
    /// Sanitized text at the right end.
    pub right: String,
}

impl ListRow {
    /// An empty row.
    pub fn new(mark: &'static str) -> ListRow {
        ListRow {
            mark,
            lead: "",
            pieces: Vec::new(),
            right: String::new(),
        }
    }

    /// Sets what stands before the text.
    pub fn lead(self, lead: &'static str) -> ListRow {
        ListRow { lead, ..self }
    }

    /// Adds text.
    pub fn put(self, text: impl Into<String>, foreground: Foreground) -> ListRow {
        self.put_as(text, Tone::Text(foreground))
    }

    /// Adds text that is drawn in a certain way.
    pub fn put_as(mut self, text: impl Into<String>, tone: Tone) -> ListRow {
        self.pieces.push((text.into(), tone));
        self
    }

    /// Adds text to the last piece, if that is drawn in the same way.
    pub fn extend_as(&mut self, text: &str, tone: Tone) {
        match self.pieces.last_mut() {
            Some((last, same)) if *same == tone => last.push_str(text),
            _ => self.pieces.push((text.to_owned(), tone)),
        }
    }

    /// Sets the text at the right end.
    pub fn right(self, right: impl Into<String>) -> ListRow {
        ListRow {
            right: right.into(),
            ..self
        }
    }

    /// The text with what stands before it.
    pub fn text(&self) -> String {
        self.lead.to_owned() + &self.searched()
    }

    /// The text that is searched.
    pub(crate) fn searched(&self) -> String {
        self.pieces.iter().map(|(text, _)| text.as_str()).collect()
    }
}

/// Where a list stands, and how much it has to show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ListShape {
    /// The whole list.
    pub outer: Area,
    /// The items.
    pub area: Area,
    /// The number of items.
    pub count: usize,
    /// The rows of an item.
    pub item_rows: u16,
    /// There is a row below the last item.
    pub(crate) has_ending: bool,
}

impl ListShape {
    /// The number of items that are visible at once, at least 1.
    pub fn window(&self) -> usize {
        usize::from((self.area.height / self.item_rows.max(1)).max(1))
    }

    /// The first item of the window that shows the end of the list; 0 if all of it fits.
    pub(crate) fn last_top(&self) -> usize {
        let of_items = self.area.height.saturating_sub(self.has_ending.into());
        let shown = usize::from((of_items / self.item_rows.max(1)).max(1));
        self.count.saturating_sub(shown)
    }

    /// True if there is a scrollbar, in the last column.
    pub fn has_scrollbar(&self) -> bool {
        self.last_top() > 0 && self.area.width > 1 && self.area.height > 0
    }

    /// The columns of the items' rows.
    pub fn row_width(&self) -> u16 {
        self.area.width - u16::from(self.has_scrollbar())
    }
}

/// Most items all of whose matches are counted.
const MAX_COUNTED: usize = 5_000;

/// A match of the search.
#[derive(Debug, Clone, Copy)]
struct FoundMatch {
    at: usize,
    /// Which one it is (1-based), and of how many.
    ordinal: usize,
    all: usize,
    /// The number of items then.
    of: usize,
}

/// The state of a list.
#[derive(Debug, Clone, Default)]
pub struct ItemList {
    /// The selected item (0-based).
    pub selected: usize,
    /// The first item in the window.
    pub top: usize,
    /// The last search.
    pub search: Option<Search>,
    /// Where it stands.
    pub shape: ListShape,
    /// The last search went backward.
    pub backward: bool,
    /// The first item in the window when the selection was moved last. The window leaves it where it
    /// has too little room, and returns to it with more.
    wanted_top: usize,
    /// The selected and the first item as they were fitted last.
    fitted: (usize, usize),
    /// The last match that was selected.
    found: Option<FoundMatch>,
    /// The direction in which a match is waited for (true is forward), and how many items have none.
    pub(crate) awaited: Option<(bool, usize)>,
    /// The mouse drags the scrollbar.
    is_dragged: bool,
    /// The item on which the mouse was pressed last.
    pressed: Option<usize>,
}

impl ItemList {
    /// A list with an item selected.
    pub fn at(selected: usize) -> ItemList {
        ItemList {
            selected,
            ..ItemList::default()
        }
    }

    /// Selects an item, or the last one beyond the end.
    pub(crate) fn select(&mut self, at: usize) {
        self.selected = at.min(self.shape.count.saturating_sub(1));
    }

    /// Takes the place that it has on the screen, and the number of its items. The selected item
    /// stays in the window. In another place, the first one is the same as when it was moved to, if
    /// that can be.
    pub(crate) fn fit(&mut self, shape: ListShape) {
        self.shape = shape;
        self.select(self.selected);
        let is_moved = self.fitted != (self.selected, self.top);
        if !is_moved {
            self.top = self.wanted_top;
        }
        let (window, last_top) = (shape.window(), shape.last_top());
        self.top = self.top.min(self.selected).min(last_top);
        if self.selected >= self.top + window {
            self.top = self.selected + 1 - window;
        }
        // The end of the list is seen with the last item.
        if self.selected + 1 == shape.count {
            self.top = self.top.max(last_top);
        }
        self.fitted = (self.selected, self.top);
        if is_moved {
            self.wanted_top = self.top;
        }
    }

    /// Performs an action that moves the selection. False for others.
    pub(crate) fn perform(&mut self, action: Action, count: Option<u32>) -> bool {
        let times = count.unwrap_or(1) as usize;
        let window = self.shape.window();
        let page = times.saturating_mul((window - 1).max(1));
        let half = times.saturating_mul((window / 2).max(1));
        let at = self.selected;
        self.select(match action {
            Action::Down | Action::NextGroup | Action::NextOfCommit => at + times,
            Action::Up | Action::PreviousGroup | Action::PreviousOfCommit => {
                at.saturating_sub(times)
            }
            Action::PageDown => at.saturating_add(page),
            Action::PageUp => at.saturating_sub(page),
            Action::HalfDown => at.saturating_add(half),
            Action::HalfUp => at.saturating_sub(half),
            Action::Top => times.saturating_sub(1),
            Action::Bottom => count.map_or(usize::MAX, |count| count as usize - 1),
            _ => return false,
        });
        true
    }

    /// The item at a place of the screen, and which of its rows that is.
    pub(crate) fn item_at(&self, place: (u16, u16)) -> Option<(usize, usize)> {
        let shape = self.shape;
        if !shape.area.contains(place) {
            return None;
        }
        let (y, item_rows) = (place.1 - shape.area.y, shape.item_rows.max(1));
        let window = usize::from(y / item_rows);
        let at = self.top + window;
        let is_item = window < shape.window() && at < shape.count;
        is_item.then_some((at, usize::from(y % item_rows)))
    }

    /// Handles a mouse event. Returns whether it opens the selected item.
    pub(crate) fn mouse(&mut self, mouse: Mouse) -> bool {
        let (shape, (x, y)) = (self.shape, mouse.at);
        let area = shape.area;
        let is_inside = area.contains(mouse.at);
        match mouse.gesture {
            Gesture::Wheel(rows) => {
                self.pressed = None;
                let items = rows / i32::from(shape.item_rows.max(1));
                let items = if items == 0 { rows.signum() } else { items };
                self.select(self.selected.saturating_add_signed(items as isize));
            }
            Gesture::Press => {
                self.pressed = None;
                self.is_dragged =
                    is_inside && shape.has_scrollbar() && x + 1 == area.x + area.width;
                if self.is_dragged {
                    self.drag(y);
                } else if let Some((at, _)) = self.item_at(mouse.at) {
                    self.select(at);
                    self.pressed = Some(at);
                }
            }
            // What was selected by the first press may be elsewhere by now, but it is what was
            // meant.
            Gesture::DoublePress => return self.pressed.take() == Some(self.selected),
            Gesture::Drag if self.is_dragged => self.drag(y),
            Gesture::Release => self.is_dragged = false,
            _ => {}
        }
        false
    }

    /// Selects the item that a row of the scrollbar stands for; its ends are those of the list.
    fn drag(&mut self, y: u16) {
        let area = self.shape.area;
        let last = area.height.saturating_sub(1);
        let row = usize::from(y.saturating_sub(area.y).min(last));
        let rows = usize::from(last).max(1);
        self.select(row * self.shape.count.saturating_sub(1) / rows);
    }

    /// Replaces the search.
    pub(crate) fn set_search(&mut self, search: Search) {
        self.search = Some(search);
        self.found = None;
        self.awaited = None;
    }

    /// Counts the matches, of which one is selected, unless there are too many items.
    pub(crate) fn count_matches(&mut self, at: usize, matches: &[usize]) {
        let ordinal = matches.iter().position(|it| *it == at);
        self.found = ordinal.map(|ordinal| FoundMatch {
            at,
            ordinal: ordinal + 1,
            all: matches.len(),
            of: self.shape.count,
        });
    }

    /// The items whose matches are counted.
    pub(crate) fn counted_items(&self) -> Range<usize> {
        match self.shape.count {
            count @ ..=MAX_COUNTED => 0..count,
            _ => 0..0,
        }
    }

    /// How many matches the search has, and which one is selected, as far as that is known.
    pub(crate) fn match_words(&self) -> Option<String> {
        let found = self.found.filter(|found| found.of == self.shape.count);
        let (found, search) = found.zip(self.search.as_ref())?;
        let ordinal = Some(found.ordinal).filter(|_| found.at == self.selected);
        Some(match_words(ordinal, found.all, search))
    }

    /// The item that matches, so many matches further on or back, and whether it is around the end
    /// of the list; `None` without a match.
    pub(crate) fn nth_match(
        &self,
        matches: impl Fn(&usize) -> bool,
        forward: bool,
        times: usize,
    ) -> Option<(usize, bool)> {
        let count = self.shape.count;
        let order = (1..=count).map(|step| {
            if forward {
                (self.selected + step) % count
            } else {
                (self.selected + count - step) % count
            }
        });
        let times = times.max(1);
        let found: Vec<usize> = order.filter(matches).take(times).collect();
        let at = *found.get((times - 1) % found.len().max(1))?;
        let around = if forward {
            at <= self.selected
        } else {
            at >= self.selected
        };
        Some((at, around || found.len() < times))
    }
}

/// Which match of a search is selected (1-based), and of how many.
pub(crate) fn match_words(ordinal: Option<usize>, all: usize, search: &Search) -> String {
    let (shown, as_text) = (thousands(all), as_text(search));
    match (ordinal, all) {
        (Some(ordinal), _) => format!(" match {} of {shown}{as_text} ", thousands(ordinal)),
        (None, 0) => format!(" no match{as_text} "),
        (None, 1) => format!(" 1 match{as_text} "),
        (None, _) => format!(" {shown} matches{as_text} "),
    }
}

/// Follows the number of matches where the pattern is searched as text though it was not typed as such.
pub(crate) fn as_text(search: &Search) -> &'static str {
    if search.is_as_text() { ", as text" } else { "" }
}

/// The meaning of a key to a list below a typed input; `None` if the key is for the input.
pub(crate) fn typed_list_action(key: Key) -> Option<Action> {
    Some(match (key.code, key.ctrl) {
        _ if key.alt => return None,
        (KeyCode::Down | KeyCode::Tab, _) | (KeyCode::Char('n' | 'j'), true) => Action::Down,
        (KeyCode::Up | KeyCode::BackTab, _) | (KeyCode::Char('p' | 'k'), true) => Action::Up,
        (KeyCode::PageDown, _) => Action::PageDown,
        (KeyCode::PageUp, _) => Action::PageUp,
        (KeyCode::Home, _) => Action::Top,
        (KeyCode::End, _) => Action::Bottom,
        (KeyCode::Function(1), _) => Action::Help,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(selected: usize, top: usize, count: usize, height: u16) -> ItemList {
        let mut list = ItemList {
            selected,
            top,
            ..ItemList::default()
        };
        list.fit(ListShape {
            area: Area {
                height,
                width: 10,
                ..Area::default()
            },
            count,
            item_rows: 1,
            has_ending: true,
            ..ListShape::default()
        });
        list
    }

    #[test]
    fn the_selected_item_stays_on_the_screen() {
        let top = |selected, top, count, height| list(selected, top, count, height).top;
        assert_eq!(top(0, 0, 0, 10), 0);
        assert_eq!(top(12, 0, 100, 10), 3);
        assert_eq!(top(2, 5, 100, 10), 2);
        assert_eq!(top(5, 9, 6, 10), 0);
        // With the last item, the end of the list is seen.
        assert_eq!(top(99, 0, 100, 10), 91);
        assert_eq!(top(99, 0, 100, 1), 99);
    }

    /// However many rows items have and wherever a list was scrolled to, it is not scrolled if its
    /// items and its end fit; if they do not, there is a scrollbar, and the last item shows the end.
    #[test]
    fn a_list_that_fits_is_never_scrolled() {
        let mut fitting = 0;
        for height in 1..14 {
            for (item_rows, has_ending) in [(1, false), (1, true), (2, false), (2, true), (3, true)]
            {
                for count in 1..14_usize {
                    for (selected, top) in [(0, 9), (count / 2, 0), (count - 1, 0), (count - 1, 9)]
                    {
                        let mut list = ItemList {
                            selected,
                            top,
                            ..ItemList::default()
                        };
                        let area = Area {
                            height,
                            width: 10,
                            ..Area::default()
                        };
                        list.fit(ListShape {
                            outer: area,
                            area,
                            count,
                            item_rows,
                            has_ending,
                        });
                        let rows =
                            |items: usize| items * usize::from(item_rows) + usize::from(has_ending);
                        let fits = rows(count) <= usize::from(height) || count == 1;
                        let case = (height, item_rows, has_ending, count, selected, top);
                        assert_eq!(list.shape.has_scrollbar(), !fits, "{case:?}");
                        if fits {
                            assert_eq!(list.top, 0, "{case:?}");
                            fitting += 1;
                        } else if selected + 1 == count && rows(1) <= usize::from(height) {
                            assert!(rows(count - list.top) <= usize::from(height), "{case:?}");
                            assert!(rows(count - list.top + 1) > usize::from(height), "{case:?}");
                        }
                    }
                }
            }
        }
        assert!(fitting > 500, "{fitting}");
    }

    #[test]
    fn the_scrollbar_reaches_both_ends() {
        for (count, height) in [(11, 10), (1000, 10), (3, 2), (2, 1)] {
            let mut list = list(1, 0, count, height);
            let at = |y, gesture| Mouse {
                at: (9, y),
                gesture,
            };
            list.mouse(at(0, Gesture::Press));
            assert_eq!(list.selected, 0, "{count}");
            list.mouse(at(height + 5, Gesture::Drag));
            let last = if height > 1 { count - 1 } else { 0 };
            assert_eq!(list.selected, last, "{count}");
            list.mouse(at(0, Gesture::Release));
            list.mouse(at(0, Gesture::Drag));
            assert_eq!(list.selected, last, "{count}");
        }
    }
}
