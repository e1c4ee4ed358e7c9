//! What is kept of the blames of a directory for later runs.

use bstr::BString;
use rustc_hash::FxHashMap;

use crate::{
    engine::{
        api::{
            request::{Request, Start},
            tree::PlanSink,
        },
        tree::plan::{AskedAttribute, PlannedFile, PlannedVersions, TreePlan, Unplanned},
    },
    objects::ObjectId,
};

/// The files of a directory in a commit with their blames, and the versions that were compared for
/// them.
///
/// What a line comes from depends on its commit and path alone, and so does which versions a
/// version is compared with. So this holds for other commits too, wherever their history leads to
/// one of these versions.
#[derive(Debug)]
pub struct KeptTree {
    /// The commit.
    pub commit: ObjectId,
    /// The directory's path; empty for the root.
    pub path: BString,
    /// The files by their paths, with their blames as far as these are known.
    pub files: Vec<PlannedFile>,
    /// The last commit of each entry of the directory, by name, if these were looked for.
    pub last_commits: Option<Vec<(BString, ObjectId)>>,
    /// The attributes that the renames depend on.
    pub attributes: Vec<AskedAttribute>,
    /// Empty where only the files are of use. Those of a plan that can be kept are all known.
    pub versions: PlannedVersions,
}

impl KeptTree {
    /// True if this is what `request`, whose options are the same, asks for.
    pub fn is_of(&self, request: &Request) -> bool {
        matches!(request.start, Start::Commit(commit) if commit == self.commit)
            && request.path == self.path
    }

    /// A plan in which nothing is left to be compared. Files without a blame are blamed alone.
    pub(crate) fn plan(&self, request: &Request, sink: &mut dyn PlanSink) -> TreePlan {
        let mut files = self.files.clone();
        for (at, file) in files.iter_mut().enumerate() {
            file.record = None;
            if let Some(last) = file.last_commit {
                sink.last_commit(at, last);
            }
        }
        TreePlan {
            request: request.clone(),
            files,
            versions: PlannedVersions::default(),
            known: FxHashMap::default(),
            met: self.files.len(),
            attributes: self.attributes.clone(),
            unreadable_parents: Vec::new(),
            unplanned: None,
            work_tree: None,
        }
    }
}

impl TreePlan {
    /// True if what was planned holds in later runs too: nothing of it is missing. With `-M` and
    /// `-C`, these are the files.
    pub fn is_lasting(&self) -> bool {
        let records = &self.versions.records;
        matches!(self.unplanned, None | Some(Unplanned::Movement))
            && self.unreadable_parents.is_empty()
            && records.iter().all(|record| record.origins.is_some())
    }

    /// The versions that have to be compared.
    pub fn versions(&self) -> &PlannedVersions {
        &self.versions
    }

    /// The attributes that the renames depend on.
    pub fn attributes(&self) -> &[AskedAttribute] {
        &self.attributes
    }
}
