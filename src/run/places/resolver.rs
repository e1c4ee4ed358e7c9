//! Puts together what belongs to each line, in the order of the lines.

use std::{
    collections::{HashSet, VecDeque},
    io::{self, Read},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel},
    },
    thread,
    time::Duration,
};

use bstr::BString;

use crate::{
    dates::calendar::Clock,
    error::noted,
    objects::ObjectId,
    repository::{Repository, places::finder::LinePlace, request::options::BlameOptions},
    run::places::{
        answers::{FileAnswer, LineCommit},
        blames::{FileBlamer, KeptBlames},
        events::{Event, FileOutcome, FoundBlame, InputLine},
        files::NamedFiles,
        input::{InputReader, InputRoom},
        jobs::Jobs,
    },
    text::thousands::counted,
};

/// Events that may wait to be taken.
const MAX_EVENTS: usize = 1024;

/// Most bytes of warnings. Of further ones it is only said that there are some.
const MAX_NOTED: usize = 128 << 10;

/// A line of the input with what is known of its place.
#[derive(Debug)]
pub(super) struct ResolvedLine {
    pub(super) number: u64,
    pub(super) text: BString,
    pub(super) place: Option<ResolvedPlace>,
    /// The line goes on, in later parts.
    pub(super) is_cut: bool,
}

/// A place, and who wrote its line.
#[derive(Debug)]
pub(super) struct ResolvedPlace {
    /// From the root of the tree; as written if there is no such file.
    pub(super) path: BString,
    /// The commit that the input names with it.
    pub(super) revision: Option<ObjectId>,
    pub(super) line: Option<u32>,
    pub(super) column: Option<u32>,
    /// Or why that is not known.
    pub(super) written: Result<LineCommit, BString>,
}

/// What comes next.
pub(super) enum Next {
    Line(ResolvedLine),
    /// The next line is not known yet.
    Later,
    End,
}

/// How places are resolved.
pub(super) struct PlaceRequest {
    pub(super) repository: Arc<Repository>,
    /// Those of each file, except the file.
    pub(super) options: BlameOptions,
    /// The commit that is blamed; `None` for the work tree.
    pub(super) commit: Option<ObjectId>,
    pub(super) clock: Clock,
    pub(super) kept: KeptBlames,
    pub(super) threads: usize,
    /// Files are blamed as a whole.
    pub(super) only_whole: bool,
    /// The input is SARIF.
    pub(super) sarif: bool,
}

/// The lines of an input, resolved by threads.
pub(super) struct PlaceResolver {
    jobs: Arc<Jobs>,
    room: Arc<InputRoom>,
    events: Receiver<Event>,
    waiting: VecDeque<InputLine>,
    answers: Vec<Option<Result<FileAnswer, BString>>>,
    has_ended: bool,
    /// An error of reading the input.
    pub(super) failed_input: Option<io::Error>,
    /// The files that could not be blamed.
    pub(super) failed: u64,
    pub(super) is_damaged: bool,
    /// Warnings that were not taken yet, each once.
    pub(super) notes: Vec<BString>,
    noted: HashSet<BString>,
    /// The bytes of those that were noted.
    noted_len: usize,
    /// What can be kept.
    pub(super) found: Vec<FoundBlame>,
}

impl PlaceResolver {
    /// Starts the threads. They end with the input, or with this.
    pub(super) fn start(request: PlaceRequest, input: impl Read + Send + 'static) -> PlaceResolver {
        let jobs = Arc::new(Jobs::new(request.only_whole));
        let room = Arc::<InputRoom>::default();
        let (sender, events) = sync_channel(MAX_EVENTS);
        let reader = InputReader {
            files: NamedFiles::new(&request.repository, request.commit, &jobs),
            jobs: Arc::clone(&jobs),
            room: Arc::clone(&room),
            events: sender.clone(),
        };
        let sarif = request.sarif;
        thread::spawn(move || reader.run(input, sarif));
        for _ in 0..request.threads.max(1) {
            let blamer = FileBlamer {
                repository: Arc::clone(&request.repository),
                options: request.options.clone(),
                clock: request.clock.clone(),
                kept: request.kept.clone(),
                threads: request.threads,
            };
            let (jobs, events) = (Arc::clone(&jobs), sender.clone());
            thread::spawn(move || blamer.run(&jobs, &events));
        }
        PlaceResolver {
            jobs,
            room,
            events,
            waiting: VecDeque::new(),
            answers: Vec::new(),
            has_ended: false,
            failed_input: None,
            failed: 0,
            is_damaged: false,
            notes: Vec::new(),
            noted: HashSet::new(),
            noted_len: 0,
            found: Vec::new(),
        }
    }

    /// The next line. If it is not known yet, waits so long for something to change.
    pub(super) fn next(&mut self, wait: Duration) -> Next {
        loop {
            match self.events.try_recv() {
                Ok(event) => self.take(event),
                Err(TryRecvError::Disconnected) => break,
                Err(TryRecvError::Empty) => break,
            }
            // Lines that are known go out before more are read.
            if self.first_is_known() {
                break;
            }
        }
        if let Some(line) = self.take_known() {
            return Next::Line(line);
        }
        if self.has_ended && self.waiting.is_empty() {
            return Next::End;
        }
        if !wait.is_zero() {
            match self.events.recv_timeout(wait) {
                Ok(event) => self.take(event),
                Err(RecvTimeoutError::Timeout) => {}
                // All threads have ended without an answer: one has panicked.
                Err(RecvTimeoutError::Disconnected) => {
                    self.has_ended = true;
                    self.fail_rest();
                }
            }
        }
        Next::Later
    }

    /// A note, unless it was noted before or there are too many.
    #[track_caller]
    fn note(&mut self, note: BString) {
        if self.noted_len > MAX_NOTED || self.noted.contains(&note) {
            return;
        }
        self.noted_len += note.len();
        self.noted.insert(note.clone());
        self.notes.push(noted(note));
        if self.noted_len > MAX_NOTED {
            self.notes
                .push(noted("warning: further warnings are left out".into()));
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Line(line) => self.waiting.push_back(line),
            Event::File(blamed) => self.take_file(*blamed),
            Event::End(read) => {
                self.has_ended = true;
                self.failed_input = read.err();
            }
        }
    }

    fn take_file(&mut self, blamed: FileOutcome) {
        if self.answers.len() <= blamed.file {
            self.answers.resize_with(blamed.file + 1, || None);
        }
        for note in blamed.notes {
            self.note(note);
        }
        self.found.extend(blamed.found);
        self.is_damaged |= blamed.is_damaged;
        let answer = blamed.answer.map_err(|error| {
            self.failed += 1;
            let path = self.shown(blamed.file);
            let message = error.message().to_owned();
            for note in error.notes() {
                self.note(note.clone());
            }
            self.note(
                [b"warning: ", path.as_slice(), b": ", &message]
                    .concat()
                    .into(),
            );
            message
        });
        let known = &mut self.answers[blamed.file];
        match (known, answer) {
            (Some(Ok(known)), Ok(answer)) => known.add(answer),
            (known, answer) => *known = Some(answer),
        }
    }

    /// The name of a file in messages.
    fn shown(&self, file: usize) -> BString {
        let file = self.jobs.file(file);
        file.map(|file| file.shown()).unwrap_or_default()
    }

    fn fail_rest(&mut self) {
        for line in &self.waiting {
            if let LinePlace::Place { file, .. } = line.place {
                if self.answers.len() <= file {
                    self.answers.resize_with(file + 1, || None);
                }
                self.answers[file] = Some(Err("it could not be blamed".into()));
                self.failed += 1;
            }
        }
    }

    fn first_is_known(&self) -> bool {
        match self.waiting.front().map(|line| &line.place) {
            Some(LinePlace::Place { file, line, .. }) => self.written(*file, *line).is_some(),
            Some(_) => true,
            None => false,
        }
    }

    /// Who wrote a line (1-based) of a file, or why that is not known; `None` if that is not known
    /// yet.
    fn written(&self, file: usize, line: u32) -> Option<Result<LineCommit, BString>> {
        match self.answers.get(file)?.as_ref()? {
            Err(problem) => Some(Err(problem.clone())),
            Ok(answer) if line > answer.line_count => {
                let lines = counted(answer.line_count, "line");
                Some(Err(format!("the file has only {lines}").into()))
            }
            Ok(answer) => answer.attribution(line - 1).map(Ok),
        }
    }

    fn take_known(&mut self) -> Option<ResolvedLine> {
        if !self.first_is_known() {
            return None;
        }
        let line = self.waiting.pop_front()?;
        self.room.free(line.text.len());
        let place = match line.place {
            LinePlace::Nothing => None,
            LinePlace::Missing(path) => {
                self.note(
                    [b"warning: there is no file ", path.as_slice()]
                        .concat()
                        .into(),
                );
                Some(ResolvedPlace {
                    path,
                    revision: None,
                    line: None,
                    column: None,
                    written: Err("there is no such file".into()),
                })
            }
            LinePlace::Place {
                file,
                line: number,
                column,
            } => {
                let written = self.written(file, number)?;
                let named = self.jobs.file(file)?;
                if let (Err(problem), Some(Some(Ok(_)))) = (&written, self.answers.get(file)) {
                    let shown = named.shown();
                    let note = [b"warning: ", shown.as_slice(), b": ", problem.as_slice()];
                    self.note(note.concat().into());
                }
                Some(ResolvedPlace {
                    path: named.path,
                    revision: named.revision.map(|revision| revision.commit),
                    line: Some(number),
                    column,
                    written,
                })
            }
        };
        Some(ResolvedLine {
            number: line.number,
            text: line.text,
            place,
            is_cut: line.is_cut,
        })
    }
}

impl Drop for PlaceResolver {
    fn drop(&mut self) {
        self.jobs.cancel();
    }
}
