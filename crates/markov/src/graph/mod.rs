//! Graph algorithms on state spaces: end components, certain states. No recursion, no numbers.

mod backwards;
mod end_components;
mod predecessors;
mod qualitative;

pub use backwards::Backwards;
pub use end_components::{EndComponents, end_components};
pub use predecessors::Predecessors;
pub use qualitative::{Certain, certain};

#[cfg(test)]
mod tests;
