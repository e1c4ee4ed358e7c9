//! What the log of a run has of the viewer's events: keys, replies of the terminal and failures.

use crate::{
    repository::FetchEvent,
    system::run_log,
    viewer::{
        app::state::App,
        model::keys::key::{Key, KeyCode},
        pages::page::PageKind,
        protocol::{BlameEvent, BlameEventKind, DiffEvent, DiffEventKind, Message},
        terminal::reply_filter::Reply,
    },
};

/// Notes a message of the keyboard or the mouse, before it changes the state. What is typed into a
/// prompt, or may be, is not noted.
pub(super) fn note_input(app: &App, message: &Message) {
    if !run_log::is_open() {
        return;
    }
    let kind = app.pages.top_kind();
    let takes_text = matches!(
        kind,
        Some(PageKind::Prompt | PageKind::SearchPrompt | PageKind::Other)
    );
    let on = kind.map_or_else(|| "the blame".to_owned(), |kind| format!("{kind:?}"));
    match message {
        Message::Key(Key {
            code: KeyCode::Char(_),
            ctrl: false,
            ..
        }) if takes_text => run_log::note("key", format_args!("a character on {on}")),
        Message::Key(key) => run_log::note("key", format_args!("{key} on {on}")),
        Message::Mouse(mouse) => run_log::note("mouse", format_args!("{mouse:?} on {on}")),
        Message::Paste(text) => {
            run_log::note("paste", format_args!("{} bytes on {on}", text.len()))
        }
        Message::Resize(columns, rows) => {
            run_log::note("size", format_args!("{columns}x{rows}"));
        }
        _ => {}
    }
}

/// Notes a reply of the terminal to a question.
pub(super) fn note_reply(reply: Reply) {
    run_log::note("reply", format_args!("{reply:?}"));
}

/// Notes that the terminal has not answered the question for its background.
pub(super) fn note_silence() {
    run_log::note(
        "reply",
        format_args!("none to the question for the background"),
    );
}

/// Notes that something is on the screen.
pub(super) fn note_first_frame(app: &App) {
    let what = if app.is_empty() { "without" } else { "with" };
    run_log::note("frame", format_args!("the first is drawn, {what} text"));
}

/// Notes a failure of a background task.
pub(super) fn note_failure(message: &Message) {
    let kind_of_query;
    let (what, reason) = match message {
        Message::Blame(BlameEvent {
            kind: BlameEventKind::Failed(failure),
            ..
        }) => ("blame", &failure.0),
        Message::Peeled(_, Err(failure)) => ("peel", &failure.0),
        Message::Diff(DiffEvent { kind, .. }) => match kind {
            DiffEventKind::Metadata(Err(failure)) => ("commit of a diff", &failure.0),
            DiffEventKind::Diff(Err(failure)) => ("diff", &failure.0),
            DiffEventKind::Files(Err(failure)) => ("files of a diff", &failure.0),
            _ => return,
        },
        Message::Query(_, event) => match event.failure() {
            Some((kind, failure)) => {
                kind_of_query = format!("query {kind:?}");
                (kind_of_query.as_str(), &failure.0)
            }
            None => return,
        },
        Message::Fetch(FetchEvent::Ended(Some(reason))) => ("fetch", reason),
        _ => return,
    };
    if run_log::is_open() {
        let reason = run_log::message(reason.as_bytes());
        run_log::note("failure", format_args!("{what}: {reason}"));
    }
}
