//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-lsp --test it sessions::` runs one.

mod bad_clients;
mod client;
mod corpora;
mod declarations;
mod examples;
mod files;
mod fixing;
mod front_ends;
mod keystrokes;
mod libraries;
mod protocol;
mod pulling;
mod random_clients;
mod renaming;
mod runs;
mod sessions;
mod systems;
mod typing;
