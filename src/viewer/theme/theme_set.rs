//! Loading themes by name, and the theme in use.

use std::path::{Path, PathBuf};

use crate::viewer::{
    config::settings,
    theme::styles::{Background, Depth, Theme},
};

/// A loaded theme, or with `auto` the two to choose from when the background is known.
#[derive(Debug, Clone)]
pub struct Themes {
    dark: Found,
    light: Option<Found>,
}

/// A theme with a warning about its contrast.
#[derive(Debug, Clone)]
pub struct Found {
    /// The theme.
    pub theme: Theme,
    /// The pair of colours with too little contrast, if the theme is the user's.
    pub warning: Option<String>,
}

/// Most files of the theme directory that are listed.
const MAX_THEMES: usize = 1000;

/// The available themes and the current one.
#[derive(Debug, Clone)]
pub struct Wardrobe {
    directory: Option<PathBuf>,
    depth: Depth,
    worn: String,
    themes: Themes,
    background: Background,
}

impl Wardrobe {
    /// Loads the theme `name` for the background that the environment names.
    ///
    /// # Errors
    /// See [`Themes::load`].
    pub fn new(
        name: &str,
        directory: Option<&Path>,
        depth: Depth,
        background: Background,
    ) -> Result<Self, String> {
        Ok(Wardrobe {
            directory: directory.map(Path::to_owned),
            depth,
            worn: name.to_owned(),
            themes: Themes::load(name, directory, depth)?,
            background,
        })
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
        own.sort();
        names.extend(own);
        let worn = names.iter().position(|name| *name == self.worn);
        (names, worn.unwrap_or(0))
    }

    /// Switches to another theme.
    ///
    /// # Errors
    /// See [`Themes::load`]; the current theme stays.
    pub fn wear(&mut self, name: &str) -> Result<(), String> {
        self.themes = Themes::load(name, self.directory.as_deref(), self.depth)?;
        self.worn = name.to_owned();
        Ok(())
    }

    /// Sets the background that the terminal reported.
    pub fn learn(&mut self, background: Background) {
        self.background = background;
    }

    /// Whether the theme depends on the terminal's background.
    pub fn is_open(&self) -> bool {
        self.themes.are_open()
    }

    /// The current theme.
    pub fn found(&self) -> &Found {
        self.themes.on(self.background)
    }
}

impl Themes {
    /// Loads `NAME.toml` from the user's theme directory, or else a built-in theme. `auto` loads
    /// `dark` and `light`, to choose from later.
    ///
    /// # Errors
    /// If there is no such theme or its file is invalid; the message names file and line.
    pub fn load(name: &str, directory: Option<&Path>, depth: Depth) -> Result<Themes, String> {
        let directory = directory.map(|directory| directory.join("themes"));
        let find = |name| find(name, directory.as_deref(), depth);
        Ok(match name {
            "auto" => Themes {
                dark: find("dark")?,
                light: Some(find("light")?),
            },
            _ => Themes {
                dark: find(name)?,
                light: None,
            },
        })
    }

    /// Whether the theme depends on the terminal's background.
    pub fn are_open(&self) -> bool {
        self.light.is_some()
    }

    /// The theme for a background.
    pub fn on(&self, background: Background) -> &Found {
        match (&self.light, background) {
            (Some(light), Background::Light) => light,
            _ => &self.dark,
        }
    }
}

fn find(name: &str, directory: Option<&Path>, depth: Depth) -> Result<Found, String> {
    if let Some(path) = path(name, directory) {
        let file = path.display().to_string();
        match settings::read(&path) {
            Ok(contents) => {
                let theme = Theme::parse(&contents, depth);
                let theme = theme.map_err(|problem| problem.of(&file))?;
                let warning = theme.unreadable();
                let warning = warning.map(|words| format!("theme {name}: {words}"));
                return Ok(Found { theme, warning });
            }
            Err(err) if settings::is_missing(&err) => {}
            Err(err) => return Err(settings::unreadable(&file, &err)),
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
    Ok(Found {
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
    use crate::viewer::theme::styles::{Ground, Ink};

    #[test]
    fn built_in_and_user_themes_are_listed() {
        let scratch = tempfile::tempdir().unwrap();
        let own = scratch.path().join("themes");
        let wardrobe = |name| {
            let (directory, dark) = (Some(scratch.path()), Background::Dark);
            Wardrobe::new(name, directory, Depth::True, dark)
        };
        let names = |name| wardrobe(name).map(|it| (it.names().0.join(" "), it.names().1));
        assert_eq!(names("light"), Ok(("auto dark light".to_owned(), 2)));
        std::fs::create_dir(&own).unwrap();
        for file in ["b.toml", "a.toml", ".c.toml", "notes", "light.toml"] {
            std::fs::write(own.join(file), "").unwrap();
        }
        assert_eq!(names("b"), Ok(("auto dark light a b".to_owned(), 4)));
        let mut worn = wardrobe("b").unwrap();
        assert!(worn.wear("c").is_err() && worn.names().1 == 4);
        assert!(!worn.is_open() && worn.wear("auto").is_ok() && worn.is_open());
    }

    #[test]
    fn themes_are_found_by_name() {
        let scratch = tempfile::tempdir().unwrap();
        let own = scratch.path().join("themes");
        std::fs::create_dir(&own).unwrap();
        let load = |name| Themes::load(name, Some(scratch.path()), Depth::True);
        let style =
            |themes: &Themes, background| themes.on(background).theme.line(Ground::Lit, Ink::Text);
        let (dark, light) = (load("dark").unwrap(), load("light").unwrap());
        let auto = load("auto").unwrap();
        assert!(auto.are_open() && !dark.are_open());
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
        std::fs::write(own.join("mine.toml"), "[ground]\nlit = '#ffffff'").unwrap();
        let mine = load("mine").unwrap();
        let warning = mine.on(Background::Light).warning.clone();
        assert!(warning.is_some_and(|words| words.starts_with("theme mine: text.")));
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
