//! The files of packages, which `--generate` prints. A test makes them from the table of options.

/// The file `name`; `None` if it is none of [`GENERATED`](crate::cli::values::GENERATED).
pub(super) fn file(name: &str) -> Option<&'static str> {
    macro_rules! packaged {
        ($file:literal) => {
            Some(include_str!(concat!(
                "../../assets/packaging/generated/",
                $file
            )))
        };
    }
    match name {
        "man" => packaged!("tblame.1"),
        "complete-bash" => packaged!("tblame.bash"),
        "complete-zsh" => packaged!("_tblame"),
        "complete-fish" => packaged!("tblame.fish"),
        "complete-powershell" => packaged!("_tblame.ps1"),
        "complete-elvish" => packaged!("tblame.elv"),
        _ => None,
    }
}
