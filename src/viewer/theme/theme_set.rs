//! Loading themes by name, and the theme in use.

use std::path::{Path, PathBuf};

use crate::{
    sorting,
    viewer::{
        config::config_file,
        theme::{
            styles::Theme,
            terminal_colors::{Background, ColorDepth},
        },
    },
};

/// A loaded theme, or with `auto` the two to choose from when the background is known.
#[derive(Debug, Clone)]
pub struct LoadedThemes {
    dark: LoadedTheme,
    light: Option<LoadedTheme>,
}

/// A theme with a warning about its contrast.
#[derive(Debug, Clone)]
pub struct LoadedTheme {
    /// The theme.
    pub theme: Theme,
    /// The pair of colors with too little contrast, if the theme is the user's.
    pub warning: Option<String>,
}

/// Most files of the theme directory that are listed.
const MAX_THEMES: usize = 1000;

/// The available themes and the current one.
#[derive(Debug, Clone)]
pub struct ThemeSet {
    directory: Option<PathBuf>,
    depth: ColorDepth,
    current: String,
    themes: LoadedThemes,
    background: Background,
}

impl ThemeSet {
    /// Loads the theme `name` for the background that the environment names.
    ///
    /// # Errors
    /// See [`LoadedThemes::load`].
    pub fn new(
        name: &str,
        directory: Option<&Path>,
        depth: ColorDepth,
        background: Background,
    ) -> Result<Self, String> {
        Ok(ThemeSet {
            directory: directory.map(Path::to_owned),
            depth,
            current: name.to_owned(),
            themes: LoadedThemes::load(name, directory, depth)?,
            background,
        })
    }

    /// A set with this theme as the current one, besides the built-in themes.
    pub fn fixed(theme: Theme) -> Self {
        let dark = LoadedTheme {
            theme,
            warning: None,
        };
        ThemeSet {
            directory: None,
            depth: ColorDepth::True,
            current: String::new(),
            themes: LoadedThemes { dark, light: None },
            background: Background::Dark,
        }
    }

    /// The names of all themes, and the index of the current one.
    pub fn names(&self) -> (Vec<String>, usize) {
        let mut names = ["auto", "dark", "light"].map(str::to_owned).to_vec();
        let own = self.directory.as_ref().map(|own| own.join("themes"));
        let own = own.and_then(|own| std::fs::read_dir(own).ok());
        let own = own.into_iter().flatten().take(MAX_THEMES).flatten();
        let mut own: Vec<String> = own
            .filter_map(|file| file.file_name().into_string().ok())
            .filter_map(|file| Some(file.strip_suffix(".toml")?.to_owned()))
            .filter(|name| path(name, Some(Path::new(""))).is_some() && !names.contains(name))
            .collect();
        sorting::sort(&mut own);
        names.extend(own);
        let current = names.iter().position(|name| *name == self.current);
        (names, current.unwrap_or(0))
    }

    /// The name of the current theme.
    pub fn name(&self) -> &str {
        &self.current
    }

    /// Switches to another theme.
    ///
    /// # Errors
    /// See [`LoadedThemes::load`]; the current theme stays.
    pub fn switch_to(&mut self, name: &str) -> Result<(), String> {
        self.themes = LoadedThemes::load(name, self.directory.as_deref(), self.depth)?;
        self.current = name.to_owned();
        Ok(())
    }

    /// Sets the background that the terminal reported.
    pub fn set_background(&mut self, background: Background) {
        self.background = background;
    }

    /// The colors that the terminal has, as far as is known.
    pub fn depth(&self) -> ColorDepth {
        self.depth
    }

    /// The terminal has at least these colors. Returns whether that changes the theme: it does if
    /// the environment said fewer colors, but not if it said none.
    pub fn raise_depth(&mut self, depth: ColorDepth) -> bool {
        if self.depth == ColorDepth::None || self.depth >= depth {
            return false;
        }
        self.depth = depth;
        let current = self.current.clone();
        self.switch_to(&current).is_ok()
    }

    /// True if the theme depends on the terminal's background.
    pub fn depends_on_background(&self) -> bool {
        self.themes.depends_on_background()
    }

    /// The current theme.
    pub fn current(&self) -> &LoadedTheme {
        self.themes.on(self.background)
    }
}

impl LoadedThemes {
    /// Loads `NAME.toml` from the user's theme directory, or else a built-in theme. `auto` loads
    /// `dark` and `light`, to choose from later.
    ///
    /// # Errors
    /// If there is no such theme or its file is invalid; the message names file and line.
    pub fn load(
        name: &str,
        directory: Option<&Path>,
        depth: ColorDepth,
    ) -> Result<LoadedThemes, String> {
        let directory = directory.map(|directory| directory.join("themes"));
        let find = |name| find(name, directory.as_deref(), depth);
        Ok(match name {
            "auto" => LoadedThemes {
                dark: find("dark")?,
                light: Some(find("light")?),
            },
            _ => LoadedThemes {
                dark: find(name)?,
                light: None,
            },
        })
    }

    /// True if the theme depends on the terminal's background.
    pub fn depends_on_background(&self) -> bool {
        self.light.is_some()
    }

    /// The theme for a background.
    pub fn on(&self, background: Background) -> &LoadedTheme {
        match (&self.light, background) {
            (Some(light), Background::Light) => light,
            _ => &self.dark,
        }
    }
}

fn find(name: &str, directory: Option<&Path>, depth: ColorDepth) -> Result<LoadedTheme, String> {
    if let Some(path) = path(name, directory) {
        let file = path.display().to_string();
        match config_file::read(&path) {
            Ok(contents) => {
                let theme = Theme::parse(&contents, depth);
                let theme = theme.map_err(|problem| problem.in_file(&file))?;
                let warning = theme.contrast_warning();
                let warning = warning.map(|message| format!("theme {name}: {message}"));
                return Ok(LoadedTheme { theme, warning });
            }
            Err(err) if config_file::is_missing(&err) => {}
            Err(err) => return Err(config_file::unreadable(&file, &err)),
        }
    }
    let background = match name {
        "dark" => Background::Dark,
        "light" => Background::Light,
        _ => {
            let own = directory.map(|directory| format!(", and those in {}", directory.display()));
            return Err(format!(
                "unknown theme `{name}'; expected one of `auto', `dark', `light'{}",
                own.unwrap_or_default()
            ));
        }
    };
    Ok(LoadedTheme {
        theme: Theme::new(background, depth),
        warning: None,
    })
}

/// The path of a theme's file; `None` for names that would leave the directory.
fn path(name: &str, directory: Option<&Path>) -> Option<PathBuf> {
    let plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
    directory
        .filter(|_| plain)
        .map(|directory| directory.join(format!("{name}.toml")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::theme::roles::{Foreground, LineBackground};

    #[test]
    fn built_in_and_user_themes_are_listed() {
        let scratch = tempfile::tempdir().unwrap();
        let own = scratch.path().join("themes");
        let themes = |name| {
            let (directory, dark) = (Some(scratch.path()), Background::Dark);
            ThemeSet::new(name, directory, ColorDepth::True, dark)
        };
        let names = |name| themes(name).map(|it| (it.names().0.join(" "), it.names().1));
        assert_eq!(names("light"), Ok(("auto dark light".to_owned(), 2)));
        std::fs::create_dir(&own).unwrap();
        for file in ["b.toml", "a.toml", ".c.toml", "notes", "light.toml"] {
            std::fs::write(own.join(file), "").unwrap();
        }
        assert_eq!(names("b"), Ok(("auto dark light a b".to_owned(), 4)));
        let mut current = themes("b").unwrap();
        assert!(current.switch_to("c").is_err() && current.names().1 == 4);
        assert!(
            !current.depends_on_background()
                && current.switch_to("auto").is_ok()
                && current.depends_on_background()
        );
    }

    #[test]
    fn more_colors_replace_fewer_but_not_none() {
        for (depth, found, changes) in [
            (ColorDepth::None, ColorDepth::True, false),
            (ColorDepth::Sixteen, ColorDepth::True, true),
            (ColorDepth::Sixteen, ColorDepth::Indexed, true),
            (ColorDepth::Indexed, ColorDepth::True, true),
            (ColorDepth::Indexed, ColorDepth::Indexed, false),
            (ColorDepth::True, ColorDepth::Indexed, false),
        ] {
            let mut themes = ThemeSet::new("auto", None, depth, Background::Light).unwrap();
            assert_eq!(themes.raise_depth(found), changes);
            let expected = if changes { found } else { depth };
            let style =
                |theme: &Theme| theme.line(LineBackground::SelectedCommit, Foreground::Text);
            let light = Theme::new(Background::Light, expected);
            assert_eq!(style(&themes.current().theme), style(&light));
        }
    }

    #[test]
    fn themes_are_found_by_name() {
        let scratch = tempfile::tempdir().unwrap();
        let own = scratch.path().join("themes");
        std::fs::create_dir(&own).unwrap();
        let load = |name| LoadedThemes::load(name, Some(scratch.path()), ColorDepth::True);
        let style = |themes: &LoadedThemes, background| {
            themes
                .on(background)
                .theme
                .line(LineBackground::SelectedCommit, Foreground::Text)
        };
        let (dark, light) = (load("dark").unwrap(), load("light").unwrap());
        let auto = load("auto").unwrap();
        assert!(auto.depends_on_background() && !dark.depends_on_background());
        for background in [Background::Dark, Background::Light] {
            let fixed = if background == Background::Dark {
                &dark
            } else {
                &light
            };
            assert_eq!(style(&auto, background), style(fixed, background));
        }
        assert!(
            load("mine")
                .unwrap_err()
                .starts_with("unknown theme `mine'")
        );
        assert!(load("../config").unwrap_err().starts_with("unknown theme"));
        std::fs::write(
            own.join("mine.toml"),
            "[background]\nselected-commit = '#ffffff'",
        )
        .unwrap();
        let mine = load("mine").unwrap();
        let warning = mine.on(Background::Light).warning.clone();
        assert!(warning.is_some_and(|message| message.starts_with("theme mine: text.")));
        std::fs::write(own.join("mine.toml"), "\n[grund]").unwrap();
        assert!(
            load("mine")
                .unwrap_err()
                .contains("mine.toml:2: unknown setting `grund'")
        );
        // The user's `light` overrides the built-in one for `auto`.
        std::fs::write(own.join("light.toml"), "").unwrap();
        let auto = load("auto").unwrap();
        assert_eq!(
            style(&auto, Background::Light),
            style(&dark, Background::Dark)
        );
    }
}
