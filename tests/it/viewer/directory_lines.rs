//! The lines of the entries of a directory: the sums against git, and how they are shown.

use std::{
    cell::Cell,
    collections::BTreeMap,
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
};

use bstr::{BString, ByteSlice};
use ratatui::{buffer::Buffer, layout::Rect, style::Color};
use tblame::internals::{
    dates::moment::Moment,
    repository::{
        Repository,
        commits::people::{self, CommitPeople},
    },
    sanitize,
    viewer::{
        app::{state::App, update::update},
        model::{
            background::{
                directory_lines::{
                    CountProgress, CountScope, DirectoryLinesQuery, DirectoryPeopleQuery,
                    EntryLines, FileCount, FoundLines, FoundPeople,
                },
                queries::{
                    PageAnswer, QueryEvent, QueryKind, QueryReader, QueryReaders, QueryRequest,
                },
                query::Answer,
            },
            line_filter::LineFilter,
            relative_dates,
            source::{BlameSource, Failure, FileVersion},
        },
        pages::list::Tone,
        protocol::{Effect, Message},
        repository::git_source::ViewerCache,
        theme::{
            styles::Theme,
            terminal_colors::{Background, ColorDepth},
            theme_set::ThemeSet,
        },
        ui::draw::draw,
    },
};

use crate::{
    cache::TestCache,
    harness::{
        compare::seed_count,
        named_history::{HistoryBuilder, NamedHistory},
        random_directories,
        random_history::{STORAGES, Storage},
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
        source::source_of_head,
    },
};

use super::{
    directory::{self, arguments_of, message, names_of_files, opened, press, rows},
    driver::Driver,
    fake_history::NOW,
    lists::{self, texts},
};

fn reader(root: &Path) -> QueryReaders {
    reader_with_cache(root, None)
}

/// A session that keeps what it blames.
pub(super) fn reader_with_cache(root: &Path, cache: Option<&TestCache>) -> QueryReaders {
    let repository = Arc::new(Repository::open_own(root).expect("a repository"));
    let cache = cache.map(|cache| ViewerCache {
        blames: cache.blame_files(&repository),
        history: None,
    });
    source_of_head(&repository, cache, 2).query_readers()
}

/// What was found of each entry last, and the end unless it was stopped.
type Found = (
    BTreeMap<BString, EntryLines>,
    Option<Result<FileCount, Failure>>,
);

/// The lines below a directory. The query is stopped after so many questions whether to go on.
fn lines_below(readers: &mut QueryReaders, path: &str, first: &[&str], questions: usize) -> Found {
    filtered_below(readers, path, first, "", questions)
}

/// As [`lines_below`], of the lines that a typed filter has.
fn filtered_below(
    readers: &mut QueryReaders,
    path: &str,
    first: &[&str],
    filter: &str,
    questions: usize,
) -> Found {
    let query = DirectoryLinesQuery {
        scope: CountScope {
            version: FileVersion::WorkTree {
                path: Arc::new(path.into()),
            },
            reading: 0,
            filter: LineFilter::parse(filter).expect("a filter"),
            with_generated: true,
        },
        first: first.iter().map(|name| BString::from(*name)).collect(),
    };
    answer(readers, query, questions)
}

fn answer(readers: &mut QueryReaders, query: DirectoryLinesQuery, questions: usize) -> Found {
    let left = Cell::new(questions);
    let stop = || {
        left.set(left.get().saturating_sub(1));
        left.get() == 0
    };
    let (mut entries, mut ended) = (BTreeMap::new(), None);
    let mut send = |event| {
        match event {
            QueryEvent::Page(PageAnswer::DirectoryLines(Answer::Found(found))) => {
                entries.extend(found.entries);
            }
            QueryEvent::Page(PageAnswer::DirectoryLines(Answer::Ended(end))) => ended = Some(end),
            other => panic!("{other:?}"),
        }
        ControlFlow::Continue(())
    };
    let reader: &mut Box<dyn QueryReader> = &mut readers.0[QueryKind::DirectoryLines.thread()];
    reader.answer(&QueryRequest::DirectoryLines(query), &mut send, &stop);
    (entries, ended)
}

/// What git says of a line.
#[derive(Clone, Default)]
struct GitLine {
    commit: String,
    year: i32,
    /// Name and address of the author.
    name: String,
    mail: String,
    time: i64,
    /// The day by the author's clock.
    day: String,
    summary: String,
}

/// The lines of the files of a directory, by entry.
fn lines_of_git(repository: &TestRepo, path: &str) -> BTreeMap<BString, Vec<GitLine>> {
    let tree = repository.git(&["ls-tree", "-rz", "HEAD"]);
    let mut found: BTreeMap<BString, Vec<_>> = BTreeMap::new();
    for record in tree.split(|&byte| byte == 0).filter(|it| !it.is_empty()) {
        let (mode, file) = record.split_once_str("\t").expect("a path");
        let above = if path.is_empty() {
            path.to_owned()
        } else {
            format!("{path}/")
        };
        let Some(below) = file.strip_prefix(above.as_bytes()) else {
            continue;
        };
        if mode.starts_with(b"160000") {
            continue;
        }
        let entry = below.split(|&byte| byte == b'/').next().expect("a name");
        let lines = found.entry(entry.into()).or_default();
        let file = file.to_os_str().expect("unix");
        let arguments = ["blame", "--line-porcelain", "HEAD", "--"].map(std::ffi::OsStr::new);
        let blame = repository.git(&[&arguments[..], &[file]].concat());
        let mut line = GitLine::default();
        for text in blame.to_str_lossy().lines() {
            let (key, value) = text.split_once(' ').unwrap_or((text, ""));
            match key {
                _ if text.starts_with('\t') => {
                    lines.push(std::mem::take(&mut line));
                }
                "author" => value.clone_into(&mut line.name),
                "author-mail" => value.clone_into(&mut line.mail),
                "author-time" => line.time = value.parse().expect("a number"),
                "author-tz" => {
                    let zone: i32 = value.parse().expect("a zone");
                    let offset = (zone / 100 * 60 + zone % 100) * 60;
                    let time = line.time;
                    line.year = Moment { time, offset }.year().unwrap_or(0);
                    line.day = relative_dates::day(time, offset);
                }
                "summary" => value.clone_into(&mut line.summary),
                _ if key.len() >= 40 && line.commit.is_empty() => key.clone_into(&mut line.commit),
                _ => {}
            }
        }
    }
    found
}

/// Every entry has the sums of what git finds line by line. Returns the number of lines.
fn assert_sums(repository: &TestRepo, path: &str, found: &BTreeMap<BString, EntryLines>) -> usize {
    let expected = lines_of_git(repository, path);
    let names = |keys: Vec<&BString>| format!("{keys:?}");
    assert_eq!(
        names(found.keys().collect()),
        names(expected.keys().collect())
    );
    let mut compared = 0;
    for (name, lines) in &expected {
        let entry = &found[name];
        assert_eq!(entry.lines, lines.len() as u64, "{path} {name}");
        assert_eq!(entry.all_lines, entry.lines, "{path} {name}");
        assert!(entry.is_complete && entry.failed == 0, "{path} {name}");
        let mut years = BTreeMap::new();
        let mut people = BTreeMap::new();
        for line in lines {
            *years.entry(line.year).or_insert(0) += 1;
            *people.entry(line.name.as_str()).or_insert(0u32) += 1;
        }
        assert_eq!(entry.years, years, "{path} {name}");
        let most = people.values().copied().max();
        let first = entry.people.first();
        assert_eq!(first.map(|(.., lines)| *lines), most, "{path} {name}");
        for (_, person, lines) in &entry.people {
            let person = person.to_str_lossy();
            assert_eq!(people[person.as_ref()], *lines, "{path} {name}");
        }
        let mut times: Vec<i64> = lines.iter().map(|line| line.time).collect();
        times.sort_unstable();
        let middle = times.get(times.len().saturating_sub(1) / 2);
        assert_eq!(entry.median.as_ref(), middle, "{path} {name}");
        compared += lines.len();
    }
    compared
}

#[test]
fn the_sums_are_those_of_gits_lines() {
    let (mut compared, mut stopped) = (0, 0);
    for seed in 0..seed_count(30) {
        let mut rng = Rng::new(seed);
        let storage = *rng.pick(&STORAGES);
        let history = random_directories::generate(seed, true, ObjectFormat::Sha1, storage);
        let repository = &history.repository;
        repository.git(&["reset", "-q", "--hard"]);
        let mut readers = reader(repository.root());
        let mut last = String::new();
        for _ in 0..6 {
            // In any order, so that plans and files are known or not.
            let path = rng.pick(&directories(repository)).clone();
            let path = path.as_str();
            let questions = *rng.pick(&[1, 2, 3, 9, usize::MAX, usize::MAX]);
            let (found, ended) = lines_below(&mut readers, path, &["d", "a"], questions);
            match ended {
                None => stopped += 1,
                Some(end) => {
                    let end = end.expect("everything can be read");
                    assert_eq!((end.counted, end.failed), (end.all, 0));
                    compared += assert_sums(repository, path, &found);
                }
            }
            path.clone_into(&mut last);
        }
        let (found, ended) = lines_below(&mut readers, &last, &[], usize::MAX);
        assert!(matches!(ended, Some(Ok(_))), "{ended:?}");
        compared += assert_sums(repository, &last, &found);
    }
    assert!(compared > 300 && stopped > 3, "{compared} {stopped}");
}

#[test]
fn generated_files_are_counted_apart() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for (path, lines) in [
        (".gitattributes", 1),
        ("Cargo.lock", 5),
        ("a.c", 3),
        ("gen.c", 4),
        ("sub/b.c", 2),
        ("sub/package-lock.json", 7),
    ] {
        let text = match path {
            ".gitattributes" => "gen.c linguist-generated\n".to_owned(),
            _ => "line\n".repeat(lines),
        };
        repository.write(path.as_bytes(), text.as_bytes());
    }
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "All"]);
    let mut readers = reader(repository.root());
    for (with_generated, generated, expected) in [
        (false, 3, [(1, 0), (0, 5), (3, 0), (0, 4), (2, 7)]),
        (true, 0, [(1, 0), (5, 0), (3, 0), (4, 0), (9, 0)]),
    ] {
        let query = DirectoryLinesQuery {
            scope: CountScope {
                version: FileVersion::WorkTree {
                    path: Arc::default(),
                },
                reading: 0,
                filter: LineFilter::default(),
                with_generated,
            },
            first: Vec::new(),
        };
        let (entries, ended) = answer(&mut readers, query, usize::MAX);
        let lines = entries.values().map(|it| (it.lines, it.generated_lines));
        assert_eq!(lines.collect::<Vec<_>>(), expected);
        let files = ended.expect("it ended").expect("all can be read");
        assert_eq!(
            (files.counted, files.all, files.generated),
            (6, 6, generated)
        );
        let all: u64 = expected.iter().map(|(lines, _)| *lines).sum();
        assert_eq!((files.lines, files.all_lines), (all, all));
    }
}

#[test]
fn a_key_counts_generated_files() {
    let (mut app, id, query) = page(120, 3);
    assert!(!query.scope.with_generated);
    let (name, lines) = some_lines("file-01", 0, 2020);
    let lines = EntryLines {
        generated_lines: 1234,
        ..lines
    };
    let part = FoundLines {
        entries: vec![(name, lines)],
        ..FoundLines::default()
    };
    found(&mut app, id, part);
    let end = FileCount {
        counted: 3,
        all: 3,
        generated: 1,
        ..FileCount::default()
    };
    ended(&mut app, id, Ok(end));
    let screen = wide(&app);
    assert!(screen.contains("1,234 not counted"), "{screen}");
    let (id, query) = asked(&press(&mut app, "i"));
    assert!(query.scope.with_generated);
    // It is still said once the message is gone.
    ended(&mut app, id, Ok(end));
    press(&mut app, "j");
    let theme = Theme::new(Background::Dark, ColorDepth::None);
    let mut buffer = Buffer::empty(Rect::new(0, 0, 120, 24));
    draw(&app, &theme, &mut buffer);
    let head: String = (0..120).map(|x| buffer[(x, 0)].symbol()).collect();
    assert!(head.contains("generated counted"), "{head}");
    let (_, query) = asked(&press(&mut app, "i"));
    assert!(!query.scope.with_generated);
}

#[test]
fn a_filter_recounts_every_entry() {
    let (mut compared, mut counted, mut all, mut stopped, mut merged) = (0, 0, 0, 0, 0);
    for seed in 0..seed_count(20) {
        let mut rng = Rng::new(seed);
        let storage = *rng.pick(&STORAGES);
        let history = random_directories::generate(seed, true, ObjectFormat::Sha1, storage);
        let repository = &history.repository;
        repository.git(&["reset", "-q", "--hard"]);
        let commits = repository.git_text(&["rev-list", "HEAD"]);
        let commits: Vec<&str> = commits.lines().collect();
        let tagged = *rng.pick(&commits);
        repository.git(&["tag", "v1.0", tagged]);
        let released = repository.git_text(&["rev-list", "v1.0"]);
        let released: Vec<&str> = released.lines().collect();
        // What the merges of the branch brought. A difference of ranges would be wrong for some
        // dates that decrease.
        let merges = repository.git_text(&["rev-list", "--first-parent", "--merges", "HEAD"]);
        let merges: Vec<(&str, Vec<String>)> = merges
            .lines()
            .map(|id| {
                let before = repository.git_text(&["rev-list", &format!("{id}^1")]);
                let before: Vec<&str> = before.lines().collect();
                let after = repository.git_text(&["rev-list", id]);
                let brought = after.lines().filter(|commit| !before.contains(commit));
                (id, brought.map(str::to_owned).collect())
            })
            .collect();
        let mut readers = reader(repository.root());
        let mut paths = directories(repository);
        paths.truncate(3);
        for path in &paths {
            let expected = lines_of_git(repository, path);
            let lines: Vec<&GitLine> = expected.values().flatten().collect();
            if lines.is_empty() {
                continue;
            }
            for _ in 0..6 {
                let line = *rng.pick(&lines);
                let (person, day) = (line.name.to_lowercase(), line.day.as_str());
                let word = line.summary.split(' ').next_back().unwrap_or_default();
                let month = &day[..7];
                type Rule<'a> = Box<dyn Fn(&GitLine) -> bool + 'a>;
                let mut cases: Vec<(String, Rule<'_>)> = vec![
                    (String::new(), Box::new(|_| true)),
                    (
                        person.clone(),
                        Box::new(|it| it.name.to_lowercase().contains(&person)),
                    ),
                    (format!("..{day}"), Box::new(|it| it.day.as_str() <= day)),
                    (format!("{month}.."), Box::new(|it| &it.day[..7] >= month)),
                    (format!("/{word}"), Box::new(|it| it.summary.contains(word))),
                    (
                        "v1.0".to_owned(),
                        Box::new(|it| released.contains(&it.commit.as_str())),
                    ),
                    (
                        format!("v1* {person}"),
                        Box::new(|it| {
                            released.contains(&it.commit.as_str())
                                && it.name.to_lowercase().contains(&person)
                        }),
                    ),
                    ("agent:".to_owned(), Box::new(|_| false)),
                    ("nobody".to_owned(), Box::new(|_| false)),
                ];
                if !merges.is_empty() {
                    let (id, brought) = rng.pick(&merges);
                    let is_brought =
                        move |it: &GitLine| it.commit != *id && brought.contains(&it.commit);
                    cases.push((format!("merge:{}", &id[..8]), Box::new(is_brought)));
                }
                let (filter, rule) = rng.pick(&cases);
                let questions = *rng.pick(&[2, 9, usize::MAX, usize::MAX]);
                let (found, end) = filtered_below(&mut readers, path, &[], filter, questions);
                let Some(end) = end else {
                    stopped += 1;
                    continue;
                };
                let end = end.expect("everything can be read");
                let mut sum = 0;
                for (name, lines) in &expected {
                    let entry = &found[name];
                    let with: Vec<_> = lines.iter().filter(|line| rule(line)).collect();
                    let words = format!("{seed} {path} {name} {filter:?}");
                    assert_eq!(entry.lines, with.len() as u64, "{words}");
                    assert_eq!(entry.all_lines, lines.len() as u64, "{words}");
                    let of_years: u32 = entry.years.values().sum();
                    assert_eq!(of_years as usize, with.len(), "{words}");
                    let mut times: Vec<i64> = with.iter().map(|line| line.time).collect();
                    times.sort_unstable();
                    let middle = times.get(times.len().saturating_sub(1) / 2);
                    assert_eq!(entry.median.as_ref(), middle, "{words}");
                    sum += entry.lines;
                    compared += 1;
                }
                assert_eq!((end.lines, end.all_lines), (sum, lines.len() as u64));
                counted += end.lines;
                merged += usize::from(filter.starts_with("merge:") && end.lines > 0);
                all += end.all_lines;
            }
        }
    }
    assert!(compared > 300 && stopped > 3, "{compared} {stopped}");
    assert!(
        counted > all / 10 && counted < all * 9 / 10,
        "{counted} {all}"
    );
    assert!(merged > 2, "{merged}");
}

/// Lines count that a request or a merge brought, also a request of one commit that was not merged.
#[test]
fn a_filter_counts_what_a_request_brought() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let commit = |path: &str, text: &str, message: &str| {
        repository.write(path.as_bytes(), text.as_bytes());
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-q", "-m", message]);
    };
    commit("dir/a", "1\n2\n3\n", "one");
    repository.git(&["checkout", "-q", "-b", "topic"]);
    commit("dir/b", "4\n5\n", "two");
    commit("dir/a", "1\n2\n3\n6\n", "three");
    repository.git(&["checkout", "-q", "main"]);
    commit("other/c", "7\n", "four (#34)");
    let message = "Merge pull request #12 from ann/topic";
    repository.git(&["merge", "-q", "--no-ff", "-m", message, "topic"]);
    let merge = repository.git_text(&["rev-parse", "HEAD"]);
    let beginning = format!("merge:{}", merge[..7].to_uppercase());
    let mut driver = opened(&repository, "");
    driver.resize(140, 20);
    let cases = [
        ("#12", [3, 0]),
        (beginning.as_str(), [3, 0]),
        ("#12 /three", [1, 0]),
        ("#34", [0, 1]),
        ("!12", [0, 0]),
        ("#1", [0, 0]),
        ("merge:00000000", [0, 0]),
    ];
    for (filter, expected) in cases {
        let mut readers = reader(repository.root());
        let (found, end) = filtered_below(&mut readers, "", &[], filter, usize::MAX);
        assert!(matches!(end, Some(Ok(_))), "{filter} {end:?}");
        let lines = ["dir", "other"].map(|name| {
            let entry = &found[&BString::from(name)];
            (entry.lines, entry.all_lines)
        });
        assert_eq!(lines, [(expected[0], 6), (expected[1], 1)], "{filter}");
        // The page has the same numbers, or says that there is no line.
        driver.keys(&format!("&<C-u>{filter}<CR>"));
        let sum: u64 = expected.iter().sum();
        let words = match sum {
            0 => {
                let asked = LineFilter::parse(filter).expect("a filter");
                format!("no line here is of {}: filter unchanged", asked.in_words())
            }
            _ => {
                driver.keys("gG");
                format!(" {sum} of 7 lines of {}", filter.to_lowercase())
            }
        };
        let screen = driver.screen();
        assert!(screen.contains(&words), "{filter}: {screen}");
    }
}

/// The directories of the newest tree; the root is the first.
pub(super) fn directories(repository: &TestRepo) -> Vec<String> {
    let trees = repository.git_text(&["ls-tree", "-rd", "HEAD"]);
    let trees = trees.lines().filter(|line| line.starts_with("040000"));
    let paths = trees.filter_map(|line| line.split('\t').nth(1));
    std::iter::once("")
        .chain(paths)
        .map(str::to_owned)
        .collect()
}

/// Removes the contents of all files from a repository of loose objects.
pub(super) fn remove_contents(repository: &TestRepo) -> usize {
    let all = "--batch-all-objects";
    let objects =
        repository.git_text(&["cat-file", all, "--batch-check=%(objecttype) %(objectname)"]);
    let blobs = objects
        .lines()
        .filter_map(|line| line.strip_prefix("blob "));
    let file = |id: &str| -> PathBuf {
        let objects = repository.root().join(".git/objects");
        objects.join(&id[..2]).join(&id[2..])
    };
    blobs
        .map(|id| fs::remove_file(file(id)).expect("it is a file of its own"))
        .count()
}

#[test]
fn the_next_session_needs_no_contents() {
    let (mut compared, mut removed, mut uncounted) = (0, 0, 0);
    for seed in 0..seed_count(12) {
        let mut rng = Rng::new(seed);
        let history = random_directories::generate(seed, true, ObjectFormat::Sha1, Storage::Loose);
        let repository = &history.repository;
        repository.git(&["reset", "-q", "--hard"]);
        let cache = TestCache::new();
        let paths = directories(repository);
        let mut readers = reader_with_cache(repository.root(), Some(&cache));
        // Some may be counted in part before, and some as a part of the root.
        for _ in 0..rng.below(4) {
            let path = rng.pick(&paths);
            let questions = *rng.pick(&[3, 9, usize::MAX]);
            lines_below(&mut readers, path, &["d", "a"], questions);
        }
        let (root, end) = lines_below(&mut readers, "", &[], usize::MAX);
        assert!(matches!(end, Some(Ok(_))), "{end:?}");
        compared += assert_sums(repository, "", &root);
        // Any directory is a part of what was kept.
        let below: Vec<_> = paths
            .iter()
            .map(|path| lines_below(&mut readers, path, &[], usize::MAX).0)
            .collect();
        drop(readers);
        removed += remove_contents(repository);
        for _ in 0..3 {
            let at = rng.below(paths.len());
            let mut readers = reader_with_cache(repository.root(), Some(&cache));
            let (found, end) = lines_below(&mut readers, &paths[at], &[], usize::MAX);
            let end = end.expect("it is not stopped").expect("it is kept");
            assert_eq!(
                (end.counted, end.failed),
                (end.all, 0),
                "{seed} {}",
                paths[at]
            );
            assert_eq!(found, below[at], "{seed} {}", paths[at]);
            compared += found.len();
        }
        let tree = cache.run(repository, &["--tree", "HEAD"]);
        assert_eq!(tree.status, Some(0), "{seed} {tree:?}");
        let (_, end) = lines_below(&mut reader(repository.root()), "", &[], usize::MAX);
        uncounted +=
            usize::from(end.is_none_or(|end| end.is_err() || end.is_ok_and(|it| it.failed > 0)));
    }
    assert!(compared > 200 && removed > 50, "{compared} {removed}");
    assert!(uncounted > 5, "without the cache, contents are needed");
}

/// Two people, of whom one wrote more; a link, a binary file, and what is not committed.
fn history() -> NamedHistory {
    let history = HistoryBuilder::default()
        .commit(
            "first",
            1_100_000_000,
            &[],
            &[
                ("dir/a", "a\nb\nc\n"),
                ("dir/deep/x", "x\n"),
                ("old", "1\n"),
            ],
        )
        .commit("second", 1_500_000_000, &["first"], &[("dir/b", "d\n")])
        .commit("third", 1_550_000_000, &["second"], &[("top", "t\nu\n")])
        .build();
    history.repository.git(&["reset", "-q", "--hard"]);
    history.repository.write(b"staged", b"1\n");
    history.repository.git(&["add", "staged"]);
    history
}

#[test]
fn a_wide_screen_shows_the_lines() {
    let history = history();
    let mut driver = opened(&history.repository, "");
    driver.resize(200, 20);
    let screen = driver.screen();
    let title = screen.lines().nth(1).expect("a title");
    let columns = [
        "name",
        "last change",
        "lines",
        "2004",
        "2020",
        "median age",
        "most lines by",
    ];
    let places: Vec<_> = columns.iter().map(|name| title.find(name)).collect();
    assert!(places.is_sorted() && places[0].is_some(), "{screen}");
    let row = |name: &str| {
        let mut rows = screen.lines().filter(|row| row[2..].starts_with(name));
        rows.next().unwrap_or_else(|| panic!("no {name}: {screen}"))
    };
    assert!(row("dir/").contains("second"), "{screen}");
    assert!(row("dir/").contains("   5 █"), "{screen}");
    assert!(
        row("dir/").ends_with("Author of first 80%, Author of second 20%"),
        "{screen}"
    );
    assert!(row("top").ends_with("Author of third 100%"), "{screen}");
    let staged = row("staged");
    assert!(
        staged.matches("uncommitted").count() == 2 && staged.ends_with("100%"),
        "{screen}"
    );
    // What nobody has committed has no age.
    assert!(!staged.contains("second"), "{screen}");
    // All that is counted is not said any more.
    assert!(!screen.contains(" of 5 files"), "{screen}");
    // A narrow one has the last change, and a key for the lines.
    driver.resize(80, 20);
    assert!(
        !driver.screen().contains("median age"),
        "{}",
        driver.screen()
    );
    assert!(
        driver
            .screen()
            .lines()
            .nth(2)
            .is_some_and(|row| row.starts_with("> dir/"))
    );
    driver.keys("|");
    assert_eq!(message(driver.app()), "columns: the lines");
    let screen = driver.screen();
    assert!(
        screen.contains("median age") && !screen.contains("second "),
        "{screen}"
    );
    assert!(screen.contains("Author of first 80%"), "{screen}");
    driver.keys("|");
    assert!(
        !driver.screen().contains("median age"),
        "{}",
        driver.screen()
    );
    // In a wide one the key leaves out one or the other.
    driver.resize(140, 20);
    driver.keys("|");
    assert_eq!(message(driver.app()), "columns: the last change");
    assert!(
        !driver.screen().contains("median age"),
        "{}",
        driver.screen()
    );
    driver.keys("|");
    assert!(
        !driver.screen().contains("last change"),
        "{}",
        driver.screen()
    );
    driver.keys("|<Esc>");
    assert!(
        driver.screen().contains("last change"),
        "{}",
        driver.screen()
    );
    assert!(driver.screen().contains(" lines 20"), "{}", driver.screen());
}

#[test]
fn the_order_of_lines_and_ages() {
    let history = history();
    let mut driver = opened(&history.repository, "");
    let names = |driver: &Driver| -> Vec<String> {
        let rows = texts(driver).into_iter();
        let name = |row: String| row.split_whitespace().next().map(str::to_owned);
        rows.filter_map(name).collect()
    };
    driver.keys("SS");
    assert_eq!(message(driver.app()), "sorted by lines, most first");
    assert_eq!(names(&driver), ["dir/", "top", "old", "*staged"]);
    // The lines are seen, where there is no room for both.
    assert!(
        driver.screen().contains("median age"),
        "{}",
        driver.screen()
    );
    driver.keys("S");
    assert_eq!(message(driver.app()), "sorted by median age, oldest first");
    assert_eq!(names(&driver), ["dir/", "old", "top", "*staged"]);
    driver.keys("S");
    assert_eq!(message(driver.app()), "sorted by name");
    assert!(
        !driver.screen().contains("median age"),
        "{}",
        driver.screen()
    );
}

/// The number of the only query for lines among effects.
fn asked(effects: &[Effect]) -> (u64, DirectoryLinesQuery) {
    let asked = effects.iter().filter_map(|effect| match effect {
        Effect::Query(id, QueryRequest::DirectoryLines(query)) => Some((*id, query.clone())),
        _ => None,
    });
    let mut asked: Vec<_> = asked.collect();
    assert_eq!(asked.len(), 1, "{effects:?}");
    asked.remove(0)
}

fn asks_for_lines(effects: &[Effect]) -> bool {
    let is_asked =
        |effect: &Effect| matches!(effect, Effect::Query(_, QueryRequest::DirectoryLines(_)));
    effects.iter().any(is_asked)
}

/// A page of this width with so many files of which the last changes are not known, and the query
/// for their lines.
fn page(width: u16, files: usize) -> (App, u64, DirectoryLinesQuery) {
    let (mut app, effects) = App::new(arguments_of(""), (width, 24));
    let id = directory::asked(&effects);
    assert!(!asks_for_lines(&effects), "the last changes come first");
    directory::found(&mut app, id, names_of_files(files));
    let (id, query) = asked(&directory::ended(&mut app, id, Ok(true)));
    (app, id, query)
}

fn found(app: &mut App, id: u64, found: FoundLines) -> Vec<Effect> {
    let event: QueryEvent = Answer::<DirectoryLinesQuery>::Found(found).into();
    update(app, Message::Query(id, event))
}

fn ended(app: &mut App, id: u64, end: Result<FileCount, Failure>) -> Vec<Effect> {
    let event: QueryEvent = Answer::<DirectoryLinesQuery>::Ended(end).into();
    update(app, Message::Query(id, event))
}

/// The rows of the page, 200 columns wide.
fn wide(app: &App) -> String {
    let page = app.pages.top().expect("a page");
    let rows = (0..page.count(app)).flat_map(|at| page.rows(at, 200, app));
    rows.map(|row| row.text() + "\n").collect()
}

/// People of these names with so many lines.
fn people_with(counts: &[(&str, u32)]) -> Vec<people::Person> {
    let date = Moment {
        time: 1_300_000_000,
        offset: 0,
    };
    let commits = counts.iter().map(|(name, lines)| {
        let people = CommitPeople {
            name: (*name).into(),
            mail: (*name).into(),
            co_authors: &[],
            date,
        };
        (people, *lines)
    });
    people::people(commits)
}

/// A person of this name with so many lines, as an entry has it.
fn writer(name: &str, lines: u32) -> (people::PersonKey, BString, u32) {
    let person = people_with(&[(name, lines)]).remove(0);
    (person.key, person.name, lines)
}

fn some_lines(name: &str, lines: u32, year: i32) -> (BString, EntryLines) {
    let lines = EntryLines {
        lines: lines.into(),
        years: BTreeMap::from([(year, lines)]),
        median: Some(NOW - 86_400 * i64::from(lines)),
        is_complete: true,
        ..EntryLines::default()
    };
    (name.into(), lines)
}

#[test]
fn lines_fill_without_moving_rows() {
    let (mut app, id, query) = page(200, 60);
    // What is on the screen comes first.
    assert_eq!(query.first.len(), 21);
    assert_eq!(query.first[..2], ["sub", "file-00"]);
    let rows_of = |app: &App| {
        let page = app.pages.top().expect("a page");
        let rows = (0..page.count(app)).flat_map(|at| page.rows(at, 200, app));
        rows.map(|row| row.text()).collect::<Vec<_>>()
    };
    let places = |app: &App| -> Vec<String> {
        let rows = rows_of(app).into_iter();
        rows.map(|row| row.chars().take(10).collect()).collect()
    };
    let before = places(&app);
    press(&mut app, "G");
    let list = |app: &App| app.pages.list().map(|list| (list.selected, list.top));
    let at_end = list(&app);
    // Other things may be known of an entry before its lines are.
    let part = FoundLines {
        entries: vec![("file-30".into(), EntryLines::default())],
        ..FoundLines::default()
    };
    found(&mut app, id, part);
    let rows = rows_of(&app);
    let row = rows.iter().find(|row| row.contains("file-30"));
    let row = row.expect("a row");
    assert!(!row.contains(" 0 "), "{row}");
    for number in 0..60 {
        let name = format!("file-{:02}", (number * 7) % 60);
        let lines = some_lines(&name, number + 1, 2010 + (number % 9) as i32);
        let part = FoundLines {
            entries: vec![lines, some_lines("not here", 1, 2000)],
            years: Some((2010, 2018)),
            ..FoundLines::default()
        };
        found(&mut app, id, part);
        assert_eq!(places(&app), before);
        assert_eq!(list(&app), at_end);
        let rows = rows_of(&app);
        let row = rows.iter().find(|row| row.contains(&name)).expect("a row");
        let count = format!(" {} ", number + 1);
        assert!(row.contains(&count), "{row}");
    }
    // Every column stands at the same place in all rows.
    let ends: Vec<usize> = rows_of(&app)
        .iter()
        .map(|row| sanitize::width(row.as_bytes()))
        .collect();
    assert_eq!(ends[1..].iter().min(), ends[1..].iter().max(), "{ends:?}");
    // Those that come later are sorted in by a key only.
    press(&mut app, "S");
    press(&mut app, "S");
    assert_eq!(
        message(&app),
        "sorted by lines, most first, of those that are known so far"
    );
    let sorted = places(&app);
    assert_ne!(sorted, before);
    let part = FoundLines {
        entries: vec![some_lines("sub", 9999, 2011)],
        ..FoundLines::default()
    };
    found(&mut app, id, part);
    assert_eq!(places(&app), sorted);
}

#[test]
fn the_query_for_lines_is_cancelled_and_asked_again() {
    let is_cancelled =
        |effects: &[Effect]| effects.contains(&Effect::Cancel(QueryKind::DirectoryLines));
    let (mut app, first, _) = page(200, 3);
    let part = |name: &str, lines| FoundLines {
        entries: vec![some_lines(name, lines, 2010)],
        years: Some((2010, 2012)),
        progress: CountProgress::Files(FileCount::default()),
        ..FoundLines::default()
    };
    found(&mut app, first, part("file-01", 4321));
    // The blame of a file needs the processors.
    press(&mut app, "G");
    assert!(is_cancelled(&press(&mut app, "Enter")));
    found(&mut app, first, part("file-02", 8888));
    let (second, _) = asked(&press(&mut app, "<"));
    assert!(rows(&app)[2].contains("file-01"));
    assert!(wide(&app).contains("4,321"), "{}", wide(&app));
    assert!(!wide(&app).contains("8,888"), "{}", wide(&app));
    found(&mut app, second, part("file-02", 7777));
    assert!(wide(&app).contains("7,777"), "{}", wide(&app));
    // A directory below, and the way back.
    press(&mut app, "g");
    let effects = press(&mut app, "l");
    assert!(
        is_cancelled(&effects) && !asks_for_lines(&effects),
        "{effects:?}"
    );
    found(&mut app, second, part("file-02", 6666));
    let effects = press(&mut app, "h");
    let (third, _) = asked(&effects);
    assert!(wide(&app).contains("7,777"), "{}", wide(&app));
    ended(&mut app, third, Ok(FileCount::default()));
    // Everything is known, until it is read again.
    press(&mut app, "l");
    assert!(!asks_for_lines(&press(&mut app, "h")));
    let id = directory::asked(&press(&mut app, "^R"));
    directory::found(&mut app, id, names_of_files(3));
    asked(&directory::ended(&mut app, id, Ok(true)));
    assert!(wide(&app).contains("7,777"), "{}", wide(&app));
    // The history is read on for the lines: that would begin anew.
    let (mut app, first, _) = page(200, 3);
    let history = FoundLines {
        progress: CountProgress::History(5, 9),
        ..FoundLines::default()
    };
    found(&mut app, first, history);
    press(&mut app, "G");
    assert!(!is_cancelled(&press(&mut app, "Enter")));
    found(&mut app, first, part("file-02", 5555));
    assert!(!asks_for_lines(&press(&mut app, "<")));
    assert!(wide(&app).contains("5,555"), "{}", wide(&app));
    // Without last changes there are no lines.
    let (mut app, effects) = App::new(arguments_of(""), (80, 24));
    let id = directory::asked(&effects);
    let failure = Err(Failure::new("a commit is missing"));
    assert!(!asks_for_lines(&directory::ended(&mut app, id, failure)));
}

#[test]
fn the_header_says_how_much_is_counted() {
    let files = |counted, failed, all| FileCount {
        counted,
        failed,
        all,
        ..FileCount::default()
    };
    let words = |progress| {
        let (mut app, id, _) = page(120, 3);
        match progress {
            Ok(progress) => found(
                &mut app,
                id,
                FoundLines {
                    progress,
                    ..FoundLines::default()
                },
            ),
            Err(end) => ended(&mut app, id, end),
        };
        let theme = Theme::new(Background::Dark, ColorDepth::None);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 120, 24));
        draw(&app, &theme, &mut buffer);
        let header = buffer.content.chunks(120).next().expect("a row");
        let header: String = header.iter().map(|cell| cell.symbol()).collect();
        // What is not counted in the end stands below the rows.
        let ending = app.pages.top().expect("a page").ending(&app);
        match ending.split_once("; ") {
            Some((_, words)) => words.to_owned(),
            None => header,
        }
    };
    let counted = |counted, failed| Ok(CountProgress::Files(files(counted, failed, 4843)));
    let end = |failed| Err(Ok(files(4843 - failed, failed, 4843)));
    let cases = [
        (Ok(CountProgress::History(0, 10)), Some("reading history…")),
        (
            Ok(CountProgress::History(1200, 5000)),
            Some("1,200 of 5,000 commits"),
        ),
        (counted(4102, 0), Some("4,102 of 4,843 files")),
        (
            counted(4102, 2),
            Some("4,102 of 4,843 files, 2 cannot be read"),
        ),
        (end(0), None),
        (end(1), Some("1 file cannot be read")),
        (
            Err(Ok(FileCount {
                generated: 2,
                ..files(4842, 1, 4843)
            })),
            Some("2 generated or binary files not counted, 1 cannot be read"),
        ),
        (
            Err(Err(Failure::new("no \x1b[31m here"))),
            Some("no ^[[31m here"),
        ),
    ];
    let mut compared = 0;
    for (progress, expected) in cases {
        let line = words(progress.clone());
        match expected {
            Some(expected) => assert!(line.contains(expected), "{line}"),
            None => assert!(
                !line.contains("file can") && !line.contains("files"),
                "{line}"
            ),
        }
        compared += 1;
    }
    assert_eq!(compared, 8);
}

/// The people of a directory are listed while its files are counted: more of them come, and the
/// selected one stays selected.
#[test]
fn people_are_listed_while_lines_are_counted() {
    let (mut app, lines, _) = page(120, 3);
    let part = FoundLines {
        entries: vec![some_lines("file-01", 9, 2010)],
        years: Some((2010, 2012)),
        progress: CountProgress::Files(FileCount {
            counted: 1,
            all: 3,
            ..FileCount::default()
        }),
        ..FoundLines::default()
    };
    found(&mut app, lines, part);
    let asked: Vec<u64> = press(&mut app, "A")
        .iter()
        .filter_map(|effect| match effect {
            Effect::Query(id, QueryRequest::DirectoryPeople(_)) => Some(*id),
            _ => None,
        })
        .collect();
    let [id] = asked[..] else {
        panic!("one query: {asked:?}")
    };
    let files = |counted, lines| FileCount {
        counted,
        all: 3,
        lines,
        all_lines: lines,
        ..FileCount::default()
    };
    // The words of the rows, the selected row, and the words below the rows.
    let shown = |app: &App| {
        let page = app.pages.top().expect("a page");
        let rows = (0..page.count(app)).flat_map(|at| page.rows(at, 120, app));
        let rows: Vec<String> = rows
            .map(|row| {
                let text = row.text();
                // Of everybody, there is no share.
                let count = if text.starts_with("everybody") { 2 } else { 3 };
                let words: Vec<&str> = text.split_whitespace().take(count).collect();
                words.join(" ")
            })
            .collect();
        let selected = app.pages.list().map(|list| list.selected);
        (rows, selected.expect("a list"), page.ending(app))
    };
    let people_found = |app: &mut App, progress, counts: &[(&str, u32)]| {
        let found = FoundPeople {
            people: people_with(counts),
            progress,
            ..FoundPeople::default()
        };
        let event: QueryEvent = Answer::<DirectoryPeopleQuery>::Found(found).into();
        update(app, Message::Query(id, event));
    };
    people_found(&mut app, CountProgress::History(1200, 5000), &[]);
    assert_eq!(
        shown(&app),
        (Vec::new(), 0, "1,200 of 5,000 commits".to_owned())
    );
    let progress = CountProgress::Files(files(1, 4));
    people_found(&mut app, progress, &[("Ann", 3), ("Ben", 1)]);
    press(&mut app, "G");
    let (rows, selected, foot) = shown(&app);
    assert_eq!(rows, ["everybody 4", "Ann 3 75%", "Ben 1 25%"]);
    assert_eq!((selected, foot.as_str()), (2, "1 of 3 files"));
    // The end of the list may be below the screen.
    let header = |app: &App| {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 120, 24));
        let theme = Theme::new(Background::Dark, ColorDepth::None);
        draw(app, &theme, &mut buffer);
        let cells = (0..120).map(|x| buffer[(x, 0)].symbol().to_owned());
        cells.collect::<String>().trim_end().to_owned()
    };
    assert!(
        header(&app).ends_with(" 2 people  1 of 3 files"),
        "{}",
        header(&app)
    );
    // What comes later of the page below does not matter here.
    found(&mut app, lines, FoundLines::default());
    let progress = CountProgress::Files(files(2, 10));
    people_found(&mut app, progress, &[("Ann", 3), ("Ben", 5), ("Cleo", 2)]);
    let (rows, selected, foot) = shown(&app);
    let expected = ["everybody 10", "Ben 5 50%", "Ann 3 30%", "Cleo 2 20%"];
    assert_eq!(rows, expected);
    assert_eq!((selected, foot.as_str()), (1, "2 of 3 files"));
    let event: QueryEvent = Answer::<DirectoryPeopleQuery>::Ended(Ok(files(3, 10))).into();
    update(&mut app, Message::Query(id, event));
    let (rows, selected, foot) = shown(&app);
    assert_eq!((rows.len(), selected, foot.as_str()), (4, 1, ""));
    assert!(header(&app).ends_with(" 3 people"), "{}", header(&app));
}

#[test]
fn names_have_colors_on_a_key() {
    let history = history();
    let mut seen = 0;
    for depth in [ColorDepth::True, ColorDepth::Indexed, ColorDepth::Sixteen] {
        let theme = Theme::new(Background::Light, depth);
        let mut driver = Driver::with_repository_and_themes(
            history.repository.root(),
            arguments_of(""),
            (120, 24),
            ThemeSet::fixed(theme),
        );
        driver.keys("G");
        // The names of the directory, which is bold, and of `old`.
        let styles = |driver: &Driver| {
            let buffer = driver.memory().terminal.backend().buffer();
            [2u16, 3].map(|y| (buffer[(2, y)].fg, buffer[(2, y)].bg))
        };
        let plain = styles(&driver);
        assert_eq!(plain[0], plain[1]);
        let mut found = vec![plain];
        for words in [
            "median age of the lines",
            "who wrote most lines",
            "share of agents, none of which is recorded",
            "none",
        ] {
            driver.keys("c");
            assert_eq!(message(driver.app()), format!("colors: {words}"));
            found.push(styles(&driver));
            driver.keys("G");
            assert!(!driver.screen().contains("needs colors"), "{words}");
            seen += 1;
        }
        let is_colored: Vec<bool> = found.iter().map(|it| *it != plain).collect();
        assert_eq!(is_colored, [false, true, true, false, false], "{depth:?}");
        // The bars have the colors of their ages.
        let buffer = driver.memory().terminal.backend().buffer();
        let bars = buffer.content.iter().filter(|cell| cell.symbol() == "█");
        let mut colors: Vec<Color> = bars.map(|cell| cell.fg).collect();
        colors.dedup();
        assert!(colors.len() > 1, "{colors:?}");
    }
    assert_eq!(seen, 12);
}

/// The scale of ages ends with the date of a revision.
#[test]
fn ages_of_a_revision_are_as_of_its_date() {
    let history = history();
    let first = history
        .repository
        .git_text(&["rev-list", "--max-parents=0", "HEAD"]);
    let mut colors = Vec::new();
    for place in ["HEAD", first.as_str()] {
        let theme = Theme::new(Background::Dark, ColorDepth::True);
        let root = history.repository.root();
        let themes = ThemeSet::fixed(theme);
        let mut driver =
            Driver::with_repository_and_themes(root, arguments_of(""), (140, 24), themes);
        driver.keys(&format!(":{place}<CR>G"));
        let screen = driver.screen();
        assert!(screen.contains(&format!(" @ {}", &place[..4])), "{screen}");
        // The first bar of the first row, of the year of the first commit.
        let buffer = driver.memory().terminal.backend().buffer();
        let bar = (40..140).find(|x| buffer[(*x, 2)].symbol() == "█");
        colors.push(buffer[(bar.expect("a bar"), 2)].fg);
        assert!(screen.contains("median age"), "{screen}");
    }
    assert_ne!(colors[0], colors[1]);
}

/// What is not on the screen is not explained, and what the rows are sorted by is seen.
#[test]
fn the_footer_is_about_what_is_seen() {
    let foot = |app: &App, width: u16| -> String {
        let theme = Theme::new(Background::Dark, ColorDepth::None);
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, 24));
        draw(app, &theme, &mut buffer);
        let rows = buffer.content.chunks(width.into());
        let rows = rows.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>());
        rows.into_iter().next_back().expect("a row")
    };
    let (mut app, id, _) = page(250, 3);
    assert!(!foot(&app, 250).contains('='), "{}", foot(&app, 250));
    let (name, lines) = some_lines("file-01", 4, 2020);
    for (failed, is_uncommitted, sign) in [(1, false, "+ = more"), (0, true, "* = not as in HEAD")]
    {
        let lines = EntryLines {
            failed,
            is_uncommitted,
            ..lines.clone()
        };
        let part = FoundLines {
            entries: vec![(name.clone(), lines)],
            ..FoundLines::default()
        };
        found(&mut app, id, part);
        let foot = foot(&app, 250);
        assert!(
            foot.contains(sign) && foot.matches(" = ").count() == 1,
            "{foot}"
        );
    }
    let files = FileCount {
        failed: 1,
        all: 1,
        ..FileCount::default()
    };
    ended(&mut app, id, Ok(files));
    let ending = |app: &App| app.pages.top().map(|page| page.ending(app));
    let words = "4 entries; 1 file cannot be read (+)";
    assert_eq!(ending(&app).as_deref(), Some(words));

    let (mut app, id, _) = page(80, 3);
    let title = |app: &App| {
        app.pages
            .top()
            .and_then(|page| page.title(app))
            .unwrap_or_default()
    };
    assert!(
        foot(&app, 80).starts_with(" Enter open  | lines "),
        "{}",
        foot(&app, 80)
    );
    press(&mut app, "|");
    // Without the message.
    press(&mut app, "j");
    assert!(
        foot(&app, 80).starts_with(" Enter open  | columns "),
        "{}",
        foot(&app, 80)
    );
    press(&mut app, "S");
    assert!(title(&app).contains("last change ▾"), "{}", title(&app));
    press(&mut app, "S");
    assert!(title(&app).contains("lines ▾"), "{}", title(&app));
    // A key that leaves out that column does not leave out the order.
    let head = |app: &App| -> String {
        let theme = Theme::new(Background::Dark, ColorDepth::None);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 80, 24));
        draw(app, &theme, &mut buffer);
        let row = buffer.content.iter().take(80);
        row.map(|cell| cell.symbol()).collect()
    };
    assert!(!head(&app).contains(" by "), "{}", head(&app));
    press(&mut app, "|");
    assert!(!title(&app).contains("lines"), "{}", title(&app));
    assert!(head(&app).contains(" by lines "), "{}", head(&app));
    // A filter that is typed at once is not denied, as lines are still counted.
    for key in ["&", "2", "0", "2", "3", ".", ".", "Enter", "J"] {
        press(&mut app, key);
    }
    assert_eq!(message(&app), "the lines are being counted");
    press(&mut app, ":");
    assert!(
        foot(&app, 80).contains("a row, revision, date, directory or file"),
        "{}",
        foot(&app, 80)
    );
    press(&mut app, "Esc");
    ended(&mut app, id, Ok(FileCount::default()));
}

/// The footer names the people of the colors, and a row beyond the end is said to be none.
#[test]
fn the_footer_has_the_colors_of_people() {
    let history = history();
    let theme = Theme::new(Background::Dark, ColorDepth::True);
    let root = history.repository.root();
    let themes = ThemeSet::fixed(theme);
    let mut driver = Driver::with_repository_and_themes(root, arguments_of(""), (140, 24), themes);
    driver.keys("ccG");
    let screen = driver.screen();
    let foot = screen.lines().last().expect("a status line");
    let [first, third] = ["Author of first", "Author of third"].map(|name| foot.find(name));
    assert!(first.is_some() && first < third, "{foot}");
    assert!(!foot.contains("forward"), "{foot}");
    driver.keys(":120<CR>");
    assert_eq!(
        message(driver.app()),
        "there are 4 rows: this is the last one"
    );
    assert_eq!(driver.app().pages.list().map(|list| list.selected), Some(3));
}

/// With a filter for dates the bars are of its years, the column of people stays, and a name is not faint
/// before its lines are counted.
#[test]
fn years_that_a_filter_cannot_have_take_no_columns() {
    let (mut app, id, _) = page(80, 3);
    ended(&mut app, id, Ok(FileCount::default()));
    let mut id = 0;
    for key in ["&", "2", "0", "2", "4", ".", ".", "Enter"] {
        let effects = press(&mut app, key);
        if asks_for_lines(&effects) {
            id = asked(&effects).0;
        }
    }
    let (name, lines) = some_lines("file-01", 4, 2024);
    let lines = EntryLines {
        all_lines: 8,
        people: vec![writer("Ann", 4)],
        ..lines
    };
    let part = FoundLines {
        entries: vec![(name, lines)],
        years: Some((1999, 2026)),
        progress: CountProgress::Files(FileCount::default()),
        ..FoundLines::default()
    };
    found(&mut app, id, part);
    let page = app.pages.top().expect("a page");
    let title = page.title(&app).expect("a title");
    assert!(
        title.contains(" 2024 2026 median age most lines by"),
        "{title}"
    );
    let faint = |app: &App| {
        let page = app.pages.top().expect("a page");
        let rows = (0..page.count(app)).flat_map(|at| page.rows(at, 80, app));
        let is_faint = rows.map(|row| row.pieces[0].1 == Tone::Dim);
        is_faint.collect::<Vec<_>>()
    };
    assert_eq!(faint(&app), [false; 4]);
    let files = FileCount {
        lines: 4,
        all_lines: 8,
        ..FileCount::default()
    };
    ended(&mut app, id, Ok(files));
    assert_eq!(faint(&app), [true, true, false, true]);
}

/// Colors by agents with a filter for theirs tell the share of all lines, and the legend of ages begins with
/// the color of the oldest bar.
#[test]
fn colors_tell_what_the_columns_say() {
    let (mut app, id, _) = page(140, 3);
    let (name, lines) = some_lines("file-01", 40, 2017);
    let lines = EntryLines {
        agent_lines: 40,
        all_lines: 4_000,
        ..lines
    };
    let part = |lines: &EntryLines| FoundLines {
        entries: vec![(name.clone(), lines.clone())],
        years: Some((2001, 2019)),
        progress: CountProgress::Files(FileCount {
            lines: 40,
            all_lines: 4_000,
            ..FileCount::default()
        }),
        ..FoundLines::default()
    };
    found(&mut app, id, part(&lines));
    let theme = Theme::new(Background::Dark, ColorDepth::Indexed);
    let mut buffer = Buffer::empty(Rect::new(0, 0, 140, 24));
    press(&mut app, "G");
    draw(&app, &theme, &mut buffer);
    let row = |y: u16| (0..140).map(move |x| (x, y));
    let bar = row(4)
        .map(|at| &buffer[at])
        .find(|cell| cell.symbol() == "█");
    let first = row(23)
        .map(|at| &buffer[at])
        .find(|cell| cell.symbol() == "█");
    let color = bar.map(|cell| cell.fg);
    assert!(color.is_some());
    assert_eq!(first.map(|cell| cell.fg), color);
    ended(&mut app, id, Ok(FileCount::default()));
    let tone = |app: &App| {
        let page = app.pages.top().expect("a page");
        page.rows(2, 140, app)[0].pieces[0].1
    };
    for _ in 0..3 {
        press(&mut app, "c");
    }
    assert_eq!(tone(&app), Tone::Age(9));
    let mut id = 0;
    for key in ["&", "a", "g", "e", "n", "t", ":", "Enter"] {
        let effects = press(&mut app, key);
        if asks_for_lines(&effects) {
            id = asked(&effects).0;
        }
    }
    found(&mut app, id, part(&lines));
    assert_eq!(tone(&app), Tone::Age(3));
}

/// Who has a color depends on all entries, not on those on the screen.
#[test]
fn colors_do_not_change_while_one_scrolls() {
    let (mut app, id, _) = page(200, 60);
    let entries = (0..60).map(|at| {
        let (name, lines) = some_lines(&format!("file-{at:02}"), 10 + at, 2020);
        let people = vec![writer(&format!("Author {at}"), 10 + at)];
        (name, EntryLines { people, ..lines })
    });
    let part = FoundLines {
        entries: entries.collect(),
        ..FoundLines::default()
    };
    found(&mut app, id, part);
    ended(&mut app, id, Ok(FileCount::default()));
    press(&mut app, "c");
    press(&mut app, "c");
    let tones = |app: &App| {
        let page = app.pages.top().expect("a page");
        let rows = (0..page.count(app)).flat_map(|at| page.rows(at, 200, app));
        rows.map(|row| row.pieces[0].1).collect::<Vec<_>>()
    };
    let at_top = tones(&app);
    assert_eq!(app.pages.list().map(|list| list.top), Some(0));
    press(&mut app, "G");
    assert!(app.pages.list().is_some_and(|list| list.top > 20));
    assert_eq!(tones(&app), at_top);
    // Those who wrote most have one, wherever they are.
    let is_colored: Vec<bool> = at_top.iter().map(|it| matches!(it, Tone::Hue(_))).collect();
    let (others, last) = is_colored.split_at(is_colored.len() - 4);
    assert!(
        !others.contains(&true) && last == [true; 4],
        "{is_colored:?}"
    );
}

/// Names in colors are of people whom nobody shares a color with, which the legend can name.
#[test]
fn a_color_stands_for_one_person() {
    let (mut app, id, _) = page(200, 20);
    let entries = (0..20).map(|at| {
        let (name, lines) = some_lines(&format!("file-{at:02}"), 100 - at, 2020);
        let people = vec![writer(&format!("Author {at}"), 100 - at)];
        (name, EntryLines { people, ..lines })
    });
    let part = FoundLines {
        entries: entries.collect(),
        ..FoundLines::default()
    };
    found(&mut app, id, part);
    ended(&mut app, id, Ok(FileCount::default()));
    press(&mut app, "c");
    press(&mut app, "c");
    let page = app.pages.top().expect("a page");
    let rows = (0..page.count(&app)).flat_map(|at| page.rows(at, 200, &app));
    let hues = rows.filter_map(|row| match row.pieces[0].1 {
        Tone::Hue(hue) => Some(hue),
        _ => None,
    });
    let mut hues: Vec<u8> = hues.collect();
    assert_eq!(hues.len(), 4);
    hues.sort_unstable();
    hues.dedup();
    assert_eq!(hues.len(), 4);
    for depth in [ColorDepth::True, ColorDepth::Indexed, ColorDepth::Sixteen] {
        let theme = Theme::new(Background::Dark, depth);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 200, 24));
        press(&mut app, "G");
        draw(&app, &theme, &mut buffer);
        let foot: String = (0..200).map(|x| buffer[(x, 23)].symbol()).collect();
        assert!(
            foot.contains(" Author 0 ") && foot.contains(" Author 1 "),
            "{foot}"
        );
        assert!(!foot.contains(" Author 9 "), "{foot}");
    }
}

/// A directory of which nothing is committed has its untracked entries.
#[test]
fn what_only_the_work_tree_has_is_listed() {
    let history = history();
    history.repository.write(b"fresh/one", b"1\n");
    let mut driver = opened(&history.repository, "fresh");
    driver.keys("G");
    let screen = driver.screen();
    assert!(screen.contains(" one  untracked"), "{screen}");
    assert!(!screen.contains("nothing here"), "{screen}");
}

#[test]
fn files_that_cannot_be_read_are_counted() {
    let history = history();
    let repository = &history.repository;
    let blob = repository.git_text(&["rev-parse", "HEAD:dir/b"]);
    let (folder, rest) = blob.trim().split_at(2);
    let loose = repository
        .root()
        .join(".git/objects")
        .join(folder)
        .join(rest);
    fs::remove_file(loose).expect("it is loose");
    let (found, ended) = lines_below(&mut reader(repository.root()), "", &[], usize::MAX);
    let end = ended.expect("an end").expect("the other files can be read");
    assert_eq!((end.counted, end.failed, end.all), (5, 1, 6));
    let entry = &found[&BString::from("dir")];
    assert_eq!((entry.lines, entry.failed, entry.is_complete), (4, 1, true));
    let mut driver = opened(repository, "");
    driver.resize(140, 20);
    assert!(driver.screen().contains(" 4+ "), "{}", driver.screen());
    assert!(
        driver.screen().contains("1 file cannot be read"),
        "{}",
        driver.screen()
    );
}

#[test]
fn nothing_is_fetched_to_count_lines() {
    let history = history();
    let clone = history.repository.clone_without_blobs(&["--no-checkout"]);
    let (found, ended) = lines_below(&mut reader(&clone), "", &[], usize::MAX);
    let failure = ended.expect("an end").expect_err("nothing is counted");
    assert_eq!(failure.0, "lines are not counted in a partial clone");
    assert_eq!(found.len(), 0);
    let packs = fs::read_dir(clone.join(".git/objects/pack")).expect("packs");
    let packs = packs.filter_map(|it| it.ok()?.path().extension().map(|it| it == "pack"));
    assert_eq!(packs.filter(|is_pack| *is_pack).count(), 1);
}

/// What needs lines is refused where they are not counted.
#[test]
fn a_partial_clone_refuses_what_needs_lines() {
    let history = history();
    let clone = history.repository.clone_without_blobs(&[]);
    let mut driver = Driver::with_repository(&clone, arguments_of(""), (140, 24));
    let before = driver.screen();
    let words = "lines are not counted in a partial clone";
    assert!(before.contains(words), "{before}");
    assert!(!before.contains("median age"), "{before}");
    assert!(!texts(&driver).iter().any(|row| row.contains(" ? ")));
    let mut refused = 0;
    for key in ["&", "c", "|", "i", "J"] {
        driver.keys(key);
        assert_eq!(message(driver.app()), words, "{key}");
        assert!(driver.app().display.filter.is_empty(), "{key}");
        assert_eq!(driver.app().pages.layers().len(), 1, "{key}");
        refused += 1;
    }
    driver.keys("S");
    assert_eq!(message(driver.app()), "sorted by last change, newest first");
    driver.keys("S");
    assert_eq!(message(driver.app()), format!("sorted by name: {words}"));
    driver.keys("S");
    assert_eq!(message(driver.app()), "sorted by last change, newest first");
    driver.keys("SL&");
    let says = "a partial clone lacks the versions that tell when each file was changed last";
    assert_eq!(message(driver.app()), says);
    assert_eq!(refused, 5);
}

/// The share of agents stands where one is recorded, and one person with two addresses is named once.
#[test]
fn people_and_agents_are_named() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let commit = |path: &str, text: &str, mail: &str, message: &str| {
        repository.write(path.as_bytes(), text.as_bytes());
        repository.git(&["add", "-A"]);
        let author = format!("--author=Ann Lee <{mail}>");
        repository.git(&["commit", "-q", "-m", message, &author]);
    };
    commit("dir/a", "1\n2\n3\n", "ann@example.com", "one");
    commit("dir/b", "4\n5\n", "lee@example.com", "two");
    let signed = "three\n\nAssisted-by: Claude Code";
    commit("with/c", "6\n7\n", "ann@example.com", signed);
    commit(
        "with/d",
        "8\n9\n10\n11\n12\n13\n",
        "ann@example.com",
        "four",
    );
    let (found, _) = lines_below(&mut reader(repository.root()), "", &[], usize::MAX);
    let agents = |name: &str| found[&BString::from(name)].agent_lines;
    assert_eq!((agents("dir"), agents("with")), (0, 2));
    for (filter, expected) in [("agent:", 2), ("agent:CLAUDE ann", 2), ("agent:codex", 0)] {
        let mut readers = reader(repository.root());
        let (found, _) = filtered_below(&mut readers, "", &[], filter, usize::MAX);
        let lines = |name: &str| {
            let entry = &found[&BString::from(name)];
            (entry.lines, entry.agent_lines, entry.all_lines)
        };
        assert_eq!(lines("dir"), (0, 0, 5), "{filter}");
        assert_eq!(lines("with"), (expected, expected, 8), "{filter}");
    }
    let mut driver = opened(&repository, "");
    driver.resize(200, 20);
    let screen = driver.screen();
    let row = |name: &str| {
        let mut rows = screen.lines().filter(|row| row[2..].starts_with(name));
        rows.next().unwrap_or_else(|| panic!("no {name}: {screen}"))
    };
    assert!(row("dir/").ends_with(" Ann Lee 60%"), "{screen}");
    assert!(
        row("with/").ends_with(" Ann Lee 100%, agents 25%"),
        "{screen}"
    );
    // Only the name of that one has a color.
    let theme = ThemeSet::fixed(Theme::new(Background::Dark, ColorDepth::True));
    let arguments = arguments_of("");
    let root = repository.root();
    let mut driver = Driver::with_repository_and_themes(root, arguments, (80, 24), theme);
    // `with/` is not the selected one.
    driver.keys("ccc");
    let buffer = driver.memory().terminal.backend().buffer();
    let behind = |x: u16, y: u16| buffer[(x, y)].bg;
    assert_ne!(behind(2, 3), Color::Reset);
    assert_eq!(behind(79, 3), Color::Reset);
}

/// The names of the columns stand above the columns, whether there is a scrollbar or not.
#[test]
fn the_title_follows_the_size_of_the_screen() {
    let history = lists::history();
    let mut driver = lists::opened(&history, "tblame other", (120, 12));
    let (mut scrolled, mut whole) = (0, 0);
    for (width, height) in [
        (120, 40),
        (120, 12),
        (101, 12),
        (101, 40),
        (100, 12),
        (140, 33),
    ] {
        let screen = driver.resize(width, height).screen();
        let again = driver.keys("<C-l>").screen();
        assert_eq!(screen, again, "{width}x{height}");
        let fresh = lists::opened(&history, "tblame other", (width, height));
        assert_eq!(screen, fresh.screen(), "{width}x{height}");
        let list = driver.app().pages.list().expect("the directory");
        let has_scrollbar = list.shape.has_scrollbar();
        scrolled += u32::from(has_scrollbar);
        whole += u32::from(!has_scrollbar);
    }
    assert_eq!((scrolled, whole), (3, 3));
    // The bars of the ten years are no wider than these, though there is room.
    let screen = driver.resize(200, 40).screen();
    let title = screen.lines().nth(1).unwrap_or_default();
    assert!(title.contains(" lines 2002  2011 median age "), "{screen}");
}
