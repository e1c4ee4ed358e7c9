//! Zlib streams, deltas, and trees that deltas make.

use tblame::internals::objects::{
    HashKind, find_in_tree, inflate_exact,
    pack::delta::{self, DeltaInstruction, DeltaInstructions},
    project,
};
use zlib_rs::{DeflateConfig, InflateConfig, ReturnCode};

use super::{Target, ensure, outcome, take};
use crate::harness::rng::Rng;

/// Largest result of a stream or a delta that is built.
const MOST_INFLATED: usize = 1 << 16;

fn deflated(data: &[u8], level: i32) -> Vec<u8> {
    let config = DeflateConfig {
        level,
        ..DeflateConfig::default()
    };
    let mut out = vec![0; zlib_rs::compress_bound(data.len()) + 64];
    let (stream, code) = zlib_rs::compress_slice(&mut out, data, config);
    assert_eq!(code, ReturnCode::Ok);
    stream.to_vec()
}

/// Zlib streams. The first two bytes state the inflated size; zlib-rs is the reference.
pub struct Inflate;

impl Target for Inflate {
    fn seeds(&self) -> Vec<Vec<u8>> {
        let mut rng = Rng::new(1);
        let mut seeds = Vec::new();
        for len in [0, 1, 10, 200, 3000, 20_000] {
            for letters in [1, 4, 256] {
                let data: Vec<u8> = (0..len).map(|_| rng.below(letters) as u8).collect();
                for level in [0, 1, 9] {
                    let size = (len as u16).to_be_bytes();
                    seeds.push([&size, &deflated(&data, level)[..]].concat());
                }
            }
        }
        seeds.retain(|seed| seed.len() < self.most_bytes());
        seeds
    }

    fn most_bytes(&self) -> usize {
        6000
    }

    fn run(&mut self, mut input: &[u8]) -> Result<u64, String> {
        let size = usize::from(u16::from_be_bytes([take(&mut input), take(&mut input)]));
        let mut own = vec![0; size];
        let result = inflate_exact(input, &mut own);
        let mut buffer = vec![0; size + 1];
        let (theirs, code) =
            zlib_rs::decompress_slice(&mut buffer, input, InflateConfig { window_bits: 15 });
        let whole = code == ReturnCode::Ok && theirs.len() == size;
        ensure(result.is_ok() == whole, || {
            format!(
                "{result:?}, and the reference {code:?} with {} bytes",
                theirs.len()
            )
        })?;
        ensure(!whole || theirs == own, || "another text".to_owned())?;
        Ok(outcome((result, theirs.len().ilog2_or_zero())))
    }
}

trait Log2 {
    fn ilog2_or_zero(self) -> u32;
}

impl Log2 for usize {
    fn ilog2_or_zero(self) -> u32 {
        self.checked_ilog2().unwrap_or(0)
    }
}

/// Deltas: the first byte is the length of the base that follows it.
pub struct Deltas;

/// What a delta makes, read as the format is described: the reference.
fn applied(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut rest = delta.iter().copied();
    let mut size = || {
        let mut value = 0u128;
        for shift in (0..).step_by(7) {
            let byte = rest.next()?;
            if shift > 63 {
                return None;
            }
            value |= u128::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        Some(value)
    };
    let (from, to) = (size()?, size()?);
    if from != base.len() as u128 || to > MOST_INFLATED as u128 {
        return None;
    }
    let mut result = Vec::new();
    while let Some(op) = rest.next() {
        if op & 0x80 == 0 {
            let bytes: Vec<u8> = rest.by_ref().take(usize::from(op)).collect();
            if op == 0 || bytes.len() < usize::from(op) {
                return None;
            }
            result.extend(bytes);
        } else {
            let mut fields = [0usize; 7];
            for (bit, field) in fields.iter_mut().enumerate() {
                if op & 1 << bit != 0 {
                    *field = usize::from(rest.next()?);
                }
            }
            let [a, b, c, d, e, f, g] = fields;
            let offset = a | b << 8 | c << 16 | d << 24;
            let len = match e | f << 8 | g << 16 {
                0 => 0x10000,
                len => len,
            };
            result.extend_from_slice(base.get(offset..offset.checked_add(len)?)?);
        }
        if result.len() as u128 > to {
            return None;
        }
    }
    (result.len() as u128 == to).then_some(result)
}

impl Target for Deltas {
    fn seeds(&self) -> Vec<Vec<u8>> {
        let mut rng = Rng::new(2);
        (0..20)
            .map(|_| {
                let base: Vec<u8> = (0..rng.below(200)).map(|_| rng.below(4) as u8).collect();
                let result: Vec<u8> = (0..rng.below(400)).map(|_| rng.below(4) as u8).collect();
                let delta = delta_between(&base, &result, &mut rng);
                [&[base.len() as u8], &base[..], &delta].concat()
            })
            .collect()
    }

    fn run(&mut self, mut input: &[u8]) -> Result<u64, String> {
        let len = usize::from(take(&mut input)).min(input.len());
        let (base, delta) = input.split_at(len);
        let expected = applied(base, delta);
        let instructions = match DeltaInstructions::new(delta) {
            Ok(instructions) => instructions,
            Err(reason) => {
                ensure(expected.is_none(), || format!("refused: {reason}"))?;
                return Ok(outcome(reason));
            }
        };
        let size = instructions.result_len();
        // It must end, whatever the sizes that it states.
        let mut total = 0usize;
        for instruction in instructions {
            match instruction {
                Ok(DeltaInstruction::Copy { len, .. }) => total = total.saturating_add(len),
                Ok(DeltaInstruction::Insert(bytes)) => total += bytes.len(),
                Err(_) => break,
            }
        }
        ensure(total <= size, || format!("{total} bytes built of {size}"))?;
        if size > MOST_INFLATED {
            return Ok(outcome("large"));
        }
        let mut result = vec![0; size];
        let own = delta::apply(base, delta, &mut result);
        ensure(own.is_ok() == expected.is_some(), || {
            format!(
                "{own:?}, and the reference {:?}",
                expected.as_ref().map(Vec::len)
            )
        })?;
        ensure(expected.is_none_or(|expected| expected == result), || {
            "another result".to_owned()
        })?;
        Ok(outcome((own, size.ilog2_or_zero())))
    }
}

/// A delta that makes `result`, cut at random places.
fn delta_between(base: &[u8], result: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut delta = Vec::new();
    for mut size in [base.len(), result.len()] {
        while size > 0x7f {
            delta.push(size as u8 | 0x80);
            size >>= 7;
        }
        delta.push(size as u8);
    }
    let mut at = 0;
    while at < result.len() {
        let len = rng.between(1, 90).min(result.len() - at);
        let part = &result[at..at + len];
        let found: Vec<usize> = memchr::memmem::find_iter(base, part).collect();
        if !found.is_empty() && rng.chance(95) {
            let from = *rng.pick(&found);
            delta.extend([0x80 | 3 | 0x10, from as u8, (from >> 8) as u8, len as u8]);
        } else {
            delta.push(len as u8);
            delta.extend_from_slice(part);
        }
        at += len;
    }
    delta
}

/// The answer of a delta against a tree is that of the tree that it makes.
///
/// The input decides how two trees differ, how the delta is cut, and which of its bytes are changed then.
pub struct Projection;

const ID: usize = 20;

/// The names of a tree, if it is one that git writes.
fn names(tree: &[u8]) -> Option<Vec<&[u8]>> {
    let mut rest = tree;
    let mut names: Vec<&[u8]> = Vec::new();
    while !rest.is_empty() {
        let space = rest.iter().position(|&byte| byte == b' ')?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        let (mode, name) = (&rest[..space], rest.get(space + 1..end)?);
        if !matches!(
            mode,
            b"100644" | b"100755" | b"40000" | b"120000" | b"160000"
        ) || name.is_empty()
        {
            return None;
        }
        if names.last().is_some_and(|last| *last >= name) {
            return None;
        }
        names.push(name);
        rest = rest.get(end + 1 + ID..)?;
    }
    Some(names)
}

impl Target for Projection {
    fn seeds(&self) -> Vec<Vec<u8>> {
        (0..40u8).map(|seed| vec![seed; 12]).collect()
    }

    fn most_bytes(&self) -> usize {
        40
    }

    fn run(&mut self, input: &[u8]) -> Result<u64, String> {
        let mut rng = Rng::new(outcome(input));
        let entry = |name: usize, rng: &mut Rng| {
            // Ids with digits and spaces look like modes.
            let id: Vec<u8> = (0..ID).map(|_| *rng.pick(b"1047 \0xa\xff6")).collect();
            let mode = *rng.pick(&["100644", "100644", "100755", "40000"]);
            let name = match name % 7 {
                0 => format!("{name:03} 100644 a"),
                1 => format!("{name:03}\u{e9}"),
                _ => format!("{name:03}a"),
            };
            [mode.as_bytes(), b" ", name.as_bytes(), b"\0", &id].concat()
        };
        let mut entries: Vec<(usize, Vec<u8>)> = (0..rng.between(1, 30))
            .map(|name| (name * 3, entry(name * 3, &mut rng)))
            .collect();
        let base: Vec<u8> = entries
            .iter()
            .flat_map(|(_, bytes)| bytes.clone())
            .collect();
        let wanted = names(&base).ok_or("a tree of one's own")?;
        let wanted: Vec<Vec<u8>> = wanted.into_iter().map(Vec::from).collect();
        for _ in 0..rng.below(5) {
            let at = rng.below(entries.len());
            match rng.below(4) {
                0 if entries.len() > 1 => drop(entries.remove(at)),
                kind @ 1..=2 => {
                    let name = entries[at].0 + 1;
                    if entries.get(at + 1).is_none_or(|next| next.0 > name) {
                        entries.insert(at + 1, (name, entry(name, &mut rng)));
                    }
                    if kind == 2 {
                        // A rename: the same id under another name.
                        let (_, old) = entries.remove(at);
                        if let Some((_, new)) = entries.get_mut(at) {
                            let id = new.len() - ID;
                            new[id..].copy_from_slice(&old[old.len() - ID..]);
                        }
                    }
                }
                _ => entries[at].1 = entry(entries[at].0, &mut rng),
            }
        }
        let result: Vec<u8> = entries
            .iter()
            .flat_map(|(_, bytes)| bytes.clone())
            .collect();
        let mut delta = delta_between(&base, &result, &mut rng);
        for _ in 0..rng.below(3) {
            let at = rng.below(delta.len());
            delta[at] = rng.below(256) as u8;
        }
        let made = applied(&base, &delta);
        let mut segments = Vec::new();
        let mut answers = [0u32; 3];
        for name in &wanted {
            let before = find_in_tree(&base, HashKind::Sha1, name)?;
            let projected = project(&before, &delta, HashKind::Sha1, name, &mut segments);
            let Some(made) = made.as_ref().filter(|made| names(made).is_some()) else {
                answers[0] += 1;
                continue;
            };
            let searched = find_in_tree(made, HashKind::Sha1, name)?;
            match projected {
                None => answers[1] += 1,
                Some(projected) => {
                    answers[2] += 1;
                    ensure(projected == searched, || {
                        format!(
                            "{}: {projected:?} is projected, {searched:?} found",
                            name.escape_ascii()
                        )
                    })?;
                }
            }
        }
        Ok(outcome(answers.map(|count| count.min(3))))
    }
}
