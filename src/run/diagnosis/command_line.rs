//! The command line as a log may have it.

use std::ffi::OsString;

use bstr::ByteVec;

use crate::{cli::split_option, sanitize, system::run_log};

/// Words of the command line that are no names, besides options and numbers.
const PLAIN: [&str; 6] = ["--", "-", "HEAD", "newest", "blame", "annotate"];

/// The words, with descriptions in place of names.
pub(super) fn described(words: &[OsString], has_names: bool) -> String {
    let described = words.iter().map(|word| {
        let word = Vec::from_os_str_lossy(word);
        if has_names {
            return sanitize::line(&word);
        }
        match split_option(&word) {
            (option, value) if is_plain(value) => format!("{option}{}", sanitize::line(value)),
            (option, value) => format!("{option}{}", run_log::name(value)),
        }
    });
    described.collect::<Vec<_>>().join(" ")
}

/// True for what can be no name: numbers, such as those of lines and of ancestors of `HEAD`.
fn is_plain(value: &[u8]) -> bool {
    let rest = value.strip_prefix(b"HEAD").unwrap_or(value);
    let is_number = |&byte: &u8| byte.is_ascii_digit() || b",+-~^.%".contains(&byte);
    PLAIN.iter().any(|plain| plain.as_bytes() == value) || rest.iter().all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_hidden_and_options_are_not() {
        for (word, expected) in [
            ("--porcelain", "--porcelain"),
            ("-L10,+5", "-L10,+5"),
            ("-L/secret/,+5", "-L(name: 3 parts, 11 bytes)"),
            ("-CC", "-CC"),
            ("-M30", "-M30"),
            ("--since=2020-01-01", "--since=2020-01-01"),
            ("--since=last year", "--since=(name: 1 parts, 9 bytes)"),
            ("HEAD~3", "HEAD~3"),
            ("--", "--"),
            ("topic..next", "(name: 1 parts, 11 bytes)"),
            ("topic", "(name: 1 parts, 5 bytes)"),
            ("src/main.rs:12", "(name: 2 parts, 14 bytes)"),
            ("--contents=-", "--contents=-"),
            ("--no-abb=8", "--no-abb=8"),
            ("--git-dir=secret", "--git-dir=(name: 1 parts, 6 bytes)"),
            ("--author", "--author"),
            ("--secret=4", "(name: 1 parts, 10 bytes)"),
            ("-wcovert", "-w(name: 1 parts, 6 bytes)"),
            ("-Secret", "-S(name: 1 parts, 5 bytes)"),
            ("-Msecret", "-M(name: 1 parts, 6 bytes)"),
            ("-xsecret", "-x(name: 1 parts, 6 bytes)"),
        ] {
            assert_eq!(described(&[word.into()], false), expected, "{word}");
        }
    }
}
