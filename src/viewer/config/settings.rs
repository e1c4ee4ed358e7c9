//! The viewer's settings and the configuration file.
//!
//! To add a setting: a field with its default in [`Config`], a line in [`Config::parse`] and a
//! paragraph in `assets/config.toml`. Tests compare the three.

use std::{ffi::OsString, path::Path};

use crate::{
    cache::CacheSettings,
    viewer::{
        config::{
            cache, columns,
            config_file::{file, is_missing, read, unreadable},
            keys,
            table_reader::{ConfigError, Setting, TomlFile},
        },
        model::{
            color_mode::ColorMode,
            columns::Columns,
            keys::{key_presets::KeyPreset, keymap::Keymap},
            texts::encodings::Encoding,
            web_links::UrlTemplates,
        },
    },
};

/// The widest tabs, in columns.
pub(crate) const MAX_TAB_WIDTH: u8 = 32;

/// The commented default configuration that `--print-config` writes.
pub const DEFAULT: &str = include_str!("../../../assets/config.toml");

/// All settings, after defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Name of the theme; `None` is `auto`.
    pub theme: Option<String>,
    /// The meaning of line backgrounds at the start.
    pub color: ColorMode,
    /// The columns of the gutter.
    pub columns: Columns,
    /// URL templates of web pages.
    pub web: UrlTemplates,
    /// Browser command; detected if empty.
    pub browser: Vec<String>,
    /// Command that `!` runs, with `{field}` placeholders.
    pub command: Vec<String>,
    /// Encoding of file contents; `None` detects it for each file.
    pub encoding: Option<Encoding>,
    /// Wrap long lines at the start.
    pub wrap: bool,
    /// The width of tabs; `None` is each file's own.
    pub tab_width: Option<u8>,
    /// Show the details pane at the start.
    pub details: bool,
    /// Capture the mouse; if not, the terminal keeps it for selecting text.
    pub mouse: bool,
    /// Show marks and lines in ASCII; `None` decides by locale and terminal.
    pub ascii: Option<bool>,
    /// Ignore the commits in `.git-blame-ignore-revs` at the start.
    pub ignore_revs: bool,
    /// Suggest one unused key at a time in the status line.
    pub teach: bool,
    /// The program whose keys are bound.
    pub preset: KeyPreset,
    /// Key bindings.
    pub keys: Keymap,
    /// Blames kept between runs.
    pub cache: CacheSettings,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            encoding: None,
            theme: None,
            color: ColorMode::default(),
            columns: Columns::default(),
            web: UrlTemplates::default(),
            browser: Vec::new(),
            command: Vec::new(),
            wrap: false,
            tab_width: None,
            details: true,
            mouse: true,
            ascii: None,
            ignore_revs: true,
            teach: true,
            preset: KeyPreset::default(),
            keys: Keymap::default(),
            cache: CacheSettings::default(),
        }
    }
}

impl Config {
    /// Parses the contents of a configuration file.
    ///
    /// # Errors
    /// If the contents are not TOML, or have an unknown key or an invalid value.
    pub fn parse(contents: &[u8]) -> Result<Self, ConfigError> {
        Config::parse_over(contents, Columns::default())
    }

    /// As [`parse`](Self::parse), with these columns where the file has none.
    fn parse_over(contents: &[u8], columns: Columns) -> Result<Self, ConfigError> {
        let source = TomlFile::parse(contents)?;
        let mut root = source.root();
        let mut config = Config::default();
        root.set("theme", &mut config.theme, |it| {
            let name = it.text()?;
            Ok((name != "auto").then(|| name.to_owned()))
        })?;
        root.set_either(["color", "colour"], &mut config.color, |it| {
            it.one_of(&ColorMode::ALL)
        })?;
        config.columns = columns::read(root.section("columns")?, columns)?;
        root.set("encoding", &mut config.encoding, encoding)?;
        root.set("ignore-revs", &mut config.ignore_revs, Setting::flag)?;
        let mut viewer = root.section("viewer")?;
        viewer.set("teach", &mut config.teach, |it| it.flag())?;
        viewer.set("wrap", &mut config.wrap, Setting::flag)?;
        viewer.set("tab-width", &mut config.tab_width, |it| match it.text() {
            Ok("auto") => Ok(None),
            _ => it.number(1..=MAX_TAB_WIDTH).map(Some),
        })?;
        viewer.set("details", &mut config.details, Setting::flag)?;
        viewer.set("mouse", &mut config.mouse, Setting::flag)?;
        viewer.set("ascii", &mut config.ascii, |it| match it.text() {
            Ok("auto") => Ok(None),
            _ => it.flag().map(Some),
        })?;
        viewer.finish()?;
        let mut web = root.section("web")?;
        web.set("commit", &mut config.web.commit, template)?;
        web.set("file", &mut config.web.file, template)?;
        web.set("browser", &mut config.browser, command)?;
        web.finish()?;
        let mut run = root.section("run")?;
        run.set("command", &mut config.command, command)?;
        run.finish()?;
        config.cache = cache::read(root.section("cache")?)?;
        root.set("preset", &mut config.preset, |it| {
            it.one_of(&KeyPreset::ALL)
        })?;
        config.keys = keys::read(config.preset, root.section("keys")?)?;
        root.finish()?;
        Ok(config)
    }

    /// Reads the given file, or the user's configuration file if it exists. `columns` are those
    /// where the file has none.
    ///
    /// # Errors
    /// A message with the file's name and the line of the problem.
    pub fn load(
        asked: Option<&Path>,
        var: impl Fn(&str) -> Option<OsString>,
        columns: Columns,
    ) -> Result<Self, String> {
        let without_file = |columns| Config {
            columns,
            ..Config::default()
        };
        let Some(path) = file(asked, var) else {
            return Ok(without_file(columns));
        };
        let name = path.display().to_string();
        match read(&path) {
            Ok(contents) => {
                Config::parse_over(&contents, columns).map_err(|problem| problem.in_file(&name))
            }
            Err(err) if asked.is_none() && is_missing(&err) => Ok(without_file(columns)),
            Err(err) => Err(unreadable(&name, &err)),
        }
    }
}

/// An encoding label; `auto` is `None`.
fn encoding(setting: &Setting<'_>) -> Result<Option<Encoding>, ConfigError> {
    let name = setting.text()?;
    if name == "auto" {
        return Ok(None);
    }
    let encoding = Encoding::named(name);
    let unknown = || setting.wrong(format_args!("unknown encoding `{name}'"));
    encoding.map(Some).ok_or_else(unknown)
}

/// The URL template of a page; `None` if empty.
fn template(setting: &Setting<'_>) -> Result<Option<String>, ConfigError> {
    let text = setting.text()?;
    if text.is_empty() {
        return Ok(None);
    }
    let is_page = ["http://", "https://"]
        .iter()
        .any(|it| text.starts_with(it));
    if !is_page || text.chars().any(char::is_control) {
        return Err(setting.wrong("expected a URL that begins with http:// or https://"));
    }
    Ok(Some(text.to_owned()))
}

/// A command: the program and its arguments.
fn command(setting: &Setting<'_>) -> Result<Vec<String>, ConfigError> {
    let list = setting.list()?.into_iter();
    list.map(|word| word.text().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::config::{config_file::directory, table_reader};
    use crate::viewer::{
        model::keys::{
            bindings::{Action, BINDINGS, HelpSection},
            key::Key,
        },
        theme::{styles::Theme, terminal_colors::ColorDepth},
    };

    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/config.toml");

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(text.as_bytes()).map_err(|problem| problem.in_file("f"))
    }

    #[test]
    fn the_file_has_the_defaults() {
        assert_eq!(parse(DEFAULT), Ok(Config::default()));
    }

    #[test]
    fn the_file_explains_every_setting() {
        table_reader::KNOWN.take();
        assert!(Config::parse(b"").is_ok());
        let known = table_reader::KNOWN.take();
        assert!(known.len() > 20, "{known:?}");
        let document = toml_edit::Document::parse(DEFAULT).unwrap();
        for name in &known {
            let found = name
                .split('.')
                .try_fold(document.as_item(), |item, key| item.get(key));
            let item = found.unwrap_or_else(|| panic!("{name} is not in the file"));
            // A comment precedes each table or setting, or the table it is in.
            let span = match item {
                toml_edit::Item::Table(table) => table.span(),
                item => item.span(),
            };
            let before = &DEFAULT[..span.unwrap().start];
            let (mut lines, mut is_explained) = (before.lines().rev(), false);
            if !before.ends_with('\n') {
                lines.next();
            }
            for line in lines.take_while(|line| !line.is_empty()) {
                is_explained |= line.starts_with('#');
            }
            assert!(is_explained, "{name} is not explained");
        }
    }

    #[test]
    fn the_file_lists_every_key() {
        let (mut table, keymap) = ("[keys]\n".to_owned(), Keymap::default());
        for section in HelpSection::ALL {
            table.push_str(&format!("\n# {}\n", keymap.fill(section.title())));
            for binding in BINDINGS.iter().filter(|binding| binding.section == section) {
                let quote = |key: &&str| {
                    if key.contains(['"', '\\']) {
                        format!("'{key}'")
                    } else {
                        format!("\"{key}\"")
                    }
                };
                let keys = binding.keys.iter().map(quote);
                let keys: Vec<String> = keys.collect();
                let left = format!("{} = [{}]", binding.action.name(), keys.join(", "));
                let help = keymap.fill(binding.help);
                table.push_str(&format!("{left:<40} # {help}\n"));
            }
        }
        let file = std::fs::read_to_string(FILE).unwrap();
        let (before, _) = file.split_once("[keys]\n").unwrap();
        let renewed = format!("{before}{table}");
        if std::env::var_os("TBLAME_WRITE_DOCS").is_some() {
            std::fs::write(FILE, &renewed).unwrap();
            return;
        }
        assert!(
            file == renewed,
            "assets/config.toml is out of date: run this test with TBLAME_WRITE_DOCS=1"
        );
    }

    #[test]
    fn the_pages_examples_are_right() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/config.md");
        let page = std::fs::read_to_string(page).unwrap();
        let blocks = page.split("```toml\n").skip(1);
        let blocks: Vec<&str> = blocks
            .map(|rest| rest.split("```").next().unwrap())
            .collect();
        let [settings, theme] = blocks[..] else {
            panic!("an example of settings, and one of a theme");
        };
        assert!(parse(settings).is_ok());
        for depth in [ColorDepth::Sixteen, ColorDepth::Indexed, ColorDepth::True] {
            let theme = Theme::parse(theme.as_bytes(), depth).unwrap();
            assert_eq!(theme.contrast_warning(), None);
        }
    }

    #[test]
    fn keys_are_rebound() {
        let keys = parse("[keys]\ndown = ['n', '^N', 'Alt-x']\nup = 'k'")
            .unwrap()
            .keys;
        let action = |name: &str| keys.action(Key::named(name).unwrap());
        assert_eq!(action("n"), Some(Action::Down));
        assert_eq!(action("^N"), Some(Action::Down));
        assert_eq!(action("Alt-x"), Some(Action::Down));
        assert_eq!(action("j"), None);
        assert_eq!(action("k"), Some(Action::Up));
        assert_eq!(action("Up"), None);
        // A configured key is taken from the action that has it by default.
        assert_eq!(keys.keys(Action::NextMatch).count(), 0);
        assert_eq!(action("N"), Some(Action::PreviousMatch));
    }

    #[test]
    fn the_table_overrides_the_preset() {
        let keys = parse("preset = 'less'\n[keys]\nhalf-down = '^D'\ndates = 'gd'")
            .unwrap()
            .keys;
        let action = |name: &str| keys.action(Key::named(name).unwrap());
        assert_eq!(action("u"), Some(Action::HalfUp));
        assert_eq!(action("d"), None);
        assert_eq!(action("^D"), Some(Action::HalfDown));
        assert_eq!(keys.keys(Action::Dates).next().unwrap().to_string(), "gd");
        assert_eq!(action("g"), None, "it begins a sequence");
        let expected =
            "f:1: preset: unknown value `vi'; expected one of `default', `tig', `less', `vim'";
        assert_eq!(parse("preset = 'vi'"), Err(expected.to_owned()));
    }

    #[test]
    fn what_cannot_be_bound_is_named() {
        let cases = [
            (
                "[keys]\ndown = 'n'\nup = ['k', 'n']",
                "f:3: keys.up: key `n' is already bound to `down'",
            ),
            (
                "[keys]\ndwn = 'n'",
                "f:2: unknown action `keys.dwn'; did you mean `down'?",
            ),
            (
                "[keys]\ndown = [\n'j',\n'Dwn']",
                "f:4: keys.down: unknown key `Dwn'",
            ),
            (
                "[keys]\ndown = 'g'\nup = 'gk'",
                "f:3: keys.up: `gk' conflicts with `g', the key of `down'",
            ),
            (
                "[keys]\ndown = '3'",
                "f:2: keys.down: digits are reserved for counts",
            ),
            (
                "[keys]\ndown = '^I'",
                "f:2: keys.down: terminals send Tab for `^I'",
            ),
            (
                "[keys]\nquit = []",
                "f:2: keys.quit: at least one key must quit",
            ),
            (
                "[keys]\nup = 'k'\ndown = ['q', '^C', 'ZZ', 'ZQ']",
                "f:3: keys.down: at least one key must quit",
            ),
            ("[keys]\ndown = 3", "f:2: keys.down: expected an array"),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text), Err(expected.to_owned()));
        }
    }

    proptest::proptest! {
        #[test]
        fn any_file_is_understood_or_refused(
            at in 0..DEFAULT.len(),
            taken in 0usize..40,
            put in "[\\[\\]{}=\"'#,.a-z0-9\n^-]{0,8}",
        ) {
            let mut file = DEFAULT.as_bytes().to_vec();
            file.splice(at..(at + taken).min(DEFAULT.len()), put.bytes());
            let read = Config::parse(&file).map_err(|problem| problem.in_file("f"));
            proptest::prop_assert!(read.is_ok() || read.is_err_and(|message| message.starts_with("f:")));
        }
    }

    #[test]
    fn the_file_is_where_it_belongs() {
        let with = |pairs: &'static [(&str, &str)]| {
            directory(move |name| {
                let found = pairs.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| OsString::from(value))
            })
        };
        assert_eq!(
            with(&[("XDG_CONFIG_HOME", "/x"), ("HOME", "/h")]),
            Some("/x/tblame".into())
        );
        assert_eq!(
            with(&[("XDG_CONFIG_HOME", "x"), ("HOME", "/h")]),
            Some("/h/.config/tblame".into())
        );
        assert_eq!(with(&[]), None);
    }

    #[test]
    fn a_missing_file_is_an_error_only_where_it_was_asked_for() {
        let scratch = tempfile::tempdir().unwrap();
        let home = scratch.path().as_os_str().to_owned();
        let var = |name: &str| (name == "HOME").then(|| home.clone());
        assert_eq!(
            Config::load(None, var, Columns::default()),
            Ok(Config::default())
        );
        let missing = scratch.path().join("missing");
        let message = Config::load(Some(&missing), var, Columns::default()).unwrap_err();
        assert!(message.contains("missing': No such file"), "{message}");
        let own = scratch.path().join(".config/tblame");
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(own.join("config.toml"), "colour = 'age'").unwrap();
        let config = Config::load(None, var, Columns::default()).unwrap();
        assert_eq!(config.color, ColorMode::Age);
    }
}
