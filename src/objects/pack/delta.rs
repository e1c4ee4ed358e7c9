//! Pack deltas: the instructions that make an object from another one.
//!
//! A delta starts with two sizes, of the base and of the result. Then follow instructions: copy a
//! range of the base, or insert bytes that the delta carries itself.

use crate::objects::error::Fault;

/// One step in building the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instruction<'a> {
    /// Append `len` bytes of the base, from byte `offset` on.
    Copy {
        /// Where the range starts in the base.
        offset: usize,
        /// How many bytes, at least one.
        len: usize,
    },
    /// Append these bytes, at least one.
    Insert(&'a [u8]),
}

/// The sizes that a delta starts with, and its instructions.
///
/// Iterating yields an error, and then ends, where the delta is cut off, copies from outside of
/// the base, or builds more or less than it announced.
#[derive(Debug, Clone)]
pub struct Instructions<'a> {
    rest: &'a [u8],
    base_len: usize,
    result_len: usize,
    built: usize,
    done: bool,
}

impl<'a> Instructions<'a> {
    /// Read the sizes in front of `delta`.
    ///
    /// # Errors
    ///
    /// When they are cut off or do not fit the address space.
    pub fn new(delta: &'a [u8]) -> Result<Instructions<'a>, &'static str> {
        let mut rest = delta;
        let base_len = size(&mut rest)?;
        let result_len = size(&mut rest)?;
        Ok(Instructions {
            rest,
            base_len,
            result_len,
            built: 0,
            done: false,
        })
    }

    /// The size that the base must have, in bytes.
    pub fn base_len(&self) -> usize {
        self.base_len
    }

    /// The size of the result, in bytes.
    pub fn result_len(&self) -> usize {
        self.result_len
    }

    #[inline]
    fn step(&mut self) -> Result<Option<Instruction<'a>>, Fault> {
        let Some((&op, mut rest)) = self.rest.split_first() else {
            return if self.built == self.result_len {
                Ok(None)
            } else {
                Err("a delta builds less than it announces")
            };
        };
        let instruction = if op & 0x80 != 0 {
            let mut offset = 0usize;
            let mut len = 0usize;
            for bit in 0..4 {
                if op & (1 << bit) != 0 {
                    offset |= usize::from(byte(&mut rest)?) << (8 * bit);
                }
            }
            for bit in 0..3 {
                if op & (0x10 << bit) != 0 {
                    len |= usize::from(byte(&mut rest)?) << (8 * bit);
                }
            }
            if len == 0 {
                len = 0x10000;
            }
            if offset > self.base_len || len > self.base_len - offset {
                return Err("a delta copies from outside of its base");
            }
            Instruction::Copy { offset, len }
        } else if op != 0 {
            let (bytes, after) = rest
                .split_at_checked(usize::from(op))
                .ok_or("a delta ends in the middle of an instruction")?;
            rest = after;
            Instruction::Insert(bytes)
        } else {
            return Err("a delta holds an unknown instruction");
        };
        let len = match instruction {
            Instruction::Copy { len, .. } => len,
            Instruction::Insert(bytes) => bytes.len(),
        };
        if len > self.result_len - self.built {
            return Err("a delta builds more than it announces");
        }
        self.built += len;
        self.rest = rest;
        Ok(Some(instruction))
    }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Instruction<'a>, &'static str>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let step = self.step().transpose();
        if !matches!(step, Some(Ok(_))) {
            self.done = true;
        }
        step
    }
}

#[inline]
fn byte(rest: &mut &[u8]) -> Result<u8, Fault> {
    let (&first, after) = rest
        .split_first()
        .ok_or("a delta ends in the middle of an instruction")?;
    *rest = after;
    Ok(first)
}

fn size(rest: &mut &[u8]) -> Result<usize, Fault> {
    let mut value = 0usize;
    let mut shift = 0;
    loop {
        let (&first, after) = rest.split_first().ok_or("a delta ends within its sizes")?;
        *rest = after;
        let bits = usize::from(first & 0x7f);
        if shift >= usize::BITS || (bits << shift) >> shift != bits {
            return Err("a delta announces an impossible size");
        }
        value |= bits << shift;
        shift += 7;
        if first & 0x80 == 0 {
            return Ok(value);
        }
    }
}

/// Build the result of `delta` over `base` into `result`, whose length must be the announced one.
///
/// # Errors
///
/// When the delta is malformed, or does not belong to this base; `result` is then undefined.
pub fn apply(base: &[u8], delta: &[u8], result: &mut [u8]) -> Result<(), &'static str> {
    let instructions = Instructions::new(delta)?;
    if instructions.base_len() != base.len() {
        return Err("a delta does not fit its base");
    }
    if instructions.result_len() != result.len() {
        return Err("a delta builds another size than announced");
    }
    let mut at = 0;
    for instruction in instructions {
        let bytes = match instruction? {
            Instruction::Copy { offset, len } => &base[offset..offset + len],
            Instruction::Insert(bytes) => bytes,
        };
        result[at..at + bytes.len()].copy_from_slice(bytes);
        at += bytes.len();
    }
    Ok(())
}

/// The announced size of the result, after a walk over all instructions that proves it.
pub(crate) fn checked_result_len(delta: &[u8]) -> Result<usize, Fault> {
    let mut instructions = Instructions::new(delta)?;
    let len = instructions.result_len();
    instructions.try_for_each(|step| step.map(|_| ()))?;
    Ok(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(delta: &[u8]) -> Result<Vec<Instruction<'_>>, Fault> {
        Instructions::new(delta)?.collect()
    }

    #[test]
    fn copies_and_inserts_are_read() {
        let delta = [10, 7, 0x91, 2, 4, 3, b'a', b'b', b'c'];
        assert_eq!(
            collect(&delta),
            Ok(vec![
                Instruction::Copy { offset: 2, len: 4 },
                Instruction::Insert(b"abc")
            ])
        );
        let mut result = [0; 7];
        assert_eq!(apply(b"0123456789", &delta, &mut result), Ok(()));
        assert_eq!(&result, b"2345abc");
    }

    #[test]
    fn a_copy_without_a_length_means_64_kib() {
        let delta = [0x80, 0x80, 4, 0x80, 0x80, 4, 0x80];
        assert_eq!(
            collect(&delta),
            Ok(vec![Instruction::Copy {
                offset: 0,
                len: 0x10000
            }])
        );
    }

    #[test]
    fn malformed_deltas_are_errors() {
        for delta in [
            &[][..],
            &[5],
            &[0x80],
            &[
                0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0,
            ],
            &[5, 5, 0],
            &[5, 5, 0x91, 3],
            &[5, 5, 0x91, 3, 3],
            &[5, 5, 4, 1, 2],
            &[5, 5],
            &[5, 1, 2, 1, 2],
            &[5, 3, 2, 1, 2],
        ] {
            assert!(collect(delta).is_err(), "{delta:?}");
            assert!(checked_result_len(delta).is_err(), "{delta:?}");
        }
    }

    #[test]
    fn a_delta_of_another_base_is_refused() {
        let delta = [3, 1, 0x90, 1];
        let mut result = [0; 1];
        assert!(apply(b"ab", &delta, &mut result).is_err());
        assert!(apply(b"abc", &delta, &mut [0; 2]).is_err());
        assert!(apply(b"abc", &delta, &mut result).is_ok());
    }
}
