//! The header: file, revision, options, progress of the blame, and position.

use ratatui::buffer::Buffer;
use unicode_width::UnicodeWidthStr;

pub(crate) use crate::text::thousands::thousands;
use crate::{
    sanitize,
    viewer::{
        app::{
            blame::{
                navigation,
                view::{Progress, View},
            },
            display::layout::Area,
            state::App,
        },
        model::relative_dates,
        protocol::ClickTarget,
        theme::styles::Theme,
        ui::{
            click_targets::ClickTargets,
            paint::{self, RowWriter},
        },
    },
};

const NAME: &str = " tblame  ";

/// Fewest columns in which a longer name of a function is shown, and the most that it takes.
const MIN_FUNCTION_WIDTH: usize = 12;
const MAX_FUNCTION_WIDTH: usize = 48;
/// Fewest columns of a longer path beside its revision.
const MIN_PATH_WIDTH: usize = 4;
/// Columns between the name of a function and its neighbours.
const FUNCTION_MARGIN: usize = 5;

/// Draws the header of the topmost page that has one.
pub(super) fn header(
    app: &App,
    theme: &Theme,
    area: Area,
    targets: &mut ClickTargets,
    buffer: &mut Buffer,
) {
    if area.height == 0 {
        return;
    }
    paint::fill(buffer, area, theme.bar());
    let mut row = RowWriter::new(buffer, area).with_targets(targets);
    app.all_pages()
        .any(|page| page.header(app, theme, &mut row));
}

/// Draws the header of the blame.
pub(crate) fn blame(app: &App, theme: &Theme, row: &mut RowWriter<'_>) {
    let width = row.remaining();
    let variants = match (app.view(), &app.history.pending) {
        (Some(_), Some(pending)) => vec![format!(
            "opening {}… ",
            sanitize::line(pending.revision.as_bytes())
        )],
        (Some(view), None) => match app.second_answer() {
            Some(second) if second.is_running() && !view.is_running() => {
                let percent = attributed_percent(&second.view);
                let words = format!("{percent}%  looking for who wrote moved lines ");
                vec![words, format!("{percent}% ")]
            }
            _ => progress(view),
        },
        (None, _) => vec!["reading… ".to_owned()],
    };
    let place = app.view().filter(|_| width >= 40);
    let place = place.map(|view| format!("{} ", whereabouts(view, width)));
    let place_width = place.as_ref().map_or(0, |words| words.width() + 2);
    let options = app.active_options();
    let options = if options.is_empty() {
        options
    } else {
        format!("  {options}")
    };
    // Priority: file, revision and options, then progress, then the program's name.
    let shown = app.view().map_or(0, |view| {
        let step = navigation::without_date(&view.revision);
        let words = [view.path.as_slice(), step.as_bytes(), options.as_bytes()];
        4 + words.map(sanitize::width).iter().sum::<usize>()
    });
    let room = usize::from(row.remaining()).saturating_sub(place_width);
    // The left side must not move when the progress changes.
    let named = room / 2 >= shown + NAME.len();
    let shown = shown + if named { NAME.len() } else { 0 };
    let most = (room / 2).min(room.saturating_sub(shown));
    let fitting = variants.iter().find(|words| words.width() <= most);
    let fitting = fitting
        .or(variants.last())
        .filter(|words| !words.is_empty());
    let progress = fitting.map(|words| format!(" {}", words.trim_end()));
    let progress = progress.unwrap_or_default();
    if let Some(place) = place {
        let left = room.saturating_sub(shown + progress.width() + FUNCTION_MARGIN);
        let function = function(app, left).unwrap_or_default();
        row.put_right(&format!("  {function}{place}"), theme.bar());
    }
    row.put_right(&progress, theme.bar());
    row.put(if named { NAME } else { " " }, theme.bar());
    let Some(view) = app.view() else { return };
    let path = sanitize::line(&view.path);
    let room = usize::from(row.remaining()).saturating_sub(options.width());
    let crumbs = crumbs(app, room.saturating_sub(path.width() + 3));
    let used: usize = crumbs.iter().map(|(words, ..)| words.width()).sum();
    // The file is named, if not with its revision.
    let has_revision = room >= used + 3 + path.width().min(MIN_PATH_WIDTH);
    let beside = if has_revision { used + 3 } else { 0 };
    let path = sanitize::clip_left(&path, room.saturating_sub(beside));
    row.put_linked(&path, theme.bar_emphasis(), app.page_of_line());
    if !has_revision {
        return row.put(&options, theme.bar());
    }
    row.put(" @ ", theme.bar());
    for (words, current, view) in crumbs {
        let style = if current {
            theme.bar_emphasis()
        } else {
            theme.bar()
        };
        row.put_target(&words, style, ClickTarget::Step(view));
    }
    row.put(&options, theme.bar());
}

/// The function that the selected line is in, within some columns.
fn function(app: &App, width: usize) -> Option<String> {
    let name = app.enclosing_function()?;
    let most = width.min(MAX_FUNCTION_WIDTH);
    let is_enough = most >= MIN_FUNCTION_WIDTH || name.width() <= most;
    let name = sanitize::clip(name.as_bytes(), most);
    (is_enough && !name.is_empty()).then(|| format!("{name} · "))
}

/// Position of the selected line in the file.
fn whereabouts(view: &View, width: u16) -> String {
    let line = thousands(u64::from(view.pager.position.line) + 1);
    let count = thousands(view.text.line_count());
    match width {
        _ if view.text.line_count() == 0 => "empty".to_owned(),
        60.. => format!("line {line} of {count}"),
        _ => format!("{line}/{count}"),
    }
}

/// The navigation history, as many steps as fit into `width` columns, each with whether it is
/// current and the index of its first view. Toggled options are no steps here.
fn crumbs(app: &App, width: usize) -> Vec<(String, bool, usize)> {
    let views = &app.history.views;
    let mut steps: Vec<(&str, usize)> = Vec::new();
    let mut current = 0;
    for (at, view) in views.iter().enumerate() {
        // One step for a file that was reloaded several times.
        let is_again = steps.last().is_some_and(|(name, _)| *name == view.revision);
        if steps.is_empty() || (view.toggled_option.is_none() && !is_again) {
            steps.push((&view.revision, at));
        }
        if at == app.history.current {
            current = steps.len() - 1;
        }
    }
    let step = |at: usize| {
        let name = steps.get(at).map_or("", |(name, _)| name);
        sanitize::line(navigation::without_date(name).as_bytes())
    };
    let mut used = step(current).width();
    let view_of = |at: usize| steps.get(at).map_or(0, |(_, view)| *view);
    let mut crumbs = vec![(step(current), true, view_of(current))];
    let (mut first, mut last) = (current, current + 1);
    loop {
        let before = first.checked_sub(1).map(|at| format!("{} › ", step(at)));
        let before = before.filter(|words| used + words.width() + 4 <= width);
        let after = (last < steps.len()).then(|| format!(" › {}", step(last)));
        let after = after.filter(|words| before.is_none() && used + words.width() + 4 <= width);
        match (before, after) {
            (Some(words), _) => {
                used += words.width();
                first -= 1;
                crumbs.insert(0, (words, false, view_of(first)));
            }
            (None, Some(words)) => {
                used += words.width();
                crumbs.push((words, false, view_of(last)));
                last += 1;
            }
            (None, None) => break,
        }
    }
    if first > 0 && used + 4 <= width {
        crumbs.insert(0, ("… › ".to_owned(), false, view_of(first - 1)));
        used += 4;
    }
    // The date comes last: nothing else is left out for it.
    let full = steps.get(current).map_or("", |(name, _)| name);
    let full = sanitize::line(full.as_bytes());
    let extra = full.width().saturating_sub(step(current).width());
    if used + extra <= width
        && let Some(crumb) = crumbs.iter_mut().find(|(_, current, _)| *current)
    {
        crumb.0 = full;
    }
    crumbs
}

/// The share of lines that are attributed, in percent.
fn attributed_percent(view: &View) -> u64 {
    let known = view.attribution.attributed();
    match view.text.line_count() {
        0 => 100,
        total => u64::from(known) * 100 / u64::from(total),
    }
}

/// Variants of the progress text, longest first.
fn progress(view: &View) -> Vec<String> {
    let percent = attributed_percent(view);
    match &view.progress {
        Progress::Running(None) => vec!["looking for commits… ".to_owned(), "… ".to_owned()],
        Progress::Running(Some(date)) => {
            let day = relative_dates::day(*date, 0);
            vec![
                format!("{percent}%  remaining lines are older than {day} "),
                format!("{percent}%  older than {day} "),
                format!("{percent}% "),
            ]
        }
        Progress::Interrupted => vec![format!("{percent}%, paused "), format!("{percent}% ")],
        Progress::Finished(_) => vec![String::new()],
        Progress::Failed(_) => vec![format!("stopped at {percent}% "), format!("{percent}%! ")],
    }
}
