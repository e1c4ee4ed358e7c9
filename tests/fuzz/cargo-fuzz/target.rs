//! The target that the binary is named after.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| -> libfuzzer_sys::Corpus {
    if tblame_fuzz::execute(env!("CARGO_BIN_NAME"), input) {
libfuzzer_sys::Corpus::Keep
} else {
libfuzzer_sys::Corpus::Reject
}
});
