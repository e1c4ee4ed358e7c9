//! The lines of origins' files, and their diffs.

use std::sync::Arc;

use bstr::BString;

use crate::{
    diff::{DiffError, Hunk},
    engine::{
        api::{error::Error, profile::Phase},
        board::scoreboard::SuspectId,
        prefetch::prefetched::BlobPair,
        versions::version::Version,
        walk::state::{Interrupt, Walk},
    },
    objects::TreeEntry,
};

impl Walk<'_> {
    /// The diff from the parent's file to the suspect's.
    pub(crate) fn compare(
        &mut self,
        suspect: SuspectId,
        parent: SuspectId,
        hunks: &mut Vec<Hunk>,
    ) -> Result<(), Interrupt> {
        let pair = (
            self.board.get(parent).entry.id,
            self.board.get(suspect).entry.id,
        );
        let image = |suspect| self.board.get(suspect).holds_image;
        let are_stored = !image(suspect) && !image(parent);
        let known = match (&self.caches.shared, &mut self.prefetch) {
            _ if !are_stored => None,
            (Some(shared), prefetch) => {
                let known = shared.diff(&pair, &self.request.diff).map(<[Hunk]>::to_vec);
                known.or_else(|| prefetch.as_mut()?.diff(&pair))
            }
            (None, Some(prefetch)) => prefetch.diff(&pair),
            (None, None) => None,
        };
        if let Some(known) = known {
            *hunks = known;
            self.count_read(parent);
            self.count_read(suspect);
            self.share_diff(pair, hunks);
            return Ok(());
        }
        let old = self.text(parent)?;
        let new = self.text(suspect)?;
        let caches = &mut *self.caches;
        let options = &self.request.diff;
        let before = self.timer.enter(Phase::Diff);
        self.work.diffs += 1;
        let diffed = caches.differ.hunks_by_ends(
            &caches.lines,
            old.tokens_and_ends(),
            &new.tokens,
            options,
            hunks,
        );
        self.timer.enter(before);
        diffed.map_err(|source| self.diff_error(suspect, parent, source))?;
        if are_stored {
            self.share_diff(pair, hunks);
        }
        Ok(())
    }

    /// Keeps the hunks between two blobs for other walks, where these have no other texts.
    fn share_diff(&mut self, pair: BlobPair, hunks: &[Hunk]) {
        if let Some(shared) = &mut self.caches.shared
            && self.request.text_conversion.is_none()
        {
            shared.keep_diff(pair, self.request.diff, hunks);
        }
    }

    pub(crate) fn diff_error(
        &self,
        suspect: SuspectId,
        parent: SuspectId,
        source: DiffError,
    ) -> Interrupt {
        let id = |suspect| self.caches.commits.id(self.board.get(suspect).commit);
        Interrupt::Failed(Error::Diff {
            old: id(parent),
            new: id(suspect),
            source,
        })
    }

    /// The lines of an origin's file.
    pub(crate) fn text(&mut self, suspect: SuspectId) -> Result<Arc<Version>, Error> {
        self.count_read(suspect);
        let suspected = self.board.get(suspect);
        let (commit, entry) = (suspected.commit, suspected.entry);
        let path = suspected.text_path.unwrap_or(suspected.path);
        if let Some((uncommitted, start)) = self.uncommitted
            && (uncommitted == commit || suspected.holds_image)
        {
            return Ok(Arc::new(Version::new(
                &start.contents,
                &mut self.caches.lines,
            )?));
        }
        if self.fetches_ahead.is_some() && self.caches.reader.lacks(&entry.id) {
            self.fetch_ahead(commit, path);
        }
        let path = Arc::clone(self.board.path(path));
        self.stored_text(&path, entry)
    }

    /// Counts a blob as read, unless git would still have it in memory.
    pub(crate) fn count_read(&mut self, suspect: SuspectId) {
        if !std::mem::replace(&mut self.board.get_mut(suspect).loaded, true) {
            self.stats.blobs_read += 1;
        }
    }

    /// The lines of a stored file, after text conversion, if its path has one.
    pub(crate) fn stored_text(
        &mut self,
        path: &BString,
        entry: TreeEntry,
    ) -> Result<Arc<Version>, Error> {
        let before = self.timer.enter(Phase::Rebuild);
        let text = match self.request.text_conversion {
            Some(_) => self.converted_text(path, entry),
            None => Ok(None),
        };
        let text = match text {
            Ok(Some(text)) => Ok(text),
            Ok(None) => {
                let caches = &mut *self.caches;
                caches
                    .versions
                    .blob(&entry.id, &mut caches.reader, &mut caches.lines)
            }
            Err(error) => Err(error),
        };
        self.timer.enter(before);
        text.map_err(|error| error.for_path(path))
    }

    fn converted_text(
        &mut self,
        path: &BString,
        entry: TreeEntry,
    ) -> Result<Option<Arc<Version>>, Error> {
        let data = self.caches.reader.object(&entry.id)?.data;
        match self.converted(path, entry, &data)? {
            Some(text) => Ok(Some(Arc::new(Version::new(&text, &mut self.caches.lines)?))),
            None => Ok(None),
        }
    }

    pub(crate) fn converted(
        &self,
        path: &BString,
        entry: TreeEntry,
        data: &[u8],
    ) -> Result<Option<Arc<[u8]>>, Error> {
        match &self.request.text_conversion {
            Some(conversion) => Ok(conversion.convert(path, entry.mode, &entry.id, data)?),
            None => Ok(None),
        }
    }
}
