//! The public library, compared with the installed git.
