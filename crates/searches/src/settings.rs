//! How to search: the method, and what users may set besides.

use crate::listing::{LISTED, LONGEST_TRAIL};
use volvelle_search::Listing;
use volvelle_session::engine::Tier;
use volvelle_session::limits::Allowance;

/// States that are interpreted before machine code is made: that takes as long as some thousand states.
pub const PATIENCE: u64 = 2000;

/// A way to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchMethod {
    /// Breadth first, and beside it depth first for errors deep down: whichever finds one first.
    #[default]
    Automatic,
    /// Breadth first, on all cores: counterexamples are shortest.
    BreadthFirst,
    /// Depth first, in the order of the model.
    DepthFirst,
    /// Depth first, with a few bits for each state.
    Bitstate,
    /// Depth first, with a number of 64 bits for each state.
    HashCompact,
    /// Many searches of the former kind, in random orders.
    Swarm,
}

impl SearchMethod {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            SearchMethod::Automatic | SearchMethod::BreadthFirst => "breadth-first search",
            SearchMethod::DepthFirst => "depth-first search",
            SearchMethod::Bitstate => "bitstate search",
            SearchMethod::HashCompact => "depth-first search with hash compaction",
            SearchMethod::Swarm => "swarm of searches",
        }
    }

    /// On the command line.
    pub fn flag(self) -> &'static str {
        match self {
            SearchMethod::Automatic => "auto",
            SearchMethod::BreadthFirst => "bfs",
            SearchMethod::DepthFirst => "dfs",
            SearchMethod::Bitstate => "bitstate",
            SearchMethod::HashCompact => "hash-compact",
            SearchMethod::Swarm => "swarm",
        }
    }

    /// Whether all states are visited.
    pub fn is_exhaustive(self) -> bool {
        self.is_breadth_first() || self == SearchMethod::DepthFirst
    }

    /// Whether states are visited level by level, at least by the search that proves.
    pub fn is_breadth_first(self) -> bool {
        matches!(self, SearchMethod::Automatic | SearchMethod::BreadthFirst)
    }
}

/// How to search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchSettings {
    /// Limits that the user set.
    pub allowance: Allowance,
    /// The code that evaluates the model.
    pub tier: Tier,
    /// Go on behind the first error.
    pub all_errors: bool,
    /// States deeper than this are not expanded.
    pub max_depth: Option<u64>,
    /// All orders of steps that commute.
    pub no_reduction: bool,
    /// One state stands for all that differ by an exchange of interchangeable processes.
    pub symmetry: bool,
    /// In which way assertions and end states are searched.
    pub method: SearchMethod,
    /// After the first error, go on until its trail is a shortest one.
    pub shorten: bool,
    /// Trails are given in full, however long they are.
    pub whole_trails: bool,
}

impl SearchSettings {
    /// Which trails are given in full by a search. Runs in which states stand for others are found from all of their states.
    pub(crate) fn listing(&self) -> Listing {
        match self.whole_trails || self.symmetry {
            true => Listing::WHOLE,
            false => Listing { longest: LONGEST_TRAIL, listed: LISTED },
        }
    }
}
