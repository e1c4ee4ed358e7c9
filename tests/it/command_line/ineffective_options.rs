//! Options that git blame inherits: those without effect, whose values are ignored, what does not go together, and the
//! few that look at a whole range.

use std::ffi::OsStr;

use crate::harness::{
    command_lines::{assert_all_same, two_commits},
    compare::{assert_same, assert_same_first_error},
    git::git_program,
    named_history::HistoryBuilder,
    program::{ProgramOutput, tblame_program},
};

#[test]
fn values_with_an_effect_are_those_that_git_takes() {
    let repository = two_commits();
    let lines = r#"
        -Mx -- a.txt
        -M5 -- a.txt
        --pretty=r -- a.txt
        --pretty=raw -- a.txt
        --pretty=reference -- a.txt
        --no-walk=sorted -- a.txt
        --abbrev=x -- a.txt
        --abbrev=+5 -- a.txt
        --abbrev= 5 -- a.txt
        --abbrev=0x5 -- a.txt
        --abbrev=08 -- a.txt
        --max-age= 5 -- a.txt
        --max-age=-5 -- a.txt
        --max-age=+5 -- a.txt
        --max-age=99999999999999999999999 -- a.txt
        -l5 -- a.txt
        -l 5 -- a.txt
        -l5k -- a.txt
        -lx -- a.txt
        -l-5 -- a.txt
        -l99999999999 -- a.txt
        --encoding= -- a.txt
        --exclude= -- a.txt
        --glob= -- a.txt
        --branches= -- a.txt
        --decorate-refs=x -- a.txt
        --no-decorate -- a.txt
        --reflog -- a.txt
        --grep-reflog=x -g -- a.txt
        --indexed-objects -- a.txt
        --alternate-refs -- a.txt
        -5x -- a.txt
        -99999999999 -- a.txt
        -S[ -- a.txt
        --pickaxe-regex -S[ -- a.txt
    "#;
    assert_all_same(&repository, lines);
}

/// Values and combinations that git takes change nothing, and those that it refuses are ignored.
#[test]
fn values_without_effect_are_ignored() {
    let lines = r#"
        --break-rewrites=5/6 -- a.txt
        --break-rewrites=50% -- a.txt
        --break-rewrites=50%/ -- a.txt
        --break-rewrites=/5 -- a.txt
        --break-rewrites= -- a.txt
        --break-rewrites=5 -- a.txt
        --break-rewrites=5%/6% -- a.txt
        --break-rewrites=5/6x -- a.txt
        --break-rewrites=0.5/6 -- a.txt
        -B5/6 -- a.txt
        -Bx -- a.txt
        --find-renames=5% -- a.txt
        --find-renames=.5 -- a.txt
        --find-renames=0.5 -- a.txt
        --find-renames=0.5% -- a.txt
        --find-renames=5%x -- a.txt
        --find-renames= -- a.txt
        --find-renames=% -- a.txt
        --find-renames=. -- a.txt
        --find-renames=5. -- a.txt
        --find-renames=5.x -- a.txt
        --find-renames=5555555555555555555555 -- a.txt
        --dirstat=files -- a.txt
        --dirstat=changes,lines,5 -- a.txt
        --dirstat=5.5 -- a.txt
        --dirstat=5.55 -- a.txt
        --dirstat=5. -- a.txt
        --dirstat=cumulative -- a.txt
        --dirstat=noncumulative -- a.txt
        --dirstat= -- a.txt
        -X5 -- a.txt
        --pretty=oneline -- a.txt
        --pretty=one -- a.txt
        --pretty=o -- a.txt
        --pretty=s -- a.txt
        --pretty=sh -- a.txt
        --pretty=format:x -- a.txt
        --pretty=format -- a.txt
        --pretty=tformat: -- a.txt
        --pretty=%H -- a.txt
        --pretty=a%b -- a.txt
        --pretty=medium -- a.txt
        --pretty=email -- a.txt
        --pretty=mbox -- a.txt
        --pretty=mboxrd -- a.txt
        --pretty=m -- a.txt
        --pretty=full -- a.txt
        --pretty=fuller -- a.txt
        --pretty=a.txt -- a.txt
        --pretty= -- a.txt
        --pretty -- a.txt
        --pretty=ONELINE -- a.txt
        --format= -- a.txt
        --format=format: -- a.txt
        --format=oneline -- a.txt
        --format=% -- a.txt
        --format=onelinex -- a.txt
        --stat=5 -- a.txt
        --stat=5,6 -- a.txt
        --stat=5,6,7 -- a.txt
        --stat=5,6,7,8 -- a.txt
        --stat=5, -- a.txt
        --stat=, -- a.txt
        --stat=,5 -- a.txt
        --stat=,,5 -- a.txt
        --stat=-5 -- a.txt
        --stat=5x -- a.txt
        --stat=0x5 -- a.txt
        --stat-width=5k -- a.txt
        --stat-width=0x5 -- a.txt
        --stat-width=05 -- a.txt
        --stat-width=+5 -- a.txt
        --stat-width=-5 -- a.txt
        --stat-width= -- a.txt
        --ws-error-highlight=all -- a.txt
        --ws-error-highlight=none -- a.txt
        --ws-error-highlight=new,old -- a.txt
        --ws-error-highlight=new, -- a.txt
        --ws-error-highlight=,new -- a.txt
        --ws-error-highlight=default -- a.txt
        --ws-error-highlight=context -- a.txt
        --ws-error-highlight= -- a.txt
        --ws-error-highlight=NEW -- a.txt
        --ws-error-highlight=newx -- a.txt
        --ws-error-highlight=all,x -- a.txt
        --color-moved= -- a.txt
        --color-moved=yes -- a.txt
        --color-moved=no -- a.txt
        --color-moved=true -- a.txt
        --color-moved=0 -- a.txt
        --color-moved=1 -- a.txt
        --color-moved=-1 -- a.txt
        --color-moved=5k -- a.txt
        --color-moved=5g -- a.txt
        --color-moved=off -- a.txt
        --color-moved=ON -- a.txt
        --color-moved=adaptive -- a.txt
        --color-moved=dimmed_zebra -- a.txt
        --color-moved=dimmed-zebra -- a.txt
        --color-moved=Plain -- a.txt
        --color-moved-ws=no -- a.txt
        --color-moved-ws=ignore-space-change -- a.txt
        --color-moved-ws=ignore-space-change,x -- a.txt
        --color-moved-ws=ignore-space-change, -- a.txt
        --color-moved-ws=ignore-space-change,allow-indentation-change -- a.txt
        --color-moved-ws=allow-indentation-change -- a.txt
        --color-moved-ws=no,allow-indentation-change -- a.txt
        --color-moved-ws=allow-indentation-change,no -- a.txt
        --color-moved-ws=No -- a.txt
        --diff-merges=off -- a.txt
        --diff-merges=none -- a.txt
        --diff-merges=on -- a.txt
        --diff-merges=m -- a.txt
        --diff-merges=first-parent -- a.txt
        --diff-merges=1 -- a.txt
        --diff-merges=separate -- a.txt
        --diff-merges=combined -- a.txt
        --diff-merges=c -- a.txt
        --diff-merges=cc -- a.txt
        --diff-merges=dense-combined -- a.txt
        --diff-merges=remerge -- a.txt
        --diff-merges=r -- a.txt
        --diff-merges=dd -- a.txt
        --diff-merges=Off -- a.txt
        --unpacked=x -- a.txt
        --unpacked= -- a.txt
        --unpacked -- a.txt
        --max-count=+5 -- a.txt
        --max-count=0x5 -- a.txt
        --max-count=99999999999 -- a.txt
        --max-count=5k -- a.txt
        --skip=-5 -- a.txt
        --skip=05 -- a.txt
        --skip=08 -- a.txt
        -05 -- a.txt
        --min-parents=+5 -- a.txt
        --expand-tabs=+5 -- a.txt
        --expand-tabs=05 -- a.txt
        --unified=+5 -- a.txt
        --unified=5k -- a.txt
        --unified=05 -- a.txt
        --unified=99999999999 -- a.txt
        -U5k -- a.txt
        -U+5 -- a.txt
        -O -- a.txt
        -Ox -- a.txt
        -G[ -- a.txt
        -G -- a.txt
        -Gx -- a.txt
        -Gx+-Sx -- a.txt
        -I[ -- a.txt
        -Ix -- a.txt
        --grep=\( -- a.txt
        --grep=a* -- a.txt
        --grep= -- a.txt
        --grep=[ -F -- a.txt
        --fixed-strings --grep=[ -- a.txt
        -E --grep=( -- a.txt
        --extended-regexp --grep=( -- a.txt
        --grep=( -- a.txt
        -E --grep=a{ -- a.txt
        --author=\( -- a.txt
        --author= -- a.txt
        --committer=* -- a.txt
        --anchored= -- a.txt
        --word-diff-regex=[ -- a.txt
        --diff-filter= -- a.txt
        --diff-filter=* -- a.txt
        --diff-filter=a -- a.txt
        --skip-to= -- a.txt
        --skip-to=x -- a.txt
        --skip-to=nope -- a.txt
        --rotate-to=nope -- a.txt
        --src-prefix -- a.txt
        --line-prefix= -- a.txt
        --relative=x -- a.txt
        --relative= -- a.txt
        --submodule= -- a.txt
        --word-diff= -- a.txt
        --ignore-submodules= -- a.txt
        --notes= -- a.txt
        --notes=x -- a.txt
        --show-notes=x -- a.txt
        --find-object=HEAD -- a.txt
        --find-object=HEAD~1 -- a.txt
        --find-object=v2 -- a.txt
        --find-object=HEAD:a.txt -- a.txt
        --find-object=0000000000000000000000000000000000000000 -- a.txt
        --find-object=HEAD.. -- a.txt
        --max-count=5 --max-count=x -- a.txt
        --word-diff=x -- a.txt
        --word-diff=color -- a.txt
        --submodule=x -- a.txt
        --diff-filter=Mz -- a.txt
        --diff-filter=mA -- a.txt
        --ignore-submodules=x -- a.txt
        --min-parents=x -- a.txt
        --max-parents=-1 -- a.txt
        --expand-tabs=x -- a.txt
        --stat-width=x -- a.txt
        -Ux -- a.txt
        --skip=x -- a.txt
        --find-object=nosuch -- a.txt
        --dirstat=files,x -- a.txt
        --cherry --left-only --right-only -- a.txt
        --cherry-pick --cherry-mark -- a.txt
        --name-only --check -- a.txt
        --graph --no-walk -- a.txt
        --show-linear-break --graph -- a.txt
        --combined-all-paths -- a.txt
        --pickaxe-all --find-object=HEAD -Gx -- a.txt
        --early-output=x -- a.txt
    "#;
    let repository = two_commits();
    let plain = assert_same(&repository, &["--", "a.txt"]);
    let (mut taken, mut refused) = (0, 0);
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let run = |program: &OsStr, first| {
            let mut command = repository.command(program);
            command.arg(first).args(line.split(' '));
            ProgramOutput::of(command.current_dir(repository.root()))
        };
        assert_eq!(
            run(tblame_program().as_os_str(), "--threads=1"),
            plain,
            "{line}"
        );
        match run(git_program(), "blame") {
            git if git.status == Some(0) => {
                assert_eq!(git, plain, "{line}");
                taken += 1;
            }
            _ => refused += 1,
        }
    }
    assert!(
        taken > 100 && refused > 40,
        "{taken} taken, {refused} refused"
    );
}

/// git explains this error further, which tblame does not.
#[test]
fn the_commit_of_an_ancestry_path_must_exist() {
    assert_same_first_error(&two_commits(), &["--ancestry-path=x", "--", "a.txt"]);
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let repository = two_commits();
    let lines = r#"
        --exclude-hidden=fetch --remotes -- a.txt
        --exclude-hidden=fetch --all -- a.txt
        --exclude-hidden=fetch --branches -- a.txt
        --exclude-hidden=fetch --tags -- a.txt
        --exclude-hidden=fetch --glob=x -- a.txt
        --exclude-hidden=fetch --exclude-hidden=fetch -- a.txt
        --exclude-hidden=fetch --remotes=x -- a.txt
        --exclude-hidden=fetch --exclude=x --remotes -- a.txt
        --exclude=x --exclude-hidden=fetch --remotes -- a.txt
        --remotes --exclude-hidden=fetch -- a.txt
        --no-walk=x -- a.txt
        --no-walk=x HEAD~1 -- a.txt
        HEAD~1 --no-walk -- a.txt
        HEAD~1..HEAD --no-walk -- a.txt
        --no-walk HEAD~1..HEAD -- a.txt
        --reverse HEAD~1..HEAD --no-walk -- a.txt
        --reverse HEAD~1..HEAD --no-walk --do-walk -- a.txt
        --reverse --no-walk HEAD~1..HEAD -- a.txt
        --reverse --no-walk HEAD~1 -- a.txt
        --reverse --first-parent --no-walk HEAD~1 -- a.txt
        --reverse --first-parent HEAD -- a.txt
        --reverse HEAD -- a.txt
        --first-parent --reverse HEAD..HEAD -- a.txt
        --ignore-missing nope HEAD -- a.txt
        --ignore-missing nope -- a.txt
        --ignore-missing 1234567890123456789012345678901234567890 -- a.txt
        --ignore-missing nope..HEAD -- a.txt
        --ignore-missing ^nope -- a.txt
        --indexed-objects -- a.txt
        --indexed-objects --reverse HEAD~1..HEAD -- a.txt
        --indexed-objects HEAD -- a.txt
        HEAD --indexed-objects -- a.txt
        --merge -- a.txt
        HEAD --merge -- a.txt
        -g -- a.txt
        -g HEAD -- a.txt
        -g main -- a.txt
        -g v2 -- a.txt
        -g main~1 -- a.txt
        -g ^main~1 -- a.txt
        -g nope -- a.txt
        -g --reverse main~1 -- a.txt
        --max-age=-1 -- a.txt
        --max-age=-5 -- a.txt
        --min-age=-5 -- a.txt
        --reverse --min-age=-5 HEAD~1..HEAD -- a.txt
        --ancestry-path HEAD -- a.txt
        --ancestry-path HEAD~1..HEAD -- a.txt
        --ancestry-path ^HEAD~1 -- a.txt
        --ancestry-path=HEAD -- a.txt
        --ancestry-path=HEAD~1 -- a.txt
        --ancestry-path=HEAD~1 HEAD -- a.txt
        --ancestry-path=HEAD~1 HEAD -- a.txt
        --ancestry-path=HEAD HEAD -- a.txt
        --ancestry-path nosuch -- a.txt
        --ancestry-path --contents a.txt -- a.txt
        --ancestry-path --reverse HEAD~1..HEAD -- a.txt
        --ancestry-path --reverse HEAD~1 -- a.txt
        --contents= -- a.txt
        --contents=nope -- a.txt
        -S nope -- a.txt
        -S=  -- a.txt
        --no-line-porcelain -- a.txt
        --no-line-porcelain -p -- a.txt
        -p --no-line-porcelain -- a.txt
        --line-porcelain --no-porcelain -- a.txt
        --line-porcelain --no-porcelain -p -- a.txt
        --no-porcelain --line-porcelain -- a.txt
        --line-porcelain --porcelain -- a.txt
        --ancestry-path --no-walk HEAD -- a.txt
        --simplify-by-decoration --no-walk HEAD -- a.txt
        -g --reflog -- a.txt
        -g --all -- a.txt
        --until=2001-01-01 --reverse --first-parent HEAD~1..HEAD -- a.txt
        --until=2001-01-01 --reverse HEAD~1..HEAD -- a.txt
    "#;
    assert_all_same(&repository, lines);
}

/// Sides `b` and `c` of a merge; only what comes from `b` is on the way from it.
///
/// ```text
/// a ─┬─ b ─┬─ m ─ n
///    └─ c ─┘
/// ```
#[test]
fn an_ancestry_path_leaves_out_what_is_beside_it() {
    let fixture = HistoryBuilder::default()
        .commit("a", 1, &[], &[("f", "a\n")])
        .commit("b", 2, &["a"], &[("f", "b\na\n")])
        .commit("c", 3, &["a"], &[("f", "a\nc\n")])
        .commit("m", 4, &["b", "c"], &[("f", "b\na\nc\n")])
        .commit("n", 5, &["m"], &[("f", "b\na\nc\nn\n")])
        .build();
    let lines = |arguments: &[&str]| {
        let arguments = [arguments, &["--", "f"]].concat();
        fixture.order(&arguments);
        fixture.lines(&arguments)
    };
    assert_eq!(lines(&["a..n"]), "b ^a c n");
    assert_eq!(lines(&["--ancestry-path", "b..n"]), "^b ^b ^c n");
    assert_eq!(lines(&["--ancestry-path=b", "n"]), "b ^a ^c n");
    assert_eq!(lines(&["--ancestry-path=c", "a..n"]), "^b ^b c n");
    lines(&["--ancestry-path", "--ancestry-path=c", "b..n"]);
    lines(&["--ancestry-path=b", "--first-parent", "n"]);
    lines(&["--ancestry-path=c", "--reverse", "a..n"]);
    fixture.error(&["--ancestry-path", "n", "--", "f"]);
}

/// Only `b` and `n` have references: what lies between and before them is passed over.
///
/// ```text
/// a ─ b ─┬─ c ─┬─ m ─ n
///        └─ d ─┘
/// ```
#[test]
fn decoration_passes_over_commits_without_references() {
    let fixture = HistoryBuilder::default()
        .commit("a", 1, &[], &[("f", "a\n")])
        .commit("b", 2, &["a"], &[("f", "a\nb\n")])
        .commit("c", 3, &["b"], &[("f", "c\na\nb\n")])
        .commit("d", 4, &["b"], &[("f", "a\nb\nd\n")])
        .commit("m", 5, &["c", "d"], &[("f", "c\na\nb\nd\n")])
        .commit("n", 6, &["m"], &[("f", "c\na\nb\nd\nn\n")])
        .build();
    let (b, n) = (fixture.id("b").to_owned(), fixture.id("n").to_owned());
    let repository = &fixture.repository;
    for line in repository
        .git_text(&["for-each-ref", "--format=%(refname)"])
        .lines()
    {
        repository.git(&["update-ref", "-d", line]);
    }
    repository.git(&["update-ref", "refs/tags/b", &b]);
    repository.git(&["update-ref", "refs/heads/main", &n]);
    let arguments = ["--simplify-by-decoration", &*n, "--", "f"];
    fixture.same(&["--porcelain"], &arguments);
    fixture.same(&["--incremental"], &arguments);
    fixture.same(&["--porcelain", "--first-parent"], &arguments);
    fixture.same(&["--porcelain", "--reverse"], &arguments);
}
