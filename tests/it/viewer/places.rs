//! Going to revisions and files by name.

use super::{
    driver::Driver,
    fake_history::{FakeHistory, lamp_history},
};

fn message(driver: &Driver) -> Option<&str> {
    driver.app().status.message.as_deref()
}

#[test]
fn a_revision_is_blamed_at_the_same_line() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("3j:v1<CR>");
    assert_eq!(driver.whereabouts().1, "src/lantern.rs");
    assert_eq!(
        (driver.whereabouts().0, driver.whereabouts().2.line),
        (1, 2)
    );
    let header = driver.screen().lines().next().unwrap_or("").to_owned();
    assert!(header.contains("HEAD › v1"), "{header}");
    // The older name of the file, and back.
    driver.keys(":v0<CR>");
    assert_eq!(driver.whereabouts().1, "src/lamp.rs");
    driver.keys("2<");
    assert_eq!(
        (driver.whereabouts().0, driver.whereabouts().2.line),
        (0, 3)
    );
}

#[test]
fn an_unknown_name_is_an_error_and_a_number_is_a_line() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys(":nowhere<CR>");
    assert_eq!(message(&driver), Some("no “nowhere” here"));
    assert_eq!(driver.whereabouts().0, 0);
    driver.keys(":4<CR>");
    assert_eq!(driver.whereabouts().2.line, 3);
    driver.keys(":50%<CR>");
    assert_eq!(driver.whereabouts().2.line, 3);
    driver.keys(":v1<CR>:v1<CR>");
    assert_eq!(message(&driver), Some("v1 is what you see"));
    driver.keys(":v1<Esc>");
    assert_eq!(driver.whereabouts().0, 1);
}

#[test]
fn a_diff_is_left_for_a_revision() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("<CR>:3<CR>");
    assert!(driver.app().overlays.diff().is_some());
    driver.keys(":v1<CR>");
    assert!(driver.app().overlays.diff().is_none());
    let id = driver
        .app()
        .view()
        .and_then(|view| view.selected())
        .map(|it| it.commit.id);
    assert!(id.is_some_and(|id| id != FakeHistory::id(2)));
}

#[test]
fn tab_completes_and_then_chooses() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    let row = |driver: &mut Driver, keys: &str| {
        let screen = driver.keys(keys).screen();
        screen.lines().last().unwrap_or("").to_owned()
    };
    assert_eq!(row(&mut driver, ":m<Tab>"), ":main   main  maint/1.0");
    assert_eq!(row(&mut driver, "<Tab>"), ":main   main  maint/1.0");
    assert_eq!(row(&mut driver, "<Tab>"), ":maint/1.0   maint/1.0");
    assert_eq!(
        row(&mut driver, "<C-u>x<Tab>"),
        ":x   nothing begins with this"
    );
    assert_eq!(row(&mut driver, "<C-u>v<Tab><Tab>"), ":v1   v1  v2");
    driver.keys("<CR>");
    assert_eq!(driver.whereabouts().0, 1);
    // What was typed before.
    assert_eq!(row(&mut driver, ":<Up>"), ":v1");
}
