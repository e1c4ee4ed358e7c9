//! Interpolation search in sorted lists of object ids.

use std::cmp::Ordering;

use gix_hash::{ObjectId, Prefix, oid};

/// After this many guesses the ids are not uniform, and bisection is safer.
const MAX_GUESSES: u32 = 8;

/// Finds `id` among the sorted ids at `low..high`, which all have the same first byte. Ids are
/// uniformly distributed, so a few interpolated guesses suffice. `probe` compares the id at a
/// position to `id`, and returns its first eight bytes.
#[inline]
pub(crate) fn interpolate(
    id: &oid,
    low: u32,
    high: u32,
    probe: impl Fn(u32) -> Option<(Ordering, u64)>,
) -> Option<u32> {
    let mut search = InterpolationSearch::new(id, low, high);
    search.run(probe)?;
    search.found
}

/// State of an interpolation search.
///
/// A wrong guess tells the distance to the key: the next guess adds it, at the average
/// density of the initial range. That needs a multiplication, where interpolating in the remaining
/// range would need a 128-bit division.
pub(crate) struct InterpolationSearch {
    key: u64,
    low: u32,
    high: u32,
    /// The next guess, before it is clamped to `low..high`.
    at: u32,
    guesses: u32,
    /// Number of ids in the initial range.
    span: u32,
    pub(crate) found: Option<u32>,
}

impl InterpolationSearch {
    #[inline]
    pub(crate) fn new(id: &oid, low: u32, high: u32) -> InterpolationSearch {
        let mut search = InterpolationSearch {
            key: prefix(id),
            low,
            high,
            at: low,
            guesses: 0,
            span: high.saturating_sub(low),
            found: None,
        };
        search.at = low.saturating_add(search.expected_count(search.key));
        search
    }

    /// Expected number of ids in `part` of the key space below one first byte.
    #[inline]
    fn expected_count(&self, part: u64) -> u32 {
        ((u128::from(part << 8) * u128::from(self.span)) >> 64) as u32
    }

    /// The first position to probe; `None` for an empty range.
    #[inline]
    pub(crate) fn first(&self) -> Option<u32> {
        (self.low < self.high).then(|| self.at.min(self.high - 1))
    }

    /// Runs the search to its end. `None` if `probe` fails.
    #[inline]
    pub(crate) fn run(
        &mut self,
        mut probe: impl FnMut(u32) -> Option<(Ordering, u64)>,
    ) -> Option<()> {
        while let Some(at) = self.next_probe() {
            let (order, found) = probe(at)?;
            self.narrow(at, order, found);
        }
        Some(())
    }

    /// The next position to probe; `None` at the end of the search.
    #[inline]
    fn next_probe(&mut self) -> Option<u32> {
        if self.low >= self.high {
            return None;
        }
        if self.guesses >= MAX_GUESSES {
            self.at = self.low + (self.high - self.low) / 2;
        }
        self.guesses += 1;
        Some(self.at.clamp(self.low, self.high - 1))
    }

    /// Narrows the range by the id at `at`: its order relative to the key, and its prefix.
    #[inline]
    fn narrow(&mut self, at: u32, order: Ordering, found_prefix: u64) {
        match order {
            Ordering::Equal => {
                self.found = Some(at);
                self.high = self.low;
            }
            Ordering::Less => {
                self.low = at + 1;
                let off = self.expected_count(self.key.saturating_sub(found_prefix));
                self.at = self.low.saturating_add(off);
            }
            Ordering::Greater => {
                self.high = at;
                let off = self.expected_count(found_prefix.saturating_sub(self.key));
                self.at = at.saturating_sub(off.saturating_add(1));
            }
        }
    }
}

/// Length of the longest prefix, in hex digits, that `id` shares with another of the sorted ids at
/// `low..high`, which all have the same first byte; `None` if `read` fails.
pub(crate) fn shared_digits(
    id: &oid,
    low: u32,
    high: u32,
    mut read: impl FnMut(u32) -> Option<ObjectId>,
) -> Option<usize> {
    let mut search = InterpolationSearch::new(id, low, high);
    search.run(|at| Some(compare(&read(at)?, id)))?;
    // The position of the id, or its insertion point.
    let position = search.found.unwrap_or(search.low);
    let next = position + u32::from(search.found.is_some());
    let neighbours = position.checked_sub(1).into_iter().chain([next]);
    let mut most = 0;
    for at in neighbours.filter(|at| (low..high).contains(at)) {
        most = most.max(equal_digits(&read(at)?, id));
    }
    Some(most)
}

/// The most ids with one prefix that are collected from an index.
const MAX_WITH_PREFIX: usize = 1 << 16;

/// Adds to `found` those of the sorted ids at `low..high` that begin with `wanted`. All of these
/// have its first byte. `None` if `read` fails.
pub(crate) fn with_prefix(
    wanted: &Prefix,
    low: u32,
    high: u32,
    mut read: impl FnMut(u32) -> Option<ObjectId>,
    found: &mut Vec<ObjectId>,
) -> Option<()> {
    let least = wanted.as_oid();
    let mut search = InterpolationSearch::new(least, low, high);
    search.run(|at| Some(compare(&read(at)?, least)))?;
    let first = search.found.unwrap_or(search.low);
    for at in (first..high).take(MAX_WITH_PREFIX) {
        let id = read(at)?;
        if wanted.cmp_oid(&id).is_ne() {
            break;
        }
        found.push(id);
    }
    Some(())
}

/// Length of the common prefix of two ids in hex digits.
pub(crate) fn equal_digits(one: &oid, other: &oid) -> usize {
    let mut pairs = one.as_bytes().iter().zip(other.as_bytes());
    match pairs.position(|(a, b)| a != b) {
        Some(at) => 2 * at + usize::from(one.as_bytes()[at] >> 4 == other.as_bytes()[at] >> 4),
        None => 2 * one.as_bytes().len(),
    }
}

/// The order of `found` relative to `id`, and the prefix of `found`, for [`InterpolationSearch`].
#[inline]
pub(crate) fn compare(found: &oid, id: &oid) -> (Ordering, u64) {
    let start = prefix(found);
    // Prefixes are rarely equal unless the ids are.
    let order = start.cmp(&prefix(id)).then_with(|| found.cmp(id));
    (order, start)
}

/// The first eight bytes of an id as a number with the same order.
#[inline]
pub(crate) fn prefix(id: &oid) -> u64 {
    prefix_of_bytes(id.as_bytes())
}

/// The first eight bytes of an id's bytes.
#[inline]
pub(crate) fn prefix_of_bytes(id: &[u8]) -> u64 {
    id.first_chunk()
        .map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(seed: u64) -> ObjectId {
        let mut bytes = [0; 20];
        bytes[..8].copy_from_slice(&seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
        bytes[8..16].copy_from_slice(&seed.to_be_bytes());
        ObjectId::from(bytes)
    }

    #[test]
    fn shared_digits_match_a_linear_search() {
        let mut ids: Vec<ObjectId> = (0..3000).map(id).collect();
        ids.sort();
        let count = u32::try_from(ids.len()).expect("small");
        for wanted in ids.iter().copied().chain((3000..3100).map(id)) {
            let hex = wanted.to_string();
            let alike = |other: &&ObjectId| other.first_byte() == wanted.first_byte();
            let others = ids.iter().filter(alike).filter(|other| **other != wanted);
            let shared = others.map(|other| {
                let other = other.to_string();
                let pairs = hex.bytes().zip(other.bytes());
                pairs.take_while(|(a, b)| a == b).count()
            });
            let read = |at: u32| Some(ids[at as usize]);
            let before = |first: u8| ids.partition_point(|id| id.first_byte() < first) as u32;
            let high = wanted.first_byte().checked_add(1).map_or(count, before);
            let found = shared_digits(&wanted, before(wanted.first_byte()), high, read);
            assert_eq!(found, Some(shared.max().unwrap_or(0)));
        }
        assert_eq!(shared_digits(&id(1), 0, 0, |_| None), Some(0));
    }

    #[test]
    fn ids_with_a_prefix_match_a_linear_search() {
        let mut ids: Vec<ObjectId> = (0..3000).map(id).collect();
        let alike = (0..300u32).map(|at| {
            let mut bytes = [0x77; 20];
            bytes[16..].copy_from_slice(&at.to_be_bytes());
            ObjectId::from(bytes)
        });
        ids.extend(alike.clone());
        ids.sort();
        let (mut several, mut none) = (0, 0);
        for wanted in (2800..3200).map(id).chain(alike) {
            let low = ids.partition_point(|id| id.first_byte() < wanted.first_byte());
            let high = ids.partition_point(|id| id.first_byte() <= wanted.first_byte());
            for digits in 4..8 {
                let prefix = Prefix::new(&wanted, digits).expect("few digits");
                let hex = wanted.to_hex_with_len(digits).to_string();
                let expected = ids.iter().filter(|id| id.to_string().starts_with(&hex));
                let expected: Vec<ObjectId> = expected.copied().collect();
                let (mut found, read) = (Vec::new(), |at: u32| Some(ids[at as usize]));
                with_prefix(&prefix, low as u32, high as u32, read, &mut found)
                    .expect("all are read");
                several += usize::from(found.len() > 1);
                none += usize::from(found.is_empty());
                assert_eq!(found, expected);
            }
        }
        assert!(several > 1000 && none > 100, "{several} {none}");
    }

    #[test]
    fn interpolation_finds_exactly_the_ids_present() {
        let mut ids: Vec<ObjectId> = (0..3000).map(id).collect();
        // A cluster that defeats interpolation.
        ids.extend((0..300u32).map(|at| {
            let mut bytes = [0x77; 20];
            bytes[16..].copy_from_slice(&at.to_be_bytes());
            ObjectId::from(bytes)
        }));
        ids.sort();
        let find = |id: &oid| {
            let byte = id.first_byte();
            let low = ids.partition_point(|id| id.first_byte() < byte);
            let high = ids.partition_point(|id| id.first_byte() <= byte);
            let range = low as u32..high as u32;
            interpolate(id, range.start, range.end, |at| {
                Some(compare(&ids[at as usize], id))
            })
        };
        for (at, id) in ids.iter().enumerate() {
            assert_eq!(find(id), u32::try_from(at).ok());
        }
        for seed in 3000..6000 {
            assert_eq!(find(&id(seed)), None);
        }
        let none = |_| -> Option<(Ordering, u64)> { unreachable!("the range is empty") };
        assert_eq!(interpolate(&id(1), 0, 0, none), None);
    }
}
