//! `--patch`: the parser of patches, and the lines that they remove, compared with git's blames.

mod bases;
mod mutated;
mod odd_bases;
mod parsed;
pub mod removed;
mod rows;

use bstr::ByteSlice;

use crate::{
    harness::{
        program::{ProgramOutput, tblame_program},
        repository::TestRepo,
    },
    json::{schema::records_of, value::Value},
};

/// Runs `tblame --patch` with a patch as its input.
fn run(repository: &TestRepo, arguments: &[&str], patch: &[u8]) -> ProgramOutput {
    let mut command = repository.command(tblame_program().as_os_str());
    ProgramOutput::with_input(command.arg("--patch").args(arguments), patch)
}

/// The records of `tblame --patch --json`, which must match the schema.
fn records(repository: &TestRepo, arguments: &[&str], patch: &[u8]) -> Vec<Value> {
    let output = run(repository, &[&["--json"], arguments].concat(), patch);
    assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
    records_of(&output.stdout)
}

pub fn kind(record: &Value) -> &str {
    record.get("type").and_then(Value::text).expect("a type")
}

pub fn number(record: &Value, key: &str) -> Option<u64> {
    record.get(key).and_then(Value::number)
}

/// The bytes of a text, which may be in base64.
pub fn bytes(record: &Value, key: &str) -> Vec<u8> {
    let value = record.get(key).expect("a text");
    let Some(encoded) = value.get("base64").and_then(Value::text) else {
        return value.text().expect("a text").as_bytes().to_vec();
    };
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = encoded.bytes().filter(|&digit| digit != b'=');
    let bits = digits.map(|digit| DIGITS.iter().position(|&it| it == digit).expect("a digit"));
    let bits: Vec<bool> = bits
        .flat_map(|value| (0..6).rev().map(move |bit| value >> bit & 1 == 1))
        .collect();
    let bytes = bits.chunks_exact(8);
    let byte = |bits: &[bool]| bits.iter().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
    bytes.map(byte).collect()
}
