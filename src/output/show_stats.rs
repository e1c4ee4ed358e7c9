//! The counters of `--show-stats`.

use crate::{
    engine::Stats,
    output::{buffer::OutputBuffer, error::OutputError},
};

/// Writes the counters of `--show-stats`.
pub fn write_stats(out: &mut OutputBuffer<'_>, stats: &Stats) -> Result<(), OutputError> {
    let counters = [
        ("num read blob: ", stats.blobs_read),
        ("num get patch: ", stats.patches),
        ("num commits: ", stats.commits),
    ];
    for (name, value) in counters {
        out.bytes(name.as_bytes());
        out.number(value);
        out.byte(b'\n');
    }
    out.spill()?;
    Ok(())
}
