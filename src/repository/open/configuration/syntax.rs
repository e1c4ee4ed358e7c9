//! The syntax of configuration files, as git-config(1) describes it.

use bstr::BString;

/// One `name = value` of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assignment {
    /// Section and name in lower case, the subsection between them as written. Without a dot if the
    /// file has no section before the variable.
    pub(super) key: BString,
    /// `None` for a variable without an equals sign.
    pub(super) value: Option<BString>,
    /// The line (1-based) at which the variable ends.
    pub(super) line: usize,
}

/// The line (1-based) at which a file cannot be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) line: usize,
}

/// The keys and values of a file without what it includes, up to the first line that cannot be
/// parsed.
pub(in crate::repository::open) fn variables(text: &[u8]) -> Vec<(BString, Option<BString>)> {
    let valid = Assignments::new(text).map_while(Result::ok);
    valid.map(|it| (it.key, it.value)).collect()
}

/// The assignments of a file in order; ends after the first error.
#[derive(Debug)]
pub(super) struct Assignments<'a> {
    rest: &'a [u8],
    line: usize,
    /// The prefix of the keys: section, subsection and a dot.
    prefix: BString,
}

impl<'a> Assignments<'a> {
    pub(super) fn new(text: &'a [u8]) -> Assignments<'a> {
        Assignments {
            rest: text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text),
            line: 1,
            prefix: BString::default(),
        }
    }

    /// The next byte, with CR LF as one line feed, and its length in the file.
    fn peek(&self) -> Option<(u8, usize)> {
        match self.rest {
            [b'\r', b'\n', ..] => Some((b'\n', 2)),
            [byte, ..] => Some((*byte, 1)),
            [] => None,
        }
    }

    /// Takes the next byte unless it is a line feed.
    fn take_in_line(&mut self) -> Option<u8> {
        let (byte, length) = self.peek().filter(|(byte, _)| *byte != b'\n')?;
        self.rest = &self.rest[length..];
        Some(byte)
    }

    /// Takes the next byte if it is `wanted`.
    fn take_if(&mut self, wanted: u8) -> Option<()> {
        let (_, length) = self.peek().filter(|(byte, _)| *byte == wanted)?;
        self.rest = &self.rest[length..];
        self.line += usize::from(wanted == b'\n');
        Some(())
    }

    fn skip_blanks(&mut self) {
        while let Some((byte, _)) = self.peek()
            && is_blank(byte)
        {
            self.rest = &self.rest[1..];
        }
    }

    /// The rest of a header after its bracket.
    fn header(&mut self) -> Option<()> {
        self.prefix.clear();
        loop {
            if self.rest.is_empty() {
                // git names the line after the last one.
                self.line += 1;
            }
            match self.take_in_line()? {
                b']' if self.prefix.is_empty() => return None,
                b']' => break,
                byte if is_blank(byte) => {
                    self.subsection()?;
                    break;
                }
                byte if byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.' => {
                    self.prefix.push(byte.to_ascii_lowercase());
                }
                _ => return None,
            }
        }
        self.prefix.push(b'.');
        Some(())
    }

    fn subsection(&mut self) -> Option<()> {
        self.skip_blanks();
        self.take_if(b'"')?;
        self.prefix.push(b'.');
        loop {
            match self.take_in_line()? {
                b'"' => {
                    if matches!(self.peek(), None | Some((b'\n', _))) {
                        self.line += 1;
                    }
                    return self.take_if(b']');
                }
                b'\\' => {
                    let escaped = self.take_in_line()?;
                    self.prefix.push(escaped);
                }
                byte => self.prefix.push(byte),
            }
        }
    }

    /// The rest of a variable after the first letter of its name.
    fn variable(&mut self, first: u8) -> Option<Assignment> {
        let mut key = self.prefix.clone();
        key.push(first.to_ascii_lowercase());
        while let Some((byte, _)) = self.peek()
            && (byte.is_ascii_alphanumeric() || byte == b'-')
        {
            key.push(byte.to_ascii_lowercase());
            self.rest = &self.rest[1..];
        }
        // git's keys end at a NUL, which a subsection may have.
        if let Some(end) = key.iter().position(|&byte| byte == 0) {
            key.truncate(end);
        }
        while let Some((b' ' | b'\t', _)) = self.peek() {
            self.rest = &self.rest[1..];
        }
        let value = match self.peek() {
            None | Some((b'\n', _)) => None,
            Some((b'=', _)) => {
                self.rest = &self.rest[1..];
                Some(self.value()?)
            }
            Some(_) => return None,
        };
        Some(Assignment {
            key,
            value,
            line: self.line,
        })
    }

    fn value(&mut self) -> Option<BString> {
        let mut value = BString::default();
        let (mut quoted, mut comment) = (false, false);
        // Where blanks begin that are dropped if nothing follows.
        let mut blanks = None;
        loop {
            let Some(byte) = self.take_in_line() else {
                if quoted {
                    return None;
                }
                if let Some(length) = blanks {
                    value.truncate(length);
                }
                if let Some(end) = value.iter().position(|&byte| byte == 0) {
                    value.truncate(end);
                }
                return Some(value);
            };
            match byte {
                _ if comment => {}
                byte if is_blank(byte) && !quoted => {
                    blanks = blanks.or(Some(value.len()));
                    if !value.is_empty() {
                        value.push(byte);
                    }
                }
                b'#' | b';' if !quoted => comment = true,
                byte => {
                    blanks = None;
                    match byte {
                        b'"' => quoted = !quoted,
                        b'\\' => self.escape(&mut value)?,
                        byte => value.push(byte),
                    }
                }
            }
        }
    }

    fn escape(&mut self, value: &mut BString) -> Option<()> {
        match self.peek() {
            None => return Some(()),
            Some((b'\n', _)) => return self.take_if(b'\n'),
            Some((b't', _)) => value.push(b'\t'),
            Some((b'b', _)) => value.push(0x08),
            Some((b'n', _)) => value.push(b'\n'),
            Some((byte @ (b'\\' | b'"'), _)) => value.push(byte),
            Some(_) => return None,
        }
        self.rest = &self.rest[1..];
        Some(())
    }
}

impl Iterator for Assignments<'_> {
    type Item = Result<Assignment, SyntaxError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let parsed = match self.peek()?.0 {
                b'\n' => self.take_if(b'\n'),
                b'#' | b';' => {
                    while self.take_in_line().is_some() {}
                    Some(())
                }
                b'[' => self.take_if(b'[').and_then(|()| self.header()),
                byte if is_blank(byte) => {
                    self.skip_blanks();
                    Some(())
                }
                byte if byte.is_ascii_alphabetic() => {
                    self.rest = &self.rest[1..];
                    match self.variable(byte) {
                        Some(assignment) => return Some(Ok(assignment)),
                        None => None,
                    }
                }
                _ => None,
            };
            if parsed.is_none() {
                self.rest = &[];
                return Some(Err(SyntaxError { line: self.line }));
            }
        }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Key, value and line of an assignment, or the line of an error.
    type Parsed = Result<(String, Option<String>, usize), usize>;

    fn parsed(text: &str) -> Vec<Parsed> {
        let text_of = |bytes: BString| String::from_utf8(bytes.into()).unwrap();
        Assignments::new(text.as_bytes())
            .map(|one| match one {
                Ok(one) => Ok((text_of(one.key), one.value.map(text_of), one.line)),
                Err(err) => Err(err.line),
            })
            .collect()
    }

    fn value(text: &str) -> Option<String> {
        let text = format!("[a]\nb = {text}\n");
        parsed(&text).remove(0).ok()?.1
    }

    #[test]
    fn keys() {
        let key = |text: &str| parsed(text).remove(0).map(|one| one.0);
        assert_eq!(key("[Core]\nNAME-1=x"), Ok("core.name-1".into()));
        assert_eq!(
            key("\u{feff}[a.B \"C\\\\d\\\"\"]e"),
            Ok("a.b.C\\d\".e".into())
        );
        assert_eq!(key("[a] b = c"), Ok("a.b".into()));
        assert_eq!(key("b = c"), Ok("b".into()));
        for wrong in ["[]", "[ a ]", "[a \"b\" ]", "[a_b]", "[a", "[a]\n", "1 = x"] {
            let parsed = parsed(&format!("{wrong}\n_"));
            assert!(matches!(parsed[..], [Err(_)]), "{wrong}: {parsed:?}");
        }
    }

    #[test]
    fn values() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(value("  x  y  # z"), some("x  y"));
        assert_eq!(value("a\"b ; c\"d\t"), some("ab ; cd"));
        assert_eq!(value(r#"\t\n\b\\\""#), some("\t\n\x08\\\""));
        assert_eq!(value("a \\\n"), some("a "));
        assert_eq!(value("a\\\r\n\\\nb"), some("ab"));
        assert_eq!(value("\"x \"  "), some("x "));
        assert_eq!(value("a\0b"), some("a"));
        assert_eq!(value(""), some(""));
        for wrong in ["\"x", "\\x", "\"a\nb\""] {
            assert_eq!(value(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn lines() {
        let text = "[a]\n\n b = \\\n c\n d\r\n\te x";
        let at = |line, value: Option<&str>, key: &str| {
            Ok((key.to_owned(), value.map(ToOwned::to_owned), line))
        };
        assert_eq!(
            parsed(text),
            [
                at(4, Some(" c").map(|_| "c"), "a.b"),
                at(5, None, "a.d"),
                Err(6)
            ]
        );
    }
}
