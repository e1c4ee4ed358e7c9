//! The colors of the terminal, as its environment variables say.

/// The brightness of the terminal's background.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Background {
    /// Light text on a dark background.
    #[default]
    Dark,
    /// Dark text on a light background.
    Light,
}

/// Number of colors that the terminal supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ColorDepth {
    /// No colors: groups and the selection are shown with marks, bold and reverse video.
    None,
    /// The 16 ANSI colors, which users redefine.
    Sixteen,
    /// xterm's 256 colors.
    Indexed,
    /// Truecolor: 24-bit RGB.
    #[default]
    True,
}

/// What `TERM` begins with in terminals that have true color in all their versions. `COLORTERM`,
/// which says so too, does not come along with ssh.
const TRUE_COLOR_TERMS: [&str; 9] = [
    "alacritty",
    "contour",
    "foot",
    "ghostty",
    "rio",
    "wezterm",
    "xterm-contour",
    "xterm-ghostty",
    "xterm-kitty",
];

/// What `TERM` begins with in programs that turn 256 colors into those of the terminal around them.
const INDEXED_TERMS: [&str; 2] = ["screen", "tmux"];

impl ColorDepth {
    /// Detects the depth from `NO_COLOR`, `TERM` and `COLORTERM`, read through `var`, and else from
    /// the number of colors that `terminfo` gives for `TERM`. The terminal may have more than that.
    pub fn detect(
        var: impl Fn(&str) -> Option<String>,
        terminfo: impl FnOnce(&str) -> Option<u32>,
    ) -> Self {
        let is_set = |name| var(name).is_some_and(|value| !value.is_empty());
        let term = var("TERM").unwrap_or_default();
        let color = var("COLORTERM").unwrap_or_default();
        let is = |names: &[&str]| {
            let begins = |name| {
                let rest = term.strip_prefix(name);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
            };
            names.iter().any(begins)
        };
        if is_set("NO_COLOR") || term.is_empty() || term == "dumb" || term.starts_with("vt1") {
            ColorDepth::None
        } else if color == "truecolor"
            || color == "24bit"
            || term.ends_with("-direct")
            || is(&TRUE_COLOR_TERMS)
        {
            ColorDepth::True
        } else if term.contains("256") || is_set("COLORTERM") || is(&INDEXED_TERMS) {
            ColorDepth::Indexed
        } else {
            match terminfo(&term) {
                Some(0) => ColorDepth::None,
                Some(0x1000000..) => ColorDepth::True,
                Some(256..) => ColorDepth::Indexed,
                Some(_) | None => ColorDepth::Sixteen,
            }
        }
    }
}

impl Background {
    /// Reads `COLORFGBG` (`15;0`: the last number is the background); dark without it.
    pub fn detect(var: impl Fn(&str) -> Option<String>) -> Self {
        let value = var("COLORFGBG").unwrap_or_default();
        let background = value.rsplit(';').next().and_then(|n| n.parse::<u8>().ok());
        match background {
            Some(7 | 9..=15) => Background::Light,
            _ => Background::Dark,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_and_background_are_read_from_the_environment() {
        let with = |pairs: &'static [(&str, &str)]| {
            move |name: &str| {
                let found = pairs.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            }
        };
        let depth = |pairs| ColorDepth::detect(with(pairs), |_| None);
        assert_eq!(depth(&[("TERM", "xterm-256color")]), ColorDepth::Indexed);
        assert_eq!(
            depth(&[("TERM", "tmux"), ("COLORTERM", "truecolor")]),
            ColorDepth::True
        );
        assert_eq!(
            depth(&[("TERM", "xterm"), ("NO_COLOR", "1")]),
            ColorDepth::None
        );
        assert_eq!(depth(&[("TERM", "linux")]), ColorDepth::Sixteen);
        for (term, expected) in [
            ("xterm-kitty", ColorDepth::True),
            ("foot", ColorDepth::True),
            ("foot-extra", ColorDepth::True),
            ("footer", ColorDepth::Sixteen),
            ("xterm", ColorDepth::Sixteen),
            ("screen", ColorDepth::Indexed),
            ("screen.xterm", ColorDepth::Indexed),
            ("tmux", ColorDepth::Indexed),
            ("vt220", ColorDepth::Sixteen),
        ] {
            let var = |name: &str| (name == "TERM").then(|| term.to_owned());
            assert_eq!(ColorDepth::detect(var, |_| None), expected, "{term}");
        }
        for (colors, expected) in [
            (0, ColorDepth::None),
            (8, ColorDepth::Sixteen),
            (256, ColorDepth::Indexed),
            (32767, ColorDepth::Indexed),
            (1 << 24, ColorDepth::True),
        ] {
            let var = |name: &str| (name == "TERM").then(|| "strange".to_owned());
            assert_eq!(ColorDepth::detect(var, |_| Some(colors)), expected);
        }
        let background = |pairs| Background::detect(with(pairs));
        assert_eq!(background(&[("COLORFGBG", "0;15")]), Background::Light);
        assert_eq!(
            background(&[("COLORFGBG", "15;default;0")]),
            Background::Dark
        );
        assert_eq!(background(&[]), Background::Dark);
    }
}
