//! Dates as the installed git writes them and reads them.

use jiff::tz::TimeZone;
use tblame::internals::dates::{
    approxidate,
    calendar::{Clock, parse_zone},
    date_format::DateMode,
};

use crate::harness::compare::Run;
use crate::harness::git::{git_program, git_version};
use crate::harness::odd_objects::OddObjects;
use crate::harness::option_sets::DATE_STYLES;
use crate::harness::program::Stderr;
use crate::harness::repository::{ObjectFormat, TestRepo};
use crate::harness::rng::Rng;

const ZONES: [&str; 6] = [
    "UTC",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Africa/Monrovia",
    "EST5EDT",
];

/// A Wednesday.
const NOW: i64 = 1_612_400_000;

fn times() -> Vec<u64> {
    let mut times = vec![
        0,
        59,
        43_199,
        100_000_000,
        951_782_400,
        951_868_799,
        1_078_012_800,
        1_577_836_799,
        1_577_836_800,
        1_583_650_799,
        1_583_650_800,
        1_604_210_400,
        2_147_483_648,
        4_000_000_000,
        4_102_444_799,
        4_102_444_800,
        4_102_460_000,
        253_402_300_799,
        300_000_000_000,
        1_700_000_000_000,
    ];
    let back = [
        -100_000,
        -90_000,
        -1,
        0,
        1,
        10,
        89,
        90,
        91,
        5_369,
        5_370,
        5_400,
        128_000,
        127_799,
        127_800,
        200_000,
        1_166_399,
        1_166_400,
        1_200_000,
        6_000_000,
        6_004_800,
        6_100_000,
        31_400_000,
        31_536_000,
        40_000_000,
        47_304_000,
        94_608_000,
        157_600_000,
        157_680_000,
        160_000_000,
        400_000_000,
    ];
    times.extend(back.map(|back| (NOW - back) as u64));
    times.extend((1..40).map(|days| (NOW - days * 86_000) as u64));
    times.extend((1..60).map(|n| n * 31_417_341));
    times
}

/// A branch `dates` with a commit for each time and zone; returns them in the order of `git log`.
fn repository() -> (TestRepo, Vec<(u64, &'static str)>) {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let mut dates = Vec::new();
    for time in times() {
        for zone in ["+0000", "+0530", "-0330", "+1400", "-1200", "-0500"] {
            if time > 100_000 || !zone.starts_with('-') {
                dates.push((time, zone));
            }
        }
    }
    let mut stream = String::new();
    for (time, zone) in &dates {
        stream.push_str(&format!(
            "commit refs/heads/dates\nauthor A <a@b> {time} {zone}\ncommitter C <c@d> 1 +0000\ndata 0\n"
        ));
    }
    repository.git_with_input(
        &["fast-import", "--quiet", "--date-format=raw-permissive"],
        stream.as_bytes(),
    );
    dates.reverse();
    (repository, dates)
}

#[test]
fn every_notation() {
    const MORE: &[&str] = &[
        "iso8601-strict-local",
        "iso-local",
        "rfc-local",
        "short-local",
        "raw-local",
        "unix-local",
        "relative-local",
        "human-local",
        "auto:iso",
        "format:",
        "format:%Y-%m-%dT%H:%M:%S%z",
        "format:%s|%z|%Z|%%|%",
        "format-local:%s|%z|%Z|%c",
        "format:%a %A %b %B %h %p %P",
        "format:%c|%D|%x|%X|%r|%R|%T|%F",
        "format:%e|%k|%l|%I|%j|%y|%C|%n|%t|",
        "format:%g|%G|%V|%u|%U|%w|%W",
        "format:%-d|%_m|%05e|%^a|%#a|%#p|%^B|%10b|%010b|%-H|%_H|%3H",
        "format:%Q|%E|%Ey|%OH|%5Q|%-Q|%",
        "format:%10F|%010F|%_10T|%^c|%#Z|%#c|%-c|%+4Y|%+F|%_Y|%7Y|%-j|%_j|%-I",
        "format:%+",
        "format:%v|%f|%i|%J|%L|%N|%q|%o|%K|%1",
        "format:%é|%",
        "format:%%%%s%%z",
        "format-local:%H:%M %z",
        "format:%L%i",
        "format:%10%|%5n|%-5t",
        "format:%E%|%Ez|%Oz|%EY|%EC",
        "format:%h%m%M%S",
        "format-local:%_z|%-z|%10z|%010z|%_10z|%-10z|%Ez|%10Z|%-Z|%^Z",
        "format:%_z|%-z|%10z|%010z|%_10z|%-10z|%Ez|%10Z|%-Z|%^Z",
        "format:%12Y|%012Y|%_12Y|%-12Y",
    ];
    let (repository, dates) = repository();
    let mut wrong = Vec::new();
    for zone_name in ZONES {
        let zone = TimeZone::get(zone_name).unwrap();
        let clock = Clock::new(NOW, zone);
        for format in DATE_STYLES.iter().chain(MORE).copied() {
            let style = DateMode::parse(format.into(), false).unwrap();
            let output = repository
                .command(git_program())
                .env("TZ", zone_name)
                .env("GIT_TEST_DATE_NOW", NOW.to_string())
                .args([
                    "log",
                    "-z",
                    "--format=%ad",
                    "dates",
                    &format!("--date={format}"),
                ])
                .output()
                .unwrap();
            let texts = output.stdout.split(|&b| b == 0);
            let mut differing = 0;
            for ((time, stored), theirs) in dates.iter().zip(texts) {
                let mut ours = Vec::new();
                style
                    .push(&mut ours, *time, parse_zone(stored.as_bytes()), &clock)
                    .unwrap();
                if ours != theirs {
                    differing += 1;
                    if differing <= 2 {
                        wrong.push(format!(
                            "{zone_name} {format} {time} {stored}: git {:?}, tblame {:?}",
                            String::from_utf8_lossy(theirs),
                            String::from_utf8_lossy(&ours)
                        ));
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Words and numbers to build dates from.
const PARTS: [&str; 96] = [
    "now",
    "today",
    "never",
    "yesterday",
    "noon",
    "midnight",
    "tea",
    "am",
    "pm",
    "ago",
    "last",
    "a",
    "the",
    "at",
    "one",
    "two",
    "ten",
    "seconds",
    "second",
    "sec",
    "minute",
    "minutes",
    "min",
    "hour",
    "hours",
    "day",
    "days",
    "week",
    "weeks",
    "month",
    "months",
    "mont",
    "year",
    "years",
    "year.",
    "sunday",
    "sun",
    "mondays",
    "Fri",
    "FRIDAY",
    "jan",
    "January",
    "february",
    "sept",
    "Dec",
    "june",
    "may",
    "1",
    "2",
    "3",
    "5",
    "12",
    "13",
    "31",
    "32",
    "40",
    "70",
    "99",
    "00",
    "01",
    "007",
    "2020",
    "1999",
    "1969",
    "2100",
    "0500",
    "1400",
    "100000000",
    "99999999",
    "1612400000",
    "20210203",
    "041500",
    "041500.25",
    "10:30",
    "25:00",
    "4:5:6",
    "23:59:60",
    "12:00:01.5",
    "2021-02-03",
    "2021/2/3",
    "06/01/2020",
    "01.06.2020",
    "31.12.2019",
    "13/1/19",
    "2/3",
    "3-2-1",
    "99-12-31",
    "2030-01-01",
    "+0100",
    "-0330",
    "+01:00",
    "-07",
    "Z",
    "EST",
    "UTC",
    "2020-07-01T12:13:14",
];

const WHOLE: &[&str] = &[
    "12 month ago",
    "1 month ago",
    "3.weeks",
    "dec 3",
    "last friday",
    "2 fridays",
    "friday",
    "noon today",
    "June 5",
    "06/01/2020",
    "01.06.2020",
    "@12345",
    "@12345 +0100",
    "@12345 -01000",
    "@1 +0000 x",
    "@99999999999 +0000",
    "Thu, 7 Apr 2005 15:14:13 -0700",
    "2005-04-07T22:13:13-0700",
    "2005-04-07T22:13:13.5-07:00",
    "Apr 7 22:13:13 2005",
    "2005-04-07 22:13:13 AST",
    "2005-04-07 22:13:13 MEST",
    "2005-04-07 22:13:13 MES",
    "2005-04-07 22:13:13 NZ",
    "20050407T221313Z",
    "20050407T2213",
    "20050407T22",
    "20050407T221313.9+0100",
    "2005-04-07T22:13",
    "T10",
    "10pm",
    "10:30pm",
    "10 am",
    "12am",
    "12pm",
    "3pm yesterday",
    "1 year, 2 months ago",
    "10.days.4.hours.ago",
    "0 days ago",
    "monday noon",
    "last monday noon",
    "one week ago tuesday",
    "yesterday.tea",
    "1.year.ago",
    "5 1 2019",
    "1 2 3 4 5",
    "the 5th of june 2019",
    "jun 31",
    "feb 30 2020",
    "2021-13-01",
    "2021-00-01",
    "2021-01-32",
    "1970-01-01 00:00:00 +0000",
    "1970-01-01",
    "2099-12-31 23:59:59 +0000",
    "2100-01-01 00:00:00 +0000",
    "",
    " ",
    "é",
    "1 fortnight ago",
    "last",
    "Wed Feb 3 04:05:06 2021 -0330",
    "Wed Feb 3 04:05:06 2021",
    "2021-03-14 02:30",
    "6 months ago",
    "mar 14 2:30",
    "9 months ago noon",
    "1000 months ago",
    "50 years ago",
    "60 years ago",
    "3000 weeks ago",
    "2 sundays ago",
    "ten fridays",
    "seconds",
    "5 seconds",
    "4 min",
    "4 mi",
    "3 hou",
    "3 hour",
    "3 day",
    "3 da",
];

#[test]
fn approximate_dates() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let mut rng = Rng::new(7);
    let mut texts: Vec<String> = WHOLE.iter().map(|&text| text.to_owned()).collect();
    texts.extend(PARTS.map(str::to_owned));
    for _ in 0..3000 {
        let count = rng.between(2, 5);
        let separator = *rng.pick(&[" ", ".", " ", ", ", ""]);
        let parts: Vec<&str> = (0..count).map(|_| *rng.pick(&PARTS)).collect();
        texts.push(parts.join(separator));
    }
    let mut wrong = Vec::new();
    for (zone, now) in [
        ("UTC", NOW),
        ("America/New_York", 1_624_337_706),
        ("Asia/Kathmandu", NOW),
        ("Europe/Berlin", 1_600_000_000),
    ] {
        let system_now = jiff::Timestamp::now().as_second();
        let clock = Clock::new(now, TimeZone::get(zone).unwrap())
            .with_system_time(system_now)
            .with_older_dates(git_version() < (2, 55));
        let output = repository
            .command(git_program())
            .env("TZ", zone)
            .env("GIT_TEST_DATE_NOW", now.to_string())
            .arg("rev-parse")
            .args(texts.iter().map(|text| format!("--since={text}")))
            .output()
            .unwrap();
        let lines = String::from_utf8(output.stdout).unwrap();
        assert_eq!(lines.lines().count(), texts.len());
        for (text, line) in texts.iter().zip(lines.lines()) {
            let theirs: u64 = line.strip_prefix("--max-age=").unwrap().parse().unwrap();
            let ours = approxidate::parse(text.as_bytes(), &clock);
            if ours as u64 != theirs {
                wrong.push(format!(
                    "{zone} {text:?}: git {theirs}, tblame {ours} ({})",
                    ours as i128 - i128::from(theirs)
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Each is blamed alone: an error ends the output.
#[test]
fn times_and_zones_that_overflow() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b"f", b"line\n");
    repository.git(&["add", "f"]);
    let tree = repository.git_text(&["write-tree"]);
    let objects = OddObjects::new(&repository);
    let half = 1_u128 << 63;
    let times = [
        0,
        1 << 31,
        half - 36_000,
        half - 1,
        half,
        2 * half - 1,
        2 * half,
    ];
    let zones = [
        "+0000",
        "+1400",
        "-1400",
        "+99999999",
        "-99999999",
        "+2147483648",
        "-2147483648",
        "+9223372036854775807",
        "+99999999999999999999",
        "+01",
        "",
    ];
    let (mut dates, mut errors) = (0, 0);
    for (time, zone) in times.iter().flat_map(|time| zones.map(|zone| (time, zone))) {
        let person = format!("A <a@example.com> {time} {zone}");
        let text = format!("tree {tree}\nauthor {person}\ncommitter {person}\n\ns\n");
        let commit = objects.write("commit", text.as_bytes()).to_string();
        for format in [
            "--date=iso",
            "--date=raw",
            "--date=format:%s",
            "--date=local",
        ] {
            let run = Run {
                repository: &repository,
                directory: repository.root(),
                environment: &[],
                arguments: &[format, &commit, "--", "f"],
                stderr: Stderr::Whole,
            };
            let output = run.compare_once();
            match output
                .unwrap_or_else(|it| panic!("{time} {zone}: {it}"))
                .status
            {
                Some(0) => dates += 1,
                _ => errors += 1,
            }
        }
    }
    assert!(dates > 100 && errors > 50, "{dates} dates, {errors} errors");
}
