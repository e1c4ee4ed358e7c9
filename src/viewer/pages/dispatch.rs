//! Offering keys, actions and mouse events to pages, and what all lists do with them.

use crate::viewer::{
    app::{
        blame::{
            motion::percent_of,
            search::{Direction, Search},
            search_actions::{NO_PATTERN, TOO_LARGE_PATTERN, WRAPPED_AROUND},
        },
        display::layout::Area,
        prompt_history::PromptKind,
        state::{App, STILL_READING, refused},
    },
    model::{
        background::queries::PageAnswer,
        keys::{
            bindings::Action,
            key::{Key, KeyCode},
        },
        line_filter::LineFilter,
    },
    pages::{
        blame::BlamePage,
        list::{ItemList, ListShape, typed_list_action},
        offers::refusal,
        page::{Handled, ListPlace, Page},
        stack::BEFORE_VIEWS,
    },
    protocol::{Gesture, Mouse},
    ui::header::thousands,
};

impl App {
    /// Lets a page act, by its position in the stack (0 is the bottom), unless it acts already.
    fn let_act<R: Default>(
        &mut self,
        at: usize,
        act: impl FnOnce(&mut dyn Page<App>, &mut App) -> R,
    ) -> R {
        let Some((id, mut page)) = self.pages.take(at) else {
            return R::default();
        };
        let result = act(page.as_mut(), self);
        self.pages.put_back(id, page);
        result
    }

    /// As [`let_act`](App::let_act), for the topmost page.
    pub(crate) fn let_top_act<R: Default>(
        &mut self,
        act: impl FnOnce(&mut dyn Page<App>, &mut App) -> R,
    ) -> R {
        let top = self.pages.len().saturating_sub(1);
        self.let_act(top, act)
    }

    /// Offers a key to the topmost page before its binding.
    pub(crate) fn offer_key(&mut self, key: Key) -> Handled {
        self.let_top_act(|page, app| match page.key(key, app) {
            Handled::Pass if page.list().is_some() && opens_item(key, app) => {
                match refusal(page, Action::Diff, app) {
                    Some(words) => app.show_message(words),
                    None => page.open_item(app),
                }
                Handled::Yes
            }
            handled => handled,
        })
    }

    /// The pages from the top down. The blame is the last one.
    pub(crate) fn all_pages(&self) -> impl Iterator<Item = &dyn Page<App>> {
        let blame: &dyn Page<App> = &BlamePage;
        self.pages.iter().rev().chain([blame])
    }

    /// Offers something to all pages from the top down until one handles it.
    fn offer_all(&mut self, offer: impl Fn(&mut dyn Page<App>, &mut App) -> Handled) {
        for at in (0..self.pages.len()).rev() {
            if self.let_act(at, &offer) == Handled::Yes {
                return;
            }
        }
        offer(&mut BlamePage, self);
    }

    /// Offers an action to all pages.
    pub(crate) fn offer_action(&mut self, action: Action, count: Option<u32>) {
        self.offer_all(|page, app| {
            if let Some(words) = refusal(page, action, app) {
                app.show_message(words);
                return Handled::Yes;
            }
            match page.action(action, count, app) {
                Handled::Pass if page.list().is_some() => list_action(page, action, count, app),
                handled => handled,
            }
        });
    }

    /// Offers a mouse event to all pages.
    pub(crate) fn offer_mouse(&mut self, mouse: Mouse) {
        self.offer_all(|page, app| match page.mouse(mouse, app) {
            Handled::Yes => Handled::Yes,
            Handled::Pass if page.list().is_some() => {
                if mouse.gesture == Gesture::Press {
                    app.clear_message();
                }
                if use_list(page, app, |list| list.mouse(mouse)) {
                    page.open_item(app);
                }
                Handled::Yes
            }
            // What is below is not meant.
            Handled::Pass
                if matches!(mouse.gesture, Gesture::DoublePress | Gesture::SideWheel(_)) =>
            {
                Handled::Yes
            }
            Handled::Pass => Handled::Pass,
        });
    }

    /// Searches the topmost page that can be searched.
    pub(crate) fn search_for(&mut self, pattern: &str, direction: Direction) {
        self.offer_all(|page, app| {
            if page.list().is_some() {
                search_list(page, pattern, direction, app)
            } else {
                page.search(pattern, direction, app)
            }
        });
    }

    /// How many items of the topmost list match, or rows of a page that counts them itself; `None` if
    /// there are too many items.
    pub(crate) fn count_in_pages(&self, search: &Search) -> Option<usize> {
        let page = self.pages.iter().next_back()?;
        let Some(list) = page.list() else {
            return page.count_matches(search, self);
        };
        let width = list.shape.row_width().into();
        let items = list.counted_items();
        let are_all = items.len() == list.shape.count;
        let found = items.filter(|at| item_matches(page, *at, width, search, self));
        are_all.then(|| found.count())
    }

    /// Gives a filter that was typed to the topmost page that takes it.
    pub(crate) fn offer_filter(&mut self, filter: &LineFilter) {
        self.offer_all(|page, app| page.filter(filter, app));
    }

    /// Gives what came back for a query to the page that asked, which may have been left for another
    /// view, or have been closed.
    pub(crate) fn offer_answer(&mut self, id: u64, answer: PageAnswer) {
        if let Some((layer, mut page)) = self.pages.take_awaiting(id) {
            page.on_answer(answer, self);
            self.pages.put_back(layer, page);
        }
    }

    /// Closes the pages that are about the visible view, which is left for another one.
    pub(crate) fn leave_pages(&mut self) {
        self.pages.leave(self.view_number());
    }

    /// The number of the visible view, under which the pages are kept from which it is left.
    pub(crate) fn view_number(&self) -> u64 {
        let view = self.view().filter(|_| !self.history.is_before_views);
        view.map_or(BEFORE_VIEWS, |view| view.id)
    }

    /// Opens the pages again from which the visible view was left.
    pub(crate) fn reopen_pages(&mut self) {
        self.reopen_pages_of(self.view_number());
    }

    /// Opens the pages again from which a view was left. Returns whether there are any.
    pub(crate) fn reopen_pages_of(&mut self, view: u64) -> bool {
        let first = self.pages.len();
        let is_reopened = self.pages.reopen(view);
        if is_reopened {
            for at in first..self.pages.len() {
                self.let_act(at, |page, app| page.on_reopened(app));
            }
            self.request_incomplete_diff();
        }
        is_reopened
    }

    /// Lets the pages do a part of what they have to do between messages.
    pub(crate) fn work_on_pages(&mut self) {
        for at in 0..self.pages.len() {
            self.let_act(at, |page, _| page.work());
        }
    }

    /// Lets the pages follow a change of the state, and gives their lists their places on the
    /// screen.
    pub(crate) fn refresh_pages(&mut self) {
        for at in 0..self.pages.len() {
            self.let_act(at, |page, app| {
                page.refresh(app);
                fit_list(page, app);
                if is_match_found(page, app) {
                    fit_list(page, app);
                }
            });
        }
    }
}

/// Goes to the row of a list that a typed number, percentage or `$` names; passes other inputs.
pub(crate) fn go_to_row(list: &mut ItemList, input: &str, app: &mut App) -> Handled {
    let count = list.shape.count;
    let percent = input.strip_suffix('%').and_then(|n| n.trim().parse().ok());
    match (input, input.parse::<usize>(), percent) {
        ("$", _, _) => list.select(usize::MAX),
        (_, Ok(row), _) => {
            list.select(row.saturating_sub(1));
            if row > count {
                let count = thousands(count);
                app.show_message(format!("there are {count} rows: this is the last one"));
            }
        }
        (_, _, Some(percent)) => {
            let last = u32::try_from(count.saturating_sub(1)).unwrap_or(u32::MAX);
            list.select(percent_of(last, percent) as usize);
        }
        _ => return Handled::Pass,
    }
    Handled::Yes
}

/// True if a key opens the selected item though it is not bound to that.
fn opens_item(key: Key, app: &App) -> bool {
    let is_enter = key.code == KeyCode::Enter && !key.ctrl && !key.alt;
    is_enter && app.keymap.action(key) != Some(Action::Diff)
}

/// Uses the list of a page, and lets the page follow. Returns what the use returns.
pub(crate) fn use_list(
    page: &mut dyn Page<App>,
    app: &mut App,
    run: impl FnOnce(&mut ItemList) -> bool,
) -> bool {
    let Some(list) = page.list_mut() else {
        return false;
    };
    let before = list.selected;
    let is_changed = run(list);
    let is_moved = list.selected != before;
    if is_moved || is_changed {
        page.list_used(is_moved, app);
    }
    is_changed
}

/// Performs an action on the list of a page.
pub(crate) fn list_action(
    page: &mut dyn Page<App>,
    action: Action,
    count: Option<u32>,
    app: &mut App,
) -> Handled {
    if use_list(page, app, |list| list.perform(action, count)) {
        return Handled::Yes;
    }
    match action {
        Action::Search => app.open_prompt(PromptKind::Search),
        Action::SearchBackward => app.open_prompt(PromptKind::SearchBackward),
        Action::NextMatch | Action::PreviousMatch => {
            let is_backward = page.list().is_some_and(|list| list.backward);
            let forward = (action == Action::NextMatch) != is_backward;
            next_match(page, forward, count.unwrap_or(1), app);
        }
        Action::Diff => page.open_item(app),
        Action::Forward => {
            if app.has_later_step() {
                page.on_left();
            }
            app.forward(1);
        }
        Action::Help => app.open_help(),
        Action::Redraw | Action::Reload | Action::Suspend | Action::Theme => {
            return Handled::Pass;
        }
        _ => app.nothing_here(),
    }
    Handled::Yes
}

/// Handles a key for a list below a typed input, unless it is for the input.
pub(crate) fn typed_key(page: &mut dyn Page<App>, key: Key, app: &mut App) -> Handled {
    match typed_list_action(key) {
        None => return Handled::Pass,
        Some(Action::Help) => app.open_help(),
        Some(action) => {
            use_list(page, app, |list| list.perform(action, None));
        }
    }
    Handled::Yes
}

/// Searches the list of a page; without a pattern, repeats the last search.
fn search_list(
    page: &mut dyn Page<App>,
    pattern: &str,
    direction: Direction,
    app: &mut App,
) -> Handled {
    let forward = direction == Direction::Forward;
    if let Some(list) = page.list_mut() {
        list.backward = !forward;
        if !pattern.is_empty() {
            match Search::new(pattern, 0) {
                Some(search) => list.set_search(search),
                None => {
                    app.show_message(TOO_LARGE_PATTERN);
                    return Handled::Yes;
                }
            }
        }
    }
    next_match(page, forward, 1, app);
    Handled::Yes
}

/// Selects the next match in the list of a page, or the previous one.
fn next_match(page: &mut dyn Page<App>, forward: bool, times: u32, app: &mut App) {
    let Some(list) = page.list() else { return };
    let Some(search) = &list.search else {
        return app.show_filled(NO_PATTERN);
    };
    let width = list.shape.row_width().into();
    let matches = |search: &Search, at: usize| item_matches(page, at, width, search, app);
    let find = |search: &Search| list.nth_match(|at| matches(search, *at), forward, times as usize);
    // What came since then may match the expression.
    let search = search
        .restarted(0)
        .or_as_text(|search| find(search).is_some());
    let (found, is_reading) = (find(&search), page.is_reading(app));
    // What is still to be read comes before what is around the end.
    let Some((at, around)) = found.filter(|(_, around)| !(*around && is_reading)) else {
        let words = match found {
            Some(_) => refused(!is_reading, WRAPPED_AROUND),
            None => nothing_matches(&search, is_reading),
        };
        let awaited = is_reading.then_some((forward, list.shape.count));
        if let Some(list) = page.list_mut() {
            list.set_search(search);
            list.awaited = awaited;
        }
        return app.show_message(words);
    };
    let items = list.counted_items();
    let all: Vec<usize> = items.filter(|at| matches(&search, *at)).collect();
    use_list(page, app, |list| {
        list.select(at);
        list.set_search(search);
        list.count_matches(at, &all);
        true
    });
    if around {
        app.show_message(WRAPPED_AROUND);
    }
}

/// Says that no item of a list matches, as far as it is read.
fn nothing_matches(search: &Search, is_reading: bool) -> String {
    let pattern = search.quoted();
    if is_reading {
        format!("nothing matches {pattern} so far: {STILL_READING}")
    } else {
        format!("nothing matches {pattern}")
    }
}

/// Selects the match that is waited for in the list of a page, unless something else was pressed since
/// then. True if there is one.
fn is_match_found(page: &mut dyn Page<App>, app: &mut App) -> bool {
    let Some(list) = page.list() else {
        return false;
    };
    let (Some((forward, looked)), Some(search)) = (list.awaited, &list.search) else {
        return false;
    };
    let is_reading = page.is_reading(app);
    let message = app.status.message.as_deref();
    let is_awaited =
        app.status.is_still_reading() || message == Some(&nothing_matches(search, true));
    let (count, width) = (list.shape.count, list.shape.row_width().into());
    let mut new = looked.min(count)..count;
    let found =
        is_awaited && (!is_reading || new.any(|at| item_matches(page, at, width, search, app)));
    if let Some(list) = page.list_mut() {
        list.awaited = (is_awaited && !found).then_some((forward, count));
    }
    if found {
        app.clear_message();
        next_match(page, forward, 1, app);
    }
    found
}

/// True if an item of the list of a page matches, whose rows have this width.
fn item_matches(page: &dyn Page<App>, at: usize, width: usize, search: &Search, app: &App) -> bool {
    let mut rows = page.rows(at, width, app).into_iter();
    rows.any(|row| !search.matches(row.searched().as_bytes()).is_empty())
}

/// Gives the list of a page its place on the screen, and the number of its items.
fn fit_list(page: &mut dyn Page<App>, app: &App) {
    // Whether there is a title may depend on the width that the list gets.
    for _ in 0..2 {
        let has_title = page.title(app).is_some();
        let shape = list_shape(page, app, has_title);
        match page.list_mut() {
            Some(list) => list.fit(shape),
            None => return,
        }
    }
}

fn list_shape(page: &dyn Page<App>, app: &App, has_title: bool) -> ListShape {
    let body = app.layout().body();
    let count = page.count(app);
    let rows = u16::try_from(count).unwrap_or(u16::MAX).max(1);
    let rows = rows.saturating_add(has_title.into());
    let place = page.list_place(body);
    let outer = match place {
        ListPlace::Part(area) => area,
        ListPlace::Corner(most) => {
            let width = body.width.min(most);
            Area {
                x: body.x + body.width - width,
                width,
                height: body.height.min(rows),
                ..body
            }
        }
        ListPlace::Foot(most) => {
            let height = body.height.min(rows).min(most);
            Area {
                y: body.y + body.height - height,
                height,
                ..body
            }
        }
    };
    // A list beside something else has an edge at its left.
    let edge = u16::from(matches!(place, ListPlace::Corner(_)) && outer.width > 0);
    // Of a single row, an item has more use.
    let title = u16::from(has_title && outer.height > 1);
    ListShape {
        outer,
        area: Area {
            x: outer.x + edge,
            y: outer.y + title,
            width: outer.width - edge,
            height: outer.height - title,
        },
        count,
        item_rows: page.item_rows(),
        has_ending: !page.ending(app).is_empty(),
    }
}
