//! Colours: dark and light, for terminals that have all of them, 256, 16 or none.

use ratatui::style::{Color, Modifier, Style};

use super::{
    app::{attribution::Shade, message::Class},
    tint::{self, Rgb, Tints},
};

/// What the terminal's background is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Background {
    /// Light text on a dark ground.
    #[default]
    Dark,
    /// Dark text on a light ground.
    Light,
}

/// How many colours the terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Depth {
    /// None: shades and selection are told by marks, bold and reverse.
    None,
    /// The terminal's own 16, whatever they look like.
    Sixteen,
    /// The 256 of xterm.
    Indexed,
    /// All.
    #[default]
    True,
}

impl Depth {
    /// What the environment says, through a function that reads its variables.
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
    /// What `COLORFGBG` says (`15;0`: the last number is the background), dark without it.
    pub fn detect(var: impl Fn(&str) -> Option<String>) -> Self {
        let value = var("COLORFGBG").unwrap_or_default();
        let ground = value.rsplit(';').next().and_then(|n| n.parse::<u8>().ok());
        match ground {
            Some(7 | 9..=15) => Background::Light,
            _ => Background::Dark,
        }
    }
}

/// The colours of one background, as they are meant to look.
#[derive(Debug)]
struct Palette {
    /// What an undisturbed terminal is taken to have.
    #[cfg(test)]
    ground: Rgb,
    shades: [Rgb; 3],
    /// The shades, the lit lines and the cursor's line for 256 colours, chosen by hand.
    indexed: [u8; 5],
    /// Ages, the oldest first, and hues for 256 colours.
    indexed_ages: [u8; 5],
    indexed_hues: [u8; 8],
    lit: Rgb,
    cursor: Rgb,
    found: (Rgb, Rgb),
    /// Lines of a diff, and the ground to use where there are 256 colours.
    added: (Rgb, Rgb, u8),
    removed: (Rgb, Rgb, u8),
    bar: (Rgb, Rgb),
    text: Rgb,
    faint: Rgb,
    mark: Rgb,
    comment: Rgb,
    string: Rgb,
    number: Rgb,
    keyword: Rgb,
    kind: Rgb,
    function: Rgb,
    constant: Rgb,
    meta: Rgb,
}

const DARK: Palette = Palette {
    #[cfg(test)]
    ground: (0x1a, 0x1b, 0x1e),
    shades: [(0x20, 0x28, 0x38), (0x1f, 0x2e, 0x27), (0x32, 0x25, 0x2d)],
    indexed: [234, 236, 238, 17, 18],
    indexed_ages: [234, 236, 53, 52, 88],
    indexed_hues: [19, 20, 52, 53, 54, 55, 88, 89],
    lit: (0x3d, 0x38, 0x1a),
    cursor: (0x4e, 0x46, 0x1a),
    found: ((0x1a, 0x1b, 0x1e), (0xf0, 0xc6, 0x5c)),
    added: ((0xd8, 0xf4, 0xd8), (0x16, 0x3c, 0x26), 22),
    removed: ((0xfa, 0xdc, 0xdc), (0x4c, 0x20, 0x26), 52),
    bar: ((0xd8, 0xdc, 0xe4), (0x2c, 0x30, 0x38)),
    text: (0xe2, 0xe4, 0xe8),
    faint: (0xb4, 0xb8, 0xc0),
    mark: (0xf0, 0xc6, 0x5c),
    comment: (0xb0, 0xbc, 0xa8),
    string: (0xb5, 0xd8, 0x9a),
    number: (0xe8, 0xb8, 0x8c),
    keyword: (0xd6, 0xb8, 0xf0),
    kind: (0x98, 0xd4, 0xd8),
    function: (0xa4, 0xc8, 0xf8),
    constant: (0xf0, 0xb4, 0xb4),
    meta: (0xe0, 0xb8, 0xd8),
};

const LIGHT: Palette = Palette {
    #[cfg(test)]
    ground: (0xff, 0xff, 0xff),
    shades: [(0xe6, 0xf0, 0xfb), (0xe8, 0xf5, 0xe6), (0xfb, 0xec, 0xee)],
    indexed: [255, 194, 224, 230, 222],
    indexed_ages: [254, 189, 195, 223, 224],
    indexed_hues: [195, 194, 189, 225, 224, 193, 254, 159],
    lit: (0xff, 0xf0, 0xb4),
    cursor: (0xff, 0xe2, 0x8a),
    found: ((0xff, 0xff, 0xff), (0x6e, 0x2c, 0x00)),
    added: ((0x0c, 0x3c, 0x14), (0xd6, 0xf5, 0xd8), 194),
    removed: ((0x6a, 0x10, 0x18), (0xff, 0xe0, 0xe0), 224),
    bar: ((0x28, 0x2c, 0x34), (0xe4, 0xe6, 0xea)),
    text: (0x20, 0x24, 0x2a),
    faint: (0x4e, 0x54, 0x5c),
    mark: (0x6e, 0x2c, 0x00),
    comment: (0x4c, 0x58, 0x48),
    string: (0x1e, 0x5c, 0x1e),
    number: (0x6e, 0x2c, 0x00),
    keyword: (0x6a, 0x2c, 0x98),
    kind: (0x00, 0x56, 0x5e),
    function: (0x10, 0x48, 0x98),
    constant: (0x98, 0x24, 0x24),
    meta: (0x84, 0x28, 0x6c),
};

/// What lies under a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// Nothing: the line is not attributed.
    Plain,
    /// The shade of its group.
    Shade(Shade),
    /// The age of its group, as a step of [`tint::age_step`], and its shade.
    Age(u8, Shade),
    /// The hue of its group (any number), and its shade.
    Hue(u8, Shade),
    /// It belongs to the selected commit.
    Lit,
    /// It is the selected line.
    Cursor,
}

/// What is written on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// Code of a class.
    Code(Class),
    /// Ids and names.
    Text,
    /// What matters less: dates, numbers, lines.
    Faint,
    /// Marks of the selected commit, stand-ins for what cannot be shown.
    Mark,
}

/// Every style of the viewer.
#[derive(Debug, Clone)]
pub struct Theme {
    depth: Depth,
    palette: &'static Palette,
    tints: Tints,
}

impl Theme {
    /// The theme of a terminal.
    pub fn new(background: Background, depth: Depth) -> Self {
        let palette = match background {
            Background::Dark => &DARK,
            Background::Light => &LIGHT,
        };
        Theme {
            depth,
            palette,
            tints: Tints::new(background == Background::Dark),
        }
    }

    /// Shades and selection are to be told by marks, since backgrounds cannot tell them.
    pub fn needs_marks(&self) -> bool {
        self.depth <= Depth::Sixteen
    }

    /// Groups that touch may have the same ground when lines are coloured by age, author or commit.
    pub fn repeats_tints(&self) -> bool {
        self.depth == Depth::Indexed
    }

    /// Lines can be coloured by age, author or commit.
    pub fn has_tints(&self) -> bool {
        self.depth > Depth::Sixteen
    }

    /// What is written on a line.
    pub fn line(&self, ground: Ground, ink: Ink) -> Style {
        match self.depth {
            Depth::None => plain(ground, ink, |_| Style::new()),
            Depth::Sixteen => plain(ground, ink, sixteen),
            _ => self.rich(ground, ink),
        }
    }

    fn rich(&self, ground: Ground, ink: Ink) -> Style {
        let style = Style::new().fg(self.color(self.ink(ink)));
        let style = match ink {
            Ink::Code(Class::Heading) => style.add_modifier(Modifier::BOLD),
            // Without a colour of its own, text is what the terminal makes it.
            Ink::Code(Class::Plain) | Ink::Text if ground == Ground::Plain => Style::new(),
            _ => style,
        };
        let palette = self.palette;
        let (index, rgb) = match ground {
            Ground::Plain => return style,
            Ground::Shade(shade) => {
                let at = shade.index();
                (palette.indexed[at], palette.shades[at])
            }
            Ground::Age(step, shade) => {
                let step = usize::from(step).min(tint::AGES - 1);
                let few = palette.indexed_ages.len();
                let index = palette.indexed_ages[step * few / tint::AGES];
                (index, self.tints.ages[step][shade.index()])
            }
            Ground::Hue(hue, shade) => {
                let hue = usize::from(hue);
                let index = palette.indexed_hues[hue % palette.indexed_hues.len()];
                (index, self.tints.hues[hue % tint::HUES][shade.index()])
            }
            Ground::Lit => (palette.indexed[3], palette.lit),
            Ground::Cursor => (palette.indexed[4], palette.cursor),
        };
        style.bg(match self.depth {
            Depth::Indexed => Color::Indexed(index),
            _ => self.color(rgb),
        })
    }

    fn ink(&self, ink: Ink) -> Rgb {
        let palette = self.palette;
        match ink {
            Ink::Text | Ink::Code(Class::Plain) => palette.text,
            Ink::Faint => palette.faint,
            Ink::Mark => palette.mark,
            Ink::Code(class) => match class {
                Class::Comment => palette.comment,
                Class::String => palette.string,
                Class::Number => palette.number,
                Class::Keyword => palette.keyword,
                Class::Type => palette.kind,
                Class::Function | Class::Heading => palette.function,
                Class::Constant => palette.constant,
                Class::Meta | Class::Plain => palette.meta,
            },
        }
    }

    fn color(&self, color: Rgb) -> Color {
        match self.depth {
            Depth::Indexed => Color::Indexed(nearest(color)),
            _ => Color::Rgb(color.0, color.1, color.2),
        }
    }

    /// A match of the search.
    pub fn found(&self) -> Style {
        match self.depth {
            Depth::None | Depth::Sixteen => Style::new().add_modifier(Modifier::REVERSED),
            _ => self.pair(self.palette.found),
        }
    }

    /// A line that a diff adds. Without many colours, its sign tells.
    pub fn added(&self) -> Style {
        self.changed(self.palette.added, Color::Green)
    }

    /// A line that a diff removes.
    pub fn removed(&self) -> Style {
        self.changed(self.palette.removed, Color::Red)
    }

    fn changed(&self, (front, back, ground): (Rgb, Rgb, u8), named: Color) -> Style {
        match self.depth {
            Depth::None => Style::new(),
            Depth::Sixteen => Style::new().fg(named),
            Depth::Indexed => Style::new()
                .fg(self.color(front))
                .bg(Color::Indexed(ground)),
            Depth::True => self.pair((front, back)),
        }
    }

    /// Header, footer and the line over the commit's pane.
    pub fn bar(&self) -> Style {
        match self.depth {
            Depth::None | Depth::Sixteen => Style::new(),
            _ => self.pair(self.palette.bar),
        }
    }

    /// What stands out in a bar.
    pub fn strong(&self) -> Style {
        self.bar().add_modifier(Modifier::BOLD)
    }

    fn pair(&self, (front, back): (Rgb, Rgb)) -> Style {
        Style::new().fg(self.color(front)).bg(self.color(back))
    }
}

/// A line without backgrounds: the selected line is reversed, its commit's lines are bold.
fn plain(ground: Ground, ink: Ink, color: impl Fn(Ink) -> Style) -> Style {
    let style = match ground {
        Ground::Cursor => return Style::new().add_modifier(Modifier::REVERSED),
        Ground::Lit => color(ink).add_modifier(Modifier::BOLD),
        Ground::Plain | Ground::Shade(_) | Ground::Age(..) | Ground::Hue(..) => color(ink),
    };
    match ink {
        Ink::Faint | Ink::Code(Class::Comment) if ground != Ground::Lit => {
            style.add_modifier(Modifier::DIM)
        }
        _ => style,
    }
}

fn sixteen(ink: Ink) -> Style {
    let color = match ink {
        Ink::Mark => Color::Yellow,
        Ink::Code(Class::String) => Color::Green,
        Ink::Code(Class::Number | Class::Constant) => Color::Red,
        Ink::Code(Class::Keyword | Class::Meta) => Color::Magenta,
        Ink::Code(Class::Type | Class::Function | Class::Heading) => Color::Cyan,
        Ink::Text | Ink::Faint | Ink::Code(Class::Plain | Class::Comment) => return Style::new(),
    };
    Style::new().fg(color)
}

/// The levels of red, green and blue in xterm's cube.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The colour of xterm's 256 that an index means (16 to 255).
fn indexed(index: u8) -> Rgb {
    match index {
        232.. => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
        _ => {
            let cube = usize::from(index.saturating_sub(16));
            (
                LEVELS[cube / 36 % 6],
                LEVELS[cube / 6 % 6],
                LEVELS[cube % 6],
            )
        }
    }
}

/// The nearest of xterm's 256 colours, without the first 16, which everybody changes.
fn nearest(color: Rgb) -> u8 {
    let far = |index: u8| {
        let other = indexed(index);
        let part = |a: u8, b: u8| i32::from(a.abs_diff(b)).pow(2);
        part(color.0, other.0) * 3 + part(color.1, other.1) * 6 + part(color.2, other.2)
    };
    (16..=255).min_by_key(|&index| far(index)).unwrap_or(15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(color: Rgb) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(color.0) + 0.7152 * linear(color.1) + 0.0722 * linear(color.2)
    }

    fn contrast(one: Rgb, other: Rgb) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    fn rgb(color: Option<Color>, default: Rgb) -> Rgb {
        match color {
            None => default,
            Some(Color::Rgb(r, g, b)) => (r, g, b),
            Some(Color::Indexed(index)) => indexed(index),
            Some(other) => panic!("{other} is not measurable"),
        }
    }

    fn inks() -> Vec<Ink> {
        let code = Class::ALL.into_iter().map(Ink::Code);
        code.chain([Ink::Text, Ink::Faint, Ink::Mark]).collect()
    }

    fn grounds() -> Vec<Ground> {
        let shades = Shade::all().map(Ground::Shade);
        shades
            .into_iter()
            .chain([Ground::Plain, Ground::Lit, Ground::Cursor])
            .collect()
    }

    fn tints() -> Vec<Ground> {
        let mut tints = Vec::new();
        for shade in Shade::all() {
            tints.extend((0..tint::AGES as u8).map(|step| Ground::Age(step, shade)));
            tints.extend((0..tint::HUES as u8).map(|hue| Ground::Hue(hue, shade)));
        }
        tints
    }

    #[test]
    fn groups_that_touch_differ_in_every_colour() {
        for background in [Background::Dark, Background::Light] {
            let theme = Theme::new(background, Depth::True);
            for row in theme.tints.ages.iter().chain(&theme.tints.hues) {
                assert!(row[0] != row[1] && row[1] != row[2] && row[0] != row[2]);
            }
        }
    }

    #[test]
    fn everything_can_be_read() {
        for background in [Background::Dark, Background::Light] {
            for depth in [Depth::Indexed, Depth::True] {
                let theme = Theme::new(background, depth);
                let palette = theme.palette;
                let mut styles = vec![
                    theme.found(),
                    theme.added(),
                    theme.removed(),
                    theme.bar(),
                    theme.strong(),
                ];
                for ground in grounds().into_iter().chain(tints()) {
                    styles.extend(inks().into_iter().map(|ink| theme.line(ground, ink)));
                }
                for style in styles {
                    let (front, back) =
                        (rgb(style.fg, palette.text), rgb(style.bg, palette.ground));
                    let contrast = contrast(front, back);
                    assert!(
                        contrast >= 4.5,
                        "{background:?} {depth:?} {style:?}: {contrast:.2}"
                    );
                }
            }
        }
    }

    #[test]
    fn grounds_differ() {
        for background in [Background::Dark, Background::Light] {
            for depth in [Depth::Indexed, Depth::True] {
                let theme = Theme::new(background, depth);
                let colors = grounds()
                    .into_iter()
                    .map(|ground| theme.line(ground, Ink::Text).bg);
                let colors: std::collections::HashSet<_> = colors.collect();
                assert_eq!(colors.len(), 6, "{background:?} {depth:?}");
            }
        }
    }

    #[test]
    fn the_environment_is_asked() {
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
