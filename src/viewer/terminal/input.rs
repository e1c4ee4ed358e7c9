//! Input of the event loop: terminal events and signals, and their translation to messages.

use std::io;

use crossterm::event::{
    Event, KeyCode as TermKey, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use futures_util::{Stream, StreamExt};

use crate::{
    system::{self, SystemSignal},
    viewer::{
        model::keys::key::{Key, KeyCode},
        protocol::{Gesture, Message, Mouse},
        terminal::events::TerminalEvents,
    },
};

/// Lines scrolled per wheel event.
const WHEEL_LINES: i32 = 3;

/// An input of the event loop.
#[derive(Debug)]
pub enum Input {
    /// A terminal event.
    Terminal(Event),
    /// A terminating signal, by its number.
    Signal(i32),
    /// SIGTSTP: a request to suspend the process.
    Suspend,
    /// SIGCONT: the process was resumed.
    Resumed,
}

/// Converts a terminal event to a message; `None` if the viewer ignores it.
pub(crate) fn translate(event: Event) -> Option<Message> {
    match event {
        Event::Key(key) => translate_key(key).map(Message::Key),
        Event::Paste(text) => Some(Message::Paste(text)),
        Event::Resize(width, height) => Some(Message::Resize(width, height)),
        Event::Mouse(mouse) => translate_mouse(mouse).map(Message::Mouse),
        Event::FocusGained | Event::FocusLost => None,
    }
}

fn translate_mouse(mouse: MouseEvent) -> Option<Mouse> {
    let is_sideways = mouse.modifiers.contains(KeyModifiers::SHIFT);
    let gesture = match mouse.kind {
        MouseEventKind::Down(MouseButton::Left) => Gesture::Press,
        MouseEventKind::Down(MouseButton::Right) => Gesture::Copy,
        MouseEventKind::Drag(MouseButton::Left) => Gesture::Drag,
        MouseEventKind::Up(MouseButton::Left) => Gesture::Release,
        MouseEventKind::ScrollDown if is_sideways => Gesture::SideWheel(1),
        MouseEventKind::ScrollUp if is_sideways => Gesture::SideWheel(-1),
        MouseEventKind::ScrollRight => Gesture::SideWheel(1),
        MouseEventKind::ScrollLeft => Gesture::SideWheel(-1),
        MouseEventKind::ScrollDown => Gesture::Wheel(WHEEL_LINES),
        MouseEventKind::ScrollUp => Gesture::Wheel(-WHEEL_LINES),
        _ => return None,
    };
    let at = (mouse.column, mouse.row);
    Some(Mouse { at, gesture })
}

fn translate_key(key: KeyEvent) -> Option<Key> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let code = match key.code {
        TermKey::Char(c) => KeyCode::Char(c),
        TermKey::Enter => KeyCode::Enter,
        TermKey::Esc => KeyCode::Escape,
        TermKey::Backspace => KeyCode::Backspace,
        TermKey::Delete => KeyCode::Delete,
        TermKey::Tab => KeyCode::Tab,
        TermKey::BackTab => KeyCode::BackTab,
        TermKey::Up => KeyCode::Up,
        TermKey::Down => KeyCode::Down,
        TermKey::Left => KeyCode::Left,
        TermKey::Right => KeyCode::Right,
        TermKey::PageUp => KeyCode::PageUp,
        TermKey::PageDown => KeyCode::PageDown,
        TermKey::Home => KeyCode::Home,
        TermKey::End => KeyCode::End,
        TermKey::Insert => KeyCode::Insert,
        TermKey::F(number) => KeyCode::Function(number),
        _ => return None,
    };
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    let code = match code {
        KeyCode::Char(c) if ctrl => KeyCode::Char(c.to_ascii_lowercase()),
        code => code,
    };
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    Some(Key { code, ctrl, alt })
}

/// The terminal events and the handled signals, as one stream.
///
/// # Errors
/// A signal handler cannot be installed, or no thread can be started.
pub fn inputs() -> io::Result<impl Stream<Item = io::Result<Input>> + Unpin> {
    let events = TerminalEvents::new()?
        .map(|event| event.map(Input::Terminal))
        .boxed_local();
    let signals = system::signals()?.map(|signal| {
        Ok(match signal {
            SystemSignal::End(number) => Input::Signal(number),
            SystemSignal::Suspend => Input::Suspend,
            SystemSignal::Resumed => Input::Resumed,
        })
    });
    Ok(futures_util::stream::select_all([
        events,
        signals.boxed_local(),
    ]))
}
