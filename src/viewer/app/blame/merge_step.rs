//! A step to before lines of a merge, of which each parent that has the file can be shown.

use std::sync::Arc;

use bstr::BString;

use crate::{
    engine::FileInParent,
    objects::ObjectId,
    viewer::{model::source::FileVersion, protocol::LineRef},
};

/// A step to before lines of a merge.
#[derive(Debug, Clone)]
pub(crate) struct MergeStep {
    pub(crate) merge: ObjectId,
    pub(crate) parents: Vec<ObjectId>,
    /// The number (from 0) of the parent that is shown.
    pub(crate) at: usize,
    /// The file's path in the merge, and the line there.
    pub(crate) path: Arc<BString>,
    pub(crate) from: LineRef,
    /// The name of the step, whichever parent is shown.
    pub(crate) name: String,
    /// It takes the place of the step to another parent.
    pub(crate) is_other: bool,
    /// The number of the query for the file in the parents.
    pub(crate) asked: u64,
    /// The parents that have the file, with its paths there; `None` until that is known.
    pub(crate) files: Option<Vec<FileInParent>>,
}

impl MergeStep {
    /// The file in the merge.
    pub(crate) fn merged(&self) -> FileVersion {
        FileVersion::Commit {
            commit: self.merge,
            path: self.path.clone(),
        }
    }

    /// The number of the next parent that has the file, and the file's path there. `None` if there
    /// is none, or it is not known yet.
    fn next_file(&self) -> Option<(usize, &FileInParent)> {
        let count = self.parents.len();
        let others = (1..count).map(|by| (self.at + by) % count);
        let mut files = others.filter_map(|at| {
            let mut files = self.files.iter().flatten();
            Some((at, files.find(|(parent, _)| *parent == self.parents[at])?))
        });
        files.next()
    }

    /// The step to another parent that a key leads to from this one, with the version that it shows.
    pub(crate) fn next(&self) -> Option<(MergeStep, FileVersion)> {
        let (at, (commit, path)) = self.next_file()?;
        let version = FileVersion::Commit {
            commit: *commit,
            path: path.clone(),
        };
        let step = MergeStep {
            at,
            is_other: true,
            ..self.clone()
        };
        Some((step, version))
    }

    /// True if it takes the place of another step.
    pub(crate) fn replaces(&self, before: &MergeStep) -> bool {
        self.is_other && before.merge == self.merge
    }

    /// Which parent is shown, and how to get to another: a template for
    /// [`Keymap::fill`](crate::viewer::model::keys::keymap::Keymap::fill).
    pub(crate) fn words(&self) -> String {
        let (number, count) = (self.at + 1, self.parents.len());
        let others = match (self.next_file(), count) {
            (None, 2) if self.files.is_some() => "the other does not have the file".to_owned(),
            (None, _) if self.files.is_some() => "no other has the file".to_owned(),
            (_, 2) => "{next-parent} shows the other".to_owned(),
            (Some((at, _)), _) if at != number % count => {
                format!(
                    "{{next-parent}} shows parent {}, the next with the file",
                    at + 1
                )
            }
            _ => "{next-parent} shows the next".to_owned(),
        };
        format!("parent {number} of {count} of a merge; {others}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(at: usize, count: u8, having: Option<&[u8]>) -> MergeStep {
        let id = |number: u8| ObjectId::from_bytes_or_panic(&[number; 20]);
        let path: Arc<BString> = Arc::new("merged".into());
        let version = FileVersion::CommandLine;
        MergeStep {
            merge: id(99),
            parents: (0..count).map(id).collect(),
            at,
            path,
            from: LineRef { version, line: 0 },
            name: String::new(),
            is_other: false,
            asked: 0,
            files: having.map(|having| {
                let file = |number: &u8| (id(*number), Arc::new(format!("in {number}").into()));
                having.iter().map(file).collect()
            }),
        }
    }

    #[test]
    fn parents_without_the_file_are_left_out() {
        for (at, count, having, next, words) in [
            (0, 2, None, None, "{next-parent} shows the other"),
            (
                0,
                2,
                Some(&[0, 1][..]),
                Some(1),
                "{next-parent} shows the other",
            ),
            (
                1,
                2,
                Some(&[0, 1]),
                Some(0),
                "{next-parent} shows the other",
            ),
            (1, 2, Some(&[1]), None, "the other does not have the file"),
            (0, 3, None, None, "{next-parent} shows the next"),
            (0, 3, Some(&[0, 1]), Some(1), "{next-parent} shows the next"),
            (
                1,
                3,
                Some(&[0, 1]),
                Some(0),
                "{next-parent} shows parent 1, the next with the file",
            ),
            (2, 3, Some(&[0, 2]), Some(0), "{next-parent} shows the next"),
            (0, 3, Some(&[0]), None, "no other has the file"),
        ] {
            let step = step(at, count, having);
            let found = step.next();
            assert_eq!(found.as_ref().map(|(step, _)| step.at), next);
            if let (Some((next, version)), Some(at)) = (found, next) {
                let commit = step.parents[at];
                let path = Arc::new(format!("in {at}").into());
                assert_eq!(version, FileVersion::Commit { commit, path });
                assert!(next.replaces(&step));
            }
            let words = format!("parent {} of {count} of a merge; {words}", at + 1);
            assert_eq!(step.words(), words);
        }
    }
}
