//! The notation `A~3` for the commit three first parents before `A`.

use bstr::{BStr, ByteSlice};

/// Splits `A~2~` into `A` and 3. `None` where that is not all there is to it: in a path or a search,
/// or behind an abbreviated id, by which only a commit may be meant.
pub(super) fn split(name: &BStr) -> Option<(&BStr, u32)> {
    if name.contains(&b':') {
        return None;
    }
    let (mut base, mut generations) = (name, 0u32);
    while let Some(at) = base.rfind_byte(b'~') {
        let number = &base[at + 1..];
        if number.len() > 9 || !number.iter().all(u8::is_ascii_digit) {
            break;
        }
        let number = match number.to_str() {
            Ok("") => 1,
            Ok(digits) => digits.parse().ok()?,
            Err(_) => return None,
        };
        generations = generations.checked_add(number)?;
        base = base[..at].as_bstr();
    }
    let abbreviated = base.iter().all(u8::is_ascii_hexdigit);
    (base.len() < name.len() && !abbreviated).then_some((base, generations))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_add_up() {
        let of =
            |name: &'static str| split(name.into()).map(|(base, count)| (base.to_string(), count));
        assert_eq!(of("HEAD~"), Some(("HEAD".into(), 1)));
        assert_eq!(of("HEAD~0"), Some(("HEAD".into(), 0)));
        assert_eq!(of("v1~2~~3"), Some(("v1".into(), 6)));
        assert_eq!(of("v1^2~3"), Some(("v1^2".into(), 3)));
        assert_eq!(of("v1~x~3"), Some(("v1~x".into(), 3)));
        let others = [
            "HEAD",
            "HEAD~2^",
            "HEAD:a~1",
            ":/a~1",
            "abcd~1",
            "~1",
            "a~1234567890",
            "v~999999999~999999999~999999999~999999999~999999999",
        ];
        for name in others {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
