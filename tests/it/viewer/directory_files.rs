//! The list of all files below a directory by their last changes, beside git's answers.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
    sync::Arc,
};

use bstr::{BString, ByteSlice};
use ratatui::{buffer::Buffer, layout::Rect};
use tblame::internals::viewer::{
    app::{settings::arguments::ViewerArguments, state::App, update::update},
    config::settings::Config,
    model::{
        background::{
            directory_lines::{
                CountProgress, CountScope, DatedFile, DirectoryFilesQuery, FileCount, FoundFiles,
                FoundLines,
            },
            queries::{PageAnswer, QueryEvent, QueryKind, QueryReaders, QueryRequest},
            query::Answer,
        },
        line_filter::LineFilter,
        source::{Failure, FileVersion},
    },
    protocol::{Effect, Message},
    theme::{
        styles::Theme,
        terminal_colors::{Background, ColorDepth},
    },
    ui::draw::draw,
};

use crate::{
    cache::TestCache,
    harness::{
        compare::seed_count,
        random_directories,
        random_history::STORAGES,
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
    },
};

use super::{
    directory::{self, arguments_of},
    directory_lines::{directories, reader_with_cache},
    driver::{Driver, arguments},
    lists::{history, opened, texts},
};

/// The files below a directory, their lines, and the end unless it was stopped after so many
/// questions whether to go on.
type Found = (
    Vec<DatedFile>,
    BTreeMap<BString, u64>,
    Option<Result<FileCount, Failure>>,
);

fn files_below(readers: &mut QueryReaders, path: &str, questions: usize) -> Found {
    let query = DirectoryFilesQuery(CountScope {
        version: FileVersion::WorkTree {
            path: Arc::new(path.into()),
        },
        reading: 0,
        filter: LineFilter::default(),
        with_generated: true,
    });
    let left = Cell::new(questions);
    let stop = || {
        left.set(left.get().saturating_sub(1));
        left.get() == 0
    };
    let (mut files, mut lines, mut ended) = (Vec::new(), BTreeMap::new(), None);
    let mut send = |event| {
        let QueryEvent::Page(PageAnswer::DirectoryFiles(answer)) = event else {
            panic!("{event:?}");
        };
        match answer {
            Answer::Found(FoundFiles::Files(found)) => files = found,
            Answer::Found(FoundFiles::Lines(found)) => {
                let found = found.entries.into_iter();
                lines.extend(found.map(|(name, entry)| (name, entry.lines)));
            }
            Answer::Ended(end) => ended = Some(end),
        }
        ControlFlow::Continue(())
    };
    let reader = &mut readers.0[QueryKind::DirectoryFiles.thread()];
    reader.answer(&QueryRequest::DirectoryFiles(query), &mut send, &stop);
    (files, lines, ended)
}

/// Compares with git, and returns how many files were compared.
fn assert_same(repository: &TestRepo, path: &str, (files, lines, _): &Found) -> usize {
    let git = |arguments: &[&str]| {
        let arguments = [&["--literal-pathspecs"], arguments].concat();
        repository.git_text(&arguments)
    };
    let above = if path.is_empty() {
        String::new()
    } else {
        format!("{path}/")
    };
    let listed = repository.git(&["ls-tree", "-rz", "HEAD"]);
    let records = listed.split(|&byte| byte == 0).filter(|it| !it.is_empty());
    let names = records.filter_map(|record| {
        let (mode, file) = record.split_once_str("\t")?;
        let name = file.strip_prefix(above.as_bytes())?;
        (!mode.starts_with(b"160000")).then(|| BString::from(name))
    });
    let mut expected: Vec<BString> = names.collect();
    let mut found: Vec<BString> = files.iter().map(|file| file.name.clone()).collect();
    assert!(files.is_sorted_by_key(DatedFile::time));
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "below {path}");
    for file in files {
        let full = format!("{above}{}", file.name);
        let (commit, metadata) = file.change.as_ref().expect("it is known");
        let last = git(&["log", "-1", "--format=%H %at", "HEAD", "--", &full]);
        let metadata = metadata.as_ref().expect("it is readable");
        assert_eq!(format!("{commit} {}", metadata.author.time), last, "{full}");
        let blob = repository.git(&["cat-file", "blob", &format!("HEAD:{full}")]);
        let count = blob.lines().count() as u64;
        assert_eq!(lines.get(&file.name).copied(), Some(count), "{full}");
    }
    files.len()
}

#[test]
fn last_changes_and_lines_are_those_of_git() {
    let (mut compared, mut stopped) = (0, 0);
    for seed in 0..seed_count(12) {
        let mut rng = Rng::new(seed);
        let storage = *rng.pick(&STORAGES);
        let history = random_directories::generate(seed, false, ObjectFormat::Sha1, storage);
        let repository = &history.repository;
        repository.git(&["reset", "-q", "--hard"]);
        let cache = TestCache::new();
        let paths = directories(repository);
        // Again in a later run, with what the first one has kept.
        for _ in 0..2 {
            let mut readers = reader_with_cache(repository.root(), Some(&cache));
            for _ in 0..3 {
                let path = rng.pick(&paths).clone();
                let questions = *rng.pick(&[1, 3, 9, usize::MAX, usize::MAX]);
                let found = files_below(&mut readers, &path, questions);
                match &found.2 {
                    None => stopped += 1,
                    Some(end) => {
                        let end = end.as_ref().expect("everything can be read");
                        assert_eq!((end.counted, end.failed), (end.all, 0));
                        compared += assert_same(repository, &path, &found);
                    }
                }
            }
            let found = files_below(&mut readers, "", usize::MAX);
            compared += assert_same(repository, "", &found);
        }
    }
    println!("{compared} files compared, {stopped} queries stopped");
    assert!(compared > 200 && stopped > 3, "{compared} {stopped}");
}

#[test]
fn all_files_are_listed_by_a_key_of_the_directory() {
    let history = history();
    let mut driver = opened(&history, "tblame other L", (80, 12));
    // The file that each version added is older than those after it.
    let row = |at: usize| {
        let date = history.repository.git_text(&[
            "log",
            "-1",
            "--format=%ad %an",
            "--date=short",
            "HEAD",
            "--",
            &format!("other/file-{at}"),
        ]);
        format!("{date:<27}{:>8}  file-{at}", 1)
    };
    let expected: Vec<String> = (0..24).map(row).collect();
    assert_eq!(texts(&driver), expected, "{}", driver.screen());
    let screen = driver.screen();
    let header = screen.lines().next().unwrap_or_default();
    assert!(header.starts_with(" all files below other/"), "{screen}");
    assert!(header.ends_with("1 of 24 files"), "{screen}");
    // Names come before authors where there is little room.
    let date = &expected[0][..10];
    for width in [60, 40] {
        driver.resize(width, 12);
        assert_eq!(texts(&driver)[0], format!("{date}       1  file-0"));
        let screen = driver.screen();
        assert_eq!(screen.lines().nth(1), Some(" changed      lines  file"));
    }
    driver.resize(80, 12);
    // Those with lines of some dates, the same one selected.
    driver.keys("20G&2006..<CR>");
    let later = (0..24).filter(|at| 1_012_000_000 + at * 12_500_000 >= 1_136_073_600);
    let later: Vec<String> = later.map(|at| expected[at as usize].clone()).collect();
    assert!(later.len() > 5 && later.len() < 20, "{later:?}");
    assert_eq!(texts(&driver), later);
    // Without the message, the footer says what a key ends first.
    driver.keys("k");
    assert!(
        driver.screen().contains("  Esc end  "),
        "{}",
        driver.screen()
    );
    driver.keys("<Esc>");
    assert_eq!(texts(&driver), expected);
    driver.keys("k");
    assert!(!driver.screen().contains("Esc end"), "{}", driver.screen());
    // From a date on, few rows before it are seen.
    driver.keys("g:2006-01<CR>");
    let list = driver.app().pages.list().expect("a list");
    let since = expected.len() - later.len();
    assert_eq!((list.selected, list.top), (since, since - 3));
    // Long names of authors and summaries are seen where there is room.
    driver.resize(170, 12);
    let screen = driver.screen();
    let title = screen.lines().nth(1).unwrap_or_default();
    assert!(title.contains("  file    summary"), "{screen}");
    assert!(texts(&driver)[4].contains("file-4 "), "{screen}");
    driver.resize(80, 12);
    // A file is opened, and a step back returns.
    driver.keys("3g<CR>");
    assert_eq!(driver.whereabouts().1, "other/file-2");
    driver.keys("<");
    assert_eq!(texts(&driver), expected);
    assert_eq!(driver.app().pages.list().map(|list| list.selected), Some(2));
    driver.keys("a");
    assert!(driver.screen().contains(" diff "), "{}", driver.screen());
    driver.keys("qq");
    assert!(
        driver.screen().starts_with(" other/ @ work tree"),
        "{}",
        driver.screen()
    );
    driver.keys("A");
    let screen = driver.screen();
    let header = screen.lines().next().unwrap_or_default();
    let people = history
        .repository
        .git_text(&["log", "--format=%an", "--", "other"]);
    let people: BTreeSet<&str> = people.lines().collect();
    let words = match people.len() {
        1 => "1 person".to_owned(),
        count => format!("{count} people"),
    };
    assert!(header.starts_with(" people of other/"), "{screen}");
    assert!(header.ends_with(&words), "{words}: {screen}");
}

/// In the work tree they are those that git tracks, which are read again by a key.
#[test]
fn the_list_is_read_again() {
    let history = history();
    let repository = &history.repository;
    let mut driver = opened(&history, "tblame other L", (80, 12));
    let before = texts(&driver);
    driver.keys("3g<C-r>");
    assert_eq!(texts(&driver), before);
    repository.write(b"other/staged", b"1\n2\n");
    repository.git(&["add", "other/staged"]);
    driver.keys("<C-r>");
    let staged = texts(&driver);
    assert_eq!(staged[..before.len()], before);
    assert_eq!(
        staged[before.len()..],
        ["uncommitted                       2 *staged"]
    );
    repository.git(&["commit", "-q", "-m", "One more"]);
    driver.keys("<C-r>");
    let after = texts(&driver);
    assert_eq!(after[..before.len()], before);
    assert!(
        after.len() == before.len() + 1 && after[before.len()].ends_with("2  staged"),
        "{after:?}"
    );
    assert_eq!(driver.app().pages.list().map(|list| list.selected), Some(2));
    // A commit is no work tree.
    driver.keys("<Esc>:HEAD~1<CR>L");
    let screen = driver.screen();
    assert!(screen.starts_with(" all files below other/"), "{screen}");
    assert_eq!(texts(&driver), before);
}

#[test]
fn a_partial_clone_says_why_the_list_is_empty() {
    let history = history();
    let clone = history.repository.clone_without_blobs(&[]);
    let arguments = ViewerArguments {
        directory: Some(FileVersion::WorkTree {
            path: Arc::default(),
        }),
        ..arguments("f".into(), Config::default())
    };
    let mut driver = Driver::with_repository(&clone, arguments, (80, 12));
    driver.keys("L");
    let screen = driver.screen();
    let words = "a partial clone lacks the versions that tell when each file was changed last";
    assert!(screen.contains(words), "{screen}");
    assert_eq!(texts(&driver).len(), 0);
}

/// Numbers come later than names: the header says so while the end of the list is not seen, which does too.
#[test]
fn the_header_says_how_many_files_are_counted() {
    let mut compared = 0;
    for (files, is_long) in [(40, true), (4, false)] {
        let (mut app, effects) = App::new(arguments_of(""), (80, 24));
        let id = directory::asked(&effects);
        directory::found(&mut app, id, directory::names_of_files(3));
        directory::ended(&mut app, id, Ok(true));
        let effects = directory::press(&mut app, "L");
        let id = effects.iter().find_map(|effect| match effect {
            Effect::Query(id, QueryRequest::DirectoryFiles(_)) => Some(*id),
            _ => None,
        });
        let id = id.expect("a query");
        let named = |at: usize| DatedFile {
            name: format!("file {at}").into(),
            change: None,
            is_boundary: false,
            is_uncommitted: true,
            left_out: None,
        };
        let counted = FileCount {
            counted: 3,
            all: files,
            ..FileCount::default()
        };
        let lines = FoundLines {
            progress: CountProgress::Files(counted),
            ..FoundLines::default()
        };
        let numbers = format!("1 of {files} files");
        for (answer, words) in [
            (
                Answer::Found(FoundFiles::Files((0..files).map(named).collect())),
                Some("reading history…".to_owned()),
            ),
            (
                Answer::Found(FoundFiles::Lines(lines)),
                Some(format!("3 of {files} files")),
            ),
            (
                Answer::Ended(Ok(FileCount {
                    counted: files,
                    ..counted
                })),
                None,
            ),
        ] {
            let event: QueryEvent = Answer::<DirectoryFilesQuery>::into(answer);
            update(&mut app, Message::Query(id, event));
            let theme = Theme::new(Background::Dark, ColorDepth::None);
            let mut buffer = Buffer::empty(Rect::new(0, 0, 80, 24));
            draw(&app, &theme, &mut buffer);
            let rows = buffer.content.chunks(80);
            let rows = rows.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>());
            let rows: Vec<String> = rows.collect();
            let header = match &words {
                Some(words) if is_long => format!("{words}  {numbers}"),
                _ => format!("   {numbers}"),
            };
            assert!(rows[0].trim_end().ends_with(&header), "{rows:#?}");
            let in_end = words.filter(|_| !is_long);
            assert_eq!(
                rows[6].trim(),
                match (&in_end, is_long) {
                    (Some(words), _) => words.as_str(),
                    (None, true) => rows[6].trim(),
                    (None, false) => "",
                }
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 6);
}

/// A binary file has no number of lines, as in the directory, and the sign for that is explained while
/// it is on the screen.
#[test]
fn binary_files_are_not_counted() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"dir/text", b"1\n2\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "text"]);
    let arguments = || arguments_of("dir");
    let signs = |driver: &Driver| driver.screen().matches(" = ").count();
    let mut driver = Driver::with_repository(repository.root(), arguments(), (150, 24));
    driver.keys("L");
    assert_eq!(signs(&driver), 0, "{}", driver.screen());
    repository.write(b"dir/image", b"\0\n\n\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "image"]);
    let mut driver = Driver::with_repository(repository.root(), arguments(), (150, 24));
    driver.keys("L");
    let rows = texts(&driver);
    let found =
        ["2  text", "–  image"].map(|end| rows.iter().filter(|row| row.ends_with(end)).count());
    assert_eq!((rows.len(), found), (2, [1, 1]), "{rows:#?}");
    assert_eq!(signs(&driver), 1, "{}", driver.screen());
    assert!(
        driver.screen().contains("– = not counted"),
        "{}",
        driver.screen()
    );
    // The finder has paths below the directory, too.
    driver.keys("<Esc>f");
    let mut names = texts(&driver);
    names.sort();
    assert_eq!(
        names,
        ["  image", "  text"].map(|name| name[1..].to_owned())
    );
    driver.keys("dir");
    assert!(
        driver.screen().contains("no file matches"),
        "{}",
        driver.screen()
    );
}
