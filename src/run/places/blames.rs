//! Blames the files.

use std::{
    ops::Range,
    sync::{Arc, mpsc::SyncSender},
    time::Instant,
};

use bstr::{BString, ByteSlice};

use crate::{
    cache::BlameFiles,
    dates::calendar::Clock,
    engine::{BlameCache, Discard, Engine, Request},
    error::{Error, Kind, Result},
    repository::{
        Repository,
        commits::cached_texts::CachedTexts,
        open::paths::relative_path,
        request::{options::BlameOptions, prepare::prepare},
        revisions::peel::unreadable_parent,
    },
    run::{
        elsewhere,
        errors::blame_error,
        places::{
            answers::FileAnswer,
            events::{Event, FileOutcome, FoundBlame},
            jobs::{Job, Jobs},
            place_file::PlaceFile,
        },
    },
    sanitize,
    text::line_offsets::LineOffsets,
};

/// The kept blames, with the texts of their commits.
pub(super) type KeptBlames = Option<(BlameFiles, Arc<CachedTexts>)>;

/// Blames files on one thread.
pub(super) struct FileBlamer {
    pub(super) repository: Arc<Repository>,
    /// Those of each file, except the file.
    pub(super) options: BlameOptions,
    pub(super) clock: Clock,
    pub(super) kept: KeptBlames,
    pub(super) threads: usize,
}

impl FileBlamer {
    /// Blames files until there are no more.
    pub(super) fn run(self, jobs: &Jobs, events: &SyncSender<Event>) {
        let mut engine = Engine::new(Arc::clone(self.repository.store()), 1);
        while let Some(job) = jobs.next() {
            // Several files are blamed beside each other, so that each needs no second thread.
            engine.set_threads(if job.is_alone { self.threads } else { 1 });
            let mut blamed = FileOutcome {
                file: job.file,
                answer: Ok(FileAnswer::default()),
                is_damaged: false,
                notes: Vec::new(),
                found: None,
            };
            blamed.answer = self.blame(&job, &mut engine, &mut blamed);
            engine.release_versions();
            if events.send(Event::File(Box::new(blamed))).is_err() {
                return;
            }
        }
    }

    fn blame(
        &self,
        job: &Job,
        engine: &mut Engine,
        blamed: &mut FileOutcome,
    ) -> Result<FileAnswer> {
        let began = Instant::now();
        let mut request = self.request(&job.blamed, &mut blamed.notes)?;
        let contents = self.repository.final_contents(&request)?;
        let line_count = LineOffsets::new(&contents).bounds().len() - 1;
        let line_count = u32::try_from(line_count).unwrap_or(u32::MAX);
        let lines = job.lines.as_ref();
        request.ranges = lines.map(|lines| ranges(lines, line_count));
        if request.ranges.as_ref().is_some_and(Vec::is_empty) {
            return Ok(FileAnswer::without_lines(line_count));
        }
        let mut cache = self.kept.as_ref().and_then(|(files, texts)| {
            files.of_request(&self.repository, &request, Arc::clone(texts))
        });
        let kept = cache.as_mut().map(|cache| cache as &mut dyn BlameCache);
        let result = engine.blame_with_cache(&request, kept, &mut Discard);
        blamed.is_damaged = result.as_ref().is_err_and(|err| err.is_sign_of_damage());
        let mut blame = result.map_err(blame_error)?;
        let unreadable = blame.unreadable_parents.iter();
        blamed
            .notes
            .extend(unreadable.map(|err| unreadable_parent(err)));
        if let Some(conversion) = &request.text_conversion {
            blamed.notes.extend(conversion.take_notes());
        }
        let elapsed = began.elapsed();
        if let (Some(cache), Some(found)) = (cache, blame.to_cache.take()) {
            blamed.found = cache.is_kept(elapsed).then_some(FoundBlame {
                cache,
                blame: found,
                elapsed,
            });
        }
        Ok(FileAnswer::new(line_count, &blame))
    }

    fn request(&self, file: &PlaceFile, notes: &mut Vec<BString>) -> Result<Request> {
        let mut options = self.options.clone();
        let is_of_work_tree = file.revision.is_none()
            && options.operands.is_empty()
            && self.repository.paths().work_tree.is_some();
        if let Some(revision) = &file.revision {
            options.operands = vec![revision.commit.to_string().into()];
        }
        let prefix = self.repository.paths().prefix.as_bstr();
        let typed = relative_path(file.path.as_bstr(), prefix);
        options.operands.extend(["--".into(), typed]);
        let prepared = prepare(&self.repository, &options, &self.clock, notes);
        let prepared = prepared.map_err(|err| match err.kind() {
            // The file is there, or it would not be blamed.
            Kind::NoSuchPath if is_of_work_tree => self.untracked(file),
            _ => err,
        });
        Ok(prepared?.request)
    }

    /// Why a file of the work tree has no answer, although it is there.
    fn untracked(&self, file: &PlaceFile) -> Error {
        let root = self.repository.paths().work_tree.as_deref();
        let other = root.and_then(|root| {
            let file = root.join(file.path.to_path_lossy());
            let other = elsewhere::root_of(file.parent()?)?;
            (other != root).then(|| other.strip_prefix(root).unwrap_or(other).to_owned())
        });
        Error::fatal(match other {
            Some(other) => {
                let other = sanitize::line(other.as_os_str().as_encoded_bytes());
                format!("it is of another repository, in {other}")
            }
            None => "git does not track this file".to_owned(),
        })
    }
}

/// True if a blame finds for a line alone what it finds for it among all lines.
pub(super) fn is_of_single_lines(request: &Request) -> bool {
    !request.movement.depends_on_file() && request.ignored.is_empty()
}

/// The ranges of lines (0-based) of a file with `count` lines.
fn ranges(lines: &[u32], count: u32) -> Vec<Range<u32>> {
    let mut lines: Vec<u32> = lines.iter().copied().filter(|&line| line < count).collect();
    lines.sort_unstable();
    lines.dedup();
    let mut ranges: Vec<Range<u32>> = Vec::new();
    for line in lines {
        match ranges.last_mut() {
            Some(last) if last.end == line => last.end += 1,
            _ => ranges.push(line..line + 1),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_lines() {
        assert_eq!(ranges(&[7, 2, 3, 7, 9, 1], 9), [1..4, 7..8]);
        assert_eq!(ranges(&[9, 10], 9), []);
        let last = u32::MAX - 1;
        assert_eq!(ranges(&[last, 7], u32::MAX), [7..8, last..u32::MAX]);
    }
}
