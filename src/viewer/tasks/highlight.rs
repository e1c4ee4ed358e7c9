//! Colours code, on a thread of its own.
//!
//! A file is parsed from its start, since what a line means depends on those before it. When the
//! screen is far ahead of what was parsed, its lines are first coloured as if the file began a
//! little above them; the true colours replace these when the parser has come that far.

use std::{
    io,
    ops::Range,
    sync::{OnceLock, mpsc},
    thread::JoinHandle,
};

use rustc_hash::FxHashMap;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};
use tokio::sync::mpsc::{Receiver, Sender};

use crate::viewer::{
    model::text::Text,
    protocol::{Class, ColourJob, Colours, Spans},
};

/// Larger files stay plain.
const MOST_BYTES: usize = 4 << 20;

/// Files of more lines stay plain.
const MOST_LINES: u32 = 100_000;

/// Longer lines stay plain, whatever the file's size.
const LONGEST: usize = 4096;

/// Lines between two looks at what else is wanted.
const SLICE: u32 = 100;

/// Lines that are parsed beyond what is on the screen.
const AHEAD: u32 = 500;

/// Lines that are parsed above a screen that is far ahead.
const RUN_UP: u32 = 60;

/// Texts that are gone on with where they were left.
const KEPT: usize = 4;

/// What is added to a thread's niceness where others are to go first.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

/// Every language that is known. Unpacking them takes a while.
static LANGUAGES: OnceLock<SyntaxSet> = OnceLock::new();

/// The thread that colours.
#[derive(Debug)]
pub struct Highlighter {
    jobs: mpsc::Sender<Vec<ColourJob>>,
    thread: JoinHandle<()>,
}

impl Highlighter {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system has no thread to give.
    pub fn spawn(reports: Sender<Colours>) -> io::Result<Self> {
        let (jobs, queue) = mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("tblame-highlight".to_owned())
            .spawn(move || work(&queue, &reports))?;
        Ok(Highlighter { jobs, thread })
    }

    /// Begins with some texts; what is unfinished of others is superseded.
    pub fn colour(&self, jobs: Vec<ColourJob>) {
        self.jobs.send(jobs).ok();
    }

    /// Ends the thread and waits for it.
    pub fn join(self, reports: Receiver<Colours>) {
        drop(self.jobs);
        drop(reports);
        self.thread.join().ok();
    }
}

/// Reports while somebody listens; an error means that nobody does.
fn work(queue: &mpsc::Receiver<Vec<ColourJob>>, reports: &Sender<Colours>) {
    let Ok(mut jobs) = queue.recv() else { return };
    step_back();
    let set = LANGUAGES.get_or_init(two_face::syntax::extra_newlines);
    let classes = Classes::new();
    // Texts that have colours, those that were worked on last at the end.
    let mut parsers: Vec<(u64, Parser<'_>)> = Vec::new();
    loop {
        // Only the newest jobs count.
        while let Ok(newer) = queue.try_recv() {
            jobs = newer;
        }
        let mut left = Vec::new();
        for job in jobs {
            let known = parsers.iter().position(|(view, _)| *view == job.view);
            let parser = match known {
                Some(at) => Some(parsers.remove(at).1),
                None => parser_for(&job, set),
            };
            let Some(mut parser) = parser else {
                if reports.blocking_send(stay_plain(&job)).is_err() {
                    return;
                }
                continue;
            };
            let Ok(done) = advance(&mut parser, &job, &classes, set, reports) else {
                return;
            };
            if parsers.len() >= KEPT {
                parsers.remove(0);
            }
            parsers.push((job.view, parser));
            left.extend((!done).then_some(job));
        }
        jobs = left;
        if jobs.is_empty() {
            match queue.recv() {
                Ok(newer) => jobs = newer,
                Err(_) => return,
            }
        }
    }
}

/// Lets other threads go first: a blame that is under way, and the one that draws. To unpack the
/// languages takes as long as a short blame.
fn step_back() {
    // There a priority is a thread's own; elsewhere it is the whole program's. Where it may not be
    // changed, colours are as urgent as all else.
    #[cfg(target_os = "linux")]
    rustix::process::setpriority_process(None, NICE).ok();
}

fn stay_plain(job: &ColourJob) -> Colours {
    let why = match is_large(&job.text) {
        true => "large file: no syntax colours",
        false => "",
    };
    Colours {
        view: job.view,
        start: 0,
        lines: Vec::new(),
        plain: Some(why.to_owned()),
        last: true,
    }
}

fn is_large(text: &Text) -> bool {
    text.bytes().len() > MOST_BYTES || text.line_count() > MOST_LINES
}

fn parser_for<'a>(job: &ColourJob, set: &'a SyntaxSet) -> Option<Parser<'a>> {
    if is_large(&job.text) || job.text.is_binary() {
        return None;
    }
    let syntax = language(&job.path, &job.text, set)?;
    Some(Parser {
        syntax,
        state: ParseState::new(syntax),
        stack: ScopeStack::new(),
        next: 0,
        guessed: Vec::new(),
    })
}

/// The language by the file's name, its extension, or its first line.
fn language<'a>(path: &[u8], text: &Text, set: &'a SyntaxSet) -> Option<&'a SyntaxReference> {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    let name = String::from_utf8_lossy(name);
    let stem = name.strip_suffix(".in").unwrap_or(&name);
    let extension = stem.rsplit_once('.').map(|(_, extension)| extension);
    let found = set.find_syntax_by_extension(stem);
    let found = found.or_else(|| set.find_syntax_by_extension(extension?));
    let found = found.or_else(|| {
        let head = text.line(0);
        let head = String::from_utf8_lossy(&head[..head.len().min(200)]);
        set.find_syntax_by_first_line(&head)
    });
    found.filter(|syntax| syntax.name != set.find_syntax_plain_text().name)
}

struct Parser<'a> {
    syntax: &'a SyntaxReference,
    state: ParseState,
    stack: ScopeStack,
    /// The first line that was not parsed yet.
    next: u32,
    /// The lines that were coloured last without knowing what stands before them.
    guessed: Vec<Range<u32>>,
}

/// Parses a slice of the file. `Ok(true)` when there is nothing more to do for the job.
fn advance(
    parser: &mut Parser<'_>,
    job: &ColourJob,
    classes: &Classes,
    set: &SyntaxSet,
    reports: &Sender<Colours>,
) -> Result<bool, ()> {
    let send = |start, lines, last| {
        let colours = Colours {
            view: job.view,
            start,
            lines,
            plain: None,
            last,
        };
        reports.blocking_send(colours).map_err(|_| ())
    };
    let far = |lines: &&Range<u32>| lines.start > parser.next + 4 * SLICE;
    if job.wanted.iter().any(|lines| far(&lines)) && parser.guessed != job.wanted {
        parser.guessed = job.wanted.clone();
        for wanted in job.wanted.iter().filter(far) {
            let mut state = ParseState::new(parser.syntax);
            let mut stack = ScopeStack::new();
            let mut lines = Vec::new();
            for line in wanted.start.saturating_sub(RUN_UP)..wanted.end {
                let spans = parse(&mut state, &mut stack, job.text.line(line), classes, set);
                if line >= wanted.start {
                    lines.push(spans);
                }
            }
            send(wanted.start, lines, false)?;
        }
    }
    let end = job.wanted.iter().map(|lines| lines.end).max();
    let end = end
        .unwrap_or(0)
        .saturating_add(AHEAD)
        .min(job.text.line_count());
    let start = parser.next;
    let slice = start..end.min(start.saturating_add(SLICE));
    parser.next = parser.next.max(slice.end);
    let lines = slice.map(|line| {
        let (state, stack) = (&mut parser.state, &mut parser.stack);
        parse(state, stack, job.text.line(line), classes, set)
    });
    let lines = lines.collect();
    let done = parser.next >= end;
    send(start, lines, done)?;
    Ok(done)
}

/// The spans of one line.
fn parse(
    state: &mut ParseState,
    stack: &mut ScopeStack,
    line: &[u8],
    classes: &Classes,
    set: &SyntaxSet,
) -> Spans {
    if line.len() > LONGEST {
        return Spans::default();
    }
    let Ok(operations) = state.parse_line(&same_length(line), set) else {
        return Spans::default();
    };
    let mut spans: Vec<(u32, Class)> = vec![(0, classes.of(stack))];
    for (at, operation) in operations {
        if stack.apply(&operation).is_err() {
            break;
        }
        let class = classes.of(stack);
        let at = at as u32;
        match spans.last_mut() {
            Some(last) if last.0 == at => last.1 = class,
            Some(last) if last.1 == class => {}
            _ => spans.push((at, class)),
        }
    }
    spans.into()
}

/// The line as text with its newline; what is not UTF-8 becomes `?`, byte for byte, so that offsets
/// stay true.
fn same_length(line: &[u8]) -> String {
    let mut text = String::with_capacity(line.len() + 1);
    for chunk in line.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text.push('\n');
    text
}

/// What scopes mean, the more special ones first.
const SCOPES: &[(&str, Class)] = &[
    ("comment", Class::Comment),
    ("punctuation.definition.comment", Class::Comment),
    ("string", Class::String),
    ("constant.character.escape", Class::Constant),
    ("constant.numeric", Class::Number),
    ("constant", Class::Constant),
    ("keyword.operator", Class::Plain),
    ("keyword.control.import", Class::Meta),
    ("keyword.other.preprocessor", Class::Meta),
    ("keyword", Class::Keyword),
    ("storage.type.function", Class::Keyword),
    ("storage", Class::Keyword),
    ("entity.name.function", Class::Function),
    ("entity.name.section", Class::Heading),
    ("markup.heading", Class::Heading),
    ("entity.name.tag", Class::Keyword),
    ("entity.name", Class::Type),
    ("entity.other.attribute-name", Class::Function),
    ("entity.other.inherited-class", Class::Type),
    ("support.function", Class::Function),
    ("support.type", Class::Type),
    ("support.class", Class::Type),
    ("support.constant", Class::Constant),
    ("variable.function", Class::Function),
    ("variable.language", Class::Constant),
    ("meta.preprocessor", Class::Meta),
    ("meta.annotation", Class::Meta),
    ("markup.raw", Class::String),
    ("markup.underline.link", Class::Function),
    ("markup.bold", Class::Heading),
];

struct Classes {
    known: Vec<(Scope, Class)>,
    /// Answers by scope.
    cache: std::cell::RefCell<FxHashMap<Scope, Option<Class>>>,
}

impl Classes {
    fn new() -> Self {
        let known = SCOPES.iter().filter_map(|(name, class)| {
            let scope = Scope::new(name).ok()?;
            Some((scope, *class))
        });
        Classes {
            known: known.collect(),
            cache: Default::default(),
        }
    }

    /// The class of the innermost scope that has one.
    fn of(&self, stack: &ScopeStack) -> Class {
        let mut cache = self.cache.borrow_mut();
        let mut scopes = stack.scopes.iter().rev();
        let found = scopes.find_map(|scope| {
            *cache.entry(*scope).or_insert_with(|| {
                let known = self
                    .known
                    .iter()
                    .find(|(prefix, _)| prefix.is_prefix_of(*scope));
                known.map(|&(_, class)| class)
            })
        });
        found.unwrap_or(Class::Plain)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn classes(path: &str, text: &str) -> Vec<Vec<(u32, Class)>> {
        let (sender, mut reports) = tokio::sync::mpsc::channel(100);
        let highlighter = Highlighter::spawn(sender).expect("a thread");
        let text = Arc::new(Text::new(Arc::from(text.as_bytes())));
        let job = ColourJob {
            view: 1,
            path: Arc::new(path.into()),
            wanted: std::iter::once(0..text.line_count()).collect(),
            text,
        };
        highlighter.colour(vec![job]);
        let mut lines = Vec::new();
        while let Some(colours) = reports.blocking_recv() {
            lines.extend(colours.lines.into_iter().map(|spans| spans.to_vec()));
            if colours.last {
                break;
            }
        }
        highlighter.join(reports);
        lines
    }

    #[test]
    fn code_is_told_from_comments_and_strings() {
        let lines = classes("a/b.rs", "let s = \"x\"; // why\n/* a\nb */ 7\n");
        let kinds = |line: usize| lines[line].iter().map(|span| span.1).collect::<Vec<_>>();
        assert_eq!(kinds(0).first(), Some(&Class::Keyword));
        assert!(kinds(0).contains(&Class::String));
        assert!(lines[0].contains(&(13, Class::Comment)), "{:?}", lines[0]);
        assert_eq!(lines[1][0], (0, Class::Comment));
    }

    #[test]
    fn languages_are_known_by_name_extension_or_first_line() {
        for (path, text) in [
            ("Makefile", "all: x\n"),
            ("x/Makefile.in", "all: x\n"),
            ("a.c", "int x;\n"),
            ("run", "#!/bin/sh\necho\n"),
            ("Cargo.toml", "[a]\n"),
        ] {
            assert!(!classes(path, text).is_empty(), "{path}");
        }
        assert!(classes("NOTES", "hello\n").is_empty());
    }

    #[test]
    fn two_texts_are_coloured_side_by_side() {
        let (sender, mut reports) = tokio::sync::mpsc::channel(100);
        let highlighter = Highlighter::spawn(sender).expect("a thread");
        let job = |view, line: &str, wanted| ColourJob {
            view,
            path: Arc::new("a.c".into()),
            text: Arc::new(Text::new(Arc::from(line.repeat(1000).as_bytes()))),
            wanted,
        };
        let far = vec![600..602, 800..803];
        highlighter.colour(vec![
            job(1, "int x;\n", far.clone()),
            job(2, "/* x */\n", far),
        ]);
        let (mut ended, mut first) = (0, Vec::new());
        while let Some(colours) = reports.blocking_recv() {
            if first.len() < 6 {
                first.push((colours.view, colours.start, colours.lines.len()));
            }
            ended += usize::from(colours.last);
            if ended == 2 {
                break;
            }
        }
        highlighter.join(reports);
        // What is seen comes first, on both sides, then the slices in turns.
        assert_eq!(
            first,
            [
                (1, 600, 2),
                (1, 800, 3),
                (1, 0, 100),
                (2, 600, 2),
                (2, 800, 3),
                (2, 0, 100)
            ]
        );
    }

    #[test]
    fn bytes_that_are_not_text_keep_their_place() {
        assert_eq!(same_length(b"a\xff\xe2\x82b").len(), 6);
    }
}
