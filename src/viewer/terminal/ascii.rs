//! Marks and lines in ASCII: for terminals that cannot show others, or that show some of them two
//! columns wide.

use ratatui::buffer::Buffer;

use crate::viewer::terminal::hyperlinks;

/// The characters of the viewer's own and what stands for them, each one column wide.
const REPLACEMENTS: [(&str, &str); 30] = [
    ("“", "\""),
    ("”", "\""),
    ("…", "~"),
    ("·", "."),
    ("–", "-"),
    ("─", "-"),
    ("═", "="),
    ("▔", "-"),
    ("│", "|"),
    ("┃", "!"),
    ("┊", ":"),
    ("⋮", ":"),
    ("‹", "<"),
    ("›", ">"),
    ("►", ">"),
    ("→", ">"),
    ("▾", "v"),
    ("◆", "*"),
    ("◇", "o"),
    ("✓", "+"),
    ("▌", "#"),
    ("▐", "#"),
    ("▁", "_"),
    ("▂", "."),
    ("▃", ","),
    ("▄", "-"),
    ("▅", "="),
    ("▆", "+"),
    ("▇", "*"),
    ("█", "#"),
];

/// Replaces the viewer's own characters in a frame. The same ones in the text of a file look alike.
pub(crate) fn replace(frame: &mut Buffer) {
    for cell in &mut frame.content {
        if cell.symbol().len() > 1
            && let Some((_, ascii)) = REPLACEMENTS.iter().find(|(it, _)| *it == cell.symbol())
        {
            cell.set_symbol(ascii);
        }
    }
}

/// The first of the variables that say which characters there are.
fn locale(var: impl Fn(&str) -> Option<String>) -> Option<String> {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"].iter();
    names
        .filter_map(|name| var(name))
        .find(|value| !value.is_empty())
}

/// True if the locale is one without UTF-8: by its codeset, or as POSIX, which it is where none of
/// the variables is set. macOS and Windows have UTF-8 then, and so has a terminal that is known to
/// have links; but tmux writes ASCII without such a locale. Which codeset a name such as `en_US` stands for only the C library's tables know.
/// `var` reads environment variables.
pub(crate) fn is_wanted(var: impl Fn(&str) -> Option<String>) -> bool {
    let Some(locale) = locale(&var) else {
        let is_posix = cfg!(not(any(target_os = "macos", windows)));
        let is_in_tmux = var("TMUX").is_some_and(|value| !value.is_empty());
        return is_posix && (is_in_tmux || !hyperlinks::are_known(var));
    };
    let charset = locale.split_once('.').map(|(_, charset)| charset);
    match charset.and_then(|charset| charset.split('@').next()) {
        Some(charset) => !charset.replace('-', "").eq_ignore_ascii_case("utf8"),
        None => locale == "C" || locale == "POSIX",
    }
}

/// True if the language is one whose terminals may show lines and marks two columns wide.
pub(crate) fn may_be_wide(var: impl Fn(&str) -> Option<String>) -> bool {
    let locale = locale(var).unwrap_or_default();
    let language = locale.split(['_', '.']).next();
    matches!(language, Some("ja" | "ko" | "zh"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacements_are_one_column_of_ascii() {
        for (from, to) in REPLACEMENTS {
            assert_eq!(unicode_width::UnicodeWidthStr::width(from), 1, "{from}");
            assert!(to.len() == 1 && to.is_ascii(), "{from}");
        }
    }

    #[test]
    fn the_locale_decides() {
        for (name, value, wanted, wide) in [
            ("LANG", "C", true, false),
            ("LC_ALL", "POSIX", true, false),
            ("LANG", "C.UTF-8", false, false),
            ("LANG", "en_US.utf8", false, false),
            ("LC_CTYPE", "de_DE.UTF-8@euro", false, false),
            ("LANG", "de_DE.ISO-8859-1", true, false),
            ("LANG", "ru_RU.KOI8-R", true, false),
            ("LANG", "en_US", false, false),
            ("LANG", "ja_JP.UTF-8", false, true),
            ("LC_ALL", "zh_TW.Big5", true, true),
            ("LANG", "ko", false, true),
            ("LANG", "de_DE@euro", false, false),
            // The name that terminals on macOS set.
            ("LC_CTYPE", "UTF-8", false, false),
        ] {
            let var = |asked: &str| (asked == name).then(|| value.to_owned());
            assert_eq!(
                (is_wanted(var), may_be_wide(var)),
                (wanted, wide),
                "{value}"
            );
        }
        let both = |name: &str| Some(if name == "LC_ALL" { "C.UTF-8" } else { "C" }.to_owned());
        assert!(!is_wanted(both));
        // Without any of the variables the C library takes POSIX, but some terminals have UTF-8 only.
        let is_posix = cfg!(not(any(target_os = "macos", windows)));
        for (term, tmux, is_known) in [
            ("xterm-256color", "", false),
            ("linux", "", false),
            ("", "", false),
            ("xterm-kitty", "", true),
            ("foot", "", true),
            ("foot", "/tmp/tmux-0/default,1,0", false),
        ] {
            let var = |asked: &str| match asked {
                "TERM" => Some(term.to_owned()),
                "TMUX" => Some(tmux.to_owned()),
                "LANG" => Some(String::new()),
                _ => None,
            };
            assert_eq!(is_wanted(var), is_posix && !is_known, "{term}");
        }
    }
}
