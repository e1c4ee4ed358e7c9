//! The patch for people: the gutter and the summary.

use bstr::ByteSlice;

use super::run;
use crate::harness::repository::{ObjectFormat, TestRepo};

fn commit(repository: &TestRepo, text: &str, name: &str, day: &str) {
    repository.write(b"f", text.as_bytes());
    repository.git(&["add", "f"]);
    let author = format!("--author={name} <{}@example.com>", name.to_lowercase());
    let date = format!("--date={day}T12:00:00+0000");
    let message = format!("By {name}");
    repository.git(&["commit", "-q", "-m", &message, &author, &date]);
}

#[test]
fn a_gutter_stands_beside_the_old_side_and_a_summary_at_the_end() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    commit(&repository, "1\n2\n3\n4\n5\n", "Ann", "2020-01-01");
    repository.git(&["branch", "upstream"]);
    repository.git(&["config", "branch.main.remote", "."]);
    repository.git(&["config", "branch.main.merge", "refs/heads/upstream"]);
    commit(&repository, "1\ntwo\n3\n4\n5\n", "Bo", "2021-01-01");
    repository.write(b"f", b"1\n2!\n3\n4\nnew\n5\n");
    let mut patch = repository.git(&["diff"]);
    patch.push(b'\n');
    let output = run(&repository, &["--abbrev=8"], &patch);
    let stderr = output.stderr.as_bstr();
    assert_eq!((output.status, stderr), (Some(0), b"".as_bstr()));
    let id = |revision: &str| repository.git_text(&["rev-parse", revision])[..8].to_owned();
    let (ann, bo) = (id("HEAD~1"), id("HEAD"));
    let long = repository.git_text(&["rev-parse", "HEAD"]);
    let blank = " ".repeat(39);
    let headers = patch.lines().take(5).map(|line| line.to_str_lossy());
    let headers = headers.collect::<Vec<_>>().join("\n");
    let expected = format!(
        "\
{headers}
{blank}| 1
{bo} 2021-01-01 Bo                 |-two
{blank}|+2!
{blank}| 3
{ann} 2020-01-01 Ann                ~ 4
{blank}|+new
{ann} 2020-01-01 Ann                ~ 5

1 old version blamed at {} with the contents that the patch names

1 line removed or changed, from 1 commit:
      1 {bo} 2021-01-01 Bo                 fixup! By Bo
Those marked fixup! are not in @{{upstream}} yet.

People to ask, not a verdict, with their lines removed or beside insertions:
removed beside newest line in these files
      1      0 2021-01-01 Bo <bo@example.com>
      0      2 2020-01-01 Ann <ann@example.com>

The removed lines are from 2021-01-01.
",
        &long[..10]
    );
    let shown = output.stdout.to_str_lossy();
    assert_eq!(shown, expected, "{shown}");
}
