//! Versions of which most bytes are in their deltas, made as texts.
//!
//! Some packs hold versions as deltas against something that is far away. Most of such a delta are
//! stretches to insert, a few lines each, which have to be looked for line by line. Put together as
//! a text, the version can be compared at the speed of memory with one that was made before, and
//! takes the tokens of all lines that are the same there.

use std::sync::Arc;

use memchr::memchr;

use crate::{
    diff::{Token, lines::interner::Lines},
    engine::{
        api::error::Error,
        versions::{
            builder::Builder,
            version::{Version, first_after},
        },
    },
    objects::{PackPosition, pack::delta},
};

/// So many versions are remembered.
const SEEN: usize = 16;
/// Longer texts are not made, and no more than this is kept of them in all, in bytes.
const LONGEST: usize = 4 << 20;
/// A delta is poor if it is longer than this part of what it makes.
const POOR: usize = 8;
/// Another version is probably like this one if its length differs by less than this part.
const ALIKE: usize = 16;
/// A line is looked for among so many lines first.
const NEAR: usize = 16;
/// So many lines are looked for together once one was not found.
const BATCH: usize = 16;
/// So many dropped texts are kept for their memory.
const SPARE: usize = 4;

/// The versions made last, some as texts.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// The one used last is the last.
    seen: Vec<Seen>,
    /// Memory of dropped texts.
    spare: Vec<Vec<u8>>,
    search: Search,
}

#[derive(Debug)]
struct Seen {
    place: PackPosition,
    version: Arc<Version>,
    /// Empty as long as nobody asked for it.
    text: Vec<u8>,
}

impl Seen {
    fn read(&mut self, lines: &Lines, spare: &mut Vec<Vec<u8>>) {
        if self.text.is_empty() {
            self.text = spare.pop().unwrap_or_default();
            for &token in &self.version.tokens {
                self.text.extend_from_slice(lines.bytes(token));
            }
        }
    }
}

impl Texts {
    /// Remembers a version that was made or used, and its text if it was made as one.
    pub(crate) fn see(
        &mut self,
        place: PackPosition,
        version: &Arc<Version>,
        text: Option<Vec<u8>>,
    ) {
        if let Some(nth) = self.seen.iter().position(|seen| seen.place == place) {
            self.seen[nth..].rotate_left(1);
        } else {
            if self.seen.len() == SEEN {
                let text = self.seen.remove(0).text;
                self.drop_text(text);
            }
            self.seen.push(Seen {
                place,
                version: Arc::clone(version),
                text: Vec::new(),
            });
        }
        if let (Some(text), Some(last)) = (text, self.seen.last_mut()) {
            let before = std::mem::replace(&mut last.text, text);
            self.drop_text(before);
            self.tidy();
        }
    }

    fn drop_text(&mut self, mut text: Vec<u8>) {
        if text.capacity() > 0 && self.spare.len() < SPARE {
            text.clear();
            self.spare.push(text);
        }
    }

    /// Drops the texts that were used longest ago, but for the last two.
    fn tidy(&mut self) {
        let mut held: usize = self.seen.iter().map(|seen| seen.text.len()).sum();
        for nth in 0..self.seen.len().saturating_sub(2) {
            if held <= LONGEST {
                break;
            }
            let text = std::mem::take(&mut self.seen[nth].text);
            held -= text.len();
            self.drop_text(text);
        }
    }

    /// If `delta`, which makes a version from the one seen last, is poor: which version seen the
    /// result is probably like. `delta` is not checked yet.
    fn like(&self, delta: &[u8]) -> Option<(usize, usize)> {
        let made = delta::Instructions::new(delta).ok()?.result_len();
        let (base, others) = self.seen.split_last()?;
        if delta.len() <= made / POOR || made > LONGEST || base.version.len() as usize > LONGEST {
            return None;
        }
        let unlike = |seen: &Seen| made.abs_diff(seen.version.len() as usize);
        let nearest = (0..others.len()).min_by_key(|&nth| unlike(&others[nth]));
        nearest
            .filter(|&nth| unlike(&others[nth]) <= made / ALIKE)
            .or_else(|| (unlike(base) <= made / ALIKE).then_some(others.len()))
            .map(|nth| (nth, made))
    }

    /// Makes a version from the one seen last, if that is better done as a text: gives its lines to
    /// `builder`, which is empty.
    pub(crate) fn derive(
        &mut self,
        delta: &[u8],
        lines: &mut Lines,
        builder: &mut Builder,
    ) -> Result<Option<Vec<u8>>, Error> {
        let Some((like, made)) = self.like(delta) else {
            return Ok(None);
        };
        let mut text = self.spare.pop().unwrap_or_default();
        let base = self.seen.len() - 1;
        self.seen[base].read(lines, &mut self.spare);
        self.seen[like].read(lines, &mut self.spare);
        text.resize(made, 0);
        delta::apply(&self.seen[base].text, delta, &mut text).map_err(Error::Damaged)?;
        let like = &self.seen[like];
        self.search.places.ready = false;
        Cut {
            text: &text,
            like: &like.version,
            like_text: &like.text,
            builder,
            search: &mut self.search,
        }
        .run(lines)?;
        Ok(Some(text))
    }
}

/// Cuts a text into lines along another version.
struct Cut<'a> {
    text: &'a [u8],
    like: &'a Version,
    like_text: &'a [u8],
    builder: &'a mut Builder,
    search: &'a mut Search,
}

impl Cut<'_> {
    fn run(mut self, lines: &mut Lines) -> Result<(), Error> {
        let (mut at, mut line) = (0, 0);
        loop {
            (at, line) = self.same(at, line);
            if at == self.text.len() {
                break;
            }
            let end = self.end_of(at);
            if self.follows(end, line) {
                self.builder.insert(&self.text[at..end], lines)?;
                (at, line) = (end, line + 1);
                continue;
            }
            match self.look(&mut at, line, lines)? {
                Some(found) => line = found,
                None => break,
            }
        }
        Ok(())
    }

    /// Takes over the lines from `line` on that are the same as those from the byte `at` on.
    fn same(&mut self, at: usize, line: usize) -> (usize, usize) {
        let like = self.like;
        let from = like.start(line) as usize;
        let same = equal(&self.text[at..], &self.like_text[from..]);
        let mut stop = first_after(&like.ends, line, (from + same) as u32, like.per_line());
        // A last line without LF may go on here.
        let goes_on = at + same < self.text.len();
        if stop == like.ends.len() && stop > line && goes_on && !self.like_text.ends_with(b"\n") {
            stop -= 1;
        }
        if stop == line {
            return (at, line);
        }
        self.builder.version.copy_lines(like, line, stop);
        (at + like.ends[stop - 1] as usize - from, stop)
    }

    fn end_of(&self, at: usize) -> usize {
        memchr(b'\n', &self.text[at..]).map_or(self.text.len(), |lf| at + lf + 1)
    }

    /// Whether the line at the byte `at` is the one after `line`.
    fn follows(&self, at: usize, line: usize) -> bool {
        let Some(&end) = self.like.ends.get(line + 1) else {
            return false;
        };
        let next = &self.like_text[self.like.ends[line] as usize..end as usize];
        next.ends_with(b"\n") && self.text[at..].starts_with(next)
    }

    /// Finds the tokens of lines from the byte `at` on until one is in the other version too, and
    /// says where.
    fn look(
        &mut self,
        at: &mut usize,
        line: usize,
        lines: &mut Lines,
    ) -> Result<Option<usize>, Error> {
        let mut batch = 1;
        while *at < self.text.len() {
            self.search.ends.clear();
            self.search.tokens.clear();
            let start = *at;
            let mut end = start;
            while self.search.ends.len() < batch && end < self.text.len() {
                end = self.end_of(end);
                self.search.ends.push(end - start);
            }
            let text = &self.text[start..end];
            let Search {
                places,
                ends,
                tokens,
            } = &mut *self.search;
            match batch {
                1 => lines.intern(text).map(|token| tokens.push(token)),
                _ => lines.intern_all(text, ends, tokens),
            }
            .map_err(|_| Error::TooLarge)?;
            for (&token, end) in tokens.iter().zip(ends) {
                if let Some(found) = places.find(token, line, self.like) {
                    return Ok(Some(found));
                }
                self.builder.version.push(token, start + *end - *at)?;
                *at = start + *end;
            }
            batch = BATCH;
        }
        Ok(None)
    }
}

/// What looking for lines needs.
#[derive(Debug, Default)]
struct Search {
    places: Places,
    /// Where the lines looked for together end, and their tokens.
    ends: Vec<usize>,
    tokens: Vec<Token>,
}

/// Where lines are in a version.
#[derive(Debug, Default)]
struct Places {
    /// For each token, in which round it was met last, and in which line, if only there.
    by_token: Vec<(u32, u32)>,
    round: u32,
    /// They are those of the present version.
    ready: bool,
}

/// The line is there more than once.
const OFTEN: u32 = u32::MAX;

impl Places {
    /// Where a line is: soon after `line`, or the only place where it is.
    fn find(&mut self, token: Token, line: usize, version: &Version) -> Option<usize> {
        let rest = &version.tokens[line..];
        let near = &rest[..rest.len().min(NEAR)];
        if let Some(found) = near.iter().position(|&other| other == token) {
            return Some(line + found);
        }
        if !self.ready {
            self.fill(version);
        }
        match self.by_token.get(token as usize) {
            Some(&(round, line)) if round == self.round && line != OFTEN => Some(line as usize),
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
            let (round, place) = &mut self.by_token[token];
            *place = if *round == self.round { OFTEN } else { line };
            *round = self.round;
        }
    }
}

/// How many bytes are equal at the start.
fn equal(a: &[u8], b: &[u8]) -> usize {
    const FEW: usize = 64;
    const MANY: usize = 512;
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut at = 0;
    if len >= FEW && a[..FEW] == b[..FEW] {
        at = FEW;
        while at + MANY <= len && a[at..at + MANY] == b[at..at + MANY] {
            at += MANY;
        }
    }
    while let (Some(x), Some(y)) = (a[at..].first_chunk(), b[at..].first_chunk()) {
        let differ = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if differ != 0 {
            return at + differ.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = a[at..].iter().zip(&b[at..]);
    at + rest.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A delta that inserts all of `bytes`, against a base of so many bytes.
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

    /// Changes some lines of `text`; few are the only ones of their kind.
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
                    // The last line loses its LF, or a line that had lost it gets more.
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
    fn lines_are_those_of_the_text() {
        let mut lines = Lines::new(false);
        let mut texts = Texts::default();
        let mut seed = 11;
        let mut text: Vec<u8> = (0..400)
            .flat_map(|nth| format!("{}\n", nth * nth % 700).into_bytes())
            .collect();
        let base = Arc::new(Version::of(b"far away\n", &mut lines).expect("it is small"));
        let far = PackPosition { pack: 0, offset: 0 };
        let mut made = 0;
        for offset in 1..600 {
            text = edit(&text, &mut seed);
            let whole = Version::of(&text, &mut lines).expect("it is small");
            texts.see(far, &base, None);
            let mut builder = Builder::default();
            let delta = delta(base.len() as usize, &text);
            let derived = texts.derive(&delta, &mut lines, &mut builder);
            let derived = derived.expect("the delta is sound");
            if let Some(bytes) = &derived {
                let (version, _) = builder.finish(&mut lines).expect("it is small");
                assert!(*bytes == text);
                assert_eq!(version.tokens, whole.tokens);
                assert_eq!(version.ends, whole.ends);
                made += 1;
            }
            let place = PackPosition { pack: 0, offset };
            texts.see(place, &Arc::new(whole), derived);
        }
        assert!(made > 500);
    }

    #[test]
    fn a_damaged_delta_is_refused() {
        let mut lines = Lines::new(false);
        let mut texts = Texts::default();
        let base = Arc::new(Version::of(b"one\ntwo\n", &mut lines).expect("it is small"));
        texts.see(PackPosition { pack: 0, offset: 0 }, &base, None);
        let sound = delta(8, b"one\nTWO\n");
        for damaged in [&sound[..sound.len() - 1], &delta(9, b"one\nTWO\n")] {
            let derived = texts.derive(damaged, &mut lines, &mut Builder::default());
            assert!(matches!(derived, Err(Error::Damaged(_))));
        }
    }

    #[test]
    fn equal_starts() {
        for len in [0, 1, 7, 8, 9, 63, 64, 65, 600, 1100, 2000] {
            let a = vec![b'x'; len];
            assert_eq!(equal(&a, &a), len);
            for at in (0..len).step_by(3) {
                let mut b = a.clone();
                b[at] = b'y';
                assert_eq!(equal(&a, &b), at);
                assert_eq!(equal(&a, &b[..at]), at);
            }
        }
    }
}
