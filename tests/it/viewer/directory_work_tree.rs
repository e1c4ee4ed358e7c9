//! The page of a directory of the work tree counts what `--tree` counts, whatever was done there.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    ops::ControlFlow,
    path::Path,
    sync::Arc,
};

use bstr::{BString, ByteSlice};
use tblame::internals::{
    dates::calendar::Clock,
    engine::MoveDetection,
    objects::ObjectId,
    repository::{
        Repository,
        commits::{commit_texts::PseudoCommit, people::Person},
        request::{options::BlameOptions, prepare::prepare},
    },
    viewer::{
        model::{
            background::{
                directory::{
                    DirectoryQuery, EntryKind, FoundEntries, LinelessEntry, LinelessState,
                    NamedEntry,
                },
                directory_lines::{
                    CountScope, DatedFile, DirectoryFilesQuery, DirectoryLinesQuery,
                    DirectoryPeopleQuery, EntryLines, FileCount, FoundFiles,
                },
                queries::{PageAnswer, QueryEvent, QueryKind, QueryReaders, QueryRequest},
                query::Answer,
            },
            line_filter::LineFilter,
            source::{BlameSource, Failure, FileVersion},
        },
        repository::git_source::{GitSource, ViewerCache, WorkTreeRequests},
    },
};

use crate::{
    cache::TestCache,
    harness::{
        compare::seed_count,
        named_history::HistoryBuilder,
        random_history::{History, STORAGES},
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
    },
    json::{
        tree::{of_kind, records},
        value::Value,
        work_tree::{STATES, change, check_out, has_directories, place, tracked},
    },
};

use super::{
    directory::{message, opened},
    directory_lines::remove_contents,
    lists::texts,
};

/// Years from this one on are those of lines that are not committed: the histories end before.
const NOW_YEAR: u64 = 2024;

/// A session of the viewer that was started with these options.
fn readers(root: &Path, options: &[&str], cache: Option<&TestCache>) -> QueryReaders {
    let repository = Arc::new(Repository::open_own(root).expect("a repository"));
    let has = |option: &str| options.contains(&option);
    let options = BlameOptions {
        operands: vec!["--".into(), root.as_os_str().as_encoded_bytes().into()],
        follow: true,
        directory: true,
        ignore_whitespace: has("-w"),
        first_parent: has("--first-parent"),
        movement: MoveDetection {
            moves: has("-M").then_some(MoveDetection::MOVES),
            ..MoveDetection::default()
        },
        ..BlameOptions::default()
    };
    let clock = Clock::system();
    let prepared = prepare(&repository, &options, &clock, &mut Vec::new());
    let request = prepared.expect("a directory").request;
    let others = WorkTreeRequests::new(|_| Err(Failure::new("no file is opened")));
    let cache = cache.map(|cache| ViewerCache {
        blames: cache.blame_files(&repository),
        history: None,
    });
    let pseudo = PseudoCommit::of_files(&clock);
    GitSource::new(&repository, request, others, pseudo, None, cache, 2).query_readers()
}

/// What the page of a directory is told.
#[derive(Debug, Default)]
struct Told {
    names: Vec<NamedEntry>,
    lineless: Vec<LinelessEntry>,
    entries: BTreeMap<BString, EntryLines>,
    people: Vec<Person>,
    files: Vec<DatedFile>,
    file_lines: BTreeMap<BString, EntryLines>,
    ends: Vec<Result<FileCount, Failure>>,
}

impl Told {
    fn take(&mut self, event: QueryEvent) {
        let QueryEvent::Page(answer) = event else {
            panic!("{event:?}");
        };
        match answer {
            PageAnswer::Directory(Answer::Found(FoundEntries::Names(names))) => self.names = names,
            PageAnswer::Directory(Answer::Found(FoundEntries::Lineless(entries, 0))) => {
                self.lineless = entries;
            }
            PageAnswer::Directory(Answer::Ended(end)) => assert!(end.is_ok(), "{end:?}"),
            PageAnswer::Directory(_) => {}
            PageAnswer::DirectoryLines(Answer::Found(found)) => self.entries.extend(found.entries),
            PageAnswer::DirectoryPeople(Answer::Found(found)) => self.people = found.people,
            PageAnswer::DirectoryFiles(Answer::Found(FoundFiles::Files(files))) => {
                self.files = files;
            }
            PageAnswer::DirectoryFiles(Answer::Found(FoundFiles::Lines(found))) => {
                self.file_lines.extend(found.entries);
            }
            PageAnswer::DirectoryLines(Answer::Ended(end))
            | PageAnswer::DirectoryPeople(Answer::Ended(end))
            | PageAnswer::DirectoryFiles(Answer::Ended(end)) => self.ends.push(end),
            other => panic!("{other:?}"),
        }
    }
}

/// Asks for everything about a directory, in a reading of the work tree.
fn told(readers: &mut QueryReaders, path: &str, reading: u64, with_generated: bool) -> Told {
    let version = FileVersion::WorkTree {
        path: Arc::new(path.into()),
    };
    told_of(readers, &version, reading, with_generated)
}

fn told_of(
    readers: &mut QueryReaders,
    version: &FileVersion,
    reading: u64,
    with_generated: bool,
) -> Told {
    let scope = CountScope {
        version: version.clone(),
        reading,
        filter: LineFilter::default(),
        with_generated: true,
    };
    let requests = [
        QueryRequest::Directory(DirectoryQuery {
            version: version.clone(),
        }),
        QueryRequest::DirectoryLines(DirectoryLinesQuery {
            scope: CountScope {
                with_generated,
                ..scope.clone()
            },
            first: Vec::new(),
        }),
        QueryRequest::DirectoryPeople(DirectoryPeopleQuery(scope.clone())),
        QueryRequest::DirectoryFiles(DirectoryFilesQuery(scope)),
    ];
    let mut told = Told::default();
    for request in requests {
        let mut send = |event| {
            told.take(event);
            ControlFlow::Continue(())
        };
        let kind: QueryKind = request.kind();
        readers.0[kind.thread()].answer(&request, &mut send, &|| false);
    }
    told
}

/// Numbers of lines by year, of which those of the lines that are not committed are one.
fn years_of(years: impl Iterator<Item = (u64, u64)>) -> BTreeMap<u64, u64> {
    let mut sums = BTreeMap::new();
    for (year, lines) in years {
        *sums.entry(year.min(NOW_YEAR)).or_default() += lines;
    }
    sums
}

/// What a row of the page and a node of `--tree` both tell.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    lines: u64,
    years: BTreeMap<u64, u64>,
    /// The most lines of one person.
    most: u64,
    agents: u64,
    generated: u64,
    is_uncommitted: bool,
}

impl Row {
    fn of_page(lines: &EntryLines) -> Row {
        let years = lines.years.iter();
        let years = years.map(|(year, lines)| {
            let year = u64::try_from(*year).unwrap_or(0);
            (year, u64::from(*lines))
        });
        Row {
            lines: lines.lines,
            years: years_of(years),
            most: lines
                .people
                .first()
                .map_or(0, |(.., lines)| u64::from(*lines)),
            agents: lines.agent_lines,
            generated: lines.generated_lines,
            is_uncommitted: lines.is_uncommitted,
        }
    }

    fn of_tree(node: &Value) -> Row {
        let number = |key: &str| node.get(key).and_then(Value::number).unwrap_or(0);
        let years = node.get("years").and_then(Value::list).unwrap_or_default();
        let years = years.iter().map(|it| {
            let number = |key: &str| it.get(key).and_then(Value::number).unwrap_or(0);
            (number("year"), number("lines"))
        });
        let people = node.get("people").and_then(Value::list).unwrap_or_default();
        let most = people.first().and_then(|person| person.get("lines"));
        Row {
            lines: number("lines"),
            years: years_of(years),
            most: most.and_then(Value::number).unwrap_or(0),
            agents: number("agentLines"),
            generated: number("generatedLines"),
            is_uncommitted: node.get("uncommitted") == Some(&Value::Flag(true)),
        }
    }
}

#[derive(Debug, Default)]
struct Compared {
    directories: usize,
    rows: usize,
    uncommitted: usize,
    files: usize,
    people: usize,
    names: usize,
    removed: usize,
    unstaged: usize,
    left_out: usize,
    states: BTreeMap<&'static str, usize>,
}

/// The nodes of `--tree` by path; those whose names are not text are left out.
fn nodes(repository: &TestRepo, words: &[&str]) -> BTreeMap<String, Value> {
    let words: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
    let all = records(repository, &words);
    let nodes = of_kind(&all, "node").filter_map(|node| {
        let path = node.get("path").and_then(Value::text)?;
        Some((path.to_owned(), node.clone()))
    });
    nodes.collect()
}

impl Compared {
    /// Compares all that the page tells of a directory with `--tree`.
    fn compare(
        &mut self,
        repository: &TestRepo,
        options: &[&str],
        path: &str,
        told: &Told,
        context: &str,
    ) {
        let above = if path.is_empty() {
            String::new()
        } else {
            format!("{path}/")
        };
        let kind_of = |node: &Value| {
            node.get("kind")
                .and_then(Value::text)
                .expect("a kind")
                .to_owned()
        };
        let tree = |more: &[&'static str]| {
            let words = [&["--tree", "--json", "--json-fields=agent"], more, options].concat();
            let words = [
                &words[..],
                &["--", if path.is_empty() { "." } else { path }],
            ]
            .concat();
            nodes(repository, &words)
        };
        for end in &told.ends {
            let end = end
                .as_ref()
                .unwrap_or_else(|failure| panic!("{context}: {failure:?}"));
            assert_eq!((end.counted, end.failed), (end.all, 0), "{context}");
        }
        assert_eq!(told.ends.len(), 3, "{context}");
        let is_text = |name: &&BString| name.to_str().is_ok();

        let entries = tree(&[]);
        let with_lines: BTreeMap<&str, Row> = entries
            .iter()
            .filter(|(_, node)| kind_of(node) != "submodule")
            .map(|(path, node)| (&path[above.len()..], Row::of_tree(node)))
            .collect();
        let submodules: BTreeSet<&str> = entries
            .iter()
            .filter(|(_, node)| kind_of(node) == "submodule")
            .map(|(path, _)| &path[above.len()..])
            .collect();
        let found: BTreeMap<&str, Row> = told
            .entries
            .iter()
            .filter(|(name, _)| is_text(name))
            .map(|(name, lines)| (name.to_str().expect("text"), Row::of_page(lines)))
            .filter(|(name, _)| !submodules.contains(name))
            .collect();
        assert_eq!(found, with_lines, "{context}");
        self.uncommitted += found.values().filter(|row| row.is_uncommitted).count();
        self.rows += found.len();

        // Every row has an entry, with its kind, and is committed or not.
        for entry in told.names.iter().filter(|entry| is_text(&&entry.name)) {
            let path = format!("{above}{}", entry.name);
            let node = entries
                .get(&path)
                .unwrap_or_else(|| panic!("{context}: no {path}"));
            assert_eq!(
                format!("{:?}", entry.kind).to_lowercase(),
                kind_of(node),
                "{context}: {path}"
            );
            let is_known = node.get("lastCommit").and_then(Value::text).is_some();
            assert_eq!(entry.is_committed, is_known, "{context}: {path}");
            self.names += 1;
        }
        // Everything has a row, also what a sparse checkout leaves out: all that git tracks below it.
        let shown: BTreeMap<String, bool> = told
            .names
            .iter()
            .filter(|entry| is_text(&&entry.name))
            .map(|entry| (format!("{above}{}", entry.name), entry.left_out.is_some()))
            .collect();
        assert!(shown.keys().eq(entries.keys()), "{context}: {shown:?}");
        let index = tracked(repository, &["-t"]);
        let below = |path: &str| -> Vec<(bool, &[u8])> {
            let paths = index.iter().map(|it| (it.starts_with(b"S "), &it[2..]));
            let below = paths.filter(|(_, it)| {
                it.strip_prefix(path.as_bytes())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
            });
            below.collect()
        };
        for (path, is_left_out) in &shown {
            let is_there = |path: &[u8]| {
                place(repository, path).symlink_metadata().is_ok()
                    && has_directories(repository, path)
            };
            let files = below(path);
            let (has_left_out, has_present) = (
                files
                    .iter()
                    .any(|(is_skipped, path)| *is_skipped && !is_there(path)),
                files.iter().any(|(_, path)| is_there(path)),
            );
            assert_eq!(
                *is_left_out,
                has_left_out && !has_present,
                "{context}: {path}"
            );
            self.left_out += usize::from(*is_left_out);
        }
        // What HEAD has and the work tree has not was removed.
        let listed = format!("HEAD:{path}");
        let listed = repository.git_output(
            &["ls-tree", "--name-only", "-z", &listed].map(OsStr::new),
            b"",
        );
        let mut expected: BTreeSet<String> = listed
            .stdout
            .split(|&byte| byte == 0)
            .filter_map(|name| name.to_str().ok().filter(|name| !name.is_empty()))
            .map(str::to_owned)
            .collect();
        expected.retain(|name| !entries.contains_key(&format!("{above}{name}")));
        let mut removed = BTreeSet::new();
        for entry in told.lineless.iter().filter(|entry| is_text(&&entry.name)) {
            let name = entry.name.to_string();
            let path = format!("{above}{name}");
            let is_unstaged = entry.state == LinelessState::Unstaged;
            if is_unstaged {
                assert!(expected.contains(&name), "{context}: {path}");
                self.unstaged += 1;
            }
            let is_removed = entry.state == LinelessState::Removed;
            let there = place(repository, path.as_bytes()).symlink_metadata();
            let is_alike =
                there.is_ok_and(|it| it.is_dir() == (entry.kind == EntryKind::Directory));
            if expected.contains(&name) && (is_unstaged || is_removed) {
                let is_gone = below(&path).is_empty();
                assert_eq!(is_unstaged, is_gone && is_alike, "{context}: {path}");
            }
            if is_removed {
                removed.insert(name);
            } else {
                expected.remove(&name);
            }
        }
        assert_eq!(removed, expected, "{context}");
        self.removed += removed.len();

        let all = tree(&["-r", "--generated"]);
        let all: BTreeMap<String, Row> = all
            .into_iter()
            .filter(|(_, node)| kind_of(node) != "submodule")
            .map(|(path, node)| (path[above.len()..].to_owned(), Row::of_tree(&node)))
            .collect();
        let found: BTreeMap<String, Row> = told
            .file_lines
            .iter()
            .filter(|(name, _)| is_text(name))
            .map(|(name, lines)| (name.to_string(), Row::of_page(lines)))
            .collect();
        assert_eq!(found, all, "{context}: all files");
        for file in told.files.iter().filter(|file| is_text(&&file.name)) {
            let row = &all[&file.name.to_string()];
            assert_eq!(
                file.is_uncommitted, row.is_uncommitted,
                "{context}: {}",
                file.name
            );
        }
        assert_eq!(told.files.len(), told.file_lines.len(), "{context}");
        self.files += all.len();

        let words = [
            &["--people", "--json", "--generated"],
            options,
            &["--", if path.is_empty() { "." } else { path }],
        ];
        let words: Vec<&OsStr> = words.concat().into_iter().map(OsStr::new).collect();
        let records = records(repository, &words);
        let person = |name: &str, mail: &str, lines: u64| format!("{name} <{mail}> {lines}");
        let expected: Vec<String> = of_kind(&records, "person")
            .map(|record| {
                let text = |key: &str| record.get(key).and_then(Value::text).unwrap_or_default();
                let lines = record.get("lines").and_then(Value::number);
                // The pages have a shorter name, and no address.
                let (name, mail) = match text("name") {
                    "Not Committed Yet" => ("uncommitted", ""),
                    name => (name, text("mail")),
                };
                person(name, mail, lines.expect("a number"))
            })
            .collect();
        let found: Vec<String> = told
            .people
            .iter()
            .map(|it| {
                // Other names are written as bytes.
                let name = it.name.to_str().unwrap_or_default();
                person(name, &it.mail.to_string(), it.lines.into())
            })
            .collect();
        assert_eq!(found, expected, "{context}: people");
        self.people += found.len();
        self.directories += 1;
    }
}

#[test]
fn everything_is_counted_as_by_tree() {
    let mut compared = Compared::default();
    for seed in 0..seed_count(8) {
        let mut rng = Rng::new(seed + 31_000);
        let storage = STORAGES[seed as usize % STORAGES.len()];
        let format = [ObjectFormat::Sha1, ObjectFormat::Sha256][seed as usize % 2];
        let history = History::generate(seed + 31_000, format, storage);
        let repository = &history.repository;
        let head = history.ids.last().expect("a history has commits");
        check_out(repository, head, &mut rng);
        let all: [&[&str]; 5] = [&[], &["-w"], &["--first-parent"], &["-M"], &[]];
        let options = all[seed as usize % all.len()];
        let cache = TestCache::new();
        let cache = rng.chance(50).then_some(&cache);
        let mut session = readers(repository.root(), options, cache);
        for step in 0..5 {
            let paths = tracked(repository, &[]);
            for _ in 0..3 {
                if let Some(path) = (!paths.is_empty()).then(|| rng.pick(&paths).clone()) {
                    let state = *rng.pick(&STATES);
                    change(repository, &path, state, &mut rng);
                    *compared.states.entry(state).or_default() += 1;
                }
            }
            if rng.chance(30) {
                session = readers(repository.root(), options, cache);
            }
            let above = tracked(repository, &[]).into_iter().filter_map(|path| {
                let end = path.rfind_byte(b'/')?;
                let path = path[..end].to_str().ok()?;
                let is_there = repository.root().join(path).symlink_metadata();
                is_there
                    .is_ok_and(|it| it.is_dir())
                    .then(|| path.to_owned())
            });
            let above: BTreeSet<String> = above.collect();
            let below = above.into_iter().nth(rng.below(3));
            let reading = seed * 100 + step + 1;
            for path in std::iter::once(String::new()).chain(below) {
                let context = format!("seed {seed}, step {step}, {options:?}, “{path}”");
                let told = told(&mut session, &path, reading, false);
                compared.compare(repository, options, &path, &told, &context);
            }
        }
    }
    eprintln!("{compared:?}");
    assert!(compared.directories > 30 && compared.rows > 80 && compared.uncommitted > 40);
    assert!(compared.files > 100 && compared.people > 100 && compared.names > 100);
    assert!(compared.removed > 10 && compared.left_out > 0 && compared.unstaged > 0);
    assert_eq!(compared.states.len(), STATES.len());
}

/// What a sparse checkout leaves out has rows, whether the index has its files or its directories, and
/// is opened as it is in HEAD.
#[test]
fn what_a_sparse_checkout_leaves_out_has_rows() {
    let paths = [
        "a/b/c/deep",
        "a/b/file",
        "a/file",
        "in/file",
        "out/file",
        "top",
    ];
    let files: Vec<(&str, &str)> = paths.iter().map(|path| (*path, "1\n2\n")).collect();
    let mut compared = Compared::default();
    let mut sparse: Vec<&[&str]> = vec![
        &["--cone", "in"],
        &["--no-cone", "/*", "!/out/", "!/a/b/c/"],
    ];
    sparse.push(&["--cone", "--sparse-index", "in", "a/b"]);
    sparse.push(&["--cone", "--sparse-index", "in"]);
    for words in sparse {
        let history = HistoryBuilder::default()
            .commit("first", 1_400_000_000, &[], &files)
            .build();
        let repository = &history.repository;
        repository.git(&["reset", "-q", "--hard"]);
        repository.git(&[&["sparse-checkout", "set"], words].concat());
        let mut session = readers(repository.root(), &[], None);
        for path in ["", "a", "a/b", "a/b/c", "in", "out"] {
            let context = format!("{words:?}, “{path}”");
            let told = told(&mut session, path, 1, false);
            compared.compare(repository, &[], path, &told, &context);
        }
    }
    eprintln!("{compared:?}");
    assert!(compared.directories == 24 && compared.left_out > 15);

    let history = HistoryBuilder::default()
        .commit("first", 1_400_000_000, &[], &files)
        .build();
    let repository = &history.repository;
    repository.git(&["reset", "-q", "--hard"]);
    repository.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
    let mut driver = opened(repository, "");
    driver.resize(140, 20);
    let rows = |driver: &super::driver::Driver| -> Vec<String> {
        let rows = texts(driver).into_iter();
        let start = rows.filter_map(|row| row.split_whitespace().next().map(str::to_owned));
        start.collect()
    };
    assert_eq!(rows(&driver), ["-a/", "in/", "-out/", "top"]);
    let screen = driver.screen();
    assert!(screen.contains(" - = not checked out (2) "), "{screen}");
    assert!(screen.contains("4 entries, 2 not checked out"), "{screen}");
    driver.keys("<CR>");
    assert_eq!(rows(&driver), ["-b/", "-file"]);
    driver.keys("G<CR>");
    let screen = driver.screen();
    let head = repository.git_text(&["rev-parse", "--short=8", "HEAD"]);
    assert!(
        screen.contains(head.trim()) && screen.contains("Author of"),
        "{screen}"
    );
    // In the list of all files too.
    driver.keys("<L");
    assert!(
        texts(&driver).iter().any(|row| row.ends_with(" -file")),
        "{}",
        driver.screen()
    );
    driver.keys("G<CR>");
    assert!(driver.screen().contains("Author of"), "{}", driver.screen());

    // The finder has them, and an editor not.
    let mut driver = opened(repository, "");
    driver.keys("fbcdeep");
    let screen = driver.screen();
    assert!(screen.contains(" 1 of 6 files"), "{screen}");
    driver.keys("<CR>");
    let screen = driver.screen();
    assert!(
        screen.contains("a/b/c/deep") && screen.contains("Author of"),
        "{screen}"
    );
}

/// A file is looked at again for another reading only; what is kept of HEAD is used in a changed work
/// tree, and what is not in it is kept too.
#[test]
fn a_reading_is_of_one_moment() {
    let history = HistoryBuilder::default()
        .commit(
            "first",
            1_400_000_000,
            &[],
            &[("a", "1\n2\n"), ("dir/b", "1\n")],
        )
        .build();
    let repository = &history.repository;
    repository.git(&["reset", "-q", "--hard"]);
    let mut session = readers(repository.root(), &[], None);
    let lines = |session: &mut QueryReaders, reading| {
        let told = told(session, "", reading, false);
        let row = |name: &str| {
            let entry = &told.entries[&BString::from(name)];
            (entry.lines, entry.is_uncommitted)
        };
        [row("a"), row("dir")]
    };
    assert_eq!(lines(&mut session, 1), [(2, false), (1, false)]);
    repository.write(b"a", b"1\n2\n3\n");
    repository.write(b"dir/new", b"1\n2\n");
    repository.git(&["add", "dir/new"]);
    assert_eq!(lines(&mut session, 1), [(2, false), (1, false)]);
    assert_eq!(lines(&mut session, 2), [(3, true), (3, true)]);
    repository.git(&["commit", "-q", "-a", "-m", "second"]);
    // Another commit is another plan.
    assert_eq!(lines(&mut session, 2), [(3, false), (3, false)]);
    repository.git(&["rm", "-q", "dir/new"]);
    assert_eq!(lines(&mut session, 3), [(3, false), (1, true)]);
}

/// Files that were changed in the work tree are kept as they are in HEAD too.
#[test]
fn all_of_head_is_kept_in_a_changed_work_tree() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let paths: Vec<String> = (0..20).map(|at| format!("dir/{at}")).collect();
    for path in &paths {
        repository.write(path.as_bytes(), b"1\n2\n");
    }
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "all"]);
    for path in &paths[1..] {
        repository.write(path.as_bytes(), b"1\n2\n3\n");
    }
    let cache = TestCache::new();
    let mut session = readers(repository.root(), &[], Some(&cache));
    let found = told(&mut session, "", 1, false);
    let lines = |told: &Told| told.entries[&BString::from("dir")].lines;
    assert_eq!(lines(&found), 59);
    assert_eq!(remove_contents(&repository), 1, "all files are alike");
    // Of HEAD, all is known; in the work tree, changed files are compared with what is gone.
    let head = repository.git_text(&["rev-parse", "HEAD"]);
    let commit = ObjectId::from_hex(head.as_bytes()).expect("an id");
    let path = Arc::default();
    let mut session = readers(repository.root(), &[], Some(&cache));
    let found = told_of(
        &mut session,
        &FileVersion::Commit { commit, path },
        1,
        false,
    );
    assert_eq!(lines(&found), 40);
    for end in &found.ends {
        let end = end.as_ref().expect("all is kept");
        assert_eq!((end.counted, end.failed), (20, 0));
    }
    let found = told(&mut session, "", 1, false);
    let failed = found
        .ends
        .iter()
        .map(|end| end.as_ref().map_or(0, |end| end.failed));
    assert_eq!(failed.collect::<Vec<_>>(), [19; 3]);
}

/// The rows of a changed work tree are marked, and the foot says what the mark means.
#[test]
fn what_differs_from_head_is_marked() {
    let history = HistoryBuilder::default()
        .commit(
            "first",
            1_400_000_000,
            &[],
            &[
                ("edited", "1\n2\n"),
                ("gone", "1\n"),
                ("same", "1\n"),
                ("sub/below", "1\n"),
                ("sub/moved", "1\n2\n3\n4\n"),
            ],
        )
        .build();
    let repository = &history.repository;
    repository.git(&["reset", "-q", "--hard"]);
    repository.write(b"edited", b"1\r\n2\r\nthree\r\n");
    repository.write(b"data", b"\0\x01\n\0");
    repository.git(&["add", "data"]);
    repository.git(&["rm", "-q", "gone"]);
    repository.git(&["mv", "sub/moved", "sub/here"]);
    let mut driver = opened(repository, "");
    driver.resize(140, 20);
    let starts = |driver: &super::driver::Driver| -> Vec<String> {
        let rows = texts(driver).into_iter();
        let start = rows.filter_map(|row| row.split_whitespace().next().map(str::to_owned));
        start.collect()
    };
    assert_eq!(
        starts(&driver),
        ["*sub/", "*data", "*edited", "same", "gone"]
    );
    let row = |driver: &super::driver::Driver, name: &str| -> String {
        let mut rows = texts(driver).into_iter();
        let row = rows.find(|row| row[1..].starts_with(name));
        row.unwrap_or_else(|| panic!("no {name}: {}", driver.screen()))
    };
    // Its last change is that of HEAD; of the lines, three are new.
    let edited = row(&driver, "edited");
    assert!(
        edited.contains(" Author of first  first ") && edited.contains("        3 "),
        "{edited}"
    );
    assert!(
        row(&driver, "data").contains("uncommitted"),
        "{}",
        driver.screen()
    );
    assert!(
        driver.screen().contains(" * = not as in HEAD (3) "),
        "{}",
        driver.screen()
    );
    driver.keys("A");
    assert!(
        texts(&driver)[0].contains("everybody"),
        "{}",
        driver.screen()
    );
    assert!(
        driver.screen().contains("uncommitted"),
        "{}",
        driver.screen()
    );
    driver.keys("<Esc>L");
    let files: BTreeSet<String> = texts(&driver)
        .iter()
        .filter_map(|row| row.rsplit(' ').next().map(str::to_owned))
        .collect();
    let expected = ["*data", "*edited", "*sub/here", "same", "sub/below"];
    assert_eq!(files, expected.map(str::to_owned).into());
    // A commit has no such marks.
    driver.keys("<Esc>:HEAD<CR>");
    assert_eq!(starts(&driver), ["sub/", "edited", "gone", "same"]);
    assert!(
        row(&driver, "edited").contains("        2 "),
        "{}",
        driver.screen()
    );
    driver.keys("<");
    assert_eq!(
        starts(&driver),
        ["*sub/", "*data", "*edited", "same", "gone"]
    );
    // All is read again by a key.
    repository.git(&["commit", "-q", "-a", "-m", "second"]);
    driver.keys("<C-r>");
    assert_eq!(message(driver.app()), "the directory was read again");
    assert_eq!(starts(&driver), ["sub/", "data", "edited", "same"]);
}
