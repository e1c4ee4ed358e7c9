//! Random sets of options for `git blame`, errors included.

use std::{ffi::OsString, os::unix::ffi::OsStringExt};

use super::{
    compare::{assert_same_in, count_from},
    git::{Version, git_version},
    random_history::{History, STORAGES},
    repository::ObjectFormat,
    rng::Rng,
};

/// What the options of a set are about. A set mixes up to three kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionKind {
    /// `-L`.
    Ranges,
    /// `A..B`, `^A`, `--since`, `--first-parent`.
    Limits,
    /// `--reverse`.
    Reverse,
    /// `-M`, `-C`.
    Movement,
    /// `-w`, the algorithm, the indent heuristic.
    Diff,
    /// `--ignore-rev` and the marks.
    Ignore,
    /// Columns, dates, widths, encodings.
    Presentation,
    /// Colors.
    Colors,
    /// `--show-stats`, `--score-debug`.
    Counters,
    /// What is accepted and has no effect, and what is an error.
    Accepted,
}

/// All kinds with their names in `cargo bench --bench compare -- --kinds`.
pub const OPTION_KINDS: [(&str, OptionKind); 10] = [
    ("ranges", OptionKind::Ranges),
    ("limits", OptionKind::Limits),
    ("reverse", OptionKind::Reverse),
    ("movement", OptionKind::Movement),
    ("diff", OptionKind::Diff),
    ("ignore", OptionKind::Ignore),
    ("presentation", OptionKind::Presentation),
    ("colors", OptionKind::Colors),
    ("counters", OptionKind::Counters),
    ("accepted", OptionKind::Accepted),
];

/// Options of the plain format's columns.
pub const COLUMNS: [&str; 11] = [
    "-b", "--root", "-l", "-t", "-s", "-e", "-f", "-n", "-c", "-sfn", "-lt",
];

/// The styles of dates, without those that need a format.
pub const DATE_STYLES: [&str; 12] = [
    "iso",
    "iso8601",
    "iso-strict",
    "rfc",
    "rfc2822",
    "short",
    "default",
    "raw",
    "unix",
    "relative",
    "human",
    "local",
];

/// What a set may refer to.
#[derive(Debug)]
pub struct BlameTarget<'a> {
    /// The revision to blame; `None` for the work tree.
    pub revision: Option<&'a str>,
    /// Other commits, most of them ancestors.
    pub commits: &'a [String],
    /// The file's text.
    pub text: &'a [u8],
    /// The version of the git to compare with.
    pub git: Version,
}

/// Options, revisions and configuration of one run; the path follows them.
#[derive(Debug, Default, Clone)]
pub struct OptionSet {
    /// Configuration variables and their values.
    pub config: Vec<(&'static str, String)>,
    /// The words before `--` and the path.
    pub words: Vec<String>,
}

impl OptionSet {
    /// Draws a set of the given kinds.
    pub fn draw(rng: &mut Rng, target: &BlameTarget, kinds: &[OptionKind]) -> OptionSet {
        let mut set = OptionSet::default();
        match rng.below(6) {
            0 => set.word(["--porcelain", "-p", "--por"][rng.below(3)]),
            1 => set.word("--line-porcelain"),
            2 | 3 => set.word("--incremental"),
            _ => {}
        }
        let mut revisions = Vec::from_iter(target.revision.map(str::to_owned));
        for _ in 0..rng.between(1, 3) {
            match rng.pick(kinds) {
                OptionKind::Ranges => set.ranges(rng, target),
                OptionKind::Limits => set.limits(rng, target, &mut revisions),
                OptionKind::Reverse => set.reverse(rng, target, &mut revisions),
                OptionKind::Movement => set.movement(rng),
                OptionKind::Diff => set.diff(rng, target),
                OptionKind::Ignore => set.ignore(rng, target),
                OptionKind::Presentation => set.presentation(rng),
                OptionKind::Colors => set.colors(rng),
                OptionKind::Counters => set.word(["--show-stats", "--score-debug"][rng.below(2)]),
                OptionKind::Accepted => set.accepted(rng),
            }
        }
        set.words.extend(revisions);
        set
    }

    /// The environment that carries the configuration to either program.
    pub fn environment(&self) -> Vec<(String, String)> {
        let mut variables = vec![("GIT_CONFIG_COUNT".into(), self.config.len().to_string())];
        for (nth, (key, value)) in self.config.iter().enumerate() {
            variables.push((format!("GIT_CONFIG_KEY_{nth}"), (*key).into()));
            variables.push((format!("GIT_CONFIG_VALUE_{nth}"), value.clone()));
        }
        variables
    }

    fn word(&mut self, word: impl Into<String>) {
        self.words.push(word.into());
    }

    fn one_of(&mut self, rng: &mut Rng, words: &[&str]) {
        let word = *rng.pick(words);
        self.word(word);
    }

    fn set(&mut self, rng: &mut Rng, key: &'static str, values: &[&str]) {
        self.config.push((key, (*rng.pick(values)).to_owned()));
    }

    fn ranges(&mut self, rng: &mut Rng, target: &BlameTarget) {
        for _ in 0..*rng.pick(&[1, 1, 1, 2, 3]) {
            let range = range(rng, target.text);
            if rng.chance(50) {
                self.word(format!("-L{range}"))
            } else {
                self.words.extend(["-L".into(), range])
            }
        }
    }

    fn limits(&mut self, rng: &mut Rng, target: &BlameTarget, revisions: &mut Vec<String>) {
        let commit = |rng: &mut Rng| rng.pick(target.commits).clone();
        match rng.below(10) {
            0..4 => {
                let negative = commit(rng);
                match revisions.first_mut() {
                    Some(first) if rng.chance(50) && !first.contains("..") => {
                        *first = format!("{negative}..{first}");
                    }
                    _ => revisions.push(format!("^{negative}")),
                }
            }
            4 => revisions.extend(["--not".into(), commit(rng), commit(rng)]),
            5 => {
                let time = 1_500_000_000 + rng.below(3_000_000);
                let option = *rng.pick(&["--since=@", "--max-age=", "--after=@"]);
                self.word(format!("{option}{time}"));
            }
            6 => self.one_of(
                rng,
                &[
                    "--since=2017-07-20",
                    "--since=2.weeks",
                    "--until=2018-01-01",
                ],
            ),
            7 | 8 => self.word("--first-parent"),
            _ => revisions.push(commit(rng)),
        }
    }

    fn reverse(&mut self, rng: &mut Rng, target: &BlameTarget, revisions: &mut Vec<String>) {
        self.word("--reverse");
        if rng.chance(30) {
            let orders = ["--topo-order", "--date-order", "--author-date-order"];
            self.one_of(rng, &orders);
        }
        let start = rng.pick(target.commits).clone();
        match (revisions.first_mut(), rng.below(10)) {
            (Some(end), 0..7) if !end.contains("..") => *end = format!("{start}..{end}"),
            (_, 7) => *revisions = vec![start],
            (_, 8) => revisions.push(format!("^{start}")),
            _ => {}
        }
    }

    fn movement(&mut self, rng: &mut Rng) {
        for _ in 0..rng.between(1, 3) {
            let options = [
                "-M",
                "-M",
                "-M10",
                "-M40",
                "-M1",
                "-C",
                "-C",
                "-C",
                "-C10",
                "-C50",
                "-C1",
                "--find-copies-harder",
                "-M0",
                "-Cx",
            ];
            self.one_of(rng, &options);
        }
    }

    fn diff(&mut self, rng: &mut Rng, target: &BlameTarget) {
        // Older gits do not check the variable.
        let names = [
            "nonsense",
            "myers",
            "minimal",
            "patience",
            "histogram",
            "default",
        ];
        let names = &names[usize::from(target.git < (2, 53))..];
        match rng.below(8) {
            0 | 1 => self.word("-w"),
            2 => self.one_of(rng, &["--minimal", "--no-minimal"]),
            3 => self.one_of(rng, &["--indent-heuristic", "--no-indent-heuristic"]),
            4 => self.set(rng, "diff.indentHeuristic", &["true", "false", "0"]),
            5 => self.set(rng, "diff.algorithm", names),
            6 | 7 => {
                let algorithm = *rng.pick(&["myers", "minimal", "patience", "histogram"]);
                self.word(format!("--diff-algorithm={algorithm}"));
            }
            _ => self.one_of(rng, &["--ignore-all-space", "--patience", "-U3"]),
        }
    }

    fn ignore(&mut self, rng: &mut Rng, target: &BlameTarget) {
        for _ in 0..rng.between(1, 8) {
            let commit = rng.pick(target.commits);
            if rng.chance(50) {
                self.word(format!("--ignore-rev={commit}"))
            } else {
                self.words.extend(["--ignore-rev".into(), commit.clone()])
            }
        }
        if rng.chance(10) {
            self.one_of(
                rng,
                &[
                    "--no-ignore-rev",
                    "--ignore-rev=nonsense",
                    "--ignore-revs-file=none",
                ],
            );
        }
        for key in ["blame.markIgnoredLines", "blame.markUnblamableLines"] {
            if rng.chance(60) {
                self.set(rng, key, &["true", "yes", "1"]);
            }
        }
    }

    fn presentation(&mut self, rng: &mut Rng) {
        for _ in 0..rng.between(1, 4) {
            match rng.below(10) {
                0..5 => {
                    let more = [
                        "--show-name",
                        "--show-number",
                        "--show-email",
                        "--no-show-email",
                        "--no-root",
                        "--no-show-name",
                        "--show-n",
                    ];
                    self.one_of(rng, &[&COLUMNS[..], &more].concat());
                }
                5 => {
                    let width = *rng.pick(&["0", "1", "4", "7", "8", "12", "39", "40", "41", "64"]);
                    self.word(format!("--abbrev={width}"));
                }
                6 | 7 => self.date(rng),
                8 => {
                    let encodings = [
                        "none",
                        "UTF-8",
                        "utf8",
                        "ISO-8859-1",
                        "latin1",
                        "x-unknown",
                        "UTF-16",
                    ];
                    let encoding = *rng.pick(&encodings);
                    self.word(format!("--encoding={encoding}"));
                }
                _ => match rng.below(7) {
                    0 => self.set(rng, "blame.showRoot", &["true", "false"]),
                    1 => self.set(rng, "blame.blankBoundary", &["true", "off"]),
                    2 => self.set(rng, "blame.showEmail", &["yes", "0"]),
                    3 => self.set(
                        rng,
                        "blame.date",
                        &["short", "raw", "unix", "rfc", "iso-strict"],
                    ),
                    // Not `no`: before 2.54, blank ids were wider than full ones.
                    4 => self.set(rng, "core.abbrev", &["4", "10", "auto", "9", "39", "3"]),
                    5 => self.set(rng, "core.quotePath", &["true", "false"]),
                    _ => self.set(
                        rng,
                        "i18n.logOutputEncoding",
                        &["UTF-8", "ISO-8859-1", "nonsense", ""],
                    ),
                },
            }
        }
    }

    fn date(&mut self, rng: &mut Rng) {
        let more = [
            "iso-local",
            "short-local",
            "raw-local",
            "default-local",
            "auto:human",
            "format:%Y-%m-%d %H:%M",
            "format:%s %z %%",
            "format:",
            "format:%A %B %d",
            "format-local:%c",
            "format:%j|%e|%y",
            "nonsense",
            "format",
        ];
        let format = *rng.pick(&[&DATE_STYLES[..], &more].concat());
        if rng.chance(70) {
            self.word(format!("--date={format}"))
        } else {
            self.words.extend(["--date".into(), format.into()])
        }
    }

    fn colors(&mut self, rng: &mut Rng) {
        match rng.below(5) {
            0 => self.word("--color-lines"),
            1 | 2 => self.word("--color-by-age"),
            3 => self.set(rng, "blame.coloring", &["repeatedLines"]),
            _ => self.set(
                rng,
                "blame.coloring",
                &["highlightRecent", "none", "nonsense"],
            ),
        }
        if rng.chance(50) {
            let colors = [
                "red",
                "bold blue",
                "#f80",
                "208",
                "normal",
                "brightgreen black",
                "no-ul red",
            ];
            self.set(rng, "color.blame.repeatedLines", &colors);
        }
        if rng.chance(30) {
            let ages = [
                "red,2017-07-16,green",
                "blue,1 year ago,bold white,2017-08-01,ul",
                "red,",
            ];
            self.set(rng, "color.blame.highlightRecent", &ages);
        }
    }

    fn accepted(&mut self, rng: &mut Rng) {
        let options = [
            "-5",
            "--max-count=3",
            "--skip=2",
            "--min-age=1500000000",
            "--author=Ann",
            "--grep=subject",
            "--no-merges",
            "--topo-order",
            "--pretty=reference",
            "--name-only",
            "--ancestry-path",
            "--no-walk",
            "--ignore-missing",
            "-z",
            "-U3",
            "--stat",
            "-R",
            "--ignore-space-change",
            "--ignore-blank-lines",
            "--patience",
            "--histogram",
            "--no-progress",
            "--no-follow",
            "--textconv",
            "--no-textconv",
            "--relative-date",
            "--bogus",
            "--abbrev=x",
            "--root=1",
            "--max-age=foo",
            "-porcelain",
            "--contents",
        ];
        self.one_of(rng, &options);
    }
}

/// Blames files of random histories with random options of these kinds: 40 of them, or as many as
/// `TBLAME_TEST_OPTION_SETS` says.
pub fn assert_same_option_sets(first_seed: u64, kinds: &[OptionKind]) {
    const PER_HISTORY: u64 = 10;
    let histories = count_from("TBLAME_TEST_OPTION_SETS", 40).div_ceil(PER_HISTORY);
    let mut compared = 0;
    for seed in first_seed..first_seed + histories {
        let storage = STORAGES[seed as usize % STORAGES.len()];
        let history = History::generate(seed, ObjectFormat::Sha1, storage);
        let repository = &history.repository;
        repository.git(&["reset", "-q", "--hard"]);
        let mut rng = Rng::new(seed);
        for (revision, path) in history.samples(&mut rng, PER_HISTORY as usize) {
            let number = history.ids.iter().position(|id| *id == revision);
            let file = &history.trees[number.expect("a sample is of a commit")][&path];
            let target = BlameTarget {
                revision: (!rng.chance(10)).then_some(&*revision),
                commits: &history.ids,
                text: &file.bytes,
                git: git_version(),
            };
            let set = OptionSet::draw(&mut rng, &target, kinds);
            eprintln!("seed {seed}: {set:?}");
            let mut arguments: Vec<_> = set.words.iter().map(OsString::from).collect();
            arguments.extend(["--".into(), OsString::from_vec(path)]);
            let environment = set.environment();
            let environment: Vec<_> = environment.iter().map(|(k, v)| (&**k, &**v)).collect();
            assert_same_in(repository, repository.root(), &environment, &arguments);
            compared += 1;
        }
    }
    // A few histories have fewer files than that.
    assert!(
        compared >= histories * PER_HISTORY / 2,
        "{compared} compared"
    );
}

/// The argument of a `-L`.
fn range(rng: &mut Rng, text: &[u8]) -> String {
    let lines = text.iter().filter(|&&b| b == b'\n').count();
    let number = |rng: &mut Rng| {
        if rng.chance(4) {
            rng.below(2 * lines + 5)
        } else {
            rng.below(lines) + 1
        }
    };
    let (a, b, few) = (number(rng), number(rng), rng.below(9));
    match rng.below(16) {
        0..3 => format!("{},{}", a.min(b), a.max(b)),
        3 => format!("{a},{b}"),
        4 | 5 => format!("{a},+{few}"),
        6 => format!("{a},-{few}"),
        7 => format!("{a}"),
        8 => format!(",{b}"),
        9 => format!("/{}/", pattern(rng, text)),
        10 => format!("^/{}/", pattern(rng, text)),
        11 => format!("/{}/,+{few}", pattern(rng, text)),
        12 => format!("/{}/,/{}/", pattern(rng, text), pattern(rng, text)),
        // git reads uninitialized memory if a search starts beyond the end.
        13 => format!("{},/{}/", a.min(lines), pattern(rng, text)),
        14 => format!(":{}", pattern(rng, text)),
        _ => rng
            .pick(&[
                "",
                ",",
                "^",
                "0",
                "-1",
                "1,+0",
                "x",
                "/unclosed",
                "1,2,3",
                ":",
                "^:int",
            ])
            .to_string(),
    }
}

/// A basic regular expression, made from a word of the text where there is one.
fn pattern(rng: &mut Rng, text: &[u8]) -> String {
    let words: Vec<&str> = text
        .split(|b| !b.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .filter_map(|word| std::str::from_utf8(word).ok())
        .collect();
    if words.is_empty() {
        return "x*".into();
    }
    let (word, other) = (*rng.pick(&words), *rng.pick(&words));
    match rng.below(12) {
        0..5 => word.to_owned(),
        5 => format!("^{word}"),
        6 => format!("{word}$"),
        7 => format!("{}.*", &word[..1]),
        8 => format!("{word}\\|{other}"),
        9 => format!("\\({word}\\)[ \t]*"),
        10 => format!("\\b{word}\\>"),
        _ => rng
            .pick(&[
                "nothing like it",
                "[",
                "\\(",
                "^$",
                "[[:upper:]]",
                "a\\{2\\}",
            ])
            .to_string(),
    }
}
