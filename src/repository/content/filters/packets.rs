//! Packets of the long-running process protocol (gitprotocol-common(5)): four hexadecimal digits
//! with the packet's length, these included, and as many bytes.

use std::io::{self, Read, Write};

use bstr::ByteSlice;

use crate::error::{Error, Result, until_nul};

/// The longest content of a packet that is written.
const MAX_CONTENT: usize = 65_516;

/// Contents of this length or longer are refused when read.
const REFUSED_CONTENT: usize = 65_520;

/// The packet that was read.
pub(super) enum Packet {
    /// The stream ended, perhaps within a packet.
    End,
    /// A packet without contents: the end of a list, of contents, or of a response.
    Flush,
    /// Contents; not empty.
    Content(Vec<u8>),
}

/// Reads one packet.
///
/// # Errors
///
/// If its length is invalid.
pub(super) fn read(input: &mut dyn Read) -> Result<Packet> {
    let mut digits = [0; 4];
    if input.read_exact(&mut digits).is_err() {
        return Ok(Packet::End);
    }
    let length = match std::str::from_utf8(&digits) {
        Ok(text) if digits.iter().all(u8::is_ascii_hexdigit) => {
            usize::from_str_radix(text, 16).ok()
        }
        _ => None,
    };
    let Some(length) = length else {
        let mut message = b"protocol error: bad line length character: ".to_vec();
        message.extend_from_slice(until_nul(&digits));
        return Err(Error::fatal(message));
    };
    let length = match length {
        0..=2 | 4 => return Ok(Packet::Flush),
        3 => return Err(bad_length(3)),
        _ => length - 4,
    };
    if length >= REFUSED_CONTENT {
        return Err(bad_length(length));
    }
    let mut content = vec![0; length];
    Ok(match input.read_exact(&mut content) {
        Ok(()) => Packet::Content(content),
        Err(_) => Packet::End,
    })
}

fn bad_length(length: usize) -> Error {
    Error::fatal(format!("protocol error: bad line length {length}"))
}

/// Reads one packet of text, without its line feed.
///
/// # Errors
///
/// As [`read`].
pub(super) fn read_line(input: &mut dyn Read) -> Result<Packet> {
    Ok(match read(input)? {
        Packet::Content(mut line) => {
            if line.last() == Some(&b'\n') {
                line.pop();
            }
            Packet::Content(line)
        }
        other => other,
    })
}

/// Writes lines as a list: each with a line feed in its own packet, then a flush packet.
pub(super) fn write_list(output: &mut dyn Write, lines: &[&[u8]]) -> io::Result<()> {
    let mut packets = Vec::new();
    for line in lines {
        packets.extend_from_slice(format!("{:04x}", line.len() + 5).as_bytes());
        packets.extend_from_slice(line);
        packets.push(b'\n');
    }
    packets.extend_from_slice(b"0000");
    output.write_all(&packets)
}

/// Writes contents, then a flush packet.
pub(super) fn write_contents(output: &mut dyn Write, contents: &[u8]) -> io::Result<()> {
    for chunk in contents.chunks(MAX_CONTENT) {
        output.write_all(format!("{:04x}", chunk.len() + 4).as_bytes())?;
        output.write_all(chunk)?;
    }
    output.write_all(b"0000")
}

/// The value of the last line `status=<value>` of a list in `input`, or `before`. `None` if the
/// stream ended.
///
/// # Errors
///
/// As [`read`].
pub(super) fn read_status(input: &mut dyn Read, before: Vec<u8>) -> Result<Option<Vec<u8>>> {
    let mut status = before;
    loop {
        match read_line(input)? {
            Packet::End => return Ok(None),
            Packet::Flush => return Ok(Some(status)),
            Packet::Content(line) if line.is_empty() => return Ok(Some(status)),
            Packet::Content(line) => {
                if let Some((b"status", value)) = line.split_once_str("=") {
                    status = value.to_vec();
                }
            }
        }
    }
}
