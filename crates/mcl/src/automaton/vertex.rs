//! Vertices of alternating automata, and moves between them.

/// A set of labels in a [`Move`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step(
    /// Its number.
    pub u32,
);

impl Step {
    /// No transition: the state stays.
    pub const STAY: Step = Step(0);
    /// Any transition.
    pub const ANY: Step = Step(1);
    /// Steps from here on are action formulas.
    pub const FIRST_ACTION: u32 = 2;
}

/// A move to a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// What happens.
    pub step: Step,
    /// The vertex behind it.
    pub target: u32,
}

/// A vertex while the automaton is built.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    /// Whether the player who claims the formula moves.
    pub(super) is_or: bool,
    /// 0 where it has none.
    pub(super) priority: u32,
    pub(super) moves: Vec<Move>,
}

/// A vertex.
#[derive(Clone, Copy, Debug)]
pub struct Vertex {
    /// Whether the player who claims the formula moves.
    pub is_or: bool,
    /// 0 where it has none.
    pub priority: u32,
    /// Its value, if it has the same one in all states.
    pub constant: Option<bool>,
    /// Whether all its moves lead to constants.
    pub is_leaf: bool,
    /// Its block.
    pub block: u32,
    /// Its number within the block.
    pub local: u32,
    /// Its moves: `first..inner` leave the block, `inner..end` stay in it.
    pub first: u32,
    /// See `first`.
    pub inner: u32,
    /// See `first`.
    pub end: u32,
}

/// An alternating automaton, cut into blocks.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// All vertices.
    pub vertices: Vec<Vertex>,
    /// The moves of all vertices.
    pub moves: Vec<Move>,
    /// All blocks.
    pub blocks: Vec<Block>,
    /// The vertex of the formula.
    pub root: u32,
}

/// A block.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// How it is solved.
    pub kind: Kind,
    /// The value that the player with the choices wants: true for *or* vertices.
    pub goal: bool,
    /// How many vertices it has.
    pub width: u32,
}

/// How a block is solved. The value of a pair in it is known from what it reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// It is `goal` iff an exit with the value `goal` can be reached.
    Reach,
    /// It is `goal` iff an exit with the value `goal`, or a circle, can be reached.
    Circle,
    /// It is `goal` iff the player who wants that can force an exit with that value; endless plays are the other's.
    Mixed,
    /// A parity game.
    Game,
}
