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

/// Distances in Oklab beyond which two backgrounds, which are pale, and two colors of text are not told
/// apart any better.
const BACKGROUNDS_APART: f64 = 0.12;
const TEXTS_APART: f64 = 0.35;

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
            HueColors::new(|one, other| alike_named(color(one), color(other)))
        }
        ColorDepth::Indexed => {
            let color = |hue: usize| indexed(of_hue(&palette.indexed_hues, hue as u8));
            HueColors::new(|one, other| alike(color(one), color(other), TEXTS_APART))
        }
        ColorDepth::True => {
            let color = |hue: usize| palette.tints.hues[hue % HUE_COUNT][Shade::MIDDLE.index()];
            HueColors::new(|one, other| alike(color(one), color(other), BACKGROUNDS_APART))
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ratatui::style::Color;

    use super::*;
    use crate::viewer::{
        model::color_mode::{HueTable, key_hash},
        theme::{
            palette,
            roles::{Foreground, LineBackground},
            styles::Theme,
            terminal_colors::Background,
        },
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
                    let lines = hashes.iter().map(|&hash| (hash, 1));
                    let table = HueTable::default().with(std::iter::empty(), lines, &colors);
                    let hue = |key| shown(table.of_hash(key));
                    let pairs = neighbours(&hashes);
                    let shared = pairs.iter().filter(|(one, other)| hue(*one) == hue(*other));
                    assert_eq!(shared.count(), 0, "{depth:?} {order:?}");
                    compared += pairs.len();
                }
            }
        }
        assert!(compared > 7_000, "{compared}");
    }

    #[test]
    fn neighbours_of_a_long_file_differ() {
        for (palette, depth) in palettes() {
            let colors = compare(&palette, depth);
            let shown = |hue| color(&palette, depth, hue);
            // Most commits have several groups near each other.
            let order: Vec<u64> = (0..2000u64)
                .map(|at| at / 7 + at * at * 7919 % 11)
                .collect();
            let lines = order.iter().map(|&key| (key, 2));
            let table = HueTable::default().with(std::iter::empty(), lines, &colors);
            let mut pairs = neighbours(&order);
            if depth == ColorDepth::Sixteen {
                pairs = order
                    .iter()
                    .copied()
                    .zip(order[1..].iter().copied())
                    .collect();
                pairs.retain(|(one, other)| one != other);
            }
            let shared = pairs
                .iter()
                .filter(|(one, other)| shown(table.of_hash(*one)) == shown(table.of_hash(*other)));
            // Where there are few colors, direct neighbours cannot be all apart.
            let most = match colors.count() {
                ..=4 => pairs.len() / 8,
                5..=6 => pairs.len() / 30,
                _ => 0,
            };
            let shared = shared.count();
            assert!(
                pairs.len() > 1500 && shared <= most,
                "{depth:?} {shared} of {}",
                pairs.len()
            );
        }
    }

    #[test]
    fn those_with_most_lines_have_colors_of_their_own() {
        let mut compared = 0;
        for (palette, depth) in palettes() {
            let colors = compare(&palette, depth);
            for seed in 0..20u64 {
                let keys: Vec<u64> = (seed..seed + 40)
                    .map(|key| key.wrapping_mul(0x9e37_79b9_7f4a_7c15))
                    .collect();
                // All are neighbours of each other somewhere.
                let pairs = keys
                    .iter()
                    .flat_map(|&one| keys.iter().map(move |&it| [one, it]));
                let lines = pairs.flatten().map(|key| (key, 3));
                let table = HueTable::default().with(keys.iter().copied(), lines, &colors);
                let first = keys.iter().take(colors.count());
                let hues = first.map(|&key| color(&palette, depth, table.of_hash(key)));
                let hues: BTreeSet<usize> = hues.collect();
                assert_eq!(hues.len(), colors.count(), "{depth:?}");
                compared += hues.len();
            }
        }
        assert_eq!(compared, 20 * (6 + 4 + 12 + 12 + 12 + 12));
    }

    /// Those that take turns in most of a file, and then have the colors in further versions.
    #[test]
    fn those_that_are_often_seen_together_have_colors_far_from_each_other() {
        let mut compared = 0;
        for (palette, depth) in palettes() {
            let colors = compare(&palette, depth);
            let rgb = |hue: u8| match depth {
                ColorDepth::Indexed => indexed(of_hue(&palette.indexed_hues, hue)),
                _ => palette.tints.hues[usize::from(hue)][Shade::MIDDLE.index()],
            };
            for seed in 0..40u64 {
                let random = |at: u64| key_hash(&(seed, at)) >> 20;
                let keys: Vec<u64> = (0..30).map(|key| random(1000 + key)).collect();
                // Any two of those with most lines.
                let often = [random(1) % 4, 4 + random(2) % 4].map(|at| keys[at as usize]);
                let order = (0..800u64).map(|at| match random(at) % 4 {
                    0 => keys[(random(at) >> 8) as usize % keys.len()],
                    _ => often[at as usize % 2],
                });
                let lines: Vec<(u64, u32)> = order.map(|key| (key, 2)).collect();
                let table =
                    HueTable::default().with(keys.iter().copied(), lines.iter().copied(), &colors);
                let later = table.with(keys[3..].iter().copied(), lines.iter().copied(), &colors);
                assert_eq!(
                    often.map(|key| table.of_hash(key)),
                    often.map(|key| later.of_hash(key))
                );
                let [one, other] = often.map(|key| table.of_hash(key));
                let is_apart = match depth {
                    ColorDepth::True => tint::distance(rgb(one), rgb(other)) >= 0.07,
                    ColorDepth::Indexed => tint::distance(rgb(one), rgb(other)) >= 0.2,
                    _ => !colors.are_same(one, other),
                };
                assert!(is_apart, "{depth:?} {seed}: {one} {other}");
                compared += 1;
            }
        }
        assert_eq!(compared, 40 * 6);
    }

    #[test]
    fn hues_are_told_apart() {
        let mut compared = 0;
        for file in [palette::DARK, palette::LIGHT] {
            let hues = Palette::built_in(file).tints.hues;
            for (at, one) in hues.iter().enumerate() {
                for other in &hues[..at] {
                    let middle = Shade::MIDDLE.index();
                    let distance = tint::distance(one[middle], other[middle]);
                    assert!(distance >= 0.03, "{one:?} {other:?}: {distance:.3}");
                    compared += 1;
                }
            }
        }
        assert_eq!(compared, 2 * 12 * 11 / 2);
    }

    /// What a legend names would have the color of all around it.
    #[test]
    fn no_hue_has_the_color_of_the_frame_or_is_grey() {
        for file in [palette::DARK, palette::LIGHT] {
            let palette = Palette::built_in(file);
            assert!(palette.named_hues.len() > 3);
            for hue in palette.named_hues.iter().chain(&palette.named_ages) {
                let is_grey = hue.is_none_or(|hue| matches!(hue % 8, 0 | 7));
                assert!(!is_grey, "{hue:?}");
            }
            assert!(!palette.named_hues.contains(&palette.named_bar));
        }
    }

    #[test]
    fn no_hue_looks_like_the_selection() {
        let mut compared = 0;
        for background in [Background::Dark, Background::Light] {
            let of_depth = |depth| Theme::new(background, depth);
            let color = |color: Option<Color>| match color {
                Some(Color::Rgb(red, green, blue)) => (red, green, blue),
                Some(Color::Indexed(index)) => indexed(index),
                _ => panic!("a color: {color:?}"),
            };
            let apart = |one, other, least: f64| {
                let distance = tint::distance(color(one), color(other));
                assert!(distance >= least, "{background:?}: {distance:.3} {one:?}");
            };
            let selected = [LineBackground::SelectedCommit, LineBackground::SelectedLine];
            for hue in 0..HUE_COUNT as u8 {
                let theme = of_depth(ColorDepth::True);
                for (shade, selected) in Shade::all().map(|it| selected.map(|to| (it, to))).concat()
                {
                    let background = |of| theme.line(of, Foreground::Text).bg;
                    let hue = background(LineBackground::Hue(hue, shade));
                    apart(hue, background(selected), 0.045);
                    compared += 1;
                }
                // Elsewhere hues are colors of text.
                for depth in [ColorDepth::Indexed, ColorDepth::Sixteen] {
                    let theme = of_depth(depth);
                    let hue = theme.bar_tint(Foreground::Hue(hue)).fg;
                    let of_lines = selected.map(|of| theme.line(of, Foreground::Mark));
                    for mark in of_lines
                        .into_iter()
                        .chain(theme.scrollbar().into_iter().skip(1))
                    {
                        match depth {
                            ColorDepth::Sixteen => assert_ne!(mark.fg, hue, "{background:?}"),
                            _ => apart(hue, mark.fg, 0.09),
                        }
                        compared += 1;
                    }
                }
            }
        }
        assert_eq!(compared, 2 * HUE_COUNT * (3 * 2 + 2 * 4));
    }
}
