//! The parents of a merge: which one a diff compares with, and the way to another.

use crate::{
    objects::ObjectId,
    viewer::{
        app::{diff_view::DiffView, state::App},
        model::abbreviation::short,
        protocol::{DiffJob, DiffTarget, Effect},
    },
};

impl App {
    /// Compares the merge that is shown with its next parent.
    pub(crate) fn compare_with_next_parent(&mut self) {
        let diff = self.diff();
        let merge = diff.and_then(|diff| Some((diff, diff.commit?, diff.parent_of_merge()?)));
        let Some((diff, commit, at)) = merge else {
            let is_read = diff.is_some_and(|diff| diff.commit.is_none() || diff.files.is_some());
            let failure = diff.and_then(|diff| diff.files.as_ref()?.as_ref().err());
            let words = failure.map(|failure| failure.0.clone());
            let words =
                words.unwrap_or_else(|| "this is no merge: it has no other parent".to_owned());
            return self.refuse(is_read, &words);
        };
        let parents = diff.parents();
        let next = (at + 1) % parents.len();
        let parent = Some(parents[next]);
        let (shown, count) = (short(&parents[next]), parents.len());
        let target = match &diff.job.target {
            DiffTarget::All { below, .. } => DiffTarget::All {
                commit,
                parent,
                below: below.clone(),
            },
            _ => {
                let (old, new) = diff.paths();
                let path = new.or(old).unwrap_or(&diff.view_path).clone();
                DiffTarget::Commit {
                    commit,
                    path,
                    parent,
                }
            }
        };
        let id = self.part_ids();
        let Some(diff) = self.diff_mut() else { return };
        let whitespace = diff.job.whitespace;
        let job = DiffJob {
            id,
            target,
            whitespace,
        };
        *diff = DiffView {
            metadata: diff.metadata.take(),
            unfolded: diff.unfolded,
            ..DiffView::new(job.clone(), Some(commit), diff.view_path.clone())
        };
        self.details.selected_reference = None;
        self.effects.push(Effect::Diff(job));
        self.show_message(format!(
            "compared with parent {} of {count}, {shown}",
            next + 1
        ));
    }
}

impl DiffView {
    /// The number (from 0) of the parent that a merge is compared with; `None` for other commits,
    /// and until the parents are known.
    fn parent_of_merge(&self) -> Option<usize> {
        let parents = self.parents();
        let compared = self.files.as_ref()?.as_ref().ok()?.parent?;
        let at = parents.iter().position(|it| *it == compared)?;
        (parents.len() > 1).then_some(at)
    }

    /// The parents of the commit, if they are known.
    fn parents(&self) -> &[ObjectId] {
        match &self.files {
            Some(Ok(changes)) => &changes.parents,
            _ => &[],
        }
    }

    /// What is compared, if the commit is a merge: a template for
    /// [`Keymap::fill`](crate::viewer::model::keys::keymap::Keymap::fill).
    pub(crate) fn merge_fact(&self) -> Option<String> {
        let at = self.parent_of_merge()?;
        let parents = self.parents();
        let parent = short(parents.get(at)?);
        let (number, count) = (at + 1, parents.len());
        let others = if count == 2 { "the other" } else { "the next" };
        Some(format!(
            "merge      compared with parent {number} of {count}, {parent}; {{next-parent}} compares with {others}"
        ))
    }
}
