//! Reads standard input, and finds the place in each line.

use std::{
    io::{self, BufRead, BufReader, Read},
    sync::{Arc, Condvar, Mutex, PoisonError, mpsc::SyncSender},
};

use bstr::ByteSlice;

use crate::{
    repository::places::{
        finder::{LinePlace, PlaceFiles, PlaceFinder},
        records,
    },
    run::places::{
        events::{Event, InputLine},
        files::NamedFiles,
        jobs::Jobs,
    },
};

/// The place is looked for in this much of a line, which passes through in parts if it is longer.
const MAX_LINE: u64 = 16 << 20;

/// Most bytes of lines that wait for their answers.
const MAX_WAITING: usize = 64 << 20;

/// The bytes that a line needs beside its text.
const LINE_LEN: usize = size_of::<InputLine>();

/// Most bytes of a document.
const MAX_DOCUMENT: u64 = 256 << 20;

/// The room for lines that wait.
#[derive(Debug, Default)]
pub(super) struct InputRoom {
    taken: Mutex<usize>,
    freed: Condvar,
}

impl InputRoom {
    /// Waits for the room of a line with so many bytes.
    fn take(&self, bytes: usize) {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.freed.wait_while(taken, |taken| *taken > MAX_WAITING);
        *waited.unwrap_or_else(PoisonError::into_inner) += bytes + LINE_LEN;
    }

    /// Frees the room of such a line.
    pub(super) fn free(&self, bytes: usize) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_sub(bytes + LINE_LEN);
        self.freed.notify_one();
    }
}

/// Reads lines and wants their places, until the end or an error.
pub(super) struct InputReader {
    pub(super) files: NamedFiles,
    pub(super) jobs: Arc<Jobs>,
    pub(super) room: Arc<InputRoom>,
    pub(super) events: SyncSender<Event>,
}

impl InputReader {
    /// Reads all of `input`: lines, or a document in SARIF.
    pub(super) fn run(mut self, input: impl Read, sarif: bool) {
        let read = if sarif {
            self.read_document(input)
        } else {
            self.read_lines(BufReader::with_capacity(1 << 16, input))
        };
        self.jobs.end();
        let _ = self.events.send(Event::End(read));
    }

    fn read_lines(&mut self, mut input: impl BufRead) -> io::Result<()> {
        let mut finder = PlaceFinder::default();
        let (mut number, mut is_rest) = (0, false);
        loop {
            let mut text = Vec::new();
            let mut part = (&mut input).take(MAX_LINE);
            if part.read_until(b'\n', &mut text)? == 0 {
                return Ok(());
            }
            let place = if is_rest {
                LinePlace::Nothing
            } else {
                number += 1;
                finder.find(&text, &mut self.files)
            };
            let has_end = text.ends_with(b"\n");
            let is_full = !has_end && text.len() as u64 == MAX_LINE;
            // After an error, the next read reports it.
            let is_cut = is_full && input.fill_buf().map_or(true, |rest| !rest.is_empty());
            let line = InputLine {
                number,
                text: text.into(),
                place,
                is_cut,
            };
            if !self.pass(line) {
                return Ok(());
            }
            is_rest = !has_end;
        }
    }

    fn read_document(&mut self, input: impl Read) -> io::Result<()> {
        let mut document = Vec::new();
        input.take(MAX_DOCUMENT).read_to_end(&mut document)?;
        let invalid =
            |words: &str| io::Error::new(io::ErrorKind::InvalidData, format!("not SARIF: {words}"));
        let findings = records::findings(&document).map_err(invalid)?;
        for (number, finding) in (1..).zip(findings) {
            let place = match finding.place {
                Some(place) => match self.files.find(place.file.as_bstr()) {
                    Some(file) => LinePlace::Place {
                        file,
                        line: place.line,
                        column: place.column,
                    },
                    None => LinePlace::Missing(place.file),
                },
                None => LinePlace::Nothing,
            };
            let mut text = finding.text;
            text.push(b'\n');
            let line = InputLine {
                number,
                text,
                place,
                is_cut: false,
            };
            if !self.pass(line) {
                break;
            }
        }
        Ok(())
    }

    /// Passes a line on; false if nobody takes it.
    fn pass(&mut self, mut line: InputLine) -> bool {
        match &line.place {
            LinePlace::Place { file, line, .. } => self.jobs.want(*file, line - 1),
            LinePlace::Missing(name) if !self.files.is_inside(name.as_bstr()) => {
                line.place = LinePlace::Nothing;
            }
            _ => {}
        }
        self.room.take(line.text.len());
        self.events.send(Event::Line(line)).is_ok()
    }
}
