//! The header: file, revision, options, progress of the blame, and position.

use ratatui::buffer::Buffer;
use unicode_width::UnicodeWidthStr;

pub(crate) use crate::text::thousands::{counted, thousands};
use crate::{
    sanitize,
    text::thousands::line_number,
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
/// Fewest columns before the name of a function, and those after it.
const FUNCTION_MARGINS: [usize; 2] = [2, 3];
/// What stands between the path and its revision.
const AT: &str = " @ ";

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

/// Draws the header of the blame. What has no room goes in this order: the program's name, other steps,
/// the directories of the path, the function, options, the revision, the position; the file's name last.
pub(crate) fn blame(app: &App, theme: &Theme, row: &mut RowWriter<'_>) {
    let width = usize::from(row.remaining());
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
    let path = app.view().map(|view| sanitize::line(&view.path));
    let path = path.unwrap_or_default();
    let name = columns_of_name(&path);
    // False for what would take a part of the name, but for the end of one that is too long anyway.
    let leaves_name = |room: usize, beside: usize| {
        let least = if name <= room { name } else { room - room / 4 };
        room >= least + beside
    };
    let step = app.view().map_or(0, |view| {
        let step = navigation::without_date(&view.revision);
        AT.width() + sanitize::width(step.as_bytes())
    });
    let place = app.view().filter(|_| width >= 40).and_then(|view| {
        let line = line_number(view.pager.position.line);
        let all = [whereabouts(view, width), line].map(|words| format!("{words} "));
        let fitting = |step| {
            let mut all = all.iter();
            all.find(|words| leaves_name(width, 1 + words.width() + 2 + step))
        };
        fitting(step).or_else(|| fitting(0)).cloned()
    });
    let place_width = place.as_ref().map_or(0, |words| words.width() + 2);
    let mut options = app.shortened_options();
    for words in options.iter_mut().filter(|words| !words.is_empty()) {
        words.insert_str(0, "  ");
    }
    let room = width.saturating_sub(place_width);
    let shown = 1 + path.width() + step;
    // The left side must not move when the progress changes.
    let longest = options[0].width();
    let named = room / 2 >= shown + longest + NAME.len();
    let lead = if named { NAME } else { " " };
    let shown = shown - 1 + lead.len();
    let most = (room / 2).min(room.saturating_sub(shown));
    let fitting = variants.iter().find(|words| words.width() <= most);
    let fitting = fitting
        .or(variants.last())
        .filter(|words| !words.is_empty());
    let progress = fitting.map(|words| format!(" {}", words.trim_end()));
    let progress = progress.unwrap_or_default();
    let least = match progress.as_str() {
        "" => lead.len() + name + step,
        _ => shown,
    };
    let left = room.saturating_sub(least + progress.width());
    // The name of the function is cut for options, and these say no more than they must for a whole name.
    let whole = place.as_ref().and_then(|_| function(app, usize::MAX));
    let beside = left.saturating_sub(whole.map_or(0, |words| words.width()));
    let [all, named, toggled] = &options;
    let fitting = [
        (all, beside),
        (named, beside),
        (named, left),
        (toggled, left),
    ];
    let mut fitting = fitting.into_iter();
    let fitting = fitting.find(|(words, room)| words.width() <= *room);
    let options = fitting.map_or_else(String::new, |(words, _)| words.clone());
    let function = place.as_ref().and_then(|_| {
        let [before, after] = FUNCTION_MARGINS;
        let used = options.width().max(before) + after;
        function(app, left.saturating_sub(used))
    });
    let function = function.unwrap_or_default();
    if let Some(place) = place {
        row.put_right(&format!("  {function}{place}"), theme.bar());
    }
    row.put_right(&progress, theme.bar());
    row.put(lead, theme.bar());
    if app.view().is_none() {
        return;
    }
    let room = usize::from(row.remaining()).saturating_sub(options.width());
    let crumbs = crumbs(app, room.saturating_sub(path.width() + AT.width()));
    let used: usize = crumbs.iter().map(|(words, ..)| words.width()).sum();
    let has_revision = leaves_name(room, AT.width() + used);
    let beside = if has_revision { AT.width() + used } else { 0 };
    let path = sanitize::clip_left(&path, room.saturating_sub(beside));
    row.put_linked(&path, theme.bar_emphasis(), app.page_of_line());
    if !has_revision {
        return row.put(&options, theme.bar());
    }
    row.put(AT, theme.bar());
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

/// The columns of a path without its directories, for which a sign stands.
fn columns_of_name(path: &str) -> usize {
    let name = path.rfind('/').map_or(path, |slash| &path[slash..]);
    path.width().min(name.width() + 1)
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
fn whereabouts(view: &View, width: usize) -> String {
    let line = line_number(view.pager.position.line);
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
