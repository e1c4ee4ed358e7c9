//! Searching sorted lists of ids.

use std::cmp::Ordering;

use gix_hash::oid;

/// Find `id` among the sorted ids at `low..high`. Ids are spread evenly, so its place can be
/// guessed from its value; a few guesses suffice. `probe` says how the id at a place compares to
/// `id`, and what its first eight bytes are. `first` tells that all ids of the range start
/// with that byte.
#[inline]
pub(crate) fn interpolate(
    id: &oid,
    mut low: u32,
    mut high: u32,
    first: Option<u8>,
    probe: impl Fn(u32) -> Option<(Ordering, u64)>,
) -> Option<u32> {
    let key = prefix(id);
    let (mut key_low, mut key_high) = match first {
        Some(byte) => (
            u64::from(byte) << 56,
            (u64::from(byte) << 56) | (u64::MAX >> 8),
        ),
        None => (0, u64::MAX),
    };
    let mut guesses = 0;
    while low < high {
        let span = high - low;
        let at = if guesses < 8 && span > 8 && key_high > key_low {
            let share = u128::from(key.saturating_sub(key_low)) * u128::from(span)
                / (u128::from(key_high - key_low) + 1);
            low + (share as u32).min(span - 1)
        } else {
            low + span / 2
        };
        guesses += 1;
        let (order, found) = probe(at)?;
        match order {
            Ordering::Equal => return Some(at),
            Ordering::Less => {
                low = at + 1;
                key_low = found;
            }
            Ordering::Greater => {
                high = at;
                key_high = found;
            }
        }
    }
    None
}

/// What [`interpolate`] needs to know of an id that it has found.
#[inline]
pub(crate) fn compare(found: &oid, id: &oid) -> (Ordering, u64) {
    (found.cmp(id), prefix(found))
}

#[inline]
fn prefix(id: &oid) -> u64 {
    id.as_bytes()
        .first_chunk()
        .map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use gix_hash::ObjectId;

    use super::*;

    fn id(seed: u64) -> ObjectId {
        let mut bytes = [0; 20];
        bytes[..8].copy_from_slice(&seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
        bytes[8..16].copy_from_slice(&seed.to_be_bytes());
        ObjectId::from(bytes)
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
        let count = u32::try_from(ids.len()).expect("small");
        let find = |id: &oid, count| {
            interpolate(id, 0, count, None, |at| {
                Some(compare(&ids[at as usize], id))
            })
        };
        for (at, id) in ids.iter().enumerate() {
            let found = find(id, count);
            assert_eq!(found, u32::try_from(at).ok());
        }
        for seed in 3000..6000 {
            assert_eq!(find(&id(seed), count), None);
        }
        assert_eq!(find(&id(1), 0), None);
    }
}
