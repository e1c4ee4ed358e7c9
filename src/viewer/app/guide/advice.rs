//! Advice on making blames faster.

use std::time::Duration;

use crate::viewer::{
    app::{blame::view::Progress, state::App},
    model::blame_results::BlameReport,
};

/// Minimum expected saving for advice.
const MIN_SAVING: Duration = Duration::from_millis(50);

impl App {
    /// The report of the visible blame, if it has finished.
    pub fn report(&self) -> Option<&BlameReport> {
        match &self.view()?.progress {
            Progress::Finished(report) => Some(report),
            _ => None,
        }
    }

    /// Recommends a commit-graph if that would have saved at least [`MIN_SAVING`]. A key removes the
    /// message: it is shown again until it has been seen from one look at the file to the next.
    pub(crate) fn advise(&mut self) {
        // Above another page it would hide the keys of that.
        let is_free = self.pages.len() == 0 && self.guide.tour.is_none();
        let is_wanted = !self.guide.advised && is_free;
        let Some(report) = self.report().filter(|_| is_wanted) else {
            return;
        };
        let saving = report.profile.commit_graph_savings();
        let advice = report.profile.advice();
        let Some(advice) = advice.filter(|_| saving.is_some_and(|(saved, _)| saved >= MIN_SAVING))
        else {
            return;
        };
        match &self.status.message {
            Some(message) => self.guide.advised = *message == advice,
            None => self.show_message(advice),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread};

    use super::*;
    use crate::{
        engine::{Phase, Profile, ThreadProfile, api::profile::ThreadTimer},
        viewer::{
            app::{
                settings::{arguments::ViewerArguments, environment::RepositoryInfo},
                update::update,
            },
            config::settings::Config,
            model::{
                keys::key::{Key, KeyCode},
                source::BlameStats,
                texts::text::Text,
                toggled_options::ToggledOptions,
            },
            protocol::{BlameEvent, BlameEventKind, Message},
        },
    };

    fn app() -> App {
        let arguments = ViewerArguments {
            directory: None,
            places: false,
            place_filter: String::new(),
            missing: None,
            notice: None,
            path: "a".into(),
            revision: "HEAD".to_owned(),
            line: None,
            ranges: None,
            is_reversed: false,
            now: 0,
            options: ToggledOptions::default(),
            ignore_revs_file: None,
            max_len: 0,
            repository: RepositoryInfo::default(),
            tour: false,
            hints: None,
            config: Arc::new(Config::default()),
            config_file: None,
        };
        App::new(arguments, (80, 24)).0
    }

    /// The report of a blame that read commits for longer than the least saving.
    fn report() -> BlameReport {
        let mut timer = ThreadTimer::start(Some(|| None));
        timer.enter(Phase::Walk);
        thread::sleep(2 * MIN_SAVING);
        let walk = ThreadProfile {
            times: timer.stop(),
            ..ThreadProfile::default()
        };
        let stats = BlameStats {
            profile: Profile {
                walk,
                ..Profile::default()
            },
            ..BlameStats::default()
        };
        BlameReport::new(stats, std::time::Instant::now())
    }

    #[test]
    fn advice_is_not_taken_back_by_keys() {
        let mut app = app();
        let started = BlameEventKind::Started {
            text: Arc::new(Text::new(Arc::from(*b"one\ntwo\n"))),
            mapped_line: None,
            changes: Default::default(),
            encoding: None,
            tab_width: None,
        };
        for kind in [started, BlameEventKind::Finished(report())] {
            update(&mut app, Message::Blame(BlameEvent { id: 1, kind }));
        }
        let is_shown = |app: &App| {
            let message = app.status.message.as_ref();
            message.is_some_and(|message| message.contains("commit-graph"))
        };
        // Not in the middle of what is being typed.
        assert!(!is_shown(&app));
        let key = || Message::Key(Key::plain(KeyCode::Char('j')));
        for _ in 0..3 {
            update(&mut app, Message::Poll);
            assert!(is_shown(&app));
            update(&mut app, key());
            assert!(!is_shown(&app));
        }
        update(&mut app, Message::Poll);
        update(&mut app, Message::Poll);
        assert!(is_shown(&app));
        update(&mut app, key());
        update(&mut app, Message::Poll);
        assert!(!is_shown(&app), "it has been seen");
    }
}
