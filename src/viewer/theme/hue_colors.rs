//! The colors of hues in a theme: which of them are one color, and which look alike.

use crate::viewer::{
    model::{
        attribution::Shade,
        color_mode::{HUE_COUNT, HueColors},
    },
    theme::{
        palette::{AnsiColor, Palette, indexed},
        terminal_colors::ColorDepth,
        tint::{self, Rgb},
    },
};

/// Distances in Oklab at which two backgrounds, which are pale, and two colors of text are told apart at
/// once.
const BACKGROUNDS_APART: f64 = 0.08;
const TEXTS_APART: f64 = 0.14;

/// The first of the greys among the 256 colors.
const FIRST_GREY: u8 = 232;

/// The color of a hue (taken modulo the number of hues) where a theme lists those of text.
pub(super) fn of_hue<C: Copy>(colors: &[C], hue: u8) -> C {
    colors[usize::from(hue) % HUE_COUNT * colors.len() / HUE_COUNT]
}

/// Compares the colors of all hues.
pub(super) fn compare(palette: &Palette, depth: ColorDepth) -> HueColors {
    match depth {
        ColorDepth::None => HueColors::default(),
        ColorDepth::Sixteen => {
            let color = |hue: usize| of_hue(&palette.named_hues, hue as u8);
            HueColors::new(
                |one, other| alike_named(color(one), color(other)),
                |hue| is_grey(color(hue)),
            )
        }
        ColorDepth::Indexed => {
            let color = |hue: usize| of_hue(&palette.indexed_hues, hue as u8);
            HueColors::new(
                |one, other| alike(indexed(color(one)), indexed(color(other)), TEXTS_APART),
                |hue| color(hue) >= FIRST_GREY,
            )
        }
        ColorDepth::True => {
            let color = |hue: usize| palette.tints.hues[hue % HUE_COUNT][Shade::MIDDLE.index()];
            HueColors::new(
                |one, other| alike(color(one), color(other), BACKGROUNDS_APART),
                |_| false,
            )
        }
    }
}

fn alike(one: Rgb, other: Rgb, apart: f64) -> u8 {
    if one == other {
        return HueColors::SAME;
    }
    let nearness = 1.0 - tint::distance(one, other) / apart;
    (nearness.clamp(0.0, 1.0) * 250.0) as u8
}

/// The terminal decides on its 16 colors.
fn alike_named(one: AnsiColor, other: AnsiColor) -> u8 {
    match (one, other) {
        _ if one == other => HueColors::SAME,
        (Some(one), Some(other)) if one % 8 == other % 8 => HueColors::ONE_NAME,
        _ => 0,
    }
}

/// Black, white and what is between them, as the terminal's own foreground.
fn is_grey(color: AnsiColor) -> bool {
    color.is_none_or(|color| matches!(color % 8, 0 | 7))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::viewer::{
        model::color_mode::{HueTable, key_hash},
        theme::{palette, terminal_colors::Background},
    };

    const DEPTHS: [ColorDepth; 3] = [ColorDepth::Sixteen, ColorDepth::Indexed, ColorDepth::True];

    fn palettes() -> Vec<(Palette, ColorDepth)> {
        let files = [palette::DARK, palette::LIGHT].into_iter();
        let all = files.flat_map(|file| DEPTHS.map(|depth| (Palette::built_in(file), depth)));
        all.collect()
    }

    /// The color of a hue, as one number of it.
    fn color(palette: &Palette, depth: ColorDepth, hue: u8) -> usize {
        let colors = compare(palette, depth);
        let first = (0..HUE_COUNT as u8).find(|&other| colors.are_same(hue, other));
        usize::from(first.unwrap_or(hue))
    }

    /// The groups that are neighbours, or next but one, with different keys.
    fn neighbours(order: &[u64]) -> Vec<(u64, u64)> {
        let mut run = order.to_vec();
        run.dedup();
        let pairs = |distance: usize| {
            let pairs = run.iter().zip(run.iter().skip(distance));
            pairs
                .filter(|(one, other)| one != other)
                .map(|(&one, &other)| (one, other))
        };
        pairs(1).chain(pairs(2)).collect()
    }

    /// True if some number of colors is enough for all neighbours, by trying all ways.
    fn is_enough(count: usize, order: &[u64]) -> bool {
        let mut keys: Vec<u64> = order.to_vec();
        keys.sort_unstable();
        keys.dedup();
        let place = |key: u64| keys.binary_search(&key).expect("one of them");
        let mut apart = vec![BTreeSet::new(); keys.len()];
        for (one, other) in neighbours(order) {
            apart[place(one)].insert(place(other));
            apart[place(other)].insert(place(one));
        }
        fn go(
            count: usize,
            apart: &[BTreeSet<usize>],
            given: &mut [Option<usize>],
            steps: &mut u32,
        ) -> bool {
            *steps += 1;
            let used = |node: usize, given: &[Option<usize>]| -> BTreeSet<usize> {
                apart[node]
                    .iter()
                    .filter_map(|&other| given[other])
                    .collect()
            };
            let open = (0..given.len()).filter(|&node| given[node].is_none());
            let Some(node) = open.max_by_key(|&node| (used(node, given).len(), apart[node].len()))
            else {
                return true;
            };
            let used = used(node, given);
            let top = given.iter().flatten().max().map_or(0, |most| most + 1);
            for color in (0..count.min(top + 1)).filter(|color| !used.contains(color)) {
                given[node] = Some(color);
                if *steps < 3000 && go(count, apart, given, steps) {
                    return true;
                }
                given[node] = None;
            }
            false
        }
        go(count, &apart, &mut vec![None; keys.len()], &mut 0)
    }

    #[test]
    fn neighbours_never_share_a_color_while_another_is_free() {
        let mut seed = 7u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let mut compared = 0;
        for (palette, depth) in palettes() {
            let colors = compare(&palette, depth);
            let shown = |hue| color(&palette, depth, hue);
            let distinct: BTreeSet<usize> = (0..HUE_COUNT as u8).map(shown).collect();
            for (groups, keys) in [(30, 8), (30, 15), (60, 40), (60, distinct.len() as u64)] {
                for _ in 0..5 {
                    let order: Vec<u64> = (0..groups).map(|_| random(keys)).collect();
                    let hashes: Vec<u64> = order.iter().map(key_hash).collect();
                    if !is_enough(distinct.len(), &order) {
                        continue;
                    }
                    // As far from each other as in a large file.
                    let of_screen = |file: &HueTable| {
                        file.of_screen(std::iter::empty(), hashes.iter().copied(), &colors)
                    };
                    let file =
                        HueTable::of_file(std::iter::empty(), hashes.iter().copied(), &colors);
                    for table in [of_screen(&HueTable::default()), of_screen(&file)] {
                        let hue = |key| shown(table.of_hash(key));
                        let pairs = neighbours(&hashes);
                        let shared = pairs.iter().filter(|(one, other)| hue(*one) == hue(*other));
                        assert_eq!(shared.count(), 0, "{depth:?} {order:?}");
                        compared += pairs.len();
                    }
                }
            }
        }
        assert!(compared > 10_000, "{compared}");
    }

    #[test]
    fn a_long_file_has_hues_that_stay_on_its_screens() {
        let mut screens = 0;
        for (palette, depth) in palettes() {
            let colors = compare(&palette, depth);
            let shown = |hue| color(&palette, depth, hue);
            // Most commits have several groups near each other.
            let order: Vec<u64> = (0..2000u64)
                .map(|at| at / 7 + at * at * 7919 % 11)
                .collect();
            let file = HueTable::of_file(std::iter::empty(), order.iter().copied(), &colors);
            for screen in order.windows(20).step_by(9) {
                let table = file.of_screen(std::iter::empty(), screen.iter().copied(), &colors);
                for (one, other) in neighbours(screen) {
                    assert_ne!(
                        shown(table.of_hash(one)),
                        shown(table.of_hash(other)),
                        "{depth:?}"
                    );
                }
                screens += 1;
                // Where there are few colors, those of the file cannot be all apart.
                if depth != ColorDepth::Sixteen {
                    let mut keys = screen.iter();
                    assert!(
                        keys.all(|&key| table.of_hash(key) == file.of_hash(key)),
                        "{depth:?}"
                    );
                }
            }
        }
        assert!(screens > 1000, "{screens}");
    }

    #[test]
    fn grey_is_taken_last() {
        let mut greys = 0;
        for (palette, depth) in palettes() {
            let colors = compare(&palette, depth);
            let is_last = |hue: u8| colors.is_last(hue);
            let all =
                BTreeSet::from_iter((0..HUE_COUNT as u8).map(|hue| color(&palette, depth, hue)));
            for first in 0..50u64 {
                let keys = (first..).take(all.len());
                let keys: Vec<u64> = keys
                    .map(|key| key.wrapping_mul(0x9e37_79b9_7f4a_7c15))
                    .collect();
                let table = HueTable::of_file(keys.iter().copied(), std::iter::empty(), &colors);
                let hues: Vec<u8> = keys.iter().map(|&key| table.of_hash(key)).collect();
                let used: BTreeSet<usize> = hues
                    .iter()
                    .map(|&hue| color(&palette, depth, hue))
                    .collect();
                assert_eq!(used.len(), all.len(), "{depth:?}");
                if let Some((last, others)) = hues.split_last() {
                    assert!(
                        !others.iter().any(|&hue| is_last(hue)),
                        "{depth:?} {hues:?}"
                    );
                    greys += usize::from(is_last(*last));
                }
            }
        }
        assert_eq!(greys, 50, "those of the light theme with 16 colors");
    }

    #[test]
    fn no_author_has_the_color_of_the_selected_commit() {
        for background in [Background::Dark, Background::Light] {
            let palette = match background {
                Background::Dark => Palette::built_in(palette::DARK),
                Background::Light => Palette::built_in(palette::LIGHT),
            };
            let mark = indexed(palette.foregrounds.mark.index);
            for &hue in &palette.indexed_hues {
                let distance = tint::distance(indexed(hue), mark);
                assert!(distance >= 0.05, "{background:?} {hue}: {distance:.3}");
            }
            for tones in palette.tints.hues {
                let distance = tint::distance(tones[1], palette.selected_commit.rgb);
                assert!(distance >= 0.057, "{background:?} {tones:?}: {distance:.3}");
            }
        }
    }
}
