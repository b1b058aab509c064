//! What the front end of weighted systems reads.

use std::sync::Arc;
use volvelle_wks::structure::Explicit;
use volvelle_wks::wccs::Wccs;

/// A weighted system as it was read.
#[derive(Clone, Debug)]
pub enum WeightedSource {
    /// Structures with their names, at least one.
    Structures(Vec<(Option<String>, Explicit)>),
    /// Terms of weighted CCS.
    Terms(Arc<Wccs>),
}
