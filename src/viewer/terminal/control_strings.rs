//! Filters control strings out of the input: replies of the terminal that nobody asked for, such as
//! `DCS … ST` and `APC … ST`, which would otherwise be taken for keys.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// Longest time between two characters of a control string; keys are pressed more slowly.
const MAX_GAP: Duration = Duration::from_millis(30);

/// Filters control strings.
#[derive(Debug, Clone, Default)]
pub struct ControlStringFilter {
    /// When the last character of an open string arrived.
    last: Option<Instant>,
}

impl ControlStringFilter {
    /// Whether an event is a part of a control string. `now` is when it arrived.
    pub fn is_part(&mut self, event: &Event, now: Instant) -> bool {
        let Event::Key(key) = event else { return false };
        let is_open = self
            .last
            .take()
            .is_some_and(|last| now.duration_since(last) < MAX_GAP);
        if is_open {
            self.last = (!ends(key)).then_some(now);
            return true;
        }
        if begins(key) {
            self.last = Some(now);
        }
        self.last.is_some()
    }
}

/// Whether this is the start of a DCS, APC, PM or SOS string: ESC and a character.
fn begins(key: &KeyEvent) -> bool {
    let is_introducer = matches!(key.code, KeyCode::Char('P' | '_' | '^' | 'X'));
    key.modifiers.contains(KeyModifiers::ALT) && is_introducer
}

/// Whether this is ST (`ESC \`) or BEL.
fn ends(key: &KeyEvent) -> bool {
    match key.code {
        KeyCode::Char('\\') => key.modifiers.contains(KeyModifiers::ALT),
        KeyCode::Char('g') => key.modifiers == KeyModifiers::CONTROL,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_no_keys_and_keys_are_no_replies() {
        let key = |c: char, modifiers| Event::Key(KeyEvent::new(KeyCode::Char(c), modifiers));
        let (none, alt) = (KeyModifiers::NONE, KeyModifiers::ALT);
        let start = Instant::now();
        let mut filter = ControlStringFilter::default();
        for introducer in ['P', '_', '^', 'X'] {
            assert!(filter.is_part(&key(introducer, alt), start));
            for c in "1$r48:2m".chars() {
                assert!(filter.is_part(&key(c, none), start));
            }
            assert!(filter.is_part(&key('\\', alt), start));
            assert!(!filter.is_part(&key('j', none), start));
        }
        // A key that is pressed later.
        assert!(filter.is_part(&key('P', alt), start));
        assert!(!filter.is_part(&key('j', none), start + 2 * MAX_GAP));
        assert!(!filter.is_part(&key('P', none), start));
    }
}
