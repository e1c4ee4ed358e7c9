//! Repositories that are opened in unusual ways: by variables of the environment, by settings of their own, and by links. Exit
//! statuses and outputs are compared, messages are not.

use std::fs;

use super::{Cases, breadth};
use crate::harness::{
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// Two commits, with a mailmap and attributes in trees, in the index and outside of both.
fn fixture(format: ObjectFormat) -> TestRepo {
    let repository = TestRepo::new(format);
    repository.git(&["config", "diff.up.textconv", "tr a-z A-Z <"]);
    for (name, text) in [
        ("f", "a\n"),
        ("sub/f", "a\nb\n"),
        ("mm", "Mapped <mapped@example.com> <author@example.com>\n"),
        ("at/.gitattributes", "f diff=up\n"),
        ("other/.gitattributes", "*.x diff\n"),
    ] {
        repository.write(name.as_bytes(), text.as_bytes());
    }
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "one"]);
    repository.write(b"f", b"a\nb\n");
    repository.write(b"sub/.gitattributes", b"f -diff\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "two"]);
    // An index whose attributes are not in the work tree.
    repository.write(b"f", b"a\nb\nc\n");
    repository.write(b".gitattributes", b"f diff=up\n");
    repository.git(&["add", ".gitattributes"]);
    fs::copy(
        repository.root().join(".git/index"),
        repository.root().join("sub/other-index"),
    )
    .expect("there is an index");
    repository.git(&["rm", "-q", "--cached", ".gitattributes"]);
    fs::remove_file(repository.root().join(".gitattributes")).expect("it was written");
    repository
}

/// Variables that change where a repository, or what belongs to it, is found. `ROOT` is the work tree's root.
const VARIABLES: [(&str, &str); 22] = [
    ("GIT_WORK_TREE", "/nonexistent"),
    ("GIT_WORK_TREE", "../nonexistent"),
    ("GIT_WORK_TREE", "sub"),
    ("GIT_WORK_TREE", "ROOT/sub"),
    ("GIT_WORK_TREE", "."),
    ("GIT_WORK_TREE", ""),
    ("GIT_DIR", ".git"),
    ("GIT_DIR", "ROOT/.git"),
    ("GIT_DIR", "../.git"),
    ("GIT_DIR", "nonexistent"),
    ("GIT_OBJECT_DIRECTORY", "ROOT/.git/objects"),
    ("GIT_OBJECT_DIRECTORY", ".git/objects"),
    ("GIT_OBJECT_DIRECTORY", "nonexistent"),
    ("GIT_INDEX_FILE", "other-index"),
    ("GIT_INDEX_FILE", "sub/other-index"),
    ("GIT_INDEX_FILE", "ROOT/nonexistent"),
    ("GIT_CEILING_DIRECTORIES", "ROOT"),
    ("GIT_CEILING_DIRECTORIES", "ROOT/sub"),
    ("GIT_CEILING_DIRECTORIES", "ROOT/.."),
    ("GIT_ATTR_SOURCE", "HEAD:at"),
    ("GIT_IMPLICIT_WORK_TREE", "false"),
    ("TMPDIR", "/nonexistent"),
];

/// What is put into files of a repository; a section or a file that is removed after it.
const CHANGES: [(&str, &str); 22] = [
    ("", ""),
    ("", ""),
    ("config", "[mailmap]\nblob = HEAD:mm\n"),
    ("config", "[mailmap]\nblob = :mm\n"),
    ("config", "[attr]\ntree = HEAD:at\n"),
    ("config", "[attr]\ntree = HEAD:other\n"),
    ("config", "[attr]\ntree = nosuch\n"),
    ("config", "[core]\nbare\n"),
    ("config", "[core]\nbare = no\nworktree = ../sub\n"),
    ("config", "[core]\nworktree = ROOT/sub\n"),
    ("config", "[core]\nworktree = /nonexistent\n"),
    (
        "config",
        "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectFormat = FORMAT\nobjectFormat = FORMAT\n",
    ),
    (
        "config",
        "[core]\nrepositoryformatversion = 1\n[extensions]\nnosuch\n",
    ),
    ("config.worktree", "[core]\nbare\n"),
    ("config.worktree", "[core]\nworktree = ../../sub\n"),
    ("info/attributes", "sub/f diff=up\n"),
    ("info/attributes", "/f diff=up\n"),
    ("commondir", "."),
    ("commondir", ". \n"),
    ("commondir", ".\r\n"),
    ("commondir", "nonexistent\n"),
    (
        "packed-refs",
        "# pack-refs with: peeled fully-peeled sorted \n",
    ),
];

const ARGUMENTS: [&str; 10] = [
    "--porcelain f",
    "--porcelain HEAD -- f",
    "--porcelain HEAD -- sub/f",
    "--porcelain sub/f",
    "-s SHORT -- f",
    "-s HEAD~1...HEAD -- f",
    "-s HEAD -- ROOT/f",
    "-s ROOT/sub/f",
    "-e --ignore-rev SHORT f",
    "-s HEAD -- ../f",
];

#[test]
fn unusual_openings() {
    let mut cases = Cases::new("unusual openings");
    let mut found = 0;
    let mut rng = Rng::new(1);
    for (format, name) in [
        (ObjectFormat::Sha1, "sha1"),
        (ObjectFormat::Sha256, "sha256"),
    ] {
        let repository = fixture(format);
        let root = repository.root().to_str().expect("it is ASCII").to_owned();
        let short = repository.git_text(&["rev-parse", "--short", "HEAD"]);
        let config = fs::read(repository.root().join(".git/config")).expect("it is there");
        for round in 0..220 * breadth() {
            let (file, text) = CHANGES[round % CHANGES.len()];
            let text = text.replace("ROOT", &root).replace("FORMAT", name);
            change(&repository, file, &config, &text);
            let mut environment: Vec<(&str, String)> = Vec::new();
            for _ in 0..*rng.pick(&[0, 1, 1, 1, 2]) {
                let (variable, value) = *rng.pick(&VARIABLES);
                environment.push((variable, value.replace("ROOT", &root)));
            }
            let directory = repository
                .root()
                .join(rng.pick(&["", "", "sub", ".git", ".git/refs"]));
            let arguments = rng.pick::<&str>(&ARGUMENTS);
            let arguments = arguments.replace("ROOT", &root).replace("SHORT", &short);
            let arguments: Vec<&str> = arguments.split(' ').collect();
            let environment: Vec<(&str, &str)> = environment
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            let case = format!("{environment:?}, {file} {text:?}");
            let answers =
                cases.compare_output(&repository, &directory, &environment, &case, &arguments);
            found += usize::from(answers);
            restore(&repository, file, &config);
        }
    }
    assert!(found > 100, "{found} found");
    cases.finish(400);
}

fn change(repository: &TestRepo, file: &str, config: &[u8], text: &str) {
    let path = repository.root().join(".git").join(file);
    match file {
        "" => {}
        "config" => fs::write(path, [config, text.as_bytes()].concat()).expect("it is writable"),
        _ => {
            if file == "config.worktree" {
                let extension =
                    b"[core]\nrepositoryformatversion = 1\n[extensions]\nworktreeConfig\n";
                let own = repository.root().join(".git/config");
                fs::write(own, [config, extension].concat()).expect("it is writable");
            }
            repository.write(format!(".git/{file}").as_bytes(), text.as_bytes());
        }
    }
}

fn restore(repository: &TestRepo, file: &str, config: &[u8]) {
    let git_dir = repository.root().join(".git");
    fs::write(git_dir.join("config"), config).expect("it is writable");
    if !matches!(file, "" | "config") {
        fs::remove_file(git_dir.join(file)).expect("it was written");
    }
}

/// Texts of a file `.git`, in which `X` is the path of the repository.
const LINKS: [&str; 9] = [
    "gitdir: X\n",
    "gitdir: X",
    "gitdir: X\r\n",
    "gitdir:X\n",
    "gitdir: X \n",
    "gitdir: ../repo/.git\n",
    "gitdir: ../nonexistent\n",
    "gitdir: ",
    "X\n",
];

#[test]
fn files_that_lead_to_repositories() {
    let mut cases = Cases::new("files that lead to repositories");
    let repository = fixture(ObjectFormat::Sha1);
    let git_dir = repository.root().join(".git");
    let target = git_dir.to_str().expect("it is ASCII");
    let beside = repository.root().with_file_name("beside");
    fs::create_dir_all(beside.join("sub")).expect("it can be made");
    fs::copy(repository.root().join("f"), beside.join("f")).expect("it can be copied");
    let mut found = 0;
    for text in LINKS {
        fs::write(beside.join(".git"), text.replace('X', target)).expect("it is writable");
        for (directory, arguments) in [
            ("", &["--porcelain", "f"][..]),
            ("", &["--porcelain", "HEAD", "--", "f"]),
            ("sub", &["--porcelain", "../f"]),
        ] {
            let directory = beside.join(directory);
            let answers = cases.compare_output(&repository, &directory, &[], text, arguments);
            found += usize::from(answers);
        }
    }
    assert!(found >= 9, "{found} found");
    cases.finish(27);
}

/// Settings of the directory that work trees share, and of one of them.
#[test]
fn settings_of_linked_work_trees() {
    let repository = fixture(ObjectFormat::Sha1);
    let root = repository.root();
    let linked = root.join("../linked");
    let added = linked.to_str().expect("it is ASCII");
    repository.git(&["worktree", "add", "-q", added]);
    fs::write(linked.join("f"), "changed\n").expect("it is writable");
    let git_dir = root.join(".git");
    let own = git_dir.join("worktrees/linked");
    let other = root.join("sub").display().to_string();
    let config = fs::read_to_string(git_dir.join("config")).expect("it is there");
    let settings = [
        String::new(),
        "[core]\nbare\n".to_owned(),
        "[core]\nbare = no\n".to_owned(),
        format!("[core]\nworktree = {other}\n"),
    ];
    let config = config.replace("bare = false", "");
    let mut cases = Cases::new("settings of linked work trees");
    let mut answered = 0;
    for has_own_file in [false, true] {
        for (shared, of_linked) in settings
            .iter()
            .flat_map(|shared| settings.iter().map(move |own| (shared, own)))
        {
            let extension = format!(
                "[core]\nrepositoryformatversion = 1\n[extensions]\nworktreeConfig = {has_own_file}\n"
            );
            let text = format!("{config}{extension}{shared}");
            fs::write(git_dir.join("config"), text).expect("it is writable");
            fs::write(own.join("config.worktree"), of_linked).expect("it is writable");
            let named = own.to_str().expect("it is ASCII");
            for directory in [&linked, &linked.join("sub"), root] {
                for environment in [&[][..], &[("GIT_DIR", named)]] {
                    for arguments in [&["-s", "f"][..], &["-s", "HEAD", "--", "f"]] {
                        let case = format!(
                            "{has_own_file}, {shared:?}, {of_linked:?}, {}, {environment:?}",
                            directory.display()
                        );
                        let answers = cases.compare_output(
                            &repository,
                            directory,
                            environment,
                            &case,
                            arguments,
                        );
                        answered += usize::from(answers);
                    }
                }
            }
        }
    }
    assert!(answered > 100, "{answered}");
    cases.finish(384);
}

/// `core.bare` in every source, where it decides whether a work tree is needed.
#[test]
fn bare_by_every_source() {
    let repository = fixture(ObjectFormat::Sha1);
    let git_dir = repository.root().join(".git");
    repository.write(
        b".git/.mailmap",
        b"Mapped <mapped@example.com> <author@example.com>\n",
    );
    let config = fs::read_to_string(git_dir.join("config")).expect("it is there");
    let config = config.replace("bare = false", "");
    let home = repository.root().with_file_name(".gitconfig");
    let mut cases = Cases::new("bare by every source");
    let mut answered = 0;
    for own in ["", "[core]\nbare = no\n", "[core]\nbare\n"] {
        for (source, is_bare) in [
            "included",
            "command line",
            "user's file",
            "work tree's file",
        ]
        .iter()
        .flat_map(|source| [(source, "no"), (source, "yes")])
        {
            let text = format!("[core]\nbare = {is_bare}\n");
            let parameter = format!("'core.bare={is_bare}'");
            let (mut of_all, mut environment) = (config.clone() + own, Vec::new());
            fs::write(&home, "").expect("it is writable");
            fs::write(git_dir.join("config.worktree"), &text).expect("it is writable");
            match *source {
                "included" => of_all.push_str("[include]\npath = config.worktree\n"),
                "command line" => environment.push(("GIT_CONFIG_PARAMETERS", parameter.as_str())),
                "user's file" => fs::write(&home, &text).expect("it is writable"),
                _ => of_all.push_str(
                    "[core]\nrepositoryformatversion = 1\n[extensions]\nworktreeConfig\n",
                ),
            }
            fs::write(git_dir.join("config"), of_all).expect("it is writable");
            for directory in ["", "sub", ".git", ".git/refs"] {
                for arguments in [&["f"][..], &["HEAD", "--", "f"]] {
                    let case = format!("{own:?}, {source}, {is_bare}");
                    let directory = repository.root().join(directory);
                    let answers = cases.compare_output(
                        &repository,
                        &directory,
                        &environment,
                        &case,
                        arguments,
                    );
                    answered += usize::from(answers);
                }
            }
        }
    }
    cases.finish(192);
    assert!(answered > 100, "{answered}");
}

/// Links in `GIT_CEILING_DIRECTORIES`, which git resolves until a name is empty.
#[cfg(unix)]
#[test]
fn ceilings_with_links() {
    let repository = fixture(ObjectFormat::Sha1);
    let root = repository.root().display().to_string();
    let links = repository.root().with_file_name("links");
    std::os::unix::fs::symlink(repository.root().join(".."), &links).expect("it can be made");
    let link = links.join("repo").display().to_string();
    let mut cases = Cases::new("ceilings with links");
    let mut answered = 0;
    for ceilings in [
        "X",
        ":X",
        "X:",
        "Y",
        ":Y",
        "Y:",
        "Y::X",
        "X::Y",
        "::Y",
        "relative:Y",
        "relative::Y",
        "Y/",
        ":X/",
        "",
    ] {
        let value = ceilings.replace('X', &root).replace('Y', &link);
        let environment = [("GIT_CEILING_DIRECTORIES", value.as_str())];
        for directory in ["sub", ""] {
            let place = repository.root().join(directory);
            let arguments = ["-s", "HEAD", "--", "f"];
            let answers =
                cases.compare_output(&repository, &place, &environment, ceilings, &arguments);
            answered += usize::from(answers);
        }
    }
    cases.finish(28);
    assert!((15..28).contains(&answered), "{answered}");
}
