//! What leaves the viewer: links, pages, commands, printed lines, the clipboard, suspension.

use crossterm::event::{MouseButton, MouseEventKind};

use tblame::internals::{
    repository::provenance::{finder::Arrival, request_number::RequestNumber},
    viewer::{
        app::settings::environment::RepositoryInfo,
        event_loop::ExitReason,
        model::{
            external_commands::ExternalCommand,
            source::CommitContext,
            web_links::{UrlTemplates, WebLinks},
        },
        terminal::input::Input,
    },
};

use super::{
    driver::Driver,
    fake_history::{FakeHistory, lamp_history, line},
};

/// A repository with a remote that has web pages.
fn with_remote() -> RepositoryInfo {
    RepositoryInfo {
        web: WebLinks::new(
            Some("git@github.com:o/lamp".into()),
            UrlTemplates::default(),
        ),
        ..RepositoryInfo::default()
    }
}

#[test]
fn references_of_a_message_are_followed() {
    let message = "Burn oil\n\nAs 0101010101 said, and #7; see https://example.org/oil.";
    let mut source =
        lamp_history().commit("Dora", message, |lines| lines.push(line("fn oil() {}")));
    let found = CommitContext {
        mentioned_commits: vec![("0101010101".into(), FakeHistory::id(0))],
        ..CommitContext::default()
    };
    source.circumstances.insert(FakeHistory::id(3), found);
    let around = with_remote();
    let mut driver = Driver::with_context(source, around);
    driver.keys("r");
    assert!(driver.last_row().contains("has no references"));
    driver.keys("Gr");
    assert!(
        driver.last_row().contains(
            "reference 1 of 3: r next, Esc ends, Enter goes to 01010101, o opens its page"
        )
    );
    // They have help of their own.
    driver.keys("?");
    assert!(
        driver.screen().starts_with(" keys: References"),
        "{}",
        driver.screen()
    );
    assert!(!driver.screen().contains("versions of this file"));
    driver.keys("?r");
    assert!(
        driver
            .last_row()
            .contains("o opens https://github.com/o/lamp/issues/7")
    );
    driver.keys("rr");
    assert!(driver.last_row().contains("goes to 01010101"));
    // The commit's own diff, and from it on; each is left by itself.
    driver.keys("<CR>");
    let commit = |driver: &Driver| driver.app().diff().map(|diff| diff.commit);
    assert_eq!(commit(&driver), Some(Some(FakeHistory::id(0))));
    assert!(
        driver.screen().contains("Light the lamp"),
        "{}",
        driver.screen()
    );
    driver.keys("<Esc><CR>");
    assert_eq!(commit(&driver), Some(Some(FakeHistory::id(3))));
    driver.keys("3r");
    assert!(driver.last_row().contains("o opens this page"));
    driver.keys("<Esc>");
    assert_eq!(driver.app().selected_reference(), None);
    driver.keys("r<CR>");
    assert_eq!(commit(&driver), Some(Some(FakeHistory::id(0))));
    driver.keys("<Esc>");
    assert_eq!(commit(&driver), Some(Some(FakeHistory::id(3))));
    driver.keys("<Esc>");
    assert_eq!(commit(&driver), None);
    // Two clicks do the same.
    let screen = driver.screen();
    let row = screen
        .lines()
        .position(|line| line.contains("As 0101010101"));
    let at = (6, row.expect("a row") as u16);
    driver.mouse(MouseEventKind::Down(MouseButton::Left), at);
    assert!(driver.last_row().contains("goes to 01010101"));
    driver.mouse(MouseEventKind::Down(MouseButton::Left), at);
    assert_eq!(commit(&driver), Some(Some(FakeHistory::id(0))));
}

/// What stands beside a message leads somewhere, as what is in it does.
#[test]
fn the_request_that_brought_a_commit_is_a_reference() {
    let mut source = lamp_history();
    let arrival = Arrival {
        merge: None,
        request: Some(RequestNumber::Pull(12)),
    };
    source
        .provenance
        .arrivals
        .push((FakeHistory::id(0), arrival));
    let around = with_remote();
    let mut driver = Driver::with_context(source, around);
    driver.keys("2Gr");
    let screen = driver.screen();
    assert!(screen.contains(" PR #12"), "{screen}");
    let words = "the only reference: Esc ends, o opens https://github.com/o/lamp/issues/12";
    assert!(screen.contains(words), "{screen}");
}

#[test]
fn external_actions_copy_links_and_run_programs() {
    let around = |root: Option<&str>, remote: Option<&str>| RepositoryInfo {
        command_line_commit: Some(FakeHistory::id(2)),
        command_line_changes: false,
        root: root.map(Into::into),
        ignore_revs_target: None,
        editor: None,
        web: WebLinks::new(remote.map(Into::into), UrlTemplates::default()),
    };
    let mut driver = Driver::with_context(lamp_history(), around(None, None));
    driver.keys("Yoe!");
    assert!(driver.memory().copied.is_empty());
    let remote = Some("git@github.com:o/lamp.git");
    let mut driver = Driver::with_context(lamp_history(), around(Some("/nowhere"), remote));
    driver.keys("2jY");
    let (id, start) = (FakeHistory::id(1), FakeHistory::id(2));
    let link = format!("https://github.com/o/lamp/blob/{start}/src/lantern.rs#L3");
    assert_eq!(driver.memory().copied, [link]);
    driver.keys("bY");
    let link = format!("https://github.com/o/lamp/blob/{id}/src/lantern.rs#L2");
    assert_eq!(driver.memory().copied.last(), Some(&link));
    driver.keys("e");
    let ExitReason::External(ExternalCommand::Edit(edit)) = &driver.ending else {
        panic!("{:?}", driver.ending);
    };
    assert_eq!(
        (edit.paths.clone(), edit.line),
        (vec!["src/lantern.rs".into()], 1)
    );
    driver.keys("!");
    let message = driver.app().status.message.clone().expect("a message");
    assert!(message.starts_with("no command is configured"), "{message}");
}

#[test]
fn copying_suspending_quitting() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("jy<C-z>");
    assert_eq!(driver.memory().copied, [FakeHistory::id(0).to_string()]);
    assert_eq!(driver.memory().suspended, 1);
    // The terminal is somebody else's until the program is continued.
    let frames = driver.frames();
    driver.keys("j");
    assert_eq!(driver.frames(), frames);
    driver.take(vec![Input::Resumed]);
    assert_eq!(driver.frames(), frames + 1);
    driver.keys("q");
    assert_eq!(driver.ending, ExitReason::Quit);
}
