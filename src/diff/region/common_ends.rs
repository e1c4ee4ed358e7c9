//! Common prefix and suffix of token slices, vectorized for long runs.

use crate::diff::types::Token;

/// Tokens compared one at a time first: most runs are shorter.
const SCALAR: usize = 4;
/// Tokens compared at once in long runs.
const BLOCK: usize = 16;

/// Length of the common prefix.
#[inline]
pub(crate) fn common_prefix(a: &[Token], b: &[Token]) -> usize {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let scalar = len.min(SCALAR);
    for at in 0..scalar {
        if a[at] != b[at] {
            return at;
        }
    }
    scalar + long_prefix(&a[scalar..], &b[scalar..])
}

/// Length of the common suffix.
#[inline]
pub(crate) fn common_suffix(a: &[Token], b: &[Token]) -> usize {
    let len = a.len().min(b.len());
    let (a, b) = (&a[a.len() - len..], &b[b.len() - len..]);
    let scalar = len.min(SCALAR);
    for back in 0..scalar {
        if a[len - 1 - back] != b[len - 1 - back] {
            return back;
        }
    }
    scalar + long_suffix(&a[..len - scalar], &b[..len - scalar])
}

fn long_prefix(a: &[Token], b: &[Token]) -> usize {
    let mut equal = 0;
    let (blocks, _) = a.as_chunks::<BLOCK>();
    let (others, _) = b.as_chunks::<BLOCK>();
    for (a, b) in blocks.iter().zip(others) {
        if differ(a, b) {
            break;
        }
        equal += BLOCK;
    }
    let rest = a[equal..].iter().zip(&b[equal..]);
    equal + rest.take_while(|(a, b)| a == b).count()
}

fn long_suffix(a: &[Token], b: &[Token]) -> usize {
    let mut equal = 0;
    let (_, blocks) = a.as_rchunks::<BLOCK>();
    let (_, others) = b.as_rchunks::<BLOCK>();
    for (a, b) in blocks.iter().zip(others).rev() {
        if differ(a, b) {
            break;
        }
        equal += BLOCK;
    }
    let rest = a[..a.len() - equal].iter().rev();
    let rest = rest.zip(b[..b.len() - equal].iter().rev());
    equal + rest.take_while(|(a, b)| a == b).count()
}

/// Branch-free, so that it compiles to SIMD.
#[inline]
fn differ(a: &[Token; BLOCK], b: &[Token; BLOCK]) -> bool {
    a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lengths_and_positions() {
        for len in 0..50 {
            let a: Vec<Token> = (0..len).collect();
            assert_eq!(common_prefix(&a, &a), a.len());
            assert_eq!(common_suffix(&a, &a), a.len());
            for at in 0..a.len() {
                let mut b = a.clone();
                b[at] = 1000;
                assert_eq!(common_prefix(&a, &b), at);
                assert_eq!(common_suffix(&a, &b), a.len() - at - 1);
                assert_eq!(common_prefix(&a, &a[..at]), at);
                assert_eq!(common_suffix(&a[at..], &a), a.len() - at);
            }
        }
    }
}
