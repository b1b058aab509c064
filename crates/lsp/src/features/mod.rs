//! What an editor asks about texts. Each answer is a function of what is known about the texts of a model.

pub mod completion;
pub mod diagnostics;
pub mod files;
pub mod fixes;
pub mod folding;
pub mod hints;
pub mod hover;
pub mod kinds;
pub mod lenses;
pub mod library;
pub mod navigation;
pub mod outline;
pub mod rename;
pub mod selection;
pub mod signature;
pub mod tokens;
mod walk;
