//! The buffer that all formats write through, and the bytes they have in common.

use std::io::{self, Write};

use crate::{
    decimal::{digits, push_number},
    objects::oid,
};

/// Bytes collected before they are handed on.
const LIMIT: usize = 64 * 1024;

/// A large buffer before a writer.
///
/// Bytes are only collected by most methods; [`spill`](Buffer::spill), called once in a while,
/// hands them on when there are many, [`flush`](Buffer::flush) always. Whoever drops a buffer
/// without flushing it loses what it holds.
pub struct Buffer<'w> {
    bytes: Vec<u8>,
    writer: &'w mut dyn Write,
}

impl std::fmt::Debug for Buffer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Buffer")
            .field("held", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

impl<'w> Buffer<'w> {
    /// A buffer that writes to `writer`, which needs none of its own.
    pub fn new(writer: &'w mut dyn Write) -> Self {
        Buffer {
            bytes: Vec::with_capacity(LIMIT + LIMIT / 4),
            writer,
        }
    }

    /// Append one byte.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Append bytes.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Append a byte several times.
    pub fn repeat(&mut self, byte: u8, count: usize) {
        self.bytes.resize(self.bytes.len() + count, byte);
    }

    /// Append a number in decimal.
    #[inline]
    pub fn number(&mut self, number: u64) {
        push_number(&mut self.bytes, number);
    }

    /// Append a number in decimal, blanks before it up to `width`.
    #[inline]
    pub fn number_right(&mut self, number: u64, width: usize) {
        self.repeat(b' ', width.saturating_sub(digits(number)));
        self.number(number);
    }

    /// Append a line of the file; the missing newline of a last line is added.
    #[inline]
    pub fn line(&mut self, line: &[u8]) {
        self.bytes.extend_from_slice(line);
        if line.last() != Some(&b'\n') {
            self.bytes.push(b'\n');
        }
    }

    /// Hand the bytes on if there are many.
    #[inline]
    pub fn spill(&mut self) -> io::Result<()> {
        if self.bytes.len() >= LIMIT {
            self.hand_on()?;
        }
        Ok(())
    }

    /// Hand all bytes on and flush the writer.
    pub fn flush(&mut self) -> io::Result<()> {
        self.hand_on()?;
        self.writer.flush()
    }

    /// Nothing is waiting to be handed on.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn hand_on(&mut self) -> io::Result<()> {
        // Cleared even on failure, so that nobody writes the same bytes again.
        let result = self.writer.write_all(&self.bytes);
        self.bytes.clear();
        result
    }
}

/// An id in hexadecimal, ready to be copied to many lines.
#[derive(Clone, Copy)]
pub struct Hex {
    digits: [u8; 64],
    len: usize,
}

impl Hex {
    /// The digits of `id`.
    pub fn new(id: &oid) -> Self {
        let mut digits = [0; 64];
        let len = id.hex_to_buf(&mut digits).len();
        Hex { digits, len }
    }

    /// All digits.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.digits[..self.len]
    }
}

/// Append a path as git quotes it: in double quotes and escaped if it holds a byte that needs it.
///
/// Bytes from 0x80 on need it only with `quote_high` (`core.quotePath`).
pub fn push_path(out: &mut Vec<u8>, path: &[u8], quote_high: bool) {
    let needs =
        |&b: &u8| b < 0x20 || b == 0x7f || b == b'"' || b == b'\\' || (quote_high && b >= 0x80);
    if !path.iter().any(needs) {
        out.extend_from_slice(path);
        return;
    }
    out.push(b'"');
    for &byte in path {
        if !needs(&byte) {
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

/// Where each line of a file starts, to find lines by number.
#[derive(Debug)]
pub struct Lines<'a> {
    contents: &'a [u8],
    /// The start of each line, then the end of the file.
    bounds: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Find the lines of `contents`. A last line without newline counts.
    pub fn new(contents: &'a [u8]) -> Self {
        let mut bounds = Vec::with_capacity(contents.len() / 16 + 2);
        bounds.push(0);
        bounds.extend(memchr::memchr_iter(b'\n', contents).map(|at| at + 1));
        if bounds.last() != Some(&contents.len()) {
            bounds.push(contents.len());
        }
        Lines { contents, bounds }
    }

    /// The start of each line, then the end of the file.
    pub fn into_bounds(self) -> Vec<usize> {
        self.bounds
    }

    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.bounds.len() - 1
    }

    /// The bytes of a line (0-based), its newline included; empty beyond the end.
    #[inline]
    pub fn get(&self, line: u32) -> &'a [u8] {
        let line = line as usize;
        match (self.bounds.get(line), self.bounds.get(line + 1)) {
            (Some(&start), Some(&end)) => &self.contents[start..end],
            _ => &[],
        }
    }
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

    #[test]
    fn lines_with_and_without_last_newline() {
        let lines = Lines::new(b"a\nb");
        assert_eq!(lines.count(), 2);
        assert_eq!(lines.get(1), b"b");
        assert_eq!(lines.get(2), b"");
        assert_eq!(Lines::new(b"").count(), 0);
        assert_eq!(Lines::new(b"\n").count(), 1);
    }
}
