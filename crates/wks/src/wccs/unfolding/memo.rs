//! Steps of parts: as they are remembered, and while those of a composition are computed from them.

/// A step that is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MemoStep {
    pub action: u32,
    /// The index of the weight.
    pub weight: u32,
    pub target: u32,
}

/// Where the steps of a term are: internal ones, then inputs, then outputs, each sorted by name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memo {
    pub start: u32,
    pub inputs: u32,
    pub outputs: u32,
    pub end: u32,
    /// A bit for each name of an input, modulo 64; no common bit means no handshake.
    pub input_names: u64,
    pub output_names: u64,
}

/// A step that was found.
pub(super) type Found = MemoStep;

/// A part of a parallel composition, while its steps are computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub term: u32,
    pub count: u32,
    pub memo: Memo,
    pub alone: (u32, u32),
}
