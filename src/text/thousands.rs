//! Numbers for people.

/// A number with commas between thousands.
pub(crate) fn thousands(number: impl ToString) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// So many things, each a `noun`.
pub(crate) fn counted(count: impl ToString, noun: &str) -> String {
    let count = thousands(count);
    let ending = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// The number of a line (0-based), from 1 on.
pub(crate) fn line_number(line: u32) -> String {
    thousands(u64::from(line) + 1)
}
