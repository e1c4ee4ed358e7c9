//! A made-up history of one file, which serves the viewer in place of a repository.

use std::{
    collections::HashMap,
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use bstr::BString;

use tblame::internals::{
    engine::{Entry, Origin, OriginId, Sink},
    objects::ObjectId,
    repository::provenance::finder::Arrival,
    viewer::{
        model::{
            background::{
                provenance::{FoundProvenance, MergeCommit, ProvenanceQuery},
                queries::{
                    CommitContext, CommitContextQuery, CompletionQuery, FileListQuery,
                    LeftOutFiles, NamedVersion, PlaceQuery, QueryEvent, QueryReader, QueryReaders,
                    QueryRequest, answer,
                },
                query::{Answer, Stop},
            },
            source::{
                BlameSource, BlameStats, CommitChanges, CommitMetadata, Failure, FileChange,
                FileVersion, Signature, VersionReader,
            },
            texts::encodings::EncodingConverter,
            toggled_options::ToggledOptions,
        },
        tasks::{line_changes::LineComparer, old_lines::OldSideBlamer, origins::OriginFinder},
    },
};

/// 2020-01-01, when the made-up histories end.
pub const NOW: i64 = 1_577_836_800;

/// Most time that is waited for a frame: a test that needs longer fails.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// A line of a made-up file: its text, the version that wrote it, and its place there.
#[derive(Debug, Clone)]
pub struct FakeLine {
    pub text: String,
    from: Option<(usize, u32)>,
}

pub fn line(text: &str) -> FakeLine {
    FakeLine {
        text: text.to_owned(),
        from: None,
    }
}

#[derive(Debug, Clone)]
pub(super) struct FakeVersion {
    pub(super) path: Arc<BString>,
    lines: Vec<FakeLine>,
    commit: CommitMetadata,
}

/// A made-up history of one file: a version per commit, the oldest first.
#[derive(Debug, Clone, Default)]
pub struct FakeHistory {
    pub(super) versions: Vec<FakeVersion>,
    /// After so many entries the blame fails.
    pub broken_after: Option<usize>,
    /// The version that the ignore file names.
    pub listed: Option<usize>,
    /// What surrounds its commits.
    pub circumstances: HashMap<ObjectId, CommitContext>,
    /// What brought its commits.
    pub provenance: FoundProvenance,
    /// Every commit writes a line of docs/lamp.md too.
    pub documented: bool,
    /// How often something was blamed.
    pub blames: Arc<AtomicUsize>,
    /// A blame goes on after its newest commit once this is set.
    pub blame_goes_on: Option<Arc<AtomicBool>>,
    /// The search for origins goes on after its first answer once this is set.
    pub goes_on: Option<Arc<AtomicBool>>,
}

impl FakeHistory {
    /// Commits what `edit` makes of the newest version's lines.
    pub fn commit(
        mut self,
        author: &str,
        message: &str,
        edit: impl FnOnce(&mut Vec<FakeLine>),
    ) -> Self {
        let number = self.versions.len();
        let last = self.versions.last();
        let mut lines = last
            .map(|version| version.lines.clone())
            .unwrap_or_default();
        let path = last.map(|version| version.path.clone());
        edit(&mut lines);
        for (at, line) in lines.iter_mut().enumerate() {
            line.from.get_or_insert((number, at as u32));
        }
        let person = Signature {
            name: author.into(),
            mail: format!("{}@example.org", author.to_lowercase()).into(),
            time: NOW - 86_400 * 400 * (6 - number as i64),
            offset: 3600,
        };
        self.versions.push(FakeVersion {
            path: path.unwrap_or_else(|| Arc::new("src/lamp.rs".into())),
            lines,
            commit: CommitMetadata {
                author: person.clone(),
                committer: person,
                co_authors: Vec::new(),
                message: message.into(),
                change_id: None,
                root: number == 0,
                merge_parents: Vec::new(),
            },
        });
        self
    }

    /// The commit of a version.
    pub fn commit_mut(&mut self, number: usize) -> &mut CommitMetadata {
        &mut self.versions[number].commit
    }

    /// Renames the file in the newest version.
    pub fn renamed(mut self, path: &str) -> Self {
        let version = self.versions.last_mut().expect("a version");
        version.path = Arc::new(path.into());
        self
    }

    pub fn id(number: usize) -> ObjectId {
        ObjectId::from_bytes_or_panic(&[number as u8 + 1; 20])
    }

    /// What docs/lamp.md is in a commit.
    fn document(&self, commit: &ObjectId) -> Option<String> {
        let mut numbers = 0..self.versions.len();
        let number = numbers.find(|&number| self.documented && Self::id(number) == *commit)?;
        Some((0..=number).map(|at| format!("Step {at}\n")).collect())
    }

    fn number(&self, version: &FileVersion) -> Result<usize, Failure> {
        match version {
            FileVersion::CommandLine => Ok(self.versions.len() - 1),
            FileVersion::WorkTree { path } | FileVersion::Reloaded { path, .. } => {
                Err(Failure::new(format!("no '{path}' here")))
            }
            FileVersion::Commit { commit, path } => {
                let mut numbers = 0..self.versions.len();
                let found = numbers.find(|&number| {
                    Self::id(number) == *commit && self.versions[number].path == *path
                });
                found.ok_or_else(|| Failure::new(format!("no such path '{path}' in {commit}")))
            }
        }
    }
}

impl BlameSource for FakeHistory {
    fn contents(&mut self, version: &FileVersion) -> Result<Arc<[u8]>, Failure> {
        let version = &self.versions[self.number(version)?];
        let text: String = version
            .lines
            .iter()
            .map(|line| line.text.clone() + "\n")
            .collect();
        Ok(Arc::from(text.into_bytes()))
    }

    fn blame(
        &mut self,
        version: &FileVersion,
        options: &ToggledOptions,
        sink: &mut dyn Sink,
    ) -> Result<BlameStats, Failure> {
        self.blames.fetch_add(1, Ordering::Relaxed);
        let newest = self.number(version)?;
        let origins: Vec<Origin> = (0..=newest)
            .map(|number| Origin {
                commit: Self::id(number),
                path: self.versions[number].path.clone(),
                previous: number.checked_sub(1).map(|number| OriginId(number as u32)),
            })
            .collect();
        let lines = &self.versions[newest].lines;
        let mut sent = 0;
        for number in (0..=newest).rev() {
            let time = self.versions[number].commit.author.time;
            let begun = Instant::now();
            let goes_on = || {
                let flag = self.blame_goes_on.as_ref().filter(|_| number < newest);
                flag.is_none_or(|it| it.load(Ordering::Relaxed))
            };
            while !goes_on() && begun.elapsed() < MAX_WAIT {
                thread::sleep(Duration::from_millis(1));
                if sink.progress(time).is_break() {
                    return Ok(BlameStats::default());
                }
            }
            if sink.progress(time).is_break() {
                return Ok(BlameStats::default());
            }
            for (at, line) in lines.iter().enumerate() {
                let (from, source) = line.from.expect("committed");
                let listed = self.listed.filter(|_| options.ignore_revs_file);
                let ignored =
                    |from: usize| options.ignored.contains(&Self::id(from)) || listed == Some(from);
                // An ignored commit's lines are the older one's, if there is one.
                let first = (0..=from).rev().find(|&from| !ignored(from)).unwrap_or(0);
                let (passed, unblamable) = (first < from, ignored(first));
                let from = first;
                if from != number {
                    continue;
                }
                if self.broken_after.is_some_and(|most| sent >= most) {
                    return Err(Failure::new("unable to read the tree"));
                }
                sent += 1;
                let entry = Entry {
                    lines: at as u32..at as u32 + 1,
                    source_start: source,
                    origin: OriginId(from as u32),
                    ignored: passed,
                    unblamable,
                };
                if sink.entry(&entry, &origins, false) == ControlFlow::Break(()) {
                    return Ok(BlameStats::default());
                }
            }
        }
        Ok(BlameStats::default())
    }

    fn version_reader(&self) -> Box<dyn VersionReader> {
        Box::new(self.clone())
    }

    fn query_readers(&self) -> QueryReaders {
        let reader = |_| Box::new(self.clone()) as Box<dyn QueryReader>;
        QueryReaders((0..QueryReaders::COUNT).map(reader).collect())
    }
}

impl QueryReader for FakeHistory {
    /// Other queries than these have no answer.
    fn answer(
        &mut self,
        request: &QueryRequest,
        send: &mut dyn FnMut(QueryEvent) -> ControlFlow<()>,
        stop: Stop<'_>,
    ) {
        let end = match request {
            QueryRequest::CommitContext(CommitContextQuery(id)) => {
                let context = self.circumstances.get(id).cloned();
                Answer::<CommitContextQuery>::Ended(Ok(context.unwrap_or_default())).into()
            }
            QueryRequest::Place(query) => Answer::<PlaceQuery>::Ended(self.place(query)).into(),
            QueryRequest::Completions(query) => {
                Answer::<CompletionQuery>::Ended(Ok(self.completions(query))).into()
            }
            QueryRequest::FileList(query) => {
                let names = self.names(query);
                let end = names.map(|names| {
                    for name in names {
                        let _ = send(Answer::<FileListQuery>::Found(vec![name]).into());
                    }
                    LeftOutFiles::default()
                });
                Answer::<FileListQuery>::Ended(end).into()
            }
            QueryRequest::Provenance(query) => {
                Answer::<ProvenanceQuery>::Ended(Ok(self.provenance(query))).into()
            }
            QueryRequest::Origins(query) => {
                let mut finder = OriginFinder::new(Box::new(self.clone()));
                let mut send = |event| self.send_and_wait(event, send, stop);
                return answer(&mut finder, query, &mut send, stop);
            }
            QueryRequest::OldLines(query) => {
                let mut blamer = OldSideBlamer::new(Box::new(self.clone()));
                let mut send = |event| self.send_and_wait(event, send, stop);
                return answer(&mut blamer, query, &mut send, stop);
            }
            QueryRequest::LineChange(query) => {
                let mut comparer = LineComparer::new(Box::new(self.clone()));
                return answer(&mut comparer, query, send, stop);
            }
            QueryRequest::VersionChange(query) => {
                let mut comparer = LineComparer::new(Box::new(self.clone()));
                return answer(&mut comparer, query, send, stop);
            }
            QueryRequest::Functions(query) => {
                let mut comparer = LineComparer::new(Box::new(self.clone()));
                return answer(&mut comparer, query, send, stop);
            }
            QueryRequest::Conversion(query) => {
                return answer(&mut EncodingConverter, query, send, stop);
            }
            _ => request.failed(Failure::new("this is not available here")),
        };
        let _ = send(end);
    }
}

impl FakeHistory {
    /// Sends a part of an answer, and waits until it may go on.
    fn send_and_wait(
        &self,
        event: QueryEvent,
        send: &mut dyn FnMut(QueryEvent) -> ControlFlow<()>,
        stop: Stop<'_>,
    ) -> ControlFlow<()> {
        let flow = send(event);
        let begun = Instant::now();
        let goes_on = || {
            let flag = self.goes_on.as_ref();
            flag.is_none_or(|it| it.load(Ordering::Relaxed))
        };
        while !goes_on() && !stop() && begun.elapsed() < MAX_WAIT {
            thread::sleep(Duration::from_millis(1));
        }
        flow
    }

    fn provenance(&self, query: &ProvenanceQuery) -> FoundProvenance {
        let mut found = self.provenance.clone();
        found.releases.retain(|(id, _)| query.releases.contains(id));
        found.arrivals.retain(|(id, _)| query.arrivals.contains(id));
        let brings = |id| found.arrivals.iter().any(|(_, it)| it.merge == Some(id));
        found.merges.retain(|merge| brings(merge.id));
        found
    }

    fn place(&self, query: &PlaceQuery) -> Result<NamedVersion, Failure> {
        let input = query.input.to_string();
        let number = self.named(&input);
        let number = number.ok_or_else(|| Failure::new(format!("no “{input}” here")))?;
        Ok(NamedVersion {
            version: FileVersion::Commit {
                commit: Self::id(number),
                path: self.versions[number].path.clone(),
            },
            is_same_file: true,
            note: None,
            is_too_early: false,
            is_uncertain: false,
            line: None,
        })
    }

    fn completions(&self, query: &CompletionQuery) -> Vec<BString> {
        let versions = (0..self.versions.len()).map(|number| format!("v{number}"));
        let names = versions.chain(["main".to_owned(), "maint/1.0".to_owned()]);
        let names = names.map(BString::from);
        let begins = |name: &BString| name.starts_with(&query.input);
        names.filter(begins).collect()
    }

    fn names(&self, query: &FileListQuery) -> Result<Vec<BString>, Failure> {
        let version = &self.versions[self.number(&query.version)?];
        let own = version.path.to_string();
        Ok(vec![
            own.into(),
            "src/main.rs".into(),
            "docs/lamp.md".into(),
        ])
    }
}

impl FakeHistory {
    /// Lets a merge bring the first commit.
    pub fn merged(mut self, merge: MergeCommit) -> Self {
        let arrival = Arrival {
            merge: Some(merge.id),
            request: None,
        };
        self.provenance.arrivals.push((Self::id(0), arrival));
        self.provenance.merges.push(merge);
        self
    }

    /// The names of its versions: `v0`, `v1` and so on.
    fn named(&self, name: &str) -> Option<usize> {
        let number = name.strip_prefix('v')?.parse().ok()?;
        (number < self.versions.len()).then_some(number)
    }
}

impl VersionReader for FakeHistory {
    fn commit(&mut self, id: &ObjectId) -> Result<CommitMetadata, Failure> {
        let mut numbers = 0..self.versions.len();
        let found = numbers.find(|&number| Self::id(number) == *id);
        let found = found.ok_or_else(|| Failure::new(format!("no commit {id}")));
        Ok(self.versions[found?].commit.clone())
    }

    fn contents(&mut self, version: &FileVersion) -> Result<Arc<[u8]>, Failure> {
        match version {
            FileVersion::Commit { commit, path } if **path == "docs/lamp.md" => {
                let text = self.document(commit);
                let text = text.ok_or_else(|| Failure::new(format!("no '{path}' in {commit}")))?;
                Ok(Arc::from(text.as_bytes()))
            }
            _ => BlameSource::contents(self, version),
        }
    }

    fn mode(&mut self, version: &FileVersion) -> Result<Option<u32>, Failure> {
        let FileVersion::Commit { commit, path } = version else {
            return Ok(None);
        };
        let mut versions = (0..).zip(&self.versions);
        let found = versions.find(|(number, _)| Self::id(*number) == *commit);
        let (number, _) = found
            .filter(|(_, version)| version.path == *path)
            .unwrap_or((usize::MAX, &self.versions[0]));
        // The first version was executable.
        Ok(match number {
            0 => Some(0o100755),
            usize::MAX => None,
            _ => Some(0o100644),
        })
    }

    fn changes(
        &mut self,
        commit: &ObjectId,
        _: Option<ObjectId>,
        _: &dyn Fn() -> bool,
    ) -> Result<CommitChanges, Failure> {
        let mut numbers = 0..self.versions.len();
        let number = numbers.find(|&number| Self::id(number) == *commit);
        let number = number.ok_or_else(|| Failure::new(format!("no commit {commit}")))?;
        let parent = number.checked_sub(1);
        let side = |number: usize| (self.versions[number].path.clone(), 0o100644);
        let (old, new) = (parent.map(side), side(number));
        let renamed = old.as_ref().is_some_and(|old| *old != new);
        let mut files = vec![FileChange {
            old,
            new: Some(new),
            similarity: renamed.then_some(80),
            copied: false,
        }];
        if self.documented {
            let document = Some((Arc::new("docs/lamp.md".into()), 0o100644));
            files.insert(
                0,
                FileChange {
                    old: document.clone().filter(|_| parent.is_some()),
                    new: document,
                    similarity: None,
                    copied: false,
                },
            );
        }
        Ok(CommitChanges {
            parent: parent.map(Self::id),
            parents: parent.map(Self::id).into_iter().collect(),
            files,
            more: 0,
        })
    }
}

/// A lamp that several people worked on.
pub fn lamp_history() -> FakeHistory {
    FakeHistory::default()
        .commit("Ada", "Light the lamp", |lines| {
            lines.extend(["fn light() {", "    burn();", "}"].map(line));
        })
        .commit(
            "Ben",
            "Trim the wick before lighting\n\nA long wick smokes.",
            |lines| {
                lines.insert(1, line("    trim();"));
            },
        )
        .renamed("src/lantern.rs")
        .commit("Cleo", "Say what burns", |lines| {
            lines[2] = line("    burn(oil);");
            lines.insert(0, line("//! The lantern."));
            lines.push(line("// end"));
        })
}
