//! Colour modes: the background of a group in each, and the legend in the status line.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::viewer::{
    app::{blame::view::View, state::App},
    model::{
        attribution::{Group, Shade},
        color_mode::ColorMode,
    },
    theme::{
        roles::{Foreground, LineBackground},
        styles::Theme,
        tint,
    },
    ui::paint::RowWriter,
};

/// The background of a group in the current colour mode.
pub(super) fn background(app: &App, view: &View, theme: &Theme, group: &Group) -> LineBackground {
    let shade = group.shade;
    let facts = view.attribution_of(group.lines.start);
    let facts = facts.filter(|_| theme.has_tints() && app.display.color_mode != ColorMode::Shades);
    let Some(facts) = facts else {
        return LineBackground::Shade(shade);
    };
    let metadata = facts.commit.metadata.as_ref().ok();
    match (app.display.color_mode, metadata) {
        (ColorMode::Age, Some(metadata)) => {
            let step = tint::age_step(app.now.saturating_sub(metadata.author.time));
            LineBackground::Age(step, shade)
        }
        (ColorMode::Author, Some(metadata)) => {
            LineBackground::Hue(hue(&metadata.author.mail), shade)
        }
        (ColorMode::Commit, _) => LineBackground::Hue(hue(facts.commit.id.as_slice()), shade),
        _ => LineBackground::Shade(shade),
    }
}

/// A hue that depends only on the bytes, so that it is stable between runs.
fn hue(bytes: &[u8]) -> u8 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    (hasher.finish() >> 56) as u8
}

/// Draws the legend of the colour mode.
pub(super) fn legend(app: &App, theme: &Theme, row: &mut RowWriter<'_>) {
    let label = match app.display.color_mode {
        ColorMode::Shades => return,
        _ if !theme.has_tints() => " needs 256 colours ",
        ColorMode::Age => {
            row.put_right(" new ", theme.bar());
            if let Some(&shade) = Shade::all().get(1) {
                for step in (0..tint::AGE_STEPS as u8).rev() {
                    row.put_right(
                        " ",
                        theme.line(LineBackground::Age(step, shade), Foreground::Text),
                    );
                }
            }
            " age: old "
        }
        ColorMode::Author => " colour: author ",
        ColorMode::Commit => " colour: commit ",
    };
    row.put_right(label, theme.bar());
}
