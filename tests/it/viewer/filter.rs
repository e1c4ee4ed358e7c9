//! Which lines stand out: typed filters, the motions between their lines, and spans chosen in the
//! legend.

use crossterm::event::{MouseButton, MouseEventKind};
use tblame::internals::{
    repository::{
        agents::agent::{Agent, AgentLines, AgentSource},
        provenance::{finder::Arrival, request_number::RequestNumber},
    },
    viewer::{
        app::settings::environment::RepositoryInfo,
        config::settings::Config,
        model::{
            background::provenance::{FoundProvenance, WrittenLine},
            line_filter::LineFilter,
        },
        pages::page::PageKind,
        theme::{
            styles::Theme,
            terminal_colors::{Background, ColorDepth},
            theme_set::ThemeSet,
        },
    },
};

use crate::harness::repository::{ObjectFormat, TestRepo};

use super::{
    driver::{Driver, arguments},
    fake_history::{FakeHistory, lamp_history, line},
    lists,
};

/// Ada wrote lines 2 and 5 in 2013 (#12, v1.0), Ben line 3 in 2014 (merge 9, v1.1), Cleo lines 1, 4
/// and 6 in 2015. An agent wrote line 2.
fn driver() -> Driver {
    Driver::with_depth(history(), 80, 24, ColorDepth::True)
}

fn history() -> FakeHistory {
    let mut history = lamp_history();
    let id = FakeHistory::id;
    let arrival = |merge: Option<usize>, number: Option<u32>| Arrival {
        merge: merge.map(id),
        request: number.map(RequestNumber::Pull),
    };
    let written = WrittenLine {
        commit: id(0),
        path: "src/lamp.rs".into(),
        line: 0,
    };
    let agent = AgentLines {
        lines: 0..1,
        agent: Agent {
            tool: Some("Cursor".into()),
            ..Agent::default()
        },
        source: AgentSource::Note,
    };
    history.provenance = FoundProvenance {
        releases: vec![
            (id(0), Some("v1.0".into())),
            (id(1), Some("v1.1-rc1".into())),
            (id(2), None),
        ],
        arrivals: vec![
            (id(0), arrival(Some(8), Some(12))),
            (id(1), arrival(Some(9), None)),
            (id(2), arrival(None, None)),
        ],
        merges: Vec::new(),
        has_agent_notes: true,
        agents: vec![(written, Some(agent))],
    };
    history
}

/// The column of the newest lines in the legend of ages, on a screen of 80 columns.
fn newest_column(driver: &Driver) -> usize {
    let screen = driver.screen();
    let foot = screen.lines().last().expect("a status line");
    let end = foot.find(" 2015").expect("the newest year");
    foot[..end].chars().count() - 1
}

/// The lines (1-based) that are not drawn faintly.
fn standing_out(driver: &Driver) -> Vec<u32> {
    let view = driver.app().view().expect("a view");
    let lines = 0..view.text.line_count();
    let shown = lines.filter(|&line| !driver.app().is_dimmed(view, line));
    shown.map(|line| line + 1).collect()
}

#[test]
fn lines_stand_out_by_what_is_typed() {
    let cases: &[(&str, &[u32])] = &[
        ("ada", &[2, 5]),
        ("Ada", &[2, 5]),
        ("^a.a", &[2, 5]),
        ("\\Va.a", &[1, 2, 3, 4, 5, 6]),
        // With capitals, case counts.
        ("ADA", &[1, 2, 3, 4, 5, 6]),
        ("ben@example.org", &[3]),
        ("2013..2014", &[2, 3, 5]),
        ("2014..", &[1, 3, 4, 6]),
        // Not applied: no line has it.
        ("..2013-05", &[1, 2, 3, 4, 5, 6]),
        ("2015-08", &[1, 4, 6]),
        ("..5 years ago", &[1, 2, 3, 4, 5, 6]),
        ("..5 years ago ada", &[2, 5]),
        ("2014..last week ben", &[3]),
        ("2.years.ago..", &[1, 2, 3, 4, 5, 6]),
        ("#12", &[2, 5]),
        // Not applied either, once it is known.
        ("!12", &[1, 2, 3, 4, 5, 6]),
        ("merge:0a0a", &[3]),
        ("v1.0", &[2, 5]),
        ("v1.*", &[2, 3, 5]),
        ("v9", &[1, 2, 3, 4, 5, 6]),
        ("ada 2013.. v1*", &[2, 5]),
        ("ada 2014..", &[1, 2, 3, 4, 5, 6]),
        ("agent:", &[2]),
        ("agent:CURS", &[2]),
        // Nor these, once all agents are known.
        ("agent:claude", &[1, 2, 3, 4, 5, 6]),
        ("ada agent:cursor", &[2]),
        ("ben agent:cursor", &[1, 2, 3, 4, 5, 6]),
        ("/LAMP", &[1, 2, 3, 4, 5, 6]),
        ("/l.mp", &[2, 5]),
        ("/wick /trim", &[3]),
        ("/say /wick", &[1, 2, 3, 4, 5, 6]),
        ("agent: /lamp", &[2]),
        ("agent: /wick", &[1, 2, 3, 4, 5, 6]),
        // In the message, but not in its summary.
        ("/smokes", &[1, 2, 3, 4, 5, 6]),
        ("/nothing", &[1, 2, 3, 4, 5, 6]),
        ("-formatted", &[1, 2, 3, 4, 5, 6]),
    ];
    for (typed, lines) in cases {
        let mut driver = driver();
        driver.keys(&format!("&{typed}<CR>"));
        assert_eq!(standing_out(&driver), *lines, "{typed}");
        let words = LineFilter::parse(typed).map(|filter| filter.in_words());
        let words = [Ok((*typed).to_owned()), words];
        let screen = driver.screen().to_lowercase();
        assert!(
            words
                .iter()
                .flatten()
                .any(|words| screen.contains(&words.to_lowercase())),
            "{}",
            driver.screen()
        );
        driver.keys("<Esc>");
        assert_eq!(standing_out(&driver), [1, 2, 3, 4, 5, 6], "{typed}");
    }
}

#[test]
fn a_wrong_filter_changes_nothing() {
    let mut driver = driver();
    driver.keys("&ada<CR>&<C-u>2013..x<CR>");
    assert_eq!(standing_out(&driver), [2, 5]);
    let screen = driver.screen();
    assert!(
        screen.contains("“2013..x” is not a span of dates"),
        "{screen}"
    );
    driver.keys("&<C-u>2013-13<CR>");
    assert_eq!(standing_out(&driver), [2, 5]);
    let screen = driver.screen();
    assert!(screen.contains("“2013-13” is not a date"), "{screen}");
    for typed in [
        "v1.0..",
        "release:v1.0..",
        "..v1.0",
        "v1.0..v1.1",
        "1.0..1.1",
    ] {
        driver.keys(&format!("&<C-u>{typed}<CR>"));
        assert_eq!(standing_out(&driver), [2, 5], "{typed}");
        let screen = driver.screen();
        assert!(screen.contains("releases have none:"), "{typed}: {screen}");
    }
}

#[test]
fn a_word_that_may_be_a_release_is_said_how_to_type() {
    let mut driver = driver();
    driver.keys("&v1.0<CR>");
    let found = standing_out(&driver);
    assert_eq!(found, [2, 5]);
    driver.keys("<Esc>&<C-u>release:v1.0<CR>");
    assert_eq!(standing_out(&driver), found);
    driver.keys("<Esc>&<C-u>stable-1<CR>");
    let screen = driver.screen();
    assert!(screen.contains("release:stable-1"), "{screen}");
    driver.keys("&<C-u>nobody<CR>");
    let screen = driver.screen();
    assert!(!screen.contains("release:"), "{screen}");
}

/// What is said of a filter that no line has.
fn refusal(filter: &str) -> String {
    let filter = LineFilter::parse(filter).expect("a filter");
    format!("no line here is of {}: filter unchanged", filter.in_words())
}

#[test]
fn a_filter_without_a_line_is_not_applied() {
    let mut driver = driver();
    for (typed, before) in [("", vec![1, 2, 3, 4, 5, 6]), ("ada", vec![2, 5])] {
        driver.keys(&format!("&<C-u>{typed}<CR>"));
        for other in ["nobody", "1999"] {
            driver.keys(&format!("&<C-u>{other}<CR>"));
            assert_eq!(standing_out(&driver), before, "{typed} {other}");
            let screen = driver.screen();
            let words = refusal(other);
            assert!(screen.contains(&words), "{screen}");
        }
    }
}

#[test]
fn a_request_that_is_only_named_is_said_to_be() {
    for (messages, words) in [
        (
            ["One", "Two\n\nCloses #12", "Three #123"],
            "no line here came with #12, but 1 commit names it",
        ),
        (
            ["One #12", "See #12.", "#12\n\nand #12"],
            "no line here came with #12, but 3 commits name it",
        ),
        (
            ["One", "Two #121", "Three"],
            "no line here is of request #12: filter unchanged",
        ),
    ] {
        let mut history = FakeHistory::default();
        for message in messages {
            history = history.commit("Ada", message, |lines| lines.push(line(message)));
            let id = FakeHistory::id(history.versions.len() - 1);
            history.provenance.arrivals.push((id, Arrival::default()));
        }
        let mut driver = Driver::new(history, 80, 24);
        let screen = driver.keys("&#12<CR>").screen();
        assert!(screen.contains(words), "{screen}");
    }
}

/// Whatever is asked for: what brought the lines, who wrote them, or what was done to them.
#[test]
fn a_filter_that_waits_is_not_applied_without_a_line() {
    let mut history = history();
    history.provenance.has_agent_notes = false;
    history.provenance.agents.clear();
    for other in ["agent:", "agent:claude", "#99", "v9", "merge:9999"] {
        let mut driver = Driver::with_depth(history.clone(), 80, 24, ColorDepth::True);
        driver.keys(&format!("&ada<CR>&<C-u>{other}<CR>"));
        assert_eq!(standing_out(&driver), [2, 5], "{other}");
        let words = refusal(other);
        assert!(driver.screen().contains(&words), "{}", driver.screen());
    }
}

#[test]
fn a_file_that_was_only_reindented_has_no_line_that_was_not() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for (text, message) in [
        ("if a {\nb\n}\n", "Add"),
        ("  if a {\n  b\n  }\n", "Indent"),
    ] {
        repository.write(b"f", text.as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-q", "-m", message]);
    }
    let open = || {
        let arguments = arguments("f".into(), Config::default());
        Driver::with_repository(repository.root(), arguments, (80, 24))
    };
    let mut driver = open();
    driver.keys("&-formatted<CR>");
    let words = "no line here is of -formatted: filter unchanged";
    assert!(driver.screen().contains(words), "{}", driver.screen());
    assert_eq!(standing_out(&driver), [1, 2, 3]);
    // With a line that was not, it is applied.
    repository.write(b"f", b"  if a {\n  b\n  c\n  }\n");
    repository.git(&["commit", "-q", "-a", "-m", "Call"]);
    let mut driver = open();
    driver.keys("&-formatted<CR>");
    assert_eq!(standing_out(&driver), [3], "{}", driver.screen());
    assert!(driver.screen().contains("1 line of -formatted"));
}

#[test]
fn a_filter_that_no_line_of_a_directory_has_is_not_applied() {
    let history = lists::history();
    for keys in ["tblame other", "tblame other L"] {
        let mut driver = lists::opened(&history, keys, (120, 12));
        let before = driver.screen();
        for (typed, words) in [
            ("1999", "no line here is of dates 1999: filter unchanged"),
            (
                "nobody",
                "no line here is of authors like nobody: filter unchanged",
            ),
            ("-formatted", "-formatted is for the lines of a file"),
            ("2026-13", "“2026-13” is not a date such as 2021-03"),
        ] {
            driver.keys(&format!("&<C-u>{typed}<CR>"));
            assert!(driver.screen().contains(words), "{}", driver.screen());
            assert!(driver.app().display.filter.is_empty(), "{typed}");
            driver.keys("g");
            assert_eq!(driver.screen(), before, "{typed}");
        }
        // Back to the one before.
        driver.keys("&2006..<CR>&<C-u>1999<CR>");
        assert_eq!(driver.app().display.filter.to_string(), "2006..");
    }
}

#[test]
fn the_view_goes_to_the_nearest_line_that_stands_out() {
    let history = FakeHistory::default().commit("Ada", "One", |lines| {
        lines.extend((0..200).map(|at| line(&format!("line {at}"))));
    });
    let history = history.commit("Ben", "Two", |lines| {
        lines[20] = line("Ben's first");
        lines[180] = line("Ben's last");
    });
    let mut driver = Driver::new(history, 80, 24);
    for (from, to) in [(1, 21), (60, 21), (150, 181), (175, 175), (25, 25)] {
        driver.keys(&format!("{from}G&<C-u>ben<CR>"));
        assert_eq!(driver.whereabouts().2.line + 1, to, "{from}");
        let screen = driver.screen();
        assert!(
            screen.contains("Ben's ") && screen.contains("2 lines of"),
            "{screen}"
        );
        driver.keys("<Esc>");
    }
}

#[test]
fn motions_go_between_the_lines_that_stand_out() {
    let mut driver = driver();
    driver.keys("gJ");
    assert!(driver.screen().contains("& chooses which lines stand out"));
    driver.keys("&ada<CR>");
    assert!(
        driver
            .screen()
            .contains("2 lines of authors like ada; J next, & changes, Esc ends")
    );
    let mut lines = Vec::new();
    for keys in ["J", "J", "J", "K", "2K", "3J"] {
        driver.keys(keys);
        lines.push(driver.whereabouts().2.line + 1);
    }
    assert_eq!(lines, [2, 5, 2, 5, 5, 2]);
    assert!(
        driver.screen().contains("group 1 of 2 of authors like ada"),
        "{}",
        driver.screen()
    );
    // Lines 2 and 3 adjoin.
    driver.keys("g&<C-u>..2014<CR>JJ");
    assert_eq!(driver.whereabouts().2.line + 1, 5);
}

#[test]
fn escape_clears_the_search_first() {
    let mut driver = driver();
    driver.keys("&ada<CR>/burn<CR><Esc>");
    assert_eq!(standing_out(&driver), [2, 5]);
    driver.keys("<Esc>");
    assert_eq!(standing_out(&driver).len(), 6);
}

#[test]
fn the_prompt_brings_the_present_filter_back() {
    let mut driver = driver();
    driver.keys("Aj<CR>");
    let chosen = standing_out(&driver);
    driver.keys("&<Up>");
    let name = driver.app().display.filter.to_string();
    assert!(driver.screen().contains(&format!("lines of: {name}")));
    driver.keys("<CR>");
    assert_eq!(standing_out(&driver), chosen);
    assert!(driver.app().display.filter.person.is_some());
    driver.keys("&<CR>");
    assert!(driver.app().display.filter.is_empty());
}

#[test]
fn a_span_is_chosen_in_a_list_of_the_calendar() {
    let mut driver = driver();
    driver.resize(160, 24);
    driver.keys("H");
    let screen = driver.screen();
    for span in ["2013-06          ██", "2015-07..2015-08 ██"] {
        assert!(screen.contains(span), "{span}: {screen}");
    }
    let footer = screen.lines().last().unwrap_or_default();
    assert!(!footer.contains(" age "), "{footer}");
    driver.keys("l<CR>");
    let message = driver.app().status.message.clone().unwrap_or_default();
    assert!(
        message.contains("3 lines of dates 2015-07..; J next"),
        "{message}"
    );
}

#[test]
fn a_span_is_chosen_in_the_legend() {
    let mut driver = driver();
    driver.keys("c");
    let newest = newest_column(&driver);
    let count = driver
        .app()
        .date_histogram()
        .expect("the legend")
        .counts
        .len();
    let at = |column: usize| ((newest + 1 - count + column) as u16, 23);
    let left = MouseButton::Left;
    driver.mouse(MouseEventKind::Down(left), at(count - 1));
    assert_eq!(standing_out(&driver), [1, 4, 6], "{}", driver.screen());
    driver.mouse(MouseEventKind::Drag(left), at(count / 2));
    driver.mouse(MouseEventKind::Up(left), at(count / 2));
    let middle = standing_out(&driver);
    driver.mouse(MouseEventKind::Down(left), at(count - 1));
    driver.mouse(MouseEventKind::Drag(left), (0, 0));
    assert_eq!(standing_out(&driver), [1, 2, 3, 4, 5, 6]);
    driver.mouse(MouseEventKind::Up(left), (0, 0));
    driver.mouse(MouseEventKind::Down(left), at(0));
    assert_eq!(standing_out(&driver), [2, 5]);
    assert!(middle.len() >= 3, "{middle:?}");
    // The same column again.
    driver.mouse(MouseEventKind::Down(left), at(0));
    assert!(driver.app().display.filter.is_empty());
}

#[test]
fn the_legend_is_not_pressed_below_a_question_and_not_shown_beside_a_diff() {
    let theme = Theme::new(Background::Dark, ColorDepth::True);
    let repository = RepositoryInfo {
        ignore_revs_target: Some("list".into()),
        ..RepositoryInfo::default()
    };
    let mut driver = Driver::opened(
        history(),
        (80, 24),
        ThemeSet::fixed(theme),
        Config::default(),
        (repository, None),
    );
    let left = MouseEventKind::Down(MouseButton::Left);
    driver.keys("c");
    let at = (newest_column(&driver) as u16, 23);
    driver.keys("I");
    assert!(!driver.screen().contains(" 2015 "), "{}", driver.screen());
    driver.mouse(left, at);
    assert_eq!(driver.app().pages.top_kind(), Some(PageKind::Question));
    assert!(driver.app().display.filter.is_empty());
    driver.keys("<Esc><CR>");
    assert!(driver.app().diff().is_some());
    assert!(!driver.screen().contains(" 2015 "), "{}", driver.screen());
    driver.keys("<Esc>");
    assert_eq!(newest_column(&driver), usize::from(at.0));
    // Elsewhere, so that it is no double click.
    driver.mouse(left, (at.0 - 1, at.1));
    assert!(driver.app().display.filter.dates.is_some());
}

/// On a wider screen the list has more and shorter spans: the dates that were chosen stay.
#[test]
fn dates_stay_chosen_when_the_list_gets_other_spans() {
    let mut driver = driver();
    driver.keys("H").keys("<Home>2j 3j");
    let chosen = |driver: &Driver| {
        let dates = driver.app().display.filter.dates.clone();
        dates.expect("a span")
    };
    let before = chosen(&driver);
    assert!(!before.from.is_empty() && !before.to.is_empty());
    driver.resize(240, 24);
    let list = driver.app().pages.list().expect("the dates");
    assert_eq!((list.selected, list.shape.count), (13, 27));
    // The third month of the last quarter.
    driver.keys("2j");
    assert_eq!(chosen(&driver), before);
    driver.resize(80, 24);
    let list = driver.app().pages.list().expect("the dates");
    assert_eq!((list.selected, list.shape.count), (5, 10));
    driver.keys("jk");
    assert_eq!(chosen(&driver), before);
    driver.keys("<Esc>");
    assert!(driver.app().display.filter.is_empty());
}

#[test]
fn a_span_is_chosen_with_keys() {
    let mut driver = driver();
    driver.keys("H");
    let screen = driver.screen();
    let foot = screen.lines().last().expect("a status line");
    assert!(
        foot.starts_with(" Enter keep  Space several  Esc cancel  h earlier  ? keys"),
        "{foot}"
    );
    assert_eq!(standing_out(&driver).len(), 6);
    // The newest column, as soon as a key moves there.
    driver.keys("l");
    let screen = driver.screen();
    let foot = screen.lines().last().expect("a status line");
    assert!(foot.starts_with(" Enter keep  "), "{foot}");
    assert_eq!(standing_out(&driver), [1, 4, 6]);
    // A span up to the oldest one has all lines.
    driver.keys(" 0");
    assert_eq!(standing_out(&driver).len(), 6);
    driver.keys("lll");
    assert_eq!(standing_out(&driver), [1, 3, 4, 6]);
    driver.keys(" 0");
    assert_eq!(standing_out(&driver), [2, 5]);
    driver.keys("<CR>");
    assert_eq!(standing_out(&driver), [2, 5]);
    assert!(driver.app().display.filter.dates.is_some());
    // Esc returns to what was before.
    driver.keys("H$");
    assert_eq!(standing_out(&driver), [1, 4, 6]);
    driver.keys("<Esc>");
    assert_eq!(standing_out(&driver), [2, 5]);
}
