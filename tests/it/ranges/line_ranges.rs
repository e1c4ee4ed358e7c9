//! `-L` as the installed git reads it.

use std::ops::Range;

use bstr::{BString, ByteSlice};
use tblame::internals::ranges::{FunctionRule, RangeError, resolve};

use crate::harness::{
    git::git_program,
    program::ProgramOutput,
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

const CODE: &[u8] = b"int main(void)
{
\treturn 0;
}

static x*y+z?
  foo^bar$baz
[x] a-b \\n
_under$
label:
\tint (*one)(two);
$dollar
1digit
\xc3\xa9t\xc3\xa9 caf\xc3\xa9 \xff
void last(int a/b)
{
}

";

const PLACES: [&str; 30] = [
    "1",
    "2",
    "3",
    "7",
    "18",
    "19",
    "99",
    "0",
    "-1",
    "+2",
    " 4",
    "$",
    "x",
    "^",
    "",
    "/int/",
    "/t/",
    "^/int/",
    "/nope/",
    "/[/",
    "//",
    "/^$/",
    "/a\\/b/",
    "/a",
    "/}/",
    "/^[a-z]/",
    "/$/",
    "/\\<one\\>/",
    "/x*y/",
    "9999999999",
];
const ENDS: [&str; 34] = [
    "1",
    "2",
    "5",
    "18",
    "20",
    "0",
    "-2",
    "-1",
    "-0",
    "-99",
    "+0",
    "+1",
    "+2",
    "+99",
    "+",
    "-",
    "+x",
    "+ 2",
    "+-2",
    "--2",
    "",
    " 3",
    "/int/",
    "/}/",
    "/return/",
    "^/int/",
    "/nope/",
    "//",
    "/^$/",
    "/a\\/b/",
    "/unclosed",
    "x",
    "5x",
    "9999999999",
];
const FUNCTIONS: [&str; 24] = [
    ":main",
    "^:main",
    ":int",
    ":nope",
    ":[",
    ":",
    "^:",
    ":a:b",
    ":a\\:b",
    ":return",
    ":x",
    ":last",
    "^:last",
    ":$",
    ":^",
    ":label",
    ":_",
    ":.",
    ":dollar",
    ":1digit",
    ":void",
    ":}",
    ":^$",
    ":return\\|last",
];

const PATTERNS: [&str; 126] = [
    "[",
    "[^",
    "[]",
    "[^]",
    "[]a",
    "[a",
    "[a-",
    "[z-a]",
    "[[:foo:]]",
    "[[:alpha",
    "[[:alpha:",
    "[[:alpha:]",
    "[[.",
    "[[.x.]]",
    "[[.space.]]",
    "[[=a=]]",
    "[a-[:digit:]]",
    "[[:alpha:]-z]",
    "[a-c-e]",
    "[%--]",
    "[--.]",
    "[a-]z",
    "[]]",
    "[^]]",
    "[\\]",
    "[\\n]",
    "[[:upper:]]",
    "[[:digit:][:space:]]",
    "[^[:alnum:][:space:]]",
    "[[:punct:]]",
    "[[:blank:]]",
    "[[:cntrl:]]",
    "[[:xdigit:]]z",
    "\\(",
    "\\)",
    "a\\{",
    "a\\{1",
    "a\\{1,",
    "a\\{2,1\\}",
    "a\\{x\\}",
    "a\\{1x\\}",
    "a\\{,2\\}",
    "a\\{\\}",
    "a\\{,\\}",
    "a\\{99999\\}",
    "a\\{40000\\}",
    "\\{1\\}",
    "^*",
    "^**",
    "*",
    "\\+",
    "\\?x",
    "a\\|*x",
    "\\(*x\\)",
    "\\1",
    "\\(\\)",
    "a\\|",
    "\\|a",
    "x\\*y",
    "\\$",
    "x$b",
    "r$b",
    "o^b",
    "\\(^int\\)",
    "a\\(^b",
    "main\\>",
    "\\<ret",
    "\\`int",
    "\\`\tret",
    "x\\'",
    "\\s\\s",
    "\\W\\W",
    "a**",
    ".*\\{2\\}",
    "\\(a\\|b\\)*",
    "$",
    "^$",
    "^^int",
    "\\b*",
    "\\t",
    "\\.",
    "\\n",
    "in*t\\+",
    "\\Sint",
    "\\B",
    "\\'",
    ")",
    "(",
    "{",
    "}",
    "+",
    "?",
    "|",
    "a{1}",
    "\\}",
    "a\\}",
    "int\\(\\)*",
    "a*\\+",
    "a\\+*",
    "a\\?\\?",
    "a\\{2\\}*",
    "\\(^*a\\)",
    "^\\+",
    "\\(\\+\\)",
    "b\\{1\\}\\+",
    "$$",
    "$*",
    "a$\\|b",
    "\\(a$\\)",
    "\\(a$",
    "\\(\\(",
    "\\(a\\)\\)",
    "\\(a\\|^b\\)",
    "é",
    "caf.$",
    "caf. .$",
    "\\w\\+ \\w",
    "e$",
    "[^a]",
    "n.i",
    "[[:digit:]a-]",
    "a\\{,x",
    "a\\{x\\\\}",
    "a\\{x,",
    "a\\{1,2,",
    "^*a",
];

/// A file whose ranges are compared.
struct RangeComparison {
    repository: TestRepo,
    contents: Vec<u8>,
    wrong: Vec<String>,
    runs: usize,
}

impl RangeComparison {
    fn new(contents: &[u8]) -> RangeComparison {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        repository.write(b"f", contents);
        repository.git(&["add", "f"]);
        repository.git(&["commit", "-q", "-m", "x"]);
        RangeComparison {
            repository,
            contents: contents.to_vec(),
            wrong: Vec::new(),
            runs: 0,
        }
    }

    fn compare(&mut self, specs: &[&str], rule: &FunctionRule, utf8: bool, config: &[&str]) {
        // git reads beyond the end of the file there, and may crash.
        if specs.iter().any(|spec| self.searches_beyond_end(spec)) {
            return;
        }
        let mut command = self.repository.command(git_program());
        for setting in config {
            command.args(["-c", setting]);
        }
        command.args(["blame", "-s"]);
        command
            .args(specs.iter().flat_map(|spec| ["-L", *spec]))
            .args(["--", "f"]);
        if utf8 {
            command.env("LC_ALL", "C.UTF-8");
        }
        let git = ProgramOutput::of(&mut command);
        assert_eq!(git.signal, None, "git was killed by a signal: {specs:?}");
        let owned: Vec<BString> = specs.iter().map(|spec| BString::from(*spec)).collect();
        let ours = resolve(&self.contents, &owned, "f".into(), rule, utf8);
        let (error, status, lines) = match &ours {
            Ok(ranges) => (String::new(), 0, numbers(ranges)),
            Err(RangeError::Usage) => (
                "usage: git blame [<options>] [<rev-opts>] [<rev>] [--] <file>".to_owned(),
                129,
                Vec::new(),
            ),
            Err(RangeError::Fatal(message)) => (format!("fatal: {message}"), 128, Vec::new()),
        };
        self.runs += 1;
        let theirs = (
            git.first_error_line().to_str_lossy().into_owned(),
            git.status,
            lines_of(&git.stdout),
        );
        if theirs != (error, Some(status), lines) {
            self.wrong.push(format!(
                "{specs:?} {rule:?}\n    git {theirs:?}\n    tblame {ours:?}"
            ));
        }
    }

    /// Whether a pattern is searched for from a line after the last one.
    fn searches_beyond_end(&self, spec: &str) -> bool {
        let Some((start, end)) = spec.split_once(',') else {
            return false;
        };
        let start = start.trim().parse::<usize>();
        end.starts_with('/') && start.is_ok_and(|start| start > self.contents.lines().count())
    }

    fn finish(self, at_least: usize) {
        let RangeComparison { wrong, runs, .. } = self;
        assert!(runs >= at_least, "{runs} compared");
        assert!(
            wrong.is_empty(),
            "{} of {runs} wrong:\n{}",
            wrong.len(),
            wrong.join("\n")
        );
    }
}

fn numbers(ranges: &[Range<u32>]) -> Vec<u32> {
    ranges
        .iter()
        .flat_map(|range| range.start + 1..=range.end)
        .collect()
}

/// The line numbers of `git blame -s`.
fn lines_of(output: &[u8]) -> Vec<u32> {
    let number = |line: &[u8]| {
        let (before, _) = line.split_once_str(")")?;
        let digits = before.rsplit_str(" ").next()?;
        digits.to_str().ok()?.parse().ok()
    };
    output
        .lines()
        .map(|line| number(line).expect("a line number"))
        .collect()
}

#[test]
fn arguments() {
    let mut case = RangeComparison::new(CODE);
    let mut rng = Rng::new(3);
    for place in PLACES {
        case.compare(&[place], &FunctionRule::Default, false, &[]);
    }
    for function in FUNCTIONS {
        case.compare(&[function], &FunctionRule::Default, false, &[]);
    }
    for _ in 0..700 {
        let specs: Vec<String> = (0..rng.between(1, 3))
            .map(|_| {
                if rng.chance(20) {
                    (*rng.pick(&FUNCTIONS)).to_owned()
                } else {
                    format!("{},{}", rng.pick(&PLACES), rng.pick(&ENDS))
                }
            })
            .collect();
        let specs: Vec<&str> = specs.iter().map(String::as_str).collect();
        case.compare(&specs, &FunctionRule::Default, false, &[]);
    }
    case.finish(500);
}

#[test]
fn odd_files() {
    for contents in [
        &b""[..],
        b"\n",
        b"one",
        b"a\n\nb\r\nc",
        b"ab\0c\nint d\nab\n",
        b"a\n\n\n",
    ] {
        let mut case = RangeComparison::new(contents);
        for spec in [
            "1",
            "2",
            ",",
            ",+1",
            "1,+1",
            "/a/",
            "/^$/",
            "/d/",
            "/$/",
            "^/ab/,/ab/",
            ":a",
            ":d",
            ":$",
            ":^",
            "/c$/",
            "3,/x*/",
            "^",
        ] {
            case.compare(&[spec], &FunctionRule::Default, false, &[]);
            case.compare(&["2", spec], &FunctionRule::Default, false, &[]);
        }
        case.finish(30);
    }
}

#[test]
fn patterns() {
    let mut case = RangeComparison::new(CODE);
    for pattern in PATTERNS {
        for utf8 in [false, true] {
            case.compare(
                &[&format!("/{pattern}/,+1")],
                &FunctionRule::Default,
                utf8,
                &[],
            );
            case.compare(&[&format!(":{pattern}")], &FunctionRule::Default, utf8, &[]);
        }
    }
    case.finish(490);
}

#[test]
fn custom_functions() {
    const RULES: [&str; 32] = [
        "^[a-z]",
        "!^int\n^[a-z].*\\(",
        "!^int",
        "[",
        "^(int|void) ",
        "^\t",
        "main",
        "(a",
        "a{",
        "a{2}",
        "x+",
        "^$",
        ".*",
        "\\(",
        "INT",
        "^static|^void",
        "(",
        ")",
        "*",
        "a|*b",
        "()",
        "^^int",
        "$",
        "\\$$",
        "[[:alpha:]]+:$",
        "^.?t",
        "a)",
        "t+?u",
        "a^b",
        "(+)",
        "^*",
        "{1}",
    ];
    let mut case = RangeComparison::new(CODE);
    case.repository.write(b".gitattributes", b"f diff=mine\n");
    for rule in RULES {
        for (key, extended) in [("xfuncname", true), ("funcname", false)] {
            let rule_of = FunctionRule::Patterns {
                patterns: rule.into(),
                extended,
                ignore_case: false,
            };
            let setting = format!("diff.mine.{key}={rule}");
            for spec in [":.", ":int", "^:t", ":last", "2,3"] {
                case.compare(&[spec], &rule_of, false, &[&setting]);
                case.compare(&["3,3", spec], &rule_of, false, &[&setting]);
            }
        }
    }
    case.finish(640);
}
