//! What is open above a view when it is left, and what becomes of its queries.

use std::{collections::BTreeMap, sync::Arc};

use tblame::internals::{
    engine::OwnChange,
    run::demo::{Demo, FILE},
    viewer::{
        app::{state::App, update::update},
        config::settings::Config,
        model::{
            background::{
                line_history::{FoundHistory, HistoryChange, LineHistoryQuery},
                queries::{FileListQuery, QueryEvent, QueryKind, QueryRequest},
                query::Answer,
            },
            keys::key::Key,
            source::Failure,
        },
        pages::page::PageKind,
        protocol::{BlameEventKind, DiffEvent, DiffEventKind, Effect, Message},
    },
};

use super::{
    driver::{Driver, arguments},
    fake_history::FakeHistory,
    late_answers::{answer, app, blame, started, written_by},
};
use crate::harness::rng::Rng;

/// Presses keys, whose names are between blanks.
fn press(app: &mut App, keys: &str) -> Vec<Effect> {
    let keys = keys.split(' ').map(|key| Key::named(key).expect("a key"));
    let messages = keys.map(Message::Key);
    messages.flat_map(|key| update(app, key)).collect()
}

/// The queries of a kind that are asked, by number, and how often one is cancelled.
fn queries(effects: &[Effect], wanted: QueryKind) -> (Vec<u64>, usize) {
    let asked = effects.iter().filter_map(|effect| match effect {
        Effect::Query(id, query) if query.kind() == wanted => Some(*id),
        _ => None,
    });
    let is_cancelled = |effect: &&Effect| **effect == Effect::Cancel(wanted);
    (asked.collect(), effects.iter().filter(is_cancelled).count())
}

fn diffs(effects: &[Effect]) -> Vec<u64> {
    let jobs = effects.iter().filter_map(|effect| match effect {
        Effect::Diff(job) => Some(job.id),
        _ => None,
    });
    jobs.collect()
}

/// A change of the lines by a commit.
fn change(number: usize) -> QueryEvent {
    let line = 0..1;
    let change = HistoryChange {
        commit: FakeHistory::id(number),
        metadata: Err(Failure::new("not read")),
        path: Arc::new("a".into()),
        lines: vec![line.clone()],
        previous: None,
        is_birth: false,
        is_merge: false,
        is_inferred: false,
        own_lines: vec![line],
        old_own_lines: Vec::new(),
        own_change: OwnChange::Changed(100),
        counts: (1, 0),
        rows: Vec::new(),
    };
    Answer::<LineHistoryQuery>::Found(FoundHistory::Change(Box::new(change))).into()
}

fn row_count(app: &App) -> usize {
    let page = app.pages.top().expect("a page");
    assert_eq!(page.kind(), PageKind::LineHistory);
    page.count(app)
}

fn demo(size: (u16, u16)) -> (Demo, Driver) {
    let demo = Demo::create().expect("a temporary directory can be made");
    let arguments = arguments(FILE.into(), Config::default());
    let driver = Driver::with_repository(demo.root(), arguments, size);
    (demo, driver)
}

/// The screen without its header and its status line.
fn body(driver: &Driver) -> Vec<String> {
    let screen = driver.screen();
    let rows: Vec<&str> = screen.lines().collect();
    let body = rows[1..rows.len() - 1].iter();
    body.map(|row| row.to_string()).collect()
}

/// Whichever way a view was left, a step back to it shows what was seen when it was left last.
#[test]
fn a_step_back_shows_what_was_left() {
    const KEYS: [&str; 24] = [
        ",", ",", "b", "b", "(", "<", "<", "<", "2<", ">", "2>", "3j", "7G", "G", "ma", "'a", "''",
        "w", "L", "<CR>", "<CR>", "a", "<Esc>", "<Esc>",
    ];
    let (mut returns, mut pages) = (0, 0);
    for seed in 0..8 {
        let mut rng = Rng::new(seed);
        let (_demo, mut driver) = demo((90, 20));
        let mut left = BTreeMap::new();
        let mut typed = String::new();
        for _ in 0..120 {
            let at = |driver: &Driver| {
                let view = driver.app().view().expect("a view");
                (view.id, driver.app().history.current)
            };
            let (before, seen) = (at(&driver), body(&driver));
            let key = *rng.pick(&KEYS);
            typed.push_str(key);
            driver.keys(key);
            let after = at(&driver);
            if after.0 == before.0 {
                continue;
            }
            left.insert(before.0, seen);
            if key.ends_with('<') && after.1 < before.1 {
                assert_eq!(
                    Some(&body(&driver)),
                    left.get(&after.0),
                    "seed {seed}: {typed}"
                );
                returns += 1;
                pages += usize::from(driver.app().pages.top().is_some());
            }
        }
    }
    println!("{returns} returns, {pages} to pages");
    assert!(returns > 60 && pages > 10, "{returns}, {pages}");
}

#[test]
fn a_list_that_led_to_the_visible_view_is_not_opened_by_a_later_step_back() {
    let (_demo, mut driver) = demo((80, 24));
    driver.keys("9GbL<CR>");
    let is_open = |driver: &Driver| driver.app().pages.has(PageKind::LineHistory);
    assert_eq!((driver.whereabouts().0, is_open(&driver)), (1, false));
    driver.keys(",").keys("<");
    assert_eq!((driver.whereabouts().0, is_open(&driver)), (1, false));
}

#[test]
fn a_page_does_not_return_once_another_step_was_taken_instead() {
    let mut returned = 0;
    for (page, leave) in [("9GLj", "<CR>"), ("9GL", ","), ("9G<CR>", ",")] {
        let (_demo, mut driver) = demo((80, 24));
        driver.keys(page);
        let shown = driver.screen();
        driver.keys(leave).keys("<");
        assert_eq!(driver.screen(), shown, "{page}{leave}");
        returned += 1;
        // The blame is left while the version from the page is still being read.
        driver.keys_at_once(&format!("{leave}b")).keys("<");
        assert_eq!(driver.whereabouts().0, 0);
        assert_eq!(driver.app().pages.iter().count(), 0, "{page}{leave}b<");
    }
    assert_eq!(returned, 3);
}

#[test]
fn a_page_does_not_return_after_a_mark_has_led_to_its_view() {
    for page in ["9GLj<CR>", "9G<CR>,"] {
        let (_demo, mut driver) = demo((80, 24));
        driver.keys("ma").keys(page);
        assert_eq!(driver.whereabouts().0, 1, "{page}");
        driver.keys("'a");
        assert_eq!(driver.whereabouts().0, 0, "{page}");
        driver.keys("><");
        assert_eq!(driver.whereabouts().0, 0, "{page}");
        assert_eq!(driver.app().pages.iter().count(), 0, "{page}");
    }
}

/// A step back returns to a diff and to the list below it.
#[test]
fn a_diff_returns_with_the_list_that_led_to_it() {
    let (_demo, mut driver) = demo((80, 24));
    driver.keys("9GL");
    let list = driver.screen();
    driver.keys("a");
    let diff = driver.screen();
    driver.keys(",<");
    assert_eq!(driver.screen(), diff);
    driver.keys("<Esc>");
    assert_eq!(driver.screen(), list);
}

#[test]
fn a_version_that_cannot_be_read_leads_back_to_the_list() {
    let mut app = app();
    let (asked, _) = queries(&press(&mut app, "L"), QueryKind::LineHistory);
    update(&mut app, Message::Query(asked[0], change(0)));
    let (id, _) = blame(&press(&mut app, "Enter"));
    assert!(!app.pages.has(PageKind::LineHistory));
    let failure = Failure::new("it is gone");
    answer(&mut app, id, BlameEventKind::Failed(failure));
    assert_eq!(app.status.message.as_deref(), Some("it is gone"));
    assert_eq!(row_count(&app), 1);
}

#[test]
fn a_diff_is_asked_for_again_if_its_answer_came_while_it_was_left() {
    let mut app = app();
    let asked = diffs(&press(&mut app, "Enter"));
    press(&mut app, ",");
    assert!(app.diff().is_none());
    // Whatever it is, nobody takes it.
    let failure = Err(Failure::new("not read"));
    let (id, kind) = (asked[0], DiffEventKind::Diff(failure));
    update(&mut app, Message::Diff(DiffEvent { id, kind }));
    let again = diffs(&press(&mut app, "Backspace"));
    assert!(app.diff().is_some_and(|diff| !diff.is_complete()));
    assert_eq!(again, asked);
}

#[test]
fn the_queries_of_a_page_are_cancelled_when_it_is_closed() {
    use QueryKind::{Beginning, Completions, FileList, LineHistory};
    let names = || QueryEvent::from(Answer::<FileListQuery>::Found(vec!["b".into()]));
    let mut closed = 0;
    for (open, kind, close) in [
        ("f", FileList, "Esc"),
        ("f", FileList, "Backspace"),
        ("f", Beginning, "Esc"),
        (": v Tab", Completions, "Esc"),
        (": 1 Tab", Completions, "Enter"),
        ("L", LineHistory, "Esc"),
        ("L", LineHistory, "q"),
    ] {
        let mut app = app();
        update(&mut app, Message::Resize(120, 24));
        let mut opened = press(&mut app, open);
        if kind == Beginning {
            let (list, _) = queries(&opened, FileList);
            update(&mut app, Message::Query(list[0], names()));
            opened = update(&mut app, Message::ContinueWork);
        }
        assert_eq!(queries(&opened, kind).0.len(), 1, "{open}");
        assert!(app.is_busy());
        let effects = press(&mut app, close);
        assert_eq!(queries(&effects, kind), (Vec::new(), 1), "{open} {close}");
        closed += 1;
    }
    assert_eq!(closed, 7);
}

/// A history that is left goes on; another one ends it, so that it is asked for again.
#[test]
fn the_history_of_lines_goes_on_while_it_is_left() {
    let mut app = app();
    let (first, _) = queries(&press(&mut app, "L"), QueryKind::LineHistory);
    update(&mut app, Message::Query(first[0], change(1)));
    update(&mut app, Message::Query(first[0], change(0)));
    let effects = press(&mut app, "j Enter");
    assert_eq!(queries(&effects, QueryKind::LineHistory), (Vec::new(), 0));
    let (id, _) = blame(&effects);
    answer(&mut app, id, started("of the first commit\n"));
    answer(&mut app, id, written_by(0));
    update(&mut app, Message::Query(first[0], change(0)));
    let back = press(&mut app, "Backspace");
    assert_eq!(queries(&back, QueryKind::LineHistory), (Vec::new(), 0));
    assert_eq!(row_count(&app), 3);

    let (id, _) = blame(&press(&mut app, "Enter"));
    answer(&mut app, id, started("of the first commit\n"));
    answer(&mut app, id, written_by(0));
    let (second, _) = queries(&press(&mut app, "L"), QueryKind::LineHistory);
    assert_eq!(row_count(&app), 0);
    // Too late for the first one.
    update(&mut app, Message::Query(second[0], change(1)));
    assert_eq!(row_count(&app), 1);
    let closed = press(&mut app, "Esc");
    assert_eq!(queries(&closed, QueryKind::LineHistory), (Vec::new(), 1));
    let effects = press(&mut app, "Backspace");
    let (third, _) = queries(&effects, QueryKind::LineHistory);
    assert_eq!(row_count(&app), 3);
    let mut asked = effects.iter().filter_map(|effect| match effect {
        Effect::Query(id, QueryRequest::LineHistory(query)) => Some((*id, query)),
        _ => None,
    });
    let (_, query) = asked.next().expect("it is asked again");
    assert_eq!((query.lines.clone(), third.len()), (0..1, 1));
    // What is known is not listed twice.
    for (number, count) in [(1, 3), (0, 3), (0, 3), (0, 4)] {
        update(&mut app, Message::Query(third[0], change(number)));
        assert_eq!(row_count(&app), count);
    }
    let end = Answer::<LineHistoryQuery>::Ended(Ok(true));
    update(&mut app, Message::Query(third[0], end.into()));
    let closed = press(&mut app, "Esc");
    assert_eq!(queries(&closed, QueryKind::LineHistory), (Vec::new(), 0));
}
