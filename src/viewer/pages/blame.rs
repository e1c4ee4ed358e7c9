//! The blame, which is below all pages: it gets what none of them handles. Its state is that of
//! [`App`], which the pages above need too.

use ratatui::buffer::Buffer;
use unicode_width::UnicodeWidthStr;

use crate::viewer::{
    app::{
        blame::{motion::side_action, search::Direction, view::View},
        display::layout::Area,
        state::App,
    },
    model::{
        color_mode::{ColorMode, MIN_WIDTH_FOR_LEGEND},
        keys::bindings::Action,
        line_filter::LineFilter,
    },
    pages::{
        self,
        offers::{SEARCH_KEYS, offers},
        page::{Handled, Page, PageKind},
    },
    protocol::{Effect, Gesture, Mouse},
    theme::styles::Theme,
    ui::{code, details, footer::Footer, header, paint::RowWriter},
};

/// Keys shown in the status line, most important first.
const BLAME_KEYS: &[(Action, &str)] = &[
    (Action::BlameParent, "before"),
    (Action::BlameCommit, "at"),
    (Action::Back, "back"),
    (Action::Forward, "forward"),
    (Action::Help, "keys"),
    (Action::Diff, "diff"),
    (Action::Search, "search"),
    (Action::Quit, "quit"),
    (Action::Details, "message"),
    (Action::LineHistory, "line history"),
    (Action::FileHistory, "versions"),
    (Action::Whitespace, "whitespace"),
    (Action::Ignore, "ignore"),
    (Action::OlderVersion, "time-lapse"),
    (Action::NextOfCommit, "same commit"),
    (Action::NextGroup, "group"),
    (Action::Goto, "line"),
    (Action::Tour, "tour"),
    (Action::CopyId, "copy id"),
];

/// Keys shown while steps are taken through the versions of the file.
const STEP_KEYS: &[(Action, &str)] = &[
    (Action::OlderVersion, "older"),
    (Action::NewerVersion, "newer"),
    (Action::Back, "back"),
    (Action::FileHistory, "list"),
    (Action::Help, "keys"),
    (Action::BlameParent, "before"),
    (Action::Diff, "diff"),
    (Action::Quit, "quit"),
];

/// The page of the blame.
#[derive(Debug)]
pub(crate) struct BlamePage;

impl Page<App> for BlamePage {
    fn action(&mut self, action: Action, count: Option<u32>, app: &mut App) -> Handled {
        let times = count.unwrap_or(1);
        match action {
            Action::Quit => app.effects.push(Effect::Quit),
            Action::Suspend => app.effects.push(Effect::Suspend),
            Action::Redraw => app.effects.push(Effect::Redraw),
            Action::Close => app.close_in_blame(),
            Action::SelectLines => app.select_lines(),
            Action::Deletions => app.toggle_deletions(),
            Action::NextChange => app.find_next_change(),
            Action::OlderVersion | Action::NewerVersion => {
                app.step_versions(action, times);
            }
            Action::Diff if app.open_deletions() => {}
            Action::Diff => app.open_diff(),
            Action::CommitDiff => app.toggle_commit_diff(),
            Action::ToggleDetails => {
                app.details.visible =
                    !app.pages.close_kind(PageKind::Details) && !app.details.visible;
            }
            Action::GrowDetails => app.resize_details(1),
            Action::ShrinkDetails => app.resize_details(-1),
            Action::Colors => next_color_mode(times, app),
            Action::Theme => app.effects.push(Effect::Themes),
            Action::Dates => app.next_date(times),
            Action::CopyId if app.copy_lines() => {}
            Action::CopyId
            | Action::CopyLink
            | Action::Browse
            | Action::Edit
            | Action::RunCommand => app.external_action(action),
            Action::NextFiltered | Action::PreviousFiltered => app.step_filtered(action, times),
            Action::Reload => app.reload(),
            Action::BlameParent => app.before(),
            Action::BlameCommit => app.blame_at(),
            Action::NextParent => app.show_next_parent(),
            Action::Back => app.back(times),
            Action::Forward => app.forward(times),
            Action::Whitespace
            | Action::DetectMoves
            | Action::DetectCopies
            | Action::Ignore
            | Action::SaveIgnored
            | Action::IgnoreRevsFile => app.toggle_option(action, times),
            Action::Peel => app.peel(),
            Action::PutBack => app.put_back(),
            Action::Origins => app.next_origin_state(),
            Action::SearchWord => app.search_word(Direction::Forward),
            Action::SearchWordBackward => app.search_word(Direction::Backward),
            Action::Stop => app.stop_or_continue(),
            Action::NextMatch => app.repeat_search(true, times),
            Action::PreviousMatch => app.repeat_search(false, times),
            Action::Wrap => app.wrap_or_set_tabs(count),
            _ if pages::open(action, app) => {}
            _ => app.go(action, count),
        }
        Handled::Yes
    }

    fn refusal(&self, action: Action, app: &App) -> Option<String> {
        app.refusal(action)
    }

    fn is_idle(&self, action: Action, app: &App) -> bool {
        app.is_idle(action)
    }

    fn mouse(&mut self, mouse: Mouse, app: &mut App) -> Handled {
        match mouse.gesture {
            Gesture::Wheel(lines) if app.is_on_details(mouse.at.1) => app.scroll_details(lines),
            Gesture::Wheel(lines) => app.scroll(lines),
            Gesture::SideWheel(by) => app.go(side_action(by), None),
            Gesture::DoublePress => app.double_press(mouse.at),
            Gesture::Release | Gesture::Drag | Gesture::Copy => {}
            Gesture::Press => {
                app.clear_message();
                app.press(mouse.at);
            }
        }
        Handled::Yes
    }

    fn search(&mut self, pattern: &str, direction: Direction, app: &mut App) -> Handled {
        app.start_search(pattern, direction);
        Handled::Yes
    }

    fn filter(&mut self, filter: &LineFilter, app: &mut App) -> Handled {
        app.set_filter(filter.clone());
        Handled::Yes
    }

    fn draw(&self, app: &App, theme: &Theme, _: Area, buffer: &mut Buffer) {
        if let Some(view) = app.view() {
            let layout = app.layout();
            code::rows(app, view, theme, layout.code, buffer);
            details::title(app, view, theme, layout.details_title, buffer);
            details::body(app, theme, layout.details, buffer);
        }
    }

    fn header(&self, app: &App, theme: &Theme, row: &mut RowWriter<'_>) -> bool {
        header::blame(app, theme, row);
        true
    }

    fn hints(&self, app: &App, footer: &mut Footer<'_>) -> bool {
        if let Some(words) = deletions(app) {
            return footer.action(Action::Diff, &words);
        }
        let (words, hints) = hints(app, footer);
        if let Some((action, words)) = tip(app, footer) {
            footer.suggest(action, words, &hints);
        }
        footer.row.put(&words, footer.theme.bar_emphasis());
        footer.actions(&hints);
        true
    }
}

/// The columns of the first keys in the status line of the blame, with what stands before them.
pub(crate) fn first_width(app: &App, footer: &Footer<'_>) -> usize {
    if let Some(words) = deletions(app) {
        return 1 + footer.action_width(Action::Diff, &words);
    }
    let (words, hints) = hints(app, footer);
    1 + words.width() + footer.first_width(&hints)
}

/// Colors lines by something else, and says by what where there is no room for the legend.
fn next_color_mode(times: u32, app: &mut App) {
    let times = times as usize % ColorMode::ALL.len();
    let mode = (0..times).fold(app.display.color_mode, |mode, _| mode.next());
    app.display.color_mode = mode;
    if app.size.0 < MIN_WIDTH_FOR_LEGEND {
        app.show_message(format!("colors: {}", mode.name()));
    }
}

/// The keys while several lines are selected.
const SELECTION_KEYS: &[(Action, &str)] = &[
    (Action::LineHistory, "their history"),
    (Action::CopyId, "copy"),
    (Action::Close, "end"),
    (Action::Down, "more"),
    (Action::Up, "fewer"),
    (Action::Help, "keys"),
];

/// What Enter does where lines were deleted, unless lines or a page are what matters.
fn deletions(app: &App) -> Option<String> {
    let is_covered = app.pages.len() > 0 || is_selecting(app);
    let words = app.deletions_in_words().filter(|_| !is_covered)?;
    Some(format!("shows {words}"))
}

fn is_selecting(app: &App) -> bool {
    app.view().is_some_and(|view| view.chosen_lines().is_some())
}

fn is_searched(app: &App) -> bool {
    let found = app.search.get();
    found.is_some_and(|it| it.count() > 0 || !it.is_complete())
}

/// The keys of the blame, and the words before them.
fn hints(app: &App, footer: &Footer<'_>) -> (String, Vec<(Action, &'static str)>) {
    let chosen = app.view().and_then(View::chosen_lines);
    let step = app.view().and_then(|view| view.merge_step.as_ref());
    let words = match (chosen.map(|lines| lines.len()), step) {
        (Some(count), _) => format!("{} selected:  ", header::counted(count, "line")),
        (None, Some(step)) => format!("{}  ", footer.keymap.fill(&step.words())),
        (None, None) => String::new(),
    };
    let is_step = app.layout().scale.height > 0;
    let keys = if is_selecting(app) {
        SELECTION_KEYS
    } else if is_step {
        STEP_KEYS
    } else {
        BLAME_KEYS
    };
    let is_searched = is_searched(app) && !is_selecting(app);
    let search = if is_searched {
        [SEARCH_KEYS, &[(Action::Close, "end")]].concat()
    } else {
        Vec::new()
    };
    let keys = search.iter().chain(keys);
    let keys = keys.filter(|(action, _)| offers(&BlamePage, *action, app));
    (words, keys.copied().collect())
}

/// The key that is highlighted, unless something else is more important.
fn tip(app: &App, footer: &Footer<'_>) -> Option<(Action, &'static str)> {
    let is_step = app.layout().scale.height > 0;
    // A legend stands where the hint would.
    let has_legend = app.display.color_mode != ColorMode::Shades && footer.theme.has_colors();
    let has_room = !is_selecting(app) && !is_step && !is_searched(app) && !has_legend;
    app.key_hint().filter(|_| has_room)
}
