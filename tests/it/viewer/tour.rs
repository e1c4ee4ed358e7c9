//! The tour and the key hints.

use tblame::internals::viewer::app::guide::hints::KeyHints;

use super::{driver::Driver, fake_history::lamp_history};

#[test]
fn the_tour_goes_on_when_one_does_what_it_says() {
    let mut driver = Driver::new(lamp_history(), 100, 24);
    let mut step = |keys: &str| {
        driver.keys(keys);
        driver.app().tour_lines().join(" ").replace("  ", " ")
    };
    assert!(step("T").starts_with("1 of 11 On the left"));
    assert!(step("j").contains("} goes to the next ones"));
    assert!(step("}").starts_with("3 of 11"));
    // Nothing stands before this line: the step stays.
    assert!(step(",").starts_with("3 of 11"));
    assert!(step("4g,").starts_with("4 of 11"));
    assert!(step("<").contains("Enter shows what the commit did"));
    assert!(step("<CR>").starts_with("6 of 11"));
    assert!(step("<Esc>").starts_with("7 of 11"));
    assert!(step("i").starts_with("8 of 11"));
    assert!(step("/Be").starts_with("8 of 11"));
    assert!(step("n<CR>").starts_with("9 of 11"));
    assert!(step("c").starts_with("10 of 11"));
    assert!(step("?").starts_with("10 of 11"));
    assert!(step("<Esc>").starts_with("11 of 11"));
    assert_eq!(step("T"), "");
    // Skipped, and ended.
    assert!(step("TT").starts_with("2 of 11"));
    assert_eq!(step("<C-t>"), "");
}

#[test]
fn one_key_is_taught_until_it_was_used() {
    let mut driver = Driver::with_lessons(lamp_history(), "back\nno such action\n");
    let last = |driver: &mut Driver, keys: &str| {
        let screen = driver.keys(keys).screen();
        screen
            .lines()
            .last()
            .unwrap_or_default()
            .trim_end()
            .to_owned()
    };
    assert_eq!(
        last(&mut driver, ""),
        " try , the file before this line's commit  ? keys  q quit  T tour"
    );
    // Where there is no room for it, the usual keys are shown.
    driver.resize(30, 12);
    assert_eq!(last(&mut driver, ""), " , before  b at  < back");
    driver.resize(80, 24);
    // What was used before is not taught again.
    assert!(last(&mut driver, ",j").starts_with(" try Enter what this commit changed"));
    let kept = |driver: &Driver| {
        driver
            .app()
            .guide
            .hints
            .as_ref()
            .and_then(KeyHints::unsaved)
    };
    assert_eq!(kept(&driver).as_deref(), Some("back\nblame-parent\n"));
    driver.keys("<CR>}/x<CR><Esc><Esc><Tab><Tab>biw]cy");
    assert!(
        last(&mut driver, "j").starts_with(" try "),
        "{}",
        driver.screen()
    );
}
