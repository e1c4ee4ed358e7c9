//! Searching sorted lists of ids.

use std::cmp::Ordering;

use gix_hash::{ObjectId, oid};

/// Past so many guesses the ids are not spread evenly, and halving is safer.
const GUESSES: u32 = 8;

/// Find `id` among the sorted ids at `low..high`, which all start with the same byte. Ids are spread
/// evenly, so its place can be guessed from its value; a few guesses suffice. `probe` says how the id
/// at a place compares to `id`, and what its first eight bytes are.
#[inline]
pub(crate) fn interpolate(
    id: &oid,
    low: u32,
    high: u32,
    probe: impl Fn(u32) -> Option<(Ordering, u64)>,
) -> Option<u32> {
    let mut search = Search::new(id, low, high);
    search.run(probe)?;
    search.found
}

/// A search as [`interpolate`] does it, step by step.
///
/// A wrong guess tells how far off it was: the next one goes on from there, with the density that
/// ids have on the whole. That takes a multiplication, where a share of the range that is left
/// would take a division of 128 bits.
pub(crate) struct Search {
    key: u64,
    low: u32,
    high: u32,
    /// The next guess, unless it lies outside of what is left.
    at: u32,
    guesses: u32,
    /// How many ids there were at the start.
    span: u32,
    pub(crate) found: Option<u32>,
}

impl Search {
    #[inline]
    pub(crate) fn new(id: &oid, low: u32, high: u32) -> Search {
        let mut search = Search {
            key: prefix(id),
            low,
            high,
            at: low,
            guesses: 0,
            span: high.saturating_sub(low),
            found: None,
        };
        search.at = low.saturating_add(search.share(search.key));
        search
    }

    /// How many ids there should be in a part of the keys, of which all start with the same byte.
    #[inline]
    fn share(&self, part: u64) -> u32 {
        ((u128::from(part << 8) * u128::from(self.span)) >> 64) as u32
    }

    /// The place to look at first, unless there is none.
    #[inline]
    pub(crate) fn first(&self) -> Option<u32> {
        (self.low < self.high).then(|| self.at.min(self.high - 1))
    }

    /// Searches to the end, or until `probe` cannot say how an id compares: `None` then.
    #[inline]
    pub(crate) fn run(
        &mut self,
        mut probe: impl FnMut(u32) -> Option<(Ordering, u64)>,
    ) -> Option<()> {
        while let Some(at) = self.guess() {
            let (order, found) = probe(at)?;
            self.learn(at, order, found);
        }
        Some(())
    }

    /// The place to look at next; `None` when the search is over.
    #[inline]
    fn guess(&mut self) -> Option<u32> {
        if self.low >= self.high {
            return None;
        }
        if self.guesses >= GUESSES {
            self.at = self.low + (self.high - self.low) / 2;
        }
        self.guesses += 1;
        Some(self.at.clamp(self.low, self.high - 1))
    }

    /// The id at the place `at` compares like this to the one looked for.
    #[inline]
    fn learn(&mut self, at: u32, order: Ordering, found: u64) {
        match order {
            Ordering::Equal => {
                self.found = Some(at);
                self.high = self.low;
            }
            Ordering::Less => {
                self.low = at + 1;
                let off = self.share(self.key.saturating_sub(found));
                self.at = self.low.saturating_add(off);
            }
            Ordering::Greater => {
                self.high = at;
                let off = self.share(found.saturating_sub(self.key));
                self.at = at.saturating_sub(off.saturating_add(1));
            }
        }
    }
}

/// How many hex digits at most `id` starts with as another one of the sorted ids at `low..high` does,
/// which all start with the same byte; `None` if `read` cannot read one of them.
pub(crate) fn shared_digits(
    id: &oid,
    low: u32,
    high: u32,
    mut read: impl FnMut(u32) -> Option<ObjectId>,
) -> Option<usize> {
    let mut search = Search::new(id, low, high);
    search.run(|at| Some(compare(&read(at)?, id)))?;
    // The one there, or the one that would be pushed on.
    let here = search.found.unwrap_or(search.low);
    let behind = here + u32::from(search.found.is_some());
    let neighbours = here.checked_sub(1).into_iter().chain([behind]);
    let mut most = 0;
    for at in neighbours.filter(|at| (low..high).contains(at)) {
        most = most.max(equal_digits(&read(at)?, id));
    }
    Some(most)
}

/// How many hex digits of two ids are the same before the first that is not.
fn equal_digits(one: &oid, other: &oid) -> usize {
    let mut pairs = one.as_bytes().iter().zip(other.as_bytes());
    match pairs.position(|(a, b)| a != b) {
        Some(at) => 2 * at + usize::from(one.as_bytes()[at] >> 4 == other.as_bytes()[at] >> 4),
        None => 2 * one.as_bytes().len(),
    }
}

/// What [`interpolate`] needs to know of an id that it has met.
#[inline]
pub(crate) fn compare(found: &oid, id: &oid) -> (Ordering, u64) {
    let start = prefix(found);
    // Seldom is more than the start equal, unless all is.
    let order = start.cmp(&prefix(id)).then_with(|| found.cmp(id));
    (order, start)
}

/// The first bytes of an id as a number that sorts as the id does.
#[inline]
pub(crate) fn prefix(id: &oid) -> u64 {
    id.as_bytes()
        .first_chunk()
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
    fn neighbours_tell_how_many_digits_are_needed() {
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
    fn interpolation_finds_every_id_and_no_other() {
        let mut ids: Vec<ObjectId> = (0..3000).map(id).collect();
        // A crowd that defeats the guess.
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
        let none = |_| -> Option<(Ordering, u64)> { unreachable!("there is nothing") };
        assert_eq!(interpolate(&id(1), 0, 0, none), None);
    }
}
