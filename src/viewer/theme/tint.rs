//! Background colors by age, author or commit, in Oklab so that steps look evenly spaced.

use crate::viewer::model::{attribution::Shade, color_mode::HUE_COUNT};

/// Red, green and blue.
pub(crate) type Rgb = (u8, u8, u8);

/// Number of age steps.
pub const AGE_STEPS: usize = 10;

/// Greatest age in days of each step but the oldest, newest first.
const AGE_LIMITS: [i64; AGE_STEPS - 1] = [7, 30, 91, 183, 365, 731, 1826, 3652, 7305];

/// The step of an age in seconds, from 0 (oldest) to `AGE_STEPS - 1`.
pub fn age_step(seconds: i64) -> u8 {
    let newer = AGE_LIMITS
        .iter()
        .filter(|&&days| seconds <= days * 86_400)
        .count();
    newer as u8
}

/// Least angle on the circle of hues between a hue and that of the selected commit, in degrees.
const APART_FROM_SELECTED: f64 = 50.0;

/// Chroma below which a color is a grey, of no hue.
const LEAST_CHROMA: f64 = 0.015;

/// Parameters of the generated backgrounds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct TintParameters {
    /// Oklab lightness of the middle shade, 0 to 1, and chroma.
    pub(crate) lightness: f64,
    pub(crate) chroma: f64,
    /// Lightness between the shades of adjacent groups.
    pub(crate) shade_step: f64,
    /// Lightness of the newest minus that of the oldest.
    pub(crate) age_lightness: f64,
    /// Hues of the oldest and the newest, in degrees.
    pub(crate) ages: [f64; 2],
    /// Lightness of dates and of the legend's swatches: that of the oldest and the newest.
    pub(crate) age_text_lightness: [f64; 2],
    /// Chroma of dates and of the legend's swatches.
    pub(crate) age_text_chroma: f64,
}

/// The generated backgrounds, each in three shades so that adjacent groups differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tints {
    pub(crate) ages: [[Rgb; Shade::COUNT]; AGE_STEPS],
    /// The colors of dates by age, and of the legend's swatches.
    pub(crate) age_texts: [Rgb; AGE_STEPS],
    pub(crate) hues: [[Rgb; Shade::COUNT]; HUE_COUNT],
}

impl Tints {
    /// Generates the backgrounds. No hue is near that of the selected commit's background, and those beside
    /// each other on the circle differ in lightness too.
    pub(crate) fn new(parameters: &TintParameters, selected: Rgb) -> Self {
        let [_, a, b] = oklab(selected);
        let is_grey = a.hypot(b) < LEAST_CHROMA;
        let (first, step) = if is_grey {
            (0.0, 360.0 / HUE_COUNT as f64)
        } else {
            let range = 360.0 - 2.0 * APART_FROM_SELECTED;
            let first = b.atan2(a).to_degrees() + APART_FROM_SELECTED;
            (first, range / (HUE_COUNT - 1) as f64)
        };
        let three = |lightness: f64, chroma: f64, hue: f64| {
            [-1.0, 0.0, 1.0]
                .map(|step| oklch(lightness + step * parameters.shade_step, chroma, hue))
        };
        let newness = |step: usize| step as f64 / (AGE_STEPS - 1) as f64;
        let between = |[oldest, newest]: [f64; 2], new: f64| oldest + (newest - oldest) * new;
        Tints {
            // Chroma grows with newness.
            ages: std::array::from_fn(|step| {
                let new = newness(step);
                let lightness = parameters.lightness + parameters.age_lightness * (new - 0.5);
                let hue = between(parameters.ages, new);
                three(lightness, parameters.chroma * (1.0 + 0.6 * new), hue)
            }),
            age_texts: std::array::from_fn(|step| {
                let new = newness(step);
                let lightness = between(parameters.age_text_lightness, new);
                oklch(
                    lightness,
                    parameters.age_text_chroma,
                    between(parameters.ages, new),
                )
            }),
            hues: std::array::from_fn(|hue| {
                let angle = first + step * hue as f64;
                let lighter = [-1.0, 1.0][hue % 2] * parameters.shade_step;
                three(parameters.lightness + lighter, parameters.chroma, angle)
            }),
        }
    }
}

/// Converts Oklab lightness (0 to 1), chroma and hue (degrees) to sRGB.
fn oklch(lightness: f64, chroma: f64, hue: f64) -> Rgb {
    let (sin, cos) = hue.to_radians().sin_cos();
    let (a, b) = (chroma * cos, chroma * sin);
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    let part = |linear: f64| {
        let linear = linear.clamp(0.0, 1.0);
        let part = match linear {
            ..=0.003_130_8 => 12.92 * linear,
            _ => 1.055 * linear.powf(1.0 / 2.4) - 0.055,
        };
        (part * 255.0).round() as u8
    };
    (
        part(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s),
        part(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s),
        part(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s),
    )
}

/// Lightness and the two coordinates of hue and chroma of a color in Oklab.
fn oklab((red, green, blue): Rgb) -> [f64; 3] {
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        match part {
            ..=0.040_45 => part / 12.92,
            _ => ((part + 0.055) / 1.055).powf(2.4),
        }
    };
    let (red, green, blue) = (linear(red), linear(green), linear(blue));
    let l = 0.412_221_470_8 * red + 0.536_332_536_3 * green + 0.051_445_992_9 * blue;
    let m = 0.211_903_498_2 * red + 0.680_699_545_1 * green + 0.107_396_956_6 * blue;
    let s = 0.088_302_461_9 * red + 0.281_718_837_6 * green + 0.629_978_700_5 * blue;
    let (l, m, s) = (l.cbrt(), m.cbrt(), s.cbrt());
    [
        0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
        1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
        0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
    ]
}

/// The distance of two colors in Oklab. About 0.02 is just noticeable.
pub(crate) fn distance(one: Rgb, other: Rgb) -> f64 {
    let parts = oklab(one).into_iter().zip(oklab(other));
    parts
        .map(|(one, other)| (one - other).powi(2))
        .sum::<f64>()
        .sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_lines_have_higher_steps() {
        let day = 86_400;
        assert_eq!(age_step(-5), 9);
        assert_eq!(age_step(7 * day), 9);
        assert_eq!(age_step(8 * day), 8);
        assert_eq!(age_step(i64::MAX), 0);
    }

    #[test]
    fn oklch_matches_known_colors() {
        assert_eq!(oklch(1.0, 0.0, 0.0), (255, 255, 255));
        assert_eq!(oklch(0.628, 0.257_7, 29.23), (255, 0, 0));
        assert!((distance((255, 255, 255), (0, 0, 0)) - 1.0).abs() < 1e-3);
        assert!(distance((255, 0, 0), (255, 0, 0)) < 1e-9);
    }
}
