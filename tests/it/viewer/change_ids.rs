//! The ids of changes, of which commits are versions: jj's and Gerrit's.

use tblame::internals::viewer::config::settings::Config;

use crate::harness::repository::{ObjectFormat, TestRepo};

use super::driver::{Driver, arguments};

const JJ: &str = "kxyzlmnopqrstuvwkxyzlmnopqrstuvw";
const GERRIT: &str = "I0123456789abcdef0123456789abcdef01234567";

/// A repository whose second commit has jj's header, and whose third one Gerrit's trailer.
fn changes() -> TestRepo {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let message = format!("third\n\nChange-Id: {GERRIT}");
    for (text, message) in [
        ("1\n", "first"),
        ("1\n2\n", "second"),
        ("1\n2\n3\n", &message),
    ] {
        repository.write(b"a", text.as_bytes());
        repository.git(&["add", "a"]);
        repository.git(&["commit", "-q", "-m", message]);
        if message == "second" {
            let commit = repository.git_text(&["cat-file", "commit", "HEAD"]) + "\n";
            let header = format!("\nchange-id {JJ}\n\n");
            let with_id = commit.replacen("\n\n", &header, 1);
            let object = ["hash-object", "-t", "commit", "-w", "--stdin"];
            let id = repository.git_with_input(&object, with_id.as_bytes());
            repository.git(&[
                "reset",
                "-q",
                "--hard",
                std::str::from_utf8(&id).expect("an id"),
            ]);
        }
    }
    repository
}

#[test]
fn change_ids_have_a_column_and_a_row_of_the_details() {
    let repository = changes();
    let config = "[columns]\nshow = [\"change\", \"author\", \"line\"]\n";
    let config = Config::parse(config.as_bytes()).unwrap();
    let open = |config| {
        Driver::with_repository(repository.root(), arguments("a".into(), config), (100, 24))
    };
    let mut driver = open(config);
    let rows: Vec<String> = driver
        .screen()
        .lines()
        .skip(1)
        .take(3)
        .map(str::to_owned)
        .collect();
    assert!(rows[0].starts_with("         A U Thor"), "{rows:?}");
    assert!(rows[1].starts_with("kxyzlmno A U Thor"), "{rows:?}");
    assert!(rows[2].starts_with("I0123456 A U Thor"), "{rows:?}");
    for (keys, id) in [("2G", JJ), ("3G", GERRIT)] {
        for page in ["<Tab>", "<CR><Tab>"] {
            driver.keys(keys).keys(page);
            let screen = driver.screen();
            assert!(screen.contains(&format!("change     {id}")), "{screen}");
            driver.keys("q");
        }
    }
    driver.keys("1G<Tab>");
    assert!(!driver.screen().contains("change     "));
    // It is not shown unless it is chosen.
    let mut driver = open(Config::default());
    assert!(!driver.screen().contains("kxyzlmno"));
    driver.keys("|");
    assert!(driver.screen().contains("  change"));
}
