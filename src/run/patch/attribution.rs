//! The commits of the lines on the old sides of a hunk.

use std::{collections::HashSet, sync::Arc};

use bstr::{BString, ByteSlice};

use crate::{
    engine::Blame,
    output::patch::attributed::{BaseRule, OldLine, OldLineRole, PatchBase, WhyHead},
    patch::{
        file::PatchedFile,
        hidden_lines::{self, HiddenFault},
        hunk::{HunkLine, PatchHunk},
        insertions::{SideLine, insertions},
    },
};

/// An old side of a file.
#[derive(Debug)]
pub(super) enum OldSide {
    /// It has no lines that matter.
    Empty,
    /// There is no base for it, for this reason.
    Unknown(String),
    /// It is a commit of a submodule, which has no lines.
    Submodule,
    /// Its base was blamed.
    Blamed {
        base: PatchBase,
        blame: Box<Blame>,
        /// The start of each line of the blamed contents, then their end.
        bounds: Vec<usize>,
    },
}

impl OldSide {
    pub(super) fn base(&self) -> Option<&PatchBase> {
        match self {
            OldSide::Blamed { base, .. } => Some(base),
            OldSide::Empty | OldSide::Submodule | OldSide::Unknown(_) => None,
        }
    }

    /// True if both have the same contents.
    pub(super) fn has_text_of(&self, other: &OldSide) -> bool {
        let text = |side: &OldSide| match side {
            OldSide::Blamed { blame, .. } => Some(Arc::clone(&blame.contents)),
            OldSide::Empty | OldSide::Submodule | OldSide::Unknown(_) => None,
        };
        text(self) == text(other)
    }

    /// The path in the base.
    pub(super) fn path(&self) -> Option<BString> {
        self.base().map(|base| base.path.clone())
    }
}

/// The lines of a hunk, each with the number of the old line that stands for it.
type ShownLines<'a> = Vec<(&'a [u8], Option<usize>)>;

/// The lines of a hunk, and its attributed old lines. `patch` is the text of the patch.
///
/// # Errors
///
/// Why the hunk does not apply to the bases.
pub(super) fn of_hunk<'a>(
    patch: &'a [u8],
    file: &PatchedFile,
    hunk: &PatchHunk,
    sides: &'a [OldSide],
) -> Result<(ShownLines<'a>, Vec<OldLine<'a>>), String> {
    let mut blamed = Vec::with_capacity(hunk.old.len());
    let named: Vec<(usize, BlamedSide<'_>)> = (0..hunk.old.len())
        .filter_map(|parent| Some((parent, BlamedSide::new(sides.get(parent)?, None)?)))
        .collect();
    let placed = placed_lines(patch, file, hunk, &named);
    let lines = match &placed {
        Ok(lines) => lines.clone(),
        Err(_) => hunk.lines(patch).collect(),
    };
    for (parent, range) in hunk.old.iter().enumerate() {
        let side = match sides.get(parent) {
            Some(side @ OldSide::Blamed { .. }) => {
                BlamedSide::new(side, (hunk.old.len() > 1).then_some(parent))
            }
            Some(OldSide::Submodule) => {
                blamed.push(None);
                continue;
            }
            Some(OldSide::Unknown(reason)) => return Err(reason.clone()),
            Some(OldSide::Empty) | None => None,
        };
        let base = sides.get(parent).and_then(OldSide::base);
        let why_head = base.and_then(|base| match base.rule {
            BaseRule::Head(why) => Some(why),
            _ => None,
        });
        if range.is_empty() && why_head.is_some() {
            // Insertions alone apply to anything.
            let reason =
                "the base is not known, and the hunk has no lines that it could be told by";
            return Err(reason.to_owned());
        }
        let matches = match (&placed, &side) {
            (Err(HiddenFault::Ambiguous), Some(_)) => {
                let reason = "the hunk has no context, and the base its lines at several places";
                return Err(reason.to_owned());
            }
            (_, Some(side)) => side.first_difference(hunk, &lines, parent, file.has_crlf),
            (_, None) => range.clone().next(),
        };
        if let Some(line) = matches {
            let line = u64::from(line) + 1;
            let base = match why_head.filter(|why| *why != WhyHead::Unnamed) {
                Some(why) => format!("HEAD is another one, and {}", why.words()),
                None => "the base is another one".to_owned(),
            };
            return Err(format!("the hunk does not apply: line {line} of {base}"));
        }
        blamed.push(side);
    }
    if let Err(HiddenFault::Different(_)) = placed {
        return Err("the hunk does not apply: its sides have other lines".to_owned());
    }
    let mut beside = HashSet::new();
    for (parent, side) in blamed.iter().enumerate() {
        let count = side.as_ref().map_or(0, BlamedSide::count);
        for at in insertions_in(hunk, &lines, parent) {
            let before = at.checked_sub(1);
            let after = Some(at).filter(|&at| (at as usize) < count);
            beside.extend(before.into_iter().chain(after).map(|line| (parent, line)));
        }
    }
    Ok(collect(&lines, hunk, &blamed, beside))
}

/// The lines of a hunk with those that it hides between them, by the texts of its old sides.
fn placed_lines<'a>(
    patch: &'a [u8],
    file: &PatchedFile,
    hunk: &PatchHunk,
    sides: &[(usize, BlamedSide<'_>)],
) -> Result<Vec<HunkLine<'a>>, HiddenFault> {
    let shown: Vec<HunkLine<'a>> = hunk.lines(patch).collect();
    if !hunk.hides_context {
        return Ok(shown);
    }
    // For each shown line and the end, where it would stand on each side if none were hidden.
    let mut at: Vec<u32> = sides
        .iter()
        .map(|(parent, _)| hunk.old.get(*parent).map_or(0, |range| range.start))
        .collect();
    let mut places = vec![at.clone()];
    for line in &shown {
        for (at, (parent, _)) in at.iter_mut().zip(sides) {
            *at += u32::from(line.is_in_old(*parent));
        }
        places.push(at.clone());
    }
    let is_at = |nth: usize, hidden: u32| {
        let mut sides = sides.iter().zip(&places[nth]);
        sides.all(|((parent, side), at)| {
            let line = &shown[nth];
            !line.is_in_old(*parent) || !side.differs(at + hidden, line, file.has_crlf)
        })
    };
    let may_hide = |nth: usize, hidden: u32| {
        let mut sides = sides.iter().zip(&places[nth + 1]);
        let Some(((_, first), at)) = sides.next() else {
            return true;
        };
        let text = first.text(at + hidden);
        let is_there = |side: &BlamedSide<'_>, at: u32| (at as usize) < side.count();
        is_there(first, at + hidden)
            && sides.all(|((_, side), at)| {
                is_there(side, at + hidden) && is_same_but_spaces(side.text(at + hidden), text)
            })
    };
    let hides = hidden_lines::find(&shown, is_at, may_hide)?;
    let lines = shown.iter().zip(hides).flat_map(|(line, hides)| {
        let hidden = hides.then(|| HunkLine::hidden(hunk.old.len()));
        [*line].into_iter().chain(hidden)
    });
    Ok(lines.collect())
}

/// True if the lines of all hunks that are on an old side stand in the blame of `side`.
pub(super) fn applies(patch: &[u8], file: &PatchedFile, parent: usize, side: &OldSide) -> bool {
    let Some(side) = BlamedSide::new(side, None) else {
        return false;
    };
    let side = &[(parent, side)];
    let mut hunks = file.hunks.iter();
    hunks.all(|hunk| match placed_lines(patch, file, hunk, side) {
        Ok(lines) => {
            let different = side[0]
                .1
                .first_difference(hunk, &lines, parent, file.has_crlf);
            different.is_none()
        }
        Err(fault) => fault == HiddenFault::Ambiguous,
    })
}

/// True if all lines of a hunk are commits of a submodule, as git writes them.
pub(super) fn names_submodule(hunk: &PatchHunk, patch: &[u8]) -> bool {
    let mut lines = hunk.lines(patch).filter(|line| !line.marks.is_empty());
    lines.all(|line| line.text.starts_with(b"Subproject commit "))
}

/// Collects the old lines of a hunk; `beside` are the lines beside insertions, by parent.
fn collect<'a>(
    lines: &[HunkLine<'a>],
    hunk: &PatchHunk,
    blamed: &[Option<BlamedSide<'a>>],
    mut beside: HashSet<(usize, u32)>,
) -> (ShownLines<'a>, Vec<OldLine<'a>>) {
    let mut next: Vec<u32> = hunk.old.iter().map(|range| range.start).collect();
    let (mut shown, mut old) = (Vec::new(), Vec::new());
    for line in lines {
        let first = old.len();
        for (parent, next) in next.iter_mut().enumerate() {
            if !line.is_in_old(parent) {
                continue;
            }
            let at = *next;
            *next += 1;
            if line.is_hidden() {
                continue;
            }
            let is_beside = beside.remove(&(parent, at));
            let role = match (line.is_removed(), is_beside) {
                (true, _) => OldLineRole::Removed,
                (false, true) => OldLineRole::Neighbour,
                (false, false) => continue,
            };
            let side = blamed.get(parent).and_then(Option::as_ref);
            old.extend(side.and_then(|side| side.line(at, role)));
        }
        if line.is_hidden() {
            continue;
        }
        shown.push((line.whole, (old.len() > first).then_some(first)));
    }
    // Those that the hunk has no context for.
    let mut rest: Vec<(usize, u32)> = beside.into_iter().collect();
    rest.sort_unstable();
    old.extend(rest.into_iter().filter_map(|(parent, at)| {
        let side = blamed.get(parent)?.as_ref()?;
        side.line(at, OldLineRole::Neighbour)
    }));
    (shown, old)
}

/// The lines of an old side (0-based) before which a hunk inserts lines.
fn insertions_in(hunk: &PatchHunk, lines: &[HunkLine<'_>], parent: usize) -> Vec<u32> {
    let first = hunk.old.get(parent).map_or(0, |range| range.start);
    let lines = lines.iter().map(|line| match line.is_in_old(parent) {
        true if line.is_removed() => SideLine::Removed,
        true => SideLine::Kept,
        false if line.is_new() => SideLine::Inserted,
        false => SideLine::Other,
    });
    insertions(first, lines)
}

/// A blamed old side.
struct BlamedSide<'a> {
    parent: Option<usize>,
    /// As in [`OldSide::Blamed`].
    bounds: &'a [usize],
    blame: &'a Blame,
}

impl<'a> BlamedSide<'a> {
    /// `None` if the side was not blamed.
    fn new(side: &'a OldSide, parent: Option<usize>) -> Option<BlamedSide<'a>> {
        match side {
            OldSide::Blamed { blame, bounds, .. } => Some(BlamedSide {
                parent,
                bounds,
                blame,
            }),
            OldSide::Empty | OldSide::Submodule | OldSide::Unknown(_) => None,
        }
    }

    /// The first line (0-based) of the base that is not what the hunk says. Of lines that the patch
    /// leaves, or removes from several sides, spaces do not count: diffs that ignore them show those of
    /// the new side, or of one of the old ones.
    fn first_difference(
        &self,
        hunk: &PatchHunk,
        lines: &[HunkLine<'_>],
        parent: usize,
        has_crlf: bool,
    ) -> Option<u32> {
        let start = hunk.old.get(parent)?.start;
        let lines = lines.iter().filter(|line| line.is_in_old(parent));
        let count = self.count();
        let differs = |at: u32, line: &HunkLine<'_>| self.differs(at, line, has_crlf);
        // Where the first line stands where the hunk begins, later ones are left out than those that
        // are taken for it.
        let left_out = hunk.left_out.get(parent).copied().unwrap_or(0);
        let is_misplaced = |at: u32, line: &HunkLine<'_>| {
            left_out > 0 && at == start && !differs(start.saturating_sub(left_out), line)
        };
        let mut numbered = (start..).zip(lines);
        let different = numbered.find(|(at, line)| differs(*at, line) || is_misplaced(*at, line));
        match different {
            Some((at, _)) => Some(at),
            // The place of an insertion.
            None => Some(start).filter(|&at| at as usize > count),
        }
    }

    /// True if the base has another line there than a line of the hunk.
    fn differs(&self, at: u32, line: &HunkLine<'_>, has_crlf: bool) -> bool {
        let (mut own, mut text) = (self.text(at), line.text);
        if has_crlf {
            own = own.strip_suffix(b"\r").unwrap_or(own);
            text = text.strip_suffix(b"\r").unwrap_or(text);
        }
        let is_of_one_side = line.marks.iter().filter(|&&mark| mark == b'-').count() == 1;
        let is_same =
            line.is_hidden() || own == text || (!is_of_one_side && is_same_but_spaces(own, text));
        at as usize >= self.count() || !is_same
    }

    /// The number of lines.
    fn count(&self) -> usize {
        self.bounds.len().saturating_sub(1)
    }

    /// A line without its newline; empty beyond the end.
    fn text(&self, at: u32) -> &'a [u8] {
        let line = match self.bounds.get(at as usize..) {
            Some(&[start, end, ..]) => &self.blame.contents[start..end],
            _ => &[],
        };
        line.strip_suffix(b"\n").unwrap_or(line)
    }

    fn line(&self, at: u32, role: OldLineRole) -> Option<OldLine<'a>> {
        let entries = &self.blame.entries;
        let entry = entries.get(entries.partition_point(|entry| entry.lines.end <= at))?;
        let offset = at.checked_sub(entry.lines.start)?;
        let origin = self.blame.origins.get(entry.origin.0 as usize)?;
        Some(OldLine {
            role,
            parent: self.parent,
            line: at,
            commit: origin.commit,
            original_path: origin.path.as_bstr(),
            original_line: entry.source_start.saturating_add(offset),
            text: self.text(at),
        })
    }
}

fn is_same_but_spaces(one: &[u8], other: &[u8]) -> bool {
    let bytes = |text: &'_ [u8]| -> Vec<u8> {
        let bytes = text.iter().filter(|byte| !byte.is_ascii_whitespace());
        bytes.copied().collect()
    };
    bytes(one) == bytes(other)
}
