//! Styles of everything drawn, for truecolor, 256-colour, 16-colour and colourless terminals.

use std::{fmt, sync::Arc};

use ratatui::style::{Color, Modifier, Style};

use crate::viewer::{
    config::section::Problem,
    model::attribution::Shade,
    protocol::Class,
    theme::{
        contrast,
        palette::{self, Inks, Named, Paint, Pair, Palette},
        tint,
    },
};

/// Whether the terminal's background is dark or light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Background {
    /// Light text on a dark background.
    #[default]
    Dark,
    /// Dark text on a light background.
    Light,
}

/// Number of colours that the terminal supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Depth {
    /// No colours: groups and the selection are shown with marks, bold and reverse video.
    None,
    /// The 16 ANSI colours, which users redefine.
    Sixteen,
    /// xterm's 256 colours.
    Indexed,
    /// Truecolor: 24-bit RGB.
    #[default]
    True,
}

impl Depth {
    /// Detects the depth from `NO_COLOR`, `TERM` and `COLORTERM`, read through `var`.
    pub fn detect(var: impl Fn(&str) -> Option<String>) -> Self {
        let is_set = |name| var(name).is_some_and(|value| !value.is_empty());
        let term = var("TERM").unwrap_or_default();
        let color = var("COLORTERM").unwrap_or_default();
        if is_set("NO_COLOR") || term.is_empty() || term == "dumb" || term.starts_with("vt1") {
            Depth::None
        } else if color == "truecolor" || color == "24bit" || term.ends_with("-direct") {
            Depth::True
        } else if term.contains("256") || is_set("COLORTERM") {
            Depth::Indexed
        } else {
            Depth::Sixteen
        }
    }
}

impl Background {
    /// Reads `COLORFGBG` (`15;0`: the last number is the background); dark without it.
    pub fn detect(var: impl Fn(&str) -> Option<String>) -> Self {
        let value = var("COLORFGBG").unwrap_or_default();
        let ground = value.rsplit(';').next().and_then(|n| n.parse::<u8>().ok());
        match ground {
            Some(7 | 9..=15) => Background::Light,
            _ => Background::Dark,
        }
    }
}

/// What the background of a line shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// The terminal's background: the line has no attribution yet.
    Plain,
    /// The shade that sets its group of lines apart from its neighbours.
    Shade(Shade),
    /// The age of its group as a step of [`tint::age_step`], and its shade.
    Age(u8, Shade),
    /// The hue of its group (taken modulo the number of hues), and its shade.
    Hue(u8, Shade),
    /// A line of a diff.
    Changed(Side, Part),
    /// A line of the selected commit.
    Lit,
    /// The selected line.
    Cursor,
}

/// Whether a line of a diff is added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// An added line.
    Added,
    /// A removed line.
    Removed,
}

/// A part of an added or removed line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Text that it shares with its counterpart, or the whole line if it has none.
    Common,
    /// The words that differ from the counterpart.
    Words,
}

/// What the foreground of some text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// Source code of a syntax class.
    Code(Class),
    /// Normal text, such as ids and names.
    Text,
    /// Less important text: dates, line numbers, rules.
    Faint,
    /// Marks of the selected commit, and placeholders for unprintable characters.
    Mark,
}

impl Ground {
    /// Every background, for measuring contrast.
    fn all() -> Vec<Ground> {
        let mut all = vec![Ground::Plain, Ground::Lit, Ground::Cursor];
        for side in [Side::Added, Side::Removed] {
            all.extend([Part::Common, Part::Words].map(|part| Ground::Changed(side, part)));
        }
        for shade in Shade::all() {
            all.push(Ground::Shade(shade));
            all.extend((0..tint::AGES as u8).map(|step| Ground::Age(step, shade)));
            all.extend((0..tint::HUES as u8).map(|hue| Ground::Hue(hue, shade)));
        }
        all
    }
}

impl Ground {
    /// Index of a diff background, 0 to 3.
    fn number(self) -> Option<usize> {
        match self {
            Ground::Changed(side, part) => Some(2 * side as usize + part as usize),
            _ => None,
        }
    }
}

/// Number of foregrounds.
const INKS: usize = Class::ALL.len() + 3;

impl Ink {
    /// Index below [`INKS`].
    fn number(self) -> usize {
        match self {
            Ink::Code(class) => class as usize,
            Ink::Text => INKS - 3,
            Ink::Faint => INKS - 2,
            Ink::Mark => INKS - 1,
        }
    }
}

impl fmt::Display for Ground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ground::Plain => "background",
            Ground::Shade(_) => "ground.shades",
            Ground::Age(..) | Ground::Hue(..) => "tint",
            Ground::Changed(Side::Added, Part::Common) => "pair.added",
            Ground::Changed(Side::Added, Part::Words) => "pair.added-words",
            Ground::Changed(Side::Removed, Part::Common) => "pair.removed",
            Ground::Changed(Side::Removed, Part::Words) => "pair.removed-words",
            Ground::Lit => "ground.lit",
            Ground::Cursor => "ground.cursor",
        })
    }
}

impl Ink {
    /// Every foreground.
    fn all() -> impl Iterator<Item = Ink> {
        let code = Class::ALL.into_iter().map(Ink::Code);
        code.chain([Ink::Text, Ink::Faint, Ink::Mark])
    }
}

impl fmt::Display for Ink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ink::Text => f.write_str("text.plain"),
            Ink::Code(Class::Heading) => f.write_str("text.function"),
            Ink::Code(class) => write!(f, "text.{}", format!("{class:?}").to_lowercase()),
            Ink::Faint => f.write_str("text.faint"),
            Ink::Mark => f.write_str("text.mark"),
        }
    }
}

/// All styles of the viewer.
#[derive(Debug, Clone)]
pub struct Theme {
    depth: Depth,
    palette: Arc<Palette>,
    /// Whether a foreground has enough contrast on a diff background, by the indices of both.
    readable: [[bool; INKS]; 4],
}

impl Theme {
    /// The built-in theme for a background.
    pub fn new(background: Background, depth: Depth) -> Self {
        let file = match background {
            Background::Dark => palette::DARK,
            Background::Light => palette::LIGHT,
        };
        Theme::with(Palette::built_in(file), depth)
    }

    fn with(palette: Palette, depth: Depth) -> Self {
        let mut theme = Theme {
            depth,
            palette: Arc::new(palette),
            readable: Default::default(),
        };
        let screen = (theme.palette.plain.rgb, theme.palette.background);
        for ground in Ground::all() {
            let (Some(pair), Some(at)) = (theme.changed(ground), ground.number()) else {
                continue;
            };
            for ink in Ink::all() {
                let text = theme.color(theme.ink(ink));
                let style = Style::new().fg(text).bg(theme.color(pair.ground));
                theme.readable[at][ink.number()] = contrast::of(style, screen) >= contrast::ENOUGH;
            }
        }
        theme
    }

    /// Foreground and background of a diff line.
    fn changed(&self, ground: Ground) -> Option<Pair> {
        let palette = &self.palette;
        Some(match ground {
            Ground::Changed(Side::Added, Part::Common) => palette.added,
            Ground::Changed(Side::Added, Part::Words) => palette.added_words,
            Ground::Changed(Side::Removed, Part::Common) => palette.removed,
            Ground::Changed(Side::Removed, Part::Words) => palette.removed_words,
            _ => return None,
        })
    }

    /// Parses a theme file.
    ///
    /// # Errors
    /// If it is not TOML, or has an unknown key or an invalid colour.
    pub fn parse(contents: &[u8], depth: Depth) -> Result<Self, Problem> {
        Ok(Theme::with(Palette::parse(contents)?, depth))
    }

    /// Whether the terminal has colours.
    pub fn has_colours(&self) -> bool {
        self.depth > Depth::None
    }

    /// Whether groups and the selection need marks because backgrounds cannot show them.
    pub fn needs_marks(&self) -> bool {
        self.depth <= Depth::Sixteen
    }

    /// Whether adjacent groups may get the same background when coloured by age, author or commit:
    /// 256 colours have no shades of each tint.
    pub fn repeats_tints(&self) -> bool {
        self.depth == Depth::Indexed
    }

    /// Whether lines can be coloured by age, author or commit.
    pub fn has_tints(&self) -> bool {
        self.depth > Depth::Sixteen
    }

    /// The style of text on a line.
    pub fn line(&self, ground: Ground, ink: Ink) -> Style {
        match self.depth {
            Depth::None => plain(ground, Style::new()),
            Depth::Sixteen => plain(ground, self.sixteen(ground, ink)),
            _ => self.rich(ground, ink),
        }
    }

    /// `style` for the words that differ in the selected line of a diff.
    pub fn words(&self, style: Style) -> Style {
        style.add_modifier(Modifier::UNDERLINED)
    }

    fn rich(&self, ground: Ground, ink: Ink) -> Style {
        let style = Style::new().fg(self.color(self.ink(ink)));
        let style = match ink {
            Ink::Code(Class::Heading) => style.add_modifier(Modifier::BOLD),
            // Plain text keeps the terminal's own foreground.
            Ink::Code(Class::Plain) | Ink::Text if ground == Ground::Plain => Style::new(),
            _ => style,
        };
        let palette = &self.palette;
        let paint = match ground {
            Ground::Plain => return style,
            Ground::Shade(shade) => palette.shades[shade.index()],
            Ground::Age(step, shade) => {
                let step = usize::from(step).min(tint::AGES - 1);
                let few = palette.indexed_ages.len();
                Paint {
                    rgb: palette.tints.ages[step][shade.index()],
                    index: palette.indexed_ages[step * few / tint::AGES],
                }
            }
            Ground::Hue(hue, shade) => {
                let hue = usize::from(hue);
                Paint {
                    rgb: palette.tints.hues[hue % tint::HUES][shade.index()],
                    index: palette.indexed_hues[hue % palette.indexed_hues.len()],
                }
            }
            Ground::Changed(_, part) => {
                let (Some(pair), Some(at)) = (self.changed(ground), ground.number()) else {
                    return style;
                };
                let plain = matches!(ink, Ink::Text | Ink::Code(Class::Plain));
                let style = match !plain && self.readable[at][ink.number()] {
                    true => style.bg(self.color(pair.ground)),
                    false => self.pair(pair),
                };
                return match part == Part::Words && self.depth < Depth::True {
                    true => self.words(style),
                    false => style,
                };
            }
            Ground::Lit => palette.lit,
            Ground::Cursor => palette.cursor,
        };
        style.bg(self.color(paint))
    }

    fn ink(&self, ink: Ink) -> Paint {
        let palette = &self.palette;
        match ink {
            Ink::Text | Ink::Code(Class::Plain) => palette.plain,
            Ink::Faint => palette.faint,
            _ => ink_colour(&palette.inks, ink).unwrap_or(palette.plain),
        }
    }

    fn sixteen(&self, ground: Ground, ink: Ink) -> Style {
        // Without a background the foreground shows whether the line is added or removed.
        named(match ground {
            Ground::Changed(Side::Added, _) => self.palette.named_added,
            Ground::Changed(Side::Removed, _) => self.palette.named_removed,
            _ => ink_colour(&self.palette.named, ink).flatten(),
        })
    }

    fn color(&self, paint: Paint) -> Color {
        let (red, green, blue) = paint.rgb;
        match self.depth {
            Depth::Indexed => Color::Indexed(paint.index),
            _ => Color::Rgb(red, green, blue),
        }
    }

    /// The style of a search match.
    pub fn found(&self) -> Style {
        match self.depth {
            Depth::None | Depth::Sixteen => Style::new().add_modifier(Modifier::REVERSED),
            _ => self.pair(self.palette.found),
        }
    }

    /// The style of the header, the footer and the title of the commit pane.
    pub fn bar(&self) -> Style {
        match self.depth {
            Depth::None | Depth::Sixteen => Style::new(),
            _ => self.pair(self.palette.bar),
        }
    }

    /// Emphasized text in a bar.
    pub fn strong(&self) -> Style {
        self.bar().add_modifier(Modifier::BOLD)
    }

    fn pair(&self, pair: Pair) -> Style {
        Style::new()
            .fg(self.color(pair.text))
            .bg(self.color(pair.ground))
    }

    /// A warning that names the pair of colours with the lowest contrast, if that is below
    /// [`contrast::ENOUGH`].
    pub fn unreadable(&self) -> Option<String> {
        let (contrast, words) = self.pairs().into_iter().min_by(|one, other| {
            let (one, other) = (one.0, other.0);
            one.total_cmp(&other)
        })?;
        (contrast < contrast::ENOUGH).then(|| {
            let enough = contrast::ENOUGH;
            format!("{words} is hard to read: contrast {contrast:.1}, should be {enough}")
        })
    }

    /// Every pair of foreground and background with its contrast ratio.
    fn pairs(&self) -> Vec<(f64, String)> {
        let mut styles = vec![
            (self.found(), "pair.found".to_owned()),
            (self.bar(), "pair.bar".to_owned()),
        ];
        for ground in Ground::all() {
            for ink in Ink::all() {
                styles.push((self.line(ground, ink), format!("{ink} on {ground}")));
            }
        }
        let measured = styles.into_iter().map(|(style, words)| {
            let screen = (self.palette.plain.rgb, self.palette.background);
            (contrast::of(style, screen), words)
        });
        measured.collect()
    }
}

/// The colour of a foreground; `None` for those that are not syntax or marks.
fn ink_colour<C: Copy>(inks: &Inks<C>, ink: Ink) -> Option<C> {
    Some(match ink {
        Ink::Text | Ink::Faint | Ink::Code(Class::Plain) => return None,
        Ink::Mark => inks.mark,
        Ink::Code(Class::Comment) => inks.comment,
        Ink::Code(Class::String) => inks.string,
        Ink::Code(Class::Number) => inks.number,
        Ink::Code(Class::Keyword) => inks.keyword,
        Ink::Code(Class::Type) => inks.kind,
        Ink::Code(Class::Function | Class::Heading) => inks.function,
        Ink::Code(Class::Constant) => inks.constant,
        Ink::Code(Class::Meta) => inks.meta,
    })
}

/// The style of a line without background colours: reverse video for the selected line, bold for
/// the lines of its commit. Both drop colours, since some terminals change the colour of bold text.
fn plain(ground: Ground, style: Style) -> Style {
    match ground {
        Ground::Cursor => Style::new().add_modifier(Modifier::REVERSED),
        Ground::Lit => Style::new().add_modifier(Modifier::BOLD),
        Ground::Changed(_, Part::Words) => style.add_modifier(Modifier::UNDERLINED),
        Ground::Plain
        | Ground::Shade(_)
        | Ground::Age(..)
        | Ground::Hue(..)
        | Ground::Changed(..) => style,
    }
}

fn named(name: Named) -> Style {
    match name.and_then(|name| NAMED.get(usize::from(name))) {
        Some(&color) => Style::new().fg(color),
        None => Style::new(),
    }
}

/// The 16 ANSI colours.
pub(crate) const NAMED: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Background; 2] = [Background::Dark, Background::Light];

    #[test]
    fn adjacent_groups_differ_in_every_tint() {
        for background in BOTH {
            let theme = Theme::new(background, Depth::True);
            let tints = &theme.palette.tints;
            for row in tints.ages.iter().chain(&tints.hues) {
                assert!(row[0] != row[1] && row[1] != row[2] && row[0] != row[2]);
            }
        }
    }

    #[test]
    fn built_in_themes_have_enough_contrast() {
        for background in BOTH {
            for depth in [Depth::None, Depth::Sixteen, Depth::Indexed, Depth::True] {
                let theme = Theme::new(background, depth);
                assert!(theme.pairs().len() > 900);
                for (contrast, words) in theme.pairs() {
                    assert!(
                        contrast >= 4.5,
                        "{background:?} {depth:?} {words}: {contrast:.2}"
                    );
                }
                assert_eq!(theme.unreadable(), None);
            }
        }
    }

    #[test]
    fn low_contrast_is_reported() {
        let file = "[text]\nstring = '#504020'\n[sixteen]\nstring = 'blue'";
        let unreadable = |depth| Theme::parse(file.as_bytes(), depth).ok()?.unreadable();
        assert_eq!(
            unreadable(Depth::True).as_deref(),
            Some("text.string on ground.cursor is hard to read: contrast 1.1, should be 4.5")
        );
        assert_eq!(
            unreadable(Depth::Sixteen).as_deref(),
            Some("text.string on background is hard to read: contrast 1.3, should be 4.5")
        );
        assert_eq!(unreadable(Depth::None), None);
    }

    #[test]
    fn backgrounds_differ() {
        for background in BOTH {
            for depth in [Depth::Indexed, Depth::True] {
                let theme = Theme::new(background, depth);
                let grounds = Ground::all().into_iter();
                let grounds = grounds.filter(|ground| {
                    let tint = matches!(ground, Ground::Age(..) | Ground::Hue(..));
                    !tint && !matches!(ground, Ground::Changed(..))
                });
                let colors = grounds.map(|ground| theme.line(ground, Ink::Text).bg);
                let colors: std::collections::HashSet<_> = colors.collect();
                assert_eq!(colors.len(), 6, "{background:?} {depth:?}");
            }
        }
    }

    #[test]
    fn diffs_have_syntax_colours_where_contrast_allows() {
        for background in BOTH {
            let theme = Theme::new(background, Depth::True);
            // In truecolor that is everywhere.
            let readable = theme.readable.as_flattened();
            assert!(readable.iter().all(|readable| *readable), "{background:?}");
            for depth in [Depth::None, Depth::Sixteen, Depth::Indexed, Depth::True] {
                let theme = Theme::new(background, depth);
                for side in [Side::Added, Side::Removed] {
                    let style = |part| theme.line(Ground::Changed(side, part), Ink::Text);
                    assert_ne!(style(Part::Common), style(Part::Words), "{depth:?}");
                }
            }
        }
    }

    #[test]
    fn depth_and_background_are_read_from_the_environment() {
        let with = |pairs: &'static [(&str, &str)]| {
            move |name: &str| {
                let found = pairs.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            }
        };
        let depth = |pairs| Depth::detect(with(pairs));
        assert_eq!(depth(&[("TERM", "xterm-256color")]), Depth::Indexed);
        assert_eq!(
            depth(&[("TERM", "tmux"), ("COLORTERM", "truecolor")]),
            Depth::True
        );
        assert_eq!(depth(&[("TERM", "xterm"), ("NO_COLOR", "1")]), Depth::None);
        assert_eq!(depth(&[("TERM", "linux")]), Depth::Sixteen);
        let ground = |pairs| Background::detect(with(pairs));
        assert_eq!(ground(&[("COLORFGBG", "0;15")]), Background::Light);
        assert_eq!(ground(&[("COLORFGBG", "15;default;0")]), Background::Dark);
        assert_eq!(ground(&[]), Background::Dark);
    }
}
