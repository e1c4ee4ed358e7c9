//! Pack deltas: instructions that build an object from its base.
//!
//! A delta starts with the sizes of base and result. Each instruction copies a range of the base,
//! or inserts bytes from the delta.

use crate::objects::error::Reason;

/// A delta instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeltaInstruction<'a> {
    /// Append `len` bytes of the base, from byte `offset` on.
    Copy {
        /// Start of the range in the base.
        offset: usize,
        /// Length in bytes, at least 1.
        len: usize,
    },
    /// Append these bytes, at least one.
    Insert(&'a [u8]),
}

/// Iterator over the instructions of a delta.
///
/// Yields an error and then ends where the delta is truncated, copies from outside of the base, or
/// builds more or less than its stated size.
#[derive(Debug, Clone)]
pub struct DeltaInstructions<'a> {
    rest: &'a [u8],
    base_len: usize,
    result_len: usize,
    /// Bytes of the result built so far.
    built: usize,
    done: bool,
}

impl<'a> DeltaInstructions<'a> {
    /// Reads the two sizes at the start of `delta`.
    ///
    /// # Errors
    ///
    /// The sizes are truncated or exceed the address space.
    pub fn new(delta: &'a [u8]) -> Result<DeltaInstructions<'a>, &'static str> {
        let mut rest = delta;
        let base_len = take_size(&mut rest)?;
        let result_len = take_size(&mut rest)?;
        Ok(DeltaInstructions {
            rest,
            base_len,
            result_len,
            built: 0,
            done: false,
        })
    }

    /// The required size of the base in bytes.
    pub fn base_len(&self) -> usize {
        self.base_len
    }

    /// The size of the result, in bytes.
    pub fn result_len(&self) -> usize {
        self.result_len
    }

    #[inline]
    fn step(&mut self) -> Result<Option<DeltaInstruction<'a>>, Reason> {
        let Some((&op, mut rest)) = self.rest.split_first() else {
            return if self.built == self.result_len {
                Ok(None)
            } else {
                Err("a delta builds less than it states")
            };
        };
        let instruction = if op & 0x80 != 0 {
            let mut offset = 0usize;
            let mut len = 0usize;
            for bit in 0..4 {
                if op & (1 << bit) != 0 {
                    offset |= usize::from(take_byte(&mut rest)?) << (8 * bit);
                }
            }
            for bit in 0..3 {
                if op & (0x10 << bit) != 0 {
                    len |= usize::from(take_byte(&mut rest)?) << (8 * bit);
                }
            }
            if len == 0 {
                len = 0x10000;
            }
            if offset > self.base_len || len > self.base_len - offset {
                return Err("a delta copies from outside of its base");
            }
            DeltaInstruction::Copy { offset, len }
        } else if op != 0 {
            let (bytes, after) = rest
                .split_at_checked(usize::from(op))
                .ok_or("a delta ends within an instruction")?;
            rest = after;
            DeltaInstruction::Insert(bytes)
        } else {
            return Err("a delta has an unknown instruction");
        };
        let len = match instruction {
            DeltaInstruction::Copy { len, .. } => len,
            DeltaInstruction::Insert(bytes) => bytes.len(),
        };
        if len > self.result_len - self.built {
            return Err("a delta builds more than it states");
        }
        self.built += len;
        self.rest = rest;
        Ok(Some(instruction))
    }
}

impl<'a> Iterator for DeltaInstructions<'a> {
    type Item = Result<DeltaInstruction<'a>, &'static str>;

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
fn take_byte(rest: &mut &[u8]) -> Result<u8, Reason> {
    let (&first, after) = rest
        .split_first()
        .ok_or("a delta ends within an instruction")?;
    *rest = after;
    Ok(first)
}

fn take_size(rest: &mut &[u8]) -> Result<usize, Reason> {
    let mut value = 0usize;
    let mut shift = 0;
    loop {
        let (&first, after) = rest.split_first().ok_or("a delta ends within its sizes")?;
        *rest = after;
        let bits = usize::from(first & 0x7f);
        if shift >= usize::BITS || (bits << shift) >> shift != bits {
            return Err("a delta states an impossible size");
        }
        value |= bits << shift;
        shift += 7;
        if first & 0x80 == 0 {
            return Ok(value);
        }
    }
}

/// Applies `delta` to `base`, filling `result`, which must have the stated size.
///
/// # Errors
///
/// The delta is malformed or for another base; `result` is then unspecified.
pub fn apply(base: &[u8], delta: &[u8], result: &mut [u8]) -> Result<(), &'static str> {
    let instructions = DeltaInstructions::new(delta)?;
    if instructions.base_len() != base.len() {
        return Err("a delta does not fit its base");
    }
    if instructions.result_len() != result.len() {
        return Err("a delta states another size than expected");
    }
    let mut at = 0;
    for instruction in instructions {
        let bytes = match instruction? {
            DeltaInstruction::Copy { offset, len } => &base[offset..offset + len],
            DeltaInstruction::Insert(bytes) => bytes,
        };
        result[at..at + bytes.len()].copy_from_slice(bytes);
        at += bytes.len();
    }
    Ok(())
}

/// The stated size of the result, verified against all instructions.
pub(crate) fn checked_result_len(delta: &[u8]) -> Result<usize, Reason> {
    let mut instructions = DeltaInstructions::new(delta)?;
    let len = instructions.result_len();
    instructions.try_for_each(|step| step.map(|_| ()))?;
    Ok(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(delta: &[u8]) -> Result<Vec<DeltaInstruction<'_>>, Reason> {
        DeltaInstructions::new(delta)?.collect()
    }

    #[test]
    fn copies_and_inserts_are_decoded() {
        let delta = [10, 7, 0x91, 2, 4, 3, b'a', b'b', b'c'];
        assert_eq!(
            collect(&delta),
            Ok(vec![
                DeltaInstruction::Copy { offset: 2, len: 4 },
                DeltaInstruction::Insert(b"abc")
            ])
        );
        let mut result = [0; 7];
        assert_eq!(apply(b"0123456789", &delta, &mut result), Ok(()));
        assert_eq!(&result, b"2345abc");
    }

    #[test]
    fn a_copy_of_length_zero_copies_64_kib() {
        let delta = [0x80, 0x80, 4, 0x80, 0x80, 4, 0x80];
        assert_eq!(
            collect(&delta),
            Ok(vec![DeltaInstruction::Copy {
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
    fn a_delta_for_another_base_is_an_error() {
        let delta = [3, 1, 0x90, 1];
        let mut result = [0; 1];
        assert!(apply(b"ab", &delta, &mut result).is_err());
        assert!(apply(b"abc", &delta, &mut [0; 2]).is_err());
        assert!(apply(b"abc", &delta, &mut result).is_ok());
    }
}
