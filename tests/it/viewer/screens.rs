//! What the screen looks like.

use insta::assert_snapshot;
use tblame::internals::viewer::{
    app::settings::environment::RepositoryInfo,
    model::{
        background::provenance::MergeCommit,
        source::CommitContext,
        web_links::{UrlTemplates, WebLinks},
    },
    theme::terminal_colors::ColorDepth,
};

use super::{
    driver::Driver,
    fake_history::{FakeHistory, lamp_history, line},
};

#[test]
fn the_whole_screen() {
    let driver = Driver::new(lamp_history(), 80, 16);
    assert_snapshot!(without_times(&driver.screen()), @r"
     tblame  src/lantern.rs @ HEAD                                      line 1 of 6
    03030303 Cleo                    4 years ►  1 │ //! The lantern.
    01010101 Ada                     6 years    2 ┊ fn light() {
    02020202 Ben                     5 years    3 ┃     trim();
    03030303 Cleo                    4 years ▌  4 │     burn(oil);
    01010101 Ada                     6 years    5 ┊ }
    03030303 Cleo                    4 years ▌  6 │ // end




    ─ 03030303 ─ Cleo ─ 2015-08-15 (4 years ago) ─ 3 lines here ────────────────────
     Say what burns

     the commit added this line and replaced none
     , before  b at  ? keys  Enter diff  / search  q quit  Tab message
    ");
}

#[test]
fn a_wide_screen() {
    let mut driver = Driver::new(lamp_history(), 120, 14);
    driver.keys("2j");
    assert_snapshot!(without_times(&driver.screen()), @r"
     tblame  src/lantern.rs @ HEAD                                                                      light · line 3 of 6
    03030303 Cleo                    4 years    1 │ //! The lantern.
    01010101 Ada                     6 years    2 ┊ fn light() {
    02020202 Ben                     5 years ►  3 ┃     trim();
    03030303 Cleo                    4 years    4 │     burn(oil);
    01010101 Ada                     6 years    5 ┊ }
    03030303 Cleo                    4 years    6 │ // end



    ─ 02020202 ─ Ben ─ 2014-07-11 (5 years ago) ─ 1 line here ─────────────────────────────────────────────── 1 more below ─
     Trim the wick before lighting

     , before  b at  ? keys  Enter diff  / search  q quit  Tab message  L line history  F versions  w whitespace  i ignore
    ");
}

#[test]
fn the_diff_of_a_commit() {
    let mut driver = Driver::new(lamp_history(), 80, 22);
    driver.keys("3j<CR>");
    assert_snapshot!(without_times(&driver.screen()), @r"
    diff 03030303  src/lantern.rs · 2015-08-15 · Cleo
    Say what burns
    line 1 (old: 1) ───────────────────────────────────────────────────────────────
         1 + //! The lantern.
     1   2   fn light() {
     2   3       trim();
     3     -     burn();
         4 +     burn(oil);
     4   5   }
         6 + // end











    Esc close  , blame the old side  b the new side  ] next change  ? keys
    ");
    driver.resize(30, 8);
    assert_snapshot!(without_times(&driver.screen()), @r"
     diff 03030303  …c/lantern.rs
      fn light() {
          trim();
    -     burn();
    +     burn(oil);
      }
    + // end
     Esc close  ? keys
    ");
}

#[test]
fn colors_by_age_author_and_commit() {
    let mut driver = Driver::with_depth(lamp_history(), 100, 14, ColorDepth::True);
    let grounds = |driver: &Driver| {
        let buffer = driver.memory().terminal.backend().buffer();
        let rows = (2..6).map(|y| buffer.cell((0, y)).expect("a cell").bg);
        rows.collect::<Vec<_>>()
    };
    let shades = grounds(&driver);
    driver.keys("c");
    let last = driver.screen().lines().last().map(str::to_owned);
    assert!(last.is_some_and(|last| last.contains(" age ")));
    let ages = grounds(&driver);
    assert!(ages != shades && ages[0] == ages[3] && ages[0] != ages[1]);
    driver.keys("c");
    assert!(driver.screen().contains(" authors "));
    let authors = grounds(&driver);
    assert!(authors != ages && authors[0] == authors[3]);
    driver.keys("c");
    assert!(driver.screen().contains(" commits "));
    driver.keys("c");
    // No request brought a line: only the selected commit has a ground.
    let requests = grounds(&driver);
    assert_eq!(requests[2], shades[2]);
    assert!(
        [0, 1, 3]
            .iter()
            .all(|&at| requests[at] == ratatui::style::Color::Reset)
    );
    // Where there are no colors, it says so.
    let mut driver = Driver::new(lamp_history(), 100, 14);
    driver.keys("c");
    assert!(driver.screen().contains("needs colors"));
}

#[test]
fn a_switched_blame() {
    let mut driver = Driver::new(lamp_history(), 100, 12);
    driver.keys("3jwi");
    assert_snapshot!(without_times(&driver.screen()), @r"
     src/lantern.rs @ HEAD  -w 1 ignored                                            light · line 4 of 6
    ?0202020 Ben                     5 years ◆  1 │ //! The lantern.
    01010101 Ada                     6 years    2 ┃ fn light() {
    02020202 Ben                     5 years ▌  3 │     trim();
                                             ◆  4 │     burn(oil);
    01010101 Ada                     6 years    5 ┃ }
    ?0202020 Ben                     5 years ◆  6 │ // end

    ─ 02020202 ─ Ben ─ 2014-07-11 (5 years ago) ─ 4 lines here ─ found by likeness (?) ── 1 more below ─
     Trim the wick before lighting

     03030303 is ignored: ◇ ◆ another commit (3 lines: J), ? by likeness, * none
    ");
}

#[test]
fn a_screen_of_twenty_columns() {
    let driver = Driver::new(lamp_history(), 20, 8);
    assert_snapshot!(without_times(&driver.screen()), @r"
     …/lantern.rs @ HEAD
    ►//! The lantern.
     fn light() {
         trim();
    ▌    burn(oil);
     }
    ▌// end
     , before  ? keys
    ");
}

#[test]
fn the_commit_is_read() {
    let mut driver = Driver::new(lamp_history(), 80, 16);
    driver.keys("2j<Tab>");
    assert_snapshot!(without_times(&driver.screen()), @r"
     tblame  src/lantern.rs @ HEAD                              light · line 3 of 6
    01010101 Ada                     6 years    2 ┊ fn light() {                   ▌
    02020202 Ben                     5 years ►  3 ┃     trim();                    ▐
    03030303 Cleo                    4 years    4 │     burn(oil);
    ─ 02020202 ─ Ben ─ 2014-07-11 (5 years ago) ─ 1 line here ──────────────────────
     Trim the wick before lighting

     A long wick smokes.

     commit     0202020202020202020202020202020202020202
     author     Ben <ben@example.org>  2014-07-11 01:00:00 +0100 (5 years ago)
     file       src/lantern.rs
     old path   src/lamp.rs

     the commit added this line and replaced none
     Esc close  Enter diff  ? keys
    ");
}

#[test]
fn columns_are_chosen() {
    let mut driver = Driver::new(lamp_history(), 100, 16);
    // A narrower author, the original line first, the date as the day.
    driver.keys("|j----jjjjj KKKKK/dates<CR>ll");
    assert_snapshot!(without_times(&driver.screen()), @r"
     tblame  src/lantern.rs @ HEAD                                                          line 1 of 6
    03030303     1 Cleo             2015-08-15 ►  1 │ /│ Switches: change the format of dates
    01010101     1 Ada              2013-06-06    2 ┊ f│ ✓ date (short)                             10 │
    02020202     2 Ben              2014-07-11    3 ┃  │   email                                       █
    03030303     4 Cleo             2015-08-15 ▌  4 │  │   summary                                     █
    01010101     3 Ada              2013-06-06    5 ┊ }│   path                                        █
    03030303     6 Cleo             2015-08-15 ▌  6 │ /│   release                                     █
                                                       │   request                                     █
                                                       │   origin                                      █
                                                       │   agent                                       │
                                                       │   change                                      │
    ─ 03030303 ─ Cleo ─ 2015-08-15 (4 years ago) ─ 3 li│ ✓ line                                      3 │
     Say what burns                                    │   share of the screen                     40% │
                                                       │ switches                                      │
     the commit added this line and replaced none      │>  format of dates                    short    │
     dates: short                                                                          match 1 of 1
    ");
    driver.keys("gjj <Esc>");
    assert_snapshot!(without_times(&driver.screen()), @r"
     tblame  src/lantern.rs @ HEAD                                                          line 1 of 6
    03030303     1 2015-08-15 ►  1 │ //! The lantern.
    01010101     1 2013-06-06    2 ┊ fn light() {
    02020202     2 2014-07-11    3 ┃     trim();
    03030303     4 2015-08-15 ▌  4 │     burn(oil);
    01010101     3 2013-06-06    5 ┊ }
    03030303     6 2015-08-15 ▌  6 │ // end




    ─ 03030303 ─ Cleo ─ 2015-08-15 (4 years ago) ─ 3 lines here ────────────────────────────────────────
     Say what burns

     the commit added this line and replaced none
     , before  b at  ? keys  Enter diff  / search  q quit  Tab message  L line history  F versions
    ");
    driver.keys("|/share<CR>++++++++").resize(160, 12);
    assert_snapshot!(without_times(&driver.screen()), @r"
     tblame  src/lantern.rs @ HEAD                                                                                                                      line 1 of 6
    03030303     1 2015-08-15 ►  1 │ //! The lantern.                                                              │ Columns and switches: most for all columns
    01010101     1 2013-06-06    2 ┊ fn light() {                                                                  │   summary                                     │
    02020202     2 2014-07-11    3 ┃     trim();                                                                   │   path                                        █
    03030303     4 2015-08-15 ▌  4 │     burn(oil);                                                                │   release                                     █
    01010101     3 2013-06-06    5 ┊ }                                                                             │   request                                     █
    03030303     6 2015-08-15 ▌  6 │ // end                                                                        │   origin                                      │
                                                                                                                   │   agent                                       │
    ─ 03030303 ─ Cleo ─ 2015-08-15 (4 years ago) ─ 3 lines here ───────────────────────────────────────────────────│   change                                      │
     Say what burns                                                                 │ the commit added this line an│ ✓ line                                      3 │
                                                                                    │                              │>  share of the screen                     80% │
     n next  N previous  Esc close  + - wider, narrower  ? keys                                                                                        match 1 of 1
    ");
    driver.resize(20, 8);
    assert_snapshot!(without_times(&driver.screen()), @r"
     …/lantern.rs @ HEAD
    │ Columns and switc…
    │   origin         │
    │   agent          █
    │   change         │
    │ ✓ line           │
    │>  share of the s…│
           match 1 of 1
    ");
}

#[test]
fn what_surrounds_a_commit() {
    let message = "Light it (#12)\n\nSee !3.\n\nFixes: #9\nAcked-by: Ben <ben@example.org>";
    let mut history = FakeHistory::default().commit("Ada", message, |lines| lines.push(line("x")));
    let merge = MergeCommit {
        id: FakeHistory::id(7),
        summary: "Merge branch 'light'".into(),
    };
    let found = CommitContext {
        refs: vec!["main".into(), "tag v1\u{1b}".into()],
        mentioned_commits: vec![("0909090".into(), FakeHistory::id(8))],
    };
    history.circumstances.insert(FakeHistory::id(0), found);
    let history = history.merged(merge);
    let around = RepositoryInfo {
        web: WebLinks::new(
            Some("git@gitlab.com:o/lamp.git".into()),
            UrlTemplates::default(),
        ),
        ..RepositoryInfo::default()
    };
    let mut driver = Driver::with_context(history, around);
    driver.keys("<Tab>");
    assert_snapshot!(without_times(&driver.screen()), @r"
     tblame  src/lamp.rs @ HEAD                                         line 1 of 1
    01010101 Ada                     6 years ►  1 │ x




    ─ 01010101 ─ Ada ─ 2013-06-06 (6 years ago) ─ 1 line here ─────── 1 more below ─
     Light it (#12)
     merged by 08080808
     See !3.

     Fixes: #9
     Acked-by: Ben <ben@example.org>

     refs       main, tag v1^[
     merged by  08080808 Merge branch 'light'
     #12        https://gitlab.com/o/lamp/-/issues/12
     !3         https://gitlab.com/o/lamp/-/merge_requests/3
     #9         https://gitlab.com/o/lamp/-/issues/9

     commit     0101010101010101010101010101010101010101
     author     Ada <ada@example.org>  2013-06-06 01:00:00 +0100 (6 years ago)
     file       src/lamp.rs
     Esc close  j down  k up  Enter diff  r references  ? keys
    ");
}

#[test]
fn author_and_date_outlive_the_id() {
    let mut driver = Driver::new(lamp_history(), 40, 12);
    driver.keys("j");
    let screen = driver.screen();
    assert!(
        screen.contains("Cleo") && screen.contains("Ada"),
        "{screen}"
    );
    assert!(!screen.lines().nth(1).expect("a row").contains("03030303"));
}

#[test]
fn the_help_names_every_key() {
    let mut driver = Driver::new(lamp_history(), 80, 125);
    driver.keys("??");
    let screen = driver.screen();
    let (page, _) = screen.rsplit_once('\n').expect("rows");
    assert_snapshot!(page.trim_end(), @r"
    keys: Blame, all
    History
      ,  ~  -             blame before this line's commit
      b                   blame at this line's commit
      P                   before a merge, and in its diff: the next parent
      <  Backspace  ^O    back to where you were
      >                   forward again
      L                   the history of this line, or of the selected lines
      v                   select several lines, for L and y
      F                   the versions of this file
      (                   time-lapse: the version of this file before this one
      )                   time-lapse: the version after this one
      .                   what became of this line: its next change
      D                   mark where lines were deleted; Enter there shows them
      ^R  F5              reload when the file or HEAD has changed

    Blame options (< undoes)
      w                   ignore whitespace (-w), on or off
      M                   detect lines moved in the file (-M), on or off
      C                   detect copied lines (-C), up to 3 times
      i                   ignore this line's commit
      I                   save what is ignored, or else this line's commit, to
                          the ignore-revs file
      x                   peel: who had this group before its commit; the other
                          lines stay
      X                   put back what was peeled last at this line
      O                   who wrote lines that were moved or reindented; again:
                          let that count; again: off

    Commit
      Enter               show the commit's diff at this line
      a                   show the diff of all files of the commit
      Tab                 read the commit's message; again to return
      r                   select a reference in its message, for o and Enter

    Move
      j  Down  ^N         down (a count before a motion repeats it)
      k  Up  ^P           up
      ^E                  scroll down by a line
      ^Y                  scroll up by a line
      ^D                  half a page down
      ^U                  half a page up
      Space  PgDn  ^F     a page down
      PgUp  ^B            a page up
      g  Home             first line
      G  End              last line; with a count, that line
      %                   with a count, that percentage of the file: 50%
      zt                  scroll this line to the top of the screen
      zz                  scroll it to the middle
      zb                  scroll it to the bottom
      :                   go to a line, a percentage, a revision, a date or a
                          file: :120  :50%  :HEAD~20  :2015-06-01  :REV:FILE
      h  Left             scroll left
      l  Right            scroll right
      0                   scroll to the lines' start
      $                   scroll to this line's end
      W                   wrap long lines, on or off; with a count, the width of
                          tabs: 4W
      m                   mark this line with the letter that follows
      '                   go to the mark of that letter; '' goes back

    Groups
      ]                   next group
      [                   previous group
      }                   next group of the same commit
      {                   previous group of the same commit

    Find
      /                   search code, authors, summaries, ids for a regular
                          expression; any case unless it has capitals
      n                   next match
      N                   previous match
      *                   search the first name in this line; its commit's id if
                          there is none
      #                   the same, towards the start of the file
      &                   let lines stand out: of an author, dates, a request, a
                          release, an agent, a text in the summary: &2019..2021
                          &#12  &agent:  &/fix
      H                   let lines of a span of dates stand out, chosen in the
                          histogram of ages
      J                   the next of these lines; without a filter, of the marks
                          of D or O, or of what a step or an option changed
      K                   the previous of them
      f                   open another file of this version

    External
      y                   copy the commit's id, or the selected lines
      Y                   copy a link to this line
      o                   open the commit in the browser
      e                   edit the file at this line
      !                   run the configured command on this line

    tblame
      c                   colors: age, author, commit, request or agent
      |                   choose columns and switches: dates, details and others
      s                   choose a theme, with a preview
      A                   people: their lines, share, years
      E                   choose the encoding of files
      T                   a tour of the keys; again: its next step
      ^T                  end the tour
      ?  F1               the most important keys of this page; again: all
      Esc                 close, cancel, clear the search, then the filter
      ^L                  redraw the screen
      ^Z                  suspend
      q  ZZ  ZQ           close, or quit
      ^C                  quit from any page

    Mouse
      click               select a line; on an id, show the commit's diff
      double click        show the commit's diff at this line
      drag                select several lines
      right button        copy what is under it: an id, a name, a date, a line

    Signs
      “►” “▌”             the selected line, and the other lines of its commit
      “◇” “◆”             a line whose commit an option has changed; the same of
                          the selected commit
      “+1” “ai”           so many other authors; written by an AI agent
      “?”                 before an id: found beyond an ignored commit, as a
                          similar line
      “*”                 before an id: an ignored commit wrote it, and nothing
                          before it is alike
      “^”                 before an id: older history is not looked at
      “····”              not attributed yet, or not committed
    ");
}

#[test]
fn the_help_begins_with_the_most_important_keys() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    let before = driver.screen();
    driver.keys("?");
    let screen = driver.screen();
    let (page, keys) = screen.rsplit_once('\n').expect("rows");
    assert_snapshot!(page.trim_end(), @r"
    keys: Blame, the most important
      ,  b                blame before this line's commit, or at it
      <  >                back to where you were, and forward again
      Enter               show the commit's diff at this line
      Tab                 read the commit's message; again to return
      L                   the history of this line
      F                   the versions of this file
      (  )                time-lapse: the version before this one, and after it
      w                   ignore whitespace when comparing lines, on or off
      /  n                search; the next match
      :                   go to a line, a revision, a date or a file: :120  :v1.0
      |                   columns and switches: dates, wrapping, details and
                          others
      q                   quit
    ");
    assert_eq!(keys.trim(), "Esc close  ? all keys  / search them");
    driver.keys("?");
    assert!(driver.screen().contains("Blame options (< undoes)"));
    driver.keys("?");
    assert_eq!(driver.screen(), before);
    // A search is of all keys.
    for (word, found) in [
        ("peel", "peel: who had this group"),
        ("time-lapse", "time-lapse: the version after this one"),
    ] {
        driver.keys(&format!("?/{word}<CR>"));
        assert!(driver.screen().contains(found), "{}", driver.screen());
        driver.keys("<Esc>");
    }
}

#[test]
fn hostile_text_stays_aligned() {
    let history =
        FakeHistory::default().commit("Mallory\u{1b}[31m\u{202e}", "\u{1b}]0;x\u{7}", |lines| {
            lines.extend(
                [
                    "日本\tx",
                    "e\u{301}\tx",
                    "\u{1b}[2J",
                    "a\u{202e}b\u{200b}",
                    "\u{0}\r",
                    "👩\u{200d}🚀|",
                ]
                .map(line),
            );
        });
    let mut driver = Driver::new(history, 80, 14);
    assert_snapshot!(without_times(&driver.screen()), @r"
     tblame  src/lamp.rs @ HEAD                                         line 1 of 6
    01010101 Mallory^[[31m…          6 years ►  1 │ 日 本     x
                                             ▌  2 │ é       x
                                             ▌  3 │ ^[[2J
                                             ▌  4 │ a<U+202E>b<U+200B>
                                             ▌  5 │ ^@^M
                                             ▌  6 │ 👩 🚀 |



    ─ 01010101 ─ Mallory^[[31m<U+202E> ─ 2013-06-06 (6 years ago) ─ 6 lines here ───
     ^[]0;x^G

     binary file: other bytes are shown as ^@ or <FF>  b at  ? keys  Enter diff
    ");
    driver.keys("l");
    assert_snapshot!(without_times(&driver.screen()), @r"
     tblame  src/lamp.rs @ HEAD                                         line 1 of 6
    01010101 Mallory^[[31m…          6 years ►  1 │‹x
                                             ▌  2 │‹x
                                             ▌  3 │‹
                                             ▌  4 │‹>b<U+200B>
                                             ▌  5 │‹
                                             ▌  6 │‹



    ─ 01010101 ─ Mallory^[[31m<U+202E> ─ 2013-06-06 (6 years ago) ─ 6 lines here ───
     ^[]0;x^G

     binary file: other bytes are shown as ^@ or <FF>  b at  ? keys  Enter diff
    ");
}

#[test]
fn a_note_leaves_room_for_keys() {
    let history = FakeHistory::default().commit("Ada", "Write bytes", |lines| {
        lines.push(line("\u{0}"));
    });
    let mut driver = Driver::new(history, 80, 10);
    for (width, note) in [
        (
            80,
            " binary file: other bytes are shown as ^@ or <FF>  b at",
        ),
        (60, " binary file  b at"),
        (40, " binary file  b at"),
    ] {
        driver.resize(width, 10);
        let screen = driver.screen();
        let status = screen.lines().last().unwrap_or_default();
        assert!(status.starts_with(note), "{width}: {status}");
    }
}

#[test]
fn any_size_can_be_drawn() {
    let mut driver = Driver::new(lamp_history(), 80, 24);
    for (width, height) in [
        (1, 1),
        (5, 3),
        (20, 2),
        (200, 60),
        (26, 9),
        (0, 0),
        (80, 24),
    ] {
        driver
            .resize(width, height)
            .keys("j?<Esc>/x<Esc>k<Tab><Tab><CR>n<CR>,<");
    }
    assert!(driver.screen().contains("burn(oil);"));
}

/// The screen without the duration of the blame, which varies.
pub fn without_times(screen: &str) -> String {
    let time = regex::Regex::new(r"\d+\.\d\d s").expect("an expression");
    time.replace_all(screen, "0.00 s").into_owned()
}
