//! A terminal's screen as an SVG picture.

use std::fmt::Write;

use vt100::{Cell, Color, Screen};

const WIDTH: f64 = 8.4;
const HEIGHT: f64 = 18.0;
const MARGIN: f64 = 12.0;

/// The sixteen colors that a program names by number, as most terminals show them.
const NAMED: [&str; 16] = [
    "#1d1f21", "#cc6666", "#8aa657", "#d7a65f", "#6f9bc4", "#a587b5", "#6fa8a0", "#c5c8c6",
    "#5c6370", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#ffffff",
];

/// The colors of a terminal that a program leaves alone.
struct Terminal {
    foreground: &'static str,
    background: &'static str,
}

const DARK: Terminal = Terminal {
    foreground: "#c8ccd4",
    background: "#16181d",
};
const LIGHT: Terminal = Terminal {
    foreground: "#24292f",
    background: "#ffffff",
};

/// Draws the screen of a terminal that is dark or light.
pub fn draw(screen: &Screen, light: bool) -> String {
    let (rows, columns) = screen.size();
    let size = (columns.get(), rows.get());
    page(size, light, &self::rows(screen, light).concat())
}

/// The rows of a screen, each as a part of a picture.
pub fn rows(screen: &Screen, light: bool) -> Vec<String> {
    let terminal = if light { LIGHT } else { DARK };
    let (rows, columns) = screen.size();
    let row = |row| {
        let mut part = String::new();
        draw_row(&mut part, screen, row, columns.get(), &terminal);
        part
    };
    (0..rows.get()).map(row).collect()
}

/// A picture of a screen of so many columns and rows.
pub fn page((columns, rows): (u16, u16), light: bool, body: &str) -> String {
    let terminal = if light { LIGHT } else { DARK };
    let (width, height) = (
        f64::from(columns) * WIDTH + 2.0 * MARGIN,
        f64::from(rows) * HEIGHT + 2.0 * MARGIN,
    );
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" \
         font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n\
         {body}</svg>\n",
        terminal.background
    )
}

#[derive(Debug, Clone, PartialEq)]
struct Style {
    foreground: String,
    background: Option<String>,
    bold: bool,
    italic: bool,
    underline: bool,
}

impl Style {
    fn of(cell: &Cell, terminal: &Terminal) -> Style {
        let plain = terminal.foreground.to_owned();
        let (mut foreground, mut background) = (color(cell.fgcolor()), color(cell.bgcolor()));
        if cell.inverse() {
            (foreground, background) = (
                background.or_else(|| Some(terminal.background.into())),
                foreground.or_else(|| Some(plain.clone())),
            );
        }
        Style {
            foreground: foreground.unwrap_or(plain),
            background,
            bold: cell.bold(),
            italic: cell.italic(),
            underline: cell.underline(),
        }
    }
}

fn draw_row(svg: &mut String, screen: &Screen, row: u16, columns: u16, terminal: &Terminal) {
    let mut column = 0;
    while column < columns {
        let Some(cell) = screen.cell(row, column) else {
            break;
        };
        let (start, style) = (column, Style::of(cell, terminal));
        let mut text = String::new();
        while column < columns
            && let Some(cell) = screen.cell(row, column)
            && Style::of(cell, terminal) == style
        {
            if !cell.is_wide_continuation() {
                text.push_str(if cell.has_contents() {
                    cell.contents()
                } else {
                    " "
                });
            }
            column += 1;
        }
        draw_run(svg, row, start, column - start, &text, &style);
    }
}

fn draw_run(svg: &mut String, row: u16, start: u16, cells: u16, text: &str, style: &Style) {
    let (x, y) = (
        MARGIN + f64::from(start) * WIDTH,
        MARGIN + f64::from(row) * HEIGHT,
    );
    let width = f64::from(cells) * WIDTH;
    if let Some(background) = &style.background {
        // A hair wider, so that no seam shows between neighbours.
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{HEIGHT}.4\" fill=\"{background}\"/>",
            width + 0.4
        );
    }
    if text.trim().is_empty() {
        return;
    }
    let mut attributes = String::new();
    for (on, attribute) in [
        (style.bold, " font-weight=\"bold\""),
        (style.italic, " font-style=\"italic\""),
        (style.underline, " text-decoration=\"underline\""),
    ] {
        if on {
            attributes.push_str(attribute);
        }
    }
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{:.1}\" fill=\"{}\" textLength=\"{width:.1}\" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\"{attributes}>{text}</text>",
        y + 13.6,
        style.foreground,
    );
}

fn color(color: Color) -> Option<String> {
    match color {
        Color::Default => None,
        Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
        Color::Idx(index) => Some(indexed(index)),
    }
}

fn indexed(index: u8) -> String {
    match index {
        0..=15 => NAMED[usize::from(index)].to_owned(),
        16..=231 => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            let cube = index - 16;
            let (red, green, blue) = (level(cube / 36), level(cube / 6 % 6), level(cube % 6));
            format!("#{red:02x}{green:02x}{blue:02x}")
        }
        232..=255 => {
            let grey = 8 + 10 * (index - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
    }
}
