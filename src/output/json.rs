//! `--json`: JSON lines, one object for each entry as soon as it is blamed.
//!
//! | key | value |
//! | --- | --- |
//! | `commit` | the id in hexadecimal, zeros for uncommitted changes |
//! | `path` | the file's path in that commit |
//! | `originalLine` | the first line there, 1-based |
//! | `finalLine` | the first line in the blamed file, 1-based |
//! | `lineCount` | the number of lines |
//! | `boundary`, `ignored`, `unblamable` | true or false |
//! | `previous` | `{"commit", "path"}` of the previous version, or null |
//! | `author`, `committer` | `{"name", "mail", "time", "zone"}`: the mail without angle brackets or null, seconds since the epoch, the zone as stored |
//! | `summary` | the first line of the message |
//! | `lines` | the contents of the lines without newlines |
//!
//! Every object is self-contained. Text that is not UTF-8 is written as `{"base64": "…"}` instead
//! of a string, so that no byte is lost.

use std::sync::Arc;

use crate::{
    engine::{Entry, Origin, OriginId},
    line_offsets::LineOffsets,
    output::{
        buffer::{HexId, OutputBuffer},
        commit_provider::CommitProvider,
        error::OutputError,
        stream::EntryFormat,
    },
    repository::commits::commit_text::Ident,
};

/// The JSON lines format.
#[derive(Debug)]
pub struct JsonLines<'a, C> {
    commits: &'a mut C,
    contents: Arc<[u8]>,
    /// The start offset of each line, then the end of the file.
    bounds: Vec<usize>,
}

impl<'a, C: CommitProvider> JsonLines<'a, C> {
    /// Creates the format; commit metadata come from `commits`.
    pub fn new(commits: &'a mut C) -> Self {
        JsonLines {
            commits,
            contents: Arc::from(&[][..]),
            bounds: vec![0],
        }
    }
}

impl<C: CommitProvider> EntryFormat for JsonLines<'_, C> {
    fn started(&mut self, contents: &Arc<[u8]>) {
        self.contents = Arc::clone(contents);
        self.bounds = LineOffsets::new(contents).into_bounds();
    }

    fn write(
        &mut self,
        out: &mut OutputBuffer<'_>,
        entry: &Entry,
        origins: &[Origin],
        boundary: bool,
    ) -> Result<(), OutputError> {
        let Some(origin) = origins.get(entry.origin.0 as usize) else {
            return Ok(());
        };
        let text = self
            .commits
            .text(&origin.commit)
            .map_err(OutputError::Commit)?;
        push_origin(out, "{\"commit\":", origin);
        let count = entry.lines.end.saturating_sub(entry.lines.start);
        push_number(out, "originalLine", u64::from(entry.source_start) + 1);
        push_number(out, "finalLine", u64::from(entry.lines.start) + 1);
        push_number(out, "lineCount", u64::from(count));
        push_flag(out, "boundary", boundary);
        push_flag(out, "ignored", entry.ignored);
        push_flag(out, "unblamable", entry.unblamable);
        let previous = origin
            .previous
            .and_then(|OriginId(at)| origins.get(at as usize));
        match previous {
            Some(previous) => {
                push_origin(out, ",\"previous\":{\"commit\":", previous);
                out.byte(b'}');
            }
            None => out.bytes(b",\"previous\":null"),
        }
        push_ident(out, "author", &text.author);
        push_ident(out, "committer", &text.committer);
        out.bytes(b",\"summary\":");
        push_text(out, &text.summary);
        out.bytes(b",\"lines\":[");
        for line in entry.lines.clone() {
            if line > entry.lines.start {
                out.byte(b',');
            }
            push_text(out, self.line(line));
        }
        out.bytes(b"]}\n");
        Ok(())
    }
}

impl<C> JsonLines<'_, C> {
    /// A line without its newline.
    fn line(&self, line: u32) -> &[u8] {
        let line = line as usize;
        let bounds = (self.bounds.get(line), self.bounds.get(line + 1));
        let (Some(&start), Some(&end)) = bounds else {
            return &[];
        };
        let text = &self.contents[start..end];
        text.strip_suffix(b"\n").unwrap_or(text)
    }
}

/// Appends `start`, then the commit and path of an origin.
fn push_origin(out: &mut OutputBuffer<'_>, start: &str, origin: &Origin) {
    out.bytes(start.as_bytes());
    out.byte(b'"');
    out.bytes(HexId::new(&origin.commit).as_bytes());
    out.bytes(b"\",\"path\":");
    push_text(out, &origin.path);
}

pub(super) fn push_key(out: &mut OutputBuffer<'_>, key: &str) {
    out.bytes(b",\"");
    out.bytes(key.as_bytes());
    out.bytes(b"\":");
}

pub(super) fn push_number(out: &mut OutputBuffer<'_>, key: &str, number: u64) {
    push_key(out, key);
    out.number(number);
}

pub(super) fn push_flag(out: &mut OutputBuffer<'_>, key: &str, flag: bool) {
    push_key(out, key);
    out.bytes(if flag { b"true" } else { b"false" });
}

pub(super) fn push_ident(out: &mut OutputBuffer<'_>, key: &str, ident: &Ident) {
    push_key(out, key);
    out.bytes(b"{\"name\":");
    push_text(out, &ident.name);
    out.bytes(b",\"mail\":");
    let mail = ident.mail.strip_prefix(b"<");
    match mail.and_then(|mail| mail.strip_suffix(b">")) {
        Some(mail) => push_text(out, mail),
        None => out.bytes(b"null"),
    }
    push_number(out, "time", ident.time);
    out.bytes(b",\"zone\":");
    push_text(out, &ident.zone);
    out.byte(b'}');
}

/// Appends a string, or an object with base64 if it is not UTF-8.
pub(super) fn push_text(out: &mut OutputBuffer<'_>, text: &[u8]) {
    if std::str::from_utf8(text).is_err() {
        out.bytes(b"{\"base64\":\"");
        push_base64(out, text);
        out.bytes(b"\"}");
        return;
    }
    out.byte(b'"');
    let mut unescaped_from = 0;
    for (at, &byte) in text.iter().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' && byte != 0x7f {
            continue;
        }
        out.bytes(&text[unescaped_from..at]);
        unescaped_from = at + 1;
        match byte {
            b'"' => out.bytes(b"\\\""),
            b'\\' => out.bytes(b"\\\\"),
            b'\t' => out.bytes(b"\\t"),
            b'\n' => out.bytes(b"\\n"),
            b'\r' => out.bytes(b"\\r"),
            _ => {
                const DIGITS: &[u8; 16] = b"0123456789abcdef";
                out.bytes(b"\\u00");
                out.byte(DIGITS[usize::from(byte >> 4)]);
                out.byte(DIGITS[usize::from(byte & 15)]);
            }
        }
    }
    out.bytes(&text[unescaped_from..]);
    out.byte(b'"');
}

fn push_base64(out: &mut OutputBuffer<'_>, bytes: &[u8]) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            if at <= chunk.len() {
                out.byte(DIGITS[(bits >> (18 - 6 * at) & 63) as usize]);
            } else {
                out.byte(b'=');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::Sink;
    use {
        super::*,
        crate::output::{
            fixture::{self, FIRST, SECOND, id, ident, text},
            stream::EntryStream,
        },
    };

    fn written(change: impl FnOnce(&mut fixture::FixtureCommits), contents: &[u8]) -> String {
        let (blame, mut texts) = fixture::blame();
        change(&mut texts);
        let mut out = Vec::new();
        let mut sink = EntryStream::new(
            OutputBuffer::new(&mut out),
            JsonLines::new(&mut texts),
            true,
        );
        assert!(sink.started(&contents.into(), 4).is_continue());
        assert!(
            sink.entry(&blame.entries[1], &blame.origins, false)
                .is_continue()
        );
        sink.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_object_per_entry() {
        let expected = format!(
            "{{\"commit\":\"{SECOND}\",\"path\":\"a.txt\",\"originalLine\":2,\"finalLine\":2,\
             \"lineCount\":1,\"boundary\":false,\"ignored\":false,\"unblamable\":false,\
             \"previous\":{{\"commit\":\"{FIRST}\",\"path\":\"a.txt\"}},\
             \"author\":{{\"name\":\"Bö Ünal\",\"mail\":\"bo@example.com\",\"time\":1612337706,\"zone\":\"-0330\"}},\
             \"committer\":{{\"name\":\"Com Mitter\",\"mail\":\"c@example.com\",\"time\":1612337706,\"zone\":\"-0330\"}},\
             \"summary\":\"second\",\"lines\":[\"two\\t\\u0001\\\"\\\\\"]}}\n"
        );
        assert_eq!(written(|_| (), b"one\ntwo\t\x01\"\\\nx"), expected);
    }

    #[test]
    fn invalid_utf8_becomes_base64() {
        let unknown = ident("n", "(unknown)", u64::MAX, "(unknown)");
        let change = |texts: &mut fixture::FixtureCommits| {
            texts.texts.insert(id(SECOND), text(unknown, "s"));
        };
        let output = written(change, b"one\n\xff\xfe\xfd\xfc");
        assert!(
            output.contains("\"lines\":[{\"base64\":\"//79/A==\"}]"),
            "{output}"
        );
        assert!(
            output.contains("\"mail\":null,\"time\":18446744073709551615"),
            "{output}"
        );
        assert!(written(|_| (), b"\n\xffa").contains("{\"base64\":\"/2E=\"}"));
    }
}
