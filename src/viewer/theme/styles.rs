//! Styles of everything drawn, for truecolor, 256-color, 16-color and colorless terminals.

use std::sync::Arc;

use ratatui::style::{Color, Modifier, Style};

use crate::viewer::{
    config::table_reader::ConfigError,
    model::{
        color_mode::{HUE_COUNT, HueColors},
        texts::syntax::SyntaxClass,
    },
    theme::{
        contrast, hue_colors,
        palette::{self, ANSI_COLORS, AnsiColor, ColorPair, Foregrounds, Palette, ThemeColor},
        roles::{CHECKED_BACKGROUNDS, DiffPart, DiffSide, FOREGROUNDS, Foreground, LineBackground},
        terminal_colors::{Background, ColorDepth},
        tint,
    },
};

/// All styles of the viewer.
#[derive(Debug, Clone)]
pub struct Theme {
    depth: ColorDepth,
    palette: Arc<Palette>,
    hue_colors: HueColors,
    /// True if a foreground has enough contrast on a background, by the indices of both.
    is_readable: [[bool; FOREGROUNDS]; CHECKED_BACKGROUNDS],
}

impl Theme {
    /// The built-in theme for a background.
    pub fn new(background: Background, depth: ColorDepth) -> Self {
        let file = match background {
            Background::Dark => palette::DARK,
            Background::Light => palette::LIGHT,
        };
        Theme::with(Palette::built_in(file), depth)
    }

    fn with(palette: Palette, depth: ColorDepth) -> Self {
        let mut theme = Theme {
            depth,
            hue_colors: hue_colors::compare(&palette, depth),
            palette: Arc::new(palette),
            is_readable: [[false; FOREGROUNDS]; CHECKED_BACKGROUNDS],
        };
        let screen = (theme.palette.plain.rgb, theme.palette.background);
        for background in LineBackground::all() {
            let Some(at) = background.checked_index() else {
                continue;
            };
            let behind = match (theme.diff_colors(background), background) {
                (Some(pair), _) => pair.background,
                (None, LineBackground::SelectedCommit) => theme.palette.selected_commit,
                (None, _) => theme.palette.selected_line,
            };
            for foreground in Foreground::all() {
                let text = theme.color(theme.foreground(foreground));
                let style = Style::new().fg(text).bg(theme.color(behind));
                theme.is_readable[at][foreground.index()] =
                    contrast::of_style(style, screen) >= contrast::MIN_RATIO;
            }
        }
        theme
    }

    /// Foreground and background of a diff line.
    fn diff_colors(&self, background: LineBackground) -> Option<ColorPair> {
        let palette = &self.palette;
        Some(match background {
            LineBackground::Diff(DiffSide::Added, DiffPart::Common) => palette.added,
            LineBackground::Diff(DiffSide::Added, DiffPart::Words) => palette.added_words,
            LineBackground::Diff(DiffSide::Removed, DiffPart::Common) => palette.removed,
            LineBackground::Diff(DiffSide::Removed, DiffPart::Words) => palette.removed_words,
            _ => return None,
        })
    }

    /// Parses a theme file.
    ///
    /// # Errors
    /// If it is not TOML, or has an unknown key or an invalid color.
    pub fn parse(contents: &[u8], depth: ColorDepth) -> Result<Self, ConfigError> {
        Ok(Theme::with(Palette::parse(contents)?, depth))
    }

    /// How alike its hues are.
    pub(crate) fn hue_colors(&self) -> &HueColors {
        &self.hue_colors
    }

    /// True if the terminal has colors, also for ages, authors and commits.
    pub fn has_colors(&self) -> bool {
        self.depth > ColorDepth::None
    }

    /// True if groups and the selection need marks because backgrounds cannot show them.
    pub fn needs_marks(&self) -> bool {
        self.depth <= ColorDepth::Sixteen
    }

    /// True if ages and hues color the text of the columns: 16 colors have no backgrounds for them,
    /// and those among the 256 colors are either greys or garish.
    pub fn tints_text(&self) -> bool {
        matches!(self.depth, ColorDepth::Sixteen | ColorDepth::Indexed)
    }

    /// The background of the code of a line whose gutter has a background: only the selected line and
    /// those of a diff go on to the right, unless the theme tints the code as well.
    pub fn of_code(&self, background: LineBackground) -> LineBackground {
        match background {
            LineBackground::SelectedLine | LineBackground::Diff(..) => background,
            _ if self.palette.tints_code => background,
            _ => LineBackground::Plain,
        }
    }

    /// The styles of a scrollbar: its thumb, a mark beside it, and a mark on it.
    pub fn scrollbar(&self) -> [Style; 3] {
        let lines = match self.depth {
            // Any of the 16 colors may be a hue.
            ColorDepth::Sixteen => LineBackground::SelectedCommit,
            _ => LineBackground::Plain,
        };
        let mark = self.line(lines, Foreground::Mark);
        let thumb = match self.depth {
            ColorDepth::None => Style::new(),
            // The default foreground cannot be the background of a mark.
            ColorDepth::Sixteen => named(self.palette.named.function),
            _ => Style::new().fg(self.color(self.palette.dim)),
        };
        let on_thumb = match thumb.fg {
            Some(color) => mark.bg(color),
            None => mark.add_modifier(Modifier::REVERSED),
        };
        [thumb, mark, on_thumb]
    }

    /// The style of text that a filter leaves out, on a background.
    pub fn dimmed(&self, background: LineBackground) -> Style {
        match background {
            LineBackground::Plain
            | LineBackground::Shade(_)
            | LineBackground::Age(..)
            | LineBackground::Hue(..) => self.dim(),
            _ => self.line(background, Foreground::Faint),
        }
    }

    fn dim(&self) -> Style {
        match self.depth {
            // Bright black, the other choice, is the background in some palettes.
            ColorDepth::None | ColorDepth::Sixteen => {
                Style::new().fg(Color::Reset).add_modifier(Modifier::DIM)
            }
            _ => Style::new().fg(self.color(self.palette.dim)),
        }
    }

    /// The style of text on a line.
    pub fn line(&self, background: LineBackground, foreground: Foreground) -> Style {
        match self.depth {
            ColorDepth::None => plain(background, Style::new()),
            ColorDepth::Sixteen => plain(background, self.ansi(background, foreground)),
            _ => self.rich(background, foreground),
        }
    }

    /// `style` for the words that differ in the selected line of a diff.
    pub fn emphasized(&self, style: Style) -> Style {
        style.add_modifier(Modifier::UNDERLINED)
    }

    fn rich(&self, background: LineBackground, foreground: Foreground) -> Style {
        let style = Style::new().fg(self.color(self.foreground(foreground)));
        let style = if self.has_contrast(background, foreground) {
            style
        } else {
            Style::new().fg(self.color(self.palette.plain))
        };
        let style = match foreground {
            Foreground::Code(SyntaxClass::Heading) => style.add_modifier(Modifier::BOLD),
            // Plain text keeps the terminal's own foreground.
            Foreground::Code(SyntaxClass::Plain) | Foreground::Text
                if background == LineBackground::Plain =>
            {
                Style::new()
            }
            _ => style,
        };
        let palette = &self.palette;
        let paint = match background {
            LineBackground::Plain => return style,
            LineBackground::Shade(shade) => palette.shades[shade.index()],
            LineBackground::Age(step, shade) => {
                let step = usize::from(step).min(tint::AGE_STEPS - 1);
                ThemeColor {
                    rgb: palette.tints.ages[step][shade.index()],
                    index: palette.shades[shade.index()].index,
                }
            }
            LineBackground::Hue(hue, shade) => ThemeColor {
                rgb: palette.tints.hues[usize::from(hue) % HUE_COUNT][shade.index()],
                index: palette.shades[shade.index()].index,
            },
            LineBackground::Diff(side, part) => {
                let (Some(pair), Some(common)) = (
                    self.diff_colors(background),
                    self.diff_colors(LineBackground::Diff(side, DiffPart::Common)),
                ) else {
                    return style;
                };
                let plain = matches!(
                    foreground,
                    Foreground::Text | Foreground::Code(SyntaxClass::Plain)
                );
                let style = if !plain && self.has_contrast(background, foreground) {
                    style.bg(self.color(pair.background))
                } else {
                    self.pair(pair)
                };
                let same = self.color(pair.background) == self.color(common.background);
                return if part == DiffPart::Words && same {
                    self.emphasized(style)
                } else {
                    style
                };
            }
            LineBackground::SelectedCommit => palette.selected_commit,
            LineBackground::SelectedLine => palette.selected_line,
        };
        style.bg(self.color(paint))
    }

    /// True if text has enough contrast, where that is checked: other backgrounds of the user's
    /// themes are drawn as they are, with a warning.
    fn has_contrast(&self, background: LineBackground, foreground: Foreground) -> bool {
        let at = background.checked_index();
        at.is_none_or(|at| self.is_readable[at][foreground.index()])
    }

    fn foreground(&self, foreground: Foreground) -> ThemeColor {
        let palette = &self.palette;
        let indexed = |index, rgb| ThemeColor { rgb, index };
        match foreground {
            Foreground::Added => palette.added_sign,
            Foreground::Removed => palette.removed_sign,
            Foreground::Age(step) => {
                let (step, few) = (usize::from(step), palette.indexed_ages.len());
                let step = step.min(tint::AGE_STEPS - 1);
                let index = palette.indexed_ages[step * few / tint::AGE_STEPS];
                indexed(index, palette.tints.age_texts[step])
            }
            Foreground::Hue(hue) => {
                let index = hue_colors::of_hue(&palette.indexed_hues, hue);
                indexed(index, palette.plain.rgb)
            }
            Foreground::Text | Foreground::Code(SyntaxClass::Plain) => palette.plain,
            Foreground::Faint => palette.faint,
            _ => foreground_color(&palette.foregrounds, foreground).unwrap_or(palette.plain),
        }
    }

    fn ansi(&self, background: LineBackground, foreground: Foreground) -> Style {
        let palette = &self.palette;
        // Without a background the foreground shows whether the line is added or removed.
        named(match (background, foreground) {
            (LineBackground::Diff(DiffSide::Added, _), _) => palette.named_added,
            (LineBackground::Diff(DiffSide::Removed, _), _) => palette.named_removed,
            (_, Foreground::Added) => palette.named_added,
            (_, Foreground::Removed) => palette.named_removed,
            (_, Foreground::Age(step)) => {
                let step = usize::from(step).min(tint::AGE_STEPS - 1);
                let ages = &palette.named_ages;
                ages[step * ages.len() / tint::AGE_STEPS]
            }
            (_, Foreground::Hue(hue)) => hue_colors::of_hue(&palette.named_hues, hue),
            _ => foreground_color(&palette.named, foreground).flatten(),
        })
    }

    fn color(&self, paint: ThemeColor) -> Color {
        let (red, green, blue) = paint.rgb;
        match self.depth {
            ColorDepth::Indexed => Color::Indexed(paint.index),
            _ => Color::Rgb(red, green, blue),
        }
    }

    /// The style of a search match. `background` is that of the line.
    pub fn search_match(&self, background: LineBackground) -> Style {
        match self.depth {
            // The selected line is in reverse video.
            ColorDepth::None | ColorDepth::Sixteen
                if background == LineBackground::SelectedLine =>
            {
                Style::new()
                    .add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
                    .remove_modifier(Modifier::REVERSED)
            }
            ColorDepth::None | ColorDepth::Sixteen => Style::new().add_modifier(Modifier::REVERSED),
            _ => self.pair(self.palette.found),
        }
    }

    /// The style of the header, the footer and the title of the details pane.
    pub fn bar(&self) -> Style {
        match self.depth {
            ColorDepth::None => Style::new(),
            // A background would need a foreground of its own, which users redefine.
            ColorDepth::Sixteen => named(self.palette.named_bar),
            _ => self.pair(self.palette.bar),
        }
    }

    /// Emphasized text in a bar.
    pub fn bar_emphasis(&self) -> Style {
        self.bar().add_modifier(Modifier::BOLD)
    }

    /// Text in a bar in the color of an age or a hue.
    pub fn bar_tint(&self, foreground: Foreground) -> Style {
        match self.depth {
            ColorDepth::None => self.bar(),
            ColorDepth::Sixteen => self
                .bar()
                .patch(self.ansi(LineBackground::Plain, foreground)),
            _ => self.bar().fg(self.color(self.foreground(foreground))),
        }
    }

    fn pair(&self, pair: ColorPair) -> Style {
        Style::new()
            .fg(self.color(pair.foreground))
            .bg(self.color(pair.background))
    }

    /// The contrast that text needs.
    fn min_contrast(&self) -> f64 {
        match self.depth {
            ColorDepth::Sixteen => contrast::MIN_ANSI_RATIO,
            _ => contrast::MIN_RATIO,
        }
    }

    /// A warning that names the pair of colors with the lowest contrast, if that is too low.
    pub fn contrast_warning(&self) -> Option<String> {
        let (contrast, words) = self.pairs().into_iter().min_by(|one, other| {
            let (one, other) = (one.0, other.0);
            one.total_cmp(&other)
        })?;
        let enough = self.min_contrast();
        (contrast < enough)
            .then(|| format!("{words} is hard to read: contrast {contrast:.1}, should be {enough}"))
    }

    /// Every pair of foreground and background with its contrast ratio.
    fn pairs(&self) -> Vec<(f64, String)> {
        let mut styles = vec![
            (
                self.search_match(LineBackground::Plain),
                "pair.found".to_owned(),
            ),
            (self.bar(), "pair.bar".to_owned()),
        ];
        for background in LineBackground::all() {
            for foreground in Foreground::all() {
                styles.push((
                    self.line(background, foreground),
                    format!("{foreground} on {background}"),
                ));
            }
        }
        let measured = styles.into_iter().map(|(style, words)| {
            let screen = (self.palette.plain.rgb, self.palette.background);
            (contrast::of_style(style, screen), words)
        });
        measured.collect()
    }
}

/// The color of a foreground; `None` for those that are not syntax or marks.
fn foreground_color<C: Copy>(foregrounds: &Foregrounds<C>, foreground: Foreground) -> Option<C> {
    Some(match foreground {
        Foreground::Text
        | Foreground::Faint
        | Foreground::Added
        | Foreground::Removed
        | Foreground::Age(_)
        | Foreground::Hue(_)
        | Foreground::Code(SyntaxClass::Plain) => return None,
        Foreground::Mark => foregrounds.mark,
        Foreground::Author => foregrounds.author,
        Foreground::Date => foregrounds.date,
        Foreground::Id => foregrounds.id,
        Foreground::Code(SyntaxClass::Comment) => foregrounds.comment,
        Foreground::Code(SyntaxClass::String) => foregrounds.string,
        Foreground::Code(SyntaxClass::Number) => foregrounds.number,
        Foreground::Code(SyntaxClass::Keyword) => foregrounds.keyword,
        Foreground::Code(SyntaxClass::Type) => foregrounds.kind,
        Foreground::Code(SyntaxClass::Function | SyntaxClass::Heading) => foregrounds.function,
        Foreground::Code(SyntaxClass::Constant) => foregrounds.constant,
        Foreground::Code(SyntaxClass::Meta) => foregrounds.meta,
    })
}

/// The style of a line without background colors: reverse video for the selected line, bold for
/// the lines of its commit. Both drop colors, since some terminals change the color of bold text.
fn plain(background: LineBackground, style: Style) -> Style {
    match background {
        LineBackground::SelectedLine => Style::new().add_modifier(Modifier::REVERSED),
        LineBackground::SelectedCommit => Style::new().add_modifier(Modifier::BOLD),
        LineBackground::Diff(_, DiffPart::Words) => style.add_modifier(Modifier::UNDERLINED),
        LineBackground::Plain
        | LineBackground::Shade(_)
        | LineBackground::Age(..)
        | LineBackground::Hue(..)
        | LineBackground::Diff(..) => style,
    }
}

fn named(name: AnsiColor) -> Style {
    match name.and_then(|name| ANSI_COLORS.get(usize::from(name))) {
        Some(&color) => Style::new().fg(color),
        None => Style::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::model::attribution::Shade;

    const BOTH: [Background; 2] = [Background::Dark, Background::Light];

    #[test]
    fn adjacent_groups_differ_in_every_tint() {
        for background in BOTH {
            let theme = Theme::new(background, ColorDepth::True);
            let tints = &theme.palette.tints;
            for row in tints.ages.iter().chain(&tints.hues) {
                assert!(row[0] != row[1] && row[1] != row[2] && row[0] != row[2]);
            }
        }
    }

    #[test]
    fn ages_are_told_apart() {
        for background in BOTH {
            for depth in [ColorDepth::Indexed, ColorDepth::True] {
                let theme = Theme::new(background, depth);
                let rgb = |color: Option<Color>| match color {
                    Some(Color::Rgb(red, green, blue)) => (red, green, blue),
                    Some(Color::Indexed(index)) => palette::indexed(index),
                    _ => panic!("a color: {color:?}"),
                };
                let steps = 0..tint::AGE_STEPS as u8;
                let mut swatches: Vec<_> = steps
                    .clone()
                    .map(|it| rgb(theme.bar_tint(Foreground::Age(it)).fg))
                    .collect();
                let bar = theme.bar();
                for swatch in &swatches {
                    let (red, green, blue) = *swatch;
                    let on_bar = bar.fg(Color::Rgb(red, green, blue));
                    let contrast = contrast::of_style(on_bar, ((0, 0, 0), (0, 0, 0)));
                    assert!(
                        contrast >= 4.5,
                        "{background:?} {depth:?} {swatch:?}: {contrast:.2}"
                    );
                }
                // The 256 colors have fewer.
                swatches.dedup();
                assert!(swatches.len() >= 5, "{background:?} {depth:?}");
                for pair in swatches.windows(2) {
                    let distance = tint::distance(pair[0], pair[1]);
                    assert!(
                        distance >= 0.03,
                        "{background:?} {depth:?} {pair:?}: {distance:.3}"
                    );
                }
                if depth == ColorDepth::Indexed {
                    continue;
                }
                // Neighbouring ages of lines.
                let ground = |step, shade| {
                    rgb(theme
                        .line(LineBackground::Age(step, shade), Foreground::Text)
                        .bg)
                };
                for shade in Shade::all() {
                    let mut before = None;
                    for step in steps.clone() {
                        let cell = ground(step, shade);
                        if let Some(before) = before.replace(cell) {
                            let distance = tint::distance(cell, before);
                            assert!(distance >= 0.014, "{background:?} {step}: {distance:.3}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn built_in_themes_have_enough_contrast() {
        for background in BOTH {
            for depth in [
                ColorDepth::None,
                ColorDepth::Sixteen,
                ColorDepth::Indexed,
                ColorDepth::True,
            ] {
                let theme = Theme::new(background, depth);
                assert!(theme.pairs().len() > 900);
                for (contrast, name) in theme.pairs() {
                    assert!(
                        contrast >= theme.min_contrast(),
                        "{background:?} {depth:?} {name}: {contrast:.2}"
                    );
                }
                assert_eq!(theme.contrast_warning(), None);
            }
        }
    }

    #[test]
    fn low_contrast_is_reported() {
        let file = "[text]\nstring = '#504020'\n[ansi]\nstring = 'blue'";
        let unreadable = |depth| {
            Theme::parse(file.as_bytes(), depth)
                .ok()?
                .contrast_warning()
        };
        assert_eq!(
            unreadable(ColorDepth::True).as_deref(),
            Some("text.string on tint is hard to read: contrast 1.2, should be 4.5")
        );
        assert_eq!(
            unreadable(ColorDepth::Sixteen).as_deref(),
            Some("text.string on terminal-background is hard to read: contrast 1.3, should be 4")
        );
        assert_eq!(unreadable(ColorDepth::None), None);
    }

    #[test]
    fn backgrounds_differ() {
        for background in BOTH {
            for depth in [ColorDepth::Indexed, ColorDepth::True] {
                let theme = Theme::new(background, depth);
                let backgrounds = LineBackground::all().into_iter();
                let backgrounds = backgrounds.filter(|background| {
                    let tint = matches!(
                        background,
                        LineBackground::Age(..) | LineBackground::Hue(..)
                    );
                    !tint && !matches!(background, LineBackground::Diff(..))
                });
                let colors =
                    backgrounds.map(|background| theme.line(background, Foreground::Text).bg);
                let colors: std::collections::HashSet<_> = colors.collect();
                assert_eq!(colors.len(), 6, "{background:?} {depth:?}");
            }
        }
    }

    #[test]
    fn diffs_have_syntax_colors_where_contrast_allows() {
        for background in BOTH {
            let theme = Theme::new(background, ColorDepth::True);
            // In truecolor that is everywhere. Diffs have no ids, ages and hues.
            let drawn = Foreground::Author.index();
            for is_readable in &theme.is_readable[..CHECKED_BACKGROUNDS - 1] {
                assert_eq!(is_readable[..drawn], [true; FOREGROUNDS][..drawn]);
            }
            for depth in [
                ColorDepth::None,
                ColorDepth::Sixteen,
                ColorDepth::Indexed,
                ColorDepth::True,
            ] {
                let theme = Theme::new(background, depth);
                for side in [DiffSide::Added, DiffSide::Removed] {
                    let style =
                        |part| theme.line(LineBackground::Diff(side, part), Foreground::Text);
                    assert_ne!(style(DiffPart::Common), style(DiffPart::Words), "{depth:?}");
                }
            }
        }
    }
}
