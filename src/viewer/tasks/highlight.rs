//! The highlight task: syntax highlighting.
//!
//! A file is parsed from its start, since the state of the parser depends on all lines before. When
//! the visible lines are far ahead of the parser, they are first parsed from a few lines above with
//! a fresh state; the exact result replaces this guess when the parser gets there.

use std::{
    io,
    ops::{ControlFlow, Range},
    sync::OnceLock,
    time::Duration,
};

use rustc_hash::FxHashMap;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};
use tokio::sync::mpsc::Sender;

use crate::system;
use crate::viewer::{
    model::{
        background::query::wait,
        texts::{
            syntax::{Spans, SyntaxClass},
            text::Text,
        },
    },
    protocol::{HighlightJob, HighlightedLines, Message},
    tasks::task::{Handler, Task, TaskContext, TaskRequest},
};

/// Largest highlighted file, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// Most lines of a highlighted file.
const MAX_LINES: u32 = 100_000;

/// Longest highlighted line, in bytes.
const MAX_LINE_LEN: usize = 4096;

/// Lines parsed between checks for new jobs.
const SLICE_LINES: u32 = 100;

/// Lines parsed above the visible ones for a guess.
const CONTEXT_LINES: u32 = 60;

/// How long lines beyond the visible ones wait after these, at first: a text that is left at once
/// needs none of them.
const LOOKAHEAD_AFTER: Duration = Duration::from_millis(100);

/// Most parsers that are kept to be continued.
const MAX_PARSERS: usize = 4;

/// Niceness added to the thread.
const NICENESS: i32 = 10;

/// The bundled syntaxes. `tests/it/syntaxes` makes them: they are the ones of the package two-face,
/// with expressions that take a half of the time to compile.
static BUNDLED: &[u8] = include_bytes!("../../../assets/syntaxes.bin");

/// The same, unpacked on first use.
static SYNTAXES: OnceLock<SyntaxSet> = OnceLock::new();

fn syntaxes() -> &'static SyntaxSet {
    SYNTAXES.get_or_init(|| {
        syntect::dumps::from_uncompressed_data(BUNDLED)
            .expect("a test compares it with what it is made from")
    })
}

impl TaskRequest for Vec<HighlightJob> {}

/// Parses files and highlights their lines.
#[derive(Default)]
struct Highlighter {
    /// The languages and what their scopes mean, loaded for the first request.
    loaded: Option<(&'static SyntaxSet, ScopeClasses)>,
    /// Parsers of texts that were highlighted, by the numbers of their views, least recent first.
    parsers: Vec<(u64, FileParser<'static>)>,
}

/// Starts the task.
///
/// # Errors
/// The system cannot create a thread.
pub fn spawn(messages: Sender<Message>) -> io::Result<Task<Vec<HighlightJob>>> {
    Task::spawn(Highlighter::default(), messages)
}

impl Handler for Highlighter {
    type Request = Vec<HighlightJob>;

    fn handle(&mut self, jobs: &Vec<HighlightJob>, context: &TaskContext<'_>) {
        let (set, classes) = self.loaded.get_or_insert_with(|| {
            // Unpacking the syntaxes takes as long as a short blame, which goes first.
            system::lower_priority(NICENESS);
            (syntaxes(), ScopeClasses::new())
        });
        let mut open: Vec<&HighlightJob> = jobs.iter().collect();
        while !open.is_empty() && !context.is_cancelled() {
            let mut left = Vec::new();
            for job in open {
                let known = self
                    .parsers
                    .iter()
                    .position(|(view, _)| *view == job.text_id);
                let parser = match known {
                    Some(at) => Some(self.parsers.remove(at).1),
                    None => parser_for(job, set),
                };
                let Some(mut parser) = parser else {
                    if context
                        .send(Message::Highlight(plain_report(job)))
                        .is_break()
                    {
                        return;
                    }
                    continue;
                };
                let Ok(done) = advance(&mut parser, job, classes, set, context) else {
                    return;
                };
                if self.parsers.len() >= MAX_PARSERS {
                    self.parsers.remove(0);
                }
                self.parsers.push((job.text_id, parser));
                left.extend((!done).then_some(job));
            }
            open = left;
        }
    }

    fn panicked(&mut self, jobs: &Vec<HighlightJob>, _: &str, context: &TaskContext<'_>) {
        for job in jobs {
            let colors = HighlightedLines {
                text_id: job.text_id,
                start: 0,
                lines: Vec::new(),
                unhighlighted_reason: Some("internal error: no syntax colors".to_owned()),
                last: true,
            };
            if context.send(Message::Highlight(colors)).is_break() {
                return;
            }
        }
    }
}

/// The answer for a text without syntax colors.
pub(crate) fn plain_report(job: &HighlightJob) -> HighlightedLines {
    let why = if is_large(&job.text) {
        "large file: no syntax colors"
    } else {
        ""
    };
    HighlightedLines {
        text_id: job.text_id,
        start: 0,
        lines: Vec::new(),
        unhighlighted_reason: Some(why.to_owned()),
        last: true,
    }
}

fn is_large(text: &Text) -> bool {
    text.bytes().len() > MAX_BYTES || text.line_count() > MAX_LINES
}

fn parser_for<'a>(job: &HighlightJob, set: &'a SyntaxSet) -> Option<FileParser<'a>> {
    if is_large(&job.text) || job.text.is_binary() {
        return None;
    }
    let syntax = language(&job.path, job.text.line(0), set)?;
    Some(FileParser {
        syntax,
        state: ParseState::new(syntax),
        stack: ScopeStack::new(),
        next: 0,
        guessed_ranges: Vec::new(),
        looks_ahead: false,
    })
}

/// The marks of a first line that names the language: of scripts, of editors, and of markup.
const MARKS: [&str; 3] = ["#!", "-*-", "<"];

/// Detects the language by file name, extension or first line. With an extension, the first line is
/// only examined if it has a mark: to compile the expressions of all languages takes as long as to
/// highlight a screen.
fn language<'a>(path: &[u8], head: &[u8], set: &'a SyntaxSet) -> Option<&'a SyntaxReference> {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    let name = String::from_utf8_lossy(name);
    let stem = name.strip_suffix(".in").unwrap_or(&name);
    let extension = stem.rsplit_once('.').map(|(_, extension)| extension);
    let found = set.find_syntax_by_extension(stem);
    let found = found.or_else(|| set.find_syntax_by_extension(extension?));
    let found = found.or_else(|| {
        let head = String::from_utf8_lossy(&head[..head.len().min(200)]);
        let is_examined = extension.is_none() || MARKS.iter().any(|mark| head.contains(mark));
        is_examined.then(|| set.find_syntax_by_first_line(&head))?
    });
    found.filter(|syntax| syntax.name != set.find_syntax_plain_text().name)
}

struct FileParser<'a> {
    syntax: &'a SyntaxReference,
    state: ParseState,
    stack: ScopeStack,
    /// The first line not parsed yet.
    next: u32,
    /// The visible ranges that were last guessed.
    guessed_ranges: Vec<Range<u32>>,
    /// True if [`LOOKAHEAD_AFTER`] has passed.
    looks_ahead: bool,
}

/// Parses a slice of the file. Returns `Ok(true)` if the job is complete, an error if the receiver
/// is gone.
fn advance(
    parser: &mut FileParser<'_>,
    job: &HighlightJob,
    classes: &ScopeClasses,
    set: &SyntaxSet,
    context: &TaskContext<'_>,
) -> Result<bool, ()> {
    let send = |start, lines, last| {
        let colors = HighlightedLines {
            text_id: job.text_id,
            start,
            lines,
            unhighlighted_reason: None,
            last,
        };
        match context.send(Message::Highlight(colors)) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(()),
        }
    };
    let far = |lines: &&Range<u32>| lines.start > parser.next + 4 * SLICE_LINES;
    if job.wanted.iter().any(|lines| far(&lines)) && parser.guessed_ranges != job.wanted {
        parser.guessed_ranges = job.wanted.clone();
        for wanted in job.wanted.iter().filter(far) {
            let line = |line| job.text.line(line);
            let lines = guess(parser.syntax, wanted.clone(), line, classes, set);
            send(wanted.start, lines, false)?;
        }
    }
    let count = job.text.line_count();
    let visible_end = job.wanted.iter().map(|lines| lines.end).max();
    let visible_end = visible_end.unwrap_or(0).min(count);
    let end = visible_end.saturating_add(job.lookahead).min(count);
    let start = parser.next;
    if (visible_end..end).contains(&start) && !parser.looks_ahead {
        if wait(LOOKAHEAD_AFTER, &|| context.is_cancelled()).is_break() {
            return Ok(false);
        }
        parser.looks_ahead = true;
    }
    let slice_end = if start < visible_end {
        visible_end
    } else {
        end
    };
    let slice = start..slice_end.min(start.saturating_add(SLICE_LINES));
    parser.next = parser.next.max(slice.end);
    let lines = slice.map(|line| {
        let (state, stack) = (&mut parser.state, &mut parser.stack);
        highlight_line(state, stack, job.text.line(line), classes, set)
    });
    let lines = lines.collect();
    let done = parser.next >= end;
    send(start, lines, done)?;
    Ok(done)
}

/// The classes of some lines, parsed from a few lines above with a fresh state.
fn guess<'a>(
    syntax: &SyntaxReference,
    wanted: Range<u32>,
    line: impl Fn(u32) -> &'a [u8],
    classes: &ScopeClasses,
    set: &SyntaxSet,
) -> Vec<Spans> {
    let mut state = ParseState::new(syntax);
    let mut stack = ScopeStack::new();
    let mut lines = Vec::new();
    for at in wanted.start.saturating_sub(CONTEXT_LINES)..wanted.end {
        let spans = highlight_line(&mut state, &mut stack, line(at), classes, set);
        if at >= wanted.start {
            lines.push(spans);
        }
    }
    lines
}

/// The classes of a few lines of a file as they are [guessed](guess); nothing if its language is not
/// known.
pub(crate) fn guessed_lines<'a>(
    path: &[u8],
    wanted: Range<u32>,
    line: impl Fn(u32) -> &'a [u8],
) -> Vec<Spans> {
    let set = syntaxes();
    let line = |at| {
        let line = line(at);
        line.strip_suffix(b"\n").unwrap_or(line)
    };
    let syntax = language(path, line(0), set);
    syntax.map_or_else(Vec::new, |syntax| {
        guess(syntax, wanted, line, &ScopeClasses::new(), set)
    })
}

/// Parses one line.
fn highlight_line(
    state: &mut ParseState,
    stack: &mut ScopeStack,
    line: &[u8],
    classes: &ScopeClasses,
    set: &SyntaxSet,
) -> Spans {
    if line.len() > MAX_LINE_LEN {
        return Spans::default();
    }
    let Ok(operations) = state.parse_line(&to_utf8(line), set) else {
        return Spans::default();
    };
    let mut spans: Vec<(u32, SyntaxClass)> = vec![(0, classes.class(stack))];
    for (at, operation) in operations {
        if stack.apply(&operation).is_err() {
            break;
        }
        let class = classes.class(stack);
        let at = at as u32;
        match spans.last_mut() {
            Some(last) if last.0 == at => last.1 = class,
            Some(last) if last.1 == class => {}
            _ => spans.push((at, class)),
        }
    }
    spans.into()
}

/// The line as UTF-8 with a newline. Every invalid byte becomes `?`, so that offsets stay the same.
fn to_utf8(line: &[u8]) -> String {
    let mut text = String::with_capacity(line.len() + 1);
    for chunk in line.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text.push('\n');
    text
}

/// Scope prefixes and their classes, the most specific first.
const SCOPES: &[(&str, SyntaxClass)] = &[
    ("comment", SyntaxClass::Comment),
    ("punctuation.definition.comment", SyntaxClass::Comment),
    ("string", SyntaxClass::String),
    ("constant.character.escape", SyntaxClass::Constant),
    ("constant.numeric", SyntaxClass::Number),
    ("constant", SyntaxClass::Constant),
    ("keyword.operator", SyntaxClass::Plain),
    ("keyword.control.import", SyntaxClass::Meta),
    ("keyword.other.preprocessor", SyntaxClass::Meta),
    ("keyword", SyntaxClass::Keyword),
    ("storage.type.function", SyntaxClass::Keyword),
    ("storage", SyntaxClass::Keyword),
    ("entity.name.function", SyntaxClass::Function),
    ("entity.name.section", SyntaxClass::Heading),
    ("markup.heading", SyntaxClass::Heading),
    ("entity.name.tag", SyntaxClass::Keyword),
    ("entity.name", SyntaxClass::Type),
    ("entity.other.attribute-name", SyntaxClass::Function),
    ("entity.other.inherited-class", SyntaxClass::Type),
    ("support.function", SyntaxClass::Function),
    ("support.type", SyntaxClass::Type),
    ("support.class", SyntaxClass::Type),
    ("support.constant", SyntaxClass::Constant),
    ("variable.function", SyntaxClass::Function),
    ("variable.language", SyntaxClass::Constant),
    ("meta.preprocessor", SyntaxClass::Meta),
    ("meta.annotation", SyntaxClass::Meta),
    ("markup.raw", SyntaxClass::String),
    ("markup.underline.link", SyntaxClass::Function),
    ("markup.bold", SyntaxClass::Heading),
];

struct ScopeClasses {
    known: Vec<(Scope, SyntaxClass)>,
    /// Classes by scope.
    cache: std::cell::RefCell<FxHashMap<Scope, Option<SyntaxClass>>>,
}

impl ScopeClasses {
    fn new() -> Self {
        let known = SCOPES.iter().filter_map(|(name, class)| {
            let scope = Scope::new(name).ok()?;
            Some((scope, *class))
        });
        ScopeClasses {
            known: known.collect(),
            cache: Default::default(),
        }
    }

    /// The class of the innermost scope that has one.
    fn class(&self, stack: &ScopeStack) -> SyntaxClass {
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
        found.unwrap_or(SyntaxClass::Plain)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::viewer::protocol::LOOKAHEAD_LINES;

    fn classes(path: &str, text: &str) -> Vec<Vec<(u32, SyntaxClass)>> {
        let (sender, mut messages) = tokio::sync::mpsc::channel(100);
        let mut highlighter = spawn(sender).expect("a thread");
        let text = Arc::new(Text::new(Arc::from(text.as_bytes())));
        let job = HighlightJob {
            text_id: 1,
            path: Arc::new(path.into()),
            wanted: std::iter::once(0..text.line_count()).collect(),
            lookahead: LOOKAHEAD_LINES,
            text,
        };
        highlighter.start(vec![job]);
        let mut lines = Vec::new();
        while let Some(Message::Highlight(highlighted)) = messages.blocking_recv() {
            lines.extend(highlighted.lines.into_iter().map(|spans| spans.to_vec()));
            if highlighted.last {
                break;
            }
        }
        drop(messages);
        highlighter.end().join().expect("no panic");
        lines
    }

    #[test]
    fn comments_and_strings_are_recognized() {
        let lines = classes("a/b.rs", "let s = \"x\"; // why\n/* a\nb */ 7\n");
        let kinds = |line: usize| lines[line].iter().map(|span| span.1).collect::<Vec<_>>();
        assert_eq!(kinds(0).first(), Some(&SyntaxClass::Keyword));
        assert!(kinds(0).contains(&SyntaxClass::String));
        assert!(
            lines[0].contains(&(13, SyntaxClass::Comment)),
            "{:?}",
            lines[0]
        );
        assert_eq!(lines[1][0], (0, SyntaxClass::Comment));
    }

    #[test]
    fn languages_are_detected_by_name_extension_or_first_line() {
        for (path, text) in [
            ("Makefile", "all: x\n"),
            ("x/Makefile.in", "all: x\n"),
            ("a.c", "int x;\n"),
            ("run", "#!/bin/sh\necho\n"),
            ("run.tool", "#!/bin/sh\necho\n"),
            ("a.unknown", "/* -*- C -*- */\nint x;\n"),
            ("a.unknown", "<?xml version=\"1.0\"?>\n"),
            ("patch", "diff --git a/b b/b\n"),
            ("Cargo.toml", "[a]\n"),
        ] {
            assert!(!classes(path, text).is_empty(), "{path}");
        }
        for (path, text) in [("NOTES", "hello\n"), ("a.po", "# French\n")] {
            assert!(classes(path, text).is_empty(), "{path}");
        }
    }

    #[test]
    fn jobs_are_interleaved() {
        let (sender, mut messages) = tokio::sync::mpsc::channel(100);
        let mut highlighter = spawn(sender).expect("a thread");
        let job = |text_id, line: &str, wanted| HighlightJob {
            text_id,
            path: Arc::new("a.c".into()),
            text: Arc::new(Text::new(Arc::from(line.repeat(1000).as_bytes()))),
            wanted,
            lookahead: LOOKAHEAD_LINES,
        };
        let far = vec![600..602, 800..803];
        highlighter.start(vec![
            job(1, "int x;\n", far.clone()),
            job(2, "/* x */\n", far),
        ]);
        let (mut ended, mut first) = (0, Vec::new());
        while let Some(Message::Highlight(lines)) = messages.blocking_recv() {
            if first.len() < 6 {
                first.push((lines.text_id, lines.start, lines.lines.len()));
            }
            ended += usize::from(lines.last);
            if ended == 2 {
                break;
            }
        }
        drop(messages);
        highlighter.end().join().expect("no panic");
        // Guesses for the visible lines come first in each text, then slices in turn.
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
    fn invalid_bytes_keep_offsets() {
        assert_eq!(to_utf8(b"a\xff\xe2\x82b").len(), 6);
    }
}
