//! Fits an answer into a budget: what is long is shortened first, then the ends of lists are left out.

use crate::sorting;

/// How much of an item is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Extent {
    /// Nothing.
    Dropped,
    /// The least that says something.
    Brief,
    /// The beginnings of its message and its change.
    Short,
    /// All that is kept of it.
    Whole,
}

/// An item of an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WeighedItem {
    /// What it costs brief, short and whole, in the unit of the budget.
    pub(crate) costs: [usize; 3],
    /// Its place in its list, of which the last is left out first.
    pub(crate) place: usize,
    /// It is a part of the answer that is made brief only after all others were.
    pub(crate) is_first: bool,
}

impl WeighedItem {
    fn cost(&self, extent: Extent) -> usize {
        let [brief, short, whole] = self.costs;
        match extent {
            Extent::Dropped => 0,
            Extent::Brief => brief,
            Extent::Short => short,
            Extent::Whole => whole,
        }
    }
}

/// An item with what is written of it, in the parts that the budget counts.
pub(crate) struct FittedItem<T> {
    pub(crate) weighed: WeighedItem,
    brief: Vec<T>,
    short: Vec<T>,
    whole: Vec<T>,
}

impl<T> FittedItem<T> {
    /// An item with what is written of it brief, short and whole.
    pub(crate) fn new([brief, short, whole]: [Vec<T>; 3], place: usize, is_first: bool) -> Self {
        FittedItem {
            weighed: WeighedItem {
                costs: [&brief, &short, &whole].map(Vec::len),
                place,
                is_first,
            },
            brief,
            short,
            whole,
        }
    }

    /// What is written of it.
    pub(crate) fn parts(&self, extent: Extent) -> &[T] {
        match extent {
            Extent::Dropped => &[],
            Extent::Brief => &self.brief,
            Extent::Short => &self.short,
            Extent::Whole => &self.whole,
        }
    }
}

/// How many of the other items are kept before one of the first is made brief.
const KEPT_OTHERS: usize = 4;

/// The extents with which `items` cost at most `budget`.
pub(crate) fn fit(items: &[WeighedItem], budget: usize) -> Vec<Extent> {
    let (mut extents, total) = shrink(items, budget);
    if let Some(left) = budget.checked_sub(total) {
        grow(items, left, &mut extents);
    }
    extents
}

/// Shortens and leaves out until `items` cost at most `budget`; returns with the extents what they
/// cost then.
pub(crate) fn shrink(items: &[WeighedItem], budget: usize) -> (Vec<Extent>, usize) {
    use Extent::{Brief, Dropped, Short, Whole};
    let mut extents = vec![Whole; items.len()];
    let mut total: usize = items.iter().map(|item| item.cost(Whole)).sum();
    let of_kind = |is_first: bool| {
        let mut list: Vec<usize> = (0..items.len()).collect();
        list.retain(|&at| items[at].is_first == is_first);
        sorting::sort_by_key(&mut list, |&at| std::cmp::Reverse((items[at].place, at)));
        list
    };
    let (first, others) = (of_kind(true), of_kind(false));
    let by_gain = |list: &[usize], from: Extent, to: Extent| {
        let mut list = list.to_vec();
        let gain = |at: usize| items[at].cost(from).saturating_sub(items[at].cost(to));
        sorting::sort_by_key(&mut list, |&at| std::cmp::Reverse(gain(at)));
        list
    };
    let kept_from = others.len().saturating_sub(KEPT_OTHERS);
    let steps = [
        (Short, by_gain(&others, Whole, Short)),
        (Short, by_gain(&first, Whole, Short)),
        (Brief, by_gain(&others, Short, Brief)),
        (Dropped, others[..kept_from].to_vec()),
        (Brief, first.clone()),
        (Dropped, others[kept_from..].to_vec()),
        (Dropped, first),
    ];
    for (extent, list) in steps {
        for at in list {
            if total <= budget {
                return (extents, total);
            }
            total = total - items[at].cost(extents[at]) + items[at].cost(extent);
            extents[at] = extent;
        }
    }
    (extents, total)
}

/// The items in the order in which they get what is left of a budget: the first and those at the
/// beginnings of lists before others.
pub(crate) fn order_of_growth(items: &[WeighedItem]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    sorting::sort_by_key(&mut order, |&at| (!items[at].is_first, items[at].place));
    order
}

/// Uses what is left of the budget for what was shortened.
fn grow(items: &[WeighedItem], mut left: usize, extents: &mut [Extent]) {
    let mut shortened = order_of_growth(items);
    shortened.retain(|&at| extents[at] != Extent::Dropped);
    for extent in [Extent::Short, Extent::Whole] {
        for &at in &shortened {
            let now = items[at].cost(extents[at]);
            let more = items[at].cost(extent).saturating_sub(now);
            if extents[at] < extent && more <= left {
                left -= more;
                extents[at] = extent;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(costs: [usize; 3], place: usize, is_first: bool) -> WeighedItem {
        WeighedItem {
            costs,
            place,
            is_first,
        }
    }

    #[test]
    fn what_is_long_is_shortened_and_then_the_last_dropped() {
        use Extent::{Brief, Dropped, Short, Whole};
        let mut items = vec![item([10, 30, 100], 0, true)];
        items.extend((0..6).map(|at| item([10, 15, 20 + at], 5 - at, false)));
        for (budget, expected) in [
            (235, [Whole; 7]),
            (234, [Whole, Whole, Whole, Whole, Whole, Whole, Short]),
            (190, [Whole, Short, Short, Short, Short, Short, Short]),
            (189, [Short, Whole, Whole, Whole, Whole, Whole, Whole]),
            (119, [Short, Brief, Short, Short, Short, Short, Short]),
            (90, [Short, Brief, Brief, Brief, Brief, Brief, Brief]),
            (89, [Short, Dropped, Brief, Brief, Brief, Brief, Short]),
            (70, [Short, Dropped, Dropped, Brief, Brief, Brief, Brief]),
            (69, [Brief, Dropped, Dropped, Brief, Short, Short, Short]),
            (
                20,
                [Brief, Dropped, Dropped, Dropped, Dropped, Dropped, Brief],
            ),
            (0, [Dropped; 7]),
        ] {
            assert_eq!(fit(&items, budget), expected, "{budget}");
        }
    }

    #[test]
    fn every_budget_is_kept() {
        let of_number = |at: usize| {
            let brief = at % 7 + 1;
            let short = brief + at % 5;
            item(
                [brief, short, short + at % 11 * 9],
                at * 37 % 41,
                at.is_multiple_of(5),
            )
        };
        let items: Vec<WeighedItem> = (0..40).map(of_number).collect();
        let mut compared = 0;
        for budget in 0..2000 {
            let extents = fit(&items, budget);
            let costs = items.iter().zip(extents);
            let cost: usize = costs.map(|(item, extent)| item.cost(extent)).sum();
            assert!(cost <= budget, "{budget}");
            compared += 1;
        }
        assert_eq!(compared, 2000);
    }
}
