//! The operands of `--places`.

use std::io::{self, IsTerminal};

use bstr::{BString, ByteSlice};

use crate::{
    dates::calendar::Clock,
    error::{Error, Result},
    repository::{
        Repository,
        open::paths::relative_path,
        request::{
            options::BlameOptions,
            prepare::{PreparedRequest, prepare},
        },
    },
    run::missing_path::typed_in_work_tree,
};

/// A call.
const EXAMPLE: &str = "git grep -n TODO | tblame --places";

/// The work tree or commit that the operands name. Warnings are added to `notes`.
///
/// # Errors
///
/// Operands that name none, and standard input that is a terminal.
pub(in crate::run) fn prepared(
    repository: &Repository,
    options: &BlameOptions,
    clock: &Clock,
    notes: &mut Vec<BString>,
) -> Result<PreparedRequest> {
    if io::stdin().is_terminal() {
        return Err(Error::fatal("--places reads lines from standard input").with_hint(EXAMPLE));
    }
    let prepared = prepare_all(repository, options, clock, notes);
    prepared.map_err(|err| refused(repository, options, err))
}

/// The error for operands that are refused with `err`: a file is limited where the lines
/// come from.
fn refused(repository: &Repository, options: &BlameOptions, err: Error) -> Error {
    let mut words = options.operands.iter();
    let file = words.find(|word| typed_in_work_tree(repository, word.as_bstr()).is_some());
    match file {
        Some(file) => {
            let words = "--places takes a revision, no file: git grep -n TODO -- ";
            Error::fatal([words.as_bytes(), file, b" | tblame --places"].concat())
        }
        None => err.or_hint(format!("the lines come from a pipe: {EXAMPLE}")),
    }
}

/// The work tree, or a commit. All operands are revisions.
fn prepare_all(
    repository: &Repository,
    options: &BlameOptions,
    clock: &Clock,
    notes: &mut Vec<BString>,
) -> Result<PreparedRequest> {
    let mut of_directory = options.of_directory();
    of_directory.file_and_line = false;
    let operands = &mut of_directory.operands;
    operands.retain(|word| word != "--");
    let root = relative_path(b"".into(), repository.paths().prefix.as_bstr());
    operands.extend(["--".into(), root]);
    prepare(repository, &of_directory, clock, notes)
}
