//! Key presets: bindings for people who are used to the keys of another program.

use crate::viewer::model::keys::{bindings::Action, key_sequence::KeySequence, keymap::Keymap};

/// The program whose keys are bound where they differ from the defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyPreset {
    /// The default bindings.
    #[default]
    Default,
    /// tig, a viewer for git in the terminal.
    Tig,
    /// less, a pager.
    Less,
    /// vim, an editor.
    Vim,
}

/// Actions with their keys.
type Bindings = &'static [(Action, &'static [&'static str])];

/// The keys of tig. Deleted lines move from `D` to `U`.
const TIG: Bindings = &[
    (Action::PageUp, &["PgUp", "^B", "-"]),
    (Action::SearchBackward, &["?"]),
    (Action::Help, &["h", "F1"]),
    (Action::Reload, &["R", "^R", "F5"]),
    (Action::Stop, &["z"]),
    (Action::Dates, &["D"]),
    (Action::Deletions, &["U"]),
    (Action::Quit, &["q", "Q", "ZZ", "ZQ"]),
];

/// The keys of less. The actions that lose their keys get `B`, `O` and `V`; the origins of lines go
/// from `O` to `;`, the choice of dates from `H` to `@`.
const LESS: Bindings = &[
    (Action::Up, &["k", "Up", "^P", "^K"]),
    (Action::HalfDown, &["d", "^D"]),
    (Action::HalfUp, &["u", "^U"]),
    (Action::PageDown, &["Space", "f", "^F", "^V", "PgDn"]),
    (Action::PageUp, &["b", "^B", "PgUp"]),
    (Action::GoToPercent, &["%", "p"]),
    (Action::SearchBackward, &["?"]),
    (Action::Help, &["h", "H", "F1"]),
    (Action::Edit, &["v", "e"]),
    (Action::SelectLines, &["V"]),
    (Action::Reload, &["R", "^R", "F5"]),
    (Action::Origins, &[";"]),
    (Action::ChooseDates, &["@"]),
    (Action::BlameCommit, &["B"]),
    (Action::BlameParent, &[",", "~"]),
    (Action::OpenFile, &["O"]),
    (Action::Quit, &["q", "Q", "ZZ", "ZQ"]),
];

/// The keys of vim. Detecting moves goes from `M` to `gm`, the history of lines from `L` to `gl`,
/// the choice of dates from `H` to `gh`.
const VIM: Bindings = &[
    (Action::Top, &["gg", "Home"]),
    (Action::ScreenTop, &["H"]),
    (Action::ScreenMiddle, &["M"]),
    (Action::ScreenBottom, &["L"]),
    (Action::DetectMoves, &["gm"]),
    (Action::LineHistory, &["gl"]),
    (Action::ChooseDates, &["gh"]),
    (Action::SearchBackward, &["?"]),
    (Action::Help, &["g?", "F1"]),
    (Action::OpenFile, &["f", "gf"]),
    (Action::Browse, &["o", "gx"]),
    (Action::Back, &["<", "Backspace", "^O", "u"]),
    (Action::LineStart, &["0", "^"]),
];

impl KeyPreset {
    /// All presets with their names in the configuration.
    pub const ALL: [(&'static str, KeyPreset); 4] = [
        ("default", KeyPreset::Default),
        ("tig", KeyPreset::Tig),
        ("less", KeyPreset::Less),
        ("vim", KeyPreset::Vim),
    ];

    fn bindings(self) -> Bindings {
        match self {
            KeyPreset::Default => &[],
            KeyPreset::Tig => TIG,
            KeyPreset::Less => LESS,
            KeyPreset::Vim => VIM,
        }
    }

    /// The key bindings of the preset.
    pub fn keymap(self) -> Keymap {
        let mut keymap = Keymap::default();
        for (action, names) in self.bindings() {
            let keys = names.iter().filter_map(|name| KeySequence::named(name));
            keymap.bind(*action, &keys.collect::<Vec<_>>());
        }
        keymap
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::model::keys::{bindings::BINDINGS, keymap::KeyLookup};
    use Action as A;

    /// Checks that keys, separated by blanks, perform the actions.
    fn check(preset: KeyPreset, expected: &[(Action, &str)]) {
        let keymap = preset.keymap();
        for (action, names) in expected {
            for name in names.split(' ') {
                let keys = KeySequence::named(name).unwrap();
                let found = keymap.lookup(keys.keys());
                assert_eq!(found, KeyLookup::Action(*action), "{preset:?}: {name}");
            }
        }
    }

    /// The keys that all of these programs share.
    const COMMON: &[(Action, &str)] = &[
        (A::Down, "j Down ^N"),
        (A::Up, "k Up ^P"),
        (A::PageDown, "Space PgDn ^F"),
        (A::PageUp, "PgUp ^B"),
        (A::HalfDown, "^D"),
        (A::HalfUp, "^U"),
        (A::ScrollDown, "^E"),
        (A::ScrollUp, "^Y"),
        (A::Top, "Home"),
        (A::Bottom, "G End"),
        (A::Goto, ":"),
        (A::Search, "/"),
        (A::SearchBackward, "?"),
        (A::NextMatch, "n"),
        (A::PreviousMatch, "N"),
        (A::Help, "F1"),
        (A::Quit, "q ZZ"),
    ];

    #[test]
    fn tigs_keys_are_bound() {
        check(KeyPreset::Tig, COMMON);
        check(
            KeyPreset::Tig,
            &[
                (A::PageUp, "-"),
                (A::Diff, "Enter"),
                (A::BlameCommit, "b"),
                (A::BlameParent, ","),
                (A::Back, "<"),
                (A::Edit, "e"),
                (A::Reload, "R"),
                (A::Stop, "z"),
                (A::Help, "h"),
                (A::Quit, "Q"),
            ],
        );
    }

    #[test]
    fn lesss_keys_are_bound() {
        check(KeyPreset::Less, COMMON);
        check(
            KeyPreset::Less,
            &[
                (A::HalfDown, "d"),
                (A::HalfUp, "u"),
                (A::PageDown, "f ^V"),
                (A::PageUp, "b"),
                (A::Top, "g"),
                (A::GoToPercent, "p %"),
                (A::Help, "h H"),
                (A::Edit, "v"),
                (A::Reload, "R"),
                (A::Mark, "m"),
                (A::GoToMark, "'"),
                (A::RunCommand, "!"),
                (A::Quit, "Q"),
            ],
        );
        // less's `-` changes its options: it must not leave the version.
        let minus = KeySequence::named("-").unwrap();
        let keymap = KeyPreset::Less.keymap();
        assert_eq!(keymap.lookup(minus.keys()), KeyLookup::Unbound);
    }

    /// Before a merge and in its diff, `P` does what the status line says.
    #[test]
    fn the_next_parent_has_one_key_in_all_presets() {
        for (_, preset) in KeyPreset::ALL {
            check(preset, &[(A::NextParent, "P")]);
        }
    }

    #[test]
    fn vims_keys_are_bound() {
        check(KeyPreset::Vim, COMMON);
        check(
            KeyPreset::Vim,
            &[
                (A::Top, "gg"),
                (A::ScreenTop, "H"),
                (A::ScreenMiddle, "M"),
                (A::ScreenBottom, "L"),
                (A::LineToTop, "zt"),
                (A::LineToMiddle, "zz"),
                (A::LineToBottom, "zb"),
                (A::SearchWord, "*"),
                (A::SearchWordBackward, "#"),
                (A::Left, "h"),
                (A::Right, "l"),
                (A::LineStart, "0 ^"),
                (A::LineEnd, "$"),
                (A::Mark, "m"),
                (A::GoToMark, "'"),
                (A::Back, "^O u"),
                (A::BlameParent, "- ~"),
                (A::Diff, "Enter"),
                (A::Quit, "ZQ"),
            ],
        );
    }

    #[test]
    fn no_preset_takes_all_keys_of_an_action() {
        for (name, preset) in KeyPreset::ALL {
            let keymap = preset.keymap();
            for (action, keys) in preset.bindings() {
                let bound: Vec<String> = keymap.keys(*action).map(ToString::to_string).collect();
                assert_eq!(bound, *keys, "{name}");
            }
            for binding in BINDINGS.iter().filter(|binding| !binding.keys.is_empty()) {
                // tig's `z` stops, so that no sequence begins with it.
                let lost = preset == KeyPreset::Tig && binding.keys[0].starts_with('z');
                let bound = keymap.keys(binding.action).next().is_some();
                assert_eq!(bound, !lost, "{name}: {}", binding.action.name());
            }
        }
    }
}
