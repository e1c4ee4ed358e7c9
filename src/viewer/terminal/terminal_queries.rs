//! Queries to the terminal: its background (OSC 11), and how many colors it has.
//!
//! The queries are written before the first frame; `reply_filter` recognizes the replies.

use std::{process::Stdio, sync::mpsc, time::Duration};

use crate::{system, viewer::theme::terminal_colors::ColorDepth};

/// The query for the background. Terminals end the reply as the query ended: BEL cannot be mistaken
/// for Escape, as ST could.
pub const BACKGROUND_QUERY: &str = "\x1b]11;?\x07";

/// Sets a background in true color and asks which attributes are set (DECRQSS), then for the
/// terminfo capabilities `Tc` and `RGB` (XTGETTCAP).
///
/// [`BACKGROUND_QUERY`] has to follow: its reply tells that no reply to these is to come.
pub const COLOR_QUERY: &str =
    "\x1b[0m\x1b[48;2;1;2;3m\x1bP$qm\x1b\\\x1b[0m\x1bP+q5463;524742\x1b\\";

/// How long tmux may take to answer.
const TMUX_TIMEOUT: Duration = Duration::from_millis(100);

/// True if terminals with this `TERM` are known not to support queries.
pub fn lacks_queries(term: &str) -> bool {
    term.is_empty() || term == "dumb" || term == "linux" || term.starts_with("vt")
}

/// True if the terminal is to be asked for more colors than its environment says, and does not show
/// the query as text. `var` reads environment variables.
pub fn asks_colors(depth: ColorDepth, var: impl Fn(&str) -> Option<String>) -> bool {
    let is_set = |name| var(name).is_some_and(|value| !value.is_empty());
    // GNU screen passes what is in a DCS to the terminal around it, which writes it.
    let named_screen = var("TERM").is_some_and(|term| term.starts_with("screen"));
    let screen = (named_screen || is_set("STY")) && !is_set("TMUX");
    let apple = var("TERM_PROGRAM").is_some_and(|name| name == "Apple_Terminal");
    matches!(depth, ColorDepth::Sixteen | ColorDepth::Indexed) && !screen && !apple
}

/// True if the tmux around the program says that its terminal has true color. tmux does not answer
/// the query.
pub fn tmux_has_true_color() -> bool {
    let (sender, receiver) = mpsc::channel();
    let asked = std::thread::Builder::new()
        .name("tblame-tmux".to_owned())
        .spawn(move || {
            let mut command = system::command("tmux");
            let output = command
                .arg("info")
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .output();
            sender.send(output.ok()).ok();
        });
    let output = asked
        .ok()
        .and_then(|_| receiver.recv_timeout(TMUX_TIMEOUT).ok());
    output
        .flatten()
        .is_some_and(|output| says_true_color(&output.stdout))
}

/// True if a list of tmux's has one of the capabilities that stand for true color.
fn says_true_color(info: &[u8]) -> bool {
    info.split(|&byte| byte == b'\n').any(|line| {
        let line = String::from_utf8_lossy(line);
        let mut parts = line.split(": ").map(str::trim);
        let name = parts.nth(1);
        let value = parts.next().unwrap_or("[missing]");
        matches!(name, Some("Tc" | "RGB" | "setrgbb"))
            && value != "[missing]"
            && !value.ends_with("false")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tmux_names_the_capabilities_of_its_terminal() {
        assert!(says_true_color(
            b"  10: bel: (string) \\a\n 221: Tc: (flag) true\n"
        ));
        assert!(says_true_color(b" 190: RGB: (flag) true"));
        assert!(!says_true_color(
            b" 221: Tc: [missing]\n 190: RGB: (flag) false\n"
        ));
        assert!(!says_true_color(b""));
    }

    #[test]
    fn terminals_that_say_few_colors_are_asked() {
        let with = |pairs: &'static [(&str, &str)]| {
            move |name: &str| {
                let found = pairs.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            }
        };
        assert!(asks_colors(ColorDepth::Indexed, with(&[])));
        assert!(asks_colors(
            ColorDepth::Indexed,
            with(&[("STY", "1"), ("TMUX", "x")])
        ));
        assert!(!asks_colors(ColorDepth::Indexed, with(&[("STY", "1")])));
        assert!(!asks_colors(ColorDepth::True, with(&[])));
        assert!(asks_colors(ColorDepth::Sixteen, with(&[("TERM", "xterm")])));
        assert!(!asks_colors(ColorDepth::None, with(&[])));
        let screen = with(&[("TERM", "screen.xterm-256color")]);
        assert!(!asks_colors(ColorDepth::Indexed, screen));
    }
}
