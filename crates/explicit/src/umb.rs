//! Universal Markov Binary, version 1: an archive of arrays with an index in JSON.
//!
//! Goes by the specification (<https://github.com/pmc-tools/umb>) and by what Storm, PRISM and umbi write. Where they
//! differ from the text, the reader takes both: member names with `./`, types without sizes, the spelling `String`,
//! annotations without an array (zero everywhere), branches without probabilities (1), an index that is not the first
//! member. It is stricter with content: see [`validate`](mod@crate::validate).

mod arrays;
mod attached;
mod ids;
mod index;
mod read;
mod records;
mod write;

pub use read::read;
pub use write::write;
