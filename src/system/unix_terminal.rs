//! The modes of the terminal on Unix.

use std::io;

use rustix::termios::{
    self, ControlModes, InputModes, LocalModes, OptionalActions, OutputModes, SpecialCodeIndex,
};

/// The settings of a terminal that raw mode changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalModes([u64; 6]);

impl TerminalModes {
    /// Those of the terminal that is standard output.
    pub fn read() -> Option<TerminalModes> {
        let now = termios::tcgetattr(io::stdout()).ok()?;
        let code = |at| u64::from(now.special_codes[at]);
        Some(TerminalModes([
            now.input_modes.bits().into(),
            now.output_modes.bits().into(),
            now.control_modes.bits().into(),
            now.local_modes.bits().into(),
            code(SpecialCodeIndex::VMIN),
            code(SpecialCodeIndex::VTIME),
        ]))
    }

    /// The modes as words, for another process.
    pub fn to_words(self) -> [String; 6] {
        self.0.map(|number| number.to_string())
    }

    /// The modes that [`to_words`](Self::to_words) wrote.
    pub fn from_words<'a>(words: impl Iterator<Item = &'a str>) -> Option<TerminalModes> {
        let numbers: Vec<u64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
        Some(TerminalModes(numbers.try_into().ok()?))
    }

    /// Gives them to the terminal that is standard output, unless another process group has it: a
    /// shell that has taken it back restores it itself.
    pub fn restore(self) {
        let terminal = io::stdout();
        let group = Some(rustix::process::getpgrp());
        if termios::tcgetpgrp(&terminal).ok() == group
            && let Ok(mut modes) = termios::tcgetattr(&terminal)
            && self.write_to(&mut modes).is_some()
        {
            // There is nowhere left to report an error.
            let _ = termios::tcsetattr(&terminal, OptionalActions::Now, &modes);
        }
    }

    fn write_to(self, modes: &mut termios::Termios) -> Option<()> {
        let [input, output, control, local, min, time] = self.0;
        modes.input_modes = InputModes::from_bits_retain(input.try_into().ok()?);
        modes.output_modes = OutputModes::from_bits_retain(output.try_into().ok()?);
        modes.control_modes = ControlModes::from_bits_retain(control.try_into().ok()?);
        modes.local_modes = LocalModes::from_bits_retain(local.try_into().ok()?);
        modes.special_codes[SpecialCodeIndex::VMIN] = min.try_into().ok()?;
        modes.special_codes[SpecialCodeIndex::VTIME] = time.try_into().ok()?;
        Some(())
    }
}
