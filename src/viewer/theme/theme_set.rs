//! Finding themes by their names.

use std::path::{Path, PathBuf};

use crate::viewer::{
    config::settings,
    theme::styles::{Background, Depth, Theme},
};

/// The theme to use, or the two to choose from once the terminal's background is known.
#[derive(Debug, Clone)]
pub struct Themes {
    dark: Found,
    light: Option<Found>,
}

/// A theme, and what is to be said about it.
#[derive(Debug, Clone)]
pub struct Found {
    /// The theme.
    pub theme: Theme,
    /// What of it cannot be read, if it is a person's own.
    pub warning: Option<String>,
}

/// Themes that are listed of a person's own.
const MOST: usize = 1000;

/// All themes that there are, and the one that is worn.
#[derive(Debug, Clone)]
pub struct Wardrobe {
    directory: Option<PathBuf>,
    depth: Depth,
    worn: String,
    themes: Themes,
    background: Background,
}

impl Wardrobe {
    /// Puts on the theme of a name, on the background that the environment tells of.
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

    /// The names of all themes, and which of them is worn.
    pub fn names(&self) -> (Vec<String>, usize) {
        let mut names = ["auto", "dark", "light"].map(str::to_owned).to_vec();
        let own = self.directory.as_ref().map(|own| own.join("themes"));
        let own = own.and_then(|own| std::fs::read_dir(own).ok());
        let own = own.into_iter().flatten().take(MOST).flatten();
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

    /// Puts on the theme of a name.
    ///
    /// # Errors
    /// See [`Themes::load`]; what was worn before is worn still.
    pub fn wear(&mut self, name: &str) -> Result<(), String> {
        self.themes = Themes::load(name, self.directory.as_deref(), self.depth)?;
        self.worn = name.to_owned();
        Ok(())
    }

    /// The terminal says what its background is.
    pub fn learn(&mut self, background: Background) {
        self.background = background;
    }

    /// What is worn depends on the terminal's background.
    pub fn is_open(&self) -> bool {
        self.themes.are_open()
    }

    /// What is worn.
    pub fn found(&self) -> &Found {
        self.themes.on(self.background)
    }
}

impl Themes {
    /// The theme of a name: `NAME.toml` among the person's own, or else one of those that come with
    /// the program. `auto` leaves the choice between `dark` and `light` open.
    ///
    /// # Errors
    /// There is no such theme, or its file is not understood; with file and line.
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

    /// The choice depends on the terminal's background.
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
                "there is no theme `{name}'; known are `auto', `dark', `light'{}",
                own.unwrap_or_default()
            ));
        }
    };
    Ok(Found {
        theme: Theme::new(background, depth),
        warning: None,
    })
}

/// Where a theme of this name would be; a name leads nowhere else.
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
    fn all_themes_are_listed() {
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
                .starts_with("there is no theme `mine'")
        );
        assert!(
            load("../config")
                .unwrap_err()
                .starts_with("there is no theme")
        );
        std::fs::write(own.join("mine.toml"), "[ground]\nlit = '#ffffff'").unwrap();
        let mine = load("mine").unwrap();
        let warning = mine.on(Background::Light).warning.clone();
        assert!(warning.is_some_and(|words| words.starts_with("theme mine: text.")));
        std::fs::write(own.join("mine.toml"), "\n[grund]").unwrap();
        assert!(
            load("mine")
                .unwrap_err()
                .contains("mine.toml:2: there is no setting `grund'")
        );
        // One's own `light` is what `auto` takes.
        std::fs::write(own.join("light.toml"), "").unwrap();
        let auto = load("auto").unwrap();
        assert_eq!(
            style(&auto, Background::Light),
            style(&dark, Background::Dark)
        );
    }
}
