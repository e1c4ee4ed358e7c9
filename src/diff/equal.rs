//! Runs of equal lines, at the speed of memory.

use super::Token;

/// Long enough to pay for a wide comparison, short enough not to lose by it.
const BLOCK: usize = 16;

/// How many tokens are equal at the start.
#[inline]
pub(super) fn prefix(a: &[Token], b: &[Token]) -> usize {
    let mut equal = 0;
    for (a, b) in a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)) {
        if a != b {
            break;
        }
        equal += BLOCK;
    }
    let rest = a[equal..].iter().zip(&b[equal..]);
    equal + rest.take_while(|(a, b)| a == b).count()
}

/// How many tokens are equal at the end.
#[inline]
pub(super) fn suffix(a: &[Token], b: &[Token]) -> usize {
    let mut equal = 0;
    for (a, b) in a.rchunks_exact(BLOCK).zip(b.rchunks_exact(BLOCK)) {
        if a != b {
            break;
        }
        equal += BLOCK;
    }
    let rest = a[..a.len() - equal].iter().rev();
    let rest = rest.zip(b[..b.len() - equal].iter().rev());
    equal + rest.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_and_place() {
        for len in 0..50 {
            let a: Vec<Token> = (0..len).collect();
            assert_eq!(prefix(&a, &a), a.len());
            assert_eq!(suffix(&a, &a), a.len());
            for at in 0..a.len() {
                let mut b = a.clone();
                b[at] = 1000;
                assert_eq!(prefix(&a, &b), at);
                assert_eq!(suffix(&a, &b), a.len() - at - 1);
                assert_eq!(prefix(&a, &a[..at]), at);
                assert_eq!(suffix(&a[at..], &a), a.len() - at);
            }
        }
    }
}
