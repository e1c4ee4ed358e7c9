//! Frames in memory: how long they take, and what they send.

use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use ratatui::layout::Size;
use tblame::internals::{
    objects::ObjectId,
    viewer::{
        app::{settings::arguments::ViewerArguments, state::App, update::update},
        model::{
            keys::key::Key,
            source::{BlameReport, CommitMetadata, Signature},
            texts::{syntax::SyntaxClass, text::Text},
        },
        protocol::{
            AttributedLines, AttributedOrigin, BlameBatch, BlameEvent, BlameEventKind, Effect,
            HighlightedLines, Message,
        },
        terminal::canvas::Canvas,
        theme::{
            styles::Theme,
            terminal_colors::{Background, ColorDepth},
        },
        ui::draw,
    },
};

use super::{SIZE, milliseconds, quantile};

const LINES: u32 = 100_000;
const COMMITS: u32 = 2_000;
/// Lines of a group.
const GROUP: u32 = 5;
const ROUNDS: usize = 300;

/// Counts what it is given.
#[derive(Clone, Default)]
struct Counter(Arc<AtomicUsize>);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.fetch_add(bytes.len(), Ordering::Relaxed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Bench {
    app: App,
    theme: Theme,
    canvas: Canvas<Counter>,
    sent: Counter,
    id: u64,
}

impl Bench {
    fn new() -> Bench {
        let arguments = ViewerArguments {
            directory: None,
            places: false,
            place_filter: String::new(),
            missing: None,
            notice: None,
            path: "src/made-up.rs".into(),
            revision: "HEAD".to_owned(),
            line: None,
            ranges: None,
            is_reversed: false,
            now: 1_700_000_000,
            options: Default::default(),
            ignore_revs_file: None,
            max_len: usize::MAX,
            repository: Default::default(),
            tour: false,
            hints: None,
            config: Arc::default(),
            config_file: None,
        };
        let (app, effects) = App::new(arguments, SIZE);
        let id = effects.iter().find_map(|effect| match effect {
            Effect::Blame(job) => Some(job.id),
            _ => None,
        });
        let sent = Counter::default();
        let mut bench = Bench {
            app,
            theme: Theme::new(Background::Dark, ColorDepth::True),
            canvas: Canvas::new(sent.clone(), true),
            sent,
            id: id.expect("the first effect is a blame"),
        };
        let text = Arc::new(Text::new(text().into()));
        bench.hear(BlameEventKind::Started {
            text,
            mapped_line: None,
            changes: Default::default(),
            encoding: None,
            tab_width: None,
        });
        bench
    }

    fn tell(&mut self, message: Message) {
        for effect in update(&mut self.app, message) {
            let Effect::Highlight(jobs) = effect else {
                continue;
            };
            for job in jobs {
                for wanted in job.wanted {
                    let colors = HighlightedLines {
                        text_id: job.text_id,
                        start: wanted.start,
                        lines: wanted.map(|_| spans()).collect(),
                        unhighlighted_reason: None,
                        last: true,
                    };
                    self.tell(Message::Highlight(colors));
                }
            }
        }
    }

    fn hear(&mut self, kind: BlameEventKind) {
        let id = self.id;
        self.tell(Message::Blame(BlameEvent { id, kind }));
    }

    fn press(&mut self, name: &str) {
        self.tell(Message::Key(Key::named(name).expect("a key")));
    }

    fn draw(&mut self) {
        let (app, theme) = (&self.app, &self.theme);
        let size = Size::new(SIZE.0, SIZE.1);
        let mut paint = |buffer: &mut _| {
            draw::draw(app, theme, buffer);
            Vec::new()
        };
        let drawn = self
            .canvas
            .draw(size, draw::scrolling_rows(app), &mut paint);
        drawn.expect("a counter takes everything");
    }

    /// Does `step` and draws, again and again.
    fn report(&mut self, name: &str, mut step: impl FnMut(&mut Bench, usize)) {
        let (mut times, mut bytes) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            let before = self.sent.0.load(Ordering::Relaxed);
            let begun = Instant::now();
            step(self, round);
            self.draw();
            times.push(begun.elapsed());
            bytes.push(self.sent.0.load(Ordering::Relaxed) - before);
        }
        print_row(name, &mut times, &mut bytes);
    }
}

fn print_row(name: &str, times: &mut [Duration], bytes: &mut [usize]) {
    println!(
        "| {name} | {:.2} | {:.2} | {} | {} |",
        milliseconds(quantile(times, 0.5)),
        milliseconds(quantile(times, 0.99)),
        quantile(bytes, 0.5),
        quantile(bytes, 1.0),
    );
}

pub fn measure() {
    println!("{}×{}, a file of {LINES} lines.\n", SIZE.0, SIZE.1);
    println!("| frame | ms | ms, 99 % | bytes | bytes, most |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    let mut bench = Bench::new();
    bench.draw();
    let per_round = COMMITS / ROUNDS as u32;
    bench.report("while it streams", |bench, round| {
        let first = round as u32 * per_round;
        bench.hear(BlameEventKind::Batch(batch(first..first + per_round)));
    });
    bench.hear(BlameEventKind::Batch(batch(
        per_round * ROUNDS as u32..COMMITS,
    )));
    bench.hear(BlameEventKind::Finished(BlameReport::default()));
    bench.report("nothing new", |_, _| {});
    bench.report("everything again", |bench, _| {
        bench.canvas.invalidate();
    });
    bench.report("`j` within the screen", |bench, round| {
        bench.press(if round % 60 < 30 { "j" } else { "k" });
    });
    bench.press("G");
    bench.draw();
    bench.report("`k` that scrolls", |bench, _| bench.press("k"));
    bench.report("a page", |bench, _| bench.press("PgUp"));
    bench.press("W");
    bench.report("a page, wrapped", |bench, _| bench.press("PgUp"));
}

/// Code of the usual shape.
fn text() -> Vec<u8> {
    let mut text = Vec::new();
    for line in 0..LINES {
        let indent = (line % 7) as usize * 4;
        let words = "call(argument, &other)?; ".repeat(1 + line as usize % 4);
        writeln!(text, "{:indent$}let value_{line} = {words}", "").expect("memory");
    }
    text
}

/// The colors of a line.
fn spans() -> Arc<[(u32, SyntaxClass)]> {
    let classes = [
        SyntaxClass::Keyword,
        SyntaxClass::Plain,
        SyntaxClass::Function,
        SyntaxClass::Plain,
    ];
    let starts = (0..80).step_by(6);
    starts
        .zip(classes.into_iter().cycle())
        .collect::<Vec<_>>()
        .into()
}

fn id(number: u32) -> ObjectId {
    let mut bytes = [7; 20];
    bytes[..4].copy_from_slice(&number.wrapping_mul(2_654_435_761).to_be_bytes());
    ObjectId::Sha1(bytes)
}

/// What some of the commits are guilty of: groups all over the file.
fn batch(numbers: std::ops::Range<u32>) -> BlameBatch {
    let mut batch = BlameBatch::default();
    for number in numbers {
        let person = Signature {
            name: format!("Person {}", number % 50).into(),
            mail: "person@example.org".into(),
            time: 1_000_000_000 + i64::from(number) * 300_000,
            offset: 0,
        };
        let commit = CommitMetadata {
            author: person.clone(),
            committer: person,
            co_authors: Vec::new(),
            message: format!("Change number {number}\n\nWith some words.\n").into(),
            change_id: None,
            root: number == 0,
            merge_parents: Vec::new(),
        };
        batch.commits.push((id(number), Ok(commit)));
        let groups = LINES / GROUP / COMMITS;
        let lines = |nth: u32| {
            let start = (nth * COMMITS + number) * GROUP;
            start..start + GROUP
        };
        let entry = |nth| AttributedLines {
            lines: lines(nth),
            source_start: lines(nth).start,
            ignored: false,
            unblamable: false,
        };
        batch.origins.push(AttributedOrigin {
            commit: id(number),
            path: Arc::new("src/made-up.rs".into()),
            previous: None,
            boundary: false,
            entries: (0..groups).map(entry).collect(),
        });
    }
    batch
}
