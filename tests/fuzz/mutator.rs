//! Changes of inputs.

use crate::harness::rng::Rng;

/// Numbers at which lengths and offsets tend to go wrong.
const NUMBERS: [u64; 16] = [
    0,
    1,
    2,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    u64::MAX,
];

/// Makes inputs from others.
pub struct Mutator<'a> {
    pub words: &'a [&'a [u8]],
    pub most_bytes: usize,
}

impl Mutator<'_> {
    /// One of `pool` with a few changes.
    pub fn mutated(&self, pool: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
        let mut input = rng.pick(pool).clone();
        let changes = *rng.pick(&[1, 1, 1, 2, 2, 3, 5, 8, 16]);
        for _ in 0..changes {
            self.change(&mut input, pool, rng);
        }
        input.truncate(self.most_bytes.max(1));
        input
    }

    fn change(&self, input: &mut Vec<u8>, pool: &[Vec<u8>], rng: &mut Rng) {
        let len = input.len();
        let at = rng.below(len);
        let end = len.min(at + *rng.pick(&[1, 1, 2, 4, 8, 20, 64, 256]));
        match rng.below(12) {
            0 | 1 if len > 0 => input[at] ^= 1 << rng.below(8),
            2 if len > 0 => input[at] = rng.below(256) as u8,
            3 => input.insert(at, rng.below(256) as u8),
            4 => drop(input.drain(at..end)),
            5 => input.truncate(at),
            6 => {
                let copy = input[at..end].to_vec();
                let to = rng.below(len + 1);
                input.splice(to..to, copy);
            }
            7 => {
                let other = rng.pick(pool);
                let from = rng.below(other.len());
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            8 => {
                let number = rng.pick(&NUMBERS).to_be_bytes();
                let width = *rng.pick(&[1, 2, 4, 8]);
                let mut bytes = number[8 - width..].to_vec();
                if rng.chance(30) {
                    bytes.reverse();
                }
                for (place, byte) in input[at..].iter_mut().zip(bytes) {
                    *place = byte;
                }
            }
            9 if len > 0 => {
                let number = rng.pick(&NUMBERS).wrapping_sub(rng.below(3) as u64);
                let digits: Vec<u8> = number.to_string().into_bytes();
                let end = input[at..].iter().take_while(|byte| byte.is_ascii_digit());
                let end = at + end.count();
                input.splice(at..end, digits);
            }
            10 if len > 0 => {
                let byte = rng.below(256) as u8;
                input[at..end].fill(byte);
            }
            _ if !self.words.is_empty() => {
                let word = rng.pick(self.words);
                let end = if rng.chance(50) { at } else { end };
                input.splice(at..end, word.iter().copied());
            }
            _ => input.push(rng.below(256) as u8),
        }
    }
}
