//! The width of tabs: the configuration's, the one that is typed, and that of `.editorconfig`.

use tblame::internals::viewer::config::settings::Config;

use crate::harness::repository::{ObjectFormat, TestRepo};

use super::driver::{Driver, arguments};

/// The columns between `a` and `b` on the screen.
fn gap(driver: &Driver) -> usize {
    let screen = driver.screen();
    let line = screen
        .lines()
        .find(|line| line.contains("a ") && line.contains(" b"));
    let line = line.unwrap_or_else(|| panic!("{screen}"));
    let at = line.rfind(" b").expect("the end of the line");
    line[..at].len() - line[..at].trim_end().len() + 1
}

#[test]
fn tabs_are_as_wide_as_is_wanted() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for file in ["x.c", "x.py"] {
        repository.write(file.as_bytes(), b"a\tb\n");
    }
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    let open = |file: &str, config: &str| {
        let config = Config::parse(config.as_bytes()).unwrap();
        let arguments = arguments(file.into(), config);
        Driver::with_repository(repository.root(), arguments, (80, 24))
    };
    assert_eq!(gap(&open("x.c", "")), 7);
    assert_eq!(gap(&open("x.c", "viewer.tab-width = 4")), 3);
    repository.write(b".editorconfig", b"[*.c]\ntab_width = 3\n");
    let mut driver = open("x.c", "");
    assert_eq!(gap(&driver), 2);
    assert_eq!(gap(&open("x.py", "")), 7);
    assert_eq!(gap(&open("x.c", "viewer.tab-width = 5")), 4);
    // A number before the key, in the blame and in a diff, with lines that wrap.
    driver.keys("W6W");
    assert_eq!(gap(&driver), 5);
    assert!(driver.screen().contains("tabs are 6 columns wide"));
    driver.keys("<CR>");
    assert_eq!(gap(&driver), 5);
    driver.keys("2W");
    assert_eq!(gap(&driver), 1);
    driver.keys("q0W33W");
    assert_eq!(gap(&driver), 1);
    assert!(driver.screen().contains("tabs can be 1 to 32 columns wide"));
}
