//! Character sets that are tables: of one byte or more for each character, without states.

use std::{collections::HashMap, sync::OnceLock};

use super::{Inconvertible, Result, is_tag};
use crate::{objects::inflate, sorting};

/// The records of all tables; `generate.py` beside it describes them.
const RECORDS: &[u8] = include_bytes!("../../../assets/charsets/tables.bin");
/// More records than there are.
const MAX_TABLES: usize = 512;

static TABLES: [OnceLock<CharsetTable>; MAX_TABLES] = [const { OnceLock::new() }; MAX_TABLES];

/// A table by its number in [`RECORDS`], read when it is first used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TableRef(usize);

impl TableRef {
    /// The table of the set with this name, in upper case, and the name.
    pub(super) fn named(name: &[u8]) -> Option<(&'static str, TableRef)> {
        static NAMES: OnceLock<HashMap<&[u8], (&str, TableRef)>> = OnceLock::new();
        let names = NAMES.get_or_init(|| {
            let records = TableRecords(RECORDS).enumerate();
            let of = |(at, record): (usize, TableRecord)| {
                let names = record.names.split(' ');
                names.map(move |name| (name.as_bytes(), (name, TableRef(at))))
            };
            records.flat_map(of).collect()
        });
        names.get(name).copied()
    }

    /// The table of this number.
    #[cfg(test)]
    pub(super) fn nth(at: usize) -> Option<TableRef> {
        TableRecords(RECORDS).nth(at).map(|_| TableRef(at))
    }

    pub(super) fn get(self) -> &'static CharsetTable {
        TABLES[self.0].get_or_init(|| {
            let record = TableRecords(RECORDS)
                .nth(self.0)
                .expect("a record of the asset");
            record.table()
        })
    }
}

struct TableRecord {
    names: &'static str,
    is_gb18030: bool,
    drops_tags: bool,
    table_len: usize,
    packed: &'static [u8],
}

/// Iterates over records. The asset is part of the program, so errors in it are bugs.
struct TableRecords(&'static [u8]);

impl Iterator for TableRecords {
    type Item = TableRecord;

    fn next(&mut self) -> Option<TableRecord> {
        let (first, _) = self.0.split_first()?;
        debug_assert!(*first > 0, "a record has names");
        let names_len = varint(&mut self.0) as usize;
        let (names, rest) = self.0.split_at(names_len);
        let ([kind, tags], rest) = rest.split_first_chunk().expect("the kind of a table");
        self.0 = rest;
        let table_len = varint(&mut self.0) as usize;
        let packed_len = varint(&mut self.0) as usize;
        let (packed, rest) = self.0.split_at(packed_len);
        self.0 = rest;
        Some(TableRecord {
            names: std::str::from_utf8(names).expect("names in ASCII"),
            is_gb18030: *kind == 1,
            drops_tags: *tags == 1,
            table_len,
            packed,
        })
    }
}

impl TableRecord {
    fn table(&self) -> CharsetTable {
        let mut bytes = vec![0; self.table_len];
        inflate::inflate_exact(self.packed, &mut bytes).expect("a table of the asset");
        let mut bytes = bytes.as_slice();
        let input = &mut bytes;
        let both = runs(input);
        let mut read = runs(input);
        let mut written = runs(input);
        read.extend(&both);
        written.extend(both.iter().map(|run| Run {
            start: run.value,
            value: run.start,
            len: run.len,
        }));
        sorting::sort_by_key(&mut read, |run| run.start);
        sorting::sort_by_key(&mut written, |run| run.start);
        let held = spans(input);
        let held_back = spans(input);
        let pairs: Vec<Pair> = (0..varint(input))
            .map(|_| Pair {
                code: varint(input),
                characters: [varint(input), varint(input)],
            })
            .collect();
        let last = |runs: &[Run]| runs.last().map_or(0, |run| run.start + run.len - 1);
        let last = last(&read).max(pairs.last().map_or(0, |pair| pair.code));
        CharsetTable {
            is_gb18030: self.is_gb18030,
            drops_tags: self.drops_tags,
            longest: (1..=4)
                .rev()
                .find(|&len| last >= FIRST_CODES[len])
                .unwrap_or(1),
            read,
            written,
            held,
            held_back,
            pairs,
        }
    }
}

/// Consecutive numbers that map to consecutive numbers.
#[derive(Debug, Clone, Copy)]
struct Run {
    start: u32,
    value: u32,
    len: u32,
}

/// Consecutive numbers.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: u32,
    len: u32,
}

/// A code for two characters.
#[derive(Debug, Clone, Copy)]
struct Pair {
    code: u32,
    characters: [u32; 2],
}

/// The code of the first sequence of each length: sequences are numbered from the shortest on.
const FIRST_CODES: [u32; 5] = [0, 0, 0x100, 0x1_0100, 0x101_0100];

/// The mappings of a character set.
pub(super) struct CharsetTable {
    /// Four bytes are counted without the gaps between them.
    is_gb18030: bool,
    /// Language tag characters are left out in writing.
    drops_tags: bool,
    /// Bytes of the longest sequence.
    longest: usize,
    /// From codes to characters, by code.
    read: Vec<Run>,
    /// From characters to codes, by character.
    written: Vec<Run>,
    /// Codes that may combine with the next one.
    held: Vec<Span>,
    /// Characters that may combine with the next one.
    held_back: Vec<Span>,
    /// By code.
    pairs: Vec<Pair>,
}

impl CharsetTable {
    /// The character of one sequence.
    pub(super) fn character(&self, sequence: &[u8]) -> Option<u32> {
        find(&self.read, self.code(sequence)?)
    }

    /// The sequence of one character.
    pub(super) fn sequence(&self, character: u32) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        self.push_code(find(&self.written, character)?, &mut out);
        Some(out)
    }

    pub(super) fn read(&self, text: &[u8]) -> Result<Vec<u32>> {
        let mut characters = Vec::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            rest = self.step(rest, &mut characters)?;
        }
        Ok(characters)
    }

    /// Reads what is valid, with U+FFFD for each byte that is not, and loses nothing at the end.
    pub(super) fn read_lossy(&self, text: &[u8]) -> Vec<u32> {
        let mut characters = Vec::with_capacity(text.len());
        let mut rest = text;
        while let [_, others @ ..] = rest {
            let whole = self.longest(rest);
            rest = match self.step(rest, &mut characters) {
                Ok(rest) => {
                    if let (true, Some((code, _))) = (rest.is_empty(), whole)
                        && contains(&self.held, code)
                    {
                        self.push(code, &mut characters);
                    }
                    rest
                }
                Err(Inconvertible) => {
                    characters.push(0xfffd);
                    others
                }
            };
        }
        characters
    }

    /// Reads the sequence at the start of `text`; returns the rest.
    fn step<'a>(&self, text: &'a [u8], characters: &mut Vec<u32>) -> Result<&'a [u8]> {
        let (code, len) = self.longest(text).ok_or(Inconvertible)?;
        let rest = &text[len..];
        if !(rest.is_empty() && contains(&self.held, code)) {
            self.push(code, characters);
        }
        Ok(rest)
    }

    /// The code and the length of the longest sequence at the start of `text`.
    fn longest(&self, text: &[u8]) -> Option<(u32, usize)> {
        (1..=self.longest).rev().find_map(|len| {
            let code = self.code(text.get(..len)?)?;
            let known = find(&self.read, code).is_some() || self.pair(code).is_some();
            known.then_some((code, len))
        })
    }

    fn push(&self, code: u32, characters: &mut Vec<u32>) {
        match (find(&self.read, code), self.pair(code)) {
            (Some(character), _) => characters.push(character),
            (None, Some(pair)) => characters.extend(pair.characters),
            (None, None) => {}
        }
    }

    fn pair(&self, code: u32) -> Option<&Pair> {
        let at = self.pairs.binary_search_by_key(&code, |pair| pair.code);
        self.pairs.get(at.ok()?)
    }

    fn code(&self, sequence: &[u8]) -> Option<u32> {
        let number = match (self.is_gb18030, sequence) {
            (true, &[a, b, c, d]) => {
                let digit = |byte: u8| byte.checked_sub(0x30).filter(|&digit| digit < 10);
                let letter = |byte: u8| byte.checked_sub(0x81).filter(|&letter| letter < 126);
                let (a, b) = (u32::from(letter(a)?), u32::from(digit(b)?));
                let (c, d) = (u32::from(letter(c)?), u32::from(digit(d)?));
                ((a * 10 + b) * 126 + c) * 10 + d
            }
            _ => sequence
                .iter()
                .fold(0, |number, &byte| number << 8 | u32::from(byte)),
        };
        number.checked_add(*FIRST_CODES.get(sequence.len())?)
    }

    pub(super) fn write(&self, characters: &[u32]) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(characters.len());
        let mut rest = characters;
        while let [character, others @ ..] = rest {
            rest = others;
            if self.drops_tags && is_tag(*character) {
                continue;
            }
            if contains(&self.held_back, *character) {
                let Some(&next) = others.first() else {
                    break;
                };
                let both = [*character, next];
                if let Some(pair) = self.pairs.iter().find(|pair| pair.characters == both) {
                    self.push_code(pair.code, &mut out);
                    rest = &others[1..];
                    continue;
                }
            }
            let code = find(&self.written, *character).ok_or(Inconvertible)?;
            self.push_code(code, &mut out);
        }
        Ok(out)
    }

    fn push_code(&self, code: u32, out: &mut Vec<u8>) {
        let len = (1..=4).rev().find(|&len| code >= FIRST_CODES[len]);
        let len = len.unwrap_or(1);
        let number = code - FIRST_CODES[len];
        match (self.is_gb18030, len) {
            (true, 4) => {
                let (number, d) = (number / 10, number % 10);
                let (number, c) = (number / 126, number % 126);
                let (a, b) = (number / 10, number % 10);
                let bytes = [0x81 + a, 0x30 + b, 0x81 + c, 0x30 + d];
                out.extend(bytes.map(|byte| byte as u8));
            }
            _ => out.extend_from_slice(&number.to_be_bytes()[4 - len..]),
        }
    }
}

/// The value of `number` in runs that are sorted by their start.
fn find(runs: &[Run], number: u32) -> Option<u32> {
    let after = runs.partition_point(|run| run.start <= number);
    let run = runs.get(after.checked_sub(1)?)?;
    let offset = number - run.start;
    (offset < run.len).then(|| run.value + offset)
}

fn contains(spans: &[Span], number: u32) -> bool {
    let after = spans.partition_point(|span| span.start <= number);
    let span = after.checked_sub(1).and_then(|at| spans.get(at));
    span.is_some_and(|span| number - span.start < span.len)
}

fn varint(input: &mut &[u8]) -> u32 {
    long_varint(input) as u32
}

fn long_varint(input: &mut &[u8]) -> u64 {
    let mut number = 0;
    let mut shift = 0;
    while let [byte, rest @ ..] = *input {
        *input = rest;
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if *byte < 0x80 {
            break;
        }
    }
    number
}

/// A list of runs, each counted from where the one before ended.
fn runs(input: &mut &[u8]) -> Vec<Run> {
    let (mut start, mut value) = (0_u32, 0_u32);
    (0..varint(input))
        .map(|_| {
            start += varint(input);
            let len = varint(input);
            value = (i64::from(value) + zigzag(input)) as u32;
            let run = Run { start, value, len };
            start += len;
            value += len;
            run
        })
        .collect()
}

fn spans(input: &mut &[u8]) -> Vec<Span> {
    let mut end = 0;
    (0..varint(input))
        .map(|_| {
            let start = end + varint(input);
            let len = varint(input);
            end = start + len;
            Span { start, len }
        })
        .collect()
}

fn zigzag(input: &mut &[u8]) -> i64 {
    let number = long_varint(input);
    (number >> 1) as i64 ^ -((number & 1) as i64)
}
