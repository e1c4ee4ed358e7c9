//! Binary files of a repository and of the cache, changed in place.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use bstr::BStr;
use tblame::internals::{
    cache::{BlameFiles, CacheDirectory, CacheSettings, RequestCache},
    engine::{BlameCache, CachedBlame, Discard, Engine, Request, Start},
    objects::{CommitHead, HashKind, ObjectId, Store, StoreOptions},
    reftable::Table,
    repository::Repository,
};
use tempfile::TempDir;

use super::{Target, ensure, outcome};
use crate::harness::{
    faults::repair_checksum,
    repository::{ObjectFormat, TestRepo},
    stored_history::{Form, PATH, files_below, make_history},
};

/// Makes the only file with this end of its name writable.
fn find(directory: &Path, end: &str) -> PathBuf {
    let files = files_below(directory).expect("it is readable");
    let mut found = files
        .into_iter()
        .filter(|path| path.to_string_lossy().ends_with(end));
    let path = found.next().expect("there is one");
    fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("it is one's own");
    path
}

/// One file of an object store.
pub struct Stored {
    repository: TestRepo,
    file: PathBuf,
    pristine: Vec<u8>,
    /// Where inputs start in the file.
    from: usize,
    /// Whether all objects can be had without the file.
    is_helper: bool,
    commits: Vec<(ObjectId, CommitHead)>,
    objects: Vec<ObjectId>,
}

fn stored(form: Form, end: &str, chunk: Option<&[u8; 4]>, is_helper: bool) -> Stored {
    let repository = form.repository(true);
    let objects = repository.root().join(".git/objects");
    let ids = |arguments: &[&str]| -> Vec<ObjectId> {
        let text = repository.git_text(arguments);
        let ids = text
            .lines()
            .map(|line| ObjectId::from_hex(&line.as_bytes()[..40]));
        ids.map(|id| id.expect("git says ids")).collect()
    };
    let store = Store::open(&objects, HashKind::Sha1, StoreOptions::default());
    let mut reader = store.expect("it is intact").reader();
    let commits = ids(&["rev-list", "--all"]).into_iter();
    let commits = commits.map(|id| (id, reader.commit_head(&id).expect("it is intact")));
    let commits = commits.collect();
    let file = find(&objects, end);
    let pristine = fs::read(&file).expect("it is readable");
    let from = chunk.map_or(0, |chunk| {
        let at = memchr::memmem::find(&pristine, chunk).expect("it has the chunk") + 8;
        usize::from(pristine[at]) << 24
            | usize::from(pristine[at + 1]) << 16
            | usize::from(pristine[at + 2]) << 8
            | usize::from(pristine[at + 3])
    });
    Stored {
        objects: ids(&["rev-list", "--all", "--objects"])
            .into_iter()
            .step_by(4)
            .collect(),
        repository,
        file,
        pristine,
        from,
        is_helper,
        commits,
    }
}

pub fn pack_index() -> Stored {
    stored(Form::Pack, ".idx", None, false)
}

pub fn multi_pack_index() -> Stored {
    stored(Form::MultiPackIndex, "multi-pack-index", None, true)
}

pub fn pack() -> Stored {
    stored(Form::Pack, ".pack", None, false)
}

pub fn commit_graph() -> Stored {
    stored(Form::CommitGraph, "commit-graph", None, true)
}

/// The offsets and the filters, with the right checksum always.
pub fn bloom() -> Stored {
    stored(Form::CommitGraph, "commit-graph", Some(b"BIDX"), true)
}

impl Target for Stored {
    fn seeds(&self) -> Vec<Vec<u8>> {
        vec![self.pristine[self.from..].to_vec()]
    }

    fn words(&self) -> &[&[u8]] {
        &[
            b"OIDF",
            b"OIDL",
            b"CDAT",
            b"EDGE",
            b"BIDX",
            b"BDAT",
            b"PNAM",
            b"OOFF",
            b"\x70\0\0\0",
            b"\x80\0\0\0",
        ]
    }

    fn most_bytes(&self) -> usize {
        self.pristine.len() + 64
    }

    fn run(&mut self, input: &[u8]) -> Result<u64, String> {
        let mut bytes = [&self.pristine[..self.from], input].concat();
        let is_signed = self.from > 0 || outcome(input).is_multiple_of(2);
        if is_signed {
            repair_checksum(&mut bytes, HashKind::Sha1);
        }
        fs::write(&self.file, &bytes).map_err(|error| error.to_string())?;
        let objects = self.repository.root().join(".git/objects");
        let store = Store::open(&objects, HashKind::Sha1, StoreOptions::default());
        let store = store.map_err(|error| error.to_string())?;
        let filter = store.path_history(PATH.as_bytes());
        let mut reader = store.reader();
        let (mut read, mut failed, mut unchanged, mut other) = (0, 0, 0, 0);
        for (id, pristine) in &self.commits {
            match reader.commit_head(id) {
                Ok(head) => {
                    read += 1;
                    let is_same = (head.tree, &head.parents, head.time)
                        == (pristine.tree, &pristine.parents, pristine.time);
                    other += usize::from(!is_same);
                    let found = reader.find_path(head.tree, PATH.as_bytes(), None);
                    failed += usize::from(found.is_err());
                }
                Err(_) => failed += 1,
            }
            if let (Some(filter), Some(at)) = (&filter, store.graph_position(id)) {
                unchanged += usize::from(store.is_unchanged(at, filter));
            }
        }
        for id in &self.objects {
            match reader.try_object(id) {
                Ok(Some(_)) => read += 1,
                _ => failed += 1,
            }
        }
        // With care, what is read is right, whatever was read before.
        store.be_careful("for the test".to_owned());
        let mut reader = store.reader();
        for (id, pristine) in &self.commits {
            let head = reader.commit_head(id);
            let is_same = head.as_ref().map_or(!self.is_helper, |head| {
                (head.tree, &head.parents, head.time)
                    == (pristine.tree, &pristine.parents, pristine.time)
            });
            ensure(is_same, || format!("{id} is read as {head:?} with care"))?;
        }
        let mut warnings = store.warnings();
        warnings.sort();
        Ok(outcome((
            read / 8,
            failed / 8,
            unchanged,
            other,
            warnings.len(),
        )))
    }
}

/// Tables of references.
pub struct Reftable {
    seeds: Vec<Vec<u8>>,
}

impl Reftable {
    pub fn new() -> Reftable {
        let mut seeds = Vec::new();
        for hash in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
            let repository = TestRepo::with_references(hash, "reftable");
            make_history(&repository);
            for branch in 0..5 {
                repository.git(&["branch", &format!("topic/{branch}")]);
            }
            repository.git(&["tag", "-a", "-m", "a tag", "v1"]);
            for path in
                files_below(&repository.root().join(".git/reftable")).expect("it is readable")
            {
                let bytes = fs::read(&path).expect("it is readable");
                if bytes.starts_with(b"REFT") {
                    seeds.push(bytes);
                }
            }
            repository.git(&["pack-refs", "--all"]);
        }
        Reftable { seeds }
    }
}

impl Target for Reftable {
    fn seeds(&self) -> Vec<Vec<u8>> {
        self.seeds.clone()
    }

    fn most_bytes(&self) -> usize {
        8192
    }

    fn run(&mut self, input: &[u8]) -> Result<u64, String> {
        let mut bytes = input.to_vec();
        if !outcome(input).is_multiple_of(4) {
            let footer = if bytes.get(4) == Some(&2) { 72 } else { 68 };
            if let Some(start) = bytes.len().checked_sub(footer) {
                // The footer repeats the header.
                let header = bytes[..(footer - 44).min(start)].to_vec();
                bytes[start..start + header.len()].copy_from_slice(&header);
                let end = bytes.len() - 4;
                let sum = zlib_rs::crc32::crc32(0, &bytes[start..end]);
                bytes[end..].copy_from_slice(&sum.to_be_bytes());
            }
        }
        let table = match Table::new(bytes, Path::new("table")) {
            Ok(table) => table,
            Err(error) => return Ok(outcome(error.to_string())),
        };
        let (mut names, mut entries) = (0usize, 0usize);
        let refs = table.refs(b"refs/", |_, _| {
            names += 1;
            Ok(())
        });
        let logs = table.logs(b"", |_, _, _| {
            entries += 1;
            Ok(())
        });
        let most = 8 * input.len();
        ensure(names <= most && entries <= 1 << 20, || {
            format!("{names} names, {entries} entries")
        })?;
        let found = ["HEAD", "refs/heads/main", "refs/heads/topic/3", "zz"].map(|name| {
            let value = table.find(name.as_bytes());
            value.map(|value| value.is_some()).ok()
        });
        Ok(outcome((
            refs.is_ok(),
            logs.is_ok(),
            names.min(20),
            entries.min(40),
            found,
        )))
    }
}

/// Kept blames.
pub struct CacheFiles {
    _directory: TempDir,
    _repository: TestRepo,
    cache: RequestCache,
    head: ObjectId,
    blob: ObjectId,
    file: PathBuf,
    pristine: Vec<u8>,
    blame: CachedBlame,
}

impl CacheFiles {
    pub fn new() -> CacheFiles {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        make_history(&repository);
        let id = |revision: &str| {
            let id = repository.git_text(&["rev-parse", revision]);
            ObjectId::from_hex(id.as_bytes()).expect("it is an id")
        };
        let (head, blob) = (id("HEAD"), id(&format!("HEAD:{PATH}")));
        let opened = Repository::open_own(repository.root()).expect("it is a repository");
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let settings = CacheSettings {
            directory: Some(directory.path().join("cache")),
            min_time: Duration::ZERO,
            ..CacheSettings::default()
        };
        let place = CacheDirectory::new(&settings, |_| None).expect("it has a place");
        let place = place.of_repository(&opened, &settings).expect("it is on");
        let request = Request::new(Start::Commit(head), PATH.into());
        let cache =
            BlameFiles::new(&place, &settings).of_request(&opened, &request, Arc::default());
        let mut cache = cache.expect("such blames are kept");
        let mut engine = Engine::new(Arc::clone(opened.store()), 1);
        let asked = Some(&mut cache as &mut dyn BlameCache);
        let blame = engine.blame_with_cache(&request, asked, &mut Discard);
        let blame = blame
            .expect("it is blamed")
            .to_cache
            .expect("it can be kept");
        cache.keep(&blame, Duration::ZERO).expect("it is writable");
        let file = find(directory.path(), &head.to_string());
        let kept = cache.get(&head, BStr::new(PATH), &blob);
        CacheFiles {
            pristine: fs::read(&file).expect("it is readable"),
            blame: kept.expect("it was kept"),
            _directory: directory,
            _repository: repository,
            cache,
            head,
            blob,
            file,
        }
    }
}

impl Target for CacheFiles {
    fn seeds(&self) -> Vec<Vec<u8>> {
        vec![self.pristine.clone()]
    }

    fn most_bytes(&self) -> usize {
        self.pristine.len() + 64
    }

    fn run(&mut self, input: &[u8]) -> Result<u64, String> {
        let mut bytes = input.to_vec();
        let is_signed = !outcome(input).is_multiple_of(4);
        if is_signed {
            repair_checksum(&mut bytes, HashKind::Sha256);
        }
        fs::write(&self.file, &bytes).map_err(|error| error.to_string())?;
        let Some(blame) = self.cache.get(&self.head, BStr::new(PATH), &self.blob) else {
            ensure(bytes != self.pristine, || {
                "the pristine file is refused".to_owned()
            })?;
            return Ok(0);
        };
        ensure(is_signed || blame == self.blame, || {
            "a file with a wrong checksum is used".to_owned()
        })?;
        let origins = blame.origins.len();
        for entry in &blame.entries {
            let holds = (entry.origin.0 as usize) < origins && entry.lines.start < entry.lines.end;
            ensure(holds, || format!("{entry:?} of {origins} origins"))?;
        }
        let mut lines: Vec<_> = blame
            .entries
            .iter()
            .map(|entry| entry.lines.clone())
            .collect();
        lines.sort_unstable_by_key(|lines| lines.start);
        let are_disjoint = lines.windows(2).all(|pair| pair[0].end <= pair[1].start);
        ensure(are_disjoint, || "entries overlap".to_owned())?;
        let is_same = blame == self.blame;
        Ok(outcome((
            is_same,
            blame.entries.len(),
            origins,
            blame.commits.len(),
        )))
    }
}
