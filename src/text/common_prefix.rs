//! The common prefix of two byte strings.

/// The length of the common prefix.
pub(crate) fn common_prefix_len(a: &[u8], b: &[u8]) -> usize {
    const SHORT: usize = 64;
    const LONG: usize = 512;
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut at = 0;
    if len >= SHORT && a[..SHORT] == b[..SHORT] {
        at = SHORT;
        while at + LONG <= len && a[at..at + LONG] == b[at..at + LONG] {
            at += LONG;
        }
    }
    while let (Some(x), Some(y)) = (a[at..].first_chunk(), b[at..].first_chunk()) {
        let differ = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if differ != 0 {
            return at + differ.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = a[at..].iter().zip(&b[at..]);
    at + rest.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_prefixes() {
        for len in [0, 1, 7, 8, 9, 63, 64, 65, 600, 1100, 2000] {
            let a = vec![b'x'; len];
            assert_eq!(common_prefix_len(&a, &a), len);
            for at in (0..len).step_by(3) {
                let mut b = a.clone();
                b[at] = b'y';
                assert_eq!(common_prefix_len(&a, &b), at);
                assert_eq!(common_prefix_len(&a, &b[..at]), at);
            }
        }
    }
}
