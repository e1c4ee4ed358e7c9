//! Links that the terminal opens (OSC 8).

use std::sync::Arc;

use tblame::internals::viewer::{
    app::settings::environment::RepositoryInfo,
    config::settings::Config,
    model::{
        source::{CommitContext, FileVersion},
        web_links::{UrlTemplates, WebLinks},
    },
};

use crate::harness::{
    repository::{ObjectFormat, TestRepo},
    session::{Session, contains, tblame_command},
};

use super::{
    driver::{Driver, arguments},
    fake_history::{FakeHistory, lamp_history, line},
};

/// The links on the screen: their texts and their pages.
fn links(driver: &Driver) -> Vec<(String, String)> {
    let buffer = driver.memory().terminal.backend().buffer();
    let links = driver.memory().hyperlinks.iter().map(|link| {
        let cells = link.columns.clone().map(|x| buffer[(x, link.row)].symbol());
        (cells.collect(), link.url.to_string())
    });
    links.collect()
}

fn driver(message: &str) -> Driver {
    let mut source =
        lamp_history().commit("Dora", message, |lines| lines.push(line("fn oil() {}")));
    let found = CommitContext {
        mentioned_commits: vec![("0101010101".into(), FakeHistory::id(0))],
        ..CommitContext::default()
    };
    source.circumstances.insert(FakeHistory::id(3), found);
    let remote = Some("git@github.com:o/lamp".into());
    let around = RepositoryInfo {
        web: WebLinks::new(remote, UrlTemplates::default()),
        ..RepositoryInfo::default()
    };
    Driver::with_context(source, around)
}

#[test]
fn ids_requests_paths_and_references_are_links() {
    let base = "https://github.com/o/lamp";
    let page = |number| format!("{base}/commit/{}", FakeHistory::id(number));
    let mut driver = driver("Burn oil\n\nAs 0101010101 said, and #7; see https://example.org/oil.");
    driver.keys("G");
    let found = links(&driver);
    let file = format!("{base}/blob/{}/src/lantern.rs", FakeHistory::id(3));
    assert_eq!(found[0].0, "src/lantern.rs");
    assert!(found[0].1.starts_with(&file), "{found:?}");
    let expected = [
        ("04040404", page(3)),
        ("0101010101", page(0)),
        ("#7", format!("{base}/issues/7")),
        (
            "https://example.org/oil",
            "https://example.org/oil".to_owned(),
        ),
    ];
    let expected = expected.map(|(text, url)| (text.to_owned(), url));
    assert_eq!(found[1..5], expected, "{}", driver.screen());
    // The diff has them too, and the help has none.
    driver.keys("<CR>");
    let found = links(&driver);
    assert_eq!(found[0], ("04040404".to_owned(), page(3)));
    assert_eq!(found[1..4], expected[1..], "{}", driver.screen());
    driver.keys("?");
    assert_eq!(links(&driver), []);
}

#[test]
fn previews_of_lists_have_links() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for (text, message) in [
        ("one\ntwo\nthree\n", "First"),
        ("one\nthree\noil\n", "Burn oil\n\nAs in #7."),
    ] {
        repository.write(b"f", text.as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-q", "-m", message]);
    }
    let id = repository.git_text(&["rev-parse", "HEAD"]);
    let remote = Some("git@github.com:o/lamp".into());
    let base = "https://github.com/o/lamp";
    let expected = [
        (id[..8].to_owned(), format!("{base}/commit/{id}")),
        ("#7".to_owned(), format!("{base}/issues/7")),
    ];
    for (width, keys) in [
        (80, "F"),
        (80, "GL"),
        (80, "/<Tab>oil<CR>"),
        (80, "D<CR>"),
        (200, "F"),
        (200, "GL"),
    ] {
        let mut arguments = arguments("f".into(), Config::default());
        arguments.repository.web = WebLinks::new(remote, UrlTemplates::default());
        let mut driver = Driver::with_repository(repository.root(), arguments, (width, 24));
        driver.keys(keys);
        assert!(driver.app().pages.cover_blame(), "{keys}");
        let found = links(&driver);
        let shown = found
            .iter()
            .map(|(text, url)| (text.as_str(), url.as_str()));
        let shown: Vec<_> = shown.collect();
        let [(path, file), title, request, ..] = shown[..] else {
            panic!("{width} {keys}: {shown:?}\n{}", driver.screen());
        };
        assert_eq!(path, "f", "{keys}");
        let of_line = file.strip_prefix(&format!("{base}/blob/"));
        assert!(of_line.is_some_and(|it| it.contains("/f#L")), "{file}");
        let expected = expected
            .each_ref()
            .map(|(text, url)| (text.as_str(), url.as_str()));
        assert_eq!(
            [title, request],
            expected,
            "{width} {keys}:\n{}",
            driver.screen()
        );
    }
}

#[test]
fn places_have_links() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"f", "line\n".repeat(30).as_bytes());
    repository.git(&["add", "f"]);
    repository.git(&["commit", "-q", "-m", "First"]);
    let id = repository.git_text(&["rev-parse", "HEAD"]);
    let remote = Some("git@github.com:o/lamp".into());
    let mut arguments = arguments("f".into(), Config::default());
    arguments.repository.web = WebLinks::new(remote, UrlTemplates::default());
    arguments.places = true;
    arguments.directory = Some(FileVersion::WorkTree {
        path: Arc::default(),
    });
    let mut driver = Driver::with_repository(repository.root(), arguments, (80, 12));
    for (keys, first) in [("", 1), ("<End>", 20)] {
        let found = links(driver.keys(keys));
        let of_line = |line| {
            let url = format!("https://github.com/o/lamp/blob/{id}/f#L{line}");
            (format!("f:{line}:"), url)
        };
        let expected: Vec<_> = (first..first + 5).map(of_line).collect();
        assert_eq!(found, expected, "{}", driver.screen());
    }
}

#[test]
fn a_url_with_letters_of_other_scripts_is_one_link() {
    let message = "Burn oil\n\nSee “https://example.org/Öl–Käse?q=ü”, https://exämple.org/oil.";
    let mut driver = driver(message);
    driver.keys("G");
    let found = links(&driver);
    let of_message: Vec<_> = found
        .iter()
        .filter(|(text, _)| text.starts_with("https"))
        .collect();
    let (text, url) = of_message[0];
    assert_eq!(text, "https://example.org/Öl–Käse?q=ü");
    assert_eq!(
        url,
        "https://example.org/%C3%96l%E2%80%93K%C3%A4se?q=%C3%BC"
    );
    // A host of other letters may only look like another one.
    assert_eq!(of_message.len(), 1, "{found:?}");
}

#[test]
fn what_is_no_url_is_no_link() {
    let message = "Burn oil\n\nhttps://example.org/\u{202e}x https://example.org/a\u{7}b #7";
    let mut driver = driver(message);
    driver.keys("G");
    let found = links(&driver);
    assert!(found.len() > 2, "{found:?}");
    for (text, url) in found {
        assert!(url.bytes().all(|byte| byte.is_ascii_graphic()), "{text}");
    }
}

/// The program in a terminal of this type, in a repository with a remote.
fn in_type(term: &str) -> Session {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"a", b"1\n");
    repository.git(&["add", "a"]);
    repository.git(&["commit", "-q", "-m", "First (#12)"]);
    repository.git(&["remote", "add", "origin", "https://github.com/o/r.git"]);
    let mut command = tblame_command();
    command.args(["HEAD", "--", "a"]);
    command.cwd(repository.root());
    let mut session = Session::run_in_type(command, (100, 24), term);
    session.wait_for("First (#12)");
    session.wait_for("https://github.com/o/r/issues/12");
    session.press("q");
    assert_eq!(session.end().exit_code(), 0);
    session.assert_restored();
    session
}

#[test]
fn links_are_written_in_terminals_that_have_them() {
    let begin = b"\x1b]8;;https://github.com/o/r/issues/12\x1b\\";
    let session = in_type("xterm-kitty");
    assert!(contains(&session.output, begin));
    assert!(contains(&session.output, b"\x1b]8;;\x1b\\"));
    for term in ["xterm", "st-256color", "linux", "screen", "vt100"] {
        let session = in_type(term);
        assert!(!contains(&session.output, b"\x1b]8;"), "{term}");
    }
}
