//! The commit of the line under the cursor, in a buffer with unsaved edits:
//!
//! ```sh
//! cargo run --release --example inline_blame -- FILE
//! ```
//!
//! The file is blamed once, when it is opened. After an edit its lines are compared with those that
//! are committed; a move of the cursor looks up one entry.

use std::{error::Error, hint::black_box, path::Path, time::Instant};

use tblame::{ErrorKind, FileBlame, Repository};

/// The blame of an open file.
pub struct InlineBlame {
    /// `None` if the file is not committed.
    shown: Option<FileBlame>,
}

impl InlineBlame {
    /// Blames the committed file; to be called again when a commit was made.
    pub fn open(repository: &Repository, path: &Path) -> tblame::Result<InlineBlame> {
        let shown = match repository.blame(path).at("HEAD").run() {
            Ok(blame) => Some(blame),
            Err(err) if err.kind() == ErrorKind::NoSuchPath => None,
            Err(err) => return Err(err),
        };
        Ok(InlineBlame { shown })
    }

    /// Notes that the buffer has other contents.
    pub fn edit(&mut self, buffer: &[u8]) -> tblame::Result<()> {
        if let Some(shown) = &mut self.shown {
            *shown = shown.with_contents(buffer)?;
        }
        Ok(())
    }

    /// What is shown beside the line (0-based) with the cursor.
    pub fn annotation(&self, line: u32) -> String {
        let entry = self.shown.as_ref().and_then(|blame| blame.entry_at(line));
        match entry {
            Some(entry) if !entry.is_uncommitted() => {
                let commit = entry.commit();
                format!("{} · {}", commit.author().name(), commit.summary())
            }
            _ => "not committed".to_owned(),
        }
    }
}

/// Types in the file, and moves the cursor, as an editor does; and says how long that takes.
fn main() -> Result<(), Box<dyn Error>> {
    const EDITS: u32 = 200;
    const MOVES: u32 = 100_000;
    let file = std::env::args_os().nth(1).ok_or("which file?")?;
    let file = Path::new(&file).canonicalize()?;
    let mut lines: Vec<Vec<u8>> = std::fs::read(&file)?
        .split_inclusive(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    if lines.is_empty() {
        return Err("the file is empty".into());
    }

    let began = Instant::now();
    let repository = Repository::discover(&file)?;
    let mut blame = InlineBlame::open(&repository, &file)?;
    println!("opened in {:.1?}", began.elapsed());

    // The first edit may find more out about the file than the next ones need.
    blame.edit(&lines.concat())?;
    let began = Instant::now();
    for nth in 0..EDITS {
        let at = nth as usize * 7919 % lines.len();
        lines[at].insert(0, b'x');
        if nth % 10 == 9 {
            lines.insert(at, b"a new line\n".to_vec());
        }
        blame.edit(&lines.concat())?;
    }
    println!("{:.3?} for each of {EDITS} edits", began.elapsed() / EDITS);

    let began = Instant::now();
    for nth in 0..MOVES {
        black_box(blame.annotation(nth.wrapping_mul(7919) % lines.len() as u32));
    }
    println!(
        "{:.3?} for each move of the cursor",
        began.elapsed() / MOVES
    );
    println!("line 1: {}", blame.annotation(0));
    Ok(())
}
