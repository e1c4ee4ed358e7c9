//! The remembered history, changed in place.

use std::{fs, path::PathBuf, sync::Arc};

use tblame::internals::{
    cache::{CacheDirectory, CacheSettings, HistoryFile},
    engine::{Discard, Engine, Request, Start},
    objects::{HashKind, ObjectId, Store, StoreOptions},
    repository::Repository,
};
use tempfile::TempDir;

use super::{Target, ensure, outcome};
use crate::harness::{
    faults::chunk_range,
    repository::{ObjectFormat, TestRepo},
    stored_history::{PATH, files_below, make_history},
};

/// The commits of a history and the paths that they change.
pub struct RememberedHistory {
    _directory: TempDir,
    repository: TestRepo,
    head: ObjectId,
    file: PathBuf,
    bytes: Vec<u8>,
    /// What a blame without the file finds.
    blame: String,
}

impl RememberedHistory {
    pub fn new() -> RememberedHistory {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        make_history(&repository);
        let head = repository.git_text(&["rev-parse", "HEAD"]);
        let head = ObjectId::from_hex(head.as_bytes()).expect("it is an id");
        let opened = Repository::open_own(repository.root()).expect("it is a repository");
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let settings = CacheSettings {
            directory: Some(directory.path().join("cache")),
            ..CacheSettings::default()
        };
        let place = CacheDirectory::new(&settings, |_| None).expect("it has a place");
        let place = place.of_repository(&opened, &settings).expect("it is on");
        let history = HistoryFile::new(&opened, &place, &settings).expect("it is possible");
        let warmed = history.warm(&opened, &[head]).expect("it is writable");
        assert!(warmed.with_paths > 0);
        let files = files_below(directory.path()).expect("it is readable");
        let file = files.into_iter().find(|path| path.ends_with("history"));
        let file = file.expect("it was written");
        let mut target = RememberedHistory {
            _directory: directory,
            bytes: fs::read(&file).expect("it is readable"),
            repository,
            head,
            file,
            blame: String::new(),
        };
        target.blame = target.blame(&target.store()).expect("it can be blamed");
        target
    }

    fn store(&self) -> Arc<Store> {
        let objects = self.repository.root().join(".git/objects");
        let store = Store::open(&objects, HashKind::Sha1, StoreOptions::default());
        store.expect("the repository is undamaged")
    }

    fn blame(&self, store: &Arc<Store>) -> Result<String, String> {
        let request = Request::new(Start::Commit(self.head), PATH.into());
        let blame = Engine::new(Arc::clone(store), 1).blame(&request, &mut Discard);
        let blame = blame.map_err(|error| error.to_string())?;
        Ok(format!("{:?} {:?}", blame.entries, blame.origins))
    }
}

/// Makes the checksums of the file and of its records right, as far as these can be found.
fn sign(bytes: &mut [u8]) {
    let Some(trailer) = bytes.len().checked_sub(20) else {
        return;
    };
    let mut end = trailer;
    if let (Some(table), Some(records)) = (chunk_range(bytes, b"PTAB"), chunk_range(bytes, b"PREC"))
    {
        for entry in table.step_by(24) {
            let number = |bytes: &[u8], len: usize, at: usize| {
                let digits = bytes.get(at..at + len)?.iter();
                Some(digits.fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
            };
            let start = number(bytes, 8, entry + 8).and_then(|at| usize::try_from(at).ok());
            let len = number(bytes, 4, entry + 16).map(|len| len as usize);
            let (Some(start), Some(len)) = (start, len) else {
                continue;
            };
            let start = start.saturating_add(records.start);
            if let Some(record) = bytes.get(start..start.saturating_add(len)) {
                let crc = zlib_rs::crc32::crc32(0, record);
                if let Some(place) = bytes.get_mut(entry + 20..entry + 24) {
                    place.copy_from_slice(&crc.to_be_bytes());
                }
            }
        }
        end = records.start.min(trailer);
    }
    let crc = zlib_rs::crc32::crc32(0, &bytes[..end]);
    bytes[trailer..trailer + 4].copy_from_slice(&crc.to_be_bytes());
}

impl Target for RememberedHistory {
    fn seeds(&self) -> Vec<Vec<u8>> {
        vec![self.bytes.clone()]
    }

    fn words(&self) -> &[&[u8]] {
        &[
            b"OIDF",
            b"OIDL",
            b"OSRT",
            b"CDAT",
            b"EDGE",
            b"PKNO",
            b"PTAB",
            b"PREC",
            b"\x70\0\0\0",
            b"\x6f\xff\xff\xff",
        ]
    }

    fn most_bytes(&self) -> usize {
        self.bytes.len() + 64
    }

    fn run(&mut self, input: &[u8]) -> Result<u64, String> {
        let mut bytes = input.to_vec();
        let is_signed = !outcome(input).is_multiple_of(4);
        if is_signed {
            sign(&mut bytes);
        }
        fs::write(&self.file, &bytes).map_err(|error| error.to_string())?;
        let store = self.store();
        store.remember(&self.file);
        let is_used = store.has_commit_graph();
        let paths = store.remembered_paths().map(|paths| paths.count_known());
        let knows = store.path_history(PATH.as_bytes()).is_some();
        let blame = self.blame(&store);
        ensure(is_signed || blame.as_ref() == Ok(&self.blame), || {
            format!("a file with a wrong checksum leads to {blame:?}")
        })?;
        ensure(bytes != self.bytes || (is_used && knows), || {
            "the pristine file is refused".to_owned()
        })?;
        let is_same = blame.as_ref() == Ok(&self.blame);
        Ok(outcome((is_used, paths, knows, is_same, blame.is_ok())))
    }
}
