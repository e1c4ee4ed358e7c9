//! The WCAG 2 contrast ratio of text and background.

use ratatui::style::{Color, Modifier, Style};

use crate::viewer::theme::{
    palette::{ANSI_COLORS, indexed},
    tint::Rgb,
};

/// Required contrast ratio of all text (WCAG level AA); ratios range from 1 to 21.
pub(crate) const MIN_RATIO: f64 = 4.5;

/// The same for the 16 ANSI colors, whose values the terminal decides: red, which shows removed
/// lines, has no more on black.
pub(crate) const MIN_ANSI_RATIO: f64 = 4.0;

/// Common values of the 16 ANSI colors: xterm's and the VGA console's.
const PALETTES: [[Rgb; 16]; 2] = [
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

/// The contrast ratio of a style on a terminal with the default foreground and background `screen`.
/// For ANSI colors it is the lowest ratio among their common values.
pub(crate) fn of_style(style: Style, screen: (Rgb, Rgb)) -> f64 {
    let contrast = |palette: &[Rgb; 16]| {
        let rgb = |color: Option<Color>, default: Rgb| match color {
            Some(Color::Rgb(red, green, blue)) => (red, green, blue),
            Some(Color::Indexed(index)) => indexed(index),
            Some(color) => ANSI_COLORS
                .iter()
                .position(|named| *named == color)
                .map_or(default, |at| palette[at]),
            None => default,
        };
        let pair = ratio(rgb(style.fg, screen.0), rgb(style.bg, screen.1));
        // How much dim text is dimmed depends on the terminal.
        if style.add_modifier.contains(Modifier::DIM) {
            1.0
        } else {
            pair
        }
    };
    PALETTES.iter().map(contrast).fold(f64::INFINITY, f64::min)
}

/// The contrast ratio of two colors, in either order.
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
    use crate::viewer::theme::{
        roles::{Foreground, LineBackground},
        styles::Theme,
        terminal_colors::{Background, ColorDepth},
    };

    #[test]
    fn ratios_match_known_values() {
        let (black, white) = ((0, 0, 0), (255, 255, 255));
        assert!((ratio(black, white) - 21.0).abs() < 1e-9);
        assert!((ratio(white, (0x76, 0x76, 0x76)) - 4.54).abs() < 0.01);
        assert!((of_style(Style::new(), (black, black)) - 1.0).abs() < 1e-9);
        let green = Style::new().fg(Color::Green);
        assert!((of_style(green, (white, black)) - 6.74).abs() < 0.1);
    }

    #[test]
    fn text_that_a_filter_leaves_out_is_fainter_than_all_other_but_readable() {
        let mut compared = 0;
        for background in [Background::Dark, Background::Light] {
            let screen = match background {
                Background::Dark => ((0xe2, 0xe4, 0xe8), (0x1a, 0x1b, 0x1e)),
                Background::Light => ((0x20, 0x24, 0x2a), (0xff, 0xff, 0xff)),
            };
            for depth in [ColorDepth::Indexed, ColorDepth::True] {
                let theme = Theme::new(background, depth);
                let [thumb, mark, _] = theme.scrollbar();
                let dimmed = of_style(theme.dimmed(LineBackground::Plain), screen);
                let faint = theme.line(LineBackground::Plain, Foreground::Faint);
                assert!((3.0..of_style(faint, screen)).contains(&dimmed), "{dimmed}");
                let between = of_style(thumb, screen).max(of_style(mark, screen)) / dimmed;
                assert!(between >= 1.5, "{background:?} {depth:?}: {between}");
                compared += 1;
            }
            for depth in [ColorDepth::None, ColorDepth::Sixteen] {
                let dimmed = Theme::new(background, depth).dimmed(LineBackground::Plain);
                assert!(dimmed.add_modifier.contains(Modifier::DIM));
                compared += 1;
            }
        }
        assert_eq!(compared, 8);
    }
}
