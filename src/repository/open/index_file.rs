//! Reading the index file.

use std::{
    io::{ErrorKind, Read},
    path::Path,
};

use bstr::BString;
use gix_index::State;
use memchr::memmem::Finder;

use crate::{
    error::{Error, Result},
    repository::open::layout::Layout,
    system,
};

/// The index, empty if there is no file. Like git, does not compare the file with its checksum.
///
/// # Errors
///
/// If it cannot be read.
pub(crate) fn read_index(layout: &Layout) -> Result<State> {
    let hash = layout.hash;
    let empty = State::new(hash);
    let path = &layout.index;
    let bytes = match system::read_file(path) {
        Err(err) if err.kind() == ErrorKind::NotFound => return Ok(empty),
        bytes => bytes.map_err(|_| corrupt())?,
    };
    let options = gix_index::decode::Options::default();
    let read = State::from_bytes(&bytes, empty.timestamp(), hash, options);
    let (state, _) = read.map_err(|_| corrupt())?;
    if state.link().is_none() {
        return Ok(state);
    }
    // The other file of a split index. gix maps both into memory while it reads them.
    let whole = gix_index::File::at(path, hash, true, options);
    Ok(whole.map_err(|_| corrupt())?.into_parts().0)
}

fn corrupt() -> Error {
    Error::fatal("index file corrupt")
}

/// True if the index file may have an entry with one of `names`. Searches the bytes of the file,
/// which is faster than reading its entries; where that does not decide, the answer is yes.
pub(crate) fn may_have_entry(file: &Path, names: &[BString]) -> bool {
    if names.is_empty() {
        return false;
    }
    match search_entries(file, names) {
        Ok(found) => found,
        Err(err) => err.kind() != ErrorKind::NotFound,
    }
}

fn search_entries(file: &Path, names: &[BString]) -> std::io::Result<bool> {
    // Touching fresh memory for a whole file takes longer than the search.
    const PIECE: usize = 16 << 10;
    // The extension that names another index file: its signature, then the number of its bytes.
    const OTHER_INDEX: &[u8] = b"link";
    const LEAST_OTHER_INDEX: usize = 20;
    let (mut file, metadata) = system::open_with_metadata(file)?;
    let size = metadata.len() as usize;
    let names: Vec<Finder<'_>> = names.iter().map(Finder::new).collect();
    let other_index = Finder::new(OTHER_INDEX);
    // What may be the start of something that the next piece completes.
    let overlap =
        (names.iter().map(|name| name.needle().len())).fold(OTHER_INDEX.len() + 4, usize::max) - 1;
    let mut buffer = vec![0; overlap + PIECE];
    let (mut start, mut filled) = (0, 0);
    loop {
        let read = file.read(&mut buffer[filled..])?;
        if read == 0 {
            return Ok(false);
        }
        filled += read;
        let piece = &buffer[..filled];
        // Version 4 stores names without what they share with the one before.
        let whole_names = matches!(piece.get(4..8), Some([0, 0, 0, 2 | 3]));
        if start == 0 && filled >= 8 && !whole_names {
            return Ok(true);
        }
        let names_other_index = |at: usize| {
            let number = piece.get(at + 4..at + 8)?;
            let bytes = u32::from_be_bytes(number.try_into().ok()?) as usize;
            let rest = size.saturating_sub(start + at + 8);
            Some((LEAST_OTHER_INDEX..=rest).contains(&bytes))
        };
        if names.iter().any(|name| name.find(piece).is_some())
            || (other_index.find_iter(piece)).any(|at| names_other_index(at) == Some(true))
        {
            return Ok(true);
        }
        let kept = overlap.min(filled);
        buffer.copy_within(filled - kept..filled, 0);
        start += filled - kept;
        filled = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of an index file of `version` in which `part` stands at `at`, and ids for the rest.
    fn index(version: u8, part: &[u8], at: usize, size: usize) -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0".to_vec();
        bytes.push(version);
        bytes.resize(size, 0xab);
        bytes[at..at + part.len()].copy_from_slice(part);
        bytes
    }

    fn finds(bytes: &[u8], name: &str) -> bool {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("index");
        std::fs::write(&file, bytes).unwrap();
        may_have_entry(&file, &[BString::from(name)])
    }

    #[test]
    fn names_are_found_wherever_they_stand() {
        let name = "some/directory/.gitattributes";
        let mut searched = 0;
        for size in [64 << 10, 200_000] {
            let near_pieces =
                (0..size).filter(|at| at % (64 << 10) < 80 || at % (64 << 10) > 65_400);
            for at in near_pieces.filter(|at| (12..size - name.len()).contains(at)) {
                let bytes = index(2, name.as_bytes(), at, size);
                assert!(finds(&bytes, name), "at {at} of {size}");
                assert!(!finds(&bytes, "other/.gitattributes"), "at {at} of {size}");
                searched += 1;
            }
        }
        assert!(searched > 500, "{searched}");
    }

    #[test]
    fn another_index_file_may_have_any_name() {
        let searched = |part: &[u8], at| finds(&index(3, part, at, 70_000), "a/.gitattributes");
        for at in [12, 65_530, 65_540, 69_900] {
            assert!(searched(b"link\0\0\0\x14", at), "at {at}");
            assert!(!searched(b"link\0\0\0\x13", at), "at {at}");
            assert!(!searched(b"a-symbolic-link\0", at), "at {at}");
        }
        assert!(!searched(b"link\0\0\x01\0", 69_900));
    }

    #[test]
    fn shortened_names_may_be_any() {
        assert!(finds(&index(4, b"", 12, 100), "a/.gitattributes"));
        assert!(!finds(&index(2, b"", 12, 100), "a/.gitattributes"));
        assert!(!may_have_entry(Path::new("no/such/file"), &["a".into()]));
        assert!(!may_have_entry(Path::new("no/such/file"), &[]));
    }
}
