//! Display width of text by git's tables.

use unicode_width::UnicodeWidthChar;

/// The display width of a text in columns; its length in bytes if it is not UTF-8.
pub(crate) fn display_width(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.iter().filter(|byte| !byte.is_ascii_control()).count();
    }
    match std::str::from_utf8(text) {
        Ok(text) => text.chars().map(char_width).sum(),
        Err(_) => text.len(),
    }
}

fn char_width(character: char) -> usize {
    let exception = EXCEPTIONS
        .binary_search_by(|(range, _)| {
            if range.1 < character {
                std::cmp::Ordering::Less
            } else if range.0 > character {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Equal
            }
        })
        .ok();
    match exception {
        Some(at) => EXCEPTIONS[at].1,
        None => character.width().unwrap_or(0),
    }
}

/// Characters for which git's tables differ from those of `unicode-width`: in git, spacing marks
/// take one column whatever they combine with, and all format characters take none.
const EXCEPTIONS: &[((char, char), usize)] = &[
    (('\u{ad}', '\u{ad}'), 1),
    (('\u{5c8}', '\u{5c9}'), 1),
    (('\u{600}', '\u{604}'), 0),
    (('\u{6dd}', '\u{6dd}'), 0),
    (('\u{9be}', '\u{9be}'), 1),
    (('\u{9d7}', '\u{9d7}'), 1),
    (('\u{b3e}', '\u{b3e}'), 1),
    (('\u{b53}', '\u{b54}'), 1),
    (('\u{b57}', '\u{b57}'), 1),
    (('\u{bbe}', '\u{bbe}'), 1),
    (('\u{bd7}', '\u{bd7}'), 1),
    (('\u{cc0}', '\u{cc0}'), 1),
    (('\u{cc2}', '\u{cc2}'), 1),
    (('\u{cc7}', '\u{cc8}'), 1),
    (('\u{cca}', '\u{ccb}'), 1),
    (('\u{cd5}', '\u{cd6}'), 1),
    (('\u{d3e}', '\u{d3e}'), 1),
    (('\u{d4e}', '\u{d4e}'), 1),
    (('\u{d57}', '\u{d57}'), 1),
    (('\u{dcf}', '\u{dcf}'), 1),
    (('\u{ddf}', '\u{ddf}'), 1),
    (('\u{1715}', '\u{1715}'), 1),
    (('\u{1734}', '\u{1734}'), 1),
    (('\u{17a4}', '\u{17a4}'), 1),
    (('\u{17d8}', '\u{17d8}'), 1),
    (('\u{1b35}', '\u{1b35}'), 1),
    (('\u{1b3b}', '\u{1b3b}'), 1),
    (('\u{1b3d}', '\u{1b3d}'), 1),
    (('\u{1b43}', '\u{1b44}'), 1),
    (('\u{1baa}', '\u{1baa}'), 1),
    (('\u{1bf2}', '\u{1bf3}'), 1),
    (('\u{2065}', '\u{2065}'), 1),
    (('\u{2d7f}', '\u{2d7f}'), 0),
    (('\u{302e}', '\u{302f}'), 2),
    (('\u{3164}', '\u{3164}'), 2),
    (('\u{a8fa}', '\u{a8fa}'), 1),
    (('\u{a953}', '\u{a953}'), 1),
    (('\u{a9c0}', '\u{a9c0}'), 1),
    (('\u{d7b0}', '\u{d7c6}'), 1),
    (('\u{d7cb}', '\u{d7fb}'), 1),
    (('\u{ffa0}', '\u{ffa0}'), 1),
    (('\u{fff9}', '\u{fffb}'), 0),
    (('\u{110bd}', '\u{110bd}'), 0),
    (('\u{110cd}', '\u{110cd}'), 0),
    (('\u{111c0}', '\u{111c0}'), 1),
    (('\u{11235}', '\u{11235}'), 1),
    (('\u{1133e}', '\u{1133e}'), 1),
    (('\u{1134d}', '\u{1134d}'), 1),
    (('\u{11357}', '\u{11357}'), 1),
    (('\u{113b8}', '\u{113b8}'), 1),
    (('\u{113c2}', '\u{113c2}'), 1),
    (('\u{113c5}', '\u{113c5}'), 1),
    (('\u{113c7}', '\u{113c9}'), 1),
    (('\u{113cf}', '\u{113cf}'), 1),
    (('\u{114b0}', '\u{114b0}'), 1),
    (('\u{114bd}', '\u{114bd}'), 1),
    (('\u{115af}', '\u{115af}'), 1),
    (('\u{116b6}', '\u{116b6}'), 1),
    (('\u{11930}', '\u{11930}'), 1),
    (('\u{1193d}', '\u{1193d}'), 1),
    (('\u{1193f}', '\u{1193f}'), 1),
    (('\u{11941}', '\u{11941}'), 1),
    (('\u{11a84}', '\u{11a89}'), 1),
    (('\u{11f02}', '\u{11f02}'), 1),
    (('\u{11f41}', '\u{11f41}'), 1),
    (('\u{13430}', '\u{1343f}'), 0),
    (('\u{16ff0}', '\u{16ff1}'), 2),
    (('\u{1d165}', '\u{1d166}'), 1),
    (('\u{1d16d}', '\u{1d172}'), 1),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths() {
        for (text, width) in [
            ("Ann Lee", 7),
            ("a\tb", 2),
            ("李小龍", 6),
            ("e\u{301}", 1),
            ("\u{1f600}", 2),
            ("\u{ad}", 1),
            ("\u{9be}", 1),
            ("\u{600}", 0),
        ] {
            assert_eq!(display_width(text.as_bytes()), width, "{text}");
        }
        assert_eq!(display_width(b"\xff\xe9"), 2);
    }

    #[test]
    fn exceptions_are_sorted() {
        assert!(EXCEPTIONS.windows(2).all(|pair| pair[0].0.1 < pair[1].0.0));
        assert!(EXCEPTIONS.iter().all(|((first, last), _)| first <= last));
    }
}
