//! Tables made by hand, intact and damaged.

use std::path::Path;

use gix_hash::{Kind, ObjectId};
use zlib_rs::{Deflate, DeflateFlush};

use super::{Table, Value};

/// Makes one table: blocks of two references, an index over them, and one block of logs.
struct TableWriter {
    hash: Kind,
    bytes: Vec<u8>,
}

impl TableWriter {
    fn new(hash: Kind) -> TableWriter {
        let mut writer = TableWriter {
            hash,
            bytes: Vec::new(),
        };
        writer.bytes = writer.header();
        writer
    }

    fn header(&self) -> Vec<u8> {
        let mut header = b"REFT".to_vec();
        header.push(if self.hash == Kind::Sha1 { 1 } else { 2 });
        // No alignment, and update indexes from 0 to 9.
        header.extend([0; 3]);
        header.extend(0u64.to_be_bytes());
        header.extend(9u64.to_be_bytes());
        if self.hash != Kind::Sha1 {
            header.extend(b"s256");
        }
        header
    }

    /// Adds a block; `records` have their keys, types and values. Returns its position.
    fn block(&mut self, kind: u8, records: &[(Vec<u8>, u8, Vec<u8>)]) -> u64 {
        let is_first = self.bytes.len() == self.header().len();
        let at = if is_first { 0 } else { self.bytes.len() };
        let start = self.bytes.len() - at + 4;
        let mut body = Vec::new();
        let mut last: &[u8] = b"";
        for (key, value_type, value) in records {
            let shared = key.iter().zip(last).take_while(|(a, b)| a == b).count();
            varint(&mut body, shared as u64);
            let suffix = &key[shared..];
            varint(
                &mut body,
                (suffix.len() as u64) << 3 | u64::from(*value_type),
            );
            body.extend(suffix);
            body.extend(value);
            last = key;
        }
        body.extend(&(start as u32).to_be_bytes()[1..]);
        body.extend(1u16.to_be_bytes());
        let len = (start + body.len()) as u32;
        self.bytes.push(kind);
        self.bytes.extend(&len.to_be_bytes()[1..]);
        if kind == b'g' {
            let mut packed = vec![0; body.len() + 100];
            let mut deflate = Deflate::new(6, true, 15);
            deflate
                .compress(&body, &mut packed, DeflateFlush::Finish)
                .expect("room enough");
            packed.truncate(deflate.total_out() as usize);
            body = packed;
        }
        self.bytes.extend(body);
        at as u64
    }

    /// Adds the footer, with the positions of the references' index and of the logs.
    fn finish(mut self, index: u64, logs: u64) -> Vec<u8> {
        let mut footer = self.header();
        for position in [index, 0, 0, logs, 0] {
            footer.extend(position.to_be_bytes());
        }
        footer.extend(zlib_rs::crc32::crc32(0, &footer).to_be_bytes());
        self.bytes.extend(footer);
        self.bytes
    }
}

fn varint(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = vec![number as u8 & 0x7f];
    number >>= 7;
    while number > 0 {
        number -= 1;
        digits.push(number as u8 & 0x7f | 0x80);
        number >>= 7;
    }
    out.extend(digits.iter().rev());
}

fn string(out: &mut Vec<u8>, text: &[u8]) {
    varint(out, text.len() as u64);
    out.extend(text);
}

fn id(hash: Kind, byte: u8) -> ObjectId {
    ObjectId::try_from(&vec![byte; hash.len_in_bytes()][..]).expect("a length of ids")
}

fn log_key(name: &str, index: u64) -> Vec<u8> {
    let index = (u64::MAX - index).to_be_bytes();
    [name.as_bytes(), b"\0", &index[..]].concat()
}

/// A table with references `refs/heads/0` to `7`, a symbolic one and a deletion.
fn table(hash: Kind) -> Vec<u8> {
    let mut writer = TableWriter::new(hash);
    let mut index = Vec::new();
    for pair in 0..4u8 {
        let records: Vec<_> = (0..2)
            .map(|one| {
                let number = 2 * pair + one;
                let mut value = vec![0];
                let kind = match number {
                    5 => {
                        string(&mut value, b"refs/heads/1");
                        3
                    }
                    6 => 0,
                    7 => {
                        value.extend(id(hash, 7).as_bytes());
                        value.extend(id(hash, 70).as_bytes());
                        2
                    }
                    _ => {
                        value.extend(id(hash, number).as_bytes());
                        1
                    }
                };
                (format!("refs/heads/{number}").into_bytes(), kind, value)
            })
            .collect();
        let last = records[1].0.clone();
        let at = writer.block(b'r', &records);
        let mut position = Vec::new();
        varint(&mut position, at);
        index.push((last, 0, position));
    }
    let index = writer.block(b'i', &index);
    let entry = |time| {
        let mut entry = [id(hash, 1).as_bytes(), id(hash, 2).as_bytes()].concat();
        string(&mut entry, b"A");
        string(&mut entry, b"a@x");
        varint(&mut entry, time);
        entry.extend((-330i16).to_be_bytes());
        string(&mut entry, b"why\n");
        entry
    };
    let records = [
        (log_key("HEAD", 3), 1, entry(1_600_000_300)),
        (log_key("HEAD", 2), 0, Vec::new()),
        (log_key("HEAD", 1), 1, entry(1_600_000_100)),
        (log_key("refs/heads/1", 1), 1, entry(5)),
    ];
    let logs = writer.block(b'g', &records);
    writer.finish(index, logs)
}

#[test]
fn references_and_logs_are_found() {
    for hash in [Kind::Sha1, Kind::Sha256] {
        let table = Table::new(table(hash), Path::new("t")).expect("an intact table");
        let find = |name: &str| table.find(name.as_bytes()).expect("an intact table");
        for number in [0, 1, 2, 3, 4] {
            let found = find(&format!("refs/heads/{number}"));
            assert_eq!(found, Some(Value::Object(id(hash, number))));
        }
        let symbolic = Value::Symbolic(b"refs/heads/1".to_vec());
        assert_eq!(find("refs/heads/5"), Some(symbolic));
        assert_eq!(find("refs/heads/6"), Some(Value::Deletion));
        let peeled = Value::Peeled(id(hash, 7), id(hash, 70));
        assert_eq!(find("refs/heads/7"), Some(peeled));
        for name in [
            "",
            "HEAD",
            "refs/heads/",
            "refs/heads/35",
            "refs/heads/8",
            "z",
        ] {
            assert_eq!(find(name), None, "{name}");
        }
        let mut names = Vec::new();
        let all = table.refs(b"refs/", |name, _| {
            names.push(name.to_vec());
            Ok(())
        });
        all.expect("an intact table");
        assert_eq!(names.len(), 8);
        assert!(names.is_sorted());
        let mut entries = Vec::new();
        let logs = table.logs(b"HEAD\0", |name, index, entry| {
            assert_eq!(name, b"HEAD");
            entries.push((index, entry.map(|entry| (entry.time, entry.zone))));
            Ok(())
        });
        logs.expect("an intact table");
        let expected = [
            (3, Some((1_600_000_300, -330))),
            (2, None),
            (1, Some((1_600_000_100, -330))),
        ];
        assert_eq!(entries, expected);
    }
}

/// Reads all of a table; errors are fine.
fn read_all(bytes: Vec<u8>) -> bool {
    let Ok(table) = Table::new(bytes, Path::new("t")) else {
        return false;
    };
    let mut ok = true;
    for name in ["HEAD", "refs/heads/3", "refs/heads/7", "z"] {
        ok &= table.find(name.as_bytes()).is_ok();
    }
    ok &= table.refs(b"", |_, _| Ok(())).is_ok();
    ok &= table.logs(b"", |_, _, _| Ok(())).is_ok();
    ok &= table.logs(b"refs/heads/1\0", |_, _, _| Ok(())).is_ok();
    ok
}

/// Writes the checksum of a damaged footer anew.
fn sign(bytes: &mut [u8], hash: Kind) {
    let len = if hash == Kind::Sha1 { 68 } else { 72 };
    let Some(start) = bytes.len().checked_sub(len) else {
        return;
    };
    let end = bytes.len() - 4;
    let sum = zlib_rs::crc32::crc32(0, &bytes[start..end]);
    bytes[end..].copy_from_slice(&sum.to_be_bytes());
}

#[test]
fn damaged_tables_never_panic() {
    let mut state = 1u64;
    let mut random = move |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below.max(1)
    };
    let (mut read, mut refused) = (0, 0);
    for hash in [Kind::Sha1, Kind::Sha256] {
        let intact = table(hash);
        assert!(read_all(intact.clone()));
        for _ in 0..10_000 {
            let mut bytes = intact.clone();
            for _ in 0..1 + random(4) {
                let at = random(bytes.len());
                match random(6) {
                    0 => bytes[at] = 0xff,
                    1 => bytes[at] = 0,
                    2 => bytes[at] ^= 1 << random(8),
                    3 => bytes.truncate(at.max(1)),
                    4 => bytes.insert(at, random(256) as u8),
                    _ => bytes[at] = random(256) as u8,
                }
            }
            if random(4) > 0 {
                sign(&mut bytes, hash);
            }
            if read_all(bytes) {
                read += 1
            } else {
                refused += 1
            }
        }
    }
    assert!(read > 100 && refused > 1000, "{read} {refused}");
}

#[test]
fn random_bytes_never_panic() {
    let mut state = 9u64;
    for len in 0..2000 {
        let mut bytes: Vec<u8> = (0..len)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (state >> 56) as u8
            })
            .collect();
        for (at, byte) in TableWriter::new(Kind::Sha1).bytes.into_iter().enumerate() {
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
        }
        if let Some(start) = bytes.len().checked_sub(68) {
            let header = TableWriter::new(Kind::Sha1).bytes;
            bytes[start..start + header.len()].copy_from_slice(&header);
        }
        sign(&mut bytes, Kind::Sha1);
        read_all(bytes);
    }
}
