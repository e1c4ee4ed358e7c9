//! The width of tabs that files `.editorconfig` set (<https://spec.editorconfig.org>).

use std::path::Path;

use bstr::{BStr, ByteSlice};
use regex::bytes::RegexBuilder;

use crate::system;

/// The largest file, in bytes.
const MAX_FILE: u64 = 1 << 16;
/// Sections of a file that are looked at, at most.
const MAX_SECTIONS: usize = 256;
/// The largest compiled pattern, in bytes.
const MAX_PATTERN: usize = 1 << 18;
/// The widest tabs.
pub(crate) const MAX_WIDTH: u8 = 32;

/// The width of tabs in the file `path`, from the root of the work tree `root`; `None` if no file
/// sets it there.
pub(crate) fn tab_width(root: &Path, path: &BStr) -> Option<u8> {
    let mut files = Vec::new();
    let mut end = path.len();
    // The nearest file first.
    while let Some(slash) = path[..end].rfind_byte(b'/').map(|at| at + 1).or(Some(0)) {
        let directory = root.join(path[..slash].to_path_lossy());
        let text = system::read_file_within(&directory.join(".editorconfig"), MAX_FILE);
        let text = text.unwrap_or_default();
        let is_root = is_root(&text);
        files.push((text, &path[slash..]));
        if is_root || slash == 0 {
            break;
        }
        end = slash - 1;
    }
    let mut found = Settings::default();
    for (text, below) in files.iter().rev() {
        found.add(text, below.as_bstr());
    }
    let width = found.tab_width.or(found.indent)?;
    (1..=MAX_WIDTH).contains(&width).then_some(width)
}

#[derive(Debug, Default)]
struct Settings {
    tab_width: Option<u8>,
    /// `indent_size`, which counts where there is no `tab_width`.
    indent: Option<u8>,
}

impl Settings {
    /// Adds what `text` says of the file `path`, from the directory of `text`.
    fn add(&mut self, text: &[u8], path: &BStr) {
        let mut section: Option<&[u8]> = None;
        let mut matches = None;
        let mut sections = 0;
        for line in text.lines().map(<[u8]>::trim_ascii) {
            if let Some(name) = header(line) {
                sections += 1;
                if sections > MAX_SECTIONS {
                    return;
                }
                (section, matches) = (Some(name), None);
            } else if let (Some((key, value)), Some(name)) = (pair(line), section) {
                let setting = if key.eq_ignore_ascii_case(b"tab_width") {
                    &mut self.tab_width
                } else if key.eq_ignore_ascii_case(b"indent_size") {
                    &mut self.indent
                } else {
                    continue;
                };
                if *matches.get_or_insert_with(|| is_match(name, path)) {
                    *setting = value.to_str().ok().and_then(|value| value.parse().ok());
                }
            }
        }
    }
}

/// The pattern of a section's first line.
fn header(line: &[u8]) -> Option<&[u8]> {
    line.strip_prefix(b"[")?.strip_suffix(b"]")
}

/// The key and the value of a line.
fn pair(line: &[u8]) -> Option<(&[u8], &[u8])> {
    if matches!(line.first(), Some(b'#' | b';')) {
        return None;
    }
    let at = line.find_byteset(b"=:")?;
    Some((line[..at].trim_ascii(), line[at + 1..].trim_ascii()))
}

/// True if the files of directories above do not count.
fn is_root(text: &[u8]) -> bool {
    let lines = text.lines().map(<[u8]>::trim_ascii);
    let mut before = lines.take_while(|line| header(line).is_none());
    before.any(|line| {
        pair(line).is_some_and(|(key, value)| {
            key.eq_ignore_ascii_case(b"root") && value.eq_ignore_ascii_case(b"true")
        })
    })
}

/// True if the pattern of a section matches the path. One that cannot be understood does not.
fn is_match(pattern: &[u8], path: &BStr) -> bool {
    let Some(expression) = pattern.to_str().ok().and_then(expression) else {
        return false;
    };
    let mut builder = RegexBuilder::new(&expression);
    let regex = builder.size_limit(MAX_PATTERN).build();
    regex.is_ok_and(|regex| regex.is_match(path))
}

/// A pattern as a regular expression; `None` for ranges of numbers, and if braces do not match.
fn expression(pattern: &str) -> Option<String> {
    let anchored = pattern.contains('/');
    let mut text = String::from(if anchored { "^" } else { "^(?:.*/)?" });
    let mut rest = pattern.strip_prefix('/').unwrap_or(pattern);
    let mut depth = 0u32;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '*' if rest.starts_with('*') => {
                rest = &rest[1..];
                text.push_str(".*");
            }
            '*' => text.push_str("[^/]*"),
            '?' => text.push_str("[^/]"),
            '[' if rest.contains(']') => {
                let (class, after) = rest.split_once(']')?;
                rest = after;
                let (not, class) = match class.strip_prefix('!') {
                    Some(class) => ("^", class),
                    None => ("", class),
                };
                text.push_str(&format!("[{not}"));
                for c in class.chars() {
                    if c != '-' && !c.is_alphanumeric() {
                        text.push('\\');
                    }
                    text.push(c);
                }
                text.push(']');
            }
            '{' => {
                let inner = rest.split_once('}')?.0;
                if !inner.contains(',') {
                    // Ranges of numbers, or a name in braces.
                    return None;
                }
                depth += 1;
                text.push_str("(?:");
            }
            '}' => {
                depth = depth.checked_sub(1)?;
                text.push(')');
            }
            ',' if depth > 0 => text.push('|'),
            '\\' => {
                let c = rest.chars().next()?;
                rest = &rest[c.len_utf8()..];
                text.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
            }
            c => text.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
    }
    text.push('$');
    (depth == 0).then_some(text)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn patterns_match_as_in_other_editors() {
        for (pattern, path, expected) in [
            ("*", "a/b.c", true),
            ("*.c", "b.c", true),
            ("*.c", "a/b.c", true),
            ("*.c", "b.cc", false),
            ("/*.c", "a/b.c", false),
            ("a/*.c", "a/b.c", true),
            ("a/*.c", "a/b/c.c", false),
            ("a/**.c", "a/b/c.c", true),
            ("*.{c,h}", "x.h", true),
            ("{Makefile,*.mk}", "a/Makefile", true),
            ("{a,{b,c}}", "c", true),
            ("*.{c,h", "x.h", false),
            ("[ab].c", "b.c", true),
            ("[!ab].c", "b.c", false),
            ("[!ab].c", "d.c", true),
            ("x?.c", "xy.c", true),
            ("a.c", "abc", false),
            ("\\*.c", "*.c", true),
            ("{1..3}", "2", false),
        ] {
            assert_eq!(
                is_match(pattern.as_bytes(), path.into()),
                expected,
                "{pattern} {path}"
            );
        }
    }

    #[test]
    fn nearer_files_and_later_sections_win() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        fs::create_dir_all(root.join("a/b")).unwrap();
        let width = |path: &str| tab_width(root, path.into());
        assert_eq!(width("a/b/x.c"), None);
        let outer = "root = true\n[*]\nindent_size = 3\n[*.c]\nTab_Width : 4\n[x.h]\ntab_width=99";
        fs::write(root.join(".editorconfig"), outer).unwrap();
        assert_eq!(
            (width("a/b/x.c"), width("x.py"), width("x.h")),
            (Some(4), Some(3), None)
        );
        fs::write(
            root.join("a/.editorconfig"),
            "# [*]\n[b/*]\ntab_width = 2\n",
        )
        .unwrap();
        assert_eq!((width("a/b/x.c"), width("a/x.c")), (Some(2), Some(4)));
        fs::write(
            root.join("a/b/.editorconfig"),
            "root=true\n[*.h]\nindent_size=tab\n",
        )
        .unwrap();
        assert_eq!((width("a/b/x.c"), width("a/b/x.h")), (None, None));
        fs::write(root.join("a/b/.editorconfig"), [0xff; 70000]).unwrap();
        assert_eq!(width("a/b/x.c"), Some(2));
    }
}
