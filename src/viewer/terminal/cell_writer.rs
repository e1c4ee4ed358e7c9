//! Writes cells as text and escape sequences.

use std::{
    io::{self, Write},
    sync::Arc,
};

use ratatui::{
    buffer::Cell,
    style::{Color, Modifier},
};

/// Writes cells with as few escape sequences as the terminal's current state allows.
pub(super) struct CellWriter<'a, W> {
    out: &'a mut W,
    /// The terminal's cursor position, if known.
    at: Option<(u16, u16)>,
    colors: (Color, Color),
    modifier: Modifier,
    link: Option<Arc<str>>,
}

impl<'a, W: Write> CellWriter<'a, W> {
    pub(super) fn new(out: &'a mut W) -> Self {
        CellWriter {
            out,
            at: None,
            colors: (Color::Reset, Color::Reset),
            modifier: Modifier::empty(),
            link: None,
        }
    }

    /// Begins a link, or ends the one before.
    pub(super) fn link(&mut self, url: Option<&Arc<str>>) -> io::Result<()> {
        if self.link.as_ref() != url {
            let words = url.map_or("", |url| url);
            write!(self.out, "\x1b]8;;{words}\x1b\\")?;
            self.link = url.map(Arc::clone);
        }
        Ok(())
    }

    pub(super) fn put(&mut self, (x, y): (u16, u16), cell: &Cell) -> io::Result<()> {
        if self.at != Some((x, y)) {
            write!(self.out, "\x1b[{};{}H", y + 1, x + 1)?;
        }
        let symbol = cell.symbol();
        // Terminals disagree on how far some wide characters move the cursor.
        let narrow = symbol.len() == 1;
        self.at = narrow.then_some((x + 1, y));
        if cell.modifier != self.modifier {
            self.out.write_all(b"\x1b[0")?;
            for (modifier, code) in MODIFIERS {
                if cell.modifier.contains(modifier) {
                    write!(self.out, ";{code}")?;
                }
            }
            self.out.write_all(b"m")?;
            self.modifier = cell.modifier;
            self.colors = (Color::Reset, Color::Reset);
        }
        // The foreground of a blank is invisible.
        let blank = symbol == " " && cell.modifier.is_empty();
        let text = (!blank && cell.fg != self.colors.0).then_some(cell.fg);
        let ground = (cell.bg != self.colors.1).then_some(cell.bg);
        let codes = [(text, 30), (ground, 40)];
        let mut lead = "\x1b[";
        for (color, base) in codes {
            if let Some(color) = color {
                self.out.write_all(lead.as_bytes())?;
                write_color(self.out, color, base)?;
                lead = ";";
            }
        }
        if lead == ";" {
            self.out.write_all(b"m")?;
        }
        self.colors = (text.unwrap_or(self.colors.0), cell.bg);
        self.out.write_all(symbol.as_bytes())
    }

    /// Resets the attributes.
    pub(super) fn reset(mut self) -> io::Result<()> {
        self.link(None)?;
        if !self.modifier.is_empty() || self.colors != (Color::Reset, Color::Reset) {
            self.out.write_all(b"\x1b[0m")
        } else {
            Ok(())
        }
    }
}

const MODIFIERS: [(Modifier, u8); 6] = [
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::REVERSED, 7),
    (Modifier::CROSSED_OUT, 9),
];

/// Writes the SGR parameters of a color; `base` is 30 for the foreground, 40 for the background.
fn write_color(out: &mut impl Write, color: Color, base: u8) -> io::Result<()> {
    let index = match color {
        Color::Reset => return write!(out, "{}", base + 9),
        Color::Rgb(red, green, blue) => {
            return write!(out, "{};2;{red};{green};{blue}", base + 8);
        }
        Color::Indexed(index) => return write!(out, "{};5;{index}", base + 8),
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
    };
    // Terminals of 16 colors know no others.
    let code = match index {
        ..=7 => base + index,
        _ => base + 60 + (index - 8),
    };
    write!(out, "{code}")
}
