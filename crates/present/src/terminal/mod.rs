//! Text for terminals: styles, lines that fit, tables in blocks.
//!
//! Plain ASCII without colour when the output is no terminal. Lines fit its columns ([`Style::width`]): texts go on in further
//! lines, tables of many columns in further blocks.

pub mod columns;
mod draw;
pub mod flow;
pub mod marks;
mod steps;
mod style;
mod text;

pub use draw::draw;
pub use steps::StepLines;
pub use style::Style;
pub use text::text;
