//! Configuration variables: their values, errors and order.

use crate::harness::{
    command_lines::two_commits,
    compare::{assert_same, assert_same_in},
};

#[test]
fn configuration_is_checked_as_git_checks_it() {
    let repository = two_commits();
    let settings = [
        ("blame.showRoot", "true"),
        ("blame.showRoot", "maybe"),
        ("blame.showRoot", ""),
        ("blame.blankBoundary", "1k"),
        ("blame.showEmail", "on"),
        ("blame.date", "short"),
        ("blame.date", "nonsense"),
        ("blame.date", "iso-local"),
        ("core.abbrev", "auto"),
        ("core.abbrev", "12"),
        ("core.abbrev", "no"),
        ("core.abbrev", "3"),
        ("core.abbrev", "x"),
        ("core.abbrev", "41"),
        ("core.abbrev", ""),
        ("diff.indentHeuristic", "no"),
        ("core.quotePath", "off"),
        ("blame.coloring", "highlightRecent"),
        ("blame.coloring", "bogus"),
        ("color.blame.repeatedLines", "bogus"),
        ("color.blame.highlightRecent", "red"),
        ("color.blame.highlightRecent", "red,1 year ago"),
        ("blame.ignoreRevsFile", "nosuch"),
        ("blame.ignoreRevsFile", ""),
        ("i18n.logOutputEncoding", "ISO-8859-1"),
        ("mailmap.file", "nosuch"),
        ("blame.markIgnoredLines", "sure"),
        ("log.date", "short"),
    ];
    for (key, value) in settings {
        let environment = [
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", key),
            ("GIT_CONFIG_VALUE_0", value),
        ];
        eprintln!("{key} = {value}");
        for options in [
            &["v1", "--", "a.txt"][..],
            &["--porcelain", "--", "a.txt"],
            &["-c", "a.txt"],
        ] {
            assert_same_in(&repository, repository.root(), &environment, options);
        }
    }
    for text in [
        "[core\n",
        // A key ends at a NUL.
        "[blame \"showroot\0x\"]\ny\n",
        "[blame \"showroot\0\"]\ny = maybe\n",
        "[a \"b.\0x\"]\ny\n",
        "[a \"b c\0x\"]\ny\n[a \"\0x\"]\ny\n[a \"1\0\"]\ny\n",
        "[core]\n\tabbrev = 3\n",
        "[blame]\n\tdate\n",
        "[blame]\n\tshowRoot\n",
    ] {
        eprintln!("{text:?}");
        let config = repository.root().join(".git/config");
        let before = std::fs::read(&config).expect("git made it");
        repository.write(b".git/config", &[&before, text.as_bytes()].concat());
        assert_same(&repository, &["v1", "--", "a.txt"]);
        std::fs::write(&config, before).expect("it can be written");
    }
}

/// What is wrong with the configuration is said in the order in which it is given.
#[test]
fn configuration_is_read_in_order() {
    let repository = two_commits();
    let all = [
        ("blame.coloring", "nonsense"),
        ("color.blame.highlightRecent", "red,"),
        ("color.blame.highlightRecent", "red"),
        ("blame.showRoot", "maybe"),
        ("color.blame.repeatedLines", "reddish"),
        ("blame.coloring", "none"),
        ("core.abbrev", "2"),
    ];
    for first in 0..all.len() {
        for second in 0..all.len() {
            let given = [all[first], all[second], ("blame.coloring", "other")];
            let mut environment = vec![("GIT_CONFIG_COUNT", "3")];
            let names = [
                ["GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0"],
                ["GIT_CONFIG_KEY_1", "GIT_CONFIG_VALUE_1"],
                ["GIT_CONFIG_KEY_2", "GIT_CONFIG_VALUE_2"],
            ];
            for ([key, value], pair) in names.into_iter().zip(given) {
                environment.extend([(key, pair.0), (value, pair.1)]);
            }
            let arguments = ["-s", "a.txt"].map(std::ffi::OsString::from);
            assert_same_in(&repository, repository.root(), &environment, &arguments);
        }
    }
}
