//! The cache without the program.

use std::{sync::Arc, time::Duration};

use bstr::BStr;
use tblame::internals::{
    cache::RequestCache,
    engine::{BlameCache, CachedBlame, Discard, Engine, Request, Start, TextAttributes},
    objects::{ChangedPaths, CommitList, GraphFile, ObjectId},
    repository::{Repository, commits::cached_texts::CachedTexts},
};

use super::{TestCache, small_history};
use crate::harness::repository::TestRepo;

/// The kept blame of a file of `HEAD` with the default options.
pub struct Blames {
    repository: Arc<Repository>,
    request: Request,
    cache: RequestCache,
    /// The texts that are kept with the next blame.
    pub texts: Arc<CachedTexts>,
    head: ObjectId,
    blob: ObjectId,
    path: String,
}

impl Blames {
    pub fn open(repository: &TestRepo, cache: &TestCache, path: &str) -> Blames {
        let id = |revision: &str| {
            let id = repository.git_text(&["rev-parse", revision]);
            ObjectId::from_hex(id.as_bytes()).expect("it is an id")
        };
        let (head, blob) = (id("HEAD"), id(&format!("HEAD:{path}")));
        let repository = Repository::open_own(repository.root()).expect("it is a repository");
        let files = cache.blame_files(&repository);
        let request = Request::new(Start::Commit(head), path.into());
        let texts: Arc<CachedTexts> = Arc::default();
        let cache = files.of_request(&repository, &request, Arc::clone(&texts));
        Blames {
            texts,
            cache: cache.expect("such blames are kept"),
            repository: Arc::new(repository),
            request,
            head,
            blob,
            path: path.to_owned(),
        }
    }

    /// Reads the kept blame.
    pub fn get(&mut self) -> Option<CachedBlame> {
        self.cache
            .get(&self.head, BStr::new(&self.path), &self.blob)
    }

    /// Keeps the blame after a change.
    pub fn keep_changed(&mut self, change: impl FnOnce(&mut CachedBlame)) {
        let mut engine = Engine::new(Arc::clone(self.repository.store()), 1);
        let cache = Some(&mut self.cache as &mut dyn BlameCache);
        let blame = engine.blame_with_cache(&self.request, cache, &mut Discard);
        let mut blame = blame
            .expect("it is blamed")
            .to_cache
            .expect("it can be kept");
        change(&mut blame);
        self.cache
            .keep(&blame, Duration::ZERO)
            .expect("it is writable");
    }

    /// Writes a remembered history without paths, after a change.
    pub fn remember_changed(&self, cache: &TestCache, change: impl FnOnce(&mut CommitList)) {
        let mut engine = Engine::new(Arc::clone(self.repository.store()), 1);
        engine
            .blame(&self.request, &mut Discard)
            .expect("it is blamed");
        let mut commits = CommitList::new(engine.commit_table());
        change(&mut commits);
        let paths = ChangedPaths::default();
        let file = GraphFile::new(&commits, &paths, self.repository.hash());
        let directory = cache.repositories().pop().expect("it is there");
        let mut out = Vec::new();
        file.expect("they fit")
            .write(&mut out)
            .expect("memory can be written to");
        std::fs::write(directory.join("history"), out).expect("it is writable");
    }
}

/// Attributes that say nothing, but may at any time.
#[derive(Debug)]
struct Unspecified;

impl TextAttributes for Unspecified {
    fn is_text(&self, _path: &[u8]) -> Option<bool> {
        None
    }
}

#[test]
fn attributes_that_another_blame_asked_for_do_not_count() {
    let repository = small_history(4);
    let text: String = (0..20).map(|n| format!("a line, number {n}\r\n")).collect();
    repository.write(b"old", text.as_bytes());
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "with CR LF"]);
    repository.git(&["mv", "old", "new"]);
    repository.write(b"new", (text + "one more\r\n").as_bytes());
    repository.git(&["commit", "-q", "-a", "-m", "renamed and changed"]);
    let cache = TestCache::new();
    let attributes: Arc<dyn TextAttributes> = Arc::new(Unspecified);
    for (path, is_kept) in [
        ("a.txt", true),
        ("new", false),
        ("a.txt", true),
        ("old", true),
    ] {
        let mut blames = Blames::open(&repository, &cache, "a.txt");
        blames.request.path = path.into();
        blames.request.text_attributes = Some(Arc::clone(&attributes));
        if path == "old" {
            let parent = repository.git_text(&["rev-parse", "HEAD~1"]);
            let parent = ObjectId::from_hex(parent.as_bytes()).expect("it is an id");
            blames.request.start = Start::Commit(parent);
        }
        let mut engine = Engine::new(Arc::clone(blames.repository.store()), 1);
        let kept = Some(&mut blames.cache as &mut dyn BlameCache);
        let blame = engine.blame_with_cache(&blames.request, kept, &mut Discard);
        let blame = blame.expect("it is blamed");
        assert_eq!(blame.to_cache.is_some(), is_kept, "{path}");
    }
}
