//! Decoding of numbers and lengths, checked against the end of the bytes.

/// Why bytes are not valid.
pub(super) type Reason = &'static str;

/// The part of a block that is left to decode.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    /// The next `len` bytes.
    pub(super) fn take(&mut self, len: usize) -> Result<&'a [u8], Reason> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or("a record is cut off")?;
        self.0 = rest;
        Ok(taken)
    }

    /// A big-endian number of at most eight bytes.
    pub(super) fn number(&mut self, len: usize) -> Result<u64, Reason> {
        let bytes = self.take(len)?;
        Ok(bytes
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// A number in the encoding of pack offsets.
    pub(super) fn varint(&mut self) -> Result<u64, Reason> {
        let mut number = 0u64;
        loop {
            let byte = self.take(1)?[0];
            let bits = u64::from(byte & 0x7f);
            number = (number << 7) | bits;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            number += 1;
            // Another digit would overflow.
            if number > u64::MAX >> 7 {
                return Err("a number is out of range");
            }
        }
    }

    /// Bytes after their length.
    pub(super) fn string(&mut self) -> Result<&'a [u8], Reason> {
        let len = self.varint()?;
        self.take(usize::try_from(len).map_err(|_| "a record is cut off")?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_several_digits() {
        let varint = |bytes: &[u8]| Bytes(bytes).varint();
        assert_eq!(varint(&[0]), Ok(0));
        assert_eq!(varint(&[0x7f]), Ok(127));
        assert_eq!(varint(&[0x80, 0]), Ok(128));
        assert_eq!(varint(&[0x80, 0x7f]), Ok(255));
        assert_eq!(varint(&[0x81, 0]), Ok(256));
        assert!(varint(&[0x80]).is_err());
        assert!(varint(&[0xff; 12]).is_err());
        assert_eq!(Bytes(&[1, 2, 3]).number(3), Ok(0x01_02_03));
        assert!(Bytes(&[5, 1]).string().is_err());
    }
}
