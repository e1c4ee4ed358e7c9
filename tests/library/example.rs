/// A repository with two commits of `src/main.rs`; the first one is tagged `v1.0`.
#[allow(dead_code, reason = "some examples show no repository")]
fn example_repository() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.current_dir(directory.path()).args(arguments);
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Ann Lee");
            command.env(format!("GIT_{role}_EMAIL"), "ann@example.com");
            command.env(format!("GIT_{role}_DATE"), "1600000000 +0100");
        }
        let output = command.output().expect("git runs");
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
    };
    let write = |text: &str| {
        std::fs::write(directory.path().join("src/main.rs"), text).expect("the file is written");
    };
    std::fs::create_dir(directory.path().join("src")).expect("a new directory");
    git(&["init", "-q"]);
    write("fn main() {\n    println!(\"one\");\n}\n");
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "Print one"]);
    git(&["tag", "v1.0"]);
    write("fn main() {\n    println!(\"one\");\n    println!(\"two\");\n}\n");
    git(&["commit", "-q", "-a", "-m", "Print two"]);
    directory
}
