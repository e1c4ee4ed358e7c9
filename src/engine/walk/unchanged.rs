//! Moves a suspect past commits that leave its file alone, which most commits do.
//!
//! The rules are those of [`Walk::pass_blame`] for a first parent with the identical file that
//! would be visited next. Without what the other cases need, such a commit takes a third of the
//! time.

use crate::engine::{
    board::scoreboard::SuspectId,
    history::commits::{CommitIndex, InternedHeader},
    walk::state::{Interrupt, Walk},
};

/// The sink is told the progress once for so many commits: telling it for each took 1 % of the
/// viewer's time.
pub(crate) const COMMITS_PER_PROGRESS: u32 = 16;

impl Walk<'_> {
    /// Visits commits from `commit` on, of which `suspect` was just made the only suspect, while it
    /// is certain without a tree lookup that they leave the file alone. Returns the first commit
    /// that is not visited, which comes next.
    pub(crate) fn skip_unchanged(
        &mut self,
        suspect: SuspectId,
        mut commit: CommitIndex,
    ) -> Result<CommitIndex, Interrupt> {
        let suspected = self.board.get(suspect);
        let (path, entry) = (suspected.path, suspected.entry);
        if self.children.is_some() || entry.is_tree() || self.may_take_cached(path) {
            return Ok(commit);
        }
        // A read error is reported by the visit that needs the commit.
        let Ok(mut header) = self.header(commit) else {
            return Ok(commit);
        };
        let mut chain = self.board.get_mut(suspect).chain.take();
        let mut visited = 0_u32;
        while let Some((parent, parent_header)) = self.next_to_visit(commit, &header) {
            if self.is_known_unchanged(&header, path) {
                self.work.filtered += 1;
            } else {
                let key = self.caches.commits.key(parent);
                let text = self.board.path(path);
                let prefetch = self.prefetch.as_mut();
                let Some(own) = prefetch.and_then(|it| it.take_same(key, text, &entry)) else {
                    break;
                };
                if let Some(shared) = &mut self.caches.shared {
                    shared.keep_entry(self.board.path(path), parent, Some(entry));
                }
                chain = own.or(chain);
            }
            self.count_visit(commit)?;
            visited += 1;
            if visited.is_multiple_of(COMMITS_PER_PROGRESS) {
                self.notify(|sink| sink.progress(header.time))?;
            }
            (commit, header) = (parent, parent_header);
        }
        self.board.move_to(suspect, commit, chain);
        Ok(commit)
    }

    /// The first parent of `commit`, if it would be visited next with a suspect of its own.
    fn next_to_visit(
        &mut self,
        commit: CommitIndex,
        header: &InternedHeader,
    ) -> Option<(CommitIndex, InternedHeader)> {
        if self.is_beyond_boundary(commit, header) {
            return None;
        }
        let parent = *self.caches.commits.parents(header).first()?;
        if self.board.had_suspects(parent) {
            return None;
        }
        let parent_header = self.header(parent).ok()?;
        let is_next = self.queue.would_be_next(parent_header.time);
        is_next.then_some((parent, parent_header))
    }
}
