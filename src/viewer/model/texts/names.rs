//! Names in lines of code, to search for them, and what several names have in common.

use bstr::ByteSlice;

use crate::viewer::model::texts::syntax::SyntaxClass;

/// A pattern for the first name in a line of code: the first word that is neither a keyword, a
/// comment nor in a string, as far as the line is highlighted; otherwise the first word.
pub fn first_name(line: &[u8], classes: &[(u32, SyntaxClass)]) -> Option<String> {
    let mut first = None;
    let mut start = None;
    let ends = line
        .char_indices()
        .map(|(start, _, c)| (start, c))
        .chain([(line.len(), ' ')]);
    for (at, c) in ends {
        let is_part = c == '_' || c.is_alphanumeric();
        match start {
            None if is_part => start = Some((at, !c.is_numeric())),
            Some((begin, is_name)) if !is_part => {
                start = None;
                let word = line[begin..at].to_str().ok().filter(|_| is_name);
                let Some(word) = word else { continue };
                let before = classes.partition_point(|(start, _)| *start as usize <= begin);
                let class = before.checked_sub(1).map(|at| classes[at].1);
                let is_skipped = matches!(
                    class,
                    Some(SyntaxClass::Keyword | SyntaxClass::Comment | SyntaxClass::String)
                );
                let pattern = format!(r"\b{}\b", regex::escape(word));
                if !is_skipped {
                    return Some(pattern);
                }
                first.get_or_insert(pattern);
            }
            _ => {}
        }
    }
    first
}

/// The longest common start of some names.
pub fn common_start(names: &[String]) -> String {
    let Some((first, others)) = names.split_first() else {
        return String::new();
    };
    let agrees = |end: &usize| others.iter().all(|name| name.starts_with(&first[..*end]));
    let ends = first.char_indices().map(|(at, c)| at + c.len_utf8());
    let end = ends.take_while(agrees).last().unwrap_or(0);
    first[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_and_numbers_are_passed_over() {
        let classes = [(0, SyntaxClass::Keyword), (2, SyntaxClass::Plain)];
        assert_eq!(first_name(b"fn light()", &classes).unwrap(), r"\blight\b");
        assert_eq!(first_name(b"fn light()", &[]).unwrap(), r"\bfn\b");
        assert_eq!(first_name(b"fn {", &classes).unwrap(), r"\bfn\b");
        assert_eq!(first_name(b"  3x 0x1f _a9", &[]).unwrap(), r"\b_a9\b");
        assert_eq!(
            first_name("größe = 1".as_bytes(), &[]).unwrap(),
            r"\bgröße\b"
        );
        assert_eq!(first_name(b"\xffab\xff", &[]).unwrap(), r"\bab\b");
        assert_eq!(first_name(b" } 12 ", &[]), None);
    }
}
