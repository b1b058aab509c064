//! How reports look that several questions share: answers of properties, models, runs and their evidence, on terminals and on pages.

pub mod documents;
pub mod page;
pub mod screen;
