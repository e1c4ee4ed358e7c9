//! How the screen looks: its colors in every theme and mode, and what fits into which width.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    path::Path,
};

use insta::assert_snapshot;
use ratatui::{
    buffer::Cell,
    style::{Color, Modifier},
};
use tblame::internals::{
    repository::provenance::{finder::Arrival, request_number::RequestNumber},
    viewer::{
        app::state::App,
        config::settings::Config,
        model::{attribution::Shade, color_mode::HUE_COUNT},
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
            terminal_colors::{Background, ColorDepth},
        },
    },
};

use super::{
    driver::Driver,
    fake_history::{FakeHistory, lamp_history, line},
    screens::without_times,
};

fn driver(size: (u16, u16), background: Background, depth: ColorDepth) -> Driver {
    let theme = Theme::new(background, depth);
    Driver::with_theme(lamp_history(), size, theme, Config::default())
}

fn color(color: Color) -> String {
    match color {
        Color::Reset => "-".to_owned(),
        Color::Indexed(index) => index.to_string(),
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        named => format!("{named:?}").to_lowercase(),
    }
}

/// The rows of the screen, each with letters for the styles of its cells, and what those are.
fn painted(driver: &Driver) -> String {
    let buffer = driver.memory().terminal.backend().buffer();
    let mut styles: Vec<(Color, Color, Modifier)> = Vec::new();
    let mut text = String::new();
    for row in buffer.content.chunks(usize::from(buffer.area.width)) {
        let symbols: String = row.iter().map(|cell| cell.symbol()).collect();
        let letters = row.iter().map(|cell| {
            let style = (cell.fg, cell.bg, cell.modifier);
            let known = styles.iter().position(|known| *known == style);
            let number = known.unwrap_or_else(|| {
                styles.push(style);
                styles.len() - 1
            });
            char::from(b'a' + number as u8)
        });
        let letters: String = letters.collect();
        writeln!(text, "{}\n{letters}", symbols.trim_end()).expect("a string");
    }
    for (letter, (front, back, modifier)) in ('a'..).zip(styles) {
        let mut words = format!("{letter} {} on {}", color(front), color(back));
        for (held, word) in [(Modifier::BOLD, " bold"), (Modifier::REVERSED, " reversed")] {
            if modifier.contains(held) {
                words.push_str(word);
            }
        }
        writeln!(text, "{words}").expect("a string");
    }
    without_times(&text)
}

/// The grounds of the lines, in every mode.
fn grounds(background: Background, depth: ColorDepth) -> String {
    let mut driver = driver((60, 8), background, depth);
    // Off the lines, whose selection would cover it.
    driver.keys("G");
    let mut columns = Vec::new();
    for mode in ["shades", "age", "author", "commit"] {
        let buffer = driver.memory().terminal.backend().buffer();
        let mut column = vec![mode.to_owned()];
        column.extend((1..7).map(|y| color(buffer[(0, y)].bg)));
        columns.push(column);
        driver.keys("c");
    }
    let rows = (0..7).map(|row| {
        let cells = columns.iter().map(|column| format!("{:<8}", column[row]));
        cells.collect::<Vec<_>>().join(" ").trim_end().to_owned()
    });
    rows.collect::<Vec<_>>().join("\n")
}

#[test]
fn dark_with_all_colors() {
    let driver = driver((40, 8), Background::Dark, ColorDepth::True);
    assert_snapshot!(painted(&driver), @r"
     src/lantern.rs @ HEAD              1/6
    abbbbbbbbbbbbbbaaabbbbaaaaaaaaaaaaaaaaaa
    Cleo      4y ►  1 │ //! The lantern.
    ccccccccdddddefffdddggggggggggggggggffff
    Ada       6y    2 │ fn light() {
    hhhhhhhhiiiiijiiiiiikklmmmmmllllllllllll
    Ben       5y    3 │     trim();
    nnnnnnnnooooopoooooollllmmmmllllllllllll
    Cleo      4y ▌  4 │     burn(oil);
    qqqqqqqqrrrrrsrrrrrrllllmmmmllllllllllll
    Ada       6y    5 │ }
    hhhhhhhhiiiiijiiiiiillllllllllllllllllll
    Cleo      4y ▌  6 │ // end
    qqqqqqqqrrrrrsrrrrrrttttttllllllllllllll
     , before  b at  ? keys  Enter diff
    abaaaaaaaaabaaaaabaaaaaaabbbbbaaaaaaaaaa
    a #d8dce4 on #2c3038
    b #d8dce4 on #2c3038 bold
    c #eceef2 on #3a3d46
    d #b4b8c0 on #3a3d46
    e #f0c65c on #3a3d46
    f #e2e4e8 on #3a3d46
    g #b0bca8 on #3a3d46
    h #eceef2 on #32252d
    i #b4b8c0 on #32252d
    j #f0c65c on #32252d
    k #d6b8f0 on -
    l - on -
    m #a4c8f8 on -
    n #eceef2 on #1f2e27
    o #b4b8c0 on #1f2e27
    p #f0c65c on #1f2e27
    q #eceef2 on #343126
    r #b4b8c0 on #343126
    s #f0c65c on #343126
    t #b0bca8 on -
    ");
}

#[test]
fn light_with_all_colors() {
    let driver = driver((40, 8), Background::Light, ColorDepth::True);
    assert_snapshot!(painted(&driver), @r"
     src/lantern.rs @ HEAD              1/6
    abbbbbbbbbbbbbbaaabbbbaaaaaaaaaaaaaaaaaa
    Cleo      4y ►  1 │ //! The lantern.
    ccccccccdddddefffdddggggggggggggggggffff
    Ada       6y    2 │ fn light() {
    hhhhhhhhiiiiijiiiiiikklmmmmmllllllllllll
    Ben       5y    3 │     trim();
    nnnnnnnnooooopoooooollllmmmmllllllllllll
    Cleo      4y ▌  4 │     burn(oil);
    qqqqqqqqrrrrrsrrrrrrllllmmmmllllllllllll
    Ada       6y    5 │ }
    hhhhhhhhiiiiijiiiiiillllllllllllllllllll
    Cleo      4y ▌  6 │ // end
    qqqqqqqqrrrrrsrrrrrrttttttllllllllllllll
     , before  b at  ? keys  Enter diff
    abaaaaaaaaabaaaaabaaaaaaabbbbbaaaaaaaaaa
    a #282c34 on #e4e6ea
    b #282c34 on #e4e6ea bold
    c #16181c on #cfcfcf
    d #4e545c on #cfcfcf
    e #6e2c00 on #cfcfcf
    f #20242a on #cfcfcf
    g #4c5848 on #cfcfcf
    h #16181c on #fbecee
    i #4e545c on #fbecee
    j #6e2c00 on #fbecee
    k #6a2c98 on -
    l - on -
    m #104898 on -
    n #16181c on #e8f5e6
    o #4e545c on #e8f5e6
    p #6e2c00 on #e8f5e6
    q #16181c on #fbebb0
    r #4e545c on #fbebb0
    s #6e2c00 on #fbebb0
    t #4c5848 on -
    ");
}

#[test]
fn dark_with_256_colors() {
    let driver = driver((40, 8), Background::Dark, ColorDepth::Indexed);
    assert_snapshot!(painted(&driver), @r"
     src/lantern.rs @ HEAD              1/6
    abbbbbbbbbbbbbbaaabbbbaaaaaaaaaaaaaaaaaa
    Cleo      4y ►  1 │ //! The lantern.
    cccccccccccccccccccccccccccccccccccccccc
    Ada       6y    2 │ fn light() {
    ddddddddeeeeefeeeeeegghiiiiihhhhhhhhhhhh
    Ben       5y    3 │     trim();
    jjjjjjjjkkkkklkkkkkkhhhhiiiihhhhhhhhhhhh
    Cleo      4y ▌  4 │     burn(oil);
    mmmmmmmmmmmmmmnnnnnnhhhhiiiihhhhhhhhhhhh
    Ada       6y    5 │ }
    ddddddddeeeeefeeeeeehhhhhhhhhhhhhhhhhhhh
    Cleo      4y ▌  6 │ // end
    mmmmmmmmmmmmmmnnnnnnoooooohhhhhhhhhhhhhh
     , before  b at  ? keys  Enter diff
    abaaaaaaaaabaaaaabaaaaaaabbbbbaaaaaaaaaa
    a 253 on 237
    b 253 on 237 bold
    c 254 on 60
    d 255 on 238
    e 251 on 238
    f 222 on 238
    g 183 on -
    h - on -
    i 153 on -
    j 255 on 236
    k 251 on 236
    l 222 on 236
    m 222 on 239
    n 251 on 239
    o 249 on -
    ");
}

#[test]
fn dark_with_16_colors() {
    let driver = driver((40, 8), Background::Dark, ColorDepth::Sixteen);
    assert_snapshot!(painted(&driver), @r"
     src/lantern.rs @ HEAD              1/6
    abbbbbbbbbbbbbbaaabbbbaaaaaaaaaaaaaaaaaa
    Cleo      4y ►  1 │ //! The lantern.
    cccccccccccccccccccccccccccccccccccccccc
    Ada       6y    2 ┊ fn light() {
    ddddddddeeeeefaaaaaaggaeeeeeaaaaaaaaaaaa
    Ben       5y    3 ┃     trim();
    ddddddddeeeeefaaaaaaaaaaeeeeaaaaaaaaaaaa
    Cleo      4y ▌  4 │     burn(oil);
    bbbbbbbbbbbbbbbbbbbbaaaaeeeeaaaaaaaaaaaa
    Ada       6y    5 ┊ }
    ddddddddeeeeefaaaaaaaaaaaaaaaaaaaaaaaaaa
    Cleo      4y ▌  6 │ // end
    bbbbbbbbbbbbbbbbbbbbaaaaaaaaaaaaaaaaaaaa
     , before  b at  ? keys  Enter diff
    abaaaaaaaaabaaaaabaaaaaaabbbbbaaaaaaaaaa
    a - on -
    b - on - bold
    c - on - reversed
    d green on -
    e cyan on -
    f lightyellow on -
    g lightmagenta on -
    ");
}

#[test]
fn light_with_16_colors() {
    let driver = driver((40, 8), Background::Light, ColorDepth::Sixteen);
    assert_snapshot!(painted(&driver), @r"
     src/lantern.rs @ HEAD              1/6
    abbbbbbbbbbbbbbaaabbbbaaaaaaaaaaaaaaaaaa
    Cleo      4y ►  1 │ //! The lantern.
    cccccccccccccccccccccccccccccccccccccccc
    Ada       6y    2 ┊ fn light() {
    ddddddddeeeeefaaaaaaeeadddddaaaaaaaaaaaa
    Ben       5y    3 ┃     trim();
    ddddddddeeeeefaaaaaaaaaaddddaaaaaaaaaaaa
    Cleo      4y ▌  4 │     burn(oil);
    bbbbbbbbbbbbbbbbbbbbaaaaddddaaaaaaaaaaaa
    Ada       6y    5 ┊ }
    ddddddddeeeeefaaaaaaaaaaaaaaaaaaaaaaaaaa
    Cleo      4y ▌  6 │ // end
    bbbbbbbbbbbbbbbbbbbbaaaaaaaaaaaaaaaaaaaa
     , before  b at  ? keys  Enter diff
    abaaaaaaaaabaaaaabaaaaaaabbbbbaaaaaaaaaa
    a - on -
    b - on - bold
    c - on - reversed
    d blue on -
    e magenta on -
    f red on -
    ");
}

#[test]
fn without_colors() {
    let driver = driver((40, 8), Background::Dark, ColorDepth::None);
    assert_snapshot!(painted(&driver), @r"
     src/lantern.rs @ HEAD              1/6
    abbbbbbbbbbbbbbaaabbbbaaaaaaaaaaaaaaaaaa
    Cleo      4y ►  1 │ //! The lantern.
    cccccccccccccccccccccccccccccccccccccccc
    Ada       6y    2 ┊ fn light() {
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    Ben       5y    3 ┃     trim();
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    Cleo      4y ▌  4 │     burn(oil);
    bbbbbbbbbbbbbbbbbbbbaaaaaaaaaaaaaaaaaaaa
    Ada       6y    5 ┊ }
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    Cleo      4y ▌  6 │ // end
    bbbbbbbbbbbbbbbbbbbbaaaaaaaaaaaaaaaaaaaa
     , before  b at  ? keys  Enter diff
    abaaaaaaaaabaaaaabaaaaaaabbbbbaaaaaaaaaa
    a - on -
    b - on - bold
    c - on - reversed
    ");
}

#[test]
fn grounds_of_every_mode() {
    assert_snapshot!(grounds(Background::Dark, ColorDepth::True), @r"
    shades   age      author   commit
    #343126  #343126  #343126  #343126
    #32252d  #292345  #3d2c49  #381516
    #1f2e27  #231d3f  #381516  #0f2810
    #343126  #343126  #343126  #343126
    #32252d  #292345  #3d2c49  #381516
    #3a3d46  #3a3d46  #3a3d46  #3a3d46
    ");
    assert_snapshot!(grounds(Background::Light, ColorDepth::True), @r"
    shades   age      author   commit
    #fbebb0  #fbebb0  #fbebb0  #fbebb0
    #fbecee  #e7e1ff  #f5e2ff  #c5e2c5
    #e8f5e6  #e1dbff  #f8cccb  #d3e5ff
    #fbebb0  #fbebb0  #fbebb0  #fbebb0
    #fbecee  #e7e1ff  #f5e2ff  #c5e2c5
    #cfcfcf  #cfcfcf  #cfcfcf  #cfcfcf
    ");
    assert_snapshot!(grounds(Background::Dark, ColorDepth::Indexed), @r"
    shades   age      author   commit
    239      239      239      239
    238      238      238      236
    236      236      236      236
    239      239      239      239
    238      238      238      236
    60       60       60       60
    ");
    assert_snapshot!(grounds(Background::Light, ColorDepth::Indexed), @r"
    shades   age      author   commit
    252      252      252      252
    253      253      253      254
    254      254      254      254
    252      252      252      252
    253      253      253      254
    153      153      153      153
    ");
    assert_snapshot!(grounds(Background::Dark, ColorDepth::None), @r"
    shades   age      author   commit
    -        -        -        -
    -        -        -        -
    -        -        -        -
    -        -        -        -
    -        -        -        -
    -        -        -        -
    ");
}

/// The rows of a diff, with the grounds and texts of their signs, of a word that both sides have,
/// and of one that differs.
fn diff(background: Background, depth: ColorDepth) -> String {
    let mut driver = driver((50, 22), background, depth);
    driver.keys("3j<CR>gj");
    let buffer = driver.memory().terminal.backend().buffer();
    let width = usize::from(buffer.area.width);
    let mut rows = Vec::new();
    for row in buffer.content.chunks(width) {
        let text: String = row.iter().map(|cell| cell.symbol()).collect();
        if !text.contains("burn(") && !text.contains("fn light") {
            continue;
        }
        let at = text.find(['b', 'f']).expect("code");
        let words = [4, at, at + 5].map(|at| {
            let cell = &row[at];
            let under = if cell.modifier.contains(Modifier::UNDERLINED) {
                "_"
            } else {
                ""
            };
            format!("{}{under} on {}", color(cell.fg), color(cell.bg))
        });
        rows.push(format!("{} | {}", text.trim_end(), words.join(" | ")));
    }
    rows.join("\n")
}

#[test]
fn both_sides_of_a_diff_have_their_colors() {
    let all = [
        (Background::Dark, ColorDepth::True),
        (Background::Light, ColorDepth::True),
        (Background::Dark, ColorDepth::Indexed),
        (Background::Light, ColorDepth::Indexed),
        (Background::Dark, ColorDepth::Sixteen),
        (Background::Dark, ColorDepth::None),
    ];
    let all = all.map(|(background, depth)| {
        format!("{background:?} {depth:?}\n{}", diff(background, depth))
    });
    assert_snapshot!(all.join("\n"), @r"
    Dark True
      2   fn light() { | #b4b8c0 on - | #d6b8f0 on - | #a4c8f8 on -
        -     burn(); | #f0b0b0 on #4c2026 | #a4c8f8 on #4c2026 | #fadcdc on #4c2026
      4 +     burn(oil); | #a4d8a4 on #163c26 | #a4c8f8 on #163c26 | #e4fae4 on #1b5230
    Light True
      2   fn light() { | #4e545c on - | #6a2c98 on - | #104898 on -
        -     burn(); | #8c1a22 on #ffe0e0 | #104898 on #ffe0e0 | #6a1018 on #ffe0e0
      4 +     burn(oil); | #1a5c28 on #d6f5d8 | #104898 on #d6f5d8 | #0c3c14 on #aee6b4
    Dark Indexed
      2   fn light() { | 251 on - | 183 on - | 153 on -
        -     burn(); | 217 on 52 | 153 on 52 | 254 on 52
      4 +     burn(oil); | 151 on 22 | 153 on 22 | 231 on 28
    Light Indexed
      2   fn light() { | 239 on - | 54 on - | 24 on -
        -     burn(); | 88 on 224 | 24 on 224 | 235 on 224
      4 +     burn(oil); | 22 on 194 | 24 on 194 | 234 on 157
    Dark Sixteen
      2   fn light() { | - on - | lightmagenta on - | cyan on -
        -     burn(); | lightred on - | lightred on - | lightred on -
      4 +     burn(oil); | green on - | green on - | green_ on -
    Dark None
      2   fn light() { | - on - | - on - | - on -
        -     burn(); | - on - | - on - | - on -
      4 +     burn(oil); | - on - | - on - | -_ on -
    ");
}

#[test]
fn the_legend_says_what_colors_mean() {
    let mut driver = driver((100, 8), Background::Dark, ColorDepth::True);
    let mut feet = String::new();
    for _ in 0..4 {
        let screen = driver.screen();
        feet.push_str(screen.lines().last().unwrap_or_default());
        feet.push('\n');
        driver.keys("c");
    }
    assert_snapshot!(feet, @r"
    , before  b at  ? keys  Enter diff  / search  q quit  Tab message  L line history  F versions
    , before  b at  ? keys  Enter diff  / search  q quit  Tab message         age 2013 ▆    ▃   █ 2015
    , before  b at  ? keys  Enter diff  / search  q quit      authors  ► Cleo 50%   Ada 33%   Ben 17%
    , before  b at  ? keys  Enter diff  / search  q quit       commits  ► 03030303 50%   01010101 33%
    ");
}

/// A legend and the count of a search take what the first six keys leave.
#[test]
fn legends_leave_the_first_keys() {
    let (mut footers, mut legends) = (0, 0);
    let searches = ["", "/1<CR>", "/Emil<CR>", "8jb<", "8jbv3j"];
    for (depth, keys) in [ColorDepth::None, ColorDepth::True]
        .into_iter()
        .flat_map(|depth| searches.map(|keys| (depth, keys)))
    {
        let foot = |mode: &str, width: u16| {
            let config = format!("color = '{mode}'");
            let config = Config::parse(config.as_bytes()).expect("a configuration");
            let theme = Theme::new(Background::Dark, depth);
            let mut driver = Driver::with_theme(crowded_history(), (width, 24), theme, config);
            // These end a message.
            driver.keys(keys).keys("jk");
            let screen = driver.screen();
            screen.lines().last().unwrap_or_default().to_owned()
        };
        let first = |foot: &str| -> Vec<String> {
            let words = foot.trim_start().split("  ").take(6);
            words.map(|it| it.trim().to_owned()).collect()
        };
        let all = first(&foot("shades", 300));
        assert_eq!(all.len(), 6);
        for width in [80, 100, 120, 200] {
            let without = foot("shades", width);
            // The keys of selected lines are longer.
            if width > 80 || !keys.contains('v') {
                assert_eq!(first(&without), all, "{keys} {width}: {without}");
            }
            for mode in ["age", "author", "commit", "request", "agent"] {
                let foot = foot(mode, width);
                assert_eq!(first(&foot), first(&without), "{mode} {width}: {foot}");
                footers += 1;
                legends += usize::from(foot != without);
            }
        }
    }
    assert_eq!(footers, 2 * 5 * 4 * 5);
    assert!(legends > footers / 2, "{legends} {footers}");
}

/// Sixty lines that 24 commits of eight authors wrote, of which most lines are of a few.
fn crowded_history() -> FakeHistory {
    const NAMES: [&str; 8] = [
        "Adalbert Lamplighter",
        "Benedict Wickmaker",
        "Cleopatra",
        "Dora",
        "Emil",
        "Friederike von Oelberg",
        "Gus",
        "Hildegard",
    ];
    let mut history = FakeHistory::default();
    for number in 0..24usize {
        let message = format!("Change {number} (#{})", number / 2);
        history = history.commit(NAMES[number * number % 7 + number % 2], &message, |lines| {
            if number == 0 {
                lines.extend((0..60).map(|at| line(&format!("line {at}"))));
            }
            for step in 0..5 {
                lines[(number * 17 + step * step * 5) % 60] = line(&format!("{number} {step}"));
            }
        });
        let request = Some(RequestNumber::Pull(number as u32 / 2));
        let arrival = Arrival {
            request,
            merge: None,
        };
        history
            .provenance
            .arrivals
            .push((FakeHistory::id(number), arrival));
    }
    history
}

/// All backgrounds and depths with colors.
fn themes() -> Vec<(Theme, ColorDepth)> {
    let depths = [ColorDepth::Sixteen, ColorDepth::Indexed, ColorDepth::True];
    let all = [Background::Dark, Background::Light].into_iter();
    let all = all.flat_map(|background| depths.map(|depth| (background, depth)));
    all.map(|(background, depth)| (Theme::new(background, depth), depth))
        .collect()
}

fn in_mode(history: FakeHistory, size: (u16, u16), theme: &Theme, mode: &str) -> Driver {
    let config = format!("color = '{mode}'\n[columns]\nshow = ['id', 'author', 'request', 'line']");
    let config = Config::parse(config.as_bytes()).expect("a configuration");
    Driver::with_theme(history, size, theme.clone(), config)
}

/// What the color of a line stands for, as the legend names it.
fn key_of(app: &App, mode: &str, line: u32) -> String {
    let view = app.view().expect("a view");
    let facts = view.attribution_of(line).expect("it is blamed");
    let metadata = facts.commit.metadata.as_ref().expect("it is known");
    match mode {
        "author" => metadata.author.name.to_string(),
        "commit" => facts.commit.id.to_string()[..8].to_owned(),
        _ => {
            let subject = metadata.summary().to_string();
            let number = subject.split_once('(').expect("a number").1;
            number.trim_end_matches(')').to_owned()
        }
    }
}

/// The color of a cell, whatever its tone is.
fn hue_of(theme: &Theme, depth: ColorDepth, cell: &Cell) -> String {
    if depth != ColorDepth::True {
        return color(cell.fg);
    }
    let has = |hue: u8, shade: Shade| {
        let style = theme.line(LineBackground::Hue(hue, shade), Foreground::Text);
        style.bg == Some(cell.bg)
    };
    let mut hues = (0..HUE_COUNT as u8).filter(|&hue| Shade::all().iter().any(|it| has(hue, *it)));
    let hue = hues.next().expect("a color of a hue");
    assert_eq!(hues.next(), None);
    hue.to_string()
}

/// The lines on the screen that are not of the selected commit, which has a color of its own: what each
/// stands for, its color whatever the tone is, and how it looks.
fn colored_lines(
    driver: &Driver,
    theme: &Theme,
    depth: ColorDepth,
    mode: &str,
) -> Vec<(u32, String, String, String)> {
    let app = driver.app();
    let view = app.view().expect("a view");
    let buffer = driver.memory().terminal.backend().buffer();
    let mut lines = Vec::new();
    for row in 0..app.layout().code.height {
        let shown = app.shown_at(u32::from(row));
        let Some((line, _)) = shown.filter(|(line, _)| *line < view.text.line_count()) else {
            break;
        };
        let group = view.attribution.group(line).expect("it is blamed");
        if Some(group.commit) == view.selected_commit() {
            continue;
        }
        let cells = (0..buffer.area.width).map(|x| &buffer[(x, app.layout().code.y + row)]);
        let separator = cells
            .map(|cell| cell.symbol())
            .find(|it| ["│", "┃", "┊"].contains(it));
        let cell = &buffer[(0, app.layout().code.y + row)];
        let hue = hue_of(theme, depth, cell);
        let look = format!("{hue} {} {separator:?}", color(cell.bg));
        lines.push((line, key_of(app, mode, line), hue, look));
    }
    lines
}

/// Scrolling, stepping to other versions and back, other sizes: none of them chooses colors anew.
#[test]
fn what_has_a_color_keeps_it_in_all_versions() {
    let (mut kept, mut beside) = (0, 0);
    for (theme, depth) in themes() {
        for mode in ["author", "commit", "request"] {
            let mut driver = in_mode(crowded_history(), (80, 24), &theme, mode);
            let mut known: BTreeMap<String, String> = BTreeMap::new();
            let steps = [
                "",
                "<C-d>",
                "G",
                "gg",
                ",",
                "<C-d>",
                ",",
                "5j,",
                "<C-d>",
                "8jb",
                "<",
                "<",
                "<",
                "<",
                ",",
                ")",
                "(",
                "(",
                "G",
                "ccccccgg",
                ":HEAD<CR>",
            ];
            for keys in steps {
                driver.keys(keys);
                let lines = colored_lines(&driver, &theme, depth, mode);
                for (_, key, hue, _) in &lines {
                    let before = known.entry(key.clone()).or_insert(hue.clone());
                    assert_eq!(
                        hue,
                        before,
                        "{key} {keys} {mode} {depth:?}\n{}",
                        driver.screen()
                    );
                    kept += 1;
                }
                for pair in lines.windows(2) {
                    let (one, other) = (&pair[0], &pair[1]);
                    if one.0 + 1 == other.0 && one.1 != other.1 {
                        assert_ne!(
                            one.3,
                            other.3,
                            "{keys} {mode} {depth:?}\n{}",
                            driver.screen()
                        );
                        beside += 1;
                    }
                }
            }
            let colors: BTreeSet<&String> = known.values().collect();
            assert!(colors.len() >= 4, "{colors:?}");
        }
    }
    assert!(kept > 4500 && beside > 3500, "{kept} {beside}");
}

/// Lines of 14 people, the first of whom wrote most.
fn peopled_history() -> FakeHistory {
    let mut history = FakeHistory::default();
    for number in 0..14usize {
        let name = format!("Person {number}");
        history = history.commit(&name, &format!("Change (#{number})"), |lines| {
            for at in 0..15 - number {
                let place = (number * 5 + at * 7) % (lines.len() + 1);
                lines.insert(place, line(&format!("{number} {at}")));
            }
        });
    }
    history
}

#[test]
fn those_who_wrote_most_have_colors_of_their_own() {
    let mut compared = 0;
    for (theme, depth) in themes() {
        let mut driver = in_mode(peopled_history(), (200, 160), &theme, "author");
        // Of the last one, whose color is not seen.
        driver.keys("/13 0<CR>");
        let lines = colored_lines(&driver, &theme, depth, "author");
        let hues: BTreeMap<&String, &String> =
            lines.iter().map(|(_, key, hue, _)| (key, hue)).collect();
        assert_eq!(hues.len(), 13, "{}", driver.screen());
        let all: BTreeSet<&&String> = hues.values().collect();
        let first = (0..all.len()).map(|number| hues[&format!("Person {number}")]);
        let first: BTreeSet<&String> = first.collect();
        assert_eq!(first.len(), all.len(), "{depth:?} {hues:?}");
        compared += first.len();
    }
    assert_eq!(compared, 6 + 4 + 12 + 12 + 12 + 12);
}

#[test]
fn legends_name_what_is_on_the_screen_in_its_colors() {
    let (mut compared, mut colors, mut selected_entries, mut left_out) = (0, 0, 0, 0);
    for (theme, depth) in themes() {
        for (size, mode) in [(80, 24), (120, 35), (200, 60)]
            .into_iter()
            .flat_map(|size| ["author", "commit", "request"].map(|mode| (size, mode)))
        {
            let mut driver = in_mode(crowded_history(), size, &theme, mode);
            driver.keys(if size.0 == 120 { "gg" } else { "G9k" });
            let screen = driver.screen();
            let case = format!("{depth:?} {size:?} {mode}\n{screen}");
            let lines = colored_lines(&driver, &theme, depth, mode);
            let of_lines: BTreeMap<&str, &str> = lines
                .iter()
                .map(|(_, key, hue, _)| (key.as_str(), hue.as_str()))
                .collect();
            let app = driver.app();
            let view = app.view().expect("a view");
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            let mut order: Vec<String> = Vec::new();
            for row in 0..u32::from(app.layout().code.height) {
                let shown = app.shown_at(row);
                let Some((line, _)) = shown.filter(|(line, _)| *line < view.text.line_count())
                else {
                    break;
                };
                let key = key_of(app, mode, line);
                *counts.entry(key.clone()).or_default() += 1;
                order.push(key);
            }
            order.dedup();
            for distance in [1, 2] {
                for (one, other) in order.iter().zip(order.iter().skip(distance)) {
                    let both = of_lines.get(one.as_str()).zip(of_lines.get(other.as_str()));
                    if let Some((first, second)) = both.filter(|_| one != other) {
                        // Those of 16 colors are too few.
                        let is_enough = depth != ColorDepth::Sixteen;
                        assert!(first != second || !is_enough, "{one} and {other}: {case}");
                        colors += usize::from(first != second);
                    }
                }
            }
            let foot = screen.lines().last().expect("a status line");
            let (_, legend) = foot.split_once("► ").expect(&case);
            let mut at = foot.chars().count() - legend.chars().count();
            let selected = key_of(app, mode, view.pager.position.line);
            let mut named: Vec<&String> = Vec::new();
            for entry in legend.trim_end().split("   ") {
                // Where there is room, its share follows.
                let share = entry.rsplit_once(' ');
                let share = share.filter(|(_, share)| share.ends_with('%'));
                let words = share.map_or(entry, |(name, _)| name);
                let part = words.trim_end_matches('…');
                // A shortened name ends in a sign.
                let is_named =
                    |name: &str| name == words || part != words && name.starts_with(part);
                let mut names = counts.keys().filter(|name| is_named(name));
                let name = names.next().expect(&case);
                assert!(names.next().is_none(), "{case}");
                // Of another one beside the selected line's, enough is seen.
                let is_seen = words == name || words.chars().count() >= 8;
                assert!(is_seen || named.is_empty(), "{case}");
                let cell = &driver.memory().terminal.backend().buffer()[(at as u16, size.1 - 1)];
                if let Some(hue) = of_lines.get(name.as_str()) {
                    assert_eq!(hue_of(&theme, depth, cell), *hue, "{name}: {case}");
                    compared += 1;
                } else {
                    // All its lines are of the selected commit.
                    assert_eq!(*name, selected, "{case}");
                    selected_entries += 1;
                }
                named.push(name);
                at += entry.chars().count() + 3;
            }
            assert_eq!(named.first(), Some(&&selected), "{case}");
            assert!(named.len() >= 2, "{case}");
            for (at, name) in named.iter().enumerate().skip(1) {
                if let Some(after) = named.get(at + 1) {
                    assert!(counts[*name] >= counts[*after], "{name} {after}: {case}");
                }
                let hue = of_lines[name.as_str()];
                for (other, count) in &counts {
                    let is_same = of_lines.get(other.as_str()) == Some(&hue);
                    let is_before = depth != ColorDepth::Sixteen
                        || *count > counts[*name]
                        || named[..at].contains(&other);
                    assert!(
                        other == *name || !is_same || !is_before,
                        "{name} {other}: {case}"
                    );
                    // What is not named before it has its color from another one.
                    if *count > counts[*name] && !named.contains(&other) {
                        let own = of_lines[other.as_str()];
                        let mut alike = of_lines
                            .iter()
                            .filter(|(key, it)| **key != other && **it == own);
                        assert!(alike.next().is_some(), "{name} {other}: {case}");
                        left_out += 1;
                    }
                }
            }
        }
    }
    assert!(
        compared > 60 && colors > 500 && selected_entries > 5 && left_out > 0,
        "{compared} {colors} {selected_entries} {left_out}"
    );
}

/// In reverse video, a blank in the color of the scrollbar would be a block.
#[test]
fn the_selected_row_ends_as_it_is() {
    let (mut blanks, mut marks) = (0, 0);
    for depth in [ColorDepth::None, ColorDepth::Sixteen] {
        for background in [Background::Dark, Background::Light] {
            let theme = Theme::new(background, depth);
            let mut driver = in_mode(crowded_history(), (80, 24), &theme, "shades");
            for _ in 0..12 {
                let app = driver.app();
                let view = app.view().expect("a view");
                let row = view.pager.position.line - view.pager.position.top;
                let buffer = driver.memory().terminal.backend().buffer();
                let y = app.layout().code.y + row as u16;
                let (last, before) = (&buffer[(79, y)], &buffer[(78, y)]);
                assert!(before.modifier.contains(Modifier::REVERSED));
                if last.symbol() == " " {
                    assert_eq!(last, before, "{}", driver.screen());
                    blanks += 1;
                } else if depth == ColorDepth::Sixteen {
                    assert!(!last.modifier.contains(Modifier::REVERSED));
                    marks += 1;
                }
                driver.keys("j");
            }
        }
    }
    assert!(blanks > 8 && marks > 8, "{blanks} {marks}");
}

#[test]
fn every_width_shows_what_fits() {
    let mut driver = driver((40, 8), Background::Dark, ColorDepth::None);
    assert_snapshot!(without_times(&driver.screen()), @r"
     src/lantern.rs @ HEAD              1/6
    Cleo      4y ►  1 │ //! The lantern.
    Ada       6y    2 ┊ fn light() {
    Ben       5y    3 ┃     trim();
    Cleo      4y ▌  4 │     burn(oil);
    Ada       6y    5 ┊ }
    Cleo      4y ▌  6 │ // end
     , before  b at  ? keys  Enter diff
    ");
    driver.resize(60, 8);
    assert_snapshot!(without_times(&driver.screen()), @r"
     src/lantern.rs @ HEAD                          line 1 of 6
    03030303 Cleo            4 years ►  1 │ //! The lantern.
    01010101 Ada             6 years    2 ┊ fn light() {
    02020202 Ben             5 years    3 ┃     trim();
    03030303 Cleo            4 years ▌  4 │     burn(oil);
    01010101 Ada             6 years    5 ┊ }
    03030303 Cleo            4 years ▌  6 │ // end
     , before  b at  ? keys  Enter diff  / search  q quit
    ");
    driver.resize(200, 12);
    assert_snapshot!(without_times(&driver.screen()), @r"
     tblame  src/lantern.rs @ HEAD                                                                                                                                                              line 1 of 6
    03030303 Cleo                        4 years Say what burns                                     ►  1 │ //! The lantern.
    01010101 Ada                         6 years Light the lamp                                        2 ┊ fn light() {
    02020202 Ben                         5 years Trim the wick before lighting                         3 ┃     trim();
    03030303 Cleo                        4 years Say what burns                                     ▌  4 │     burn(oil);
    01010101 Ada                         6 years Light the lamp                                        5 ┊ }
    03030303 Cleo                        4 years Say what burns                                     ▌  6 │ // end

    ─ 03030303 ─ Cleo ─ 2015-08-15 (4 years ago) ─ 3 lines here ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     Say what burns                                                                                     │ the commit added this line and replaced none
                                                                                                        │
     , before  b at  ? keys  Enter diff  / search  q quit  Tab message  L line history  F versions  w whitespace  i ignore  ( time-lapse  } same commit  ] group  : line  T tour  y copy id
    ");
}

#[test]
fn every_column() {
    let config = "[columns]\nshow = ['id', 'author', 'email', 'date', 'summary', 'path', \
                  'original-line', 'line']\ndate = 'iso'\nshare = 70";
    let config = Config::parse(config.as_bytes()).expect("a configuration");
    let theme = Theme::new(Background::Dark, ColorDepth::None);
    let mut driver = Driver::with_theme(lamp_history(), (180, 8), theme, config);
    assert_snapshot!(without_times(&driver.screen()), @r"
     tblame  src/lantern.rs @ HEAD                                                                                                                                          line 1 of 6
    03030303 Cleo                 cleo@example.org         2015-08-15 01:00 Say what burns                                                        1 ►  1 │ //! The lantern.
    01010101 Ada                  ada@example.org          2013-06-06 01:00 Light the lamp                           src/lamp.rs                  1    2 ┊ fn light() {
    02020202 Ben                  ben@example.org          2014-07-11 01:00 Trim the wick before lighting                                         2    3 ┃     trim();
    03030303 Cleo                 cleo@example.org         2015-08-15 01:00 Say what burns                                                        4 ▌  4 │     burn(oil);
    01010101 Ada                  ada@example.org          2013-06-06 01:00 Light the lamp                           src/lamp.rs                  3    5 ┊ }
    03030303 Cleo                 cleo@example.org         2015-08-15 01:00 Say what burns                                                        6 ▌  6 │ // end
     , before  b at  ? keys  Enter diff  / search  q quit  Tab message  L line history  F versions  w whitespace  i ignore  ( time-lapse  } same commit  ] group  : line  T tour
    ");
    driver.resize(120, 8);
    assert_snapshot!(without_times(&driver.screen()), @r"
     tblame  src/lantern.rs @ HEAD                                                                              line 1 of 6
    0303030 Cleo         cleo@example.org 2015-08-15 Say what burns                            1 ►  1 │ //! The lantern.
    0101010 Ada          ada@example.org  2013-06-06 Light the lamp       src/lamp.rs          1    2 ┊ fn light() {
    0202020 Ben          ben@example.org  2014-07-11 Trim the wick befor…                      2    3 ┃     trim();
    0303030 Cleo         cleo@example.org 2015-08-15 Say what burns                            4 ▌  4 │     burn(oil);
    0101010 Ada          ada@example.org  2013-06-06 Light the lamp       src/lamp.rs          3    5 ┊ }
    0303030 Cleo         cleo@example.org 2015-08-15 Say what burns                            6 ▌  6 │ // end
     , before  b at  ? keys  Enter diff  / search  q quit  Tab message  L line history  F versions  w whitespace  i ignore
    ");
    driver.resize(80, 8);
    assert_snapshot!(without_times(&driver.screen()), @r"
     tblame  src/lantern.rs @ HEAD                                      line 1 of 6
    030303 Cleo       cleo@ex… 2015-08-15              1 ►  1 │ //! The lantern.
    010101 Ada        ada@exa… 2013-06-06 …lamp.rs     1    2 ┊ fn light() {
    020202 Ben        ben@exa… 2014-07-11              2    3 ┃     trim();
    030303 Cleo       cleo@ex… 2015-08-15              4 ▌  4 │     burn(oil);
    010101 Ada        ada@exa… 2013-06-06 …lamp.rs     3    5 ┊ }
    030303 Cleo       cleo@ex… 2015-08-15              6 ▌  6 │ // end
     , before  b at  ? keys  Enter diff  / search  q quit  Tab message
    ");
}

#[test]
fn keys_are_shown_as_they_are_bound() {
    let config = "[keys]\nblame-parent = ['F2', 'Alt-b']\nback = []\nhelp = '^H'";
    let config = Config::parse(config.as_bytes()).expect("a configuration");
    let theme = Theme::new(Background::Dark, ColorDepth::None);
    let mut driver = Driver::with_theme(lamp_history(), (80, 10), theme, config);
    let screen = driver.screen();
    let foot = " F2 before  b at  ^H keys  Enter diff  / search  q quit  Tab message";
    assert_eq!(screen.lines().last(), Some(foot));
    driver.keys("<C-h>");
    let first = driver.screen();
    assert!(
        first.contains("F2  b               blame before"),
        "{first}"
    );
    assert!(!first.contains("back to where"), "{first}");
    assert!(first.contains("^H all keys"), "{first}");
    driver.keys("<C-h>");
    assert_snapshot!(driver.screen(), @r"
    keys: Blame, all
    History
      F2  Alt-b           blame before this line's commit
      b                   blame at this line's commit
      P                   before a merge, and in its diff: the next parent
      no key              back to where you were
      >                   forward again
      L                   the history of this line, or of the selected lines
      v                   select several lines, for L and y
    Esc close  j down  / search                                     122 more below
    ");
    driver.resize(20, 10).keys("8j");
    assert_snapshot!(driver.screen(), @r"
    keys: Blame, all
      P
        before a
        merge, and in
        its diff: the
        next parent
      no key
        back to where
        you were
        443 more below
    ");
    // The last page is full, and one step up from it is one row.
    let last = |driver: &Driver| driver.screen().lines().nth(8).map(str::to_owned);
    driver.keys("G");
    assert_eq!(last(&driver).as_deref(), Some("     they change"));
    driver.keys("k");
    assert_eq!(last(&driver).as_deref(), Some("     begins where"));
}

#[test]
fn a_match_is_seen_in_every_line() {
    let mut seen = 0;
    for depth in [
        ColorDepth::None,
        ColorDepth::Sixteen,
        ColorDepth::Indexed,
        ColorDepth::True,
    ] {
        let mut driver = driver((80, 24), Background::Dark, depth);
        driver.keys("2G/l<CR>");
        let screen = driver.screen();
        let buffer = driver.memory().terminal.backend().buffer();
        for (y, row) in screen.lines().enumerate() {
            let Some((before, code)) = row.split_once(['│', '┃', '┊']) else {
                continue;
            };
            let start = before.chars().count() + 1;
            let style = |x: usize| {
                let cell = &buffer[(x as u16, y as u16)];
                (cell.fg, cell.bg, cell.modifier)
            };
            let cells: Vec<(usize, char)> = code.trim_end().chars().enumerate().collect();
            for pair in cells.windows(2) {
                let ((at, one), (next, other)) = (pair[0], pair[1]);
                if (one == 'l') != (other == 'l') && one != ' ' && other != ' ' {
                    assert_ne!(style(start + at), style(start + next), "{depth:?} {row}");
                    seen += 1;
                }
            }
        }
    }
    assert_eq!(seen, 16);
}

/// The configuration alone accepts the other spelling.
#[test]
fn messages_and_documents_have_one_spelling_of_color() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> = ["README.md", "CHANGELOG.md", "docs", "assets", "src/viewer"]
        .map(|name| root.join(name))
        .into();
    let (mut files, mut accepted) = (0, 0);
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a directory");
            paths.extend(entries.map(|entry| entry.expect("an entry").path()));
            continue;
        }
        let is_text = |end| matches!(end, "md" | "toml" | "rs" | "txt");
        let extension = path.extension().and_then(|end| end.to_str());
        if !extension.is_some_and(is_text) {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        files += 1;
        for line in text
            .lines()
            .filter(|line| line.to_lowercase().contains("colour"))
        {
            let is_setting = ["\"colour\"", "\"colour = ", "`colour`"];
            assert!(
                is_setting.iter().any(|setting| line.contains(setting)),
                "{}: {line}",
                path.display()
            );
            accepted += 1;
        }
    }
    assert!(files > 100 && accepted >= 2, "{files} {accepted}");
}
