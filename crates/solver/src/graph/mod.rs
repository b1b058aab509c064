//! Graph algorithms on state spaces: end components, states whose probability is zero or one. No recursion, no numbers.

mod backwards;
mod end_components;
mod plain;
mod predecessors;
mod prob01;

pub use backwards::Backwards;
pub use end_components::{EndComponents, end_components, members};
pub use plain::plain_space;
pub use predecessors::Predecessors;
pub(crate) use prob01::reaches_surely_without;
pub use prob01::{Prob01, prob01};

#[cfg(test)]
mod tests;
