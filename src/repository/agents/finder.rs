//! Finds the agents that wrote lines.

use std::{ops::Range, sync::Arc};

use bstr::BStr;
use rustc_hash::FxHashMap;

use crate::{
    objects::{ObjectId, Reader},
    repository::{
        agents::{
            agent::{Agent, AgentLines, AgentSource},
            note::Note,
            note_tree,
            signature::{self, CommitSignature},
        },
        open::repository::Repository,
        revisions::peel::peel_to_commit,
    },
};

/// The reference of the notes.
const NOTES: &str = "refs/notes/ai";

/// Most notes that are kept in memory.
const MAX_NOTES: usize = 1 << 12;

/// Most commits of which it is kept in memory whether an agent signed them.
const MAX_SIGNED: usize = 1 << 16;

/// Finds the agents that notes and commits record. Without the reference of the notes, nothing else
/// is read.
#[derive(Debug)]
pub struct AgentFinder {
    reader: Reader,
    repository: Arc<Repository>,
    /// The tree of the notes, once the reference was read.
    tree: Option<Option<ObjectId>>,
    notes: FxHashMap<ObjectId, Option<Note>>,
    /// By commit: the agent that signed it.
    signed: FxHashMap<ObjectId, Option<Box<(Agent, AgentSource)>>>,
}

impl AgentFinder {
    /// For a repository, of which nothing is read yet.
    pub fn new(repository: Arc<Repository>) -> AgentFinder {
        AgentFinder {
            reader: repository.reader(),
            repository,
            tree: None,
            notes: FxHashMap::default(),
            signed: FxHashMap::default(),
        }
    }

    /// The lines that agents wrote among some of a file as it is in a commit (0-based, half-open),
    /// in their order: those of the note on the commit, or else all of them if an agent signed it.
    /// Notes that cannot be read are none, and so are those that were made for another commit.
    pub fn lines(
        &mut self,
        commit: &ObjectId,
        path: &BStr,
        lines: Range<u32>,
        signature: CommitSignature<'_>,
    ) -> Vec<AgentLines> {
        if let Some(found) = self.noted_lines(commit, path, lines.clone()) {
            return found;
        }
        if self.signed.len() >= MAX_SIGNED && !self.signed.contains_key(commit) {
            self.signed.clear();
        }
        let signed = self.signed.entry(*commit);
        let agent = signed.or_insert_with(|| signature::of_commit(signature).map(Box::new));
        let found = agent.as_deref().cloned().map(|(agent, source)| AgentLines {
            lines,
            agent,
            source,
        });
        found.into_iter().collect()
    }

    /// True if the repository has such notes.
    pub fn has_notes(&mut self) -> bool {
        self.notes_tree().is_some()
    }

    fn notes_tree(&mut self) -> Option<ObjectId> {
        match self.tree {
            Some(tree) => tree,
            None => {
                let tree = self.read_tree();
                *self.tree.insert(tree)
            }
        }
    }

    /// The lines of the note on a commit; `None` if there is none that belongs to it.
    fn noted_lines(
        &mut self,
        commit: &ObjectId,
        path: &BStr,
        lines: Range<u32>,
    ) -> Option<Vec<AgentLines>> {
        let tree = self.notes_tree()?;
        if self.notes.len() >= MAX_NOTES && !self.notes.contains_key(commit) {
            self.notes.clear();
        }
        let (reader, hash) = (&mut self.reader, self.repository.hash());
        let note = self.notes.entry(*commit).or_insert_with(|| {
            let bytes = note_tree::find(reader, hash, tree, commit).ok()??;
            Note::read(&bytes).filter(|note| is_for(reader, note, commit))
        });
        let note = note.as_mut()?;
        let Some(file) = note.file_mut(path) else {
            return Some(Vec::new());
        };
        let is_true = *file
            .is_true
            .get_or_insert_with(|| has_lines(reader, file.len, commit, path).unwrap_or(false));
        is_true.then(|| note.lines(path, lines))
    }

    fn read_tree(&mut self) -> Option<ObjectId> {
        let id = self.repository.references().object(NOTES.into())?;
        let commit = peel_to_commit(&mut self.reader, id).ok()??;
        let data = self.reader.object(&commit).ok()?.data;
        let tree = data.strip_prefix(b"tree ")?;
        let end = tree.iter().position(|&byte| byte == b'\n')?;
        ObjectId::from_hex(&tree[..end]).ok()
    }
}

/// True if a note was made for a commit, and not copied from another one, as when commits are
/// squashed. The commit that it was made for is named in it; older notes name the parent, some
/// nothing or only zeros.
fn is_for(reader: &mut Reader, note: &Note, commit: &ObjectId) -> bool {
    let Some(base) = &note.base else { return true };
    match ObjectId::from_hex(base.as_bytes()) {
        _ if base.bytes().all(|byte| byte == b'0') => true,
        Ok(base) if base == *commit => true,
        Ok(base) => reader
            .commit_head(commit)
            .is_ok_and(|head| head.parents.contains(&base)),
        Err(_) => false,
    }
}

/// True if a file in a commit has at least so many lines.
fn has_lines(reader: &mut Reader, count: u32, commit: &ObjectId, path: &BStr) -> Option<bool> {
    let tree = reader.commit_head(commit).ok()?.tree;
    let found = reader.find_path(tree, path, None).ok()??;
    let data = reader.object(&found.entry.id).ok()?.data;
    let newlines = memchr::memchr_iter(b'\n', &data).count();
    let is_open = data.last().is_some_and(|&byte| byte != b'\n');
    Some(newlines + usize::from(is_open) >= count as usize)
}
