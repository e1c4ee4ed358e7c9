//! Which files are counted apart: generated and vendored ones, lock files, and binary ones.

use bstr::{BStr, ByteSlice};

use crate::{
    error::Result,
    repository::{
        content::{
            attribute_rules::AttributeState,
            attributes::{AttributeFiles, Attributes},
        },
        open::repository::Repository,
    },
};

/// The names of files in which package managers keep what they have chosen.
const LOCK_FILES: [&[u8]; 25] = [
    b"Cargo.lock",
    b"Cartfile.resolved",
    b"Gemfile.lock",
    b"Package.resolved",
    b"Pipfile.lock",
    b"Podfile.lock",
    b"bun.lock",
    b"bun.lockb",
    b"composer.lock",
    b"deno.lock",
    b"flake.lock",
    b"go.sum",
    b"go.work.sum",
    b"gradle.lockfile",
    b"mix.lock",
    b"npm-shrinkwrap.json",
    b"package-lock.json",
    b"packages.lock.json",
    b"pdm.lock",
    b"pixi.lock",
    b"pnpm-lock.yaml",
    b"poetry.lock",
    b"pubspec.lock",
    b"uv.lock",
    b"yarn.lock",
];

/// Tells files that were generated or copied from elsewhere, and binary ones, from others.
#[derive(Debug)]
pub struct GeneratedFiles {
    attributes: Attributes,
}

impl GeneratedFiles {
    /// The files of a repository. Attributes are those of the work tree, and with `uses_index` those
    /// of the index where it lacks them.
    pub fn new(repository: &Repository, uses_index: bool) -> GeneratedFiles {
        let mut attributes = AttributeFiles::new(repository).open();
        if uses_index {
            attributes.use_index();
        }
        GeneratedFiles { attributes }
    }

    /// True if the attributes of a path say that it is generated or comes from elsewhere
    /// (`linguist-generated`, `linguist-vendored`), or that git does not show how it changed
    /// (`-diff`), for lock files, and if it is binary: by its contents, unless `diff` is set. It is
    /// not if `linguist-generated` is unset or `false`.
    ///
    /// # Errors
    ///
    /// If attributes cannot be read.
    pub fn has(&mut self, path: &BStr, is_binary: bool) -> Result<bool> {
        let names = ["linguist-generated", "linguist-vendored", "diff"];
        let [generated, vendored, diff] = self.attributes.states(path, names)?;
        let is_set = |state: &AttributeState| *state == AttributeState::Set || state.is("true");
        if generated == AttributeState::Unset || generated.is("false") {
            return Ok(false);
        }
        let name: &[u8] = &path[path.rfind_byte(b'/').map_or(0, |at| at + 1)..];
        Ok(is_set(&generated)
            || is_set(&vendored)
            || diff == AttributeState::Unset
            || (is_binary && diff == AttributeState::Unspecified)
            || LOCK_FILES.contains(&name))
    }
}
