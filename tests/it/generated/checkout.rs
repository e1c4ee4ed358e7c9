//! Blobs that are checked out for `diff.<driver>.textconv`: `ident`, ends of lines, working-tree encodings
//! and smudge filters, in commands and long-running processes.

use super::{Cases, breadth};
use crate::harness::{
    compare::Run,
    program::{Stderr, write_script},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// Attributes besides `diff=v`.
const ATTRIBUTES: [&[&str]; 6] = [
    &["", "ident", "-ident", "ident=x"],
    &["", "text", "-text", "text=auto", "text=input", "text=other"],
    &["", "", "crlf", "-crlf", "crlf=auto", "crlf=input"],
    &["", "eol=lf", "eol=crlf", "eol=other", "-eol"],
    &[
        "",
        "",
        "working-tree-encoding=UTF-16",
        "working-tree-encoding=UTF-16LE-BOM",
        "working-tree-encoding=UTF-16BE",
        "working-tree-encoding=latin1",
        "working-tree-encoding=UTF-8",
        "working-tree-encoding=no-such",
        "working-tree-encoding",
    ],
    &["", "", "filter=x", "filter=y", "filter"],
];

const AUTOCRLF: [&str; 4] = [
    "",
    "autocrlf = true",
    "autocrlf = input",
    "autocrlf = false",
];

const EOL: [&str; 5] = ["", "eol = lf", "eol = crlf", "eol = CRLF", "eol = native"];

/// Settings of `filter.x`.
const FILTERS: [&str; 12] = [
    "",
    "smudge = tr a-z A-Z",
    "smudge = sed s/^/%f:/",
    "smudge = false",
    "smudge = cat; exit 3",
    "smudge = no-such-program",
    "smudge = kill -9 $$",
    "smudge =",
    "clean = tr a-z A-Z",
    "smudge = false\n\trequired = true",
    "required = true",
    "smudge = cat\n\trequired = maybe",
];

/// Pieces of contents; what git keeps is the blob as it is.
const PIECES: [&[u8]; 16] = [
    b"a\n",
    b"b c\n",
    b"a\r\n",
    b"\r",
    b"$Id$\n",
    b"$Id: x$",
    b"$Id: two words $\n",
    b"$Id:$\r\n",
    b"$$Id$",
    b"$Id: no end\n",
    b"\0",
    b"\xc3\xa4\n",
    b"\xe2\x82\xac\n",
    b"\xff\n",
    b"\x1a",
    b"no end",
];

/// The number of files.
const FILES: usize = 6;

/// A repository with files of two versions each, stored as they are.
fn repository(rng: &mut Rng) -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.write(b".git/info/attributes", b"* -text\n");
    let mut contents = vec![Vec::new(); FILES];
    for version in 0..2 {
        for (index, contents) in contents.iter_mut().enumerate() {
            for _ in 0..=rng.below(3 + index) {
                contents.extend_from_slice(PIECES[rng.below(PIECES.len())]);
            }
            repository.write(format!("f{index}").as_bytes(), contents);
        }
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", &format!("version {version}")]);
    }
    repository
}

fn one<'a>(rng: &mut Rng, choices: &[&'a str]) -> &'a str {
    choices[rng.below(choices.len())]
}

/// Compares the blames of a file whose text conversion shows every byte.
fn compare(cases: &mut Cases, repository: &TestRepo, case: &str, rng: &mut Rng) {
    let file = format!("f{}", rng.below(FILES));
    for arguments in [
        &["-s", "HEAD", "--", &file][..],
        &["-p", "HEAD~1", "--", &file],
    ] {
        cases.run(
            case,
            &Run {
                repository,
                directory: repository.root(),
                environment: &[],
                arguments,
                stderr: Stderr::DistinctLines,
            },
        );
    }
}

#[test]
fn attributes_and_configuration() {
    let mut rng = Rng::new(91);
    let mut cases = Cases::new("checkout: attributes");
    let mut repositories = Vec::new();
    for _ in 0..4 {
        let repository = repository(&mut rng);
        let configuration = std::fs::read_to_string(repository.root().join(".git/config"));
        repositories.push((repository, configuration.expect("it was just made")));
    }
    for _ in 0..150 * breadth() {
        let (repository, configuration) = &repositories[rng.below(repositories.len())];
        let attributes = ATTRIBUTES.map(|choices| one(&mut rng, choices)).join(" ");
        repository.write(
            b".git/info/attributes",
            format!("* diff=v {attributes}\n").as_bytes(),
        );
        let (autocrlf, eol) = (one(&mut rng, &AUTOCRLF), one(&mut rng, &EOL));
        let filter = one(&mut rng, &FILTERS);
        let settings = format!("[core]\n\t{autocrlf}\n\t{eol}\n[filter \"x\"]\n\t{filter}\n");
        let text = format!("{configuration}[diff \"v\"]\n\ttextconv = sed -n l\n{settings}");
        repository.write(b".git/config", text.as_bytes());
        compare(
            &mut cases,
            repository,
            &format!("{attributes}; {settings}"),
            &mut rng,
        );
    }
    cases.finish(300);
}

#[test]
fn long_running_processes() {
    let mut rng = Rng::new(92);
    let mut cases = Cases::new("checkout: processes");
    let repository = repository(&mut rng);
    repository.write(b".git/info/attributes", b"* diff=v filter=x\n");
    let configuration = std::fs::read_to_string(repository.root().join(".git/config"));
    let configuration = configuration.expect("it was just made");
    let program = repository.root().with_file_name("process");
    for capabilities in ["clean smudge", "smudge", "clean", "smudge delay"] {
        for status in ["success", "error", "abort", "other", "success-then-error"] {
            for required in ["false", "true"] {
                write_script(&program, process(capabilities, status).as_bytes());
                let text = format!(
                    "{configuration}[diff \"v\"]\n\ttextconv = sed -n l\n\
                     [filter \"x\"]\n\tprocess = {}\n\trequired = {required}\n",
                    program.display()
                );
                repository.write(b".git/config", text.as_bytes());
                let case = format!("{capabilities}; {status}; {required}");
                compare(&mut cases, &repository, &case, &mut rng);
            }
        }
    }
    cases.finish(80);
}

/// A filter process in Perl, which git itself needs: it puts the request's lines before the contents.
fn process(capabilities: &str, status: &str) -> String {
    let capabilities: String = capabilities
        .split(' ')
        .map(|name| format!("put(\"capability={name}\\n\");"))
        .collect();
    let answer = match status {
        "success" => {
            "put(\"status=success\\n\"); end_of_list(); put($head . $contents); end_of_list(); end_of_list();"
        }
        "success-then-error" => {
            "put(\"status=success\\n\"); end_of_list(); put(\"x\"); end_of_list(); \
             put(\"status=error\\n\"); end_of_list();"
        }
        status => &format!("put(\"status={status}\\n\"); end_of_list();"),
    };
    format!(
        r#"#!/usr/bin/perl
use strict; use warnings; $| = 1; binmode STDIN; binmode STDOUT;
sub get {{ read(STDIN, my $length, 4) or exit 0; $length = hex $length; return undef if $length == 0;
  read(STDIN, my $text, $length - 4); return $text; }}
sub put {{ printf "%04x%s", length($_[0]) + 4, $_[0]; }}
sub end_of_list {{ print "0000"; }}
sub list {{ my $all = ""; while (defined(my $line = get())) {{ $all .= $line; }} return $all; }}
list(); put("git-filter-server\n"); put("version=2\n"); end_of_list();
list(); {capabilities} end_of_list();
while (1) {{ my $head = list(); my $contents = list(); {answer} }}
"#
    )
}
