//! Random pairs of texts that try the line diff in every corner.

use crate::harness::rng::Rng;

/// An old and a new text.
pub type Pair = (Vec<u8>, Vec<u8>);

type Line = Vec<u8>;

/// Pairs of all kinds; the first ones are tiny, so that a failure found first is readable.
pub fn pairs(rng: &mut Rng, count: usize) -> Vec<Pair> {
    (0..count)
        .map(|nth| match nth * 100 / count {
            0..40 => tiny(rng),
            40..60 => edited(rng, 4, 60),
            60..80 => frequent(rng),
            80..88 => repeated(rng),
            88..98 => edited(rng, 60, 900),
            _ => edited(rng, 900, 3000),
        })
        .collect()
}

/// Pairs of 70,000 lines that bring the search to its shortcuts.
pub fn huge_pairs(rng: &mut Rng) -> Vec<Pair> {
    let distinct = rng.between(50, 400);
    let random = |rng: &mut Rng| -> Vec<Line> {
        (0..rng.between(33_000, 70_000))
            .map(|_| format!("{}\n", rng.below(distinct)).into_bytes())
            .collect()
    };
    let old = random(rng);
    let other = random(rng);
    let period = rng.between(500, 3000);
    let changed = rng.between(period / 4, period * 3 / 4);
    let mixed: Vec<Line> = old
        .iter()
        .zip(&other)
        .enumerate()
        .map(|(at, (old, other))| if at % period < changed { other } else { old }.clone())
        .collect();
    let mut edited = old.clone();
    for _ in 0..rng.between(1, 40) {
        edit(rng, &mut edited, &other);
    }
    let between = |lines: &[Line]| [b"first\n", &lines.concat()[..], b"last\n"].concat();
    vec![
        (old.concat(), between(&mixed)),
        (between(&old), mixed.concat()),
        (between(&old), edited.concat()),
        (old.concat(), other.concat()),
    ]
}

/// A few letters: ties everywhere.
fn tiny(rng: &mut Rng) -> Pair {
    let letters = rng.between(1, 4);
    let spaced = rng.chance(30);
    let side = |rng: &mut Rng| {
        let lines: Vec<Line> = (0..rng.below(14))
            .map(|_| {
                let letter = b'a' + rng.below(letters) as u8;
                let mut line = vec![letter, b'\n'];
                if spaced {
                    let indent = *rng.pick(&["", "", " ", "  ", "\t"]);
                    line.splice(0..0, indent.bytes());
                    if rng.chance(20) {
                        line.remove(indent.len());
                    }
                }
                line
            })
            .collect();
        lines.concat()
    };
    let pair = (side(rng), side(rng));
    finish(rng, pair)
}

/// A structured text and the same after some edits.
fn edited(rng: &mut Rng, low: usize, high: usize) -> Pair {
    let distinct = *rng.pick(&[3, 10, 40, 300, 5000]);
    let len = rng.between(low, high);
    let spare = text(rng, 40, distinct);
    let old = text(rng, len, distinct);
    let mut new = old.clone();
    for _ in 0..rng.between(1, 1 + len.min(300) / 4) {
        edit(rng, &mut new, &spare);
        if rng.chance(20) {
            break;
        }
    }
    let pair = if rng.chance(50) {
        (old.concat(), new.concat())
    } else {
        (new.concat(), old.concat())
    };
    finish(rng, pair)
}

/// Frequent lines among lines that the other side lacks.
fn frequent(rng: &mut Rng) -> Pair {
    let kinds = rng.between(1, 3);
    let alone = rng.between(20, 97);
    let side = |rng: &mut Rng, name: &str, len: usize, shared: usize| -> Vec<u8> {
        let lines: Vec<Line> = (0..len)
            .map(|nth| match rng.below(100) {
                n if n < alone => format!("{name}{nth}\n").into_bytes(),
                n if n < alone + shared => format!("both{}\n", rng.below(len)).into_bytes(),
                _ => format!("}}{}\n", rng.below(kinds)).into_bytes(),
            })
            .collect();
        lines.concat()
    };
    let most = *rng.pick(&[20, 70, 300, 1100]);
    let (old_len, new_len) = (rng.between(4, most), rng.between(4, most));
    let shared = rng.below(6);
    let pair = (
        side(rng, "old", old_len, shared),
        side(rng, "new", new_len, shared),
    );
    finish(rng, pair)
}

/// Long stretches of one line: the tail trim, the limits of sliding and of chains.
fn repeated(rng: &mut Rng) -> Pair {
    let width = *rng.pick(&[0, 1, 3, 30, 511, 1022, 1023, 1024, 1500]);
    let mut line = vec![b'x'; width];
    line.push(b'\n');
    let most = if width > 100 { 12 } else { 1200 };
    let count = rng.between(0, most);
    let side = |rng: &mut Rng| {
        let mut lines = vec![line.clone(); count];
        for _ in 0..rng.below(4) {
            let at = rng.below(lines.len() + 1);
            match rng.below(4) {
                0 => lines.insert(at, line.clone()),
                1 => lines.insert(at, b" y\n".to_vec()),
                2 => lines.insert(at, [b" ", &line[..]].concat()),
                _ if at < lines.len() => drop(lines.remove(at)),
                _ => {}
            }
        }
        lines.concat()
    };
    let pair = (side(rng), side(rng));
    finish(rng, pair)
}

/// Blocks with indents and blank lines between them.
fn text(rng: &mut Rng, len: usize, distinct: usize) -> Vec<Line> {
    let mut lines = Vec::with_capacity(len);
    let mut depth = 0;
    let mut last = Vec::new();
    while lines.len() < len {
        let indent = match rng.below(10) {
            0..7 => " ".repeat(depth * 2),
            7 => "\t".repeat(depth),
            8 => format!(" {}", "\t".repeat(depth)),
            _ => " ".repeat(rng.below(9)),
        };
        let line = match rng.below(100) {
            0..12 => "\n".to_string(),
            12..15 => format!("{indent}\n"),
            15..17 => "\x0c\n".into(),
            17..18 => "\r\n".into(),
            18..27 => {
                depth = depth.saturating_sub(1);
                format!("{}}}\n", "  ".repeat(depth))
            }
            27..37 => {
                depth = (depth + 1).min(60);
                format!("{indent}if {} {{\n", rng.below(distinct))
            }
            37..39 => format!("{indent}word {}\r\n", rng.below(distinct)),
            39..40 => format!("\0{}\x0b\n", rng.below(distinct)),
            40..41 => {
                lines.extend(vec![b"\n".to_vec(); rng.below(25)]);
                "\n".into()
            }
            41..42 => format!(
                "{}{}\n",
                " ".repeat(rng.between(195, 205)),
                ["x", ""][rng.below(2)]
            ),
            42..48 => String::from_utf8(last.clone()).expect("made of text"),
            _ => format!("{indent}{}\n", rng.below(distinct)),
        };
        last = line.into_bytes();
        lines.push(last.clone());
    }
    lines
}

fn edit(rng: &mut Rng, lines: &mut Vec<Line>, spare: &[Line]) {
    let at = rng.below(lines.len() + 1);
    let len = *rng.pick(&[1, 1, 1, 2, 3, 8, 30]);
    let end = (at + len).min(lines.len());
    match rng.below(8) {
        0 => drop(lines.drain(at..end)),
        1 => {
            let copy = lines[at..end].to_vec();
            lines.splice(at..at, copy);
        }
        2 => {
            let moved: Vec<Line> = lines.drain(at..end).collect();
            let to = rng.below(lines.len() + 1);
            lines.splice(to..to, moved);
        }
        3 => {
            let from = rng.below(spare.len());
            let to = (from + len).min(spare.len());
            lines.splice(at..at, spare[from..to].iter().cloned());
        }
        4 => {
            let from = rng.below(spare.len());
            let to = (from + len).min(spare.len());
            lines.splice(at..end, spare[from..to].iter().cloned());
        }
        5 => {
            for line in &mut lines[at..end] {
                line.splice(0..0, rng.pick(&["  ", "\t", " "]).bytes());
            }
        }
        6 => {
            for line in &mut lines[at..end] {
                if line.last() == Some(&b'\n') {
                    line.pop();
                    line.extend(rng.pick(&[" \n", "\r\n", "!\n"]).bytes());
                }
            }
        }
        _ => {
            let copy = lines[rng.below(lines.len().max(1)).min(lines.len())..]
                .iter()
                .take(len)
                .cloned()
                .collect::<Vec<_>>();
            lines.splice(at..at, copy);
        }
    }
}

/// Now and then, without the final newline.
fn finish(rng: &mut Rng, (mut old, mut new): Pair) -> Pair {
    for side in [&mut old, &mut new] {
        if rng.chance(15) {
            side.pop();
        }
    }
    (old, new)
}
