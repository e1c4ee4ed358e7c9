//! Color modes: the background of a group in each, and the legend in the status line.

use std::{
    cmp::Reverse,
    ops::{Range, RangeInclusive},
    sync::Arc,
};

use bstr::BStr;
use ratatui::style::Color;
use rustc_hash::FxHashMap;
use unicode_width::UnicodeWidthStr;

use crate::{
    objects::ObjectId,
    repository::{commits::people, provenance::request_number::RequestNumber},
    sanitize, sorting,
    viewer::{
        app::{
            blame::view::{View, ViewCommit},
            state::App,
        },
        model::{
            abbreviation::short,
            attribution::{Group, Shade},
            color_mode::{ColorMode, HueTable, MIN_WIDTH_FOR_LEGEND, key_hash},
            relative_dates,
        },
        protocol::ClickTarget,
        theme::{
            roles::{Foreground, LineBackground},
            styles::Theme,
            tint,
        },
        ui::paint::RowWriter,
    },
};

/// Bars from few lines to most.
const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/// Fewest columns of a shortened entry.
const MIN_SWATCH_WIDTH: usize = 12;
/// Fewest columns of a shortened name beside another.
const MIN_NAME: usize = 8;
/// The sign before the entry of the selected line, as before the line.
const SELECTED_SIGN: &str = "► ";
/// The blanks around an entry.
const SWATCH_FRAME: usize = 3;
/// Most names in the legend.
const MAX_LEGEND_NAMES: usize = 5;

/// What the hue of a line stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum HueKey<'a> {
    /// By the name that is shown.
    Author(&'a BStr),
    Commit(ObjectId),
    Request(RequestNumber),
    /// A merge without the number of a request.
    Merge(ObjectId),
    /// By its name.
    Agent(&'a str),
}

impl HueKey<'_> {
    /// Its words in the legend.
    fn name(&self) -> String {
        match self {
            HueKey::Author(name) => sanitize::line(name),
            HueKey::Commit(id) => short(id),
            HueKey::Request(number) => number.to_string(),
            HueKey::Merge(id) => format!("merge {}", short(id)),
            HueKey::Agent(name) => sanitize::line(name.as_bytes()),
        }
    }
}

/// What the legend names.
#[derive(Debug, Clone, Copy)]
struct Named<'a> {
    key: HueKey<'a>,
    /// Its lines on the screen.
    shown: u64,
    /// Its lines and of how many, once they are known.
    share: Option<(u64, u64)>,
    /// All its lines on the screen are of the selected commit, which has a color of its own.
    is_selected: bool,
}

impl<'a> Named<'a> {
    fn new(key: HueKey<'a>) -> Self {
        Named {
            key,
            shown: 0,
            share: None,
            is_selected: true,
        }
    }
}

/// The colors of the lines on the screen in the current color mode.
pub(super) struct LineColors<'a> {
    app: &'a App,
    view: &'a View,
    theme: &'a Theme,
    /// The lines on the screen (0-based).
    lines: Range<u32>,
    hues: Arc<HueTable>,
}

impl<'a> LineColors<'a> {
    /// Chooses the hues: those that the file's history has already, and once the blame is complete, apart
    /// from them those of what is new.
    pub(super) fn new(app: &'a App, view: &'a View, theme: &'a Theme) -> Self {
        let (top, count) = (view.pager.position.top, view.text.line_count());
        let last = u32::from(app.layout().code.height).checked_sub(1);
        let end = last
            .and_then(|row| app.shown_at(row))
            .map_or(count, |(line, _)| line + 1);
        let mut colors = LineColors {
            app,
            view,
            theme,
            lines: top.min(count)..end.min(count),
            hues: Arc::default(),
        };
        let mode = app.display.color_mode;
        let has_hues = !matches!(mode, ColorMode::Shades | ColorMode::Age);
        if has_hues && theme.has_colors() {
            let known = match mode {
                ColorMode::Request | ColorMode::Agent => app.provenance.count_known(),
                _ => 0,
            };
            let known = (!view.is_running()).then_some(known);
            let basis = (mode, *theme.hue_colors());
            colors.hues = view.hues.by(basis, known, |given| colors.added_to(given));
        }
        colors
    }

    /// The hues of the whole file beside those that are given: what has most lines has colors of its own.
    fn added_to(&self, given: &HueTable) -> HueTable {
        let colors = self.theme.hue_colors();
        if self.app.display.color_mode == ColorMode::Agent {
            let agents = self.app.provenance.agent_names().into_iter();
            let agents = agents.map(|name| key_hash(&HueKey::Agent(name)));
            return given.with(agents, std::iter::empty(), colors);
        }
        let mut largest: Vec<(HueKey<'_>, u64)> = self.lines_of_file().into_iter().collect();
        sorting::sort_by_key(&mut largest, |&(key, lines)| (Reverse(lines), key));
        let largest = largest.iter().map(|(key, _)| key_hash(key));
        let groups = self.view.attribution.groups(0..self.view.text.line_count());
        let groups = groups.filter_map(|group| {
            let commit = self.view.commits().get(group.commit as usize)?;
            let lines = group.lines.end - group.lines.start;
            Some((key_hash(&self.key_of_commit(commit)?), lines))
        });
        given.with(largest, groups, colors)
    }

    fn hue(&self, key: &HueKey<'_>) -> u8 {
        self.hues.of_hash(key_hash(key))
    }

    /// What the lines of a commit have a hue for; none if there is nothing, or it differs by line.
    fn key_of_commit(&self, commit: &'a ViewCommit) -> Option<HueKey<'a>> {
        match self.app.display.color_mode {
            ColorMode::Author => {
                let metadata = commit.metadata.as_ref().ok()?;
                Some(HueKey::Author(metadata.people().shown_name()))
            }
            ColorMode::Commit => Some(HueKey::Commit(commit.id)),
            ColorMode::Request => {
                let arrival = self.app.provenance.arrival(&commit.id)?;
                let request = arrival.request.map(HueKey::Request);
                request.or(arrival.merge.map(HueKey::Merge))
            }
            ColorMode::Shades | ColorMode::Age | ColorMode::Agent => None,
        }
    }

    /// What a line (0-based) has a hue for.
    fn key_of_line(&self, line: u32) -> Option<HueKey<'a>> {
        if self.app.display.color_mode == ColorMode::Agent {
            let agent = self.app.agent_of_line(self.view, line)?;
            return Some(HueKey::Agent(agent.name()));
        }
        self.key_of_commit(self.view.attribution_of(line)?.commit)
    }

    /// The background of a line (0-based) of a group: none if colors tell what brought a line or which
    /// agent wrote it, and there is none.
    pub(super) fn background(&self, group: &Group, line: u32) -> LineBackground {
        let (mode, shade) = (self.app.display.color_mode, group.shade);
        if !self.theme.has_colors() || mode == ColorMode::Shades {
            return LineBackground::Shade(shade);
        }
        if mode == ColorMode::Age {
            let facts = self.view.attribution_of(line);
            let metadata = facts.and_then(|facts| facts.commit.metadata.as_ref().ok());
            return metadata.map_or(LineBackground::Shade(shade), |metadata| {
                let step = tint::age_step(self.app.now.saturating_sub(metadata.author.time));
                LineBackground::Age(step, shade)
            });
        }
        match (self.key_of_line(line), mode) {
            // Two tones would look like two commits.
            (Some(key), ColorMode::Commit) if !self.is_beside_its_color(group, &key) => {
                LineBackground::Hue(self.hue(&key), Shade::MIDDLE)
            }
            (Some(key), _) => LineBackground::Hue(self.hue(&key), shade),
            (None, ColorMode::Request | ColorMode::Agent) => LineBackground::Plain,
            (None, _) => LineBackground::Shade(shade),
        }
    }

    /// True if a neighbour of a group has its color for something else: hues are kept where the lines
    /// between two are gone.
    fn is_beside_its_color(&self, group: &Group, key: &HueKey<'_>) -> bool {
        let before = group.lines.start.checked_sub(1);
        let beside = before.into_iter().chain([group.lines.end]);
        let mut beside = beside.filter_map(|line| self.key_of_line(line));
        let colors = self.theme.hue_colors();
        beside.any(|other| other != *key && colors.are_same(self.hue(&other), self.hue(key)))
    }

    /// How many lines of the file have what hues stand for.
    fn lines_of_file(&self) -> FxHashMap<HueKey<'a>, u64> {
        let mut lines = FxHashMap::default();
        for (commit, at) in self.view.commits().iter().zip(0..) {
            let tally = u64::from(self.view.attribution.tally(at).lines);
            if let Some(key) = self.key_of_commit(commit).filter(|_| tally > 0) {
                *lines.entry(key).or_default() += tally;
            }
        }
        lines
    }

    /// `first`, which the selected line has, and then what has most lines on the screen, and of those with
    /// equally many, in the file. What shares its color with others there is left out; where there are few
    /// colors, the first of these is named.
    fn named(&self, first: Option<HueKey<'a>>) -> Vec<Named<'a>> {
        let selected = self.view.selected_commit();
        let mut shown: FxHashMap<HueKey<'a>, Named<'a>> = FxHashMap::default();
        for line in self.lines.clone() {
            let Some(key) = self.key_of_line(line) else {
                continue;
            };
            let named = shown.entry(key).or_insert(Named::new(key));
            named.shown += 1;
            let group = self.view.attribution.group(line);
            named.is_selected &= group.is_some_and(|group| Some(group.commit) == selected);
        }
        shown.retain(|key, _| !matches!(key, HueKey::Commit(id) if id.is_null()));
        let attributed = u64::from(self.view.attribution.attributed());
        // Which agent wrote a line is not known of all.
        let is_agent = self.app.display.color_mode == ColorMode::Agent;
        if !is_agent && !self.view.is_running() {
            let lines = self.lines_of_file();
            for (key, named) in &mut shown {
                let of_file = lines.get(key).copied();
                named.share = of_file.map(|lines| (lines, attributed));
            }
        }
        let mut all: Vec<Named<'a>> = shown.into_values().collect();
        sorting::sort_by_key(&mut all, |named| {
            let is_first = Some(named.key) == first;
            (!is_first, Reverse((named.shown, named.share)), named.key)
        });
        let colors = self.theme.hue_colors();
        let hues: Vec<Option<u8>> = all.iter().map(|named| self.hue_of(named)).collect();
        let is_clear = |at: usize| {
            let few = self.theme.needs_marks();
            let others =
                (0..hues.len()).filter(|&other| if few { other < at } else { other != at });
            let mut others = others.filter_map(|other| hues[other].zip(hues[at]));
            !others.any(|(one, other)| colors.are_same(one, other))
        };
        let is_named = |&at: &usize| Some(all[at].key) == first || is_clear(at);
        let named = (0..all.len()).filter(is_named).take(MAX_LEGEND_NAMES);
        named.map(|at| all[at]).collect()
    }

    /// None if it is drawn as the selected commit.
    fn hue_of(&self, named: &Named<'_>) -> Option<u8> {
        (!named.is_selected).then(|| self.hue(&named.key))
    }

    /// What is named, in its color on the screen, with its share of the file where that is known.
    fn legend(&self) -> Vec<Swatch> {
        let selected = self.key_of_line(self.view.pager.position.line);
        let swatches = self.named(selected).into_iter().map(|named| Swatch {
            hue: self.hue_of(&named),
            sign: if Some(named.key) == selected {
                SELECTED_SIGN
            } else {
                ""
            },
            name: named.key.name(),
            share: match named.share {
                Some((lines, total)) => format!(" {}", people::share(lines, total)),
                None => String::new(),
            },
        });
        swatches.collect()
    }

    /// Words of the legend where nothing on the screen has a hue, and fewer ones; `None` if it may get
    /// one.
    fn reason(&self) -> Option<[&'static str; 2]> {
        let app = self.app;
        let is_known = |commit: &ViewCommit| {
            commit.id.is_null() || app.provenance.arrival(&commit.id).is_some()
        };
        match app.display.color_mode {
            ColorMode::Request if !self.view.commits().iter().all(is_known) => None,
            ColorMode::Request if self.lines_of_file().is_empty() => {
                Some([" no request or merge is known here ", " no request known "])
            }
            ColorMode::Request => Some([" no request on this screen ", " no request here "]),
            ColorMode::Agent => {
                let is_without = |line| app.is_without_agent(self.view, line);
                let is_settled = self.lines.clone().all(is_without);
                let words = [
                    " no line here is recorded as an agent's ",
                    " no agent here ",
                ];
                is_settled.then_some(words)
            }
            _ => None,
        }
    }
}

/// Draws the legend of the color mode, as far as the first keys leave room, in `keys` columns.
pub(super) fn legend(app: &App, theme: &Theme, row: &mut RowWriter<'_>, keys: usize) {
    if row.remaining() < MIN_WIDTH_FOR_LEGEND {
        return;
    }
    let room = |row: &RowWriter<'_>| usize::from(row.remaining()).saturating_sub(keys);
    let mut labels = vec![match app.display.color_mode {
        ColorMode::Shades => return,
        ColorMode::Age => " age ",
        ColorMode::Author => " authors ",
        ColorMode::Request => " requests ",
        ColorMode::Agent => " agents ",
        ColorMode::Commit => " commits ",
    }];
    if !theme.has_colors() {
        labels = vec![" needs colors "];
    } else if app.display.color_mode == ColorMode::Age {
        if !age_legend(app, theme, row, room(row)) {
            return;
        }
    } else {
        let Some(view) = app.view() else { return };
        let colors = LineColors::new(app, view, theme);
        let entries = colors.legend();
        match colors.reason().filter(|_| entries.is_empty()) {
            Some(words) => labels = words.to_vec(),
            None => {
                if !swatches(theme, row, entries, [keys, labels[0].width()]) {
                    return;
                }
            }
        }
    }
    let fitting = labels.into_iter().find(|words| words.width() <= room(row));
    row.put_right(fitting.unwrap_or_default(), theme.bar());
}

/// Draws the colors of ages, from the oldest to the newest, between words for both ends.
pub(crate) fn age_swatches(theme: &Theme, row: &mut RowWriter<'_>, words: [&str; 2]) {
    step_swatches(theme, row, words, 0..=tint::AGE_STEPS as u8 - 1);
}

/// As [`age_swatches`], of some steps.
pub(crate) fn step_swatches(
    theme: &Theme,
    row: &mut RowWriter<'_>,
    [oldest, newest]: [&str; 2],
    steps: RangeInclusive<u8>,
) {
    row.put_right(newest, theme.bar());
    for step in steps.rev() {
        row.put_right("█", theme.bar_tint(Foreground::Age(step)));
    }
    row.put_right(oldest, theme.bar());
}

/// Draws how many lines were written when, in the colors of their ages, once the blame is complete.
/// Dates that the filter leaves out are blank; a span is chosen with the mouse. False if it takes more
/// than `room` columns.
fn age_legend(app: &App, theme: &Theme, row: &mut RowWriter<'_>, room: usize) -> bool {
    let Some(histogram) = app.date_histogram() else {
        let words = ["old ", " new "];
        let width = words.map(|words| words.len()).iter().sum::<usize>() + tint::AGE_STEPS;
        if width <= room {
            age_swatches(theme, row, words);
        }
        return width <= room;
    };
    let (oldest, newest) = histogram.ends;
    let year = |time: i64| relative_dates::within(4, time, 0);
    let ends = [format!("{} ", year(oldest)), format!(" {} ", year(newest))];
    let width = ends.iter().map(|words| words.width()).sum::<usize>() + histogram.counts.len();
    if width > room {
        return false;
    }
    if year(oldest) == year(newest) && app.display.filter.dates.is_none() {
        let step = tint::age_step(app.now.saturating_sub(newest));
        row.put_right("█ ", theme.bar_tint(Foreground::Age(step)));
        row.put_right(ends[1].trim_start(), theme.bar());
        return true;
    }
    let dates = app.display.filter.dates.as_ref();
    let most = histogram.counts.iter().copied().max().unwrap_or(0).max(1);
    row.put_right(&ends[1], theme.bar());
    for (at, &count) in histogram.counts.iter().enumerate().rev() {
        let time = histogram.start(at);
        let column = u16::try_from(at).unwrap_or(u16::MAX);
        let is_chosen = dates.is_none_or(|dates| dates.contains(time, 0));
        let step = tint::age_step(app.now.saturating_sub(histogram.newest(at)));
        let (symbol, style) = match count {
            0 if is_chosen && dates.is_some() => ("_", theme.bar_emphasis()),
            0 => (" ", theme.bar()),
            _ if !is_chosen => ("·", theme.bar()),
            count => {
                let height = (count * BARS.len() as u64).div_ceil(most);
                let bar = usize::try_from(height).unwrap_or(1).clamp(1, BARS.len());
                (BARS[bar - 1], theme.bar_tint(Foreground::Age(step)))
            }
        };
        let x = row.end().saturating_sub(1);
        row.put_target_right(symbol, style, ClickTarget::Date { column, x });
    }
    row.put_right(&ends[0], theme.bar());
    true
}

/// An entry of a legend.
struct Swatch {
    /// `None`: the color of the selected commit.
    hue: Option<u8>,
    sign: &'static str,
    name: String,
    /// Follows the name.
    share: String,
}

impl Swatch {
    /// The columns around the name.
    fn frame(&self) -> usize {
        self.sign.width() + self.share.width() + SWATCH_FRAME
    }

    fn width(&self) -> usize {
        self.name.width() + self.frame()
    }

    /// Its columns if the name is shortened.
    fn least(&self) -> usize {
        self.name.width().min(MIN_NAME) + self.frame()
    }

    /// Shortens the name to some columns with all that is around it.
    fn clip(&mut self, columns: usize) {
        let room = columns.saturating_sub(self.frame());
        self.name = sanitize::clip(self.name.as_bytes(), room);
    }
}

/// Draws words in their hues, the first ones that have room beside the first keys, in `keys` columns.
pub(crate) fn hue_swatches(
    theme: &Theme,
    row: &mut RowWriter<'_>,
    words: impl Iterator<Item = (u8, String)>,
    keys: usize,
) {
    let entries = words.take(MAX_LEGEND_NAMES).map(|(hue, name)| Swatch {
        hue: Some(hue),
        sign: "",
        name,
        share: String::new(),
    });
    swatches(theme, row, entries.collect(), [keys, 0]);
}

/// Draws the first entries, as far as they have room beside the first keys and the label, whose columns are
/// given, and from the third one on beside more keys. For the second one, names of the first two are
/// shortened, and if need be, there is no label, and then no share. Returns whether one has room.
fn swatches(
    theme: &Theme,
    row: &mut RowWriter<'_>,
    mut entries: Vec<Swatch>,
    [keys, label]: [usize; 2],
) -> bool {
    let all = usize::from(row.remaining());
    let room = all.saturating_sub(keys);
    let mut first = room.saturating_sub(label);
    if let [one, two, ..] = entries.as_mut_slice() {
        let mut least = one.least() + two.least();
        let shares = one.share.width() + two.share.width();
        if least > first && least <= room + shares {
            first = room;
            if least > room {
                one.share.clear();
                two.share.clear();
                least -= shares;
            }
        }
        let widths = [one.width(), two.width()];
        if least <= first && widths[0] + widths[1] > first {
            let half = (first / 2).clamp(two.least(), first - one.least());
            let of_two = half.max(first.saturating_sub(widths[0])).min(widths[1]);
            one.clip(first - of_two);
            two.clip(of_two);
        }
    }
    if let [one, ..] = entries.as_mut_slice()
        && first >= MIN_SWATCH_WIDTH
    {
        one.clip(first);
    }
    let others = first.min(all / 2);
    let mut used = 0;
    let fitting = entries.iter().zip(0..).take_while(|(entry, at)| {
        used += entry.width();
        used <= if *at < 2 { first } else { others }
    });
    let fitting = fitting.count();
    entries.truncate(fitting);
    for entry in entries.into_iter().rev() {
        let Swatch {
            hue,
            sign,
            name,
            share,
        } = entry;
        row.put_right(" ", theme.bar());
        let (text, background) = match hue {
            Some(hue) => (
                Foreground::Hue(hue),
                LineBackground::Hue(hue, Shade::MIDDLE),
            ),
            None => (Foreground::Mark, LineBackground::SelectedCommit),
        };
        let style = if hue.is_none() && theme.needs_marks() {
            theme.line(background, text).fg(Color::Reset)
        } else if theme.tints_text() {
            theme.bar_tint(text)
        } else {
            theme.line(background, Foreground::Text)
        };
        row.put_right(&format!(" {sign}{name}{share} "), style);
    }
    fitting > 0
}
