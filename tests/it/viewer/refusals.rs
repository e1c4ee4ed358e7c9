//! What is refused only once all is read that could have it, and where nothing is committed.

use std::sync::Arc;

use bstr::BString;
use ratatui::{buffer::Buffer, layout::Rect};
use tblame::internals::{
    engine::RevisionChange,
    objects::{HashKind, ObjectId},
    repository::provenance::finder::Arrival,
    viewer::{
        app::{state::App, update::update},
        config::settings::Config,
        model::{
            background::{
                deletions::DeletionQuery,
                file_history::{FileHistoryQuery, FoundRevisions, KnownRevision},
                provenance::{FoundProvenance, ProvenanceQuery},
                queries::QueryRequest,
                query::Answer,
            },
            blame_results::BlameReport,
            diff::{Comparison, DiffRow},
            source::{CommitMetadata, Signature},
            texts::text::Text,
        },
        protocol::{BlameEventKind, DiffEvent, DiffEventKind, Effect, Message},
        theme::{
            styles::Theme,
            terminal_colors::{Background, ColorDepth},
        },
        ui::draw::draw,
    },
};

use super::{
    driver::arguments,
    fake_history::FakeHistory,
    late_answers::{answer, app, press, started, unattributed_app, written_by, written_in},
};

const STILL_READING: &str = "still reading";

fn message(app: &App) -> &str {
    app.status.message.as_deref().unwrap_or_default()
}

/// The same view, whose blame has ended.
fn finished_app() -> App {
    let mut app = app();
    answer(
        &mut app,
        1,
        BlameEventKind::Finished(BlameReport::default()),
    );
    app
}

/// The number of the last query of a kind.
fn asked(effects: &[Effect], is_it: fn(&QueryRequest) -> bool) -> u64 {
    let mut queries = effects.iter().rev().filter_map(|effect| match effect {
        Effect::Query(id, query) if is_it(query) => Some(*id),
        _ => None,
    });
    queries.next().expect("a query")
}

#[test]
fn a_diff_refuses_nothing_before_it_is_read() {
    for keys in ["\nP", "\n}", "\n{", "\n]", "\n[", "aP", "a}", "a{", "a]"] {
        let mut app = finished_app();
        press(&mut app, keys);
        assert_eq!(message(&app), STILL_READING, "{keys}");
    }
}

#[test]
fn a_search_waits_for_the_diff() {
    let text = |text: &str| Arc::new(Text::new(Arc::from(text.as_bytes())));
    // What is searched for, a key after it, the row that is selected then, and the message.
    for (pattern, key, row, words) in [
        ("zz", "", Some(2), ""),
        ("zz", "j", Some(1), ""),
        ("yy", "", Some(1), "nothing here matches “yy”"),
        ("z(", "", Some(1), "nothing here matches “z(” as text"),
    ] {
        let mut app = finished_app();
        let effects = press(&mut app, "\n");
        let id = effects.iter().find_map(|effect| match effect {
            Effect::Diff(job) => Some(job.id),
            _ => None,
        });
        press(&mut app, &format!("/{pattern}\n"));
        assert_eq!(message(&app), STILL_READING, "{pattern}");
        press(&mut app, key);
        let comparison = Comparison {
            parts: Vec::new(),
            omitted_files: 0,
            old: text("1\n"),
            new: text("2\nzz\n"),
            rows: vec![DiffRow::Removed(0), DiffRow::Added(0), DiffRow::Added(1)],
            counterparts: vec![None; 3],
            modes: (None, None),
            similarity: None,
            copied: false,
        };
        let kind = DiffEventKind::Diff(Ok(comparison));
        let id = id.expect("a diff");
        update(&mut app, Message::Diff(DiffEvent { id, kind }));
        update(&mut app, Message::ContinueWork);
        let diff = app.diff().expect("the diff");
        assert_eq!(diff.selected_row(), row, "{pattern} {key}");
        assert_eq!(message(&app), words, "{pattern} {key}");
    }
}

#[test]
fn nothing_is_refused_of_lines_that_are_looked_for() {
    // Deleted lines, those that were moved, and those of a filter.
    for keys in ["DJ", "OJ"] {
        let mut app = finished_app();
        press(&mut app, keys);
        assert_eq!(message(&app), STILL_READING, "{keys}");
    }
    let mut app = unattributed_app();
    press(&mut app, "&zz\n");
    assert!(message(&app).starts_with("lines of authors like zz: still reading; "));
    press(&mut app, "J");
    assert_eq!(message(&app), STILL_READING);
    let mut app = finished_app();
    let effects = press(&mut app, "D");
    let id = asked(&effects, |it| matches!(it, QueryRequest::Deletions(_)));
    let end: Answer<DeletionQuery> = Answer::Ended(Ok(true));
    update(&mut app, Message::Query(id, end.into()));
    press(&mut app, "J");
    assert_eq!(message(&app), "no deleted lines were found");
}

fn metadata(summary: &str) -> CommitMetadata {
    let person = Signature {
        name: "Ada".into(),
        mail: "ada@example.org".into(),
        time: 0,
        offset: 0,
    };
    CommitMetadata {
        author: person.clone(),
        committer: person,
        co_authors: Vec::new(),
        message: summary.into(),
        change_id: None,
        root: false,
        merge_parents: Vec::new(),
    }
}

/// A key for references waits until it is known what brought the commit, and in a diff also which one it is;
/// another key ends that.
#[test]
fn a_reference_is_selected_once_what_brought_the_commit_is_read() {
    let mut compared = 0;
    for has_merge in [true, false] {
        for (keys, is_kept) in [("r", true), ("rr", true), ("rj", false), ("rx", false)] {
            let mut app = unattributed_app();
            let mut batch = written_by(1);
            if let BlameEventKind::Batch(batch) = &mut batch {
                batch.commits = vec![(FakeHistory::id(1), Ok(metadata("Trim the wick")))];
            }
            let mut effects = press(&mut app, keys);
            for kind in [batch, BlameEventKind::Finished(BlameReport::default())] {
                let is_waiting = app.status.message.as_deref() == Some(STILL_READING);
                assert_eq!(is_waiting, is_kept, "{keys} {:?}", app.status.message);
                effects.extend(answer(&mut app, 1, kind));
                compared += 1;
            }
            assert_eq!(message(&app) == STILL_READING, is_kept, "{keys}");
            let id = asked(&effects, |it| matches!(it, QueryRequest::Provenance(_)));
            let merge = has_merge.then(|| FakeHistory::id(2));
            let arrival = Arrival {
                merge,
                request: None,
            };
            let found = FoundProvenance {
                arrivals: vec![(FakeHistory::id(1), arrival)],
                ..FoundProvenance::default()
            };
            let end: Answer<ProvenanceQuery> = Answer::Ended(Ok(found));
            update(&mut app, Message::Query(id, end.into()));
            let selected = (is_kept && has_merge).then_some(0);
            assert_eq!(app.selected_reference(), selected, "{keys}");
            let words = match (is_kept, has_merge) {
                (false, _) => continue,
                (_, true) => "the only reference: ",
                (_, false) => "this commit's message has no references",
            };
            assert!(message(&app).starts_with(words), "{}", message(&app));
            compared += 1;
        }
    }
    assert_eq!(compared, 2 * (4 * 2 + 2));
}

fn revision(number: usize, summary: &str) -> KnownRevision {
    KnownRevision {
        commit: FakeHistory::id(number),
        metadata: Ok(Arc::new(metadata(summary))),
        time: 0,
        path: Arc::new(BString::from("a")),
        change: RevisionChange::Modified,
        is_merge: false,
        added: 1,
        removed: 1,
        previous: None,
        children: Vec::new(),
        occurrences: None,
    }
}

/// Opens the list of versions; the number of its query.
fn open_versions(app: &mut App) -> u64 {
    let effects = press(app, "F");
    asked(&effects, |it| matches!(it, QueryRequest::FileHistory(_)))
}

fn found(app: &mut App, id: u64, revisions: Vec<KnownRevision>) {
    let frontier = Some(0);
    let found: Answer<FileHistoryQuery> = Answer::Found(FoundRevisions {
        revisions,
        frontier,
    });
    update(app, Message::Query(id, found.into()));
}

fn all_found(app: &mut App, id: u64) {
    let end: Answer<FileHistoryQuery> = Answer::Ended(Ok(true));
    update(app, Message::Query(id, end.into()));
}

#[test]
fn a_search_of_a_list_waits_for_the_rest() {
    // What is searched for, a key after it, and the row that is selected in the end, with its message.
    for (pattern, key, row, words) in [
        ("wick", "", 2, ""),
        ("wick", "G", 1, ""),
        ("f(x)", "", 3, ""),
        ("oil", "", 0, "nothing matches “oil”"),
        ("o(i", "", 0, "nothing matches “o(i” as text"),
    ] {
        let mut app = finished_app();
        let id = open_versions(&mut app);
        found(
            &mut app,
            id,
            vec![revision(9, "Last"), revision(8, "Before")],
        );
        press(&mut app, &format!("/{pattern}\n"));
        let so_far = format!("nothing matches “{pattern}”");
        assert!(message(&app).starts_with(&so_far), "{}", message(&app));
        assert!(message(&app).ends_with(" so far: still reading"));
        press(&mut app, key);
        found(&mut app, id, vec![revision(7, "Trim the wick")]);
        found(&mut app, id, vec![revision(6, "Call f(x)")]);
        all_found(&mut app, id);
        let list = app.pages.list().expect("the list");
        assert_eq!(list.selected, row, "{pattern} {key}");
        assert_eq!(message(&app), words, "{pattern} {key}");
    }
}

/// A search goes around the end of a list once the end is known.
#[test]
fn a_search_of_a_list_goes_around_once_all_is_read() {
    for key in ["n", "N"] {
        let mut app = finished_app();
        let id = open_versions(&mut app);
        let selected = |app: &App| app.pages.list().map(|list| list.selected);
        found(
            &mut app,
            id,
            vec![revision(9, "Wick"), revision(8, "Wick again")],
        );
        press(&mut app, "/wick\n");
        assert_eq!((selected(&app), message(&app)), (Some(1), ""));
        let keys = if key == "n" { "n" } else { "NN" };
        press(&mut app, keys);
        let before = if key == "n" { 1 } else { 0 };
        let waits = (Some(before), STILL_READING);
        assert_eq!((selected(&app), message(&app)), waits, "{key}");
        found(&mut app, id, vec![revision(7, "Oil")]);
        assert_eq!((selected(&app), message(&app)), waits, "{key}");
        all_found(&mut app, id);
        let around = (Some(1 - before), "the search wrapped around");
        assert_eq!((selected(&app), message(&app)), around, "{key}");
    }
}

/// Before there is a file, keys that need one are not offered.
#[test]
fn a_page_that_is_read_offers_what_works() {
    let arguments = arguments("a".into(), Config::default());
    let (mut app, _) = App::new(arguments, (120, 24));
    let offered = |app: &App| status_line(app).trim().to_owned();
    assert_eq!(offered(&app), "? keys  q quit");
    answer(&mut app, 1, started("one\ntwo\n"));
    assert!(offered(&app).contains("/ search"), "{}", offered(&app));
}

#[test]
fn what_is_not_committed_has_no_id_and_no_page() {
    for (key, words) in [
        ("y", "uncommitted: no id to copy yet"),
        ("Y", "uncommitted: no link to copy yet"),
        ("o", "uncommitted: no page yet"),
    ] {
        // In the blame, and in the diff.
        for before in ["", "\n"] {
            let mut app = unattributed_app();
            answer(&mut app, 1, written_in(ObjectId::null(HashKind::Sha1), 1));
            press(&mut app, before);
            press(&mut app, key);
            assert_eq!(message(&app), words, "{before:?} {key}");
        }
    }
}

/// A row of the screen.
fn shown(app: &App, row: u16) -> String {
    let (width, height) = app.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    let theme = Theme::new(Background::Dark, ColorDepth::Indexed);
    draw(app, &theme, &mut buffer);
    let first = usize::from(width) * usize::from(row);
    let cells = buffer.content[first..].iter().take(width.into());
    cells.map(|cell| cell.symbol()).collect()
}

/// The keys in the status line.
fn status_line(app: &App) -> String {
    shown(app, app.size.1 - 1)
}

/// Counts of people say how many lines they are of while the blame goes on.
#[test]
fn people_are_of_the_lines_that_are_known() {
    for (mut app, words) in [
        (unattributed_app(), Some("0 of 2 lines")),
        (app(), Some("2 of 2 lines")),
        (finished_app(), None),
    ] {
        press(&mut app, "A");
        let header = shown(&app, 0);
        assert!(header.contains("people of a"), "{header}");
        assert_eq!(header.contains(" of 2 lines"), words.is_some(), "{header}");
        assert!(header.contains(words.unwrap_or("0 people")), "{header}");
    }
}

/// A key that would wait for the commit of a line is offered once that is known.
#[test]
fn a_line_that_is_not_attributed_offers_no_key_of_its_commit() {
    for (app, are_offered) in [(unattributed_app(), false), (app(), true)] {
        let status = status_line(&app);
        for key in [", before", "b at", "Enter diff", "Tab message"] {
            assert_eq!(status.contains(key), are_offered, "{key}: {status}");
        }
        assert!(status.contains("? keys"), "{status}");
    }
}
