//! Parts as bytes, and parts put together.

mod files;
mod joining;
mod samples;
