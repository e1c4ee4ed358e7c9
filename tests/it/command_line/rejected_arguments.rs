//! Revisions, sets of revisions and options, most of which git rejects: the same errors.

use crate::harness::{
    command_lines::assert_all_same,
    repository::{ObjectFormat, TestRepo},
};

/// Three commits on `main`, a branch and a tag called `topic`, an annotated tag `v2`.
fn repository() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let mut text = String::new();
    for line in ["one", "two", "three"] {
        text.push_str(line);
        text.push('\n');
        repository.write(b"f", text.as_bytes());
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-q", "-m", line]);
    }
    repository.git(&["branch", "topic", "HEAD~1"]);
    repository.git(&["tag", "topic"]);
    repository.git(&["tag", "v1"]);
    repository.git(&["tag", "-a", "-m", "annotated", "v2", "HEAD~1"]);
    repository
}

fn same(lines: &str) {
    assert_all_same(&repository(), lines);
}

#[test]
fn names_of_revisions() {
    same(
        "HEAD^^^^ f
        @ f
        '' f
        ^nosuch f
        nosuch..HEAD f
        HEAD..nosuch f
        HEAD^@ f
        HEAD^! f
        HEAD^- f
        HEAD^-9 f
        HEAD..HEAD f
        HEAD...HEAD f
        HEAD...HEAD~1 f
        ..HEAD f
        HEAD.. f
        HEAD: f
        HEAD:f f
        :f f
        topic f
        heads/topic f
        tags/topic f
        v2^{} f
        v2^{tree} f
        HEAD@{0} f
        HEAD@{9} f
        @{9} f
        topic@{9} f
        @{u} f
        topic@{upstream} f
        nosuch@{u} f
        nosuch@{1} f
        :/three f
        :/nothing f
        HEAD^{/one} f
        123456 f
        ^1234567890123456789012345678901234567890 f
        1234567890123456789012345678901234567890..HEAD f
        HEAD..1234567890123456789012345678901234567890 f
        HEAD...1234567890123456789012345678901234567890 f",
    );
}

#[test]
fn sets_of_revisions() {
    same(
        "--all f
        --branches f
        --branches=top* f
        --tags f
        --tags=v* f
        --remotes f
        --glob=heads f
        --glob=refs/tags/v2 f
        --exclude=topic --branches f
        --exclude=refs/heads/topic --branches f
        --exclude=refs/heads/topic --all f
        --reflog f
        --indexed-objects f
        --bisect f
        --no-walk HEAD f
        --do-walk HEAD f
        --not HEAD f
        --not --all f
        --not HEAD --not HEAD~1 f
        ^HEAD HEAD f
        ^v2 HEAD~1 f
        v2 ^HEAD~1 f
        v1 v2 f
        HEAD HEAD f",
    );
}

#[test]
fn reverse_needs_one_start() {
    same(
        "--reverse f
        --reverse HEAD~1 f
        --reverse HEAD~2..HEAD~1 f
        --reverse ^HEAD~1 ^HEAD~2 f
        --reverse HEAD HEAD~1 f
        --reverse ^HEAD~1 f
        --reverse HEAD~2..HEAD~1 HEAD f
        --reverse --first-parent HEAD~2 f
        --reverse --first-parent HEAD~2..HEAD f
        --reverse --first-parent HEAD~2..HEAD~1 HEAD f
        --reverse --first-parent ^HEAD~2 f
        --reverse HEAD: f
        --reverse ^HEAD: f
        --reverse nosuch f
        --reverse HEAD~1 nosuch
        --reverse --contents f HEAD~1 f",
    );
}

#[test]
fn contents_of_other_files() {
    same(
        "--contents f HEAD~1 f
        --contents f HEAD~1 nosuch
        --contents nosuch HEAD~1 f
        --contents f HEAD~1 HEAD f
        --contents f ^HEAD~1 f
        --contents . f
        --contents - f
        --contents - HEAD~1 f
        --contents f --no-contents f",
    );
}

#[test]
fn words_of_options() {
    same(
        "--por f
        --sco f
        --l f
        --line f
        --minim f
        -sfn f
        -snL1,2 f
        -L 1,2 f
        -sU3 f
        -sz f
        -5 f
        -5x f
        --abbrev=x f
        --abbrev= f
        --no-abbrev=3 f
        --root= f
        --max-age=x f
        --min-age=x f
        --since
        --encoding
        --date
        --date=foo f
        --date=format f
        -G
        -U
        -n
        --stat=3 f
        --patch=3 f
        --topo-order=3 f
        --min-parents f
        --format f
        --no-diff-algorithm f
        --e f
        --end-of-options HEAD f
        HEAD --end-of-options f
        HEAD f --
        -- f HEAD HEAD
        --progress --porcelain f
        --ignore-rev nosuch f
        --ignore-rev HEAD: f
        --ignore-revs-file nosuch f
        -S nosuch f",
    );
}
