//! Random texts and edits, chosen so that diffs are ambiguous: few distinct lines, blank runs,
//! braces, moved and repeated blocks.

use super::rng::Rng;

/// The lines of a text with their terminators; the last one may have none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLines(Vec<Vec<u8>>);

impl TextLines {
    /// Cuts a text after each newline.
    pub fn split(bytes: &[u8]) -> TextLines {
        TextLines(
            bytes
                .split_inclusive(|&b| b == b'\n')
                .map(<[u8]>::to_vec)
                .collect(),
        )
    }

    /// The text.
    pub fn join(&self) -> Vec<u8> {
        self.0.concat()
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Appends another text.
    pub fn append(&mut self, other: TextLines) {
        self.insert(self.len(), other.0);
    }

    /// A random run of at most `longest` lines.
    fn run(&self, rng: &mut Rng, longest: usize) -> std::ops::Range<usize> {
        let start = rng.below(self.len() + 1);
        let length = rng.between(0, longest).min(self.len() - start);
        start..start + length
    }

    /// Inserts lines before line `at`; a line without a newline gets one if it is no longer the last.
    ///
    /// Only the last line of a text has none, so these are the line before and the last of the new ones.
    fn insert(&mut self, at: usize, lines: Vec<Vec<u8>>) {
        let end = at + lines.len();
        self.0.splice(at..at, lines);
        let last = self.len().saturating_sub(1);
        for line in &mut self.0[at.saturating_sub(1)..end.min(last)] {
            if line.last() != Some(&b'\n') {
                line.push(b'\n');
            }
        }
    }
}

const COMMON_LINES: [&str; 14] = [
    "",
    "",
    "}",
    "    }",
    "\t}",
    "{",
    "\treturn 0;",
    "    else",
    "/*",
    " */",
    "   ",
    "#endif",
    "\x0c",
    "break;",
];

const WORDS: [&str; 16] = [
    "int",
    "value",
    "= 0;",
    "if (",
    "blame",
    "origin",
    "commit",
    "-> next",
    "while",
    "struct",
    "entry",
    "suspect",
    "for (i = 0;",
    "static",
    "const char *",
    "void",
];

fn line(rng: &mut Rng) -> Vec<u8> {
    let mut line = match rng.below(100) {
        0..30 => rng.pick(&COMMON_LINES).as_bytes().to_vec(),
        30..32 => b"caf\xe9 latin".to_vec(),
        32..34 => "naïve — 李".as_bytes().to_vec(),
        34 => b"nul \0 byte".to_vec(),
        35 => b"\x1b[31mescape".to_vec(),
        36 => vec![b'x'; rng.between(100, 1500)],
        _ => {
            let mut line = "\t".repeat(rng.below(3)).into_bytes();
            for _ in 0..rng.between(1, 5) {
                line.extend_from_slice(rng.pick(&WORDS).as_bytes());
                line.push(b' ');
            }
            if rng.chance(60) {
                line.extend(rng.below(40).to_string().bytes());
            }
            line
        }
    };
    if rng.chance(2) {
        line.push(b'\r');
    }
    line.push(b'\n');
    line
}

/// A new text of at most `longest` lines.
pub fn fresh(rng: &mut Rng, longest: usize) -> TextLines {
    let mut lines = TextLines((0..rng.between(0, longest)).map(|_| line(rng)).collect());
    if rng.chance(15) {
        end_without_newline(&mut lines);
    }
    lines
}

fn end_without_newline(lines: &mut TextLines) {
    if let Some(last) = lines.0.last_mut()
        && last.len() > 1
    {
        last.pop();
    }
}

/// Changes a text in one way.
pub fn edit(rng: &mut Rng, lines: &mut TextLines) {
    match rng.below(100) {
        0..25 => {
            let at = rng.below(lines.len() + 1);
            let new = (0..rng.between(1, 6)).map(|_| line(rng)).collect();
            lines.insert(at, new);
        }
        25..40 => {
            let run = lines.run(rng, 5);
            lines.0.drain(run);
        }
        40..60 => {
            let run = lines.run(rng, 5);
            let at = run.start;
            lines.0.drain(run);
            let new = (0..rng.between(1, 5)).map(|_| line(rng)).collect();
            lines.insert(at, new);
        }
        60..68 => {
            // A moved block.
            let run = lines.run(rng, 8);
            let block: Vec<_> = lines.0.drain(run).collect();
            let at = rng.below(lines.len() + 1);
            lines.insert(at, block);
        }
        68..76 => {
            // A repeated block.
            let run = lines.run(rng, 8);
            let block = lines.0[run].to_vec();
            let at = rng.below(lines.len() + 1);
            lines.insert(at, block);
        }
        76..84 => reindent(rng, lines),
        84..88 => carriage_returns(rng, lines),
        88..92 => {
            let at = rng.below(lines.len() + 1);
            lines.insert(at, vec![b"\n".to_vec(); rng.between(1, 25)]);
        }
        92..96 => match lines.0.last_mut() {
            Some(last) if last.last() != Some(&b'\n') => last.push(b'\n'),
            _ => end_without_newline(lines),
        },
        _ => {
            let word = rng.pick(&WORDS).as_bytes();
            let at = rng.below(lines.len());
            if let Some(line) = lines.0.get_mut(at) {
                line.splice(0..0, word.iter().copied());
            }
        }
    }
}

fn reindent(rng: &mut Rng, lines: &mut TextLines) {
    let run = lines.run(rng, 12);
    let deeper = rng.chance(50);
    for line in &mut lines.0[run] {
        if deeper {
            line.insert(0, b'\t');
        } else if line.first().is_some_and(|b| b" \t".contains(b)) {
            line.remove(0);
        }
    }
}

fn carriage_returns(rng: &mut Rng, lines: &mut TextLines) {
    let run = if rng.chance(50) {
        0..lines.len()
    } else {
        lines.run(rng, 12)
    };
    for line in &mut lines.0[run] {
        if line.ends_with(b"\r\n") {
            line.remove(line.len() - 2);
        } else if line.ends_with(b"\n") {
            line.insert(line.len() - 1, b'\r');
        }
    }
}

/// Moves a block of one text into another, or copies it when `keep` is set.
pub fn transfer(rng: &mut Rng, from: &mut TextLines, to: &mut TextLines, keep: bool) {
    let run = from.run(rng, 15);
    let block = from.0[run.clone()].to_vec();
    if !keep {
        from.0.drain(run);
    }
    let at = rng.below(to.len() + 1);
    to.insert(at, block);
}

/// Something like a merge: what both begin and end with, and between these some of each.
pub fn merge(rng: &mut Rng, ours: &TextLines, theirs: &TextLines) -> TextLines {
    let (a, b) = (&ours.0, &theirs.0);
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let shortest = a.len().min(b.len()) - head;
    let pairs = a.iter().rev().zip(b.iter().rev());
    let tail = pairs.take(shortest).take_while(|(a, b)| a == b).count();
    let mut middle = Vec::new();
    let mut a_left = &a[head..a.len() - tail];
    let mut b_left = &b[head..b.len() - tail];
    while !a_left.is_empty() || !b_left.is_empty() {
        let side = if rng.chance(50) {
            &mut a_left
        } else {
            &mut b_left
        };
        let (block, rest) = side.split_at(rng.between(0, 4).min(side.len()));
        *side = rest;
        if rng.chance(70) {
            middle.extend_from_slice(block);
        }
    }
    let mut merged = TextLines(a[..head].to_vec());
    merged.insert(head, middle);
    let end = merged.len();
    merged.insert(end, a[a.len() - tail..].to_vec());
    merged
}
