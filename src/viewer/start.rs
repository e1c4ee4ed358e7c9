//! Runs the viewer in the terminal.

use std::{io, path::Path, time::Instant};

use crate::{
    dates::calendar::Clock,
    system::{self, leftovers, run_log},
    viewer::{
        app::{guide::hints::KeyHints, settings::arguments::ViewerArguments},
        event_loop::{EventLoop, ExitReason, Until},
        hint_history,
        model::source::{BlameReport, BlameSource},
        terminal::{
            ascii, input,
            screen::Screen,
            terminal_queries,
            terminal_screen::{TerminalScreen, is_stuck},
        },
        theme::{terminal_colors::ColorDepth, theme_set::ThemeSet},
    },
};

/// Runs the viewer in the terminal until the user quits. Returns how it ended, and the report of
/// the visible blame if that had finished. `hint_file` stores which keys have been used, and ages
/// are by `clock`.
///
/// # Errors
/// Standard output is not a terminal, or the terminal went away.
pub fn run(
    arguments: ViewerArguments,
    mut themes: ThemeSet,
    source: Box<dyn BlameSource>,
    hint_file: Option<&Path>,
    clock: Clock,
) -> io::Result<(ExitReason, Option<BlameReport>)> {
    if !system::has_keyboard() {
        return Err(io::Error::other("there is no keyboard"));
    }
    system::make_commands_with(system::detached_command);
    let var = |name: &str| std::env::var(name).ok();
    let can_query = themes.current().theme.has_colors()
        && !terminal_queries::lacks_queries(&var("TERM").unwrap_or_default());
    let warning = themes.current().warning.clone();
    if terminal_queries::asks_colors(themes.depth(), var)
        && var("TMUX").is_some()
        && terminal_queries::tmux_has_true_color()
    {
        themes.raise_depth(ColorDepth::True);
    }
    let asks_colors = can_query && terminal_queries::asks_colors(themes.depth(), var);
    let queries = can_query && (themes.depends_on_background() || asks_colors);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut inputs = input::inputs()?;
        leftovers::handle_end();
        system::stop_watching_ends();
        let mut screen = TerminalScreen::enter(arguments.config.mouse)?;
        let (depth, mouse) = (themes.depth(), arguments.config.mouse);
        run_log::note("viewer", format_args!("colors by the environment: {depth:?}, mouse: {mouse}"));
        let asks_width = arguments.config.ascii.is_none() && can_query && ascii::may_be_wide(var);
        let is_ascii = arguments
            .config
            .ascii
            .unwrap_or_else(|| ascii::is_wanted(var));
        if is_ascii || asks_width && screen.shows_lines_wide().await? {
            screen.set_ascii();
        }
        run_log::note(
            "viewer",
            format_args!("ASCII: {is_ascii}, width asked: {asks_width}, colors asked: {asks_colors}, background asked: {queries}"),
        );
        if asks_colors {
            screen.query(terminal_queries::COLOR_QUERY)?;
        }
        if queries {
            screen.query(terminal_queries::BACKGROUND_QUERY)?;
        }
        let mut event_loop = EventLoop::new(arguments, themes, screen, source)?;
        event_loop.follow(clock);
        if let Some(warning) = warning {
            event_loop.show_message(warning)?;
        }
        if can_query {
            event_loop.allow_query();
        }
        if queries {
            event_loop.filter_reply(Instant::now());
        }
        let mut ending = loop {
            match event_loop.run(&mut inputs, Until::Quit).await {
                Ok(ExitReason::External(command)) => {
                    if let Some(number) = event_loop.await_reply(&mut inputs).await {
                        break Ok(ExitReason::Signal(number));
                    }
                    // The command alone must read the terminal.
                    drop(inputs);
                    let ended = event_loop.run_external(&command)?;
                    inputs = input::inputs()?;
                    if let Some(number) = ended {
                        break Ok(ExitReason::Signal(number));
                    }
                }
                ending => break ending,
            }
        };
        if let Some(number) = event_loop.await_reply(&mut inputs).await {
            ending = Ok(ExitReason::Signal(number));
        }
        let used = event_loop.app().guide.hints.as_ref();
        let used = used.and_then(KeyHints::unsaved);
        let report = event_loop.app().report().cloned();
        let tasks_ended = event_loop.close();
        if is_stuck() {
            // Nobody could read an error either.
            ending = Ok(ending.unwrap_or(ExitReason::Quit));
        } else if let (Some(file), Some(used)) = (hint_file, used) {
            hint_history::save(file, &used);
        }
        // Nothing can be made after this, not even a file to be saved.
        if !tasks_ended {
            leftovers::remove_all();
        }
        Ok((ending?, report))
    })
}
