//! `--why`: collects what made lines what they are.

mod commands;
mod references;
mod refusals;

use std::{
    collections::{BTreeMap, HashMap},
    io::IsTerminal,
    mem,
    ops::{ControlFlow, Range},
    sync::Arc,
    thread,
};

use bstr::{BString, ByteSlice};

use crate::{
    cli::{Invocation, Output},
    dates::calendar::Clock,
    engine::{
        self, Blame, Deletion, DeletionSink, Discard, Engine, LineChange, LineHistorySink,
        MoveDetection, OwnChange, Request, Start,
    },
    error::{Error, Result},
    objects::ObjectId,
    output::{
        CommitProvider, OutputBuffer, ProviderError,
        json::records::{JsonFields, JsonHeader, JsonKind},
        repository_commits::RepositoryCommits,
        why::{
            facts::{DeletedHere, KeptLines, LineFacts, LineReason, LinesChange},
            json_why,
            why_rows::{self, WhyRows},
        },
    },
    ranges::resolve::joined,
    repository::{
        Repository, commits::commit_texts::PseudoCommit, provenance::finder::Arrival,
        request::prepare::PreparedRequest,
    },
    run::{
        cache,
        diagnosis::terminal_size,
        errors::blame_error,
        format_options::FormatOptions,
        output_pager, output_run,
        standard_output::{StandardOutput, stdout},
        warnings::warn,
        why::{commands::Commands, references::ReferenceFinder, refusals::NEEDS_LINES},
    },
    sorting, system,
    text::line_offsets::LineOffsets,
};

pub(super) use refusals::explained;

/// The widest rows that are easily read.
const MAX_COLUMNS: usize = 120;

/// Most changes and deletions whose lines are kept while the history is followed.
const MAX_FOUND: usize = 400;

/// Answers `--why` on standard output.
///
/// # Errors
///
/// What ends a blame, and lines that the file does not have.
pub(super) fn run(
    repository: &Arc<Repository>,
    invocation: &Invocation,
    prepared: &PreparedRequest,
    format_options: &FormatOptions,
    clock: &Clock,
) -> Result<()> {
    let Output::Why {
        json,
        budget,
        color,
    } = invocation.output
    else {
        return Ok(());
    };
    let request = &with_lines(prepared)?;
    let threads = invocation.threads.unwrap_or_else(engine::default_threads);
    let pseudo = PseudoCommit::new(request, invocation.options.contents.clone(), clock);
    let settings = cache::settings(invocation, None);
    let kept = cache::directory_with_history(repository, &settings);
    let history = kept.and_then(|(_, history)| history);
    let mut commits = output_run::commits(repository, invocation, request, pseudo, threads);
    if history.is_some() {
        commits.set_kept();
    }
    let mut engine = Engine::new(Arc::clone(repository.store()), threads);
    engine.share_work();
    let blame = thread::scope(|scope| {
        if threads > 1 {
            let _ = thread::Builder::new().spawn_scoped(scope, || commits.read_references());
        }
        engine.blame(request, &mut Discard).map_err(blame_error)
    })?;
    let mut found = CollectedFacts::of_blame(request, &blame)?;
    // What the blame has read need not be read again.
    commits.set_known(Arc::new(engine.commits_read()));
    thread::scope(|scope| {
        if threads > 1 && !found.commits().is_empty() {
            let begin = || commits.begin_history();
            let _ = thread::Builder::new().spawn_scoped(scope, begin);
        }
        found.follow_changes(&mut engine, request)
    })?;
    commits.set_known(Arc::new(engine.commits_read()));
    let named = found.commits();
    thread::scope(|scope| {
        // What follows are two walks that share little: each has a thread.
        if threads > 1 && !named.is_empty() {
            engine.set_threads(1);
            let read = || commits.read_history(&named);
            let _ = thread::Builder::new().spawn_scoped(scope, read);
        }
        found.find_deletions(&mut engine, request)
    })?;
    let budget = budget.unwrap_or(json_why::DEFAULT_BUDGET);
    let most = if json {
        budget / json_why::LEAST_PER_COMMIT
    } else {
        why_rows::MAX_ROWS
    };
    let mut references = ReferenceFinder::new(repository);
    let commands = Commands::new(repository, invocation, prepared);
    let commands = commands.of(request, &found.with_neighbours());
    let facts = found.facts(request, &mut commits, &mut references, most)?;
    let facts = LineFacts {
        name: prepared.final_name.clone(),
        commands,
        ..facts
    };
    let pager = if json {
        None
    } else {
        output_pager::command(repository.config(), false, |name| std::env::var_os(name))
    };
    let columns = columns();
    let mut out = StandardOutput::new(stdout()?, pager);
    out.begin()?;
    let mut out = OutputBuffer::new(&mut out);
    if json {
        let header = JsonHeader {
            kind: JsonKind::Why,
            request,
            is_uncommitted: false,
            fields: JsonFields::default(),
        };
        json_why::push_all(&mut out, &facts, &header, budget).map_err(|needed| {
            Error::fatal(format!(
                "--budget must be at least {needed} for these lines"
            ))
        })?;
    } else {
        let ages = format_options.plain.coloring.by_age.as_ref();
        let rows = WhyRows {
            facts: &facts,
            columns,
            ages: ages.filter(|_| color == Some(true)),
        };
        rows.push(&mut out);
    }
    out.flush().map_err(|err| Error::write(&err))?;
    warn(&mut commits.take_notes());
    if let Some(history) = history {
        system::close_stdout();
        // A home that cannot be written to is no reason to complain about.
        let _ = match commits.commits_read() {
            Some(read) if read.1 > engine.count_commits_read() => {
                history.keep_commits(repository, read)
            }
            _ => history.keep(repository, &engine),
        };
    }
    // The process ends: to free all this would only take time.
    mem::forget((engine, commits));
    Ok(())
}

/// The columns of the terminal that standard output is, within bounds; else those of a usual one.
fn columns() -> usize {
    let is_terminal = std::io::stdout().is_terminal();
    let size = is_terminal.then(terminal_size).flatten();
    size.map_or(80, |(columns, _)| {
        usize::from(columns).clamp(40, MAX_COLUMNS)
    })
}

/// The request with the lines that are asked for.
fn with_lines(prepared: &PreparedRequest) -> Result<Request> {
    let request = &prepared.request;
    // The first commit of a history did bring its lines.
    let of_ranges = |ranges| Request {
        ranges,
        show_root: true,
        ..request.clone()
    };
    if request.ranges.is_some() {
        if let Some((line, _)) = prepared.lines {
            let path = &request.path;
            let message = format!("the lines are given twice: by -L, and as line {line} of {path}");
            return Err(Error::fatal(message));
        }
        return Ok(of_ranges(request.ranges.clone()));
    }
    let Some((first, last)) = prepared.lines.filter(|&(first, _)| first > 0) else {
        return Err(Error::fatal(NEEDS_LINES));
    };
    // As with `-L`, the numbers may stand in either order.
    let lines = first.min(last) - 1..first.max(last);
    Ok(of_ranges(Some(vec![lines])))
}

/// What a blame and histories say about lines.
struct CollectedFacts {
    /// The number of lines of the file.
    line_count: u32,
    ranges: Vec<Range<u32>>,
    lines: Vec<(u32, BString)>,
    /// The lines of each commit of the blame, with its path and its lines there.
    blamed: BTreeMap<usize, BlamedPart>,
    changes: FirstFound<(ObjectId, LinesChange)>,
    deletions: FirstFound<(ObjectId, u32, KeptLines)>,
}

/// The part of a blame that is one commit's.
struct BlamedPart {
    commit: ObjectId,
    lines: Vec<Range<u32>>,
    /// The paths and lines in the commit.
    sources: Vec<(BString, Range<u32>)>,
    /// As [`LineReason::is_boundary`].
    is_boundary: bool,
    /// As [`LineReason::is_ignored`].
    is_ignored: bool,
}

impl BlamedPart {
    /// A commit of the history that the blame does not name.
    fn earlier(commit: ObjectId, request: &Request) -> BlamedPart {
        BlamedPart {
            is_boundary: request.is_cut_off(&commit),
            is_ignored: request.ignored.contains(&commit),
            commit,
            lines: Vec::new(),
            sources: Vec::new(),
        }
    }
}

/// The first of what was found, and how many more there are.
struct FirstFound<T> {
    kept: Vec<T>,
    more: usize,
}

impl<T> Default for FirstFound<T> {
    fn default() -> Self {
        FirstFound {
            kept: Vec::new(),
            more: 0,
        }
    }
}

impl<T> FirstFound<T> {
    fn push(&mut self, make: impl FnOnce() -> T) {
        if self.kept.len() < MAX_FOUND {
            self.kept.push(make());
        } else {
            self.more += 1;
        }
    }
}

impl CollectedFacts {
    /// Those of the blame of `request` alone.
    fn of_blame(request: &Request, blame: &Blame) -> Result<CollectedFacts> {
        let ranges = request.ranges.clone().unwrap_or_default();
        let contents = LineOffsets::new(&blame.contents);
        let count = u32::try_from(contents.count()).unwrap_or(u32::MAX);
        if ranges.iter().any(|range| range.end > count) {
            let noun = if count == 1 { "line" } else { "lines" };
            let message = format!("file {} has only {count} {noun}", request.path);
            return Err(Error::fatal(message));
        }
        let numbers = ranges.iter().cloned().flatten().take(MAX_FOUND);
        let lines = numbers.map(|at| {
            let mut line = KeptLines::default();
            line.push(contents.get(at as usize));
            (at, line.lines.pop().unwrap_or_default())
        });
        Ok(CollectedFacts {
            lines: lines.collect(),
            blamed: blamed(blame, request),
            line_count: count,
            ranges,
            changes: FirstFound::default(),
            deletions: FirstFound::default(),
        })
    }

    /// The commits that are named, whose releases can be found.
    fn commits(&self) -> Vec<ObjectId> {
        let blamed = self.blamed.values().map(|it| it.commit);
        let changes = self.changes.kept.iter().map(|(commit, _)| *commit);
        blamed.chain(changes).filter(|it| !it.is_null()).collect()
    }

    /// Follows the lines of `request`, which the blame is of.
    fn follow_changes(&mut self, engine: &mut Engine, request: &Request) -> Result<()> {
        let of_moves = Request {
            movement: MoveDetection {
                moves: Some(request.movement.moves.unwrap_or(MoveDetection::MOVES)),
                ..request.movement
            },
            ..request.clone()
        };
        let mut changes = ChangeSink(FirstFound::default());
        engine
            .line_history(&of_moves, &mut changes)
            .map_err(blame_error)?;
        self.changes = changes.0;
        Ok(())
    }

    /// The lines and those beside them: deletions are between two lines of a range.
    fn with_neighbours(&self) -> Vec<Range<u32>> {
        let wider = self
            .ranges
            .iter()
            .map(|range| range.start.saturating_sub(1)..(range.end + 1).min(self.line_count));
        joined(wider)
    }

    /// Finds what was deleted beside the lines of `request`.
    fn find_deletions(&mut self, engine: &mut Engine, request: &Request) -> Result<()> {
        let of_places = Request {
            ranges: Some(self.with_neighbours()),
            ..request.clone()
        };
        let mut deletions = DeletedSink(FirstFound::default());
        engine
            .deletions(&of_places, &mut deletions)
            .map_err(blame_error)?;
        self.deletions = deletions.0;
        Ok(())
    }

    /// Reads the facts of the commits, of each kind the newest `most`.
    fn facts(
        self,
        request: &Request,
        commits: &mut RepositoryCommits,
        references: &mut ReferenceFinder<'_>,
        most: usize,
    ) -> Result<LineFacts> {
        let mut unread = (self.changes.more, self.deletions.more);
        let mut changes: HashMap<ObjectId, LinesChange> = HashMap::new();
        let mut found = in_order(self.blamed, commits)?;
        for (commit, change) in self.changes.kept {
            let is_known = found.iter().any(|it| it.commit == commit);
            if !is_known && !commit.is_null() {
                found.push(BlamedPart::earlier(commit, request));
            }
            changes.entry(commit).or_insert(change);
        }
        unread.0 += found.len().saturating_sub(most);
        found.truncate(most);
        let reasons = found.into_iter().map(|it| {
            let change = changes.remove(&it.commit);
            reason(it, change, commits, references)
        });
        let reasons = reasons.collect::<Result<_>>()?;
        let commit = start_commit(request, commits)?;
        let mut kept = self.deletions.kept;
        unread.1 += kept.len().saturating_sub(most);
        kept.truncate(most);
        let deletions = kept.into_iter().map(|(commit, below, lines)| {
            Ok(DeletedHere {
                text: commits.text(&commit).map_err(unreadable)?,
                commit,
                below,
                lines,
            })
        });
        Ok(LineFacts {
            path: request.path.clone(),
            commit,
            name: BString::default(),
            commands: Default::default(),
            ranges: self.ranges,
            lines: self.lines,
            deletions: deletions.collect::<Result<_>>()?,
            reasons,
            unread,
        })
    }
}

/// The commit that is asked about, with its author date; `None` for the work tree.
fn start_commit(
    request: &Request,
    commits: &mut RepositoryCommits,
) -> Result<Option<(ObjectId, String)>> {
    let Start::Commit(commit) = &request.start else {
        return Ok(None);
    };
    let text = commits.text(commit).map_err(unreadable)?;
    let day = text.author.date().format("%Y-%m-%d").unwrap_or_default();
    Ok(Some((*commit, day)))
}

/// The commits of a blame, newest first.
fn in_order(
    blamed: BTreeMap<usize, BlamedPart>,
    commits: &mut RepositoryCommits,
) -> Result<Vec<BlamedPart>> {
    let dated = blamed.into_values().map(|it| {
        let text = commits.text(&it.commit).map_err(unreadable)?;
        Ok((text.author.seconds(), it))
    });
    let mut dated = dated.collect::<Result<Vec<(i64, BlamedPart)>>>()?;
    sorting::sort_by_key(&mut dated, |(time, _)| std::cmp::Reverse(*time));
    Ok(dated.into_iter().map(|(_, it)| it).collect())
}

/// Reads the facts of a commit.
fn reason(
    found: BlamedPart,
    change: Option<LinesChange>,
    commits: &mut RepositoryCommits,
    references: &mut ReferenceFinder<'_>,
) -> Result<LineReason> {
    let id = &found.commit;
    if found.is_boundary {
        // What it seems to bring may be of an older commit.
        return Ok(LineReason {
            text: commits.text(id).map_err(unreadable)?,
            commit: *id,
            is_boundary: true,
            is_ignored: found.is_ignored,
            blamed: found.lines,
            change: None,
            release: None,
            arrival: Arrival::default(),
            agents: Vec::new(),
            references: Vec::new(),
        });
    }
    let mut sources = found.sources;
    if let Some(change) = change.as_ref().filter(|_| sources.is_empty()) {
        let ranges = change.ranges.iter().cloned();
        sources = ranges.map(|range| (change.path.clone(), range)).collect();
    }
    let mut agents = Vec::new();
    for (path, lines) in sources {
        for found in commits
            .agents(id, path.as_bstr(), lines)
            .map_err(unreadable)?
        {
            let agent = (found.agent.name().to_owned(), found.source.name());
            if !agents.contains(&agent) {
                agents.push(agent);
            }
        }
    }
    let text = commits.text(id).map_err(unreadable)?;
    Ok(LineReason {
        release: commits.release(id).map_err(unreadable)?,
        arrival: commits.arrival(id).map_err(unreadable)?,
        references: references.of_message(&text.message, id, commits)?,
        commit: *id,
        is_boundary: false,
        is_ignored: found.is_ignored,
        text,
        blamed: found.lines,
        change,
        agents,
    })
}

fn unreadable(err: ProviderError) -> Error {
    Error::fatal(err.to_string())
}

/// The lines of each commit of a blame.
fn blamed(blame: &Blame, request: &Request) -> BTreeMap<usize, BlamedPart> {
    let mut places: HashMap<ObjectId, usize> = HashMap::new();
    let mut found: BTreeMap<usize, BlamedPart> = BTreeMap::new();
    for entry in &blame.entries {
        let Some(origin) = blame.origins.get(entry.origin.0 as usize) else {
            continue;
        };
        let next = places.len();
        let at = *places.entry(origin.commit).or_insert(next);
        let of_commit = found.entry(at).or_insert_with(|| BlamedPart {
            is_boundary: blame.boundaries.contains(&origin.commit)
                || request.is_cut_off(&origin.commit),
            is_ignored: false,
            commit: origin.commit,
            lines: Vec::new(),
            sources: Vec::new(),
        });
        match of_commit.lines.last_mut() {
            Some(last) if last.end == entry.lines.start => last.end = entry.lines.end,
            _ => of_commit.lines.push(entry.lines.clone()),
        }
        let count = entry.lines.end.saturating_sub(entry.lines.start);
        let source = entry.source_start..entry.source_start.saturating_add(count);
        of_commit
            .sources
            .push((origin.path.as_ref().clone(), source));
    }
    found
}

/// Keeps the changes of the requested lines themselves. What is not committed and not named by the blame
/// only deletes beside them, and is among the deletions.
struct ChangeSink(FirstFound<(ObjectId, LinesChange)>);

impl LineHistorySink for ChangeSink {
    fn change(&mut self, change: &LineChange<'_>) -> ControlFlow<()> {
        if change.own_change == OwnChange::None {
            return ControlFlow::Continue(());
        }
        self.0.push(|| (change.commit, lines_change(change)));
        ControlFlow::Continue(())
    }
}

fn lines_change(change: &LineChange<'_>) -> LinesChange {
    let (mut before, mut after) = (KeptLines::default(), KeptLines::default());
    let within = |ranges: &[Range<u32>], at: &u32| ranges.iter().any(|range| range.contains(at));
    match &change.previous {
        Some(previous) => {
            for hunk in previous.hunks {
                let own = |at: &u32| within(change.own_lines, at);
                // Of a hunk that wrote others too, the rest was replaced by those.
                let replaced = if hunk.new.clone().all(|at| own(&at)) {
                    previous.lines
                } else {
                    previous.own_lines
                };
                for line in hunk.old.clone().filter(|at| within(replaced, at)) {
                    before.push(previous.version.line(line));
                }
                for line in hunk.new.clone().filter(own) {
                    after.push(change.version.line(line));
                }
            }
        }
        None => {
            for line in change.own_lines.iter().cloned().flatten() {
                after.push(change.version.line(line));
            }
        }
    }
    let previous = change.previous.as_ref();
    let renamed_from = previous.filter(|previous| previous.path != change.path);
    LinesChange {
        path: change.path.as_ref().clone(),
        ranges: change.lines.to_vec(),
        is_moved: change.is_inferred,
        renamed_from: renamed_from.map(|previous| previous.path.as_ref().clone()),
        before,
        after,
    }
}

/// Keeps deletions.
struct DeletedSink(FirstFound<(ObjectId, u32, KeptLines)>);

impl DeletionSink for DeletedSink {
    fn deletion(&mut self, deletion: &Deletion<'_>) -> ControlFlow<()> {
        self.0.push(|| {
            let mut lines = KeptLines::default();
            for line in deletion.lines.clone() {
                lines.push(deletion.version.line(line));
            }
            (
                deletion.commit,
                deletion.before.map_or(0, |line| line + 1),
                lines,
            )
        });
        ControlFlow::Continue(())
    }
}
