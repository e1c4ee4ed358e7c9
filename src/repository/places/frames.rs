//! Frames of the stack traces of Java, Kotlin and Scala, which name a file without its directory.

use bstr::{BStr, BString, ByteSlice};

use crate::repository::places::place::number;

/// Endings of the names of files with classes.
const EXTENSIONS: [&[u8]; 5] = [b"java", b"kt", b"kts", b"scala", b"groovy"];

/// True for the path of a file whose classes a frame may name.
pub(crate) fn is_class_file(path: &[u8]) -> bool {
    let name = split_path(path).1.rsplit_once_str(".");
    name.is_some_and(|(stem, extension)| !stem.is_empty() && EXTENSIONS.contains(&extension))
}

/// The directory of a path, without a slash at its end, and the name in it.
pub(crate) fn split_path(path: &[u8]) -> (&BStr, &BStr) {
    let (directory, name) = path.rsplit_once_str("/").unwrap_or((b"", path));
    (directory.as_bstr(), name.as_bstr())
}

/// A frame: `at PACKAGE.CLASS.METHOD(FILE:LINE)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    /// The parts of the package's name with slashes between them; empty for a class without one.
    pub(super) package: BString,
    /// The file's name, without a directory.
    pub(super) file: &'a BStr,
    /// The line, 1-based.
    pub(super) line: u32,
}

/// The frame that a line has.
pub(super) fn frame(line: &[u8]) -> Option<Frame<'_>> {
    let opening = line.find_iter(b"(");
    opening
        .take(8)
        .find_map(|at| frame_at(&line[..at], &line[at + 1..]))
}

/// The frame of the words before an opening parenthesis, and of what follows it.
fn frame_at<'a>(before: &[u8], rest: &'a [u8]) -> Option<Frame<'a>> {
    let (place, _) = rest.split_once_str(")")?;
    let (file, line) = place.split_once_str(":")?;
    if file.find_byteset(b"/\\").is_some() || !is_class_file(file) {
        return None;
    }
    let line = number(line)?;
    // Names of methods may have blanks in Kotlin.
    let trimmed = before.trim_start();
    let after_mark = trimmed.strip_prefix(b"at ").or_else(|| {
        let at = before.rfind(b" at ")?;
        Some(&before[at + b" at ".len()..])
    });
    let last_word = || {
        before
            .rsplit_once_str(" ")
            .map_or(trimmed, |(_, word)| word)
    };
    let method = after_mark.unwrap_or_else(last_word);
    // The module, and what loaded it.
    let method = method.rsplit_once_str("/").map_or(method, |(_, it)| it);
    let (class, name) = method.rsplit_once_str(".")?;
    if class.is_empty() || name.is_empty() || class.iter().any(u8::is_ascii_whitespace) {
        return None;
    }
    let package = class.rsplit_once_str(".").map_or(&b""[..], |(it, _)| it);
    Some(Frame {
        package: package.replace(".", "/").into(),
        file: file.as_bstr(),
        line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_traces() {
        for (line, package, file, number) in [
            (
                "\tat com.example.Foo.bar(Foo.java:12)",
                "com/example",
                "Foo.java",
                12,
            ),
            ("at Boom.main(Boom.java:3)", "", "Boom.java", 3),
            (
                "  at com.example.Foo$Inner.<init>(Foo.java:7) ~[foo.jar:1.0]",
                "com/example",
                "Foo.java",
                7,
            ),
            (
                "\tat java.base/java.lang.Thread.run(Thread.java:840)",
                "java/lang",
                "Thread.java",
                840,
            ),
            (
                "\tat app//com.example.MainKt.main(Main.kt:5)",
                "com/example",
                "Main.kt",
                5,
            ),
            (
                "\tat a.b.FooTest.adds two numbers(FooTest.kt:9)",
                "a/b",
                "FooTest.kt",
                9,
            ),
            (
                "\tat a.Foo$.$anonfun$main$1(Foo.scala:2)",
                "a",
                "Foo.scala",
                2,
            ),
            (
                "[ERROR] a.b.FooTest.bar(FooTest.java:4)",
                "a/b",
                "FooTest.java",
                4,
            ),
            (
                "[x] (y) failed at a.b.Foo.bar(Foo.java:4)",
                "a/b",
                "Foo.java",
                4,
            ),
        ] {
            let expected = Frame {
                package: package.into(),
                file: file.into(),
                line: number,
            };
            assert_eq!(frame(line.as_bytes()), Some(expected), "{line}");
        }
        for line in [
            "\tat com.example.Foo.bar(Native Method)",
            "\tat com.example.Foo.bar(Unknown Source)",
            "\tat com.example.Foo.bar(Foo.java)",
            "\tat com.example.Foo.bar(Foo.java:0)",
            "\tat com.example.Foo.bar(src/Foo.java:12)",
            "at f (a.js:3:4)",
            "(Foo.java:12)",
            "see (Foo.java:12)",
            "at Foo.bar(.java:12)",
            "at Foo.bar(Foo.java:12",
            "",
        ] {
            assert_eq!(frame(line.as_bytes()), None, "{line}");
        }
    }
}
