//! Answers [`NamedPlacesQuery`] with an input.

use std::{
    collections::HashMap,
    fmt,
    ops::ControlFlow,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use bstr::BString;

use crate::{
    objects::ObjectId,
    viewer::model::{
        background::{
            named_places::{FoundPlaces, NamedPlace, NamedPlacesQuery, WrittenPlace},
            provenance::WrittenLine,
            query::{AnswerTaker, Answers},
        },
        source::{CommitMetadata, Failure, VersionReader},
    },
};

/// The time between two parts of an answer.
const PART_INTERVAL: Duration = Duration::from_millis(30);

/// A place as it was read, and where its line was written or why that is not known.
#[derive(Debug)]
pub struct ReadPlace {
    /// The file, from the root of the tree.
    pub path: BString,
    /// The commit that is named with it; `None` for the one of the list.
    pub revision: Option<ObjectId>,
    /// The line of the file (1-based), if there is such a file.
    pub line: Option<u32>,
    /// The line of the input, without its line ending.
    pub text: BString,
    /// Where its line was written.
    pub written: Result<WrittenLine, BString>,
    /// Of a line that is not committed: the commit and the path of the file's version before, if there
    /// is one.
    pub before: Option<Box<(ObjectId, Arc<BString>)>>,
}

/// A line of the input.
#[derive(Debug)]
pub enum ReadLine {
    /// It names a place.
    Place(ReadPlace),
    /// It names a place that the filter leaves out.
    LeftOut,
    /// It names none.
    Other,
}

/// Takes lines, and nothing now and then while none comes. Breaks when they are no longer wanted.
pub type TakeLine<'a> = &'a mut dyn FnMut(Option<ReadLine>) -> ControlFlow<()>;

/// Reads all places.
pub type PlaceInput = Box<dyn FnMut(TakeLine<'_>) -> Result<(), Failure> + Send>;

/// The input, until it is read.
#[derive(Clone, Default)]
pub(super) struct UnreadPlaces(Arc<Mutex<Option<PlaceInput>>>);

impl fmt::Debug for UnreadPlaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UnreadPlaces")
    }
}

impl UnreadPlaces {
    pub(super) fn set(&self, input: PlaceInput) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(input);
    }
}

/// Reads the places, with their commits.
pub(super) struct PlaceLister {
    pub(super) input: UnreadPlaces,
    pub(super) commits: Box<dyn VersionReader>,
}

impl Answers<NamedPlacesQuery> for PlaceLister {
    fn run(
        &mut self,
        _: &NamedPlacesQuery,
        AnswerTaker { found, stop }: AnswerTaker<'_, NamedPlacesQuery>,
    ) -> Result<(), Failure> {
        let input = self.input.0.lock();
        let input = input.unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut input) = input else {
            return Err(Failure::new("the input was read before"));
        };
        let mut known = HashMap::new();
        let mut part = FoundPlaces::default();
        let mut sent: Option<Instant> = None;
        let commits = &mut self.commits;
        let end = input(&mut |line| {
            if stop() {
                return ControlFlow::Break(());
            }
            match line {
                Some(ReadLine::Place(place)) => {
                    part.places.push(named(place, commits.as_mut(), &mut known));
                }
                Some(ReadLine::LeftOut) => part.left_out += 1,
                Some(ReadLine::Other) => part.others += 1,
                None => {}
            }
            if part.places.is_empty() || sent.is_some_and(|sent| sent.elapsed() < PART_INTERVAL) {
                return ControlFlow::Continue(());
            }
            sent = Some(Instant::now());
            found(std::mem::take(&mut part))
        });
        // A break means that nobody reads the answer.
        let _ = found(part);
        end
    }
}

/// The commits that were read.
type KnownMetadata = HashMap<ObjectId, Result<Arc<CommitMetadata>, Failure>>;

fn named(
    place: ReadPlace,
    commits: &mut dyn VersionReader,
    known: &mut KnownMetadata,
) -> NamedPlace {
    let written = place.written.map(|line| {
        let read = || commits.commit(&line.commit).map(Arc::new);
        let metadata = known.entry(line.commit).or_insert_with(read).clone();
        WrittenPlace { line, metadata }
    });
    NamedPlace {
        path: Arc::new(place.path),
        revision: place.revision,
        line: place.line,
        text: place.text,
        written,
        before: place.before,
    }
}
