//! `--patch`: the parser of patches, and the lines that they remove, compared with git's blames.

mod parsed;
