//! Files that are read as texts: commits, configuration, lists of revisions.

use std::{collections::HashSet, fs};

use bstr::{BString, ByteSlice};
use tblame::internals::{
    objects::{HashKind, ObjectId, Store, StoreOptions},
    repository::{
        Repository,
        open::configuration::sources::Configuration,
        request::{ignored_revisions::ignored, options::BlameOptions},
    },
};
use tempfile::TempDir;

use super::{Target, corpus, ensure, outcome};
use crate::harness::{
    git::git_program,
    repository::{ObjectFormat, TestRepo},
};

/// Commits in loose files of their own.
pub struct CommitHeads {
    directory: TempDir,
}

impl CommitHeads {
    pub fn new() -> CommitHeads {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        CommitHeads { directory }
    }
}

/// The tree and the parents of a commit, as git reads them.
fn ids(commit: &[u8]) -> Option<(ObjectId, Vec<ObjectId>)> {
    let id = |line: &[u8], key: &[u8]| {
        let hex = line.strip_prefix(key)?.strip_suffix(b"\n")?;
        let hex = Some(hex).filter(|hex| hex.len() == 40)?;
        ObjectId::from_hex(hex).ok()
    };
    // A last line without a line feed names no parent.
    let mut lines = commit.split_inclusive(|&byte| byte == b'\n');
    let tree = id(lines.next()?, b"tree ")?;
    let parents = lines.map_while(|line| id(line, b"parent ")).collect();
    Some((tree, parents))
}

impl Target for CommitHeads {
    fn seeds(&self) -> Vec<Vec<u8>> {
        let id = "0123456789abcdef0123456789abcdef01234567";
        let people = "author A <a@x> 1600000000 +0100\ncommitter C <c@x> 1600000001 -0330\n";
        let whole = [0, 1, 2, 9].map(|parents| {
            let parents = format!("parent {id}\n").repeat(parents);
            format!("tree {id}\n{parents}{people}\nsubject\n\nbody\n").into_bytes()
        });
        let cut = format!("tree {id}\nparent {id}").into_bytes();
        whole.into_iter().chain([cut]).collect()
    }

    fn words(&self) -> &[&[u8]] {
        &[
            b"parent ",
            b"tree ",
            b"committer ",
            b"author ",
            b"encoding x\n",
            b"gpgsig ",
            b"\n",
            b" ",
            b">",
            b"0123456789abcdef0123456789abcdef01234567",
            b"-1",
            b"99999999999999999999",
            b"mergetag object ",
        ]
    }

    fn run(&mut self, input: &[u8]) -> Result<u64, String> {
        let object = [format!("commit {}\0", input.len()).as_bytes(), input].concat();
        let mut stream = vec![0; zlib_rs::compress_bound(object.len()) + 64];
        let config = zlib_rs::DeflateConfig {
            level: 0,
            ..zlib_rs::DeflateConfig::default()
        };
        let (stream, _) = zlib_rs::compress_slice(&mut stream, &object, config);
        let mut hasher = gix_hash::hasher(HashKind::Sha1);
        hasher.update(&object);
        let id = hasher.try_finalize().map_err(|error| error.to_string())?;
        let name = id.to_string();
        let below = self.directory.path().join(&name[..2]);
        fs::create_dir(&below).map_err(|error| error.to_string())?;
        fs::write(below.join(&name[2..]), stream).map_err(|error| error.to_string())?;
        let store = Store::open(
            self.directory.path(),
            HashKind::Sha1,
            StoreOptions::default(),
        );
        let mut reader = store.map_err(|error| error.to_string())?.reader();
        let head = reader.commit_head(&id);
        let whole = reader.object(&id).map_err(|error| error.to_string())?;
        fs::remove_dir_all(&below).map_err(|error| error.to_string())?;
        ensure(whole.data[..] == *input, || "another object".to_owned())?;
        let expected = ids(input);
        match head {
            Ok(head) => {
                let found = (head.tree, head.parents.to_vec());
                ensure(Some(&found) == expected.as_ref(), || {
                    format!("{found:?}, not {expected:?}")
                })?;
                Ok(outcome((found.1.len().min(12), head.time.checked_ilog2())))
            }
            Err(error) => Ok(outcome(error.to_string().len())),
        }
    }
}

/// Configuration, compared with git for one of so many inputs.
const COMPARED: u64 = 50;

/// Configuration files, and the values in them.
pub struct ConfigurationFile {
    repository: TestRepo,
    count: u64,
}

impl ConfigurationFile {
    pub fn new() -> ConfigurationFile {
        ConfigurationFile {
            repository: TestRepo::new(ObjectFormat::Sha1),
            count: 0,
        }
    }

    /// git's list of a file, with NUL after each variable; `None` if git refuses the file.
    fn git(&self, input: &[u8]) -> Option<Vec<u8>> {
        self.repository.write(b"mutated", input);
        let mut command = self.repository.command(git_program());
        let output = command
            .args(["config", "--file", "mutated", "-z", "--list"])
            .output();
        let output = output.expect("git runs");
        let list = output.status.success().then_some(output.stdout)?;
        let mut used = Vec::new();
        for variable in list.split_inclusive(|&byte| byte == 0) {
            let key = variable.split(|&byte| byte == b'\n' || byte == 0).next();
            let name = key.and_then(|key| key.rsplit(|&byte| byte == b'.').next());
            let is_name = |name: &[u8]| {
                name.first().is_some_and(u8::is_ascii_alphabetic)
                    && name
                        .iter()
                        .all(|&byte| byte.is_ascii_alphanumeric() || byte == b'-')
            };
            // Others are listed, but not used.
            if name.is_some_and(is_name) && key.is_some_and(|key| key.contains(&b'.')) {
                used.extend_from_slice(variable);
            }
        }
        Some(used)
    }
}

impl Target for ConfigurationFile {
    fn seeds(&self) -> Vec<Vec<u8>> {
        corpus("configuration")
    }

    fn words(&self) -> &[&[u8]] {
        &[
            b"[a]",
            b"[a \"b\"]",
            b"[core]",
            b"=",
            b"\"",
            b"\\",
            b"\\\n",
            b"#",
            b";",
            b"\n",
            b"\r\n",
            b"\xef\xbb\xbf",
            b"true",
            b"10k",
            b"[a.b]",
            b"\t",
            b"\\n",
            b"99999999999999999999g",
            b"]",
            b"~/x",
            b"\0",
        ]
    }

    fn run(&mut self, input: &[u8]) -> Result<u64, String> {
        let read = Configuration::of_text(input);
        self.count += 1;
        let has_includes = memchr::memmem::find(&input.to_ascii_lowercase(), b"include").is_some();
        let own = read.as_ref().ok().map(|configuration| {
            let mut list = Vec::new();
            for variable in configuration.variables() {
                list.extend_from_slice(variable.key());
                if let Some(value) = variable.bytes() {
                    list.push(b'\n');
                    list.extend_from_slice(value);
                }
                list.push(0);
                let _ = (variable.boolean(), variable.int(), variable.unsigned_long());
                let _ = (variable.text(), variable.path());
            }
            list
        });
        if self.count % COMPARED == 1 && !has_includes {
            let git = self.git(input);
            ensure(git == own, || {
                let shown = |list: &Option<Vec<u8>>| {
                    list.as_deref().map(|list| list.escape_ascii().to_string())
                };
                format!("{:?}, and git {:?}", shown(&own), shown(&git))
            })?;
        }
        Ok(outcome((own.is_some(), own.map(|list| list.len().min(80)))))
    }
}

/// Lists of revisions to ignore.
pub struct IgnoreRevs {
    repository: TestRepo,
    opened: Repository,
    head: ObjectId,
}

impl IgnoreRevs {
    pub fn new() -> IgnoreRevs {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        repository.write(b"file", b"text\n");
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "first"]);
        let opened = Repository::open_own(repository.root()).expect("it is a repository");
        IgnoreRevs {
            head: ObjectId::from_hex(&repository.git(&["rev-parse", "HEAD"]))
                .expect("git says an id"),
            opened,
            repository,
        }
    }
}

impl Target for IgnoreRevs {
    fn seeds(&self) -> Vec<Vec<u8>> {
        let mut seeds = corpus("ignore_revs");
        seeds.push(format!("# why\n{}\n\n  {} # and why\r\n", self.head, self.head).into_bytes());
        seeds
    }

    fn words(&self) -> &[&[u8]] {
        &[
            b"#",
            b"\n",
            b"\r",
            b" ",
            b"\t",
            b"0123456789abcdef0123456789abcdef01234567",
            b"\0",
            b"HEAD",
            b"\x0b",
        ]
    }

    fn run(&mut self, input: &[u8]) -> Result<u64, String> {
        self.repository.write(b"list", input);
        let options = BlameOptions {
            ignored_files: vec![BString::from("list")],
            ..BlameOptions::default()
        };
        let mut expected = Some(HashSet::new());
        for line in input.lines() {
            let line = line
                .split(|&byte| byte == b'#')
                .next()
                .unwrap_or_default()
                .trim_ascii();
            if line.is_empty() {
                continue;
            }
            match ObjectId::from_hex(line).ok().filter(|_| line.len() == 40) {
                Some(id) if id == self.head => {
                    if let Some(all) = &mut expected {
                        all.insert(id);
                    }
                }
                Some(_) => {}
                None => {
                    expected = None;
                    break;
                }
            }
        }
        let found = ignored(&self.opened, &options, &mut Vec::new());
        ensure(found.as_ref().ok() == expected.as_ref(), || {
            format!("{found:?}, not {expected:?}")
        })?;
        Ok(outcome((
            expected.map(|all| all.len()),
            input.lines().count().min(9),
        )))
    }
}
