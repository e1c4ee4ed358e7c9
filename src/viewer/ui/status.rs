//! The header and the status line.

use ratatui::{buffer::Buffer, style::Modifier};
use unicode_width::UnicodeWidthStr;

use crate::{
    sanitize,
    viewer::{
        app::{
            blame::view::{Progress, View},
            diff::diff_view::DiffView,
            display::layout::Area,
            overlays::{
                overlay::KeyTarget,
                prompt::{Completion, PromptKind},
            },
            state::App,
        },
        model::{
            abbreviation::short, bindings::Action, encodings::Encoding, key_sequence,
            keymap::KeyLookup, relative_dates,
        },
        protocol::ClickTarget,
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
        },
        ui::{
            click_targets::ClickTargets,
            color_mode, finder,
            paint::{self, RowWriter},
        },
    },
};

const NAME: &str = " tblame  ";

/// Draws the file, the revision and the progress of the blame.
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
    if let Some(diff) = app.overlays.diff() {
        return diff_header(diff, theme, area, buffer);
    }
    let mut row = RowWriter::new(buffer, area).with_targets(targets);
    let variants = match (app.view(), &app.history.pending) {
        (Some(_), Some(pending)) => vec![format!(
            "opening {}… ",
            sanitize::line(pending.revision.as_bytes())
        )],
        (Some(view), None) => progress(view),
        (None, Some(_)) => vec!["reading… ".to_owned()],
        (None, None) => vec!["choose a file ".to_owned()],
    };
    if let Some(view) = app.view().filter(|_| area.width >= 40) {
        row.put_right(&format!(" {} ", whereabouts(view)), theme.bar());
    }
    // Priority: file and revision, then progress, then the program's name.
    let shown = app.view().map_or(0, |view| {
        let step = view.toggled_option.as_ref().unwrap_or(&view.revision);
        let words = [view.path.as_slice(), step.as_bytes()];
        4 + words.map(sanitize::width).iter().sum::<usize>()
    });
    let room = usize::from(row.remaining());
    // The left side must not move when the progress changes.
    let named = room / 2 >= shown + NAME.len();
    let shown = shown + if named { NAME.len() } else { 0 };
    let most = (room / 2).min(room.saturating_sub(shown));
    let fitting = variants.iter().find(|words| words.width() <= most);
    if let Some(words) = fitting
        .or(variants.last())
        .filter(|words| !words.is_empty())
    {
        row.put_right(&format!(" {}", words.trim_end()), theme.bar());
    }
    row.put(if named { NAME } else { " " }, theme.bar());
    let Some(view) = app.view() else { return };
    let path = sanitize::line(&view.path);
    let crumbs = crumbs(
        app,
        usize::from(row.remaining()).saturating_sub(path.width() + 3),
    );
    let room =
        usize::from(row.remaining()).saturating_sub(crumbs.iter().map(|c| c.0.width()).sum());
    row.put(
        &paint::clip_left(&path, room.saturating_sub(3)),
        theme.bar_emphasis(),
    );
    row.put(" @ ", theme.bar());
    for (words, step) in crumbs {
        let style = match step == app.history.current {
            true => theme.bar_emphasis(),
            false => theme.bar(),
        };
        row.put_target(&words, style, ClickTarget::Step(step));
    }
}

/// Draws the header of the diff view.
fn diff_header(diff: &DiffView, theme: &Theme, area: Area, buffer: &mut Buffer) {
    let mut row = RowWriter::new(buffer, area);
    let (bar, strong) = (theme.bar(), theme.bar_emphasis());
    if area.width >= 40 {
        let last = i64::try_from(diff.rows().len()).unwrap_or(1).max(2) - 1;
        let at = diff.selected_row().map_or(0, |row| row as i64);
        let percent = at.clamp(0, last) * 100 / last;
        row.put_right(&format!(" {percent:>3}% "), bar);
    }
    let files = diff.files.as_ref().and_then(|files| files.as_ref().ok());
    let count = files.map_or(0, |changes| changes.files.len() + changes.more);
    if count > 1 {
        let words = match diff.file() {
            Some(at) => format!(" file {} of {}", at + 1, thousands(count)),
            None => format!(" {} files", thousands(count)),
        };
        if usize::from(area.width) > 3 * words.width() {
            row.put_right(&words, bar);
        }
    }
    let commit = diff.commit.as_ref();
    let commit = commit.map_or("work tree".to_owned(), |id| short(id));
    let title = diff.title();
    let room = usize::from(row.remaining());
    let named = room / 2 >= title.width() + commit.width() + 3;
    row.put(if named { NAME } else { " " }, bar);
    row.put("diff ", bar);
    row.put(&commit, strong);
    row.put(" ", bar);
    let room = usize::from(row.remaining()).saturating_sub(1);
    row.put(&paint::clip_left(&title, room), strong);
}

/// Position of the selected line in the file.
fn whereabouts(view: &View) -> String {
    let last = view.text.line_count().saturating_sub(1);
    let percent = u64::from(view.pager.position.line) * 100 / u64::from(last.max(1));
    format!("{percent:>3}%")
}

/// The navigation history, as many steps as fit into `width` columns, each with its index.
fn crumbs(app: &App, width: usize) -> Vec<(String, usize)> {
    let step = |at: usize| {
        let view = &app.history.views[at];
        let words = view.toggled_option.as_ref().unwrap_or(&view.revision);
        sanitize::line(words.as_bytes())
    };
    let mut crumbs = vec![(step(app.history.current), app.history.current)];
    let mut used = crumbs[0].0.width();
    let (mut first, mut last) = (app.history.current, app.history.current + 1);
    loop {
        let before = first.checked_sub(1).map(|at| format!("{} › ", step(at)));
        let before = before.filter(|words| used + words.width() + 4 <= width);
        let after = (last < app.history.views.len()).then(|| format!(" › {}", step(last)));
        let after = after.filter(|words| before.is_none() && used + words.width() + 4 <= width);
        match (before, after) {
            (Some(words), _) => {
                used += words.width();
                first -= 1;
                crumbs.insert(0, (words, first));
            }
            (None, Some(words)) => {
                used += words.width();
                crumbs.push((words, last));
                last += 1;
            }
            (None, None) => break,
        }
    }
    if first > 0 && used + 4 <= width {
        crumbs.insert(0, ("… › ".to_owned(), first - 1));
    }
    crumbs
}

/// Variants of the progress text, longest first.
fn progress(view: &View) -> Vec<String> {
    let total = view.text.line_count();
    let known = view.attribution.attributed();
    let percent = if total == 0 {
        100
    } else {
        u64::from(known) * 100 / u64::from(total)
    };
    let lines = match total {
        1 => "1 line".to_owned(),
        _ => format!("{} lines", thousands(total)),
    };
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
        Progress::Interrupted => vec![format!("{percent} %, paused "), format!("{percent}% ")],
        Progress::Finished(report) => {
            let seconds = report.elapsed.as_secs_f64();
            let commits = thousands(u32::try_from(report.stats.visited).unwrap_or(u32::MAX));
            let mut words = vec![
                format!("{lines} in {seconds:.2} s "),
                format!("{seconds:.2} s "),
                String::new(),
            ];
            if report.stats.visited > 0 {
                let visited = match report.stats.visited {
                    1 => "1 commit visited".to_owned(),
                    _ => format!("{commits} commits visited"),
                };
                words.insert(0, format!("{lines}, {visited}, {seconds:.2} s "));
            }
            words
        }
        Progress::Failed(_) => vec![format!("stopped at {percent}% "), format!("{percent}%! ")],
    }
}

fn thousands(number: impl ToString) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

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
    (Action::Whitespace, "whitespace"),
    (Action::Ignore, "ignore"),
    (Action::NextOfCommit, "same commit"),
    (Action::NextGroup, "group"),
    (Action::Goto, "line"),
    (Action::CopyId, "copy id"),
];

/// Keys shown in the diff view.
const DIFF_KEYS: &[(Action, &str)] = &[
    (Action::Close, "close"),
    (Action::BlameParent, "blame the old side"),
    (Action::BlameCommit, "the new side"),
    (Action::NextGroup, "next change"),
    (Action::Help, "keys"),
    (Action::Search, "search"),
    (Action::Wrap, "wrap"),
];

/// Keys shown beside a suggested one.
const KEYS_BESIDE_HINT: &[(Action, &str)] = &[
    (Action::Help, "keys"),
    (Action::Quit, "quit"),
    (Action::Tour, "tour"),
];

/// Draws the text of the tour.
pub(super) fn tour(app: &App, theme: &Theme, area: Area, buffer: &mut Buffer) {
    let text = theme.line(LineBackground::SelectedCommit, Foreground::Text);
    paint::fill(buffer, area, text);
    for (line, y) in app.tour_lines().iter().zip(area.y..area.y + area.height) {
        paint::text(
            buffer,
            (area.x + 1, y),
            area.width.saturating_sub(1),
            line,
            text,
        );
    }
}

/// Draws the status line: prompt, message or hints.
pub(super) fn status_line(
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
    let key_target = app.overlays.key_target();
    if let KeyTarget::Finder(finder) = key_target {
        return finder::prompt(finder, theme, &mut row);
    }
    if let KeyTarget::Prompt(prompt) = key_target {
        let sign = match prompt.kind {
            PromptKind::Goto => ":",
            PromptKind::Search => "/",
            PromptKind::SearchBackward => "?",
            PromptKind::Encoding => "encoding: ",
        };
        if prompt.kind.is_search()
            && !prompt.text.is_empty()
            && let Some(words) = search_words(app)
        {
            row.put_right(&format!(" {words}"), theme.bar());
        }
        row.put(sign, theme.bar_emphasis());
        // The end of the text, where the cursor is, stays visible.
        let text = sanitize::line(prompt.text.as_bytes());
        let text = paint::clip_left(&text, usize::from(row.remaining()).saturating_sub(1));
        row.put(&text, theme.bar());
        row.put(" ", theme.bar().add_modifier(Modifier::REVERSED));
        if let Some(completion) = &prompt.completion {
            completions(completion, theme, &mut row);
        }
        if prompt.kind == PromptKind::Encoding {
            let words = "  a name, hex or auto; Tab cycles through common ones";
            row.put(words, theme.bar());
        }
        return;
    }
    // A message is not cut for what stands at the right.
    let message = app.status.message.as_ref();
    let message = message.map(|message| sanitize::line(message.as_bytes()));
    let reserved = message.as_ref().map_or(0, |message| message.width() + 3);
    let fits = |row: &RowWriter<'_>, words: &str| {
        reserved == 0 || words.width() + reserved <= usize::from(row.remaining())
    };
    if app.status.count.is_some() || !app.status.prefix.is_empty() {
        let count = app.status.count.map_or(String::new(), |it| it.to_string());
        let keys = key_sequence::names(&app.status.prefix);
        row.put_right(&format!("{count}{keys} "), theme.bar_emphasis());
    } else if let Some(words) = search_words(app).filter(|words| fits(&row, words)) {
        row.put_right(&words, theme.bar());
    }
    let options = format!(" {} ", app.active_options());
    if options.len() > 2 && fits(&row, &options) {
        row.put_right(&options, theme.bar());
    }
    if reserved == 0 {
        color_mode::legend(app, theme, &mut row);
    }
    if let Some(words) = app.change_notice() {
        let key = app.keymap.keys(Action::Reload).next();
        let key = key.map_or(String::new(), |key| format!(": {key} reloads"));
        let words = format!(" {words}{key} ");
        let target = ClickTarget::Action(Action::Reload);
        if fits(&row, &words) {
            row.put_target_right(&words, theme.bar_emphasis(), target);
        }
    }
    row.put(" ", theme.bar());
    if let Some(message) = message {
        row.put(&message, theme.bar_emphasis());
        return;
    }
    if let Some(Progress::Failed(failure)) = app.view().map(|view| &view.progress) {
        let words = sanitize::line(failure.0.as_bytes());
        row.put(&format!("blame failed: {words}  "), theme.bar_emphasis());
    } else if let Some(words) = file_words(app) {
        row.put(&words, theme.bar());
    }
    if let KeyTarget::Columns(_) = key_target {
        let keys = [
            ("Space", "show or hide"),
            ("+ -", "wider, narrower"),
            ("J K", "move"),
        ];
        let dates = app.keymap.keys(Action::Dates).next();
        let close = app.keymap.keys(Action::Close).next();
        let bound = [(close, "close"), (dates, "dates")];
        let bound = bound.map(|(key, words)| (key.map(|key| key.to_string()), words));
        let keys = keys.map(|(key, words)| (Some(key.to_owned()), words));
        for (key, words) in bound.into_iter().chain(keys) {
            if !hint(theme, &mut row, key, words, None) {
                break;
            }
        }
        return;
    }
    if let KeyTarget::Question(question) = key_target {
        for (key, words) in [("y", question.yes), ("Esc", "leave it")] {
            hint(theme, &mut row, Some(key.to_owned()), words, None);
        }
        return;
    }
    if let KeyTarget::Themes(_) = key_target {
        let close = app.keymap.keys(Action::Close).next();
        let close = close.map(|key| key.to_string());
        for (key, words) in [(Some("Enter".to_owned()), "keep"), (close, "return")] {
            hint(theme, &mut row, key, words, None);
        }
        return;
    }
    hints(app, theme, &mut row);
}

/// Draws key hints for the current context, or the suggested key.
fn hints(app: &App, theme: &Theme, row: &mut RowWriter<'_>) {
    let reading = matches!(app.overlays.key_target(), KeyTarget::Page);
    let diff = app.overlays.diff();
    let hints: &[(Action, &str)] = match reading {
        true => &[
            (Action::Close, "close"),
            (Action::Down, "down"),
            (Action::Up, "up"),
        ],
        false if diff.is_some() => DIFF_KEYS,
        false => match app.key_hint() {
            Some((key, words))
                if key.to_string().width() + words.width() + 7 <= usize::from(row.remaining()) =>
            {
                row.put("try ", theme.bar());
                let target = match app.keymap.lookup(key.keys()) {
                    KeyLookup::Action(action) => Some(ClickTarget::Action(action)),
                    KeyLookup::Prefix | KeyLookup::Unbound => None,
                };
                hint(theme, row, Some(key.to_string()), words, target);
                KEYS_BESIDE_HINT
            }
            _ => BLAME_KEYS,
        },
    };
    let files = diff.filter(|_| !reading);
    let files = files.and_then(|diff| diff.files.as_ref()?.as_ref().ok());
    let others = files.is_some_and(|changes| changes.files.len() > 1);
    let mut hints = hints.to_vec();
    if others {
        hints.insert(4, (Action::NextOfCommit, "next file"));
    }
    for (action, words) in &hints {
        let key = app.keymap.keys(*action).next();
        let target = Some(ClickTarget::Action(*action));
        if !hint(theme, row, key.map(|key| key.to_string()), words, target) {
            break;
        }
    }
}

/// Draws a key and its action, if a key is bound. Returns whether it fits.
fn hint(
    theme: &Theme,
    row: &mut RowWriter<'_>,
    key: Option<String>,
    words: &str,
    target: Option<ClickTarget>,
) -> bool {
    let Some(key) = key else { return true };
    let fits = key.width() + words.width() + 3 <= usize::from(row.remaining());
    if fits {
        let words = format!(" {words}");
        match target {
            Some(target) => {
                row.put_target(&key, theme.bar_emphasis(), target);
                row.put_target(&words, theme.bar(), target);
            }
            None => {
                row.put(&key, theme.bar_emphasis());
                row.put(&words, theme.bar());
            }
        }
        row.put("  ", theme.bar());
    }
    fits
}

/// Draws the candidates of a completion after the input, from the chosen one on.
fn completions(completion: &Completion, theme: &Theme, row: &mut RowWriter<'_>) {
    let count = completion.candidates.len();
    if count == 0 {
        return row.put("  nothing begins with this", theme.bar());
    }
    let chosen = completion.chosen.unwrap_or(count);
    let first = if chosen < count { chosen } else { 0 };
    for (at, name) in completion.candidates.iter().enumerate().skip(first) {
        let name = sanitize::line(name.as_bytes());
        if name.width() + 2 > usize::from(row.remaining()) {
            break;
        }
        row.put("  ", theme.bar());
        let style = match at == chosen {
            true => theme.bar_emphasis(),
            false => theme.bar(),
        };
        row.put(&name, style);
    }
}

fn search_words(app: &App) -> Option<String> {
    let (search, line, all) = match app.overlays.diff() {
        Some(diff) => {
            let search = diff.search.get()?;
            let row = diff.selected_row().and_then(|row| u32::try_from(row).ok());
            let row = row.unwrap_or(u32::MAX);
            (search, row, search.is_complete())
        }
        None => {
            let (search, view) = (app.search.get()?, app.view()?);
            let all = search.is_complete() && !view.is_running();
            (search, view.pager.position.line, all)
        }
    };
    let more = if all { "" } else { "+" };
    let count = search.count();
    Some(match search.ordinal(line) {
        Some(ordinal) => format!("match {ordinal} of {count}{more} "),
        None if count == 0 && all && app.overlays.prompt().is_some() => "no match ".to_owned(),
        // The message has said so.
        None if count == 0 && all => return None,
        None if count == 1 => format!("1{more} match "),
        None => format!("{count}{more} matches "),
    })
}

/// A note about the encoding or the contents of the file.
fn file_words(app: &App) -> Option<String> {
    if let Some(diff) = app.overlays.diff() {
        return diff
            .unhighlighted_reason()
            .map(|words| format!("{words}  "));
    }
    let view = app.view()?;
    if let Some(encoding) = app.converting() {
        return Some(format!("reading it as {}…  ", encoding.name()));
    }
    if view.encoding != Encoding::Utf8 {
        return Some(format!("shown as {}  ", view.encoding.name()));
    }
    if view.text.is_binary() {
        return Some("binary file: other bytes are shown as ^@ or <FF>  ".to_owned());
    }
    let reason = view
        .highlights
        .unhighlighted_reason
        .as_ref()
        .filter(|words| !words.is_empty())?;
    Some(format!("{reason}  "))
}
