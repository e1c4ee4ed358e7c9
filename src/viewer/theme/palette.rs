//! The colors of a theme and the parser of theme files.

use ratatui::style::Color;

use crate::viewer::{
    config::table_reader::{ConfigError, Setting, TableReader, TomlFile},
    model::attribution::Shade,
    theme::tint::{Rgb, TintParameters, Tints},
};

/// A color in RGB and its index among xterm's 256 colors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ThemeColor {
    pub(crate) rgb: Rgb,
    pub(crate) index: u8,
}

/// A foreground with its background.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ColorPair {
    pub(crate) foreground: ThemeColor,
    pub(crate) background: ThemeColor,
}

/// The foregrounds of marks, of facts of commits, and of syntax classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Foregrounds<C> {
    pub(crate) mark: C,
    pub(crate) author: C,
    pub(crate) date: C,
    pub(crate) id: C,
    pub(crate) comment: C,
    pub(crate) string: C,
    pub(crate) number: C,
    pub(crate) keyword: C,
    pub(crate) kind: C,
    pub(crate) function: C,
    pub(crate) constant: C,
    pub(crate) meta: C,
}

/// An ANSI color, 0 to 15; `None` is the terminal's default foreground.
pub(crate) type AnsiColor = Option<u8>;

/// The 16 ANSI colors.
pub(crate) const ANSI_COLORS: [Color; 16] = [
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

/// The colors of a theme, for every color depth.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Palette {
    /// The terminal background that the theme is designed for; used to measure contrast.
    pub(crate) background: Rgb,
    pub(crate) plain: ThemeColor,
    pub(crate) faint: ThemeColor,
    /// Lines that a filter leaves out, and scrollbars.
    pub(crate) dim: ThemeColor,
    /// Signs and line numbers of a diff.
    pub(crate) added_sign: ThemeColor,
    pub(crate) removed_sign: ThemeColor,
    pub(crate) foregrounds: Foregrounds<ThemeColor>,
    pub(crate) shades: [ThemeColor; Shade::COUNT],
    /// Whether the code has the background of its line, or only the gutter.
    pub(crate) tints_code: bool,
    pub(crate) selected_commit: ThemeColor,
    pub(crate) selected_line: ThemeColor,
    pub(crate) found: ColorPair,
    pub(crate) added: ColorPair,
    pub(crate) removed: ColorPair,
    /// The words of a changed line that differ from its counterpart.
    pub(crate) added_words: ColorPair,
    pub(crate) removed_words: ColorPair,
    pub(crate) bar: ColorPair,
    parameters: TintParameters,
    pub(crate) tints: Tints,
    /// Colors of text by age, oldest first, and by hue for 256 colors; never empty.
    pub(crate) indexed_ages: Vec<u8>,
    pub(crate) indexed_hues: Vec<u8>,
    pub(crate) named: Foregrounds<AnsiColor>,
    pub(crate) named_added: AnsiColor,
    pub(crate) named_removed: AnsiColor,
    pub(crate) named_bar: AnsiColor,
    /// Colors of text by age, oldest first, and by hue for 16 colors; never empty.
    pub(crate) named_ages: Vec<AnsiColor>,
    pub(crate) named_hues: Vec<AnsiColor>,
}

/// The files of the built-in themes.
pub(crate) const DARK: &str = include_str!("../../../assets/themes/dark.toml");
pub(crate) const LIGHT: &str = include_str!("../../../assets/themes/light.toml");

const NAMES: [(&str, AnsiColor); 17] = [
    ("default", None),
    ("black", Some(0)),
    ("red", Some(1)),
    ("green", Some(2)),
    ("yellow", Some(3)),
    ("blue", Some(4)),
    ("magenta", Some(5)),
    ("cyan", Some(6)),
    ("white", Some(7)),
    ("bright-black", Some(8)),
    ("bright-red", Some(9)),
    ("bright-green", Some(10)),
    ("bright-yellow", Some(11)),
    ("bright-blue", Some(12)),
    ("bright-magenta", Some(13)),
    ("bright-cyan", Some(14)),
    ("bright-white", Some(15)),
];

impl Default for Palette {
    /// All black: the base of the built-in themes, which set every color.
    fn default() -> Self {
        let (parameters, black) = (TintParameters::default(), ThemeColor::default());
        Palette {
            background: black.rgb,
            plain: black,
            faint: black,
            dim: black,
            added_sign: black,
            removed_sign: black,
            foregrounds: Foregrounds::default(),
            shades: [black; Shade::COUNT],
            tints_code: false,
            selected_commit: black,
            selected_line: black,
            found: ColorPair::default(),
            added: ColorPair::default(),
            removed: ColorPair::default(),
            added_words: ColorPair::default(),
            removed_words: ColorPair::default(),
            bar: ColorPair::default(),
            parameters,
            tints: Tints::new(&parameters, black.rgb),
            indexed_ages: vec![16],
            indexed_hues: vec![16],
            named: Foregrounds::default(),
            named_added: None,
            named_removed: None,
            named_bar: None,
            named_ages: vec![None],
            named_hues: vec![None],
        }
    }
}

impl Palette {
    /// Parses one of the built-in files.
    pub(crate) fn built_in(file: &'static str) -> Self {
        Palette::parse(file.as_bytes()).expect("the files that come with the program are tested")
    }

    /// Parses a theme file. Colors that it does not set come from the built-in theme named by
    /// `base`, which is the dark one by default.
    ///
    /// # Errors
    /// If it is not TOML, or has an unknown key or an invalid color.
    pub(crate) fn parse(contents: &[u8]) -> Result<Self, ConfigError> {
        let source = TomlFile::parse(contents)?;
        let mut root = source.root();
        let own = contents == DARK.as_bytes() || contents == LIGHT.as_bytes();
        let mut base = DARK;
        root.set("base", &mut base, |it| {
            it.one_of(&[("dark", DARK), ("light", LIGHT)])
        })?;
        let mut palette = if own {
            Palette::default()
        } else {
            Palette::built_in(base)
        };
        root.set("terminal-background", &mut palette.background, |it| {
            paint(it).map(|paint| paint.rgb)
        })?;
        palette.texts(root.section("text")?)?;
        palette.backgrounds(root.section("background")?)?;
        palette.pairs(root.section("pair")?)?;
        palette.tint(root.section("tint")?)?;
        palette.ansi(root.section("ansi")?)?;
        root.finish()?;
        Ok(palette)
    }

    fn texts(&mut self, mut section: TableReader<'_>) -> Result<(), ConfigError> {
        section.set("plain", &mut self.plain, paint)?;
        section.set("faint", &mut self.faint, paint)?;
        section.set("dim", &mut self.dim, paint)?;
        section.set("added", &mut self.added_sign, paint)?;
        section.set("removed", &mut self.removed_sign, paint)?;
        self.foregrounds.read(&mut section, paint)?;
        section.finish()
    }

    fn backgrounds(&mut self, mut section: TableReader<'_>) -> Result<(), ConfigError> {
        section.set("shades", &mut self.shades, |it| {
            let shades = it
                .list()?
                .iter()
                .map(paint)
                .collect::<Result<Vec<_>, _>>()?;
            shades
                .try_into()
                .map_err(|_| it.wrong(format_args!("expected {} colors", Shade::COUNT)))
        })?;
        section.set("code", &mut self.tints_code, |it| {
            it.one_of(&[("plain", false), ("tinted", true)])
        })?;
        section.set("selected-commit", &mut self.selected_commit, paint)?;
        section.set("selected-line", &mut self.selected_line, paint)?;
        section.finish()
    }

    fn pairs(&mut self, mut section: TableReader<'_>) -> Result<(), ConfigError> {
        let pairs = [
            ("found", &mut self.found),
            ("added", &mut self.added),
            ("removed", &mut self.removed),
            ("added-words", &mut self.added_words),
            ("removed-words", &mut self.removed_words),
            ("bar", &mut self.bar),
        ];
        for (name, pair) in pairs {
            let mut colors = section.section(name)?;
            colors.set("text", &mut pair.foreground, paint)?;
            colors.set("background", &mut pair.background, paint)?;
            colors.finish()?;
        }
        section.finish()
    }

    fn tint(&mut self, mut section: TableReader<'_>) -> Result<(), ConfigError> {
        let parameters = &mut self.parameters;
        section.set("lightness", &mut parameters.lightness, |it| {
            it.fraction(0.0..=1.0)
        })?;
        section.set("chroma", &mut parameters.chroma, |it| {
            it.fraction(0.0..=0.4)
        })?;
        section.set("shade-step", &mut parameters.shade_step, |it| {
            it.fraction(0.0..=0.5)
        })?;
        section.set("age-lightness", &mut parameters.age_lightness, |it| {
            it.fraction(-0.5..=0.5)
        })?;
        section.set("ages", &mut parameters.ages, |it| {
            let hues = it.list()?;
            let hues = hues.iter().map(|it| it.fraction(-720.0..=720.0));
            let hues = hues.collect::<Result<Vec<_>, _>>()?;
            hues.try_into()
                .map_err(|_| it.wrong("expected the hues of the oldest and of the newest"))
        })?;
        section.set(
            "age-text-lightness",
            &mut parameters.age_text_lightness,
            |it| {
                let range = it.list()?;
                let range = range.iter().map(|it| it.fraction(0.0..=1.0));
                let range = range.collect::<Result<Vec<_>, _>>()?;
                range
                    .try_into()
                    .map_err(|_| it.wrong("expected the lightness of the oldest and of the newest"))
            },
        )?;
        section.set("age-text-chroma", &mut parameters.age_text_chroma, |it| {
            it.fraction(0.0..=0.4)
        })?;
        self.tints = Tints::new(parameters, self.selected_commit.rgb);
        section.set("ages-256", &mut self.indexed_ages, indices)?;
        section.set("hues-256", &mut self.indexed_hues, indices)?;
        section.finish()
    }

    fn ansi(&mut self, mut section: TableReader<'_>) -> Result<(), ConfigError> {
        self.named.read(&mut section, named)?;
        section.set("added", &mut self.named_added, named)?;
        section.set("removed", &mut self.named_removed, named)?;
        section.set("bar", &mut self.named_bar, named)?;
        section.set("ages", &mut self.named_ages, several_named)?;
        section.set("hues", &mut self.named_hues, several_named)?;
        section.finish()
    }
}

impl<C> Foregrounds<C> {
    fn read<'a>(
        &mut self,
        section: &mut TableReader<'a>,
        read: impl Fn(&Setting<'a>) -> Result<C, ConfigError>,
    ) -> Result<(), ConfigError> {
        section.set("mark", &mut self.mark, &read)?;
        section.set("author", &mut self.author, &read)?;
        section.set("date", &mut self.date, &read)?;
        section.set("id", &mut self.id, &read)?;
        section.set("comment", &mut self.comment, &read)?;
        section.set("string", &mut self.string, &read)?;
        section.set("number", &mut self.number, &read)?;
        section.set("keyword", &mut self.keyword, &read)?;
        section.set("type", &mut self.kind, &read)?;
        section.set("function", &mut self.function, &read)?;
        section.set("constant", &mut self.constant, &read)?;
        section.set("meta", &mut self.meta, &read)
    }
}

fn named(setting: &Setting<'_>) -> Result<AnsiColor, ConfigError> {
    setting.one_of(&NAMES)
}

/// A list of ANSI colors.
fn several_named(setting: &Setting<'_>) -> Result<Vec<AnsiColor>, ConfigError> {
    let list = setting.list()?;
    if list.is_empty() || list.len() > NAMES.len() {
        return Err(setting.wrong(format_args!("expected 1 to {} colors", NAMES.len())));
    }
    list.iter().map(named).collect()
}

/// A list of indices among the 256 colors, without the first 16, which users redefine.
fn indices(setting: &Setting<'_>) -> Result<Vec<u8>, ConfigError> {
    let list = setting.list()?;
    if list.is_empty() || list.len() > 64 {
        return Err(setting.wrong("expected 1 to 64 numbers"));
    }
    list.iter().map(|it| it.number(16..=255)).collect()
}

/// `"#rrggbb"`, or an array of that and an index among the 256 colors.
fn paint(setting: &Setting<'_>) -> Result<ThemeColor, ConfigError> {
    let Ok(list) = setting.list() else {
        let rgb = rgb(setting)?;
        let index = nearest(rgb);
        return Ok(ThemeColor { rgb, index });
    };
    match list.as_slice() {
        [color, index] => Ok(ThemeColor {
            rgb: rgb(color)?,
            index: index.number(16..=255)?,
        }),
        _ => Err(setting.wrong("expected a color, or a color and a number from 16 to 255")),
    }
}

fn rgb(setting: &Setting<'_>) -> Result<Rgb, ConfigError> {
    let word = setting.text()?;
    let digits = word.strip_prefix('#').filter(|digits| {
        digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    });
    let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let Some(number) = number else {
        return Err(setting.wrong(format_args!("invalid color `{word}'; expected \"#rrggbb\"")));
    };
    let [_, red, green, blue] = number.to_be_bytes();
    Ok((red, green, blue))
}

/// Component values in xterm's 6×6×6 color cube.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// RGB of an index (16 to 255) in xterm's 256 colors.
pub(crate) fn indexed(index: u8) -> Rgb {
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

/// The nearest of xterm's 256 colors, without the first 16, which users redefine.
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

    fn parse(text: &str) -> Result<Palette, String> {
        Palette::parse(text.as_bytes()).map_err(|problem| problem.in_file("t"))
    }

    #[test]
    fn a_theme_overrides_its_base() {
        let dark = Palette::built_in(DARK);
        assert_eq!(parse("").as_ref(), Ok(&dark));
        assert_eq!(parse("base = 'light'"), Ok(Palette::built_in(LIGHT)));
        let own = parse("[text]\nstring = ['#102030', 22]").unwrap();
        let rgb = (0x10, 0x20, 0x30);
        assert_eq!(own.foregrounds.string, ThemeColor { rgb, index: 22 });
        let mut expected = dark;
        expected.foregrounds.string = own.foregrounds.string;
        assert_eq!(own, expected);
    }

    #[test]
    fn errors_name_the_setting() {
        let cases = [
            (
                "text.sting = '#000000'",
                "t:1: unknown setting `text.sting'; did you mean `string'?",
            ),
            (
                "[text]\nmark = 'red'",
                "t:2: text.mark: invalid color `red'; expected \"#rrggbb\"",
            ),
            (
                "[background]\nshades = ['#000000']",
                "t:2: background.shades: expected 3 colors",
            ),
            (
                "[background]\nselected-commit = ['#000000', 3]",
                "t:2: background.selected-commit: expected a number from 16 to 255",
            ),
            (
                "[tint]\nchroma = 7",
                "t:2: tint.chroma: expected a number from 0 to 0.4",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text), Err(expected.to_owned()));
        }
        assert!(
            parse("[ansi]\nmark = 'pink'")
                .unwrap_err()
                .contains("`bright-cyan'")
        );
    }
}
