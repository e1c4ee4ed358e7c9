//! Where lines were written, beside who touched them last.

mod origin_actions;
pub mod second_answer;
