//! Forms of expressions that match the same text and take less time to compile.

/// The whitespace of ASCII, for `\s` in a class; spaces are escaped as some expressions ignore them.
const SPACES: &str = r"\x20\t\n\x0B\f\r";

/// All characters that are not ASCII: letters of any alphabet, and the few others that occur beside letters.
const NOT_ASCII: &str = r"\x{80}-\x{10FFFF}";

/// A span of code in Markdown, in backquotes.
const CODE_SPAN: &str = r"(`{4})(?![\s`])(?:[^`]+(?=`)|(?!`{4})`+(?!`))+(`{4})(?!`)
|   (`{3})(?![\s`])(?:[^`]+(?=`)|(?!`{3})`+(?!`))+(`{3})(?!`)
|   (`{2})(?![\s`])(?:[^`]+(?=`)|(?!`{2})`+(?!`))+(`{2})(?!`)
|   (`{1})(?![\s`])(?:[^`]+(?=`)|(?!`{1})`+(?!`))+(`{1})(?!`)";

/// The beginning of the names of HTML's elements in Markdown, and the end of what follows them.
const ELEMENTS: (&str, &str) = ("(?i:address|", "/?>)");

/// Text without parentheses in Makefile's expressions, always before one: the lookahead is of no use.
const NO_PARENTHESES: &str = "[^()]*(?=[()])";

/// Most characters of a class that is written as lookaheads.
const MAX_CHARACTERS: usize = 8;

/// A cheaper form of an expression of a syntax definition. `captures` is the highest number of a group that the definition
/// refers to.
///
/// Where an expression has what automata cannot express, such as a lookahead, the engine builds an automaton of its own for
/// each class and each repetition beside it: 20 to 80 µs each, several hundred in the longest expressions. Literals, and
/// lookaheads for one, are instructions and take nothing.
pub fn cheaper(expression: &str, captures: usize) -> String {
    let has_many_classes = [CODE_SPAN, NO_PARENTHESES]
        .iter()
        .any(|part| expression.contains(part));
    let form = with_one_code_span(expression, captures);
    let form = with_elements_in_one(&form);
    let form = form.replace(NO_PARENTHESES, "[^()]*");
    let form = with_small_classes(&form);
    if has_many_classes {
        with_lookaheads_for_classes(&form)
    } else {
        form
    }
}

/// The same with one automaton for the names of HTML's elements instead of one for each. They stand at the end of a
/// lookahead, so that it does not matter that the group gives nothing back.
fn with_elements_in_one(expression: &str) -> String {
    let (first, last) = ELEMENTS;
    let mut text = expression.to_owned();
    if let Some(start) = text.find(first)
        && let Some(len) = text[start..].find(last)
    {
        text.insert(start + len + last.len(), ')');
        text.insert_str(start, "(?>");
    }
    text
}

/// The same with `(?!a)(?s:.)(?<!b)` for `[^ab]`. The last part is looked for behind the character, as the engine builds an
/// automaton for a character at the end of a sequence.
fn with_lookaheads_for_classes(expression: &str) -> String {
    let mut text = String::new();
    let mut rest = expression;
    while let Some(at) = rest.find("[^") {
        let (before, class) = rest.split_at(at);
        text.push_str(before);
        let is_escaped = before.ends_with('\\');
        match excluded(&class[2..]).filter(|_| !is_escaped) {
            Some((characters, len)) => {
                text.push_str("(?:");
                for character in &characters {
                    text.extend(["(?!", character, ")"]);
                }
                let last = characters.last().expect("there is one");
                text.extend(["(?s:.)(?<!", last, "))"]);
                rest = &class[2 + len..];
            }
            None => {
                text.push_str("[^");
                rest = &class[2..];
            }
        }
    }
    text + rest
}

/// The escaped characters of a class after its `[^`, and the length of the class up to its end; none if it has more than
/// single ASCII characters.
fn excluded(class: &str) -> Option<(Vec<String>, usize)> {
    let mut characters = Vec::new();
    let mut at = 0;
    loop {
        let next = class[at..].chars().next()?;
        let character = match next {
            ']' if at > 0 => {
                let is_small = characters.len() <= MAX_CHARACTERS;
                return is_small.then_some((characters, at + 1));
            }
            '\\' => {
                at += 1;
                let escaped = class[at..].chars().next()?;
                (!escaped.is_alphanumeric()).then_some(escaped)?
            }
            '[' | '-' | '&' => return None,
            _ => next,
        };
        if !character.is_ascii() || character.is_ascii_whitespace() {
            return None;
        }
        at += 1;
        characters.push(match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '`' | '\'' | '"' => character.to_string(),
            _ => format!("\\{character}"),
        });
    }
}

/// The same with one form for code in one to four backquotes, in place of four. A group has the opening ones.
fn with_one_code_span(expression: &str, captures: usize) -> String {
    let mut text = expression.to_owned();
    while let Some(at) = text.find(CODE_SPAN) {
        let group = groups(&text[..at]) + 1;
        if group <= captures {
            break;
        }
        let span = format!(
            r"(`{{1,4}})(?!`)(?!\s)(?:(?:(?!`)(?s:.)(?<!`))+(?=`)|(?!\{group})`+(?!`))+\{group}(?!`)"
        );
        text.replace_range(at..at + CODE_SPAN.len(), &span);
    }
    text
}

/// How many groups with a number begin in `expression`.
fn groups(expression: &str) -> usize {
    let mut count = 0;
    for_each_token(expression, |token, after, is_in_class| {
        let begins = token == "(" && !after.starts_with('?') && !is_in_class;
        count += usize::from(begins);
    });
    count
}

/// The same with classes for ASCII: without whitespace and digits of other alphabets, and with all other characters as
/// letters.
fn with_small_classes(expression: &str) -> String {
    let mut text = String::with_capacity(expression.len());
    for_each_token(expression, |token, _, is_in_class| {
        match (token, is_in_class) {
            (r"\w", true) => text.extend(["0-9A-Za-z_", NOT_ASCII]),
            (r"\w", false) => text.extend(["[0-9A-Za-z_", NOT_ASCII, "]"]),
            (r"\d", true) => text.push_str("0-9"),
            (r"\d", false) => text.push_str("[0-9]"),
            (r"\s", true) => text.push_str(SPACES),
            (r"\s", false) => text.extend(["[", SPACES, "]"]),
            (r"\S", false) => text.extend(["[^", SPACES, "]"]),
            (r"\p{L}", true) => text.extend(["A-Za-z", NOT_ASCII]),
            (r"\p{N}", true) => text.push_str("0-9"),
            _ => text.push_str(token),
        }
    });
    text
}

/// Calls `each` with every character, escape, and class of a Unicode property, with the text after it, and with whether it
/// is in brackets.
fn for_each_token(expression: &str, mut each: impl FnMut(&str, &str, bool)) {
    let mut depth = 0_usize;
    let mut rest = expression;
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '\\' if rest[1..].starts_with(['p', 'P']) => {
                rest.find('}').expect("properties are in braces") + 1
            }
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(len);
        match token {
            "[" => depth += 1,
            "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        each(token, after, depth > 0);
        rest = after;
    }
}

#[test]
fn groups_are_counted() {
    assert_eq!(groups(r"(a)(?:b)[(](?=c)\(?(d(e))"), 3);
}

#[test]
fn classes_become_lookaheads() {
    let forms = [
        ("[^`]+", "(?:(?!`)(?s:.)(?<!`))+"),
        (r"\[^()]*x", r"\[^()]*x"),
        (r"[^(\]]a", r"(?:(?!\()(?!\])(?s:.)(?<!\]))a"),
        ("[^a-z][^[:alpha:]][^ ]", "[^a-z][^[:alpha:]][^ ]"),
    ];
    for (expression, form) in forms {
        assert_eq!(with_lookaheads_for_classes(expression), form);
    }
}
