//! Reading and writing the numbers and byte strings of tblame's own files.

use gix_hash::{Kind, ObjectId};

/// Appends an unsigned number, seven bits a byte, the lowest first.
pub(crate) fn push_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a byte string with its length.
pub(crate) fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    push_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Reads what the functions of this module wrote. `None` means that the bytes are not valid.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByteReader<'a> {
    rest: &'a [u8],
}

impl<'a> ByteReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> ByteReader<'a> {
        ByteReader { rest: bytes }
    }

    /// True if everything was read.
    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The number of bytes that were not read yet.
    pub(crate) fn len(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(taken)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            let bits = u64::from(byte & 0x7f);
            number |= bits << shift;
            if bits << shift >> shift != bits {
                return None;
            }
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// A number of items that take at least `len` bytes each.
    pub(crate) fn count_of(&mut self, len: usize) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.rest.len() / len).then_some(count)
    }

    /// A number below `end`.
    pub(crate) fn index(&mut self, end: usize) -> Option<usize> {
        let index = usize::try_from(self.number()?).ok()?;
        (index < end).then_some(index)
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = self.count_of(1)?;
        self.take(len)
    }

    pub(crate) fn id(&mut self, kind: Kind) -> Option<ObjectId> {
        ObjectId::try_from(self.take(kind.len_in_bytes())?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let numbers = [
            0,
            1,
            0x7f,
            0x80,
            0x3fff,
            0x4000,
            u64::from(u32::MAX),
            u64::MAX,
        ];
        let mut bytes = Vec::new();
        for number in numbers {
            push_number(&mut bytes, number);
        }
        let mut reader = ByteReader::new(&bytes);
        for number in numbers {
            assert_eq!(reader.number(), Some(number));
        }
        assert!(reader.is_empty());
    }

    #[test]
    fn numbers_that_end_early_or_are_too_large_are_refused() {
        assert_eq!(ByteReader::new(&[0x80]).number(), None);
        assert_eq!(ByteReader::new(&[0xff; 10]).number(), None);
        assert_eq!(ByteReader::new(&[2, 1]).count_of(1), None);
        assert_eq!(ByteReader::new(&[2, 1, 1, 1]).count_of(2), None);
        assert_eq!(ByteReader::new(&[2, 1, 1, 1, 1]).count_of(2), Some(2));
    }
}
