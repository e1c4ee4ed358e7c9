//! Command lines: what git accepts and refuses, and with which messages.

mod arguments;
mod closed_pipes;
mod configuration;
mod configured_commands;
mod damage;
#[cfg(target_os = "linux")]
mod file_calls;
mod ineffective_options;
mod jj_workspaces;
mod large_configurations;
mod lists;
mod many_references;
mod memory;
mod missing_paths;
mod odd_repositories;
mod on_terminals;
mod output_columns;
mod paging;
mod rejected_arguments;
mod remotes;
mod repository_discovery;
mod run_log;
