//! The cache without the program.

use std::{sync::Arc, time::Duration};

use bstr::BStr;
use tblame::internals::{
    cache::{BlameFiles, CacheDirectory, CacheSettings, RequestCache},
    engine::{BlameCache, CachedBlame, Discard, Engine, Request, Start},
    objects::ObjectId,
    repository::Repository,
};

use super::TestCache;
use crate::harness::repository::TestRepo;

/// The kept blame of a file of `HEAD` with the default options.
pub struct Blames {
    repository: Arc<Repository>,
    request: Request,
    cache: RequestCache,
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
        let settings = CacheSettings {
            directory: Some(cache.place()),
            min_time: Duration::ZERO,
            ..CacheSettings::default()
        };
        let directory = CacheDirectory::new(&settings, |_| None).expect("it has a place");
        let directory = directory.of_repository(&repository, &settings);
        let files = BlameFiles::new(&directory.expect("it is on"), &settings);
        let request = Request::new(Start::Commit(head), path.into());
        let cache = files.of_request(&repository, &request, Arc::default());
        Blames {
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
}
