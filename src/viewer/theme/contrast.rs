//! How well text can be read on its ground, as the Web's guidelines (WCAG) compute it.

use ratatui::style::{Color, Modifier, Style};

use crate::viewer::theme::{palette::indexed, styles::NAMED, tint::Rgb};

/// The contrast that any text is to have, from 1 to 21.
pub(crate) const ENOUGH: f64 = 4.5;

/// What the 16 colours commonly are: xterm's, and those of a PC's console.
const COMMON: [[Rgb; 16]; 2] = [
    [
        (0x00, 0x00, 0x00),
        (0xcd, 0x00, 0x00),
        (0x00, 0xcd, 0x00),
        (0xcd, 0xcd, 0x00),
        (0x00, 0x00, 0xee),
        (0xcd, 0x00, 0xcd),
        (0x00, 0xcd, 0xcd),
        (0xe5, 0xe5, 0xe5),
        (0x7f, 0x7f, 0x7f),
        (0xff, 0x00, 0x00),
        (0x00, 0xff, 0x00),
        (0xff, 0xff, 0x00),
        (0x5c, 0x5c, 0xff),
        (0xff, 0x00, 0xff),
        (0x00, 0xff, 0xff),
        (0xff, 0xff, 0xff),
    ],
    [
        (0x00, 0x00, 0x00),
        (0xaa, 0x00, 0x00),
        (0x00, 0xaa, 0x00),
        (0xaa, 0x55, 0x00),
        (0x00, 0x00, 0xaa),
        (0xaa, 0x00, 0xaa),
        (0x00, 0xaa, 0xaa),
        (0xaa, 0xaa, 0xaa),
        (0x55, 0x55, 0x55),
        (0xff, 0x55, 0x55),
        (0x55, 0xff, 0x55),
        (0xff, 0xff, 0x55),
        (0x55, 0x55, 0xff),
        (0xff, 0x55, 0xff),
        (0x55, 0xff, 0xff),
        (0xff, 0xff, 0xff),
    ],
];

/// The contrast of a style on a terminal with these colours for text and ground, which stand where
/// the style has none. For the terminal's own colours it is the least of what they commonly are.
pub(crate) fn of(style: Style, screen: (Rgb, Rgb)) -> f64 {
    let contrast = |common: &[Rgb; 16]| {
        let rgb = |color: Option<Color>, default: Rgb| match color {
            Some(Color::Rgb(red, green, blue)) => (red, green, blue),
            Some(Color::Indexed(index)) => indexed(index),
            Some(color) => NAMED
                .iter()
                .position(|named| *named == color)
                .map_or(default, |at| common[at]),
            None => default,
        };
        let pair = ratio(rgb(style.fg, screen.0), rgb(style.bg, screen.1));
        // What dims, and how much, is the terminal's own affair.
        match style.add_modifier.contains(Modifier::DIM) {
            true => 1.0,
            false => pair,
        }
    };
    COMMON.iter().map(contrast).fold(f64::INFINITY, f64::min)
}

/// The contrast of two colours, whichever of them is the text.
fn ratio(one: Rgb, other: Rgb) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn luminance((red, green, blue): Rgb) -> f64 {
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        match part {
            ..=0.04045 => part / 12.92,
            _ => ((part + 0.055) / 1.055).powf(2.4),
        }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_contrasts_come_out() {
        let (black, white) = ((0, 0, 0), (255, 255, 255));
        assert!((ratio(black, white) - 21.0).abs() < 1e-9);
        assert!((ratio(white, (0x76, 0x76, 0x76)) - 4.54).abs() < 0.01);
        assert!((of(Style::new(), (black, black)) - 1.0).abs() < 1e-9);
        let green = Style::new().fg(Color::Green);
        assert!((of(green, (white, black)) - 6.74).abs() < 0.1);
    }
}
