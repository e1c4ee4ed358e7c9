//! The values of records.

use gix_hash::{Kind, ObjectId};

use super::bytes::{Bytes, Reason};

/// The value of a reference record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// The reference is deleted, whatever older tables say.
    Deletion,
    /// The reference names an object.
    Object(ObjectId),
    /// The reference names a tag; the second object is the one that it peels to.
    Peeled(ObjectId, ObjectId),
    /// The reference names another reference.
    Symbolic(Vec<u8>),
}

impl Value {
    /// Decodes the value of type `kind` at the start of `bytes`.
    pub(super) fn decode(kind: u8, bytes: &mut Bytes<'_>, hash: Kind) -> Result<Value, Reason> {
        // The update index.
        bytes.varint()?;
        Ok(match kind {
            0 => Value::Deletion,
            1 => Value::Object(id(bytes, hash)?),
            2 => Value::Peeled(id(bytes, hash)?, id(bytes, hash)?),
            3 => Value::Symbolic(bytes.string()?.to_vec()),
            _ => return Err("a reference has an unknown type"),
        })
    }
}

/// One entry of a reflog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// The value before.
    pub old: ObjectId,
    /// The value after.
    pub new: ObjectId,
    /// When the reference changed, in seconds since the epoch.
    pub time: u64,
    /// The time zone in the digits of `+0100`: git writes these, not the minutes of the format's
    /// description.
    pub zone: i16,
    /// Why it changed.
    pub message: Vec<u8>,
}

impl LogEntry {
    /// Decodes the entry of type `kind` at the start of `bytes`; `None` is a deletion.
    pub(super) fn decode(
        kind: u8,
        bytes: &mut Bytes<'_>,
        hash: Kind,
    ) -> Result<Option<LogEntry>, Reason> {
        match kind {
            0 => return Ok(None),
            1 => {}
            _ => return Err("a log entry has an unknown type"),
        }
        let (old, new) = (id(bytes, hash)?, id(bytes, hash)?);
        let (_name, _email) = (bytes.string()?, bytes.string()?);
        Ok(Some(LogEntry {
            old,
            new,
            time: bytes.varint()?,
            zone: bytes.number(2)? as u16 as i16,
            message: bytes.string()?.to_vec(),
        }))
    }
}

fn id(bytes: &mut Bytes<'_>, hash: Kind) -> Result<ObjectId, Reason> {
    let bytes = bytes.take(hash.len_in_bytes())?;
    ObjectId::try_from(bytes).map_err(|_| "an object id has a wrong length")
}
