//! The terminal program: a blame that can be walked through.
//!
//! The state and all that changes it is in [`app`]; how it looks is in `ui` and [`theme`]. The
//! worker blames, the highlighter colours, each on a thread of its own; the event loop brings their
//! messages, the keys and the terminal together.

pub mod app;
pub mod archive;
pub mod background;
pub mod canvas;
pub mod commit_files;
pub mod comparer;
pub mod config;
mod contrast;
pub mod dates;
pub mod emphasis;
pub mod errand;
pub mod event_loop;
pub mod highlight;
pub mod input;
pub mod inquirer;
pub mod landing;
pub mod memory;
pub mod outside;
mod palette;
pub mod references;
pub mod repository;
pub mod screen;
pub mod source;
pub mod switches;
pub mod terminal;
pub mod theme;
pub mod themes;
pub mod tint;
pub mod ui;
pub mod web;
pub mod worker;

use std::{
    io::{self, IsTerminal, Write},
    path::Path,
    time::Instant,
};

use self::{
    app::{Opening, lessons::Lessons},
    event_loop::{Ending, EventLoop, Until},
    screen::Screen,
    source::{Outcome, Source},
    terminal::TerminalScreen,
    themes::Wardrobe,
};

/// Runs the viewer in the terminal until the person leaves. Says how it ended, and what the blame on
/// the screen did, if that had ended.
///
/// # Errors
/// Standard output is no terminal, or it went away.
pub fn run(
    opening: Opening,
    wardrobe: Wardrobe,
    source: Box<dyn Source>,
    memory: Option<&Path>,
) -> io::Result<(Ending, Option<Outcome>)> {
    let var = |name: &str| std::env::var(name).ok();
    let found = wardrobe.found().clone();
    let can_ask = found.theme.has_colours()
        && io::stdin().is_terminal()
        && !background::is_deaf(&var("TERM").unwrap_or_default());
    let asks = can_ask && wardrobe.is_open();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut inputs = input::inputs()?;
        let mut screen = TerminalScreen::take(opening.config.mouse)?;
        if asks {
            screen.ask(background::QUESTION)?;
        }
        let mut event_loop = EventLoop::new(opening, found.theme, screen, source)?;
        if let Some(warning) = found.warning {
            event_loop.warn(warning)?;
        }
        event_loop.dress(wardrobe, can_ask);
        if asks {
            event_loop.listen(Instant::now());
        }
        let ending = loop {
            match event_loop.run(&mut inputs, Until::Quit).await {
                Ok(Ending::Errand(errand)) => {
                    event_loop.hear_out(&mut inputs).await;
                    // Nobody else may read the keys meanwhile.
                    drop(inputs);
                    let ended = event_loop.do_errand(&errand)?;
                    inputs = input::inputs()?;
                    if let Some(number) = ended {
                        break Ok(Ending::Signal(number));
                    }
                }
                ending => break ending,
            }
        };
        event_loop.hear_out(&mut inputs).await;
        let lines = event_loop.printout();
        let used = event_loop.app().lessons.as_ref();
        let used = used.and_then(Lessons::to_be_kept);
        let outcome = event_loop.app().outcome().cloned();
        event_loop.close();
        if let (Some(file), Some(used)) = (memory, used) {
            memory::keep(file, &used);
        }
        if let Ok(Ending::Quit) = ending {
            print(&lines)?;
        }
        Ok((ending?, outcome))
    })
}

fn print(lines: &[String]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in lines {
        writeln!(out, "{line}")?;
    }
    out.flush()
}
