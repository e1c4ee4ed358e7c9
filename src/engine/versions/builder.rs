//! Builds versions from whole texts or from a base version and a delta.

use crate::{
    diff::LineInterner,
    engine::{
        api::error::Error,
        versions::{
            pending_lines::PendingLines,
            version::{Version, first_after},
        },
    },
    objects::{
        self,
        pack::delta::{DeltaInstruction, DeltaInstructions},
    },
    system::memory,
};

impl Version {
    /// Splits a text into lines and interns them.
    pub(crate) fn new(bytes: &[u8], lines: &mut LineInterner) -> Result<Version, Error> {
        let mut builder = VersionBuilder::default();
        builder.insert(bytes, lines)?;
        Ok(builder.finish(lines)?.0)
    }
}

/// Builds a version from copied lines, copied parts of lines and inserted bytes.
#[derive(Debug, Default)]
pub(crate) struct VersionBuilder {
    pub(crate) version: Version,
    /// Lines not copied whole from the base, and an unfinished line.
    pub(crate) pending: PendingLines,
    /// The base's line after the last copied one; the next copy usually starts there.
    cursor: usize,
    /// Average length of the base's lines, in bytes.
    mean_line_len: u32,
}

impl VersionBuilder {
    /// An empty builder that reuses the buffers of its arguments.
    pub(crate) fn new(mut version: Version, mut pending: PendingLines) -> VersionBuilder {
        version.tokens.clear();
        version.ends.clear();
        pending.clear();
        VersionBuilder {
            version,
            pending,
            cursor: 0,
            mean_line_len: 1,
        }
    }

    /// Applies a delta to the base's lines, without building the text.
    pub(crate) fn derive(
        &mut self,
        base: &Version,
        delta: &[u8],
        lines: &mut LineInterner,
    ) -> Result<(), Error> {
        self.version.reserve_like(base);
        self.mean_line_len = base.mean_line_len();
        let instructions = DeltaInstructions::new(delta).map_err(Error::Damaged)?;
        if instructions.base_len() != base.len() as usize {
            return Err(Error::Damaged("delta does not fit its base"));
        }
        for instruction in instructions {
            match instruction.map_err(Error::Damaged)? {
                DeltaInstruction::Copy { offset, len } => {
                    if self.pending.is_open() {
                        self.pending.split_lines(&mut self.version, lines)?;
                    }
                    self.copy(base, offset, len, lines)?;
                }
                // An instruction inserts at most 127 bytes. Splitting waits for the last of a run
                // of them, so that few lines arrive in pieces.
                DeltaInstruction::Insert(bytes) => self.pending.append(bytes),
            }
        }
        Ok(())
    }

    /// Appends a whole text.
    pub(crate) fn insert(&mut self, bytes: &[u8], lines: &mut LineInterner) -> Result<(), Error> {
        // A line is copied once while it is incomplete, and once when it is kept; buffers grow by
        // doubling.
        if !memory::is_available_for_lines(bytes, 4) {
            let what = "a version of the file".to_owned();
            return Err(Error::Object(objects::Error::OutOfMemory { what }));
        }
        self.pending.append_text(bytes, &mut self.version, lines)
    }

    /// Copies `len` bytes of `base` from `offset`. The range lies within the base.
    fn copy(
        &mut self,
        base: &Version,
        offset: usize,
        len: usize,
        lines: &mut LineInterner,
    ) -> Result<(), Error> {
        let (from, to) = (offset as u32, (offset + len) as u32);
        let mut line = match self.cursor.checked_sub(1) {
            Some(before) if base.ends[before] > from => {
                first_after(&base.ends[..before], 0, from, self.mean_line_len)
            }
            _ => first_after(&base.ends, self.cursor, from, self.mean_line_len),
        };
        let mut at = from;
        while at < to {
            let (start, end) = (base.start(line), base.ends[line]);
            if at == start && !self.pending.is_open() {
                let whole = first_after(&base.ends, line, to, self.mean_line_len);
                // A last line without LF may be continued by what follows.
                let whole = if whole == base.ends.len() {
                    whole - 1
                } else {
                    whole
                };
                if whole > line {
                    self.version.copy_lines(base, line, whole);
                    at = base.ends[whole - 1];
                    line = whole;
                    continue;
                }
            }
            let stop = end.min(to);
            let piece =
                &lines.bytes(base.tokens[line])[(at - start) as usize..(stop - start) as usize];
            self.pending.append(piece);
            if self.pending.ends_line() {
                self.pending.split_lines(&mut self.version, lines)?;
            }
            at = stop;
            line += 1;
        }
        self.cursor = line.min(base.ends.len());
        Ok(())
    }

    /// Ends the last line. Returns the buffers for reuse too.
    pub(crate) fn finish(
        mut self,
        lines: &mut LineInterner,
    ) -> Result<(Version, PendingLines), Error> {
        self.pending.finish(&mut self.version, lines)?;
        Ok((self.version, self.pending))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn derive(base: &Version, delta: &[u8], lines: &mut LineInterner) -> Result<Version, Error> {
        let mut builder = VersionBuilder::default();
        builder.derive(base, delta, lines)?;
        Ok(builder.finish(lines)?.0)
    }

    /// Encodes a delta of copies (offset and length) and insertions, and applies it.
    fn delta(base: &[u8], steps: &[Result<(usize, usize), &[u8]>]) -> (Vec<u8>, Vec<u8>) {
        let mut result = Vec::new();
        let mut body = Vec::new();
        for step in steps {
            match step {
                Ok((offset, len)) => {
                    result.extend_from_slice(&base[*offset..offset + len]);
                    body.push(0x80 | 0x01 | 0x02 | 0x10);
                    body.extend([*offset as u8, (*offset >> 8) as u8, *len as u8]);
                }
                Err(bytes) => {
                    result.extend_from_slice(bytes);
                    body.push(bytes.len() as u8);
                    body.extend_from_slice(bytes);
                }
            }
        }
        let mut delta = Vec::new();
        for mut size in [base.len(), result.len()] {
            while size >= 0x80 {
                delta.push(size as u8 | 0x80);
                size >>= 7;
            }
            delta.push(size as u8);
        }
        delta.extend(body);
        (delta, result)
    }

    /// A version derived through a delta equals the version of the resulting text.
    #[track_caller]
    fn check(base: &[u8], steps: &[Result<(usize, usize), &[u8]>]) {
        let mut lines = LineInterner::new(false);
        let (delta, bytes) = delta(base, steps);
        let version = Version::new(base, &mut lines).expect("it is small");
        let derived = derive(&version, &delta, &mut lines).expect("the delta is sound");
        let whole = Version::new(&bytes, &mut lines).expect("it is small");
        assert_eq!(derived.tokens, whole.tokens);
        assert_eq!(derived.ends, whole.ends);
    }

    #[test]
    fn whole_lines_and_pieces() {
        let base = b"one\ntwo\nthree\nfour\n";
        check(base, &[Ok((0, 8)), Err(b"new\n"), Ok((8, 11))]);
        check(base, &[Ok((0, 5)), Err(b"ea"), Ok((6, 3)), Ok((2, 3))]);
        check(base, &[Err(b"x"), Ok((0, 19))]);
        check(base, &[]);
    }

    #[test]
    fn a_last_line_without_lf_is_continued() {
        let base = b"one\ntwo";
        check(base, &[Ok((0, 7)), Err(b" and more\n"), Ok((0, 7))]);
        check(base, &[Ok((0, 7)), Ok((0, 7)), Ok((3, 4))]);
    }

    #[test]
    fn backward_and_repeated_copies() {
        let base = b"a\nbb\nccc\ndddd\neeeee\n";
        check(
            base,
            &[Ok((9, 11)), Ok((0, 9)), Ok((2, 7)), Ok((2, 7)), Ok((5, 3))],
        );
    }

    #[test]
    fn random_deltas() {
        let base: Vec<u8> = (0..240_u32)
            .map(|at| if at * at % 7 == 3 { b'\n' } else { b'a' })
            .collect();
        let mut seed = 7_u32;
        let mut next = |below: usize| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as usize % below
        };
        for _ in 0..2000 {
            let inserts: [&[u8]; 4] = [b"x", b"\n", b"yy\nz", b"a\n\na"];
            let steps: Vec<_> = (0..next(6))
                .map(|_| match next(3) {
                    0 => Err(inserts[next(4)]),
                    _ => {
                        let offset = next(base.len() - 1);
                        Ok((offset, 1 + next((base.len() - offset).min(200))))
                    }
                })
                .collect();
            check(&base, &steps);
        }
    }

    #[test]
    fn a_delta_for_another_base_is_refused() {
        let mut lines = LineInterner::new(false);
        let version = Version::new(b"short\n", &mut lines).expect("it is small");
        let (delta, _) = delta(b"another one\n", &[Ok((0, 5))]);
        assert!(derive(&version, &delta, &mut lines).is_err());
    }
}
