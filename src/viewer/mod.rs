//! The terminal program: a blame that can be walked through.
//!
//! The state and all that changes it is in [`app`]; how it looks is in `ui` and [`theme`]. The
//! worker blames, the highlighter colours, each on a thread of its own; the event loop brings their
//! messages, the keys and the terminal together.

pub mod app;
pub mod comparer;
pub mod config;
pub mod dates;
pub mod event_loop;
pub mod highlight;
pub mod landing;
pub mod repository;
pub mod source;
pub mod switches;
pub mod terminal;
pub mod theme;
pub mod tint;
pub mod ui;
pub mod worker;

use std::io;

use self::{
    app::Opening,
    event_loop::{Ending, EventLoop, Until},
    source::Source,
    terminal::TerminalScreen,
    theme::{Background, Depth, Theme},
};

/// How the viewer is to look; what is not given is found out.
#[derive(Debug, Clone, Copy, Default)]
pub struct Look {
    /// Dark or light.
    pub background: Option<Background>,
    /// How many colours.
    pub depth: Option<Depth>,
}

/// Runs the viewer in the terminal until the person leaves.
///
/// # Errors
/// Standard output is no terminal, or it went away.
pub fn run(opening: Opening, look: Look, source: Box<dyn Source>) -> io::Result<Ending> {
    let var = |name: &str| std::env::var(name).ok();
    let background = look.background.unwrap_or_else(|| Background::detect(var));
    let depth = look.depth.unwrap_or_else(|| Depth::detect(var));
    let theme = Theme::new(background, depth);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut inputs = event_loop::inputs()?;
        let screen = TerminalScreen::take()?;
        let mut event_loop = EventLoop::new(opening, theme, screen, source)?;
        let ending = event_loop.run(&mut inputs, Until::Quit).await;
        event_loop.close();
        ending
    })
}
