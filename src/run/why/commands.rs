//! The commands that say all of what an answer leaves out.

use std::ops::Range;

use bstr::{BStr, BString, ByteSlice};

use crate::{
    cli::Invocation,
    engine::Request,
    repository::{Repository, open::paths::relative_path, request::prepare::PreparedRequest},
    sanitize,
    text::shell_quotes,
};

/// What the commands have in common with the one that was given.
pub(super) struct Commands {
    /// The options of git, with a blank after each.
    git_options: String,
    /// The options with a blank after each.
    options: String,
    /// The revisions and the file, with a blank before each.
    end: String,
}

impl Commands {
    pub(super) fn new(
        repository: &Repository,
        invocation: &Invocation,
        prepared: &PreparedRequest,
    ) -> Commands {
        let path = &prepared.request.path;
        let path = relative_path(path.as_bstr(), repository.paths().prefix.as_bstr());
        let words = |given: &[BString]| -> Option<Vec<String>> {
            given
                .iter()
                .map(|word| shell_word(word.as_bstr()))
                .collect()
        };
        let options = words(&invocation.given);
        let revisions = words(&prepared.revisions);
        let git_options = shown(invocation.git_options.to_vec());
        let is_whole = options.is_some() && revisions.is_some() && git_options.is_some();
        let options = options.unwrap_or_default().into_iter();
        let revisions = revisions.unwrap_or_default().into_iter();
        let mut end: String = revisions.map(|word| format!(" {word}")).collect();
        match shell_word(path.as_bstr()) {
            Some(path) if is_whole => end.push_str(&format!(" -- {path}")),
            Some(_) => end.push_str(", and the options, revisions and file given"),
            None if is_whole => end.push_str(" of this file"),
            None => end.push_str(", and the options and revisions given, of this file"),
        }
        Commands {
            git_options: git_options.unwrap_or_default(),
            options: options.map(|word| format!("{word} ")).collect(),
            end,
        }
    }

    /// The command for all changes of the lines, and that for all deletions there.
    /// Deletions are between two of the lines `around` those.
    pub(super) fn of(&self, request: &Request, around: &[Range<u32>]) -> (String, String) {
        let Commands {
            git_options,
            options,
            end,
        } = self;
        // The answer follows lines that moved.
        let moves = match request.movement.moves {
            Some(_) => "",
            None => "-M ",
        };
        let history = lines(request.ranges.as_deref().unwrap_or_default());
        let deletions = lines(around);
        (
            format!("tblame {git_options}--line-history {moves}{options}{history}{end}"),
            format!("tblame {git_options}--deletions {options}{deletions}{end}"),
        )
    }
}

/// Options for lines.
fn lines(ranges: &[Range<u32>]) -> String {
    let words = ranges
        .iter()
        .map(|range| format!("-L {},{}", u64::from(range.start) + 1, range.end));
    words.collect::<Vec<_>>().join(" ")
}

/// A word as a shell reads it. `None` if it cannot be shown as it is.
fn shell_word(word: &BStr) -> Option<String> {
    let mut text = Vec::new();
    shell_quotes::push_word(&mut text, word);
    shown(text)
}

fn shown(text: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(text).ok()?;
    (sanitize::line(text.as_bytes()) == text).then_some(text)
}
