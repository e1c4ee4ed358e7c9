//! Actions, their default key bindings and their help texts.

use std::fmt;

/// A key without its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyCode {
    /// A character, as typed (shift is in the character).
    Char(char),
    /// Return.
    Enter,
    /// Escape.
    Escape,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Tab.
    Tab,
    /// Shift and Tab.
    BackTab,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home.
    Home,
    /// End.
    End,
    /// Insert.
    Insert,
    /// A function key, from 1.
    Function(u8),
}

/// A key press with modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key.
    pub code: KeyCode,
    /// Control was held.
    pub ctrl: bool,
    /// Alt was held.
    pub alt: bool,
}

impl Key {
    /// A key without modifiers.
    pub fn plain(code: KeyCode) -> Self {
        Key {
            code,
            ctrl: false,
            alt: false,
        }
    }

    /// Parses the name of a key: `g`, `Space`, `^D`, `PgDn`, `F5`, `Alt-x`.
    pub fn named(name: &str) -> Option<Key> {
        let (alt, rest) = match name.strip_prefix("Alt-") {
            Some(rest) => (true, rest),
            None => (false, name),
        };
        let (ctrl, rest) = match rest.strip_prefix('^') {
            Some(rest) if !rest.is_empty() => (true, rest),
            _ => (false, rest),
        };
        let mut chars = rest.chars();
        let code = match (chars.next(), chars.next()) {
            (Some(c), None) if c.is_control() => return None,
            (Some(c), None) if ctrl => KeyCode::Char(c.to_ascii_lowercase()),
            (Some(c), None) => KeyCode::Char(c),
            _ => NAMES
                .iter()
                .find(|(known, _)| *known == rest)
                .map(|&(_, code)| code)
                .or_else(|| function(rest))?,
        };
        Some(Key { code, ctrl, alt })
    }

    /// The key that terminals report instead of this one, if both have the same byte sequence.
    pub fn sent_as(self) -> Option<Key> {
        let code = match self.code {
            KeyCode::Char('i') => KeyCode::Tab,
            KeyCode::Char('m') => KeyCode::Enter,
            KeyCode::Char('[') => KeyCode::Escape,
            _ => return None,
        };
        let sent = Key { code, ..self };
        self.ctrl.then_some(Key {
            ctrl: false,
            ..sent
        })
    }

    /// Whether the key starts a count.
    pub fn is_digit(self) -> bool {
        matches!(self.code, KeyCode::Char('1'..='9')) && !self.ctrl && !self.alt
    }
}

/// `F1` to `F12`.
fn function(name: &str) -> Option<KeyCode> {
    let number = name.strip_prefix('F')?.parse().ok()?;
    (1..=12)
        .contains(&number)
        .then_some(KeyCode::Function(number))
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.alt {
            f.write_str("Alt-")?;
        }
        if self.ctrl {
            f.write_str("^")?;
        }
        if let Some((name, _)) = NAMES.iter().find(|(_, code)| *code == self.code) {
            return f.write_str(name);
        }
        match self.code {
            KeyCode::Char(c) if self.ctrl => write!(f, "{}", c.to_ascii_uppercase()),
            KeyCode::Char(c) => write!(f, "{c}"),
            KeyCode::Function(number) => write!(f, "F{number}"),
            other => write!(f, "{other:?}"),
        }
    }
}

const NAMES: &[(&str, KeyCode)] = &[
    ("Space", KeyCode::Char(' ')),
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Escape),
    ("Backspace", KeyCode::Backspace),
    ("Del", KeyCode::Delete),
    ("Tab", KeyCode::Tab),
    ("BackTab", KeyCode::BackTab),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("PgUp", KeyCode::PageUp),
    ("PgDn", KeyCode::PageDown),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("Ins", KeyCode::Insert),
];

/// An action that can be bound to keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    Down,
    Up,
    HalfDown,
    HalfUp,
    PageDown,
    PageUp,
    Top,
    Bottom,
    Goto,
    Left,
    Right,
    LineStart,
    LineEnd,
    Wrap,
    Mark,
    ToMark,
    NextGroup,
    PreviousGroup,
    NextSame,
    PreviousSame,
    Search,
    NextMatch,
    PreviousMatch,
    Find,
    Before,
    At,
    Reload,
    Back,
    Forward,
    Whitespace,
    Moves,
    Copies,
    Ignore,
    SaveIgnored,
    IgnoredFile,
    Change,
    CopyLink,
    Browse,
    Edit,
    Run,
    Print,
    Details,
    NextReference,
    ToggleDetails,
    GrowDetails,
    ShrinkDetails,
    Copy,
    Colours,
    Encoding,
    Columns,
    Theme,
    Account,
    Dates,
    Tour,
    EndTour,
    Help,
    Close,
    Redraw,
    Suspend,
    Quit,
}

impl Action {
    /// The name in the configuration: the variant in kebab case.
    pub fn name(self) -> String {
        let mut name = String::new();
        for c in format!("{self:?}").chars() {
            if c.is_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(c.to_ascii_lowercase());
        }
        name
    }
}

/// A section of the help page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Moving in the file.
    Move,
    /// Moving between groups.
    Groups,
    /// Moving in history.
    History,
    /// Blame options.
    Switches,
    /// Searching.
    Find,
    /// The selected commit.
    Commit,
    /// Clipboard and external programs.
    Outside,
    /// The program itself.
    Program,
}

impl Section {
    /// The sections in the order of the help page.
    pub const ALL: [Section; 8] = [
        Section::History,
        Section::Switches,
        Section::Commit,
        Section::Move,
        Section::Groups,
        Section::Find,
        Section::Outside,
        Section::Program,
    ];

    /// The heading, a template for [`Keymap::fill`].
    pub fn title(self) -> &'static str {
        match self {
            Section::Move => "Move",
            Section::Groups => "Groups",
            Section::History => "Back in time",
            Section::Switches => "Blame options ({back} undoes)",
            Section::Find => "Find",
            Section::Commit => "Commit",
            Section::Outside => "External",
            Section::Program => "tblame",
        }
    }
}

/// An action with its default keys and help text.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// The action.
    pub action: Action,
    /// Names of the default keys; the first is the one shown in hints.
    pub keys: &'static [&'static str],
    /// The help text, a template for [`Keymap::fill`].
    pub help: &'static str,
    /// Section of the help page.
    pub section: Section,
}

const fn bind(
    section: Section,
    action: Action,
    keys: &'static [&'static str],
    help: &'static str,
) -> Binding {
    Binding {
        action,
        keys,
        help,
        section,
    }
}

/// The default key bindings.
pub const BINDINGS: &[Binding] = {
    use Action as A;
    use Section as S;
    &[
        bind(
            S::History,
            A::Before,
            &[",", "~", "-"],
            "blame before this line's commit",
        ),
        bind(S::History, A::At, &["b"], "blame at this line's commit"),
        bind(
            S::History,
            A::Back,
            &["<", "Backspace", "^O"],
            "back to where you were",
        ),
        bind(S::History, A::Forward, &[">"], "forward again"),
        bind(
            S::History,
            A::Reload,
            &["^R", "F5"],
            "reload when the file or HEAD has changed",
        ),
        bind(
            S::Switches,
            A::Whitespace,
            &["w"],
            "ignore white space (-w), on or off",
        ),
        bind(
            S::Switches,
            A::Moves,
            &["M"],
            "detect lines moved within the file (-M), on or off",
        ),
        bind(
            S::Switches,
            A::Copies,
            &["C"],
            "detect lines copied from other files (-C, up to 3 times)",
        ),
        bind(S::Switches, A::Ignore, &["i"], "ignore this line's commit"),
        bind(
            S::Switches,
            A::SaveIgnored,
            &["I"],
            "ignore it and add it to the ignore file",
        ),
        bind(
            S::Switches,
            A::IgnoredFile,
            &["R"],
            "use .git-blame-ignore-revs, on or off",
        ),
        bind(
            S::Commit,
            A::Change,
            &["Enter"],
            "its diff at this line; {before} and {at} there blame either side",
        ),
        bind(
            S::Commit,
            A::Details,
            &["Tab"],
            "read the commit's message; again to return",
        ),
        bind(
            S::Commit,
            A::NextReference,
            &["r"],
            "select a reference in its message, for {browse} and {change}",
        ),
        bind(
            S::Commit,
            A::ToggleDetails,
            &["d"],
            "hide or show the commit pane",
        ),
        bind(S::Commit, A::GrowDetails, &["+", "="], "enlarge the pane"),
        bind(S::Commit, A::ShrinkDetails, &["_"], "shrink the pane"),
        bind(S::Outside, A::Copy, &["y"], "copy the commit's id"),
        bind(S::Outside, A::CopyLink, &["Y"], "copy a link to this line"),
        bind(
            S::Outside,
            A::Browse,
            &["o"],
            "open the commit in the browser",
        ),
        bind(S::Outside, A::Edit, &["e"], "edit the file at this line"),
        bind(
            S::Outside,
            A::Run,
            &["!"],
            "run the configured command on this line",
        ),
        bind(
            S::Outside,
            A::Print,
            &["p"],
            "print the visible lines on exit",
        ),
        bind(
            S::Move,
            A::Down,
            &["j", "Down"],
            "down (a count before any key repeats it)",
        ),
        bind(S::Move, A::Up, &["k", "Up"], "up"),
        bind(S::Move, A::HalfDown, &["^D"], "half a page down"),
        bind(S::Move, A::HalfUp, &["^U"], "half a page up"),
        bind(
            S::Move,
            A::PageDown,
            &["Space", "PgDn", "^F"],
            "a page down",
        ),
        bind(S::Move, A::PageUp, &["PgUp", "^B"], "a page up"),
        bind(S::Move, A::Top, &["g", "Home"], "first line"),
        bind(
            S::Move,
            A::Bottom,
            &["G", "End"],
            "last line; with a count, that line",
        ),
        bind(
            S::Move,
            A::Goto,
            &[":"],
            "go to a line by number, or to a percentage: {goto}120  {goto}50%",
        ),
        bind(S::Move, A::Left, &["h", "Left"], "scroll left"),
        bind(S::Move, A::Right, &["l", "Right"], "scroll right"),
        bind(S::Move, A::LineStart, &["0"], "scroll to the lines' start"),
        bind(S::Move, A::LineEnd, &["$"], "scroll to this line's end"),
        bind(S::Move, A::Wrap, &["W"], "wrap long lines, on or off"),
        bind(
            S::Move,
            A::Mark,
            &["m"],
            "mark this line with the letter that follows",
        ),
        bind(
            S::Move,
            A::ToMark,
            &["'"],
            "go to the mark of that letter; '' goes back",
        ),
        bind(S::Groups, A::NextGroup, &["]"], "next group"),
        bind(S::Groups, A::PreviousGroup, &["["], "previous group"),
        bind(
            S::Groups,
            A::NextSame,
            &["}"],
            "next group of the same commit",
        ),
        bind(
            S::Groups,
            A::PreviousSame,
            &["{"],
            "previous group of the same commit",
        ),
        bind(
            S::Find,
            A::Search,
            &["/"],
            "search code, authors, summaries, ids; any case unless it has capitals",
        ),
        bind(S::Find, A::NextMatch, &["n"], "next match"),
        bind(S::Find, A::PreviousMatch, &["N"], "previous match"),
        bind(
            S::Find,
            A::Find,
            &["f"],
            "open another file of this version",
        ),
        bind(
            S::Program,
            A::Colours,
            &["c"],
            "colour lines by group, age, author or commit",
        ),
        bind(
            S::Program,
            A::Columns,
            &["|"],
            "choose columns, their order and widths",
        ),
        bind(
            S::Program,
            A::Theme,
            &["s"],
            "choose a theme, with a preview",
        ),
        bind(S::Program, A::Dates, &["t"], "change the format of dates"),
        bind(S::Program, A::Account, &["S"], "statistics of this blame"),
        bind(
            S::Program,
            A::Encoding,
            &["E"],
            "choose the encoding of files",
        ),
        bind(
            S::Program,
            A::Tour,
            &["T"],
            "a tour of the keys; again: its next step",
        ),
        bind(S::Program, A::EndTour, &["^T"], "end the tour"),
        bind(S::Program, A::Help, &["?"], "list of keys"),
        bind(
            S::Program,
            A::Close,
            &["Esc"],
            "close, cancel, clear the search",
        ),
        bind(S::Program, A::Redraw, &["^L"], "redraw the screen"),
        bind(S::Program, A::Suspend, &["^Z"], "suspend"),
        bind(S::Program, A::Quit, &["q", "^C"], "quit"),
    ]
};

/// The current key bindings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    /// Every action once, with its keys; the main one first.
    bound: Vec<(Action, Vec<Key>)>,
}

impl Default for Keymap {
    fn default() -> Self {
        let pairs = BINDINGS.iter().map(|binding| {
            let keys = binding.keys.iter().filter_map(|name| Key::named(name));
            (binding.action, keys.collect())
        });
        Keymap {
            bound: pairs.collect(),
        }
    }
}

impl Keymap {
    /// The action bound to a key.
    pub fn action(&self, key: Key) -> Option<Action> {
        let found = self.bound.iter().find(|(_, keys)| keys.contains(&key));
        found.map(|&(action, _)| action)
    }

    /// Replaces action names in braces, such as `{back}`, by the main key of the action. An action
    /// without a key keeps its name.
    pub fn fill(&self, template: &str) -> String {
        let mut filled = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else {
                break;
            };
            let found = self.bound.iter().find(|(action, _)| action.name() == name);
            let key = found.and_then(|(_, keys)| keys.first());
            let key = key.map_or_else(|| name.to_owned(), |key| key.to_string());
            filled.extend([before, &key]);
            rest = after;
        }
        filled + rest
    }

    /// Replaces the keys of an action and unbinds them from other actions.
    pub fn bind(&mut self, action: Action, keys: &[Key]) {
        for (bound, current) in &mut self.bound {
            if *bound == action {
                *current = keys.to_vec();
            } else {
                current.retain(|key| !keys.contains(key));
            }
        }
    }

    /// The keys of an action, the main one first.
    pub fn keys(&self, action: Action) -> impl Iterator<Item = Key> {
        let bound = self.bound.iter().filter(move |(bound, _)| *bound == action);
        bound.flat_map(|(_, keys)| keys.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The document with the generated table of keys.
    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/usage.md");

    fn table() -> String {
        let (mut table, keymap) = (String::new(), Keymap::default());
        for section in Section::ALL {
            let title = keymap.fill(section.title());
            table.push_str(&format!("\n| {title} | |\n| --- | --- |\n"));
            for binding in BINDINGS.iter().filter(|binding| binding.section == section) {
                let keys = binding.keys.iter().map(|key| format!("`{key}`"));
                let keys: Vec<String> = keys.collect();
                let help = keymap.fill(binding.help);
                table.push_str(&format!("| {} | {help} |\n", keys.join(" ")));
            }
        }
        table
    }

    #[test]
    fn the_documented_key_table_is_current() {
        let (start, end) = ("<!-- keys -->\n", "\n<!-- end -->");
        let page = std::fs::read_to_string(PAGE).unwrap();
        let (before, rest) = page.split_once(start).unwrap();
        let (_, after) = rest.split_once(end).unwrap();
        let renewed = format!("{before}{start}{}{end}{after}", table());
        if std::env::var_os("TBLAME_WRITE_DOCS").is_some() {
            std::fs::write(PAGE, &renewed).unwrap();
            return;
        }
        assert!(
            page == renewed,
            "docs/usage.md is out of date: run this test with TBLAME_WRITE_DOCS=1"
        );
    }

    #[test]
    fn templates_are_filled_with_current_keys() {
        let mut keymap = Keymap::default();
        keymap.bind(Action::Back, &[Key::plain(KeyCode::Function(2))]);
        keymap.bind(Action::Forward, &[]);
        let template = "{back} takes it back, {forward} does not; {x}, {";
        let filled = "F2 takes it back, forward does not; x, {";
        assert_eq!(keymap.fill(template), filled);
        // Every placeholder names an action.
        for binding in BINDINGS {
            let mut names = binding.help.split('{').skip(1);
            let known = |name: &str| BINDINGS.iter().any(|other| other.action.name() == name);
            assert!(names.all(|rest| rest.split_once('}').is_some_and(|(name, _)| known(name))));
        }
    }

    #[test]
    fn every_default_key_parses_and_is_bound_once() {
        let mut seen = Vec::new();
        for binding in BINDINGS {
            for name in binding.keys {
                let key = Key::named(name).unwrap_or_else(|| panic!("no key is called {name}"));
                assert_eq!(&key.to_string(), name);
                assert!(!seen.contains(&key), "{name} is bound twice");
                seen.push(key);
                assert_eq!(Keymap::default().action(key), Some(binding.action));
            }
        }
    }
}
