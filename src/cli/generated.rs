//! What `--generate` prints: files of packages, which a test makes from the table of options, and the
//! documents, for users whose package has none.

macro_rules! packaged {
    ($name:literal, $file:literal) => {
        (
            $name,
            $file,
            include_str!(concat!("../../assets/packaging/generated/", $file)),
        )
    };
}

/// The value of `--generate` for each file, the file's name in packages, and its text.
pub(super) const FILES: [(&str, &str, &str); 6] = [
    packaged!("man", "tblame.1"),
    packaged!("complete-bash", "tblame.bash"),
    packaged!("complete-zsh", "_tblame"),
    packaged!("complete-fish", "tblame.fish"),
    packaged!("complete-powershell", "_tblame.ps1"),
    packaged!("complete-elvish", "tblame.elv"),
];

macro_rules! documents {
    ($($name:literal)+) => {
        [$(($name, include_str!(concat!("../../docs/", $name, ".md")))),+]
    };
}

/// The value of `--generate` for each document, and its text.
pub(super) const DOCUMENTS: [(&str, &str); 14] = documents!(
    "usage" "options" "config" "directories" "line-history" "file-history" "deletions" "places"
    "patches" "why" "json" "cache" "security" "integrations"
);

/// The text `name`; `None` if there is none.
pub(super) fn text(name: &str) -> Option<&'static str> {
    let files = FILES.into_iter().map(|(value, _, text)| (value, text));
    let mut texts = files.chain(DOCUMENTS);
    texts.find_map(|(value, text)| (value == name).then_some(text))
}
