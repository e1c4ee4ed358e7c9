//! Clean filters: commands and long-running processes that work, fail in every way, or break the
//! protocol; required or not; for the work tree's file, `--contents` and standard input.

use std::{fs::Permissions, os::unix::fs::PermissionsExt, path::PathBuf};

use super::{Cases, breadth};
use crate::harness::{
    git::git_version,
    program::write_script,
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// Commands of `filter.x.clean`; `$HOME` is the directory with the programs of [`Fixture::new`].
const COMMANDS: [&str; 44] = [
    "",
    "cat",
    "tr A-Z a-z",
    "cat | tr a-z A-Z",
    "cat # comment",
    "true",
    "false",
    "false -x",
    "exit 3",
    "exit 126",
    "exit 127",
    "exit 255",
    "cat; exit 3",
    "no-such-program",
    "no-such-program with words",
    "no-such-program%f",
    "./no-such-program",
    "/",
    "HOME/not-executable",
    "HOME/no-interpreter",
    "HOME/bad-interpreter",
    "HOME/script",
    "HOME/script x",
    "kill -2 $$",
    "kill -3 $$",
    "kill -6 $$",
    "kill -9 $$",
    "kill -13 $$",
    "kill -15 $$",
    "cat; kill -9 $$",
    "%f",
    "echo %f",
    "echo %% %p %",
    "echo $0",
    "echo $@ $#",
    "pwd",
    "echo p=$GIT_PREFIX",
    "echo noise >&2; cat",
    "exec <&-; echo x",
    "exec >&-; cat >/dev/null",
    "cat >/dev/null",
    "head -1",
    "printf no-newline",
    "printf a%%sb%%s",
];

/// Packets: `0000` and what follows `=` as they are, other text with its length and a line feed.
type Packets = &'static [&'static str];

/// What a process answers to a request.
const ANSWERS: [Packets; 42] = [
    &["status=success", "0000", "=0006hi", "0000", "0000"],
    &["status=success", "0000", "0000", "0000"],
    &[
        "status=success",
        "0000",
        "=0006hi",
        "=0007yo\n",
        "=0009lines",
        "0000",
        "0000",
    ],
    &["status=error", "0000"],
    &["status=abort", "0000"],
    &["status=delayed", "0000"],
    &["status=other", "0000"],
    &["status=", "0000"],
    &["statusx=success", "0000"],
    &["STATUS=success", "0000"],
    &["0000"],
    &["success", "0000"],
    &["status=success=x", "0000", "=0006hi", "0000", "0000"],
    &[
        "status=error",
        "status=success",
        "0000",
        "=0006hi",
        "0000",
        "0000",
    ],
    &["status=success", "status=error", "0000"],
    &[
        "a=b",
        "status=success",
        "c=d",
        "0000",
        "=0006hi",
        "0000",
        "e=f",
        "0000",
    ],
    &[
        "status=success",
        "0000",
        "=0006hi",
        "0000",
        "status=success",
        "0000",
    ],
    &[
        "status=success",
        "0000",
        "=0006hi",
        "0000",
        "status=error",
        "0000",
    ],
    &[
        "status=success",
        "0000",
        "=0006hi",
        "0000",
        "status=abort",
        "0000",
    ],
    &[
        "status=success",
        "0000",
        "=0006hi",
        "0000",
        "status=delayed",
        "0000",
    ],
    &["=0012status=success", "0000", "=0006hi", "0000", "0000"],
    &["=0014status=success\r\n", "0000", "=0006hi", "0000", "0000"],
    &["", "status=success", "0000", "=0006hi", "0000", "0000"],
    &["status=success", "0000", "=0006hi", "0000", "", "0000"],
    &["status=success", "0000", "=000Ahello\n", "0000", "0000"],
    &["=zzzz"],
    &["=+001"],
    &["= 012"],
    &["=0001"],
    &["=0002"],
    &["=0003"],
    &["=0004"],
    &["=fff4"],
    &["=ffff"],
    &["=0004", "status=success", "0000", "=0006hi", "0000", "0000"],
    &["status=success", "=0001", "=0006hi", "0000", "0000"],
    &["status=success", "0000", "=0004", "=0006hi", "0000", "0000"],
    &[
        "status=success",
        "0000",
        "=0006hi",
        "=0004",
        "=0006hi",
        "0000",
        "0000",
    ],
    &["status=success", "0000", "=0006hi", "=0001", "0000", "0000"],
    &["status=success", "0000", "=0006hi", "=0002", "0000", "0000"],
    &["status=success", "0000", "=0003"],
    &["status=success", "0000", "=zzzz"],
];

/// Answers after which the process ends at once.
const CUT_ANSWERS: [Packets; 9] = [
    &[],
    &["status=success"],
    &["status=success", "0000"],
    &["status=success", "0000", "=0006hi"],
    &["status=success", "0000", "=0006hi", "0000"],
    &["status=success", "0000", "=0010hi"],
    &["=00"],
    &["=0010abc"],
    &["=fff0"],
];

/// What a process says before the capabilities.
const GREETINGS: [Packets; 20] = [
    &["git-other-server"],
    &["git-filter-client"],
    &["0000"],
    &["=0001"],
    &["=xyzw"],
    &["git-filter-server", "0000"],
    &["<flush packet>", "version=2", "0000"],
    &["git-filter-server", "<flush packet>", "0000"],
    &["git-filter-server", "version=2", "<flush packet>", "0000"],
    &["git-filter-server", "version", "0000"],
    &["git-filter-server", "version=2x", "0000"],
    &["git-filter-server", "version=0", "0000"],
    &["git-filter-server", "version=1", "0000"],
    &["git-filter-server", "version=3", "0000"],
    &["git-filter-server", "version=2", "version=2", "0000"],
    &["git-filter-server", "version=2", "other", "0000"],
    &["git-filter-server", "version=2", "=00zz"],
    &["=0015git-filter-server", "=000eversion=4\n", "0000"],
    &["git-filter-server", "version=3", "other", "0000"],
    &["=0004"],
];

/// Greetings after which the process ends at once.
const CUT_GREETINGS: [Packets; 3] = [
    &[],
    &["git-filter-server"],
    &["git-filter-server", "version=2"],
];

/// The capabilities of processes that get no request.
const NOT_ASKED: [Packets; 7] = [
    &["0000"],
    &["capability=smudge", "0000"],
    &["capability=smudge", "capability=delay", "0000"],
    &["capability=Clean"],
    &["other", "0000"],
    &["capability=clean", "capability=other", "0000"],
    &["=zzzz"],
];

/// The capabilities of processes that get a request.
const ASKED: [Packets; 4] = [
    &["capability=clean", "0000"],
    &[
        "capability=clean",
        "capability=smudge",
        "capability=delay",
        "0000",
    ],
    &["capability=clean", "capability=clean", "0000"],
    &["other", "capability=clean", "0000"],
];

const SERVER: Packets = &["git-filter-server", "version=2", "0000"];

/// Reads the rest of the input, until the pipe is closed.
const DRAIN: &str = "cat >/dev/null";

/// A shell command that writes packets.
fn write(packets: &[&str]) -> String {
    let mut text = String::new();
    for packet in packets {
        match packet.strip_prefix('=') {
            Some(raw) => text.push_str(raw),
            None if *packet == "0000" => text.push_str(packet),
            None => text.push_str(&format!("{:04x}{packet}\n", packet.len() + 5)),
        }
    }
    let text = text.replace('%', "%%").replace('\n', "\\n");
    format!("printf '{}'", text.replace('\r', "\\r"))
}

/// A shell command that reads exactly so many bytes.
fn read(bytes: usize) -> String {
    format!("dd bs=1 count={bytes} of=/dev/null 2>/dev/null")
}

/// The bytes of a request to clean `contents` of `path`.
fn request(path: &str, contents: &str) -> usize {
    let packet = match contents.len() {
        0 => 0,
        length => 4 + length,
    };
    "0012command=clean\n".len() + "0000pathname=\n".len() + path.len() + 4 + packet + 4
}

/// Scripts of processes that get the request to clean `contents` of `path`, and what is special.
fn processes(path: &str, contents: &str) -> Vec<Vec<String>> {
    let hello = read("0016git-filter-client\n000eversion=2\n0000".len());
    let offer = "0015capability=clean\n0016capability=smudge\n0015capability=delay\n0000";
    let offer = read(offer.len());
    let request = request(path, contents);
    let until = |capabilities: Packets| {
        vec![
            hello.clone(),
            write(SERVER),
            offer.clone(),
            write(capabilities),
        ]
    };
    let asked = |capabilities: Packets| [until(capabilities), vec![read(request)]].concat();
    let and = |mut script: Vec<String>, more: &[&str]| {
        script.extend(more.iter().copied().map(String::from));
        script
    };
    let mut scripts = Vec::new();
    for answer in ANSWERS {
        scripts.push(and(asked(ASKED[0]), &[&write(answer), DRAIN]));
    }
    for capabilities in ASKED {
        for answer in [ANSWERS[0], ANSWERS[3], ANSWERS[5]] {
            scripts.push(and(asked(capabilities), &[&write(answer), DRAIN]));
        }
    }
    for answer in CUT_ANSWERS {
        scripts.push(and(asked(ASKED[0]), &[&write(answer)]));
    }
    // Older gits die of handshakes that fail.
    let handshakes = git_version() >= (2, 55);
    for greeting in GREETINGS.into_iter().filter(|_| handshakes) {
        scripts.push(and(vec![hello.clone()], &[&write(greeting), DRAIN]));
    }
    for greeting in CUT_GREETINGS.into_iter().filter(|_| handshakes) {
        scripts.push(and(vec![hello.clone()], &[&write(greeting)]));
    }
    for capabilities in NOT_ASKED {
        scripts.push(and(until(capabilities), &[DRAIN]));
    }
    let cut: [Packets; 2] = [&[], &["capability=clean"]];
    for capabilities in cut.into_iter().filter(|_| handshakes) {
        scripts.push(and(until(capabilities), &[]));
    }
    for end in ["exit 3", "kill -9 $$", "kill -13 $$", "kill -15 $$"] {
        if handshakes {
            scripts.push(and(vec![hello.clone()], &[end]));
        }
        scripts.push(and(asked(ASKED[0]), &[end]));
        scripts.push(and(asked(ASKED[0]), &[&write(ANSWERS[0]), end]));
    }
    scripts.push(and(
        [vec!["echo one >&2".to_owned()], asked(ASKED[0])].concat(),
        &["echo two >&2", &write(ANSWERS[3]), DRAIN],
    ));
    // What was asked, byte by byte.
    let shown = format!("dd bs=1 count={request} 2>/dev/null | od -c >&2");
    scripts.push(and(until(ASKED[0]), &[&shown, &write(ANSWERS[3]), DRAIN]));
    scripts
}

struct Fixture {
    repository: TestRepo,
    configuration: Vec<u8>,
}

impl Fixture {
    fn new() -> Fixture {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        repository.write(b".gitattributes", b"* filter=x\n");
        repository.write(b"f", b"a\nb\n");
        repository.write(b"d/g h", b"x\ny\n");
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "one"]);
        repository.write(b"f", b"a\nB\n");
        repository.write(b"d/g h", b"x\nY\n");
        let configuration = std::fs::read(repository.root().join(".git/config"));
        let fixture = Fixture {
            configuration: configuration.expect("it was just made"),
            repository,
        };
        fixture.program("not-executable", "#!/bin/sh\ncat\n", 0o644);
        fixture.program("no-interpreter", "echo sh; cat\n", 0o755);
        fixture.program("bad-interpreter", "#!/no/such/program\ncat\n", 0o755);
        fixture.program("script", "#!/bin/sh\necho script \"$@\"; cat\n", 0o755);
        fixture
    }

    fn home(&self) -> PathBuf {
        self.repository.root().with_file_name("")
    }

    /// Writes a program beside the repository.
    fn program(&self, name: &str, text: &str, mode: u32) {
        let file = self.home().join(name);
        write_script(&file, text.as_bytes());
        std::fs::set_permissions(&file, Permissions::from_mode(mode)).expect("it was written");
    }

    /// Sets variables of `filter.x`.
    fn configure(&self, variables: &[(&str, Option<&str>)]) {
        let mut text = self.configuration.clone();
        text.extend_from_slice(b"[filter \"x\"]\n");
        let home = self.home();
        let home = home.to_str().expect("it is text").trim_end_matches('/');
        for (name, value) in variables {
            if let Some(value) = value {
                let value = value.replace("HOME", home);
                text.extend_from_slice(format!("\t{name} = \"{value}\"\n").as_bytes());
            }
        }
        self.repository.write(b".git/config", &text);
    }
}

const REQUIRED: [Option<&str>; 3] = [None, Some("true"), Some("false")];

#[test]
fn commands_for_one_file() {
    let fixture = Fixture::new();
    let repository = &fixture.repository;
    let mut cases = Cases::new("filters: commands");
    let mut rng = Rng::new(71);
    let directory = repository.root().join("d");
    for command in COMMANDS {
        for required in REQUIRED {
            fixture.configure(&[("clean", Some(command)), ("required", required)]);
            let case = format!("clean = {command}, required = {required:?}");
            let places: [(&_, &[&str]); 5] = [
                (repository.root(), &["-s", "f"]),
                (&directory, &["-s", "g h"]),
                (repository.root(), &["-p", "--contents", "f", "HEAD", "f"]),
                (repository.root(), &["--contents", "-", "f"]),
                (repository.root(), &["HEAD", "f"]),
            ];
            for (directory, arguments) in places {
                if breadth() > 1 || rng.chance(40) {
                    cases.compare_in(repository, directory, &[], &case, arguments);
                }
            }
        }
    }
    cases.finish(200);
}

#[test]
fn configured_in_other_ways() {
    let fixture = Fixture::new();
    let repository = &fixture.repository;
    let mut cases = Cases::new("filters: configuration");
    let upper = "tr a-z A-Z";
    let settings: [&[(&str, Option<&str>)]; 7] = [
        &[],
        &[("smudge", Some("cat"))],
        &[("clean", Some("")), ("clean", Some(upper))],
        &[("clean", Some(upper)), ("clean", Some(""))],
        &[("process", Some("")), ("clean", Some(upper))],
        &[("process", Some("no-such-program")), ("clean", Some(upper))],
        &[("nonsense", Some("x")), ("Clean", Some(upper))],
    ];
    for required in [None, Some("true"), Some("0"), Some("maybe"), Some("")] {
        for setting in settings {
            let variables = [setting, &[("required", required)]].concat();
            fixture.configure(&variables);
            for arguments in [&["-s", "f"][..], &["HEAD", "f"]] {
                cases.compare(repository, &format!("{variables:?}"), arguments);
            }
        }
    }
    for attributes in [
        "* filter",
        "* -filter",
        "* !filter",
        "* filter=y",
        "* filter=X",
        "",
    ] {
        repository.write(b".gitattributes", attributes.as_bytes());
        for required in REQUIRED {
            fixture.configure(&[("clean", Some(upper)), ("required", required)]);
            cases.compare(repository, attributes, &["-s", "f"]);
        }
    }
    cases.finish(75);
}

#[test]
fn long_running_processes() {
    let fixture = Fixture::new();
    let repository = &fixture.repository;
    let mut cases = Cases::new("filters: processes");
    let mut rng = Rng::new(72);
    let directory = repository.root().join("d");
    let places: [(&_, &str, &str, &[&str]); 3] = [
        (repository.root(), "f", "a\nB\n", &["-s", "f"]),
        (&directory, "d/g h", "x\nY\n", &["-s", "g h"]),
        (repository.root(), "f", "", &["-s", "--contents", "-", "f"]),
    ];
    for (directory, path, contents, arguments) in places {
        for script in processes(path, contents) {
            for required in [None, Some("true")] {
                if breadth() == 1 && !rng.chance(8) {
                    continue;
                }
                let script = script.join("\n");
                fixture.program("process", &format!("#!/bin/sh\n{script}\n"), 0o755);
                fixture.configure(&[
                    ("process", Some("HOME/process")),
                    ("clean", Some("tr a-z A-Z")),
                    ("required", required),
                ]);
                let case = format!("required = {required:?}, process:\n{script}\n");
                cases.compare_in(repository, directory, &[], &case, arguments);
            }
        }
    }
    cases.finish(30);
}

/// A filter that follows the protocol, for contents around the length of a packet.
#[test]
fn contents_of_many_packets() {
    const COPY: &str = r#"
use strict; binmode STDIN; binmode STDOUT; $| = 1;
sub get { read(STDIN, my $n, 4) == 4 or exit; my $l = hex $n; return undef unless $l; my $t = '';
    while (length($t) < $l - 4) { read(STDIN, $t, $l - 4 - length $t, length $t) or exit } return $t }
sub line { my $t = get(); return undef unless defined $t; $t =~ s/\n\z// or die 'no line feed'; return $t }
sub put { printf '%04x%s', length($_[0]) + 4, $_[0] }
line() eq 'git-filter-client' or die; line() eq 'version=2' or die; defined line() and die;
put("git-filter-server\n"); put("version=2\n"); print '0000';
while (defined(my $c = line())) {} put("capability=clean\n"); print '0000';
while (1) { while (defined(my $k = line())) {} my $t = '';
    while (defined(my $c = get())) { $t .= $c }
    put("status=success\n"); print '0000'; $t = uc $t;
    while (length $t) { put(substr $t, 0, 65516, '') } print '0000'; print '0000' }
"#;
    let perl = std::process::Command::new("perl").arg("-v").output();
    if !perl.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no perl");
        return;
    }
    let fixture = Fixture::new();
    let repository = &fixture.repository;
    fixture.program("copy.pl", COPY, 0o644);
    let mut cases = Cases::new("filters: long contents");
    for command in [
        "perl HOME/copy.pl",
        "tr a-z A-Z",
        "true",
        "head -1",
        "false",
    ] {
        for required in [None, Some("true")] {
            let name = if command.starts_with("perl") {
                "process"
            } else {
                "clean"
            };
            fixture.configure(&[(name, Some(command)), ("required", required)]);
            for length in [0, 1, 65_515, 65_516, 65_517, 131_032, 200_000] {
                let mut text = "some line\n".repeat(length / 10 + 1);
                text.truncate(length);
                repository.write(b"f", text.as_bytes());
                let case = format!("{name} = {command}, {length} bytes");
                cases.compare(repository, &case, &["-s", "f"]);
            }
        }
    }
    cases.finish(70);
}
