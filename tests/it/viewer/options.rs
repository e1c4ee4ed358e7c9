//! Options that blame again, and the choice of an encoding.

use tblame::internals::viewer::app::settings::environment::RepositoryInfo;

use super::{
    driver::Driver,
    fake_history::{FakeHistory, lamp_history, line},
};

#[test]
fn a_switch_blames_again_in_place_and_can_be_taken_back() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    let guilty = |driver: &Driver| {
        let view = driver.app().view().expect("a view");
        view.selected().expect("attributed").commit.id
    };
    driver.keys("3j");
    let before = driver.whereabouts();
    assert_eq!(guilty(&driver), FakeHistory::id(2));
    driver.keys("i");
    assert_eq!(guilty(&driver), FakeHistory::id(1));
    assert_eq!(driver.whereabouts().2, before.2);
    assert!(driver.app().is_changed(3) && !driver.app().is_changed(2));
    assert_eq!(driver.app().active_options(), "1 ignored");
    driver.keys("iw");
    assert_eq!(guilty(&driver), FakeHistory::id(0));
    assert_eq!(driver.app().active_options(), "-w 2 ignored");
    // There is nothing before the first commit.
    driver.keys("i").keys("i");
    let message = driver.app().status.message.clone().expect("a message");
    assert!(
        message.starts_with("01010101 is already ignored"),
        "{message}"
    );
    // Steps through history keep the options.
    driver.keys("b");
    assert_eq!(driver.app().active_options(), "-w 3 ignored");
    driver.keys("5<");
    assert_eq!(
        (driver.whereabouts(), guilty(&driver)),
        (before, FakeHistory::id(2))
    );
    assert_eq!(driver.app().active_options(), "");
}

#[test]
fn the_ignore_file_is_switched_where_there_is_one() {
    let mut driver = Driver::new(lamp_history(), 80, 40);
    driver.keys("|");
    let screen = driver.screen();
    assert!(screen.contains("copies from other files"), "{screen}");
    assert!(
        screen.contains("details pane") && !screen.contains(".git-blame"),
        "{screen}"
    );
    let mut source = lamp_history();
    source.listed = Some(2);
    let mut driver = Driver::new(source, 80, 24);
    driver.turn("git-blame");
    assert_eq!(driver.app().active_options(), "ignore file: 1 commit");
    assert!(driver.app().is_changed(0));
    driver.turn("git-blame");
    assert_eq!(driver.app().active_options(), "");
}

#[test]
fn moves_and_copies_are_switched_as_options_add_up() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    let mut on = |keys: &str| driver.keys(keys).app().active_options();
    assert_eq!(
        [on("M"), on("C"), on("C"), on("C")],
        ["-M", "-C", "-C -C", "-C -C -C"]
    );
    assert_eq!([on("M"), on("C"), on("M")], ["-C -C -C", "-M", ""]);
}

#[test]
fn a_commit_is_saved_to_the_ignore_file() {
    let scratch = tempfile::tempdir().expect("a directory");
    let list = scratch.path().join("list");
    let mut driver = Driver::with_context(
        lamp_history(),
        RepositoryInfo {
            ignore_revs_target: Some(list.clone()),
            ..RepositoryInfo::default()
        },
    );
    let message = |driver: &Driver| driver.app().status.message.clone().expect("a message");
    // It asks first, and shows what it will add.
    driver.keys("3jI");
    let added = format!("# Say what burns\n   {}\n", FakeHistory::id(2));
    assert!(driver.screen().contains(&added), "{}", driver.screen());
    assert!(driver.screen().contains("y add  Esc leave it"));
    driver.keys("<Esc>");
    assert!(!list.exists());
    assert_eq!(driver.app().active_options(), "");
    // Any other key means no, and what it always does.
    driver.keys("Ij");
    assert_eq!(driver.whereabouts().2.line, 4);
    driver.keys("kIy");
    let text = std::fs::read_to_string(&list).expect("the list");
    assert_eq!(text, format!("# Say what burns\n{}\n", FakeHistory::id(2)));
    assert!(message(&driver).starts_with("saved 03030303 to /"));
    assert_eq!(driver.app().active_options(), "1 ignored");
    assert!(driver.app().is_changed(3));
    // Going back offers to take it out again.
    driver.keys("<");
    assert!(driver.screen().contains("Take out of /"));
    assert!(driver.screen().contains("y take out  Esc leave it"));
    driver.keys("<Esc>Iy");
    assert!(message(&driver).starts_with("03030303 is already in /"));
    driver.keys("<");
    assert!(!driver.screen().contains("Take out of /"));
    std::fs::remove_file(&list).expect("the list");
    driver.keys("Iy<y");
    assert!(message(&driver).starts_with("took 03030303 out of /"));
    assert!(!list.exists());
    assert_eq!(driver.app().active_options(), "");
    let mut driver = Driver::new(lamp_history(), 80, 24);
    driver.keys("I");
    assert_eq!(driver.app().active_options(), "");
    let message = driver.app().status.message.clone().expect("a message");
    assert!(message.starts_with("there is no work tree"), "{message}");
}

#[test]
fn a_link_of_the_repository_is_not_written_through() {
    let scratch = tempfile::tempdir().expect("a directory");
    let root = scratch.path().canonicalize().expect("it was just made");
    let (list, outside) = (root.join("tree/list"), root.join("outside"));
    std::fs::create_dir(root.join("tree")).expect("a new name");
    std::fs::write(&outside, "mine\n").expect("a new name");
    std::os::unix::fs::symlink("../outside", &list).expect("a new name");
    let around = RepositoryInfo {
        ignore_revs_target: Some(list),
        ..RepositoryInfo::default()
    };
    let mut driver = Driver::with_context(lamp_history(), around);
    driver.keys("3jIy");
    let message = driver.app().status.message.clone().expect("a message");
    let reason = "tree/list: it is a link to '../outside', which is not followed";
    assert!(message.ends_with(reason), "{message}");
    assert_eq!(std::fs::read(&outside).expect("a file"), b"mine\n");
    // There is nothing to take out of it.
    driver.keys("<");
    assert!(!driver.screen().contains("Take out of"));
}

#[test]
fn what_was_ignored_before_is_saved() {
    let scratch = tempfile::tempdir().expect("a directory");
    let list = scratch.path().join("list");
    let mut driver = Driver::with_context(
        lamp_history(),
        RepositoryInfo {
            ignore_revs_target: Some(list.clone()),
            ..RepositoryInfo::default()
        },
    );
    let text = || std::fs::read_to_string(&list).expect("the list");
    let lines =
        |number: usize, summary: &str| format!("# {summary}\n{}\n", FakeHistory::id(number));
    // The line is now of the commit before the ignored one, which is the one to be saved.
    driver.keys("3jiIy");
    assert_eq!(text(), lines(2, "Say what burns"));
    assert_eq!(driver.app().history.current, 1);
    // All that is ignored here is saved: now the line's commit is ignored, too.
    driver.keys("Iy");
    let both = [
        lines(2, "Say what burns"),
        lines(1, "Trim the wick before lighting"),
    ];
    assert_eq!(text(), both.join("\n"));
    assert_eq!(driver.app().history.current, 2);
    driver.keys("<y");
    assert_eq!(text(), both[0]);
    driver.keys("<y");
    assert!(!list.exists());
}

#[test]
fn the_encoding_is_chosen_and_the_cursor_stays() {
    let source = FakeHistory::default().commit("Ada", "One", |lines| {
        lines.extend(["one", "zwei ü", "три"].map(line));
    });
    let mut driver = Driver::new(source, 80, 12);
    driver.keys("2jElatin1<CR>");
    assert_eq!(driver.whereabouts().2.line, 2);
    let screen = driver.screen();
    assert!(
        screen.contains("zwei Ã¼") && screen.contains("shown as LATIN1"),
        "{screen}"
    );
    driver.keys("j");
    assert!(driver.screen().contains("shown as LATIN1"));
    // The search and the diff see what is shown.
    driver.keys("/Ã<CR>");
    assert_eq!(driver.whereabouts().2.line, 1);
    driver.keys("<CR>");
    assert!(driver.screen().contains("+ zwei Ã¼"), "{}", driver.screen());
    driver.keys("<Esc>Ehex<CR>");
    assert!(
        driver.screen().contains("6f 6e 65  one"),
        "{}",
        driver.screen()
    );
    driver.keys("Enone<CR>");
    assert_eq!(
        driver.app().status.message.as_deref(),
        Some("unknown encoding “none”")
    );
    driver.keys("Ea<Tab><CR>");
    assert!(driver.screen().contains("три"), "{}", driver.screen());
}

#[test]
fn an_option_says_how_many_lines_it_changes_and_they_are_gone_to() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    let message = |driver: &Driver| driver.app().status.message.clone().unwrap_or_default();
    let mut last = 0;
    for (key, words) in [
        ("w", "whitespace does not count; "),
        ("w", "whitespace counts again; "),
        ("M", "moves within the file are followed; "),
        ("M", "lines that moved are not followed; "),
        ("C", "-C: also looks in files the commit changed; "),
        ("C", "-C -C: also all files when this one was added; "),
        ("C", "-C -C -C: also all files of all commits; "),
        ("C", "lines of other files are not followed; "),
    ] {
        driver.keys(key);
        let (now, shown) = (driver.app().history.current, message(&driver));
        assert_eq!(now, last + 1, "{shown}");
        last = now;
        let counted = shown.strip_prefix(words);
        assert!(
            counted.is_some_and(|words| words.contains("another commit")),
            "{shown}"
        );
        assert!(shown.chars().count() < 80, "{shown}");
    }
    driver.keys(&"<".repeat(last));
    driver.keys("3ji");
    let words = message(&driver);
    let places = words.split_once(" is ignored: ◇ ◆ another commit (");
    let counted = places.and_then(|(_, words)| words.split_once(": J), "));
    assert!(
        counted.is_some_and(|(lines, _)| lines.contains("line")),
        "{words}"
    );
    driver.keys("<");
    driver.keys("gg3jiggJ");
    let words = message(&driver);
    assert!(
        words.starts_with("group 1 of ") || words.starts_with("group 2 of "),
        "{words}"
    );
    assert!(words.contains("those that the option changed"), "{words}");
    let line = driver.whereabouts().2.line;
    assert!(driver.app().is_changed(line), "{line}: {words}");
}

/// What a switch says of its state is what its action does, forward and back.
#[test]
fn switches_are_turned_beside_the_columns() {
    let mut source = lamp_history();
    source.listed = Some(2);
    let mut driver = Driver::new(source, 80, 24);
    let row = |driver: &Driver, words: &str| {
        let screen = driver.screen();
        let mut rows = screen.lines();
        let after = rows.find_map(|row| Some(row.split_once(&format!("  {words}"))?.1));
        let after = after.unwrap_or_else(|| panic!("{words}: {screen}"));
        after
            .trim_end_matches(['█', '│', ' '])
            .trim_start()
            .to_owned()
    };
    for (words, before, after) in [
        ("format of dates", "relative", "age"),
        ("colors", "shades  c", "age  c"),
        ("wrap long lines", "off  W", "on  W"),
        ("ignore whitespace", "off  w", "on  w"),
        ("moves within the file", "off  M", "on  M"),
        ("copies from other files", "off  C", "-C  C"),
        (".git-blame-ignore-revs", "off", "on"),
        ("details pane", "shown", "hidden"),
        ("height of the details pane", "4 rows", "5 rows"),
    ] {
        driver.keys(&format!("|/{words}<CR>"));
        assert_eq!(row(&driver, words), before);
        driver.keys("<CR>");
        assert_eq!(row(&driver, words), after);
        driver.keys("h");
        assert_eq!(row(&driver, words), before, "{words}");
        driver.keys("+").keys("- ").keys("h<Esc>");
    }
    // This one opens what its key opens.
    driver.keys("|/encoding<CR><CR>");
    assert!(driver.screen().contains("encoding:"), "{}", driver.screen());
}
