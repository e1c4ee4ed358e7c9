//! The number of colors of a terminal, from its compiled entry in the terminfo database (term(5)).

use std::path::PathBuf;

use crate::system;

/// The largest entry, in bytes: ncurses reads 32,768 at most.
const MAX_ENTRY: u64 = 1 << 16;
/// The place of `max_colors` among the numbers of an entry.
const MAX_COLORS: usize = 13;
/// Where entries are unless the environment says otherwise.
const DIRECTORIES: [&str; 5] = [
    "/etc/terminfo",
    "/lib/terminfo",
    "/usr/share/terminfo",
    "/usr/lib/terminfo",
    "/usr/local/share/terminfo",
];

/// The number of colors of the terminal with this name; 0 if its entry has no colors, and `None` if
/// there is no entry that can be read. `var` reads environment variables.
pub(crate) fn colors(term: &str, var: impl Fn(&str) -> Option<String>) -> Option<u32> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-+._".contains(&byte);
    let first = term.bytes().next().filter(u8::is_ascii_alphanumeric)?;
    if term.len() > 128 || !term.bytes().all(is_name) {
        return None;
    }
    let set = |name| var(name).filter(|value| !value.is_empty());
    let own = set("HOME").map(|home| format!("{home}/.terminfo"));
    let listed = set("TERMINFO_DIRS").unwrap_or_default();
    let listed = listed.split(':').filter(|name| !name.is_empty());
    let usual = DIRECTORIES.map(str::to_owned);
    let places = set("TERMINFO").into_iter().chain(own);
    let mut places = places.chain(listed.map(str::to_owned)).chain(usual);
    let entry = places.find_map(|place| {
        // By the first letter, or by its code where names differ in case alone.
        let folders = [char::from(first).to_string(), format!("{first:x}")];
        let mut files = folders
            .iter()
            .map(|it| PathBuf::from(&place).join(it).join(term));
        files.find_map(|file| system::read_file_within(&file, MAX_ENTRY).ok())
    });
    max_colors(&entry?)
}

/// The number of colors that a compiled entry has.
fn max_colors(entry: &[u8]) -> Option<u32> {
    let short = |at: usize| {
        let bytes = entry.get(at..at + 2)?;
        Some(i16::from_le_bytes([bytes[0], bytes[1]]))
    };
    // Numbers have 16 bits in the older format, and 32 in the other.
    let size = match short(0)? {
        0o432 => 2,
        0o1036 => 4,
        _ => return None,
    };
    let section = |at| short(at).and_then(|count| usize::try_from(count).ok());
    let (names, flags, numbers) = (section(2)?, section(4)?, section(6)?);
    if numbers <= MAX_COLORS {
        return Some(0);
    }
    let start = (12 + names + flags).next_multiple_of(2);
    let bytes = entry.get(start + MAX_COLORS * size..)?.get(..size)?;
    let number = match *bytes {
        [a, b] => i32::from(i16::from_le_bytes([a, b])),
        [a, b, c, d] => i32::from_le_bytes([a, b, c, d]),
        _ => return None,
    };
    // Negative: the terminal has none, or the capability is canceled.
    Some(u32::try_from(number).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// An entry with these numbers.
    fn entry(size: usize, name: &str, flags: usize, numbers: &[i32]) -> Vec<u8> {
        let magic: i16 = if size == 2 { 0o432 } else { 0o1036 };
        let counts = [name.len() + 1, flags, numbers.len(), 0, 0];
        let counts = counts.map(|count| i16::try_from(count).unwrap());
        let mut bytes: Vec<u8> = [magic]
            .iter()
            .chain(&counts)
            .flat_map(|n| n.to_le_bytes())
            .collect();
        bytes.extend(name.bytes().chain([0]));
        bytes.extend(vec![1; flags]);
        bytes.resize(bytes.len().next_multiple_of(2), 0);
        for number in numbers {
            bytes.extend(&number.to_le_bytes()[..size]);
        }
        bytes
    }

    #[test]
    fn colors_are_read_from_both_formats() {
        for size in [2, 4] {
            for (name, flags) in [("a", 0), ("ab", 0), ("a", 3), ("ab", 38)] {
                let mut numbers = [7; 15];
                for (stored, expected) in [(8, 8), (256, 256), (-1, 0), (-2, 0)] {
                    numbers[MAX_COLORS] = stored;
                    let entry = entry(size, name, flags, &numbers);
                    assert_eq!(max_colors(&entry), Some(expected), "{size} {name} {flags}");
                    // Whatever is missing, nothing else is read in its place.
                    for end in 0..entry.len() - 2 * size + 1 {
                        let cut = max_colors(&entry[..end]);
                        let whole = end + size == entry.len();
                        assert!(cut.is_none() || whole && cut == Some(expected), "{end}");
                    }
                }
            }
        }
        assert_eq!(max_colors(&entry(4, "a", 0, &[1; 13])), Some(0));
        let direct = entry(4, "a", 0, &[1 << 24; 14]);
        assert_eq!(max_colors(&direct), Some(1 << 24));
        assert_eq!(max_colors(b"\x1a\x01\xff\xff\xff\xff\xff\xff"), None);
        assert_eq!(max_colors(b"text"), None);
    }

    #[test]
    fn entries_are_found_by_their_names() {
        let scratch = tempfile::tempdir().unwrap();
        let place = scratch.path().to_str().unwrap().to_owned();
        for (folder, name, count) in [("m", "my-term", 16), ("4d", "My-term", 64)] {
            fs::create_dir(scratch.path().join(folder)).unwrap();
            let entry = entry(2, name, 0, &[count; 14]);
            fs::write(scratch.path().join(folder).join(name), entry).unwrap();
        }
        for variable in ["TERMINFO", "TERMINFO_DIRS"] {
            let var = |name: &str| (name == variable).then(|| place.clone());
            assert_eq!(colors("my-term", var), Some(16));
            assert_eq!(colors("My-term", var), Some(64));
            for wrong in [
                "none-such-terminal",
                "../m/my-term",
                "m/my-term",
                "",
                ".",
                "m\0",
            ] {
                assert_eq!(colors(wrong, var), None, "{wrong:?}");
            }
        }
    }
}
