//! Answers of background tasks that come after other keys, applied to the state directly.

use std::sync::Arc;

use bstr::BString;
use tblame::internals::{
    objects::{HashKind, ObjectId},
    viewer::{
        app::{
            settings::{arguments::ViewerArguments, environment::RepositoryInfo},
            state::App,
            update::update,
        },
        config::settings::Config,
        model::{
            background::{
                queries::{QueryRequest, StampQuery},
                query::Answer,
            },
            diff::{Comparison, DiffRow},
            keys::key::Key,
            source::{CommitChanges, FileVersion, Stamp, StampChange},
            texts::{syntax::SyntaxClass, text::Text},
        },
        protocol::{
            AttributedLines, AttributedOrigin, BlameBatch, BlameEvent, BlameEventKind, DiffEvent,
            DiffEventKind, DiffTarget, Effect, HighlightedLines, Message,
        },
    },
};

use super::{
    directory,
    driver::{Driver, arguments},
    fake_history::{FakeHistory, lamp_history},
};

/// A view of a file with two lines that the second commit wrote, before the end of its blame.
pub(super) fn app() -> App {
    asking_app().0
}

/// The same, and what was asked for to show it.
fn asking_app() -> (App, Vec<Effect>) {
    let arguments = ViewerArguments {
        repository: RepositoryInfo {
            command_line_commit: Some(FakeHistory::id(1)),
            command_line_changes: true,
            ..RepositoryInfo::default()
        },
        ..arguments("a".into(), Config::default())
    };
    let (mut app, _) = App::new(arguments, (80, 24));
    let effects = answer(&mut app, 1, started("one\ntwo\n"));
    answer(&mut app, 1, written_by(1));
    (app, effects)
}

/// The same before any line is attributed.
pub(super) fn unattributed_app() -> App {
    let (mut app, _) = App::new(arguments("a".into(), Config::default()), (80, 24));
    answer(&mut app, 1, started("one\ntwo\n"));
    app
}

pub(super) fn started(text: &str) -> BlameEventKind {
    BlameEventKind::Started {
        text: Arc::new(Text::new(Arc::from(text.as_bytes()))),
        mapped_line: None,
        changes: Default::default(),
        encoding: None,
        tab_width: None,
    }
}

/// Both lines are of a commit, whose parent is the one before.
pub(super) fn written_by(number: usize) -> BlameEventKind {
    written_in(FakeHistory::id(number), number)
}

pub(super) fn written_in(commit: ObjectId, number: usize) -> BlameEventKind {
    let path = Arc::new(BString::from("a"));
    BlameEventKind::Batch(BlameBatch {
        commits: Vec::new(),
        origins: vec![AttributedOrigin {
            commit,
            path: path.clone(),
            previous: number.checked_sub(1).map(|id| (FakeHistory::id(id), path)),
            boundary: false,
            entries: vec![AttributedLines {
                lines: 0..2,
                source_start: 0,
                ignored: false,
                unblamable: false,
            }],
        }],
    })
}

pub(super) fn answer(app: &mut App, id: u64, kind: BlameEventKind) -> Vec<Effect> {
    update(app, Message::Blame(BlameEvent { id, kind }))
}

pub(super) fn press(app: &mut App, keys: &str) -> Vec<Effect> {
    let keys = keys.chars().map(|key| match key {
        '\n' => Key::named("Enter"),
        key => Key::named(&key.to_string()),
    });
    let keys = keys.map(|key| Message::Key(key.expect("a key")));
    keys.flat_map(|key| update(app, key)).collect()
}

pub(super) fn blame(effects: &[Effect]) -> (u64, FileVersion) {
    let job = effects.iter().find_map(|effect| match effect {
        Effect::Blame(job) => Some((job.id, job.version.clone())),
        _ => None,
    });
    job.expect("a blame")
}

/// The number of the stamp that is asked for.
fn stamp_request(effects: &[Effect]) -> Option<u64> {
    effects.iter().find_map(|effect| match effect {
        Effect::Query(id, QueryRequest::Stamp(_)) => Some(*id),
        _ => None,
    })
}

fn stamp(app: &mut App, id: u64, head: usize) -> Vec<Effect> {
    let head = Some(FakeHistory::id(head));
    let stamp = Stamp { file: None, head };
    let answer: Answer<StampQuery> = Answer::Ended(Ok(stamp));
    update(app, Message::Query(id, answer.into()))
}

#[test]
fn a_mark_cancels_the_view_that_is_being_opened() {
    let mut app = app();
    press(&mut app, "ma");
    let (id, _) = blame(&press(&mut app, ","));
    answer(&mut app, id, started("of the first commit\n"));
    answer(&mut app, id, written_by(0));
    // On the way to yet another version, back to the mark.
    press(&mut app, "<>b");
    assert_eq!(app.history.current, 1);
    let effects = press(&mut app, "'a");
    assert_eq!(app.history.current, 0);
    let (id, version) = blame(&effects);
    assert_eq!(version, FileVersion::CommandLine);
    answer(&mut app, id, started("one\ntwo\n"));
    assert_eq!((app.history.current, app.history.views.len()), (0, 2));
    assert_eq!(app.view().expect("a view").text.line(0), b"one");
    assert!(app.history.pending.is_none());
}

#[test]
fn an_old_answer_does_not_stand_for_the_look_after_the_editor() {
    let mut app = app();
    let first = stamp_request(&update(&mut app, Message::Poll));
    // The first one was asked for with the first frame.
    let first = first.or(Some(2));
    for id in 0..10 {
        stamp(&mut app, id, 1);
    }
    let poll = stamp_request(&update(&mut app, Message::Poll)).expect("a question");
    assert_ne!(first, Some(poll));
    let ended = Message::ExternalCommandEnded("edited".to_owned());
    let after = stamp_request(&update(&mut app, ended)).expect("a question");
    // The answer from before the editor ran says nothing new.
    stamp(&mut app, poll, 1);
    let (_, version) = blame(&stamp(&mut app, after, 2));
    assert!(matches!(version, FileVersion::Reloaded { .. }));
}

#[test]
fn the_file_is_read_again_if_the_editor_was_faster_than_the_first_look() {
    for (before, head_after) in [(None, 1), (None, 2), (Some(1), 2)] {
        let (mut app, effects) = asking_app();
        let first = stamp_request(&effects).expect("a question");
        if let Some(head) = before {
            stamp(&mut app, first, head);
        }
        let ended = Message::ExternalCommandEnded("edited".to_owned());
        let after = stamp_request(&update(&mut app, ended)).expect("a question");
        // Too late: it may be of before or after the edit.
        let late = stamp(&mut app, first, head_after);
        assert_eq!(stamp_request(&late), None);
        let (_, version) = blame(&stamp(&mut app, after, head_after));
        assert!(matches!(version, FileVersion::Reloaded { .. }));
    }
}

#[test]
fn a_late_answer_about_a_change_does_not_replace_another_step() {
    let mut app = app();
    for id in 0..10 {
        stamp(&mut app, id, 1);
    }
    let reload = update(&mut app, Message::Key(Key::named("^R").expect("a key")));
    let asked = stamp_request(&reload).expect("a question");
    let (id, _) = blame(&press(&mut app, ","));
    let effects = stamp(&mut app, asked, 2);
    assert!(!effects.iter().any(|it| matches!(it, Effect::Blame(_))));
    answer(&mut app, id, started("of the first commit\n"));
    let view = app.view().expect("a view");
    assert_eq!(view.text.line(0), b"of the first commit");
}

/// HEAD moves below the page of a directory: it is said until it is read again, unless it is of a
/// commit.
#[test]
fn it_is_said_above_a_directory_that_head_has_moved() {
    let (mut app, effects) = App::new(directory::arguments_of("dir"), (80, 24));
    let id = directory::asked(&effects);
    let effects = directory::found(&mut app, id, directory::names_of_files(3));
    let first = stamp_request(&effects).expect("a question");
    stamp(&mut app, first, 1);
    let look = |app: &mut App, head| {
        let asked = stamp_request(&update(app, Message::Poll)).expect("a question");
        let effects = stamp(app, asked, head);
        let is_asked =
            |effect: &Effect| matches!(effect, Effect::Query(_, QueryRequest::Directory(_)));
        assert!(!effects.iter().any(is_asked), "{effects:?}");
        app.change_notice()
    };
    assert_eq!(look(&mut app, 1), None);
    assert_eq!(look(&mut app, 2), Some(StampChange::HeadMoved));
    // A list above it has the same words.
    press(&mut app, "A");
    assert_eq!(app.change_notice(), Some(StampChange::HeadMoved));
    let effects = directory::press(&mut app, "^R");
    let asked = |wanted: fn(&QueryRequest) -> bool| {
        let mut queries = effects.iter().filter_map(|effect| match effect {
            Effect::Query(_, query) => Some(query),
            _ => None,
        });
        queries.any(wanted)
    };
    assert!(asked(|it| matches!(it, QueryRequest::DirectoryPeople(_))));
    assert!(asked(|it| matches!(it, QueryRequest::Directory(_))));
    assert_eq!(directory::message(&app), "reading the directory again…");
    assert_eq!(app.change_notice(), None);
    let again = stamp_request(&effects).expect("a question");
    // Too late: it is of before.
    stamp(&mut app, first, 1);
    stamp(&mut app, again, 2);
    assert_eq!(look(&mut app, 2), None);
    // After a command that moved it, it is read again.
    let ended = Message::ExternalCommandEnded("committed".to_owned());
    let after = stamp_request(&update(&mut app, ended)).expect("a question");
    directory::asked(&stamp(&mut app, after, 3));
    // A commit does not change.
    let commit = FileVersion::Commit {
        commit: FakeHistory::id(1),
        path: Arc::default(),
    };
    let arguments = ViewerArguments {
        directory: Some(commit),
        ..directory::arguments_of("")
    };
    let (mut app, effects) = App::new(arguments, (80, 24));
    let id = directory::asked(&effects);
    let effects = directory::found(&mut app, id, directory::names_of_files(3));
    assert_eq!(stamp_request(&effects), None);
    assert_eq!(stamp_request(&update(&mut app, Message::Poll)), None);
}

fn diff(effects: &[Effect]) -> Option<&DiffTarget> {
    effects.iter().find_map(|effect| match effect {
        Effect::Diff(job) => Some(&job.target),
        _ => None,
    })
}

#[test]
fn the_diff_that_waited_for_its_commit_is_the_one_that_was_asked_for() {
    for (key, is_whole) in [("a", true), ("\n", false)] {
        let mut app = unattributed_app();
        assert_eq!(diff(&press(&mut app, key)), None);
        let effects = answer(&mut app, 1, written_by(1));
        let target = diff(&effects).expect("the diff");
        assert_eq!(
            matches!(target, DiffTarget::All { .. }),
            is_whole,
            "{key:?}"
        );
    }
}

#[test]
fn what_is_not_committed_is_compared_file_by_file() {
    let mut app = unattributed_app();
    answer(&mut app, 1, written_in(ObjectId::null(HashKind::Sha1), 1));
    let effects = press(&mut app, "a");
    let target = diff(&effects).expect("the diff");
    assert!(matches!(target, DiffTarget::Line { commit: None, .. }));
    let message = app.status.message.as_deref();
    let words = "only one file is compared here; git diff | tblame --patch shows all";
    assert_eq!(message, Some(words));
}

#[test]
fn lines_of_a_diff_are_highlighted_while_it_is_left() {
    let mut app = app();
    let effects = press(&mut app, "\n");
    let job = effects.iter().find_map(|effect| match effect {
        Effect::Diff(job) => Some(job.id),
        _ => None,
    });
    let id = job.expect("the diff");
    let text = |text: &str| Arc::new(Text::new(Arc::from(text.as_bytes())));
    let comparison = Comparison {
        parts: Vec::new(),
        omitted_files: 0,
        old: text("1\n"),
        new: text("2\n"),
        rows: vec![DiffRow::Removed(0), DiffRow::Added(0)],
        counterparts: vec![None, None],
        modes: (None, None),
        similarity: None,
        copied: false,
    };
    for kind in [
        DiffEventKind::Diff(Ok(comparison)),
        DiffEventKind::Files(Ok(CommitChanges::default())),
    ] {
        update(&mut app, Message::Diff(DiffEvent { id, kind }));
    }
    press(&mut app, ",");
    assert!(app.diff().is_none());
    let spans = [(0, SyntaxClass::Number)];
    // The versions have the numbers after that of the diff.
    for text_id in [id + 1, id + 2] {
        let lines = HighlightedLines {
            text_id,
            start: 0,
            lines: vec![Arc::from(spans)],
            unhighlighted_reason: None,
            last: true,
        };
        update(&mut app, Message::Highlight(lines));
    }
    press(&mut app, "<");
    let diff = app.diff().expect("the diff");
    for (at, row) in diff.rows().iter().enumerate() {
        assert_eq!(diff.spans(at, *row), spans);
    }
    assert_eq!(diff.rows().len(), 2);
}

#[test]
fn a_mark_stays_when_the_encoding_changes() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("2GmaElatin1<CR>4G,'a");
    assert_eq!(driver.whereabouts().0, 0);
    assert_eq!(driver.whereabouts().2.line, 1);
}
