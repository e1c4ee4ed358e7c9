//! Puts versions together from lines, of another version and new ones.

use crate::{
    diff::lines::interner::Lines,
    engine::{
        api::error::Error,
        versions::{
            pending_lines::Unknown,
            version::{Version, first_after},
        },
    },
    objects::pack::delta::{Instruction, Instructions},
};

impl Version {
    /// Cuts whole bytes into lines.
    pub(crate) fn of(bytes: &[u8], lines: &mut Lines) -> Result<Version, Error> {
        let mut builder = Builder::default();
        builder.insert(bytes, lines)?;
        Ok(builder.finish(lines)?.0)
    }
}

/// Puts a version together from whole lines and from pieces of lines.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    pub(crate) version: Version,
    /// Lines that are not the base's, and the beginning of one.
    pub(crate) unknown: Unknown,
    /// The base's line after the one copied last: where the next copy probably begins.
    cursor: usize,
    /// How long the base's lines are on the average.
    per_line: u32,
}

impl Builder {
    /// Nothing yet; uses the memory of what is given.
    pub(crate) fn new(mut version: Version, mut unknown: Unknown) -> Builder {
        version.tokens.clear();
        version.ends.clear();
        unknown.clear();
        Builder {
            version,
            unknown,
            cursor: 0,
            per_line: 1,
        }
    }

    /// Applies a delta to lines instead of bytes.
    pub(crate) fn derive(
        &mut self,
        base: &Version,
        delta: &[u8],
        lines: &mut Lines,
    ) -> Result<(), Error> {
        // Room for some more lines, so that versions that grow slowly need not move.
        let room = base.tokens.len() + base.tokens.len() / 16 + 8;
        self.version.tokens.reserve(room);
        self.version.ends.reserve(room);
        self.per_line = base.per_line();
        let instructions = Instructions::new(delta).map_err(Error::Damaged)?;
        if instructions.base_len() != base.len() as usize {
            return Err(Error::Damaged("a delta was made against another base"));
        }
        for instruction in instructions {
            match instruction.map_err(Error::Damaged)? {
                Instruction::Copy { offset, len } => {
                    if self.unknown.is_open() {
                        self.unknown.cut(&mut self.version, lines)?;
                    }
                    self.copy(base, offset, len, lines)?;
                }
                // An instruction inserts 127 bytes at most: cutting into lines waits until the
                // last in a row, so that few lines are in pieces.
                Instruction::Insert(bytes) => self.unknown.append(bytes),
            }
        }
        Ok(())
    }

    /// Appends a whole text.
    pub(crate) fn insert(&mut self, bytes: &[u8], lines: &mut Lines) -> Result<(), Error> {
        self.unknown.append_file(bytes, &mut self.version, lines)
    }

    /// Copies `len` bytes of `base` from `offset`; both were checked against its length.
    fn copy(
        &mut self,
        base: &Version,
        offset: usize,
        len: usize,
        lines: &mut Lines,
    ) -> Result<(), Error> {
        let (from, to) = (offset as u32, (offset + len) as u32);
        let mut line = match self.cursor.checked_sub(1) {
            Some(before) if base.ends[before] > from => {
                first_after(&base.ends[..before], 0, from, self.per_line)
            }
            _ => first_after(&base.ends, self.cursor, from, self.per_line),
        };
        let mut at = from;
        while at < to {
            let (start, end) = (base.start(line), base.ends[line]);
            if at == start && !self.unknown.is_open() {
                let whole = first_after(&base.ends, line, to, self.per_line);
                // The last line may lack its newline, and then something may follow it.
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
            self.unknown.append(piece);
            if self.unknown.ends_line() {
                self.unknown.cut(&mut self.version, lines)?;
            }
            at = stop;
            line += 1;
        }
        self.cursor = line.min(base.ends.len());
        Ok(())
    }

    /// Ends the last line. Gives the buffers back too.
    pub(crate) fn finish(mut self, lines: &mut Lines) -> Result<(Version, Unknown), Error> {
        self.unknown.finish(&mut self.version, lines)?;
        Ok((self.version, self.unknown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn derive(base: &Version, delta: &[u8], lines: &mut Lines) -> Result<Version, Error> {
        let mut builder = Builder::default();
        builder.derive(base, delta, lines)?;
        Ok(builder.finish(lines)?.0)
    }

    /// Writes a delta: sizes, then for each step a copy (offset and length) or an insertion.
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

    /// Deriving lines through a delta gives the lines of the bytes that the delta makes.
    #[track_caller]
    fn check(base: &[u8], steps: &[Result<(usize, usize), &[u8]>]) {
        let mut lines = Lines::new(false);
        let (delta, bytes) = delta(base, steps);
        let version = Version::of(base, &mut lines).expect("it is small");
        let derived = derive(&version, &delta, &mut lines).expect("the delta is sound");
        let whole = Version::of(&bytes, &mut lines).expect("it is small");
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
    fn a_last_line_without_its_newline_goes_on() {
        let base = b"one\ntwo";
        check(base, &[Ok((0, 7)), Err(b" and more\n"), Ok((0, 7))]);
        check(base, &[Ok((0, 7)), Ok((0, 7)), Ok((3, 4))]);
    }

    #[test]
    fn copies_that_go_back_and_repeat() {
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
        let mut lines = Lines::new(false);
        let version = Version::of(b"short\n", &mut lines).expect("it is small");
        let (delta, _) = delta(b"another one\n", &[Ok((0, 5))]);
        assert!(derive(&version, &delta, &mut lines).is_err());
    }
}
