//! `--verify-cache`: compares what is kept of a file and of its repository with what is found anew.

use std::sync::Arc;

use bstr::{BString, ByteSlice};

use crate::{
    cache::{BlameFiles, CacheSettings, HistoryFile, RequestCache, WarmedHistory},
    engine::{self, BlameCache, Discard, Engine, Entry, Origin, Request, Start},
    error::{Error, Result},
    objects::ObjectId,
    repository::{Repository, commits::cached_texts::CachedTexts},
    run::cache,
    sanitize, sorting,
};

/// Runs `--verify-cache`: compares the kept blames of all versions of the file, the names, dates
/// and summaries in them, and the remembered history.
///
/// # Errors
///
/// If the blame fails, anything differs, or no blame of the file is kept.
pub(in crate::run) fn verify(
    repository: &Repository,
    request: &Request,
    settings: &CacheSettings,
) -> Result<()> {
    let path = sanitize::line(&request.path);
    let not_kept = || Error::fatal("such blames are not kept");
    let directory = cache::repository_directory(repository, settings).ok_or_else(not_kept)?;
    let mut verification = Verification {
        repository,
        engine: Engine::new(Arc::clone(repository.store()), engine::default_threads()),
        files: BlameFiles::new(&directory, settings),
        texts: Arc::default(),
    };
    let mut cache = verification.cache(request).ok_or_else(not_kept)?;
    // Through a wrong index, it is the new blame that would be wrong.
    if let Some(sign) = repository.store().damage() {
        return Err(Error::fatal(format!("nothing was compared: {sign}")));
    }
    let wrong = |what: String| Error::fatal(format!("{what}; remove it with --cache-clear"));
    let wrong_line = |line| {
        wrong(format!(
            "{path}: the kept blame is wrong from line {line} on"
        ))
    };
    let compared = verification.compare(request)?.map_err(wrong_line)?;
    let (mut versions, mut lines) = (0, 0);
    let mut commits: Vec<_> = cache.commits(request.path.as_bstr()).into_iter().collect();
    sorting::sort(&mut commits);
    for commit in commits {
        let start = Start::Commit(commit);
        let ranges = None;
        let request = Request {
            start,
            ranges,
            ..request.clone()
        };
        // A commit may be gone.
        if let Ok(compared) = verification.compare(&request) {
            let wrong = |line| {
                wrong(format!(
                    "{path} in {commit}: the kept blame is wrong from line {line} on"
                ))
            };
            let known = compared.map_err(wrong)?.known;
            versions += usize::from(known > 0);
            lines += known;
        }
    }
    let texts = verification.texts.verify(&mut repository.reader());
    let texts = texts.map_err(|id| wrong(format!("the kept text of commit {id} is wrong")))?;
    // Only now: the blames must not use it.
    if let Some(history) = HistoryFile::new(repository, &directory, settings) {
        history.attach(repository);
    }
    let history = WarmedHistory::verify(repository);
    let history =
        history.map_err(|id| wrong(format!("the remembered history is wrong at commit {id}")))?;
    let mut text = String::new();
    let Compared { known, all } = compared;
    if known > 0 {
        text += &format!("{path}: {known} of {all} lines from the cache, all as blamed anew\n");
    }
    if lines > 0 {
        text += &format!("{path}: {lines} lines of {versions} kept versions, all as blamed anew\n");
    }
    if texts > 0 {
        text += &format!("{path}: names, dates and summaries of {texts} commits, all as stored\n");
    }
    if history.commits > 0 {
        let WarmedHistory {
            commits,
            with_paths,
        } = history;
        text += &format!(
            "{commits} remembered commits, {with_paths} of them with the paths that they change, all as stored\n"
        );
    }
    cache::print(&text)?;
    if known + lines > 0 {
        Ok(())
    } else {
        Err(Error::fatal(format!(
            "{path}: no blame of it is kept: nothing of it was compared"
        )))
    }
}

struct Verification<'a> {
    repository: &'a Repository,
    engine: Engine,
    files: BlameFiles,
    /// The texts of all kept blames that were read.
    texts: Arc<CachedTexts>,
}

/// How many lines of a version came from the cache, and how many it has.
struct Compared {
    known: u64,
    all: usize,
}

impl Verification<'_> {
    /// The kept blames for one run of `request`.
    fn cache(&self, request: &Request) -> Option<RequestCache> {
        self.files
            .of_request(self.repository, request, Arc::clone(&self.texts))
    }

    /// Blames with and without what is kept. The inner error is the number of the first line that
    /// differs.
    fn compare(&mut self, request: &Request) -> Result<std::result::Result<Compared, u32>> {
        let mut cache = self.cache(request);
        let cache = cache.as_mut().map(|cache| cache as &mut dyn BlameCache);
        let mut blame = |cache: Option<&mut dyn BlameCache>| {
            let blame = self.engine.blame_with_cache(request, cache, &mut Discard);
            blame.map_err(|err| Error::fatal(err.to_string()))
        };
        let (kept, anew) = (blame(cache)?, blame(None)?);
        let lines = [&kept, &anew].map(|blame| {
            let is_boundary = |commit: &ObjectId| blame.boundaries.contains(commit);
            let lines = attributed_lines(&blame.entries, &blame.origins, is_boundary);
            let mut lines: Vec<_> = lines.collect();
            sorting::sort(&mut lines);
            lines
        });
        let [kept_lines, lines] = lines;
        let different = kept_lines
            .iter()
            .zip(&lines)
            .find(|(kept, anew)| kept != anew);
        Ok(match different {
            Some((_, (line, ..))) => Err(line + 1),
            None if kept_lines.len() != lines.len() => {
                Err(kept_lines.len().min(lines.len()) as u32 + 1)
            }
            None => Ok(Compared {
                known: kept.stats.cached_lines,
                all: lines.len(),
            }),
        })
    }
}

/// A line with all that formats print of its origin.
pub(in crate::run) type AttributedLine<'a> = (
    u32,
    u32,
    ObjectId,
    &'a BString,
    Option<(ObjectId, &'a BString)>,
    [bool; 3],
);

/// The lines of a blame with these boundaries.
pub(in crate::run) fn attributed_lines<'b>(
    entries: &'b [Entry],
    origins: &'b [Origin],
    is_boundary: impl Fn(&ObjectId) -> bool,
) -> impl Iterator<Item = AttributedLine<'b>> {
    entries.iter().flat_map(move |entry| {
        let origin = &origins[entry.origin.0 as usize];
        let previous = origin.previous.map(|id| &origins[id.0 as usize]);
        let boundary = is_boundary(&origin.commit);
        entry.lines.clone().map(move |line| {
            (
                line,
                entry.source_start + (line - entry.lines.start),
                origin.commit,
                &*origin.path,
                previous.map(|previous| (previous.commit, &*previous.path)),
                [entry.ignored, entry.unblamable, boundary],
            )
        })
    })
}
