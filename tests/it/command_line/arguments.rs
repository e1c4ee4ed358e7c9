//! Paths, revisions, options and ranges: how they are told apart, and which errors they give.

use crate::harness::{
    command_lines::{assert_all_same, two_commits},
    compare::assert_same,
};

#[test]
fn files_and_revisions_are_told_apart() {
    let repository = two_commits();
    repository.git(&["branch", "topic"]);
    repository.write(b"topic", b"a file with the name of a branch\n");
    repository.git(&["add", "topic"]);
    repository.git(&["commit", "-q", "-m", "topic"]);
    assert_all_same(
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
        --word-diff=color a.txt
        --diff-filter=mA a.txt
        --exclude-hidden=x a.txt
        --exclude-hidden=fetch a.txt
        --max-parents=-1 a.txt
        --stat-width=5 a.txt
        -U3 a.txt
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
    assert_all_same(
        &repository,
        "-\n-- -\n-- --porcelain\n--porcelain\n--porcelain -- --porcelain",
    );
}

#[test]
fn option_errors_are_gits() {
    let repository = two_commits();
    assert_all_same(
        &repository,
        "--bogus a.txt
        -sx a.txt
        --no- a.txt
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
        // git reads beyond the end of the file, and may crash.
        if range != "2,/two/" {
            assert_same(&repository, &["-s", "-L", range, "v1", "--", "empty"]);
        }
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
fn logs_of_references_end_somewhere() {
    let repository = two_commits();
    repository.git(&["commit", "-q", "--allow-empty", "-m", "logged"]);
    assert_all_same(
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
