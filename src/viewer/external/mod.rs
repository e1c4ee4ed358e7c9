//! External commands: the editor, the browser, the configured command, the clipboard.

pub mod run_external;
