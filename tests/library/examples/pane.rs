//! A pane that shows a file at once, and the commit of each line as soon as it is found:
//!
//! ```sh
//! cargo run --example pane -- FILE
//! ```
//!
//! The blame runs in a thread of the async runtime. What it finds goes through a channel to the
//! task that draws, which never waits for it. A pane that is closed drops its end of the channel:
//! the blame ends before the next commit.

use std::{
    error::Error,
    ops::ControlFlow,
    path::Path,
    time::{Duration, Instant},
};

use tblame::{BlameEntry, BlameItem, BlamedText, FileBlame, Repository};
use tokio::{
    sync::mpsc::{self, Receiver, error::TrySendError},
    task::JoinHandle,
};

/// The time between two frames.
const FRAME: Duration = Duration::from_millis(40);

/// What is shown.
#[derive(Default)]
pub struct Pane {
    text: Option<BlamedText>,
    /// What is known of each line.
    commits: Vec<Option<String>>,
    /// The date that the blame has come to.
    frontier: Option<i64>,
}

impl Pane {
    /// Takes in what was found.
    pub fn update(&mut self, item: BlameItem) {
        match item {
            BlameItem::Text(text) => {
                self.commits = vec![None; text.line_count() as usize];
                self.text = Some(text);
            }
            BlameItem::Entry(entry) => {
                let shown = short(&entry);
                for line in entry.lines() {
                    self.commits[line as usize] = Some(shown.clone());
                }
            }
            BlameItem::Frontier(date) => self.frontier = Some(date),
            _ => {}
        }
    }

    /// The first rows of the file, and how far the blame has come.
    pub fn draw(&self, height: usize) -> String {
        let Some(text) = &self.text else {
            return "opening …\n".to_owned();
        };
        let mut frame = String::new();
        for (commit, line) in self.commits.iter().zip(text.lines()).take(height) {
            let commit = commit.as_deref().unwrap_or_default();
            frame += &format!("{commit:28.28} │ {}\n", String::from_utf8_lossy(line));
        }
        let open = self
            .commits
            .iter()
            .filter(|commit| commit.is_none())
            .count();
        let date = self.frontier.unwrap_or_default();
        frame
            + &format!(
                "{open} of {} lines are open, at {date}\n",
                text.line_count()
            )
    }
}

fn short(entry: &BlameEntry) -> String {
    let id = entry.commit_id().to_string();
    format!("{} {}", &id[..8], entry.commit().author().name())
}

/// Starts the blame of a file, whose items come through the channel.
pub fn open(
    repository: &Repository,
    path: &Path,
) -> (Receiver<BlameItem>, JoinHandle<tblame::Result<FileBlame>>) {
    let (sender, receiver) = mpsc::channel(256);
    let blame = repository.blame(path);
    let pass = move |item| {
        let sent = match item {
            // There is one for each commit; any of them will do.
            BlameItem::Frontier(_) => match sender.try_send(item) {
                Err(TrySendError::Closed(_)) => Err(()),
                _ => Ok(()),
            },
            item => sender.blocking_send(item).map_err(|_| ()),
        };
        match sent {
            Ok(()) => ControlFlow::Continue(()),
            Err(()) => ControlFlow::Break(()),
        }
    };
    let task = tokio::task::spawn_blocking(move || blame.stream(pass));
    (receiver, task)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).ok_or("which file?")?;
    let file = Path::new(&file).canonicalize()?;
    let repository = Repository::discover(&file)?;
    let (mut items, task) = open(&repository, &file);
    let mut pane = Pane::default();
    let (mut found, mut drawn) = (Vec::new(), Instant::now());
    while items.recv_many(&mut found, 256).await > 0 {
        found.drain(..).for_each(|item| pane.update(item));
        if drawn.elapsed() > FRAME {
            println!("{}", pane.draw(8));
            drawn = Instant::now();
        }
    }
    // From here on, the pane could follow edits as the example `inline_blame` does.
    let blame = task.await??;
    println!("{}{} entries", pane.draw(8), blame.entries().len());
    Ok(())
}
