//! Pairs of texts at the limits of the line diff, which random ones seldom reach.

use super::text_pairs::Pair;

/// Each word as a line.
fn words(old: impl AsRef<str>, new: impl AsRef<str>) -> Pair {
    let side = |text: &str| -> Vec<u8> {
        let lines = text.split_whitespace().flat_map(|word| [word, "\n"]);
        lines.collect::<String>().into_bytes()
    };
    (side(old.as_ref()), side(new.as_ref()))
}

/// `count` distinct words with a common prefix.
fn distinct(prefix: &str, count: usize) -> String {
    (0..count).map(|n| format!("{prefix}{n} ")).collect()
}

/// Lines separated by `|`; `·` is a space, `>` a tab and `^` a form feed.
fn lines(old: &str, new: &str) -> Pair {
    let side = |text: &str| {
        let text = text.replace('·', " ").replace('>', "\t");
        (text.replace('^', "\x0c").replace('|', "\n") + "\n").into_bytes()
    };
    (side(old), side(new))
}

/// Pairs for all settings.
pub fn chosen_pairs() -> Vec<Pair> {
    let mut pairs = vec![
        words("p q a r s", "s p a q r"),
        words("a b c", "c a c b"),
        words("a a b a a a a", "a a a a a b"),
        words("b a b a", "a b a b a b"),
        ("a\r\r\n".into(), "a\r\n".into()),
        ("a\x0c\n".into(), "a\n".into()),
        ("a b\nc\n\nd\n".into(), "a  b\nc \n\n\nd\n".into()),
    ];
    frequent_lines(&mut pairs);
    long_repetitions(&mut pairs);
    indents(&mut pairs);
    pairs.extend([300, 600].map(|len| (numbers(1, 30, len), numbers(2, 30, len))));
    pairs
}

/// Frequent lines among those that the other side lacks, around the numbers from which they count as such.
fn frequent_lines(pairs: &mut Vec<Pair>) {
    for (before, after) in [(8, 7), (7, 7), (4, 3), (3, 3), (0, 9), (1, 9)] {
        for braces in [4, 7, 8] {
            let new: String = (0..braces).map(|n| format!("n{n} }} ")).collect();
            let old = format!("{} }} {}", distinct("u", before), distinct("v", after));
            pairs.push(words(old, new + "end"));
        }
    }
    for count in [49, 50] {
        let old = distinct("u", 200) + &"} ".repeat(count) + &distinct("v", 200);
        let new: String = (0..40).map(|n| format!("}} n{n} ")).collect();
        pairs.push(words(old, new));
    }
}

/// The longest chain of equal lines of a histogram, and the blocks by which equal ends are left out.
fn long_repetitions(pairs: &mut Vec<Pair>) {
    for len in [64, 65] {
        let old: String = (0..len - 2).map(|n| format!("x u{n} ")).collect();
        pairs.push(words(old + "x x", "n x x m x"));
    }
    for len in [511, 512, 513, 2000] {
        pairs.push((b"x\n".repeat(len), b"x\n".repeat(len + 1)));
        pairs.push((b"x\n".repeat(len), b"x \n".repeat(len + 1)));
    }
}

/// Indents and blank lines, up to the numbers that count.
fn indents(pairs: &mut Vec<Pair>) {
    for (old, new) in [
        ("a|·b", "a|a|·b"),
        ("for|··a|end", "for|··b|end|for|··a|end"),
        ("^|·b", "^|^|·b"),
        (">|·b", ">|>|·b"),
        ("··d|·>d", "··d|··d|·>d"),
        ("a|·b|·b|··c", "a|·b|·b|·b|··c"),
        ("a|·b|·b|·b|··c", "a|·b|·b|·b|·b|··c"),
        ("||·b", "||·b||·b"),
        ("a|a|b", "a|a|a|b"),
    ] {
        pairs.push(lines(old, new));
    }
    for spaces in [199, 200] {
        let indented = format!("a|{}", "·".repeat(spaces));
        pairs.push(lines(&indented, &format!("a|{indented}")));
    }
    for blanks in [19, 20, 21] {
        let empty = "|".repeat(blanks);
        let new = format!("··a|{empty}··c|{empty}··b");
        pairs.push(lines(&format!("··a|{empty}··b"), &new));
    }
    for len in [99, 100] {
        let block: String = (0..len).map(|n| format!("··q{n}|")).collect();
        let new = format!("··w|h|{block}h|{block}··z");
        pairs.push(lines(&format!("··w|h|{block}··z"), &new));
    }
}

/// Lines of numbers below `modulus`, from a linear congruential generator.
fn numbers(seed: u64, modulus: u64, len: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = (1_103_515_245 * state + 12_345) % (1 << 31);
        state / 65_536 % modulus
    };
    let lines: String = (0..len).map(|_| format!("{}\n", next())).collect();
    lines.into_bytes()
}

/// Texts just below and above the length from which Myers' algorithm takes shortcuts.
pub fn pairs_at_shortcuts() -> Vec<Pair> {
    const LEN: usize = 32_766;
    let (one, other) = (numbers(11, 100, LEN), numbers(12, 100, LEN));
    let lines = |text: &[u8]| -> Vec<Vec<u8>> {
        let lines = text.split_inclusive(|&byte| byte == b'\n');
        lines.map(<[u8]>::to_vec).collect()
    };
    let (mut old, other) = (lines(&one), lines(&other));
    let mixed = (0..LEN).map(|at| if at % 2000 < 1200 { &other } else { &old }[at].clone());
    let mut new: Vec<Vec<u8>> = mixed.collect();
    for (side, end) in [(&mut old, b"1\n"), (&mut new, b"2\n")] {
        (side[0], side[LEN - 1]) = (end.to_vec(), end.to_vec());
    }
    let (old, new) = (old.concat(), new.concat());
    let longer = [&new[..], b"3\n"].concat();
    vec![(old.clone(), new), (old, longer)]
}
