//! Words of commands, as git quotes them for a shell.

/// Appends `word` in single quotes.
pub(crate) fn push_quoted(text: &mut Vec<u8>, word: &[u8]) {
    text.push(b'\'');
    for &byte in word {
        match byte {
            b'\'' | b'!' => text.extend([b'\'', b'\\', byte, b'\'']),
            _ => text.push(byte),
        }
    }
    text.push(b'\'');
}

/// Appends `word`, in single quotes only where a shell needs them.
pub(crate) fn push_word(text: &mut Vec<u8>, word: &[u8]) {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"+,-./:=@_^".contains(byte);
    if !word.is_empty() && word.iter().all(is_plain) {
        text.extend_from_slice(word);
    } else {
        push_quoted(text, word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_commands() {
        for (word, expected) in [
            ("", "''"),
            ("a+,-./:=@_^Z9", "a+,-./:=@_^Z9"),
            ("a b", "'a b'"),
            ("it's!", "'it'\\''s'\\!''"),
            ("$HOME", "'$HOME'"),
            ("~", "'~'"),
            ("é", "'é'"),
        ] {
            let mut text = Vec::new();
            push_word(&mut text, word.as_bytes());
            assert_eq!(text, expected.as_bytes(), "{word}");
        }
    }
}
