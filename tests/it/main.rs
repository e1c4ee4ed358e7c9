//! The integration tests: one binary, a module per concern.
