//! Places in JSON: the records of `rg --json`, and SARIF, the format of the findings of linters.

use bstr::{BStr, BString, ByteSlice};

use crate::text::json::Json;

/// A place that a record names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedPlace {
    /// The file's name as written.
    pub file: BString,
    /// The line, 1-based.
    pub line: u32,
    /// The column, 1-based, in whatever unit the writer counts.
    pub column: Option<u32>,
}

/// The place of a line of `rg --json`: of a match, or of a line of context.
pub(super) fn of_search(line: &BStr) -> Option<RecordedPlace> {
    Some(search_record(line)?.0)
}

/// A line of `rg --json` as `rg -n` would write it: `FILE:LINE: TEXT`, with the first line of the match.
/// `None` for any other line.
pub fn search_in_words(line: &BStr) -> Option<BString> {
    let (place, text) = search_record(line)?;
    let line = format!(":{}: ", place.line);
    let first = text.lines().next().unwrap_or_default();
    Some([&place.file, line.as_bytes(), first].concat().into())
}

/// The place of a line of `rg --json`, and the text there.
fn search_record(line: &BStr) -> Option<(RecordedPlace, BString)> {
    let text = line.to_str().ok().filter(|text| text.starts_with('{'))?;
    let record = Json::read(text)?;
    let kind = record.get("type")?.text()?;
    if !matches!(kind, "match" | "context") {
        return None;
    }
    let data = record.get("data")?;
    let bytes = |value: &Json| match value.get("text") {
        Some(text) => text.text().map(BString::from),
        None => from_base64(value.get("bytes")?.text()?),
    };
    let file = bytes(data.get("path")?)?;
    let shown = data.get("lines").and_then(bytes).unwrap_or_default();
    let first = data.get("submatches").and_then(|all| all.items().first());
    let start = first.and_then(|first| first.get("start")?.number());
    let place = RecordedPlace {
        file,
        line: line_number(data.get("line_number"))?,
        column: start.and_then(|start| u32::try_from(start + 1).ok()),
    };
    Some((place, shown))
}

fn line_number(value: Option<&Json>) -> Option<u32> {
    let number = u32::try_from(value?.number()?).ok()?;
    Some(number).filter(|&number| number > 0)
}

/// A finding of SARIF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Where it is; `None` if it names no line of a file.
    pub place: Option<RecordedPlace>,
    /// As a compiler would write it: `FILE:LINE:COLUMN: LEVEL: MESSAGE [RULE]`.
    pub text: BString,
}

/// The findings of documents in SARIF 2, one after the other, in their order: one for each location
/// of a result, at least one for each result.
///
/// # Errors
///
/// If it is not SARIF.
pub fn findings(documents: &[u8]) -> Result<Vec<Finding>, &'static str> {
    let bytes = documents.strip_prefix(b"\xef\xbb\xbf").unwrap_or(documents);
    let mut rest = bytes.to_str().map_err(|_| "it is not UTF-8")?;
    let mut found = Vec::new();
    loop {
        let (document, after) = Json::read_first(rest).ok_or("it is not JSON, or not all of it")?;
        add_findings(&document, &mut found)?;
        if after.is_empty() {
            return Ok(found);
        }
        rest = after;
    }
}

fn add_findings(document: &Json, found: &mut Vec<Finding>) -> Result<(), &'static str> {
    for run in document.get("runs").ok_or("it has no 'runs'")?.items() {
        for result in run.get("results").map_or(&[][..], Json::items) {
            let locations = result.get("locations").map_or(&[][..], Json::items);
            match locations {
                [] => found.push(finding(result, None)),
                _ => found.extend(locations.iter().map(|it| finding(result, Some(it)))),
            }
        }
    }
    Ok(())
}

fn finding(result: &Json, location: Option<&Json>) -> Finding {
    let place = location.and_then(place_of);
    let text = |value: Option<&Json>| value.and_then(Json::text).map(str::to_owned);
    let message = text(result.get("message").and_then(|it| it.get("text"))).unwrap_or_default();
    let message: Vec<&str> = message.split_whitespace().collect();
    let level = text(result.get("level")).unwrap_or_else(|| "warning".to_owned());
    let mut words = format!("{level}: {}", message.join(" "));
    if let Some(rule) = text(result.get("ruleId")) {
        words = format!("{words} [{rule}]");
    }
    let mut row = BString::default();
    if let Some(place) = &place {
        row.extend_from_slice(&place.file);
        row.extend_from_slice(format!(":{}", place.line).as_bytes());
        if let Some(column) = place.column {
            row.extend_from_slice(format!(":{column}").as_bytes());
        }
        row.extend_from_slice(b": ");
    }
    row.extend_from_slice(words.as_bytes());
    Finding { place, text: row }
}

fn place_of(location: &Json) -> Option<RecordedPlace> {
    let physical = location.get("physicalLocation")?;
    let uri = physical.get("artifactLocation")?.get("uri")?.text()?;
    let region = physical.get("region")?;
    let file = from_uri(uri);
    let is_usable = !file.is_empty() && !file.contains(&b'\n');
    is_usable.then_some(RecordedPlace {
        file,
        line: line_number(region.get("startLine"))?,
        column: line_number(region.get("startColumn")),
    })
}

/// The path of a URI: one with the scheme `file`, or one relative to a root that is not known.
fn from_uri(uri: &str) -> BString {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    let mut bytes = BString::default();
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| first == b'%');
        let byte = digits.and_then(|digits| u8::from_str_radix(digits.to_str().ok()?, 16).ok());
        bytes.push(byte.unwrap_or(first));
        rest = match byte {
            Some(_) => &after[2..],
            None => after,
        };
    }
    bytes
}

fn from_base64(text: &str) -> Option<BString> {
    let (mut bytes, mut bits, mut count) = (BString::default(), 0u32, 0);
    for digit in text.trim_end_matches('=').bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_searches() {
        let read = |line: &str| of_search(line.into());
        let line = r#"{"type":"match","data":{"path":{"bytes":"/yAuYw=="},"lines":{"text":"x\n"},
            "line_number":7,"absolute_offset":0,"submatches":[{"match":{"text":"x"},"start":2}]}}"#;
        let expected = RecordedPlace {
            file: b"\xff .c".into(),
            line: 7,
            column: Some(3),
        };
        assert_eq!(read(line), Some(expected));
        for line in [
            r#"{"type":"begin","data":{"path":{"text":"a.c"}}}"#,
            r#"{"type":"match","data":{"path":{"text":"a.c"},"line_number":null}}"#,
            r#"{"type":"match","data":{"path":{"text":"a.c"},"line_number":0}}"#,
            r#"{"type":"match","data":{"path":{"text":"a.c"},"line_number":7}"#,
            r#"["match"]"#,
            "{",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn names_in_uris_and_base64() {
        for (uri, path) in [
            ("a/b%20c.c", "a/b c.c"),
            ("file:///a/%C3%A4", "/a/ä"),
            ("a%2", "a%2"),
            ("a%zz", "a%zz"),
            ("100%", "100%"),
        ] {
            assert_eq!(from_uri(uri), path);
        }
        for (text, bytes) in [("YQ==", "a"), ("YWI=", "ab"), ("YWJj", "abc"), ("", "")] {
            assert_eq!(from_base64(text).unwrap(), bytes);
        }
        assert_eq!(from_base64("Y Q"), None);
    }

    #[test]
    fn damaged_documents_are_errors() {
        for text in ["", "{", "[]", "{}", "\u{feff}{}"] {
            assert!(findings(text.as_bytes()).is_err(), "{text}");
        }
        assert!(findings(b"\xff").is_err());
        let odd = r#"{"runs":[{"results":[{},{"message":{"text":"a\nb"},"ruleId":"R","locations":[{}]}]},{}]}"#;
        let found = findings(odd.as_bytes()).unwrap();
        let texts: Vec<_> = found.iter().map(|it| it.text.to_string()).collect();
        assert_eq!(texts, ["warning: ", "warning: a b [R]"]);
    }
}
