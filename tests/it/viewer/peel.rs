//! Peeled groups: the answers of `git blame --ignore-rev`, and putting them back.

use std::{collections::BTreeSet, ops::Range};

use tblame::internals::{
    objects::ObjectId,
    run::demo::{Demo, FILE},
    viewer::{app::blame::view::View, config::settings::Config},
};

use crate::harness::{
    compare::{count_from, seed_count},
    random_history::{History, STORAGES},
    repository::ObjectFormat,
    rng::Rng,
};

use super::{
    answers::{answer, answers, answers_of_git, files_of_head},
    driver::{Driver, arguments},
};

/// The options of git that give the answer for peeled lines.
fn options(ignored: &BTreeSet<ObjectId>, lines: &Range<u32>) -> Vec<String> {
    let ignored = ignored.iter().map(|id| format!("--ignore-rev={id}"));
    let lines = format!("-L{},{}", lines.start + 1, lines.end);
    ignored.chain([lines]).collect()
}

/// Adjoining groups differ in shade, unless they are of one origin.
fn check_groups(view: &View) {
    let groups: Vec<_> = view.attribution.groups(0..view.text.line_count()).collect();
    for pair in groups.windows(2) {
        assert_eq!(pair[0].lines.end, pair[1].lines.start, "{groups:?}");
        assert_ne!(
            (pair[0].shade, pair[0].origin),
            (pair[1].shade, pair[1].origin)
        );
        assert!(pair[0].shade != pair[1].shade || pair[0].origin == pair[1].origin);
    }
    for (commit, _) in view.commits().iter().enumerate() {
        let of_commit = groups.iter().filter(|group| group.commit == commit as u32);
        let lines: u32 = of_commit
            .clone()
            .map(|group| group.lines.len() as u32)
            .sum();
        let tally = view.attribution.tally(commit as u32);
        assert_eq!(
            (tally.lines, tally.groups as usize),
            (lines, of_commit.count())
        );
    }
}

#[test]
fn peeled_groups_have_the_answers_of_git() {
    let (mut compared, mut stepped, mut deep, mut kept) = (0, 0, 0, 0);
    let wide = count_from("TBLAME_TEST_WIDE", 1);
    for seed in 41_000..41_000 + seed_count(5) * wide {
        let storage = STORAGES[(seed % STORAGES.len() as u64) as usize];
        eprintln!("seed {seed}, {storage:?}");
        let history = History::generate(seed, ObjectFormat::Sha1, storage);
        let repository = &history.repository;
        let mut rng = Rng::new(seed);
        for path in files_of_head(&history).iter().take(3) {
            let arguments = arguments(path.clone().into(), Config::default());
            let mut driver = Driver::with_repository(repository.root(), arguments, (80, 24));
            let view = driver.app().view().expect("a view");
            let before = answers(view);
            let count = before.len();
            // What was peeled from each line.
            let mut peeled: Vec<BTreeSet<ObjectId>> = vec![BTreeSet::new(); count];
            for _ in 0..12 {
                let line = rng.below(count) as u32;
                driver.keys(&format!("{}G", line + 1));
                let view = driver.app().view().expect("a view");
                let commit = view.selected().expect("attributed").commit.id;
                let group = view.attribution.group(line).expect("a group").lines;
                let (steps, old) = (view.peels.len(), answers(view));
                driver.keys("x");
                let view = driver.app().view().expect("a view");
                let mut expected = old;
                let is_peeled = view.peels.len() > steps;
                let set = |line: u32| {
                    let mut ignored = peeled[line as usize].clone();
                    ignored.insert(commit);
                    ignored
                };
                let mut start = group.start;
                while start < group.end {
                    let ignored = set(start);
                    let mut end = start + 1;
                    while end < group.end && set(end) == ignored {
                        end += 1;
                    }
                    let git = answers_of_git(repository, &options(&ignored, &(start..end)), path);
                    assert_eq!(git.len(), (end - start) as usize);
                    for (line, git) in (start..end).zip(git) {
                        let place = format!("line {} of {}", line + 1, path.escape_ascii());
                        if is_peeled {
                            let found = answer(view, line);
                            assert_eq!(found.as_ref(), Some(&git), "{place} without {ignored:?}");
                            expected[line as usize] = Some(git);
                            deep += usize::from(ignored.len() > 1);
                        } else {
                            assert_eq!(git.0, commit.to_string(), "{place} without {ignored:?}");
                        }
                        compared += 1;
                    }
                    start = end;
                }
                if is_peeled {
                    for line in group {
                        peeled[line as usize].insert(commit);
                    }
                }
                assert_eq!(answers(view), expected, "the other lines stay");
                check_groups(view);
                stepped += usize::from(is_peeled);
                kept += usize::from(!is_peeled);
            }
            for line in 0..count {
                driver.keys(&format!("{}G", line + 1));
                while driver
                    .app()
                    .view()
                    .is_some_and(|view| view.peels_of(line as u32).next().is_some())
                {
                    driver.keys("X");
                    check_groups(driver.app().view().expect("a view"));
                }
            }
            let view = driver.app().view().expect("a view");
            assert!(view.peels.is_empty());
            assert_eq!(answers(view), before, "all is put back");
        }
    }
    eprintln!("{compared} lines, {stepped} groups peeled, {kept} not, {deep} lines twice or more");
    assert!(
        compared >= 500 && stepped >= 50 && deep >= 20 && kept >= 5,
        "{compared} lines, {stepped} groups peeled, {kept} not, {deep} lines twice or more"
    );
}

#[test]
fn a_group_is_peeled_in_place_and_put_back() {
    let demo = Demo::create().expect("a temporary directory can be made");
    let arguments = arguments(FILE.into(), Config::default());
    let mut driver = Driver::with_repository(demo.root(), arguments, (80, 24));
    let message = |driver: &Driver| driver.app().status.message.clone().unwrap_or_default();
    let original = driver.keys("24G").screen();
    driver.keys("x");
    let first = message(&driver);
    assert!(
        first.ends_with("is peeled (◆; ? = found by likeness, * = none); X puts it back"),
        "{first}"
    );
    // The pane has the line before; what was peeled is among all details.
    let has_fact = |driver: &Driver| driver.screen().contains("peeled     ");
    assert!(!has_fact(&driver), "{}", driver.screen());
    assert!(has_fact(driver.keys("<Tab>")), "{}", driver.screen());
    driver.keys("<Tab>");
    driver.keys("x");
    let second = message(&driver);
    assert!(second.contains("2 commits in all"), "{second}");
    driver.keys("XX");
    assert!(
        message(&driver).ends_with("is back"),
        "{}",
        message(&driver)
    );
    driver.keys("X");
    assert_eq!(
        message(&driver),
        "nothing is peeled from this line: x does that"
    );
    driver.keys("<Esc>24G");
    assert_eq!(driver.screen(), original);
}
