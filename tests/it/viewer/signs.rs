//! The help explains every sign that the blame shows.

use std::collections::BTreeSet;

use tblame::internals::{
    run::demo::{Demo, FILE},
    viewer::config::settings::Config,
};

use super::{
    driver::{Driver, arguments},
    fake_history::{FakeHistory, lamp_history, line},
};

/// The signs in the rows of the file: what is neither text nor ASCII, and what stands before an id.
fn signs(driver: &Driver) -> BTreeSet<char> {
    let screen = driver.screen();
    let rows = screen
        .lines()
        .skip(1)
        .take_while(|row| !row.starts_with('─'));
    let of_row = |row: &str| {
        let before_id = row.chars().next().filter(|c| "^*?".contains(*c));
        let others = row
            .chars()
            .filter(|c| !c.is_ascii() && !c.is_alphanumeric());
        before_id.into_iter().chain(others).collect::<Vec<char>>()
    };
    rows.flat_map(of_row).collect()
}

#[test]
fn the_help_explains_every_sign_of_the_blame() {
    let mut found = BTreeSet::new();
    let mut see = |driver: &mut Driver, scripts: &[&str]| {
        for keys in scripts {
            found.extend(signs(driver.keys(keys)));
        }
    };
    let long = format!("    burn({});", "oil, ".repeat(40));
    let history = lamp_history().commit("Dora", "Burn much", |lines| {
        lines[3] = line(&long);
    });
    let mut driver = Driver::new(history, 80, 24);
    see(&mut driver, &["3j", "i", "k", "w", "lll", "0W", "W"]);
    let demo = Demo::create().expect("a temporary directory can be made");
    let arguments = arguments(FILE.into(), Config::default());
    let mut driver = Driver::with_repository(demo.root(), arguments, (80, 40));
    see(&mut driver, &["24G", "x", "x", "D", "J", "g", ","]);
    let mut help = Driver::new(
        FakeHistory::default().commit("Ada", "One", |_| {}),
        120,
        160,
    );
    help.keys("??");
    let screen = help.screen();
    let (_, explained) = screen.split_once("Signs").expect("signs in the help");
    let missing: Vec<&char> = found
        .iter()
        .filter(|sign| !explained.contains(**sign))
        .collect();
    assert!(missing.is_empty(), "{missing:?} of {found:?}\n{explained}");
    let sure = ['►', '▌', '◆', '?', '›', '‹', '▁', '│', '▐'];
    assert!(sure.iter().all(|sign| found.contains(sign)), "{found:?}");
}

#[test]
fn the_details_explain_what_stands_before_an_id() {
    let history = lamp_history().commit("Dora", "Burn much", |lines| {
        lines[3] = line("    burn(wax);");
    });
    let mut driver = Driver::new(history, 120, 24);
    driver.keys("3j");
    assert!(!driver.screen().contains("found by likeness (?)"));
    driver.keys("i");
    let screen = driver.screen();
    assert!(screen.contains("found by likeness (?)"), "{screen}");
}
