//! Fits an answer into a budget: what is longest is shortened first, then what is oldest is left out.

/// How much of an item is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Extent {
    /// Nothing.
    Dropped,
    /// The least that says something.
    Brief,
    /// All that is kept of it.
    Whole,
}

/// An item of an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WeighedItem {
    /// What it costs brief and whole, in the unit of the budget.
    pub(crate) brief: usize,
    pub(crate) whole: usize,
    /// Its date, in seconds since the epoch.
    pub(crate) time: i64,
    /// It is a part of the answer that is shortened only after all others were.
    pub(crate) is_first: bool,
}

/// How many of the other items are kept before one of the first is shortened.
const KEPT_OTHERS: usize = 4;

/// The extents with which `items` cost at most `budget`.
pub(crate) fn fit(items: &[WeighedItem], budget: usize) -> Vec<Extent> {
    let mut extents = vec![Extent::Whole; items.len()];
    let mut total: usize = items.iter().map(|item| item.whole).sum();
    let others = |is_first: bool| {
        let numbered = items.iter().enumerate();
        let of_kind = numbered.filter(move |(_, item)| item.is_first == is_first);
        of_kind.map(|(at, _)| at).collect::<Vec<usize>>()
    };
    let by_length = |mut list: Vec<usize>| {
        let saved = |at: usize| items[at].whole.saturating_sub(items[at].brief);
        list.sort_by_key(|&at| (std::cmp::Reverse(saved(at)), items[at].time));
        list
    };
    let by_age = |mut list: Vec<usize>| {
        list.sort_by_key(|&at| items[at].time);
        list
    };
    let oldest = by_age(others(false));
    let newest_from = oldest.len().saturating_sub(KEPT_OTHERS);
    let steps = [
        (Extent::Brief, by_length(others(false))),
        (Extent::Dropped, oldest[..newest_from].to_vec()),
        (Extent::Brief, by_length(others(true))),
        (Extent::Dropped, oldest[newest_from..].to_vec()),
        (Extent::Dropped, by_age(others(true))),
    ];
    for (extent, list) in steps {
        for at in list {
            if total <= budget {
                return extents;
            }
            let cost = |extent: Extent| match extent {
                Extent::Dropped => 0,
                Extent::Brief => items[at].brief,
                Extent::Whole => items[at].whole,
            };
            total = total - cost(extents[at]) + cost(extent);
            extents[at] = extent;
        }
    }
    extents
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(brief: usize, whole: usize, time: i64, is_first: bool) -> WeighedItem {
        WeighedItem {
            brief,
            whole,
            time,
            is_first,
        }
    }

    #[test]
    fn the_longest_is_shortened_and_then_the_oldest_dropped() {
        use Extent::{Brief, Dropped, Whole};
        let mut items = vec![item(10, 100, 9, true)];
        items.extend((0..6).map(|time| item(10, 20 + time as usize, time, false)));
        assert_eq!(fit(&items, 235), [Whole; 7]);
        let longest = [Whole, Whole, Whole, Whole, Whole, Whole, Brief];
        assert_eq!(fit(&items, 234), longest);
        assert_eq!(
            fit(&items, 160),
            [Whole, Brief, Brief, Brief, Brief, Brief, Brief]
        );
        let oldest = [Whole, Dropped, Brief, Brief, Brief, Brief, Brief];
        assert_eq!(fit(&items, 159), oldest);
        let few = [Brief, Dropped, Dropped, Brief, Brief, Brief, Brief];
        assert_eq!(fit(&items, 139), few);
        let fewer = [Brief, Dropped, Dropped, Dropped, Dropped, Dropped, Brief];
        assert_eq!(fit(&items, 20), fewer);
        assert_eq!(fit(&items, 0), [Dropped; 7]);
    }

    #[test]
    fn every_budget_is_kept() {
        let items: Vec<WeighedItem> = (0..40)
            .map(|at| {
                item(
                    at % 7 + 1,
                    at % 7 + at % 11 * 9,
                    at as i64 * 37 % 41,
                    at % 5 == 0,
                )
            })
            .collect();
        let mut compared = 0;
        for budget in 0..2000 {
            let extents = fit(&items, budget);
            let cost: usize = items
                .iter()
                .zip(extents)
                .map(|(item, extent)| match extent {
                    Extent::Dropped => 0,
                    Extent::Brief => item.brief,
                    Extent::Whole => item.whole,
                })
                .sum();
            assert!(cost <= budget, "{budget}");
            compared += 1;
        }
        assert_eq!(compared, 2000);
    }
}
