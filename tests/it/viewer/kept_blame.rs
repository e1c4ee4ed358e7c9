//! A blame that an earlier run kept: it comes together with the text, and its commits are completed
//! later.

use std::{collections::HashMap, sync::Arc};

use tblame::internals::{
    engine::Sink,
    objects::ObjectId,
    viewer::{
        model::{
            background::queries::QueryReaders,
            source::{
                BlameSource, BlameStats, CommitMetadata, Failure, FileVersion, VersionReader,
            },
            toggled_options::ToggledOptions,
        },
        protocol::{BlameEventKind, BlameJob, Message},
        tasks::{
            blame::{self, BlameRequest},
            task::CAPACITY,
        },
    },
};

use super::fake_history::{FakeHistory, lamp_history};

/// A history whose blames are kept.
struct KeptSource(FakeHistory);

impl BlameSource for KeptSource {
    fn contents(&mut self, version: &FileVersion) -> Result<Arc<[u8]>, Failure> {
        BlameSource::contents(&mut self.0, version)
    }

    fn blame(
        &mut self,
        version: &FileVersion,
        options: &ToggledOptions,
        sink: &mut dyn Sink,
    ) -> Result<BlameStats, Failure> {
        self.0.blame(version, options, sink)
    }

    fn is_kept(&mut self, _: &FileVersion, _: &ToggledOptions) -> bool {
        true
    }

    fn version_reader(&self) -> Box<dyn VersionReader> {
        Box::new(ShorteningReader(self.0.version_reader()))
    }

    fn query_readers(&self) -> QueryReaders {
        self.0.query_readers()
    }
}

struct ShorteningReader(Box<dyn VersionReader>);

impl VersionReader for ShorteningReader {
    fn commit(&mut self, id: &ObjectId) -> Result<CommitMetadata, Failure> {
        self.0.commit(id)
    }

    fn shortened_commit(&mut self, id: &ObjectId) -> Option<CommitMetadata> {
        let whole = self.0.commit(id).ok()?;
        Some(CommitMetadata {
            message: "shortened".into(),
            ..whole
        })
    }

    fn contents(&mut self, version: &FileVersion) -> Result<Arc<[u8]>, Failure> {
        self.0.contents(version)
    }
}

#[test]
fn a_kept_blame_comes_with_the_text_and_its_commits_are_completed() {
    let (sender, mut messages) = tokio::sync::mpsc::channel(CAPACITY);
    let source = Box::new(KeptSource(lamp_history()));
    let mut task = blame::spawn(source, sender).expect("a thread");
    let version = FileVersion::Commit {
        commit: FakeHistory::id(1),
        path: Arc::new("src/lantern.rs".into()),
    };
    task.start(BlameRequest::Blame(BlameJob {
        is_known: false,
        id: 1,
        version: version.clone(),
        options: Arc::default(),
        from: None,
    }));
    let mut history = lamp_history();
    let text = BlameSource::contents(&mut history, &version).expect("it has this version");
    let lines = text.iter().filter(|&&byte| byte == b'\n').count();
    let mut attributed = vec![false; lines];
    let mut commits: HashMap<ObjectId, CommitMetadata> = HashMap::new();
    let (mut is_first, mut is_finished, mut shortened) = (true, false, 0);
    while !is_finished || commits.values().any(|it| it.message == "shortened") {
        let Some(Message::Blame(event)) = messages.blocking_recv() else {
            panic!("the task sends no events");
        };
        let kinds = match event.kind {
            BlameEventKind::Kept(kinds) => kinds,
            kind => {
                assert!(!is_first, "the text waits for the blame");
                vec![kind]
            }
        };
        if std::mem::take(&mut is_first) {
            // On a slow machine the rest may come later.
            assert!(matches!(kinds[0], BlameEventKind::Started { .. }));
        }
        for kind in kinds {
            match kind {
                BlameEventKind::Batch(batch) => {
                    for (id, metadata) in batch.commits {
                        let metadata = metadata.expect("it is known");
                        shortened += usize::from(metadata.message == "shortened");
                        commits.insert(id, metadata);
                    }
                    for entry in batch.origins.iter().flat_map(|origin| &origin.entries) {
                        let lines = entry.lines.start as usize..entry.lines.end as usize;
                        attributed[lines].fill(true);
                    }
                }
                BlameEventKind::Finished(_) => is_finished = true,
                BlameEventKind::Failed(failure) => panic!("{failure}"),
                _ => {}
            }
        }
    }
    assert!(attributed.iter().all(|it| *it), "{attributed:?}");
    assert!(shortened > 0 && shortened == commits.len());
    let mut reader = history.version_reader();
    for (id, metadata) in commits {
        assert_eq!(reader.commit(&id).expect("it is known"), metadata);
    }
}
