//! Finds the agents that wrote lines.

use std::{ops::Range, sync::Arc};

use bstr::BStr;
use rustc_hash::FxHashMap;

use crate::{
    objects::{ObjectId, Reader},
    repository::{
        agents::{
            agent::{AgentLines, AgentSource},
            note::Note,
            note_tree, trailer,
        },
        open::repository::Repository,
        revisions::peel::peel_to_commit,
    },
};

/// The reference of the notes.
const NOTES: &str = "refs/notes/ai";

/// Most notes that are kept in memory.
const MAX_NOTES: usize = 1 << 12;

/// Finds the agents that notes record. Without the reference of the notes, nothing else is read.
#[derive(Debug)]
pub struct AgentFinder {
    reader: Reader,
    repository: Arc<Repository>,
    /// The tree of the notes, once the reference was read.
    tree: Option<Option<ObjectId>>,
    notes: FxHashMap<ObjectId, Option<Note>>,
}

impl AgentFinder {
    /// For a repository, of which nothing is read yet.
    pub fn new(repository: Arc<Repository>) -> AgentFinder {
        AgentFinder {
            reader: repository.reader(),
            repository,
            tree: None,
            notes: FxHashMap::default(),
        }
    }

    /// The lines that agents wrote among some of a file as it is in a commit (0-based, half-open), in their order: those of the note on
    /// the commit, or else all of them if a trailer of its message names an agent. Notes that cannot be read are none.
    pub fn lines(
        &mut self,
        commit: &ObjectId,
        path: &BStr,
        lines: Range<u32>,
        message: &[u8],
    ) -> Vec<AgentLines> {
        if let Some(note) = self.note(commit) {
            return note.lines(path, lines);
        }
        let agent = trailer::agent(message);
        let found = agent.map(|agent| AgentLines {
            lines,
            agent,
            source: AgentSource::Trailer,
        });
        found.into_iter().collect()
    }

    /// Whether the repository has such notes.
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

    fn note(&mut self, commit: &ObjectId) -> Option<&Note> {
        let tree = self.notes_tree()?;
        if self.notes.len() >= MAX_NOTES && !self.notes.contains_key(commit) {
            self.notes.clear();
        }
        let (reader, hash) = (&mut self.reader, self.repository.hash());
        let note = self.notes.entry(*commit).or_insert_with(|| {
            let bytes = note_tree::find(reader, hash, tree, commit).ok()??;
            Some(Note::read(&bytes))
        });
        note.as_ref()
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
