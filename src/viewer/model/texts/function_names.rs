//! Short names of functions.

use bstr::ByteSlice;

/// Words that have a parenthesis after them in the heading of a function and are not its name.
const NO_NAMES: &[&[u8]] = &[
    b"pub",
    b"func",
    b"function",
    b"fun",
    b"if",
    b"ifeq",
    b"ifneq",
    b"in",
    b"async",
    b"extern",
    b"defined",
    b"__attribute__",
    b"__declspec",
    b"alignas",
    b"decltype",
    b"sub",
    b"proc",
    b"lambda",
];

/// True if a line that starts with a letter can be the heading of a function, a type or the like, and
/// not a label, a declaration or prose, all of which git's rule takes if a file has no driver.
pub fn can_be_heading(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    match line.last() {
        Some(b'{') => true,
        Some(b':') => line.contains(&b' '),
        Some(b';' | b'.') | None => false,
        _ => named_before_parenthesis(line).is_some(),
    }
}

/// The name in the heading of a function, as a diff shows it after the numbers of the lines of a
/// hunk: the word before the first parenthesis, or the whole heading if there is none.
pub fn short(heading: &[u8]) -> &[u8] {
    let heading = heading.trim_ascii();
    named_before_parenthesis(heading)
        .unwrap_or_else(|| heading.trim_end_with(|last| matches!(last, '{' | ':' | ' ' | '\t')))
}

/// The first name that has a parenthesis after it: not the sign of a variable, as in `$(CC)`.
fn named_before_parenthesis(heading: &[u8]) -> Option<&[u8]> {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    heading
        .find_iter(b"(")
        .map(|paren| word_before(&heading[..paren]))
        .find(|name| name.iter().any(is_of_name) && !NO_NAMES.contains(name))
}

/// The word at the end of a text, without the parameters of a generic function.
fn word_before(text: &[u8]) -> &[u8] {
    let mut end = text.trim_ascii_end().len();
    if text[..end].ends_with(b">") {
        // Not an operator, whose name has no `<` before it.
        let Some(start) = text[..end].find_byte(b'<') else {
            return &[];
        };
        end = start;
    }
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || b"_$~:.!?'-".contains(&byte) || byte >= 0x80;
    let start = text[..end].iter().rposition(|byte| !is_part(*byte));
    text[start.map_or(0, |at| at + 1)..end]
        .trim_start_with(|first| matches!(first, ':' | '.' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_declarations_and_prose_are_no_headings() {
        let no = [
            "error:",
            "int open(char *name);",
            "He said (twice).",
            "one",
            "",
            "x = 1;",
            "$(call make, all)",
            "ifeq ($(uname_S),Linux)",
            "OBJECTS += $(patsubst %.c,%.o,$(SOURCES))",
        ];
        let yes = [
            "int open(char *name)",
            "class Lamp:",
            "struct lamp {",
            "void f(int a,",
        ];
        assert!(no.iter().all(|line| !can_be_heading(line.as_bytes())));
        assert!(yes.iter().all(|line| can_be_heading(line.as_bytes())));
    }

    #[test]
    fn headings_are_shortened_to_names() {
        let cases = [
            (
                "int prepareClientToWrite(client *c) {",
                "prepareClientToWrite",
            ),
            ("static void *zmalloc (size_t size)", "zmalloc"),
            (
                "pub(crate) fn open<T: Read>(&mut self, at: T) -> u8 {",
                "open",
            ),
            ("func (s *Server) Close() error {", "Close"),
            ("def burn(self, oil):", "burn"),
            ("void Lamp::burn(int oil)", "Lamp::burn"),
            ("function render(page) {", "render"),
            ("class Lamp(Thing):", "Lamp"),
            ("struct lamp {", "struct lamp"),
            ("impl Lamp {", "impl Lamp"),
            ("## How it burns", "## How it burns"),
            ("public static <T> List<T> of(T one) {", "of"),
            ("__attribute__((noreturn)) void die(int code)", "die"),
            ("", ""),
            ("(", "("),
            ("$(call make, all)", "$(call make, all)"),
        ];
        for (heading, expected) in cases {
            let name = short(heading.as_bytes());
            assert_eq!(name.as_bstr(), expected.as_bytes().as_bstr(), "{heading}");
        }
    }
}
