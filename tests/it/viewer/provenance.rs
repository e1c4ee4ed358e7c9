//! Releases, requests and merges in columns, colors and details.

use std::sync::Arc;

use ratatui::style::Color;
use tblame::internals::{
    repository::{
        agents::agent::{Agent, AgentLines, AgentSource},
        provenance::{finder::Arrival, request_number::RequestNumber},
    },
    viewer::{
        app::settings::arguments::ViewerArguments,
        config::settings::Config,
        model::{
            background::provenance::{FoundProvenance, WrittenLine},
            color_mode::ColorMode,
            source::FileVersion,
        },
        theme::{
            styles::Theme,
            terminal_colors::{Background, ColorDepth},
        },
    },
};

use super::{
    driver::{Driver, arguments},
    fake_history::{FakeHistory, lamp_history},
};
use crate::harness::{
    repository::{ObjectFormat, TestRepo},
    session::{Session, tblame_command},
};

/// The first commit came with a request, the second with a merge, and the third is in no release.
fn released() -> FakeHistory {
    let mut history = lamp_history();
    let id = FakeHistory::id;
    let request = Arrival {
        merge: Some(id(8)),
        request: Some(RequestNumber::Pull(12)),
    };
    let merge = Arrival {
        merge: Some(id(9)),
        request: None,
    };
    history.provenance = FoundProvenance {
        releases: vec![
            (id(0), Some("v1.0".into())),
            (id(1), Some("v1.1-rc1".into())),
            (id(2), None),
        ],
        arrivals: vec![
            (id(0), request),
            (id(1), merge),
            (id(2), Arrival::default()),
        ],
        merges: Vec::new(),
        has_agent_notes: false,
        agents: Vec::new(),
    };
    history
}

fn with_config(text: &str, size: (u16, u16), depth: ColorDepth) -> Driver {
    let config = Config::parse(text.as_bytes()).expect("a configuration");
    Driver::with_theme(
        released(),
        size,
        Theme::new(Background::Dark, depth),
        config,
    )
}

#[test]
fn columns_of_releases_and_requests() {
    let config = "[columns]\nshow = ['author', 'release', 'request', 'line']";
    let driver = with_config(config, (80, 24), ColorDepth::None);
    let screen = driver.screen();
    let rows: Vec<&str> = screen.lines().skip(1).take(6).collect();
    assert_eq!(
        rows,
        [
            "Cleo                 -                      ►  1 │ //! The lantern.",
            "Ada                  v1.0           #12        2 ┊ fn light() {",
            "Ben                  v1.1-rc1       0a0a0a0    3 ┃     trim();",
            "Cleo                 -                      ▌  4 │     burn(oil);",
            "Ada                  v1.0           #12        5 ┊ }",
            "Cleo                 -                      ▌  6 │ // end",
        ],
        "{screen}"
    );
}

#[test]
fn columns_can_be_switched_on_and_off() {
    let mut driver = Driver::with_depth(released(), 80, 24, ColorDepth::None);
    assert!(!driver.screen().contains("v1.1-rc1"));
    // Release is the last column but two.
    driver.keys("|jjjjjjj <Esc>");
    assert!(driver.screen().contains("v1.1-rc1"), "{}", driver.screen());
    driver.keys("|jjjjjjj <Esc>");
    assert!(!driver.screen().contains("v1.1-rc1"));
}

#[test]
fn details_name_the_first_release() {
    let mut driver = Driver::with_depth(released(), 80, 24, ColorDepth::None);
    assert!(!driver.screen().contains("first in"));
    driver.keys("j");
    let screen = driver.screen();
    assert!(screen.contains(" first in v1.0\n"), "{screen}");
}

#[test]
fn lines_of_a_request_have_one_color() {
    let mut history = released();
    // Another commit of the same request.
    history.provenance.arrivals[1].1.request = Some(RequestNumber::Pull(12));
    let config = Config::parse(b"color = 'request'").expect("a configuration");
    let theme = Theme::new(Background::Dark, ColorDepth::True);
    let mut driver = Driver::with_theme(history, (80, 24), theme, config);
    driver.keys("G");
    let colors = |driver: &Driver, y: u16| -> Color {
        let buffer = driver.memory().terminal.backend().buffer();
        buffer.cell((0, y)).expect("it is on the screen").bg
    };
    let hues = [colors(&driver, 2), colors(&driver, 3)];
    let none = lamp_history();
    let config = Config::parse(b"color = 'request'").expect("a configuration");
    let theme = Theme::new(Background::Dark, ColorDepth::True);
    let mut plain = Driver::with_theme(none, (80, 24), theme, config);
    plain.keys("G");
    assert_ne!(hues[0], colors(&plain, 2));
    assert_ne!(hues[1], colors(&plain, 3));
    assert!(driver.screen().contains(" requests "));
    // Lines 2 and 3 came with one request, and the motions take them as one group.
    let mut lines = Vec::new();
    for keys in ["g]", "]", "]", "]", "[", "[", "[", "["] {
        driver.keys(keys);
        lines.push(driver.whereabouts().2.line + 1);
    }
    assert_eq!(lines, [2, 4, 5, 6, 5, 4, 2, 1]);
    driver.keys("cccccg");
    let mut lines = Vec::new();
    for _ in 0..3 {
        driver.keys("]");
        lines.push(driver.whereabouts().2.line + 1);
    }
    assert_eq!(lines, [2, 3, 4]);
}

#[test]
fn a_repository_is_read_when_a_column_asks() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"file", b"one\n");
    repository.git(&["add", "file"]);
    repository.git(&["commit", "-q", "-m", "Add it (#3)"]);
    repository.git(&["tag", "v1"]);
    repository.write(b"file", b"one\ntwo\n");
    repository.git(&["commit", "-q", "-a", "-m", "Add more"]);
    repository.git(&["tag", "-m", "second", "v2"]);
    let config = "[columns]\nshow = ['release', 'request', 'line']";
    let config = Config::parse(config.as_bytes()).expect("a configuration");
    let arguments = arguments("file".into(), config);
    let driver = Driver::with_repository(repository.root(), arguments, (80, 24));
    let screen = driver.screen();
    let rows: Vec<&str> = screen.lines().skip(1).take(2).collect();
    assert!(
        rows[0].starts_with("v1 ") && rows[0].contains(" #3 "),
        "{screen}"
    );
    assert!(
        rows[1].starts_with("v2 ") && !rows[1].contains('#'),
        "{screen}"
    );
    assert!(screen.contains(" PR #3 · first in v1\n"), "{screen}");
}

/// The history that the viewer began with does not have what was merged later.
#[test]
fn newer_versions_than_the_first_have_their_requests() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"file", b"one\n");
    repository.git(&["add", "file"]);
    repository.git(&["commit", "-q", "-m", "Add it"]);
    repository.git(&["tag", "v1"]);
    repository.git(&["checkout", "-q", "-b", "topic"]);
    repository.write(b"file", b"one\ntwo\n");
    repository.git(&["commit", "-q", "-a", "-m", "Add more"]);
    repository.git(&["checkout", "-q", "main"]);
    let message = "Merge pull request #7 from ann/topic";
    repository.git(&["merge", "-q", "--no-ff", "-m", message, "topic"]);
    let mut command = tblame_command();
    command.args(["v1", "file"]);
    command.cwd(repository.root());
    let mut session = Session::run(command, (80, 24));
    session.wait_for("one");
    session.press(":HEAD\r");
    session.wait_for("two");
    session.press("G");
    session.wait_for(" PR #7 ");
    session.press("&#7\r");
    session.wait_for("1 line of request #7");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
}

/// A diff that is opened before any file says as much of its commit.
#[test]
fn a_diff_of_a_directory_has_the_facts_of_its_commit() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"file", b"one\n");
    repository.git(&["add", "file"]);
    let message = "Add it (#3)\n\nCo-authored-by: Claude <noreply@anthropic.com>";
    repository.git(&["commit", "-q", "-m", message]);
    repository.git(&["tag", "v1"]);
    let facts = |arguments: ViewerArguments, keys: &str| {
        let mut driver = Driver::with_repository(repository.root(), arguments, (80, 24));
        driver.keys(keys);
        let screen = driver.screen();
        assert!(screen.contains("diff "), "{screen}");
        let row = screen.lines().find(|row| row.contains("first in"));
        row.map(str::to_owned)
            .unwrap_or_else(|| panic!("no release\n{screen}"))
    };
    let of_file = arguments("file".into(), Config::default());
    let of_directory = ViewerArguments {
        directory: Some(FileVersion::WorkTree {
            path: Arc::default(),
        }),
        ..arguments("".into(), Config::default())
    };
    let expected = facts(of_file, "<CR>");
    assert!(
        expected.starts_with(" PR #3 · first in v1 · agent "),
        "{expected}"
    );
    assert_eq!(facts(of_directory, "a"), expected);
}

#[test]
fn lines_of_agents_have_a_mark_a_column_and_a_color() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"file", b"one\ntwo\n");
    repository.git(&["add", "file"]);
    repository.git(&["commit", "-q", "-m", "Add it"]);
    repository.write(b"file", b"one\ntwo\nthree\n");
    repository.git(&["commit", "-q", "-am", "Add more\n\nAssisted-by: Codex:m-2"]);
    repository.write(b"file", b"one\ntwo\nthree\nfour\nfive\n");
    repository.git(&["commit", "-q", "-am", "Add the rest"]);
    let note = "file\n  s 5\n---\n{\"prompts\":{\"s\":{\"agent_id\":{\"tool\":\"cursor\"}}}}";
    let agents = |driver: &Driver| -> Vec<(bool, bool)> {
        let screen = driver.screen();
        let rows = screen.lines().skip(1).take(5);
        let rows = rows.map(|row| (row.contains(" ai "), row.contains("Codex")));
        rows.collect()
    };
    let config = "viewer.details = false\n[columns]\nshow = ['author', 'agent', 'line']";
    let driver = |config: &str| {
        let config = Config::parse(config.as_bytes()).expect("a configuration");
        let arguments = arguments("file".into(), config);
        Driver::with_repository(repository.root(), arguments, (80, 24))
    };
    // Without notes, the trailer.
    let none = (false, false);
    let expected = [none, none, (true, true), none, none];
    assert_eq!(
        agents(&driver(config)),
        expected,
        "{}",
        driver(config).screen()
    );
    repository.git(&["notes", "--ref=ai", "add", "-m", note, "HEAD"]);
    let screen = driver(config).screen();
    let rows: Vec<&str> = screen.lines().skip(1).take(5).collect();
    assert!(rows[4].contains("cursor"), "{screen}");
    // The mark is that of the line, not of its group.
    assert!(
        !rows[3].contains(" ai ") && !rows[3].contains("cursor"),
        "{screen}"
    );
    let config = Config::parse(b"color = 'agent'").expect("a configuration");
    assert_eq!(config.color.next(), ColorMode::Shades);
    let mut history = lamp_history();
    let agent = AgentLines {
        lines: 0..1,
        agent: Agent {
            tool: Some("cursor".into()),
            ..Agent::default()
        },
        source: AgentSource::Note,
    };
    let line = WrittenLine {
        commit: FakeHistory::id(0),
        path: "src/lamp.rs".into(),
        line: 0,
    };
    history.provenance.has_agent_notes = true;
    history.provenance.agents.push((line, Some(agent)));
    let theme = Theme::new(Background::Dark, ColorDepth::True);
    let mut driver = Driver::with_theme(history, (80, 24), theme, config);
    driver.keys("G");
    let color = |y: u16| -> Color {
        let buffer = driver.memory().terminal.backend().buffer();
        buffer.cell((0, y)).expect("it is on the screen").bg
    };
    assert!(driver.screen().contains(" agents "));
    // The second line, of the first commit, is the agent's; the fifth, of the same commit, is not.
    assert_ne!(color(2), color(5), "{}", driver.screen());
}

#[test]
fn an_agent_that_is_a_co_author_is_counted_once() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let trailers = "Co-authored-by: Claude <noreply@anthropic.com>";
    for (text, message) in [
        ("one\n", "Add it".to_owned()),
        ("one\ntwo\n", format!("Add more\n\n{trailers}")),
        (
            "one\ntwo\nthree\n",
            format!("Add the rest\n\n{trailers}\nCo-authored-by: Ben <b@c.de>"),
        ),
    ] {
        repository.write(b"file", text.as_bytes());
        repository.git(&["add", "file"]);
        repository.git(&["commit", "-q", "-m", &message]);
    }
    let config = Config::parse(b"[columns]\nshow = ['author', 'line']").expect("a configuration");
    let arguments = arguments("file".into(), config);
    let driver = Driver::with_repository(repository.root(), arguments, (120, 24));
    let screen = driver.screen();
    let marks = screen.lines().skip(1).take(3).map(|row| {
        let (columns, _) = row.split_once(['│', '┃', '┊']).expect(row);
        (
            columns.contains(" +1"),
            columns.contains(" +2"),
            columns.contains(" ai"),
        )
    });
    let marks: Vec<_> = marks.collect();
    assert_eq!(
        marks,
        [
            (false, false, false),
            (false, false, true),
            (true, false, true)
        ],
        "{screen}"
    );
}

#[test]
fn details_name_the_agent_of_the_selected_line() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"file", b"one\ntwo\n");
    repository.git(&["add", "file"]);
    repository.git(&["commit", "-q", "-m", "Add it"]);
    let note = "file\n  s 2\n---\n{\"prompts\":{\"s\":{\"agent_id\":{\"tool\":\"cur\\u001b[31msor\",\
                \"model\":\"m-1\"},\"human_author\":\"Ann\"}}}\n";
    repository.git(&["notes", "--ref=ai", "add", "-m", note, "HEAD"]);
    repository.write(b"file", b"zero\none\ntwo\n");
    let message = "Add more\n\nAssisted-by: Codex:m-2";
    repository.git(&["commit", "-q", "-a", "-m", message]);
    let config = Config::parse(b"").expect("a configuration");
    let arguments = arguments("file".into(), config);
    let mut driver = Driver::with_repository(repository.root(), arguments, (80, 24));
    let (mut names, mut facts) = (Vec::new(), Vec::new());
    for keys in ["g", "j", "j"] {
        driver.keys(keys);
        let is_named = |driver: &Driver| {
            let screen = driver.screen();
            let mut rows = screen.lines();
            rows.any(|line| {
                line == " agent Codex, m-2"
                    || line.starts_with(" agent cur") && line.ends_with("sor, m-1")
            })
        };
        names.push(is_named(&driver));
        // The diff says the same.
        assert_eq!(is_named(driver.keys("<CR>")), names[names.len() - 1]);
        driver.keys("<Esc>");
        driver.keys("<Tab>");
        let screen = driver.screen();
        driver.keys("<Tab>");
        let fact = screen
            .lines()
            .find(|line| line.trim_start().starts_with("agent  "));
        facts.push(fact.map(|fact| fact.trim().to_owned()));
        assert!(!screen.contains('\u{1b}'));
    }
    // The details in short have the name, and the enlarged ones all that is recorded.
    assert_eq!(names, [true, false, true]);
    assert_eq!(facts[0].as_deref(), Some("agent      Codex, m-2 (trailer)"));
    assert_eq!(facts[1], None);
    let last = facts[2].as_deref().expect("an agent");
    assert!(
        last.starts_with("agent      cur") && last.ends_with("sor, m-1, used by Ann (note)"),
        "{last}"
    );
}
