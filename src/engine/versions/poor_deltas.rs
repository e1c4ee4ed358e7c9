//! Poor deltas: versions whose delta inserts most of their bytes are rebuilt as text.
//!
//! Some packs store versions as deltas against an unrelated base. Such a delta is mostly insertions
//! of a few lines each, which would have to be interned line by line. Instead the text is
//! built and compared with that of a similar version at memory speed, and takes over the tokens of
//! all lines that are equal.

use std::sync::Arc;

use memchr::memchr;

use crate::{
    diff::{LineInterner, Token},
    engine::{
        api::error::Error,
        versions::{
            builder::VersionBuilder,
            version::{Version, first_after},
        },
    },
    objects::{PackPosition, pack::delta},
    text::common_prefix::common_prefix_len,
};

/// The number of recent versions kept.
const MAX_RECENT: usize = 16;
/// Maximum size of one text, and of all texts kept, in bytes.
const MAX_TEXT_BYTES: usize = 4 << 20;
/// A delta is poor if it is longer than the result's length divided by this.
const POOR_FRACTION: usize = 8;
/// Versions count as similar if their lengths differ by at most the length divided by this.
const SIMILAR_FRACTION: usize = 16;
/// The number of next lines searched for a token before the whole version.
const NEAR_LINES: usize = 16;
/// The number of lines interned together after one was not found.
const INTERN_BATCH: usize = 16;
/// The number of dropped texts whose buffers are kept.
const MAX_SPARE: usize = 4;

/// The most recent versions, some with their text.
#[derive(Debug, Default)]
pub(crate) struct PoorDeltas {
    /// Least recently used first.
    recent: Vec<RecentVersion>,
    /// Dropped texts, whose buffers are reused. They are not cleared, as zeroing takes time.
    spare: Vec<Vec<u8>>,
    buffers: LookupBuffers,
}

#[derive(Debug)]
struct RecentVersion {
    position: PackPosition,
    version: Arc<Version>,
    /// Empty until it is needed.
    text: Vec<u8>,
}

impl RecentVersion {
    /// Fills `text` from the tokens, if it is empty.
    fn read(&mut self, lines: &LineInterner, spare: &mut Vec<Vec<u8>>) {
        if self.text.is_empty() {
            self.text = spare.pop().unwrap_or_default();
            self.text.clear();
            self.text.reserve(self.version.len() as usize);
            for &token in &self.version.tokens {
                self.text.extend_from_slice(lines.bytes(token));
            }
        }
    }
}

impl PoorDeltas {
    /// Marks a version as most recently used; `text` is its text if it was built.
    pub(crate) fn touch(
        &mut self,
        position: PackPosition,
        version: &Arc<Version>,
        text: Option<Vec<u8>>,
    ) {
        // Of a long one no text is built, so it is only there while it is the base: 16 versions of
        // a million lines would take 128 MB.
        let is_long = |recent: &RecentVersion| recent.version.len() as usize > MAX_TEXT_BYTES;
        if self.recent.last().is_some_and(is_long) {
            self.recent.pop();
        }
        if let Some(nth) = self
            .recent
            .iter()
            .position(|recent| recent.position == position)
        {
            self.recent[nth..].rotate_left(1);
        } else {
            if self.recent.len() == MAX_RECENT {
                let text = self.recent.remove(0).text;
                self.drop_text(text);
            }
            self.recent.push(RecentVersion {
                position,
                version: Arc::clone(version),
                text: Vec::new(),
            });
        }
        if let (Some(text), Some(last)) = (text, self.recent.last_mut()) {
            let before = std::mem::replace(&mut last.text, text);
            self.drop_text(before);
            self.trim();
        }
    }

    fn drop_text(&mut self, text: Vec<u8>) {
        if text.capacity() > 0 && self.spare.len() < MAX_SPARE {
            self.spare.push(text);
        }
    }

    /// Drops the least recently used texts beyond the limit, but never the last two.
    fn trim(&mut self) {
        let mut held: usize = self.recent.iter().map(|recent| recent.text.len()).sum();
        for nth in 0..self.recent.len().saturating_sub(2) {
            if held <= MAX_TEXT_BYTES {
                break;
            }
            let text = std::mem::take(&mut self.recent[nth].text);
            held -= text.len();
            self.drop_text(text);
        }
    }

    /// If `delta`, whose base is the most recent version, is poor: the index of a version that its
    /// result probably resembles, and the result's length. `delta` is not validated yet.
    fn similar(&self, delta: &[u8]) -> Option<(usize, usize)> {
        let result_len = delta::DeltaInstructions::new(delta).ok()?.result_len();
        let (base, others) = self.recent.split_last()?;
        if delta.len() <= result_len / POOR_FRACTION
            || result_len > MAX_TEXT_BYTES
            || base.version.len() as usize > MAX_TEXT_BYTES
        {
            return None;
        }
        let difference =
            |recent: &RecentVersion| result_len.abs_diff(recent.version.len() as usize);
        let nearest = (0..others.len()).min_by_key(|&nth| difference(&others[nth]));
        nearest
            .filter(|&nth| difference(&others[nth]) <= result_len / SIMILAR_FRACTION)
            .or_else(|| (difference(base) <= result_len / SIMILAR_FRACTION).then_some(others.len()))
            .map(|nth| (nth, result_len))
    }

    /// Applies `delta` to the text of the most recent version if it is poor, appends the lines to
    /// the empty `builder` and returns the text.
    pub(crate) fn derive(
        &mut self,
        delta: &[u8],
        lines: &mut LineInterner,
        builder: &mut VersionBuilder,
    ) -> Result<Option<Vec<u8>>, Error> {
        let Some((similar, result_len)) = self.similar(delta) else {
            return Ok(None);
        };
        let mut text = self.spare.pop().unwrap_or_default();
        let base = self.recent.len() - 1;
        self.recent[base].read(lines, &mut self.spare);
        self.recent[similar].read(lines, &mut self.spare);
        text.resize(result_len, 0);
        delta::apply(&self.recent[base].text, delta, &mut text).map_err(Error::Damaged)?;
        let similar = &self.recent[similar];
        self.buffers.index.ready = false;
        builder.version.reserve_like(&similar.version);
        TextSplitter {
            text: &text,
            similar: &similar.version,
            similar_text: &similar.text,
            builder,
            buffers: &mut self.buffers,
        }
        .run(lines)?;
        Ok(Some(text))
    }
}

/// Splits a text into lines, guided by a similar version.
struct TextSplitter<'a> {
    text: &'a [u8],
    similar: &'a Version,
    similar_text: &'a [u8],
    builder: &'a mut VersionBuilder,
    buffers: &'a mut LookupBuffers,
}

impl TextSplitter<'_> {
    fn run(mut self, lines: &mut LineInterner) -> Result<(), Error> {
        let (mut at, mut line) = (0, 0);
        loop {
            (at, line) = self.copy_equal(at, line);
            if at == self.text.len() {
                break;
            }
            let end = self.line_end(at);
            if self.next_line_is_at(end, line) {
                self.builder.insert(&self.text[at..end], lines)?;
                (at, line) = (end, line + 1);
                continue;
            }
            match self.intern_until_found(&mut at, line, lines)? {
                Some(found) => line = found,
                None => break,
            }
        }
        Ok(())
    }

    /// Copies the lines from `line` on that equal the text from the byte `at` on.
    fn copy_equal(&mut self, at: usize, line: usize) -> (usize, usize) {
        let similar = self.similar;
        let from = similar.start(line) as usize;
        let equal = common_prefix_len(&self.text[at..], &self.similar_text[from..]);
        let mut stop = first_after(
            &similar.ends,
            line,
            (from + equal) as u32,
            similar.mean_line_len(),
        );
        // A last line without LF may be continued here.
        let goes_on = at + equal < self.text.len();
        if stop == similar.ends.len()
            && stop > line
            && goes_on
            && !self.similar_text.ends_with(b"\n")
        {
            stop -= 1;
        }
        if stop == line {
            return (at, line);
        }
        self.builder.version.copy_lines(similar, line, stop);
        (at + similar.ends[stop - 1] as usize - from, stop)
    }

    fn line_end(&self, at: usize) -> usize {
        memchr(b'\n', &self.text[at..]).map_or(self.text.len(), |lf| at + lf + 1)
    }

    /// True if the line after `line` is at the byte `at`.
    fn next_line_is_at(&self, at: usize, line: usize) -> bool {
        let Some(&end) = self.similar.ends.get(line + 1) else {
            return false;
        };
        let next = &self.similar_text[self.similar.ends[line] as usize..end as usize];
        next.ends_with(b"\n") && self.text[at..].starts_with(next)
    }

    /// Interns lines from the byte `at` on, until one is found in the similar version; returns its
    /// index there.
    fn intern_until_found(
        &mut self,
        at: &mut usize,
        line: usize,
        lines: &mut LineInterner,
    ) -> Result<Option<usize>, Error> {
        let mut batch = 1;
        while *at < self.text.len() {
            self.buffers.ends.clear();
            self.buffers.tokens.clear();
            let start = *at;
            let mut end = start;
            while self.buffers.ends.len() < batch && end < self.text.len() {
                end = self.line_end(end);
                self.buffers.ends.push(end - start);
            }
            let text = &self.text[start..end];
            let LookupBuffers {
                index,
                ends,
                tokens,
            } = &mut *self.buffers;
            match batch {
                1 => lines.intern(text).map(|token| tokens.push(token)),
                _ => lines.intern_all(text, ends, tokens),
            }
            .map_err(|_| Error::TooLarge)?;
            for (&token, end) in tokens.iter().zip(ends) {
                if let Some(found) = index.find(token, line, self.similar) {
                    return Ok(Some(found));
                }
                self.builder.version.push(token, start + *end - *at)?;
                *at = start + *end;
            }
            batch = INTERN_BATCH;
        }
        Ok(None)
    }
}

/// Buffers for finding lines.
#[derive(Debug, Default)]
struct LookupBuffers {
    index: LineIndex,
    /// Ends of the lines interned together, and their tokens.
    ends: Vec<usize>,
    tokens: Vec<Token>,
}

/// The line numbers of tokens in a version.
#[derive(Debug, Default)]
struct LineIndex {
    /// By token: the round in which it was last set, and its line or [`AMBIGUOUS`].
    by_token: Vec<(u32, u32)>,
    round: u32,
    /// True if the index is of the current version.
    ready: bool,
}

/// The version has the line more than once.
const AMBIGUOUS: u32 = u32::MAX;

impl LineIndex {
    /// The line with this token: among the next lines from `line` on, or the only one anywhere.
    fn find(&mut self, token: Token, line: usize, version: &Version) -> Option<usize> {
        let rest = &version.tokens[line..];
        let near = &rest[..rest.len().min(NEAR_LINES)];
        if let Some(found) = near.iter().position(|&other| other == token) {
            return Some(line + found);
        }
        if !self.ready {
            self.fill(version);
        }
        match self.by_token.get(token as usize) {
            Some(&(round, line)) if round == self.round && line != AMBIGUOUS => Some(line as usize),
            _ => None,
        }
    }

    fn fill(&mut self, version: &Version) {
        self.ready = true;
        self.round = match self.round.checked_add(1) {
            Some(round) => round,
            None => {
                self.by_token.clear();
                1
            }
        };
        for (line, &token) in (0..).zip(&version.tokens) {
            let token = token as usize;
            if token >= self.by_token.len() {
                self.by_token.resize(token + 1, (0, 0));
            }
            let (round, only) = &mut self.by_token[token];
            *only = if *round == self.round {
                AMBIGUOUS
            } else {
                line
            };
            *round = self.round;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A delta that inserts all of `bytes`; `base_len` is the length of its base.
    fn delta(base_len: usize, bytes: &[u8]) -> Vec<u8> {
        let mut delta = Vec::new();
        for mut size in [base_len, bytes.len()] {
            while size >= 0x80 {
                delta.push(size as u8 | 0x80);
                size >>= 7;
            }
            delta.push(size as u8);
        }
        for part in bytes.chunks(127) {
            delta.push(part.len() as u8);
            delta.extend_from_slice(part);
        }
        delta
    }

    fn below(seed: &mut u32, end: usize) -> usize {
        *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*seed >> 8) as usize % end
    }

    /// Changes some lines of `text`; most lines occur more than once.
    fn edit(text: &[u8], seed: &mut u32) -> Vec<u8> {
        let mut parts: Vec<Vec<u8>> = text
            .split_inclusive(|&byte| byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        for _ in 0..=below(seed, 4) {
            let at = below(seed, parts.len());
            let end = (at + below(seed, 12)).min(parts.len());
            match below(seed, 5) {
                0 if parts.len() > 300 => drop(parts.drain(at..end)),
                0 | 1 => {
                    let new: Vec<_> = (at..end)
                        .map(|nth| format!("{}\n", nth * at % 900).into_bytes())
                        .collect();
                    parts.splice(at..at, new).for_each(drop);
                }
                2 => parts[at] = format!("{}\n", below(seed, 900)).into_bytes(),
                3 => parts[at..end].rotate_left((end - at) / 3),
                _ => {
                    // Removes the LF of the last line, or extends a line without one.
                    let mut whole = parts.concat();
                    if whole.pop() != Some(b'\n') {
                        whole.extend_from_slice(b"more\n");
                    }
                    return whole;
                }
            }
        }
        parts.concat()
    }

    #[test]
    fn derived_lines_equal_the_lines_of_the_text() {
        let mut lines = LineInterner::new(false);
        let mut poor_deltas = PoorDeltas::default();
        let mut seed = 11;
        let mut text: Vec<u8> = (0..400)
            .flat_map(|nth| format!("{}\n", nth * nth % 700).into_bytes())
            .collect();
        let base = Arc::new(Version::new(b"far away\n", &mut lines).expect("it is small"));
        let far = PackPosition { pack: 0, offset: 0 };
        let mut made = 0;
        for offset in 1..600 {
            text = edit(&text, &mut seed);
            let whole = Version::new(&text, &mut lines).expect("it is small");
            poor_deltas.touch(far, &base, None);
            let mut builder = VersionBuilder::default();
            let delta = delta(base.len() as usize, &text);
            let derived = poor_deltas.derive(&delta, &mut lines, &mut builder);
            let derived = derived.expect("the delta is sound");
            if let Some(bytes) = &derived {
                let (version, _) = builder.finish(&mut lines).expect("it is small");
                assert!(*bytes == text);
                assert_eq!(version.tokens, whole.tokens);
                assert_eq!(version.ends, whole.ends);
                made += 1;
            }
            let position = PackPosition { pack: 0, offset };
            poor_deltas.touch(position, &Arc::new(whole), derived);
        }
        assert!(made > 500);
    }

    #[test]
    fn a_damaged_delta_is_refused() {
        let mut lines = LineInterner::new(false);
        let mut poor_deltas = PoorDeltas::default();
        let base = Arc::new(Version::new(b"one\ntwo\n", &mut lines).expect("it is small"));
        poor_deltas.touch(PackPosition { pack: 0, offset: 0 }, &base, None);
        let sound = delta(8, b"one\nTWO\n");
        for damaged in [&sound[..sound.len() - 1], &delta(9, b"one\nTWO\n")] {
            let derived = poor_deltas.derive(damaged, &mut lines, &mut VersionBuilder::default());
            assert!(matches!(derived, Err(Error::Damaged(_))));
        }
    }
}
