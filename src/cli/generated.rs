//! The files of packages, which `--generate` prints. A test makes them from the table of options.

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

/// The text of the file `name`; `None` if it is none of
/// [`GENERATED`](crate::cli::values::GENERATED).
pub(super) fn file(name: &str) -> Option<&'static str> {
    let mut files = FILES.into_iter();
    files.find_map(|(value, _, text)| (value == name).then_some(text))
}
