//! The text form of kernels.
//!
//! [`parse`] reads it, `Display` of [`Kernel`](crate::Kernel) writes it. For every valid kernel `k`,
//! parsing what was printed gives `k` again up to the numbering of nodes
//! ([`Kernel::canonical`](crate::Kernel::canonical)), and printing that gives the same text.
//!
//! ```text
//! // Successors of the states that lie below a bound.
//! kernel step(bound: i64) {
//!     buffer states: read u64;
//!     buffer succ: append u64;
//!     site @0: overflow, tag 17;
//!     local i: u64;
//!     local x: i64;
//!
//!     for i in 0u64..len(states) {
//!         x = states[i] as i64;
//!         if x < bound && x != 0i64 {
//!             emit succ, (x *@0 3i64) as u64;
//!         }
//!     }
//! }
//! ```
//!
//! - A file holds any number of kernels; `//` starts a comment. Names are identifiers; one that is a
//!   reserved word is written in backticks.
//! - **Declarations** come first: buffers (`read`, `write`, `append`), sites (`division`, `overflow`,
//!   `range`, `conversion`, `assertion`; numbered from `@0`, with the tag of the caller), locals, and
//!   `let $0 = …;`, numbered from `$0`: names for expressions that occur several times. A `let` stands
//!   for the expression itself, which is evaluated where it is used.
//! - **Literals** carry their type: `5i64`, `-1i8`, `0xffu8`, `0.5f64`, `true`, `f64.inf`, `-f64.inf`,
//!   `f64.nan`, `f32.bits(0x7fc00001)`. Floats print as the shortest decimals that give them back.
//! - **Operators**, from loose to tight: `||`, `&&` (lazy), `== != < <= > >=`, `in`, `|`, `^`, `&`
//!   (strict), `<< >>`, `+ -`, `* / % mod`, `**`, `as`, prefix `-` and `!`. All group to the left.
//! - An operator with a site **may fail** there: `a +@0 b`, `a -@0 b`, `a *@0 b`, `a /@0 b`, `a %@0 b`
//!   (remainder of the truncating division), `a mod@0 b` (sign of the divisor), `a **@0 b`,
//!   `x as@0 u8`, `x in@0 1..=6`. Without one, `+ - *` wrap, `/` is for floats, `x as u8` is total.
//!   `x as bits u64` has the same bits as another type of the same width.
//! - **Functions**: `select(c, a, b)` (lazy), `min max abs sqrt floor ceil trunc exp log pow`,
//!   `fma(a, b, c)` (`a * b + c`, rounded once), `len(buffer)`.
//! - **Statements**: `x = e;`, `b[i] = e;`, `take x, b[e];`, `emit b, e;`, `copy b, from[e; 4];`, `truncate b, n;`, `if`/`else`,
//!   `switch e { case 1 { … } default { … } }`, `for i in from..to { … }`, `break;`, `fail @0;`, `return;`,
//!   `machine i in from..to at e { block 0 { … goto 1; } block 1 { … } }` (blocks are numbered from 0).

mod exprs;
mod lex;
mod parse;
mod pieces;
mod places;
mod print;

#[cfg(feature = "filetest")]
pub(crate) use lex::{Cursor, Token, literal};
pub use parse::{parse, parse_with_places};
pub use pieces::{Piece, PieceKind, pieces};
pub use places::{Located, Places};

/// Why a text is no kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The same place, in bytes from the start of the text.
    pub at: usize,
    /// The error at this place.
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Words that cannot be names without backticks.
const RESERVED: [&str; 36] = [
    "as", "bool", "break", "buffer", "case", "copy", "default", "else", "emit", "f32", "f64", "fail",
    "false", "for", "goto", "i16", "i32", "i64", "i8", "if", "in", "kernel", "let", "local", "machine",
    "mod", "return", "site", "switch", "take", "true", "truncate", "u16", "u32", "u64", "u8",
];

fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}
