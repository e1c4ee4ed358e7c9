//! The command lines with which other programs run `git blame`.
//!
//! They were taken from the newest sources of these programs in 2026, with the programs' defaults. An
//! option that a program lets its users add is there with the values that its documentation shows.

use std::{ffi::OsString, os::unix::ffi::OsStringExt};

/// A program that runs `git blame`.
pub struct Client {
    pub name: &'static str,
    /// Where it composes the command line: a repository, and files in it.
    pub source: &'static str,
    /// The directory that it runs git in.
    pub directory: Directory,
    /// Variables that it sets.
    pub environment: &'static [(&'static str, &'static str)],
    /// Options of git before `blame`, in the form of [`BlameCommand::arguments`].
    pub git_options: &'static str,
    pub commands: &'static [BlameCommand],
}

/// A directory that git runs in.
#[derive(Clone, Copy)]
pub enum Directory {
    /// The root of the work tree.
    Root,
    /// The directory of the blamed file.
    OfFile,
}

/// One way in which a program blames a file.
pub struct BlameCommand {
    /// The arguments after `blame`: words separated by blanks. `{ }` is a blank in a word, and:
    ///
    /// - `{path}`: the file, relative to the root of the work tree
    /// - `{rev}`: a commit; without it the file in the work tree is blamed
    /// - `{line}`, `{end}`, `{count}`: two line numbers, and how many lines they enclose
    /// - `{root}`, `{git-dir}`: the root of the work tree, and the repository's directory
    /// - `{unsaved}`: a file with the text that is in the editor
    /// - `{grafts}`: a file with the id of a commit
    pub arguments: &'static str,
    pub input: Input,
}

/// What is written to standard input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Input {
    Nothing,
    /// The text in the editor, which is not saved.
    Unsaved,
    /// The text in the index.
    Staged,
}

const fn blame(arguments: &'static str) -> BlameCommand {
    BlameCommand {
        arguments,
        input: Input::Nothing,
    }
}

const fn blame_text(input: Input, arguments: &'static str) -> BlameCommand {
    BlameCommand { arguments, input }
}

use Input::{Staged, Unsaved};

pub const CLIENTS: &[Client] = &[
    Client {
        name: "VS Code",
        source: "microsoft/vscode: extensions/git/src/git.ts",
        directory: Directory::Root,
        environment: &[
            ("VSCODE_GIT_COMMAND", "blame"),
            ("LANGUAGE", "en"),
            ("LC_ALL", "en_US.UTF-8"),
            ("LANG", "en_US.UTF-8"),
            ("GIT_PAGER", "cat"),
        ],
        git_options: "",
        commands: &[
            blame("--root --incremental -- {path}"),
            blame("--root --incremental {rev} -- {path}"),
            blame("--root --incremental -w -- {path}"),
            blame("--root --incremental -w {rev} -- {path}"),
            blame("-- {path}"),
        ],
    },
    Client {
        name: "GitLens",
        source: "gitkraken/vscode-gitlens: \
                 packages/git-cli/src/providers/blame.ts packages/git-cli/src/exec/git.ts",
        directory: Directory::Root,
        environment: &[
            ("GCM_INTERACTIVE", "NEVER"),
            ("GCM_PRESERVE_CREDS", "TRUE"),
            ("LC_ALL", "C"),
        ],
        git_options: "-c core.quotepath=false -c color.ui=false",
        commands: &[
            blame("--root --incremental --encoding=utf-8 -- {path}"),
            blame(
                "--root --incremental --encoding=utf-8 \
                 --ignore-revs-file .git-blame-ignore-revs {rev} -- {path}",
            ),
            blame("--root --incremental --encoding=utf-8 -w -L{ }{line},{line} {rev} -- {path}"),
            blame_text(
                Unsaved,
                "--root --incremental --encoding=utf-8 -w \
                 --ignore-revs-file .git-blame-ignore-revs --contents - -- {path}",
            ),
            blame_text(
                Unsaved,
                "--root --incremental --encoding=utf-8 -L{ }{line},{line} --contents - -- {path}",
            ),
            blame_text(
                Staged,
                "--root --incremental --encoding=utf-8 --contents - -- {path}",
            ),
        ],
    },
    Client {
        name: "Zed",
        source: "zed-industries/zed: crates/git/src/blame.rs crates/git/src/repository.rs",
        directory: Directory::Root,
        environment: &[],
        git_options: "-c core.fsmonitor=false -c log.showSignature=false --no-optional-locks \
                      --no-pager",
        commands: &[
            blame_text(Unsaved, "--incremental --contents - -- {path}"),
            blame("--incremental {rev} -- {path}"),
            // Older versions.
            blame_text(Unsaved, "--incremental --contents - {path}"),
        ],
    },
    Client {
        name: "Zed, untrusted",
        source: "zed-industries/zed: crates/git/src/blame.rs crates/git/src/repository.rs",
        directory: Directory::Root,
        environment: &[],
        git_options: "-c core.fsmonitor=false -c log.showSignature=false --no-optional-locks \
                      --no-pager -c core.hooksPath=/dev/null -c core.sshCommand=ssh \
                      -c credential.helper= -c protocol.ext.allow=never -c diff.external=",
        commands: &[
            blame_text(Unsaved, "--incremental --contents - -- {path}"),
            blame("--incremental {rev} -- {path}"),
        ],
    },
    Client {
        name: "gitsigns.nvim",
        source: "lewis6991/gitsigns.nvim: lua/gitsigns/git/blame.lua lua/gitsigns/git/repo.lua \
                 lua/gitsigns/git/cmd.lua",
        directory: Directory::Root,
        environment: &[("LC_ALL", "C"), ("LANGUAGE", "C")],
        git_options: "--no-pager --no-optional-locks --literal-pathspecs -c gc.auto=0 \
                      -c core.quotepath=off -c color.ui=false -c color.diff=false \
                      --git-dir {git-dir} --work-tree {root}",
        commands: &[
            blame_text(Unsaved, "--incremental --contents - -- {path}"),
            blame_text(
                Unsaved,
                "--incremental --contents - -w -L {line},+1 \
                 --ignore-revs-file {root}/.git-blame-ignore-revs -- {path}",
            ),
            blame_text(
                Unsaved,
                "--incremental --contents - -L {line},{end} -M -C {rev} -- {path}",
            ),
            blame("--incremental --ignore-revs-file {root}/.git-blame-ignore-revs {rev} -- {path}"),
        ],
    },
    Client {
        name: "tig",
        source: "jonas/tig: src/blame.c src/diff.c src/io.c",
        directory: Directory::Root,
        environment: &[],
        git_options: "",
        commands: &[
            blame("--encoding=UTF-8 -p -- {path}"),
            blame("--encoding=UTF-8 -p {rev} -- {path}"),
            blame("--encoding=UTF-8 -C -C -C -p {rev} -- {path}"),
            blame("--encoding=UTF-8 -p -L{line},+1 {rev} -- {path}"),
        ],
    },
    Client {
        name: "git gui",
        source: "j6t/git-gui: lib/blame.tcl",
        directory: Directory::Root,
        environment: &[],
        git_options: "",
        commands: &[
            blame("--incremental --encoding=utf-8 --contents {path} -- {path}"),
            blame("-C -C40 -w --incremental --encoding=utf-8 --contents {path} -- {path}"),
            blame("--incremental --encoding=utf-8 {rev} -- {path}"),
            blame("-C40 -w --incremental --encoding=utf-8 {rev} -- {path}"),
            blame("-C -C -C40 -w -L {line},{end} --incremental --encoding=utf-8 {rev} -- {path}"),
        ],
    },
    Client {
        name: "vim-fugitive",
        source: "tpope/vim-fugitive: autoload/fugitive.vim",
        directory: Directory::OfFile,
        environment: &[],
        git_options: "-C {root} --literal-pathspecs --no-pager -c blame.coloring=none \
                      -c blame.blankBoundary=false",
        commands: &[
            blame("--show-number -- {path}"),
            blame("--show-number --contents {unsaved} -- {path}"),
            blame("--show-number -w -C -L {line},{end} --contents {unsaved} -- {path}"),
            blame("--show-number -w {rev} -- {path}"),
            blame("--show-number -L {line},{line} {rev} -- {path}"),
            // :GBrowse
            blame("-L {line},{end} -S {grafts} -s --show-number ./{path}"),
            blame("-L {line},{end} -S {grafts} -s --show-number --contents {unsaved} ./{path}"),
        ],
    },
    Client {
        name: "GitPython",
        source: "gitpython-developers/GitPython: git/repo/base.py git/cmd.py",
        directory: Directory::Root,
        environment: &[("LANGUAGE", "C"), ("LC_ALL", "C")],
        git_options: "",
        commands: &[
            blame("-p HEAD -- {path}"),
            blame("-p {rev} -- {path}"),
            blame("-p {rev} -M -C -w -- {path}"),
            blame("-p --incremental {rev} -- {path}"),
            blame("-p --incremental -- {path}"),
        ],
    },
    Client {
        name: "lazygit",
        source: "jesseduffield/lazygit: pkg/commands/git_commands/blame.go \
                 pkg/gui/controllers/helpers/fixup_helper.go",
        directory: Directory::Root,
        environment: &[("GIT_OPTIONAL_LOCKS", "0")],
        git_options: "",
        commands: &[
            blame("-l -L{line},+{count} HEAD -- {path}"),
            blame("-l -L{line},+1 HEAD -- {path}"),
        ],
    },
    Client {
        name: "Magit",
        source: "magit/magit: lisp/magit-blame.el lisp/magit-git.el",
        directory: Directory::Root,
        environment: &[("INSIDE_EMACS", "30.1,magit")],
        git_options: "--no-pager --literal-pathspecs -c core.preloadIndex=true \
                      -c log.showSignature=false -c color.ui=false -c color.diff=false \
                      -c diff.noPrefix=false",
        commands: &[
            blame("--incremental -w -- {path}"),
            blame("--incremental -w -L {line},{end} {rev} -- {path}"),
            blame("--incremental -w {rev} -- {path}"),
            blame("--incremental -w -M -C --first-parent {rev} -- {path}"),
            blame("--incremental --reverse -w {rev} -- {path}"),
            blame("--porcelain -w -L {line},+1 {rev} -- {path}"),
            blame("--porcelain --reverse -w -L {line},+1 {rev} -- {path}"),
        ],
    },
];

/// The words of a template, with the values of its placeholders.
pub fn words(template: &str, values: &[(&str, Vec<u8>)]) -> Vec<OsString> {
    // `{ }` is the only placeholder with a blank.
    let template = template.replace("{ }", "{\u{a0}}");
    let word = |word: &str| {
        let mut bytes = Vec::new();
        let mut rest = word;
        while let Some(start) = rest.find('{') {
            let end = start + rest[start..].find('}').expect("a placeholder ends") + 1;
            let name = rest[start..end].replace('\u{a0}', " ");
            let value = values.iter().find(|(known, _)| *known == name);
            let (_, value) = value.unwrap_or_else(|| panic!("no placeholder {name}"));
            bytes.extend_from_slice(&rest.as_bytes()[..start]);
            bytes.extend_from_slice(value);
            rest = &rest[end..];
        }
        bytes.extend_from_slice(rest.as_bytes());
        OsString::from_vec(bytes)
    };
    template.split_ascii_whitespace().map(word).collect()
}
