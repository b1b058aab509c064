//! What people see of an answer: text on terminals, pages of HTML, and CSV.

pub mod format;
pub mod page;
pub mod terminal;
