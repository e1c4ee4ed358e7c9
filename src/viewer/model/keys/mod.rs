//! Keys, what they are bound to, and the presets of other programs.

pub mod bindings;
pub mod key;
pub mod key_presets;
pub mod key_sequence;
pub mod keymap;
