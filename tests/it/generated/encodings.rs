//! Character encodings: their names × the text of commits, the output and the work tree, with texts
//! that can be converted and texts that cannot.

use std::ffi::OsString;

use super::{Cases, breadth};
use crate::harness::{
    compare::{FORMATS, assert_same},
    fast_import::{Commit, FastImport, File, Ident, Tree, insert_file},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// Names that iconv knows, in several spellings; names that only git knows; unknown ones.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "UTF-8", "UTF8", "UTF-16", "UTF16", "UTF-16LE", "UTF16BE", "UTF-16BE", "UTF-32", "UTF32",
    "UTF-32LE", "UTF-32BE", "UCS-2", "UCS-2BE", "UCS-4", "UCS-4LE", "UNICODE", "UNICODELITTLE", "WCHAR_T", "ISO-10646", "ISO-10646/UTF8/", "ASCII",
    "US-ASCII", "ANSI_X3.4-1968", "ISO-8859-1", "ISO8859-1", "LATIN1", "L1", "8859_1",
    "ISO-8859-2", "LATIN2", "ISO-8859-3", "ISO-8859-4", "ISO-8859-5", "ISO-8859-6", "ARABIC",
    "ISO-8859-7", "GREEK", "ISO-8859-8", "HEBREW", "ISO-8859-9", "LATIN5", "ISO-8859-9E",
    "ISO-8859-10", "ISO-8859-11", "ISO-8859-13", "ISO-8859-14", "ISO-8859-15", "LATIN-9",
    "LATIN9", "ISO-8859-16", "TIS-620", "CP1250", "CP1251", "WINDOWS-1251", "CP1252",
    "WINDOWS-1252", "CP1253", "CP1254", "CP1255", "MS-HEBR", "CP1256", "CP1257", "CP1258",
    "WINDOWS-1258", "KOI8-R", "KOI8-U", "KOI8-T", "KOI8-RU", "KOI-8", "CP437", "437", "CP737",
    "CP775", "CP850", "850", "CP852", "CP855", "CP857", "CP858", "CP860", "CP861", "CP862",
    "CP863", "CP864", "CP865", "CP866", "CP869", "CP874", "CP1125", "IBM037", "CP037", "CP500",
    "CP1026", "CP1047", "CP1140", "EBCDIC-US", "EBCDIC-FR", "IBM273", "IBM297", "IBM420",
    "IBM424", "IBM870", "IBM875", "IBM880", "MACINTOSH", "MAC", "MAC-CENTRALEUROPE",
    "MAC-CYRILLIC", "MAC-IS", "MAC-UK", "HP-ROMAN8", "VISCII", "TCVN", "TCVN5712-1", "ARMSCII-8",
    "GEORGIAN-ACADEMY", "GEORGIAN-PS", "PT154", "RK1048", "MIK", "BRF", "INIS-8", "DEC-MCS",
    "CWI", "ISIRI-3342", "ISO646-DE", "ISO646-NO", "BS_4730", "JUS_I.B1.002", "GREEK7",
    "ASMO_449", "T.61", "ISO_6937", "ISO_6937-2", "ANSI_X3.110", "GOST_19768-74", "ISO-IR-197",
    "ISO_5427", "ISO_5428", "LATIN-GREEK", "EUC-JP", "EUCJP", "UJIS", "EUC-JP-MS",
    "EUC-JISX0213", "SJIS", "SHIFT_JIS", "MS_KANJI", "CP932", "WINDOWS-31J", "IBM932", "IBM943",
    "SHIFT_JISX0213", "ISO-2022-JP", "ISO2022JP", "EUC-KR", "EUCKR", "CP949",
    "UHC", "JOHAB", "EUC-CN", "EUCCN", "GB2312", "GBK", "CP936", "GB18030",
    "BIG5", "CP950", "BIG5-HKSCS", "EUC-TW", "HP-THAI8", "CP12712", "IBM16804", "latin-1",
    "latin1", "utf8", "Utf-8", "utf16", "utf-16le-bom", "UTF-16LE-BOM", "UTF16LE-BOM",
    "UTF-16BE-BOM", "eucJP", "Shift_JIS", "iso-8859-1//", "latin1/", "l a t i n 1", "UTF-16-LE",
    "no-such", "none", "ISO8859_1", "x-sjis", "windows-949", "UTF-32LE-BOM", "UTF-8//IGNORE",
    "sjis//IGNORE",
];

/// Texts of several scripts, for output encodings.
const TEXTS: &[&str] = &[
    "plain",
    "Jürgen Größe",
    "naïve façade",
    "žluťoučký kůň",
    "İstanbul ığüş",
    "Ελληνικά",
    "Привет",
    "Їжак",
    "שלום",
    "مرحبا",
    "สวัสดี",
    "日本語テスト",
    "ｶﾅ①",
    "中文简体",
    "繁體中文",
    "한국어",
    "Tiếng Việt",
    "€ £ ¥ „x“ – …",
    "a\\b~c",
    "½ ﬁ",
    "𝄞 😀",
    "\u{e000}",
    "ｶ゛か\u{309a}",
    "e\u{301}",
    "+&-",
    "",
];

/// Bytes as in a text of some encoding: of one byte, of two bytes, with escape sequences, or any.
fn bytes(rng: &mut Rng) -> Vec<u8> {
    let mut text = Vec::new();
    let kind = rng.below(8);
    for _ in 0..rng.between(1, 6) {
        match kind {
            0 => text.push(rng.between(0x20, 0x7e) as u8),
            1 => text.push(rng.between(0xa0, 0xff) as u8),
            2 | 3 => text.extend([rng.between(0xb0, 0xf7) as u8, rng.between(0xa1, 0xfe) as u8]),
            4 => text.extend([rng.between(0x81, 0x9f) as u8, rng.between(0x40, 0x7e) as u8]),
            5 => text.extend_from_slice(rng.pick(TEXTS).as_bytes()),
            6 => text.extend_from_slice(rng.pick::<&[u8]>(&[
                b"\x1b$B",
                b"\x1b(B",
                b"\x1b(J",
                b"\x1b$)C",
                b"\x0e",
                b"\x0f",
                b"F|K\\",
                b"0!",
                b"+ZeU-",
                b"+AGE",
                b"&-",
                b"a",
                b"\x1b$A",
                b"\x1b.A\x1bNi",
            ])),
            _ => text.push(rng.between(1, 0xff) as u8),
        }
        if rng.chance(20) {
            text.push(b'a');
        }
    }
    text
}

/// A text without what would end a line of a commit.
fn header_text(rng: &mut Rng) -> Vec<u8> {
    let mut text = bytes(rng);
    text.retain(|byte| !b"\n\0<>".contains(byte));
    text
}

fn commit(rng: &mut Rng, encoding: Option<&'static str>) -> Commit {
    let ident = Ident {
        name: if rng.chance(60) {
            b"A U Thor".into()
        } else {
            header_text(rng)
        },
        mail: b"a@example.com".into(),
        time: 1_600_000_000,
        zone: "+0000",
    };
    let mut message = if rng.chance(50) {
        bytes(rng)
    } else {
        rng.pick(TEXTS).as_bytes().to_vec()
    };
    if rng.chance(70) {
        message.push(b'\n');
    }
    let mut tree = Tree::new();
    insert_file(&mut tree, b"f", File::text("line\n"));
    Commit {
        parents: Vec::new(),
        tree,
        author: ident.clone(),
        committer: ident,
        encoding,
        message,
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    part.is_empty() || text.windows(part.len()).any(|window| window == part)
}

#[test]
fn texts_of_commits() {
    let mut cases = Cases::new("encodings of commits");
    let mut converted = 0;
    for round in 0..breadth() as u64 {
        let rng = &mut Rng::new(0xe4c0 + round);
        let repository = TestRepo::new(ObjectFormat::Sha1);
        let mut import = FastImport::default();
        let mut names = Vec::new();
        let mut messages = Vec::new();
        for &name in NAMES {
            // As declared by the commit, as asked for, or both.
            let (declared, asked) = match rng.below(4) {
                0 | 1 => (Some(name), None),
                2 => (None, Some(name)),
                _ => (Some(*rng.pick(NAMES)), Some(name)),
            };
            let commit = commit(rng, declared);
            messages.push(commit.message.trim_ascii_end().to_vec());
            import.commit(commit);
            names.push(asked);
        }
        let (ids, _) = import.write(&repository);
        for ((id, asked), message) in ids.iter().zip(names).zip(messages) {
            let mut arguments: Vec<OsString> = Vec::new();
            let format = *rng.pick(&FORMATS);
            arguments.extend(format.iter().map(OsString::from));
            if let Some(name) = asked {
                match rng.below(3) {
                    0 => repository.git(&["config", "i18n.logOutputEncoding", name]),
                    1 => repository.git(&["config", "i18n.commitEncoding", name]),
                    _ => {
                        arguments.push(format!("--encoding={name}").into());
                        Vec::new()
                    }
                };
            }
            arguments.extend([id.as_str(), "--", "f"].map(OsString::from));
            let case = format!("commit {id}, seed {round}");
            let output = cases.compare(&repository, &case, &arguments);
            let shown = |stdout: &[u8]| format.is_empty() || contains(stdout, &message);
            converted += usize::from(output.is_some_and(|output| !shown(&output.stdout)));
            if asked.is_some() {
                repository.git_output(&["config", "--remove-section", "i18n"], b"");
            }
        }
    }
    println!("{converted} texts were converted");
    assert!(converted * 7 >= NAMES.len(), "too few texts are converted");
    cases.finish(NAMES.len());
}

#[test]
fn files_of_the_work_tree() {
    let mut cases = Cases::new("encodings of files");
    let mut converted = 0;
    for round in 0..breadth() as u64 {
        let rng = &mut Rng::new(0x3071 + round);
        let repository = TestRepo::new(ObjectFormat::Sha1);
        repository.write(b"f", b"line\n");
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-q", "-m", "a"]);
        for name in NAMES.iter().filter(|name| !name.contains(' ')) {
            let unicode = name
                .get(..3)
                .is_some_and(|utf| utf.eq_ignore_ascii_case("utf"));
            let contents = if unicode || rng.chance(20) {
                wide_text(rng)
            } else {
                [bytes(rng), b"\nline\r\n".to_vec()].concat()
            };
            let others = ["", "", " text", " eol=crlf", " ident", " -text"];
            let attributes = format!("f working-tree-encoding={name}{}\n", rng.pick(&others));
            repository.write(b".gitattributes", attributes.as_bytes());
            repository.write(b"f", &contents);
            let mut arguments: Vec<OsString> = Vec::new();
            arguments.extend(rng.pick(&FORMATS).iter().map(OsString::from));
            arguments.extend(["--", "f"].map(OsString::from));
            let case = format!("{}, seed {round}", attributes.trim_end());
            let output = cases.compare(&repository, &case, &arguments);
            let first = contents.split(|&byte| byte == b'\n').next();
            let shown = |stdout: &[u8]| contains(stdout, first.unwrap_or_default());
            converted += usize::from(
                output.is_some_and(|output| output.stderr.is_empty() && !shown(&output.stdout)),
            );
        }
    }
    println!("{converted} files were converted");
    assert!(converted * 5 >= NAMES.len(), "too few files are converted");
    cases.finish(NAMES.len() - 5);
}

/// A text in UTF-16 or UTF-32, with or without its byte order mark.
fn wide_text(rng: &mut Rng) -> Vec<u8> {
    let mark = if rng.chance(60) { "\u{feff}" } else { "" };
    let text = format!("{mark}{}\r\nline\n", rng.pick(TEXTS));
    let big = rng.chance(50);
    let mut bytes = Vec::new();
    if rng.chance(60) {
        for unit in text.encode_utf16() {
            bytes.extend(if big {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            });
        }
    } else {
        for unit in text.chars().map(u32::from) {
            bytes.extend(if big {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            });
        }
    }
    if rng.chance(10) {
        bytes.pop();
    }
    bytes
}

/// Sets between some of which `iconv` converts without the characters in between.
#[test]
fn chinese_sets_into_each_other() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let mut rng = Rng::new(5);
    let mut import = FastImport::default();
    let mut parents = Vec::new();
    let mut text = String::new();
    for encoding in ["BIG5", "EUC-CN", "GBK"] {
        for lead in 0xa1..=0xf9 {
            for _ in 0..6 {
                text.push_str("line\n");
                let mut commit = commit(&mut rng, Some(encoding));
                commit.author.name = b"A".to_vec();
                commit.message = vec![lead, rng.between(0xa1, 0xfe) as u8];
                commit.message.extend_from_slice(b" a");
                commit.parents = std::mem::take(&mut parents);
                insert_file(&mut commit.tree, b"f", File::text(&text));
                parents.push(import.commit(commit));
            }
        }
    }
    import.write(&repository);
    let mut outputs = std::collections::BTreeSet::new();
    for encoding in ["none", "GBK", "GB18030", "UTF-8"] {
        let option = format!("--encoding={encoding}");
        let output = assert_same(&repository, &["--porcelain", &option, "main", "--", "f"]);
        let summaries = output.stdout.windows(9).filter(|it| it == b"\nsummary ");
        assert_eq!(summaries.count(), 3 * 89 * 6);
        outputs.insert(output.stdout);
    }
    assert_eq!(outputs.len(), 4);
}
