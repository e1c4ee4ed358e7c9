//! Ages grow while the viewer is open, and only what changes is drawn.

use super::{
    driver::Driver,
    fake_history::{NOW, lamp_history},
};

#[test]
fn ages_grow_with_time() {
    let mut history = lamp_history();
    history.commit_mut(2).author.time = NOW + 3;
    history.commit_mut(2).committer.time = NOW + 3;
    let mut driver = Driver::new(history, 100, 24);
    driver.keys("g");
    assert!(
        driver.screen().contains("in the future"),
        "{}",
        driver.screen()
    );
    let frames = driver.frames();
    driver.pass_time(NOW);
    assert_eq!(driver.frames(), frames);
    driver.pass_time(NOW + 3);
    assert_eq!(driver.frames(), frames + 1);
    assert!(
        driver.screen().contains("2020-01-01 (now)"),
        "{}",
        driver.screen()
    );
    let (mut drawn, mut same) = (0, 0);
    for now in (NOW + 5..NOW + 3 + 2 * 3600).step_by(2) {
        let (before, frames) = (driver.screen(), driver.frames());
        driver.pass_time(now);
        let is_same = driver.screen() == before;
        assert_eq!(
            driver.frames() - frames,
            u64::from(!is_same),
            "{}",
            now - NOW
        );
        *(if is_same { &mut same } else { &mut drawn }) += 1;
    }
    assert!(
        driver.screen().contains("119 minutes ago"),
        "{}",
        driver.screen()
    );
    // Every second up to a minute and a half, then every minute.
    assert!(drawn > 150 && drawn < 170 && same > 3000, "{drawn} {same}");
}

#[test]
fn time_changes_nothing_else() {
    let mut driver = Driver::new(lamp_history(), 100, 24);
    for keys in ["A", "<Esc>", "/lamp<CR>", "&ada<CR>", "L", "<Esc>"] {
        driver.keys(keys);
        let (before, frames, whereabouts) =
            (driver.screen(), driver.frames(), driver.whereabouts());
        // The ages of the history are of years.
        driver.pass_time(NOW + 10);
        driver.pass_time(NOW);
        assert_eq!(
            (driver.screen(), driver.frames()),
            (before, frames),
            "{keys}"
        );
        assert_eq!(driver.whereabouts(), whereabouts);
    }
}
