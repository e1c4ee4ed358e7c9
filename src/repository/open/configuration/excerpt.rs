//! Some variables of a configuration file as a new one.

use bstr::{BStr, BString, ByteSlice};

use crate::repository::open::configuration::{syntax::Assignments, variable::Variable};

/// A configuration file with the variables of `text` that `is_wanted` accepts, in their order. `replaced` may give
/// another value. It ends before the first line of `text` that is not valid.
pub fn excerpt(
    text: &[u8],
    is_wanted: impl Fn(&Variable) -> bool,
    replaced: impl Fn(&Variable) -> Option<BString>,
) -> Vec<u8> {
    let mut excerpt = Vec::new();
    for assignment in Assignments::new(text).map_while(Result::ok) {
        let variable = Variable {
            key: assignment.key,
            value: assignment.value,
            origin: 0,
            line: assignment.line,
        };
        if !is_wanted(&variable) || variable.section().len() == variable.key.len() {
            continue;
        }
        excerpt.push(b'[');
        excerpt.extend_from_slice(variable.section());
        if let Some(subsection) = variable.subsection() {
            excerpt.push(b' ');
            push_quoted(subsection, &mut excerpt);
        }
        excerpt.extend_from_slice(b"]\n\t");
        excerpt.extend_from_slice(variable.name());
        if let Some(value) = replaced(&variable).as_ref().or(variable.value.as_ref()) {
            excerpt.extend_from_slice(b" = ");
            push_quoted(value.as_bstr(), &mut excerpt);
        }
        excerpt.push(b'\n');
    }
    excerpt
}

/// Adds `text` in double quotes. A line feed, which only a value can have, becomes `\n`.
fn push_quoted(text: &BStr, to: &mut Vec<u8>) {
    to.push(b'"');
    for &byte in text.as_bytes() {
        match byte {
            b'"' | b'\\' => to.extend_from_slice(&[b'\\', byte]),
            b'\n' => to.extend_from_slice(b"\\n"),
            byte => to.push(byte),
        }
    }
    to.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_has_the_same_variables() {
        let text = b"[core]\n\tbare\n[a \"x\\\"y\\\\z.w\"]\n  b = \"  c\\n\\\"d \\\\ \" ; e\n[x]y=z\n[A.B]Core = 1\n";
        let parsed = |text: &[u8]| -> Vec<_> {
            let all = Assignments::new(text).map(|one| one.map(|one| (one.key, one.value)));
            all.collect::<Result<_, _>>().unwrap()
        };
        let all = parsed(text);
        assert_eq!(all.len(), 4);
        assert_eq!(parsed(&excerpt(text, |_| true, |_| None)), all);

        let some = excerpt(
            text,
            |it| it.section() == "a",
            |it| (it.name() == "core").then(|| "2".into()),
        );
        let keys: Vec<_> = parsed(&some);
        assert_eq!(keys[0], all[1]);
        assert_eq!(keys[1], ("a.b.core".into(), Some("2".into())));
        assert_eq!(keys.len(), 2);
    }

    #[test]
    fn an_excerpt_ends_before_an_error() {
        let text = b"[a]\nb = c\n!\nd = e\n";
        assert_eq!(excerpt(text, |_| true, |_| None), b"[a]\n\tb = \"c\"\n");
    }
}
