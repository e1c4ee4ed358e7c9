//! The output buffer, and primitives shared by the formats: numbers, ids, quoted paths, lines.

use std::io::{self, Write};

use crate::{
    objects::oid,
    text::decimal::{digits, push_number},
};

/// Bytes to collect before a write.
const LIMIT: usize = 64 * 1024;

/// An infallible byte buffer in front of a writer.
///
/// Most methods only append; [`spill`](OutputBuffer::spill) writes the bytes if there are enough of
/// them, [`flush`](OutputBuffer::flush) always. Dropping a buffer does not flush it.
pub struct OutputBuffer<'w> {
    bytes: Vec<u8>,
    writer: &'w mut dyn Write,
}

impl std::fmt::Debug for OutputBuffer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutputBuffer")
            .field("held", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

impl<'w> OutputBuffer<'w> {
    /// Creates a buffer in front of `writer`, which needs no buffer of its own.
    pub fn new(writer: &'w mut dyn Write) -> Self {
        OutputBuffer {
            bytes: Vec::with_capacity(LIMIT + LIMIT / 4),
            writer,
        }
    }

    /// Appends one byte.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Appends bytes.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends a byte `count` times.
    pub fn repeat(&mut self, byte: u8, count: usize) {
        self.bytes.resize(self.bytes.len() + count, byte);
    }

    /// Appends a decimal number.
    #[inline]
    pub fn number(&mut self, number: u64) {
        push_number(&mut self.bytes, number);
    }

    /// Appends a decimal number, right-aligned in `width` columns.
    #[inline]
    pub fn number_right(&mut self, number: u64, width: usize) {
        self.repeat(b' ', width.saturating_sub(digits(number)));
        self.number(number);
    }

    /// Appends a line of the file, adding a newline if it has none. Writes a long line without a
    /// copy.
    ///
    /// # Errors
    ///
    /// If the writer fails.
    #[inline]
    pub fn line(&mut self, line: &[u8]) -> io::Result<()> {
        if line.len() < LIMIT {
            self.bytes.extend_from_slice(line);
        } else {
            self.write_out()?;
            self.writer.write_all(line)?;
        }
        if line.last() != Some(&b'\n') {
            self.bytes.push(b'\n');
        }
        Ok(())
    }

    /// Writes the bytes if at least 64 KiB have been collected.
    #[inline]
    pub fn spill(&mut self) -> io::Result<()> {
        if self.bytes.len() >= LIMIT {
            self.write_out()?;
        }
        Ok(())
    }

    /// Writes all bytes and flushes the writer.
    pub fn flush(&mut self) -> io::Result<()> {
        self.write_out()?;
        self.writer.flush()
    }

    /// True if no bytes are waiting to be written.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn write_out(&mut self) -> io::Result<()> {
        // Cleared even on failure, so that the same bytes are never written twice.
        let result = self.writer.write_all(&self.bytes);
        self.bytes.clear();
        result
    }
}

/// An object id in hexadecimal, formatted once for many lines.
#[derive(Clone, Copy)]
pub struct HexId {
    digits: [u8; 64],
    len: usize,
}

impl HexId {
    /// Formats `id`.
    pub fn new(id: &oid) -> Self {
        let mut digits = [0; 64];
        let len = id.hex_to_buf(&mut digits).len();
        HexId { digits, len }
    }

    /// All digits.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.digits[..self.len]
    }
}

/// Appends a path, quoted and escaped like a C string if it contains a byte that needs escaping.
///
/// Bytes from 0x80 on need it only with `quote_high` (`core.quotePath`).
pub fn push_path(out: &mut Vec<u8>, path: &[u8], quote_high: bool) {
    let needs_escape =
        |&b: &u8| b < 0x20 || b == 0x7f || b == b'"' || b == b'\\' || (quote_high && b >= 0x80);
    if !path.iter().any(needs_escape) {
        out.extend_from_slice(path);
        return;
    }
    out.push(b'"');
    for &byte in path {
        if !needs_escape(&byte) {
            out.push(byte);
            continue;
        }
        out.push(b'\\');
        match byte {
            0x07 => out.push(b'a'),
            0x08 => out.push(b'b'),
            b'\t' => out.push(b't'),
            b'\n' => out.push(b'n'),
            0x0b => out.push(b'v'),
            0x0c => out.push(b'f'),
            b'\r' => out.push(b'r'),
            b'"' | b'\\' => out.push(byte),
            _ => out.extend_from_slice(&[
                b'0' + (byte >> 6),
                b'0' + (byte >> 3 & 7),
                b'0' + (byte & 7),
            ]),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(path: &[u8], quote_high: bool) -> Vec<u8> {
        let mut out = Vec::new();
        push_path(&mut out, path, quote_high);
        out
    }

    #[test]
    fn paths_are_quoted_like_c_strings() {
        assert_eq!(quoted(b"sp ace", true), b"sp ace");
        assert_eq!(quoted(b"tab\tx", true), br#""tab\tx""#);
        assert_eq!(quoted(b"del\x7fx", true), br#""del\177x""#);
        assert_eq!(quoted(b"\x01\x07\x0b\"\\", true), br#""\001\a\v\"\\""#);
        assert_eq!(quoted("ünï".as_bytes(), true), br#""\303\274n\303\257""#);
        assert_eq!(quoted("ünï".as_bytes(), false), "ünï".as_bytes());
    }

    #[test]
    fn numbers() {
        for n in [0, 7, 10, 99, 100, 12345, u64::MAX] {
            let mut out = Vec::new();
            push_number(&mut out, n);
            assert_eq!(out, n.to_string().as_bytes());
            assert_eq!(digits(n), out.len());
        }
    }
}
