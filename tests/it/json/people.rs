//! `--people`: compared with what git says of each line, of trailers and of the mailmap.

use std::{cmp::Reverse, collections::BTreeMap};

use bstr::ByteSlice;

use crate::{
    harness::{
        compare::seed_count,
        program::{ProgramOutput, tblame_program},
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
    },
    json::{schema::Schema, value::Value},
};

const IDENTITIES: [(&str, &str); 7] = [
    ("Ann", "ann@example.com"),
    ("Ann L", "ann@old.example.com"),
    ("Bo", "bo@example.com"),
    ("Cy Young", "cy@example.com"),
    ("Bö", "BO@example.com"),
    ("Cy", "cy@example.com"),
    ("Dot", "dot@example.com"),
];

const MAILMAP: &[u8] =
    b"Ann Lee <ann@example.com> <ann@old.example.com>\nAnn Lee <ann@example.com>\n";

/// Lines, first and last time with their days, and lines by year; those of git also by name, with the newest time of each name.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Facts {
    lines: u64,
    times: [(i64, String); 2],
    years: BTreeMap<i64, u64>,
    names: BTreeMap<String, (u64, i64)>,
}

impl Facts {
    /// The name of most lines; of several, the newest, and then the first one.
    fn name(&self) -> &str {
        let key = |(name, (lines, time)): &(&String, &(u64, i64))| {
            (*lines, *time, Reverse((*name).clone()))
        };
        self.names.iter().max_by_key(key).expect("a name").0
    }
}

/// What `--people` tells of a person: lines, first and last time, lines by year, and the name.
type Told<'a> = (u64, [i64; 2], BTreeMap<i64, u64>, &'a str);

/// Who took part in a commit, by the address in lower case with the name, and when: the time, the day and the year.
type Participants = (BTreeMap<String, String>, (i64, String), i64);

fn repository(rng: &mut Rng) -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b".mailmap", MAILMAP);
    repository.git(&["add", "."]);
    let mut lines: Vec<String> = (0..10).map(|line| format!("line {line}")).collect();
    for commit in 0..40 {
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(lines.len());
            match rng.below(3) {
                0 => lines.insert(at, format!("new {commit} {at}")),
                _ => lines[at] = format!("changed {commit} {at}"),
            }
        }
        repository.write(b"f", (lines.join("\n") + "\n").as_bytes());
        repository.git(&["add", "f"]);
        let (name, mail) = IDENTITIES[rng.below(IDENTITIES.len())];
        let mut message = format!("Change {commit}\n");
        for nth in 0..rng.below(3) {
            let (name, mail) = IDENTITIES[rng.below(IDENTITIES.len())];
            message.push_str(if nth == 0 { "\n" } else { "" });
            message.push_str(&format!("Co-authored-by: {name} <{mail}>\n"));
        }
        let author = format!("--author={name} <{mail}>");
        let zone = ["+0000", "-1100", "+1300"][rng.below(3)];
        // Around new year, where the zone decides the year.
        let time =
            1_262_304_000 + rng.below(9) as i64 * 31_556_952 + rng.below(80_000) as i64 - 40_000;
        let date = format!("--date={time} {zone}");
        repository.git(&["commit", "-q", "-m", &message, &author, &date]);
    }
    repository
}

/// The people by their address in lower case, from git's commands.
fn people_of_git(repository: &TestRepo, lines: Option<&str>) -> BTreeMap<String, Facts> {
    let mut people: BTreeMap<String, Facts> = BTreeMap::new();
    let mut arguments = vec!["blame", "-s", "-l", "--root"];
    arguments.extend(lines);
    arguments.extend(["HEAD", "--", "f"]);
    let blame = repository.git(&arguments);
    let mut participants: BTreeMap<String, Participants> = BTreeMap::new();
    for line in blame.lines() {
        let id = line[..40].to_str_lossy().into_owned();
        let (people_of_commit, time, year) = participants.entry(id.clone()).or_insert_with(|| {
            let format = [
                "log",
                "-1",
                "--format=%aN%n%aE%n%at%n%ad",
                "--date=format:%Y-%m-%d",
                &id,
            ];
            let text = repository.git_text(&format);
            let mut facts = text.lines();
            let mut next = || facts.next().expect("four lines").to_owned();
            let (name, mail) = (next(), next().to_lowercase());
            let mut mails = BTreeMap::from([(mail, name)]);
            let (time, day) = (next().parse().expect("a time"), next());
            let year = day[..4].parse();
            let message = repository.git(&["log", "-1", "--format=%B", &id]);
            let trailers = repository.git_with_input(&["interpret-trailers", "--parse"], &message);
            for trailer in trailers.lines() {
                let Some(person) = trailer.strip_prefix(b"Co-authored-by: ") else {
                    continue;
                };
                let person = person.to_str_lossy();
                let mapped = repository.git_text(&["check-mailmap", &person]);
                let mut parts = mapped.split(['<', '>']);
                let name = parts.next().expect("a name").trim().to_owned();
                let mail = parts.next().expect("an address");
                mails.entry(mail.to_lowercase()).or_insert(name);
            }
            (mails, (time, day), year.expect("a year"))
        });
        for (mail, name) in people_of_commit.iter() {
            let facts = people.entry(mail.clone()).or_insert_with(|| Facts {
                times: [time.clone(), time.clone()],
                ..Facts::default()
            });
            facts.lines += 1;
            let [first, last] = &mut facts.times;
            *first = first.clone().min(time.clone());
            *last = last.clone().max(time.clone());
            let of_name = facts.names.entry(name.clone()).or_insert((0, time.0));
            *of_name = (of_name.0 + 1, of_name.1.max(time.0));
            *facts.years.entry(*year).or_default() += 1;
        }
    }
    people
}

fn output(repository: &TestRepo, arguments: &[&str]) -> String {
    let mut command = repository.command(tblame_program().as_os_str());
    let output = ProgramOutput::of(command.arg("--people").args(arguments));
    assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn people_are_those_of_git() {
    let (mut compared, mut shared, mut renamed) = (0, 0, 0);
    for seed in 0..seed_count(4) {
        let mut rng = Rng::new(seed);
        let repository = repository(&mut rng);
        for lines in [None, Some("-L3,7")] {
            let expected = people_of_git(&repository, lines);
            let mut arguments = vec!["--json"];
            arguments.extend(lines);
            arguments.extend(["HEAD", "--", "f"]);
            let text = output(&repository, &arguments);
            let schema = Schema::of_json();
            let records: Vec<Value> = text.lines().map(Value::read).collect();
            for record in &records {
                assert_eq!(schema.check(record), Ok(()), "{record:?}");
            }
            let number = |record: &Value, key: &str| {
                let number = record.get(key).and_then(Value::number);
                i64::try_from(number.expect("a number")).expect("it is small")
            };
            let mut found: BTreeMap<String, Told<'_>> = BTreeMap::new();
            for record in &records[1..records.len() - 1] {
                let mail = record.get("mail").and_then(Value::text).expect("a mail");
                let years = record.get("years").and_then(Value::list).expect("a list");
                let years = years.iter();
                let years = years.map(|it| (number(it, "year"), number(it, "lines") as u64));
                let times = ["firstTime", "lastTime"].map(|key| number(record, key));
                let name = record.get("name").and_then(Value::text).expect("a name");
                let facts = (number(record, "lines") as u64, times, years.collect(), name);
                let known = found.insert(mail.to_lowercase(), facts);
                assert_eq!(known, None, "{mail} comes twice");
            }
            let facts = expected.iter().map(|(mail, it)| {
                let times = [it.times[0].0, it.times[1].0];
                (mail.clone(), (it.lines, times, it.years.clone(), it.name()))
            });
            assert_eq!(found, facts.collect(), "seed {seed}");
            renamed += expected.values().filter(|it| it.names.len() > 1).count();
            let end = records.last().expect("records");
            assert_eq!(number(end, "people"), expected.len() as i64);
            compared += expected.len();
            let all = number(end, "lines") as u64;
            let total: u64 = expected.values().map(|facts| facts.lines).sum();
            shared += usize::from(total > all);
            // The rows have the same people in the same order.
            arguments.remove(0);
            let rows = output(&repository, &arguments);
            for (row, record) in rows.lines().zip(&records[1..]) {
                let mail = record.get("mail").and_then(Value::text).expect("a mail");
                assert!(row.ends_with(&format!("<{mail}>")), "{row}");
                let facts = &expected[&mail.to_lowercase()];
                let hundredfold = facts.lines * 100;
                let share = if hundredfold < all {
                    "<1%".to_owned()
                } else {
                    format!("{}%", (2 * hundredfold + all) / (2 * all))
                };
                let [first, last] = &facts.times;
                let words: Vec<&str> = row.split_whitespace().take(4).collect();
                let lines = facts.lines.to_string();
                assert_eq!(words, [&lines, &share, &first.1, &last.1], "{row}");
            }
            assert_eq!(rows.lines().count(), expected.len());
        }
    }
    let counts = format!("{compared}, {shared} shared, {renamed} of several names");
    assert!(compared >= 20 && shared >= 4 && renamed >= 4, "{counts}");
}

/// The people of a directory are those of its files.
#[test]
fn people_of_a_directory_are_the_sums_of_its_files() {
    let mut rng = Rng::new(4_711);
    let repository = repository(&mut rng);
    repository.git(&["config", "core.quotePath", "false"]);
    for path in ["below/a", "below/b/c", "d", "Cargo.lock"] {
        for time in 0..4 {
            let lines: Vec<String> = (0..6 + time).map(|_| rng.below(9).to_string()).collect();
            repository.write(path.as_bytes(), (lines.join("\n") + "\n").as_bytes());
            repository.git(&["add", "."]);
            let (name, mail) = IDENTITIES[rng.below(IDENTITIES.len())];
            let (other, address) = IDENTITIES[rng.below(IDENTITIES.len())];
            let message = format!("Change\n\nCo-authored-by: {other} <{address}>");
            let author = format!("--author={name} <{mail}>");
            repository.git(&["commit", "-q", "--allow-empty", &author, "-m", &message]);
        }
    }
    repository.write(b"below/a", b"uncommitted\n");
    let people = |words: &[&str]| -> BTreeMap<String, u64> {
        let mut command = repository.command(tblame_program().as_os_str());
        let output = ProgramOutput::of(command.args(["--people", "--json"]).args(words));
        assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
        let schema = Schema::of_json();
        let mut people = BTreeMap::new();
        for line in output.stdout.to_str().expect("UTF-8").lines() {
            let record = Value::read(line);
            assert_eq!(schema.check(&record), Ok(()), "{line}");
            if record.get("type").and_then(Value::text) == Some("person") {
                let mail = format!("{:?}", record.get("mail")).to_lowercase();
                let lines = record.get("lines").and_then(Value::number);
                let before = people.insert(mail, lines.expect("a number"));
                assert_eq!(before, None, "{line}");
            }
        }
        people
    };
    let mut compared = 0;
    for revision in [&[][..], &["HEAD"], &["HEAD~3"], &["-w", "HEAD"]] {
        for directory in [".", "below", "below/b"] {
            let found = people(&[&["--generated"], revision, &["--", directory]].concat());
            let listed = match revision {
                [.., revision] => vec!["ls-tree", "-r", "--name-only", revision, "--", directory],
                [] => vec!["ls-files", "--", directory],
            };
            let listed = match directory {
                "." => listed
                    .iter()
                    .copied()
                    .filter(|it| *it != "." && *it != "--")
                    .collect(),
                _ => listed,
            };
            let mut expected: BTreeMap<String, u64> = BTreeMap::new();
            for path in repository.git_text(&listed).lines() {
                for (mail, lines) in people(&[revision, &["--", path]].concat()) {
                    *expected.entry(mail).or_default() += lines;
                }
            }
            assert_eq!(found, expected, "{revision:?} {directory}");
            compared += found.len();
        }
    }
    assert!(compared > 30, "{compared}");
    let words = ["--people", "below"];
    let output = ProgramOutput::of(repository.command(tblame_program().as_os_str()).args(words));
    assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
    assert!(output.stdout.contains_str("100%") || output.stdout.lines().count() > 1);
    let words = ["--people", "nowhere"];
    let output = ProgramOutput::of(repository.command(tblame_program().as_os_str()).args(words));
    assert_eq!(output.status, Some(128));
    assert!(
        output.stderr.contains_str("no such path"),
        "{}",
        output.stderr.as_bstr()
    );
}
