//! The columns of the human format: widths, dates, names.

use crate::harness::{
    command_lines::two_commits,
    compare::{assert_same, assert_same_in},
    option_sets::{COLUMNS, DATE_STYLES},
};

#[test]
fn columns_follow_the_options() {
    let repository = two_commits();
    repository.git(&["mv", "a.txt", "a much longer name"]);
    repository.git(&["commit", "-q", "-m", "renamed"]);
    let more = [
        "-sfnl",
        "-et",
        "--abbrev=12",
        "--abbrev=4",
        "--abbrev=1",
        "--abbrev=-3",
        "--abbrev=39",
        "--abbrev=40",
        "--abbrev=41",
        "--abbrev=0",
        "--abbrev",
        "--no-abbrev",
        "--score-debug",
        "--show-stats",
        "--no-root",
        "--root --no-root",
        "-b --root",
        "-c -s",
        "-c -e",
        "-c -t",
        "-c -l",
        "-c -b",
        "-c -f",
        "-c -n",
        "-b -s",
        "-b -l",
        "--color-by-age",
        "-c --color-by-age",
        "--score-debug -f -n -s",
        "--show-stats --porcelain",
        "--show-stats --incremental",
        "--porcelain --incremental",
        "-p --line-porcelain",
        "--line-porcelain --no-line-porcelain",
        "--por",
        "--incr",
        "--abb=6",
        "--show-n",
        "-M -s",
        "-C5 -s",
    ];
    for option in COLUMNS.into_iter().chain(more) {
        let mut arguments: Vec<&str> = option.split(' ').collect();
        arguments.extend(["HEAD", "--", "a much longer name"]);
        assert_same(&repository, &arguments);
        arguments[option.split(' ').count() + 2] = "empty";
        assert_same(&repository, &arguments);
    }
}

#[test]
fn dates_are_written_as_git_writes_them() {
    let repository = two_commits();
    let more = [
        "iso8601-strict",
        "auto:human",
        "auto:iso",
        "format:%Y-%m",
        "format:",
        "format:%A %B %d",
        "format:%s %z %Z",
        "format:%c|%x|%X|%p|%I|%U|%W|%V|%G|%u|%w",
        "format:%%%n%t%e%k%l%j%C%y%D%F%R%T%r%h%b%a",
        "format:%Ez%Oy%q",
    ];
    for mode in DATE_STYLES.into_iter().chain(more) {
        for now in [
            "1612396400",
            "1612337766",
            "1613000000",
            "1650000000",
            "1600000000",
        ] {
            for zone in ["UTC", "America/New_York", "Asia/Kolkata", "XYZ-3"] {
                let environment = [("GIT_TEST_DATE_NOW", now), ("TZ", zone)];
                let depends_on_now = mode.contains("human") || mode.contains("relative");
                if !depends_on_now && now != "1612396400" {
                    continue;
                }
                for suffix in ["", "-local"] {
                    let mode = match mode.split_once(':') {
                        Some((kind, rest)) if kind != "auto" => format!("{kind}{suffix}:{rest}"),
                        _ => format!("{mode}{suffix}"),
                    };
                    let date = format!("--date={mode}");
                    let arguments = [&date, "v1", "--", "a.txt"];
                    assert_same_in(&repository, repository.root(), &environment, &arguments);
                }
            }
        }
    }
}

/// Names, mails and dates that git itself would not write.
#[test]
fn strange_commits_are_shown_as_git_shows_them() {
    let repository = two_commits();
    let tree = repository.git_text(&["rev-parse", "v1^{tree}"]);
    let committer = "committer C O <c@example.com> 1600000000 +0000";
    let authors = [
        "author A <a@example.com> 1600000000 +0000",
        "author <nomail@example.com> 1600000000 +0000",
        "author  <nomail@example.com> 1600000000 +0000",
        "author Dup <<a@b>> 1600000000 +0000",
        "author Two <a@b> <c@d> 1600000000 +0000",
        "author No mail",
        "author No date <a@b>",
        "author Bad date <a@b> yesterday +0000",
        "author No zone <a@b> 1600000000",
        "author Empty <> 1600000000 +0000",
        "author Short <a@b> 1600000000 +05",
        "author Negative <a@b> -5 +0000",
        "author Large <a@b> 99999999999999999999999 +0000",
        "author Far <a@b> 99999999999999 +0000",
        "author Odd <a@b> 1600000000 +9999",
        "author Zero <a@b> 0 -0700",
        "author\tTab <a@b> 1600000000 +0000",
        "other header",
    ];
    let messages = [
        "subject\n",
        "",
        "\n\n",
        "  \n\tindented \nrest",
        "x\r\n\r\ny",
        "\u{0}nul\n",
    ];
    let encodings = [
        "",
        "encoding ISO-8859-1\n",
        "encoding nonsense\n",
        "encoding UTF-16\n",
    ];
    let hash = [
        "hash-object",
        "-t",
        "commit",
        "-w",
        "--stdin",
        "--literally",
    ];
    for (nth, author) in authors.iter().enumerate() {
        let message = messages[nth % messages.len()];
        let encoding = encodings[nth % encodings.len()];
        let commit = format!("tree {tree}\n{author}\n{committer}\n{encoding}\n{message}");
        let id = repository.git_with_input(&hash, commit.as_bytes());
        let id = String::from_utf8(id).expect("an id is ASCII");
        eprintln!("{commit}");
        for options in [
            &["--porcelain"][..],
            &["--incremental"],
            &[],
            &["-e"],
            &["-t"],
            &["--date=raw"],
            &["--date=relative"],
            &["-c"],
            &["--encoding=none"],
            &["--encoding=ISO-8859-1"],
        ] {
            assert_same(&repository, &[options, &[&id, "--", "a.txt"]].concat());
        }
    }
}

#[test]
fn names_are_mapped_by_mailmap() {
    let repository = two_commits();
    let maps: [&[u8]; 9] = [
        b"Anna Li <ann@example.com>\n",
        b"<new@example.com> <ann@example.com>\n",
        b"Anna <new@example.com> <ANN@example.com>\n",
        b"Anna <new@example.com> ann lee <ann@example.com>\n",
        b"# comment\n\n  <new@example.com> Ann Lee <ann@example.com> # trailing\n",
        b"Nobody <new@example.com> Somebody Else <ann@example.com>\n",
        b"A <a@b> <ann@example.com>\nB <c@d> <ann@example.com>\n<e@f> Ann Lee <ann@example.com>\n",
        b"broken line\n<only>\nX <c@example.com>\n\xff\xfe <bo@example.com>\n",
        b"Not Yet <not.committed.yet>\n",
    ];
    repository.write(b"a.txt", b"one\ntwo and more\nthree\nnew\n");
    for map in maps {
        repository.write(b".mailmap", map);
        for options in [&["--porcelain"][..], &["-e"], &[], &["--incremental"]] {
            assert_same(&repository, &[options, &["a.txt"]].concat());
        }
    }
    repository.write(b"../elsewhere", b"File <f@g> <ann@example.com>\n");
    repository.git(&["config", "mailmap.file", "../elsewhere"]);
    assert_same(&repository, &["--porcelain", "a.txt"]);
    repository.git(&["config", "mailmap.blob", "HEAD:a.txt"]);
    assert_same(&repository, &["--porcelain", "a.txt"]);
    std::fs::remove_file(repository.root().join(".mailmap")).expect("it was written");
    std::os::unix::fs::symlink("../elsewhere", repository.root().join(".mailmap")).expect("made");
    repository.git(&["config", "--unset", "mailmap.file"]);
    assert_same(&repository, &["--porcelain", "a.txt"]);
}

/// A string of C ends at a NUL: a blob is one, and of a file each line, or so much of it as git reads at once.
#[test]
fn mailmaps_may_hold_nul() {
    let repository = two_commits();
    let long = [&b"A".repeat(3000)[..], b" <ann@example.com>\n"].concat();
    let maps: [&[u8]; 9] = [
        b"Ann\0 <ann@example.com>\nBo <bo@example.com>\n",
        b"Ann <ann\0@example.com>\nBo <bo@example.com>\n",
        b"Ann <x@y\0z> <ann@example.com>\nBo <bo@example.com>\n",
        b"Ann <ann@example.com>\0\nBo <bo@example.com>\n",
        b"Ann <ann@example.com>\n\0\nBo <bo@example.com>\n",
        b"Ann <ann@example.com> \0<bo@example.com>\n",
        b"#\0\nAnn <ann@example.com>\n",
        b"\0#Ann <ann@example.com>\nBo <bo@example.com>",
        &long,
    ];
    let mut outputs = std::collections::BTreeSet::new();
    for map in maps {
        let blob = repository.git_with_input(&["hash-object", "-w", "--stdin"], map);
        let blob = String::from_utf8(blob).expect("an id");
        repository.write(b"../map", map);
        let file = [
            ("GIT_CONFIG_KEY_0", "mailmap.file"),
            ("GIT_CONFIG_VALUE_0", "../map"),
        ];
        let blob = [
            ("GIT_CONFIG_KEY_0", "mailmap.blob"),
            ("GIT_CONFIG_VALUE_0", &blob),
        ];
        for settings in [file, blob] {
            let environment = [&[("GIT_CONFIG_COUNT", "1")][..], &settings].concat();
            let arguments = ["--porcelain", "HEAD", "--", "a.txt"];
            let output = assert_same_in(&repository, repository.root(), &environment, &arguments);
            outputs.insert(output.stdout);
        }
        repository.write(b".mailmap", map);
        assert_same(&repository, &["-e", "HEAD", "--", "a.txt"]);
        std::fs::remove_file(repository.root().join(".mailmap")).expect("it was written");
    }
    assert!(outputs.len() > 4, "{}", outputs.len());
}
