//! Where lines that a commit added seem to have been before, with `-M` and `-C`.

use std::ops::Range;

use crate::{
    diff::Token,
    engine::{
        board::scoreboard::SuspectId,
        history::commits::InternedHeader,
        line_history::{
            line_ranges,
            line_walk::{LineWalk, MovedLines, ParentLines},
            moved_lines::find_moved,
        },
        versions::version::Version,
        walk::state::{Interrupt, check_flow},
    },
};

impl LineWalk<'_, '_> {
    /// With `-M` and `-C`, looks for the ranges that a suspect's commit added, and that are
    /// followed from there: in the old version of the file, and then in the other files of the
    /// commit's first parent.
    pub(super) fn find_sources(
        &mut self,
        suspect: SuspectId,
        header: &InternedHeader,
        lines: &[Range<u32>],
        (version, first, old_version): (
            &Version,
            Option<(&ParentLines, SuspectId)>,
            Option<&Version>,
        ),
    ) -> Result<(), Interrupt> {
        let movement = self.walk.request.movement;
        let Some(threshold) = movement.moves else {
            return Ok(());
        };
        for range in lines {
            let range_in_parent = first.map(|(compared, _)| {
                line_ranges::to_parent(std::slice::from_ref(range), &compared.hunks).0
            });
            if range_in_parent.is_some_and(|ranges| !ranges.is_empty()) {
                continue;
            }
            let added = &version.tokens[range.start as usize..range.end as usize];
            let moved = old_version.and_then(|old| self.find_in(added, old, threshold));
            let moved = match (moved, first) {
                (Some((_, range)), Some((_, found))) => {
                    let parent = self.walk.board.get(found);
                    Some(MovedLines {
                        commit: parent.commit,
                        path: parent.path,
                        entry: parent.entry,
                        range,
                        is_own: false,
                    })
                }
                _ => self.find_copied(suspect, header, first.map(|(_, found)| found), added)?,
            };
            let is_own = self
                .own_lines(suspect)
                .iter()
                .any(|own| own.start < range.end && range.start < own.end);
            self.moved
                .extend(moved.map(|lines| MovedLines { is_own, ..lines }));
        }
        Ok(())
    }

    /// Where lines that a commit added most likely stood in an old version, with the number of
    /// letters and digits in common.
    fn find_in(&self, added: &[Token], old: &Version, threshold: u32) -> Option<(u64, Range<u32>)> {
        let interned = &self.walk.caches.lines;
        let ignores_whitespace = self.walk.request.diff.ignore_whitespace;
        let key = |token| {
            if ignores_whitespace {
                interned.class(token)
            } else {
                token
            }
        };
        find_moved(added, &old.tokens, threshold, interned, key)
    }

    /// With `-C`, looks for lines in the files of the first parent that a blame would search too.
    /// Of several files with as much in common, the first one is taken.
    fn find_copied(
        &mut self,
        suspect: SuspectId,
        header: &InternedHeader,
        own: Option<SuspectId>,
        added: &[Token],
    ) -> Result<Option<MovedLines>, Interrupt> {
        let movement = self.walk.request.movement;
        let (Some(threshold), 1..) = (movement.copies, movement.copy_level) else {
            return Ok(None);
        };
        let Some(&parent) = self.walk.parents_of(header).first() else {
            return Ok(None);
        };
        let mut best: Option<(u64, MovedLines)> = None;
        for (path, entry) in self.walk.copy_sources(suspect, header, parent, own)? {
            check_flow(self.sink.progress(header.time))?;
            let text = self.walk.stored_text(&path, entry)?;
            let Some((score, range)) = self.find_in(added, &text, threshold) else {
                continue;
            };
            if best.as_ref().is_none_or(|(most, _)| score > *most) {
                let path = self.walk.board.path_index(&path);
                let lines = MovedLines {
                    commit: parent,
                    path,
                    entry,
                    range,
                    is_own: false,
                };
                best = Some((score, lines));
            }
        }
        Ok(best.map(|(_, lines)| lines))
    }
}
