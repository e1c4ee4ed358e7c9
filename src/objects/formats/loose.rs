//! Loose objects: one zlib stream per file, with a header `kind SP size NUL` before the content.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix_hash::{ObjectId, oid};

use crate::{
    objects::{
        error::{EMPTY_FILE, Error, OUT_OF_MEMORY, Reason},
        file_checksum,
        inflate::inflater::{Inflater, max_inflated_len},
        types::{Object, ObjectKind},
    },
    system::{self, memory},
};

/// Upper bound of the header's length.
const MAX_HEADER_LEN: usize = 64;

/// Path of the loose object `id` in an objects directory.
pub(crate) fn path(dir: &Path, id: &oid) -> PathBuf {
    let hex = id.to_hex().to_string();
    dir.join(&hex[..2]).join(&hex[2..])
}

/// The loose objects in `dir` whose ids have the same first byte as `id`.
///
/// # Errors
///
/// They cannot be listed because too many files are open.
pub(crate) fn neighbours(dir: &Path, id: &oid) -> Result<Vec<ObjectId>, Error> {
    let directory = format!("{:02x}", id.first_byte());
    let list = match std::fs::read_dir(dir.join(&directory)) {
        Ok(list) => list,
        Err(error) => return Error::of_shortage(dir, &error).map_or(Ok(Vec::new()), Err),
    };
    let ids = list.flatten().filter_map(|entry| {
        let name = entry.file_name();
        let hex = [directory.as_bytes(), name.as_encoded_bytes()].concat();
        ObjectId::from_hex(&hex).ok()
    });
    Ok(ids.filter(|found| found.kind() == id.kind()).collect())
}

/// Reads the loose object `id` from `dir`, and compares it with its id; `None` if there is no file.
pub(crate) fn read(dir: &Path, id: &oid, inflater: &mut Inflater) -> Result<Option<Object>, Error> {
    let Some(bytes) = read_file(dir, id)? else {
        return Ok(None);
    };
    let object = decode(&bytes, inflater).map_err(|reason| corrupt(dir, id, reason))?;
    if file_checksum::is_object(id, object.kind, &object.data) {
        Ok(Some(object))
    } else {
        Err(corrupt(dir, id, "it has the contents of another object"))
    }
}

/// Reads kind and size of the loose object `id` from `dir`; `None` if there is no file.
pub(crate) fn header(
    dir: &Path,
    id: &oid,
    inflater: &mut Inflater,
) -> Result<Option<(ObjectKind, u64)>, Error> {
    let Some(bytes) = read_file(dir, id)? else {
        return Ok(None);
    };
    inflater
        .begin_prefix(&bytes, MAX_HEADER_LEN)
        .and_then(parse_header)
        .map(|(kind, size, _)| Some((kind, size)))
        .map_err(|reason| corrupt(dir, id, reason))
}

fn corrupt(dir: &Path, id: &oid, reason: Reason) -> Error {
    if reason == OUT_OF_MEMORY {
        return Error::object(id, reason);
    }
    Error::Loose {
        id: id.to_owned(),
        path: path(dir, id),
        reason,
    }
}

fn read_file(dir: &Path, id: &oid) -> Result<Option<Vec<u8>>, Error> {
    let path = path(dir, id);
    match system::read_file(&path) {
        Ok(bytes) if bytes.is_empty() => Err(corrupt(dir, id, EMPTY_FILE)),
        Ok(bytes) => Ok(Some(bytes)),
        Err(error)
            if matches!(
                error.kind(),
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(Error::io(&path, error)),
    }
}

fn decode(bytes: &[u8], inflater: &mut Inflater) -> Result<Object, Reason> {
    let (kind, size, header) = parse_header(inflater.begin_prefix(bytes, MAX_HEADER_LEN)?)?;
    if size > max_inflated_len(bytes.len()) {
        return Err("a loose object states an impossible size");
    }
    let size = usize::try_from(size).map_err(|_| "a loose object is too large")?;
    // The object is copied out of what is inflated.
    if !memory::is_available(size.saturating_mul(2)) {
        return Err(OUT_OF_MEMORY);
    }
    let mut all = vec![0; header + size];
    if inflater.inflate_exact(bytes, &mut all)? != bytes.len() {
        return Err("garbage follows a loose object");
    }
    Ok(Object {
        kind,
        data: Arc::from(&all[header..]),
    })
}

fn parse_header(start: &[u8]) -> Result<(ObjectKind, u64, usize), Reason> {
    const MALFORMED: Reason = "a loose object has a malformed header";
    let end = memchr::memchr(0, start).ok_or(MALFORMED)?;
    let blank = memchr::memchr(b' ', &start[..end]).ok_or(MALFORMED)?;
    let kind = ObjectKind::from_name(&start[..blank]).ok_or(MALFORMED)?;
    let digits = &start[blank + 1..end];
    if digits.is_empty() || (digits.len() > 1 && digits[0] == b'0') {
        return Err(MALFORMED);
    }
    let mut size = 0u64;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return Err(MALFORMED);
        }
        size = size
            .checked_mul(10)
            .and_then(|size| size.checked_add(u64::from(digit - b'0')))
            .ok_or(MALFORMED)?;
    }
    Ok((kind, size, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_parsed() {
        assert_eq!(parse_header(b"blob 12\0xx"), Ok((ObjectKind::Blob, 12, 8)));
        assert_eq!(parse_header(b"tree 0\0"), Ok((ObjectKind::Tree, 0, 7)));
        for bad in [
            &b"blob 12"[..],
            b"blob\0",
            b"blob \0",
            b"blob 1x\0",
            b"blob 012\0",
            b"what 1\0",
            b"blob 99999999999999999999999\0",
            b"",
        ] {
            assert!(parse_header(bad).is_err());
        }
    }

    #[test]
    fn garbage_is_an_error() {
        let mut inflater = Inflater::new();
        for bytes in [
            &b""[..],
            b"x",
            &[0x78, 0x9c],
            &[0x78, 0x9c, 3, 0, 0, 0, 0, 1],
        ] {
            assert!(decode(bytes, &mut inflater).is_err());
        }
    }
}
