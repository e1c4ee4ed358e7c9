//! Command lines and what they are answered with: errors, exit statuses, columns, dates.

use std::ffi::OsStr;

use crate::{
    command_lines::{same, two_commits},
    compare::{assert_same, assert_same_in, tblame_program},
    option_sets::{COLUMNS, DATE_STYLES},
    program::{Outcome, git_version},
    scratch::git_program,
};

#[test]
fn files_and_revisions_are_told_apart() {
    let repository = two_commits();
    repository.git(&["branch", "topic"]);
    repository.write(b"topic", b"a file with the name of a branch\n");
    repository.git(&["add", "topic"]);
    repository.git(&["commit", "-q", "-m", "topic"]);
    same(
        &repository,
        "a.txt
        HEAD a.txt
        a.txt HEAD
        a.txt v1
        v1 a.txt
        v2 a.txt
        v2 -- a.txt
        -- a.txt
        -- a.txt v1
        -- v1 a.txt
        v1 v2 a.txt
        v1 -- a.txt extra
        topic
        main topic
        topic main
        topic -- topic
        a b c d
        a b c
        sub/b.txt
        sub
        sub/
        sub/b.txt/
        ./a.txt
        sub/../a.txt
        sub//b.txt
        ../outside
        nosuch
        nosuch.txt
        v1 nosuch.txt
        nosuch a.txt
        nosuch -- a.txt
        HEAD:sub -- a.txt
        HEAD:a.txt -- a.txt
        HEAD^{tree} -- a.txt
        1234567890123456789012345678901234567890 -- a.txt
        HEAD~9 -- a.txt
        v1^{blob} -- a.txt
        v1^{tag} -- a.txt
        v2^{tag} -- a.txt
        ^v1^{blob} -- a.txt
        v1^{tree}^{commit} -- a.txt
        v1^{blob}..v1 -- a.txt
        v2..v1^{blob} -- a.txt
        v1...v1^{tree} -- a.txt
        v1:../x -- a.txt
        v1:./a.txt -- a.txt
        --word-diff=x a.txt
        --word-diff=color a.txt
        --submodule=x a.txt
        --diff-filter=Mz a.txt
        --diff-filter=mA a.txt
        --ignore-submodules=x a.txt
        --exclude-hidden=x a.txt
        --exclude-hidden=fetch a.txt
        --min-parents=x a.txt
        --max-parents=-1 a.txt
        --expand-tabs=x a.txt
        --stat-width=x a.txt
        --stat-width=5 a.txt
        -Ux a.txt
        -U3 a.txt
        --unified=x a.txt
        a.txt v1^!
        a.txt 1234567890123456789012345678901234567890
        v1^! v2 -- a.txt
        v1^@ v1 -- a.txt
        v1^! -- nosuch
        v1^- -- nosuch
        --p a.txt
        --no a.txt
        v1^@ -- a.txt
        v1^! -- a.txt
        v1~1..v1 -- a.txt
        v2...v1 -- a.txt
        --all -- a.txt
        --branches -- a.txt
        --tags -- a.txt
        --not v2 -- a.txt
        v1 --not v2 -- a.txt
        ^v2 -- a.txt
        ^v2 v1 a.txt
        empty
        v1 empty
        --end-of-options v1 a.txt
        --end-of-options a.txt
        --end-of-options a.txt v1
        a.txt --end-of-options
        a.txt --end-of-options v1
        v1 --end-of-options a.txt
        v1 a.txt --end-of-options
        a.txt v1 --end-of-options
        --end-of-options v2 -- a.txt
        --end-of-options -- a.txt
        -- a.txt --end-of-options
        -- --end-of-options a.txt
        v2 --end-of-options -- a.txt
        v2 -- a.txt --end-of-options
        --end-of-options v2 a.txt v1
        --end-of-options --all a.txt
        --end-of-options ^v2 v1 a.txt
        ^v2 --end-of-options v1 a.txt
        a.txt -s --end-of-options
        --end-of-options nope a.txt
        --end-of-options empty a.txt
        --end-of-options topic a.txt
        nope a.txt --end-of-options
        --end-of-options
        -
        --
        a.txt --porcelain
        v1 a.txt -s -n
        *.txt
        :a.txt
        :(top)a.txt
        -s -- -x",
    );
    repository.write(b"-", b"dash\n");
    repository.write(b"--porcelain", b"option\n");
    repository.git(&["add", "."]);
    same(
        &repository,
        "-\n-- -\n-- --porcelain\n--porcelain\n--porcelain -- --porcelain",
    );
}

#[test]
fn option_errors_are_gits() {
    let repository = two_commits();
    same(
        &repository,
        "--bogus a.txt
        --root=1 a.txt
        --contents
        -L
        --abbrev=x a.txt
        --dat=short a.txt
        --textc a.txt
        -porcelain a.txt
        -incremental a.txt
        --date=foo a.txt
        --date=format a.txt
        --date
        --max-age=foo a.txt
        --skip=x a.txt
        --max-count=x a.txt
        --reverse a.txt
        --reverse v1 v2 -- a.txt
        --reverse --contents sub/b.txt v2..v1 -- a.txt
        --reverse --first-parent v2..v1 -- a.txt
        --reverse --first-parent ^v2 -- a.txt
        --reverse v2 -- a.txt
        --reverse v2..v1 -- a.txt
        --progress --porcelain a.txt
        --progress --incremental a.txt
        --progress --line-porcelain a.txt
        --no-progress --porcelain a.txt
        -S nosuch a.txt
        --contents nosuch a.txt
        --ignore-rev nope a.txt
        --ignore-rev HEAD:sub a.txt
        --ignore-revs-file nosuch a.txt
        --ignore-revs-file sub/b.txt a.txt",
    );
}

#[test]
fn ranges_are_read_as_git_reads_them() {
    let repository = two_commits();
    let ranges = [
        "",
        ",",
        "^",
        "1",
        "2,",
        ",2",
        "2,3",
        "3,2",
        "1,1",
        "4,4",
        "5,4",
        "4,9",
        "5",
        "5,5",
        "6,9",
        "2,+2",
        "2,+9",
        "3,-2",
        "3,-9",
        ",+1",
        ",+2",
        ",+3",
        ",-2",
        "1,+0",
        "1,-0",
        "+1",
        " 1",
        "0",
        "-1",
        "0,2",
        "1,0",
        "x",
        "1x",
        "1,x",
        "1,2,3",
        "1,2x",
        "/two/",
        "/two/,",
        "/two/,+1",
        "/two/,/four/",
        "/t/,/t/",
        "^/two/",
        "/nope/",
        "/[/",
        "/\\(/",
        "/unclosed",
        "//",
        "/t.o/",
        "/^three$/",
        "/o$/",
        "1,/three/",
        "2,/two/",
        ",/two/",
        "1,/nope/",
        ":one",
        ":two",
        ":nope",
        "^:one",
        ":",
        ":[",
        ":a:b",
        "/two\\|four/",
        "/\\bfour\\b/",
        "/fo\\+ur/",
        "/T/",
        "/\\(e\\)\\1/",
        "/\\(.\\).*\\1/,+1",
        "/\\(t\\)\\1/",
        "/\\(e\\)\\2/",
        ":\\(.\\)o\\1",
        "99999999999999999999",
        "1,99999999999999999999",
        "1,+99999999999999999999",
    ];
    for range in ranges {
        assert_same(&repository, &["-s", "-L", range, "v1", "--", "a.txt"]);
        assert_same(&repository, &["-s", "-L", range, "v1", "--", "empty"]);
    }
    for pair in [
        ["1,1", "3,3"],
        ["3,3", "1,1"],
        ["1,1", "2,2"],
        ["2,3", "1,4"],
        ["/one/", "/t/"],
        ["/t/,+1", "/t/,+1"],
        ["4,4", "/one/"],
        ["4,4", "^/one/"],
        [":one", ":t"],
        ["1,2", "/t/,+1"],
    ] {
        for format in ["-s", "--incremental", "--porcelain"] {
            let arguments = [format, "-L", pair[0], "-L", pair[1], "v1", "--", "a.txt"];
            assert_same(&repository, &arguments);
        }
    }
}

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
        "--d=myers",
        "--abb=6",
        "--show-n",
        "-M -s",
        "-C5 -s",
    ];
    for option in COLUMNS.into_iter().chain(more) {
        // The algorithm is git blame's own option since 2.53.
        if option == "--d=myers" && git_version(git_program()) < (2, 53) {
            continue;
        }
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
        ("diff.algorithm", "foo"),
        ("diff.algorithm", "patience"),
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
        // git blame reads it since 2.53.
        if key == "diff.algorithm" && git_version(git_program()) < (2, 53) {
            continue;
        }
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

#[test]
fn logs_of_references_end_somewhere() {
    let repository = two_commits();
    repository.git(&["commit", "-q", "--allow-empty", "-m", "logged"]);
    same(
        &repository,
        "HEAD@{1999-01-01} -- a.txt
        @{1999-01-01} -- a.txt
        main@{1999-01-01} -- a.txt
        refs/heads/main@{1999-01-01} -- a.txt
        heads/main@{1999-01-01}~1 -- a.txt
        main@{1999-01-01}..HEAD -- a.txt
        ^main@{1999-01-01} -- a.txt
        v1@{1999-01-01} -- a.txt
        main@{99} -- a.txt
        main@{99}~1 -- a.txt
        main@{99}..HEAD -- a.txt
        HEAD...main@{99} -- a.txt
        @{99}.. -- a.txt
        @{u}..HEAD -- a.txt
        nope..HEAD -- a.txt",
    );
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

/// Damaged and incomplete repositories: an error, and never a crash.
#[test]
fn a_missing_object_is_an_error() {
    let repository = two_commits();
    let objects = repository.root().join(".git/objects");
    let file = |name: &str| {
        let id = repository.git_text(&["rev-parse", name]);
        objects.join(&id[..2]).join(&id[2..])
    };
    repository.git(&["fsck"]);
    for name in [
        "main~1:a.txt",
        "main:a.txt",
        "main^{tree}",
        "main~1^{tree}",
        "main~1",
        "main",
    ] {
        let path = file(name);
        let before = std::fs::read(&path).expect("the objects are loose");
        std::fs::remove_file(&path).expect("it is there");
        for format in ["--porcelain", "--incremental", "-s"] {
            let id = repository.root().join(".git/refs/heads/main");
            assert!(id.exists());
            assert_same(&repository, &[format, "main", "--", "a.txt"]);
        }
        std::fs::write(&path, &before).expect("it can be written");
        for damaged in [&before[..before.len() / 2], b"", b"not zlib at all"] {
            std::fs::remove_file(&path).expect("it is there");
            std::fs::write(&path, damaged).expect("it can be written");
            assert_same(&repository, &["--porcelain", "main", "--", "a.txt"]);
        }
        std::fs::remove_file(&path).expect("it is there");
        std::fs::write(&path, &before).expect("it can be written");
    }
}

/// The checksum behind a commit's text is looked at before the text is shown.
#[test]
fn a_shown_commit_with_a_wrong_checksum_is_an_error() {
    let repository = two_commits();
    repository.git(&["commit", "-q", "--amend", "-m", &"many words ".repeat(200)]);
    repository.git(&["repack", "-adq"]);
    let packs = repository.root().join(".git/objects/pack");
    let packs = std::fs::read_dir(packs).expect("there are packs");
    let mut packs = packs.map(|entry| entry.expect("it can be read").path());
    let pack = packs.find(|path| path.extension().is_some_and(|kind| kind == "pack"));
    let pack = pack.expect("there is a pack");
    let listed = repository.git_text(&["verify-pack", "-v", pack.to_str().expect("plain")]);
    let id = repository.git_text(&["rev-parse", "main"]);
    let line = listed.lines().find(|line| line.starts_with(&id));
    let words: Vec<_> = line.expect("it is packed").split_whitespace().collect();
    let number = |word: &str| word.parse::<usize>().expect("a number");
    let mut bytes = std::fs::read(&pack).expect("it can be read");
    bytes[number(words[4]) + number(words[3]) - 2] ^= 1;
    std::fs::remove_file(&pack).expect("it is there");
    std::fs::write(&pack, bytes).expect("it can be written");
    let run = |program: &OsStr, subcommand: &[&str]| {
        let mut command = repository.command(program);
        command.args(subcommand);
        command.args(["--porcelain", "main", "--", "a.txt"]);
        Outcome::of(&mut command)
    };
    let git = run(git_program(), &["blame"]);
    let tblame = run(tblame_program().as_os_str(), &[]);
    assert_eq!((git.status, tblame.status), (Some(128), Some(128)));
    let complaint = String::from_utf8_lossy(&tblame.complaint);
    assert!(complaint.contains("checksum"), "{complaint}");
}

/// A range is measured past commits that are not there, as a blame goes on without them.
#[test]
fn a_range_goes_on_without_absent_commits() {
    let repository = two_commits();
    for message in ["third", "fourth"] {
        repository.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }
    let id = repository.git_text(&["rev-parse", "main~3"]);
    let objects = repository.root().join(".git/objects");
    let path = objects.join(&id[..2]).join(&id[2..]);
    for damaged in [None, Some(&b""[..]), Some(b"not zlib at all")] {
        std::fs::remove_file(&path).expect("it is there");
        if let Some(damaged) = damaged {
            std::fs::write(&path, damaged).expect("it can be written");
        }
        for range in ["main~1..main", "main~2..main"] {
            assert_same(&repository, &["--porcelain", range, "--", "a.txt"]);
        }
        std::fs::write(&path, b"").expect("it can be written");
    }
}
