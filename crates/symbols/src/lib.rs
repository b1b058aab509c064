//! What the texts of a model say of their names, for editors: symbols, where they are declared and used, and tokens.
//!
//! Takes the texts of a model, of its property files, and of those that it includes; gives an [`Index`], computed from the syntax trees of
//! the front ends. Never fails: broken texts have the symbols that can be told, and names in what could not be read are those of the
//! nearest symbol. Lowering resolves names, too: tests compare both on all models there are, so that they do not become two truths.
//!
//! A language is an implementation of [`Indexed`]; [`build`] has what such implementations are made of.
//!
//! ```
//! use volvelle_diagnostics::FileId;
//! use volvelle_symbols::{Kind, Part, Text, named};
//!
//! let model = "dtmc\n// Balls.\nconst int N = 3;\nmodule m x : [0..N]; endmodule";
//! let text = Text { file: FileId(0), name: "balls.prism", text: model, part: Part::Model };
//! let index = named("prism").unwrap().index(&[text]);
//! let found = index.at(FileId(0), model.find("N]").unwrap() as u32).unwrap();
//! let symbol = index.symbol(found.symbol);
//! assert_eq!((symbol.kind, symbol.detail.as_str()), (Kind::Constant, "const int N = 3"));
//! assert_eq!(symbol.comment, "Balls.");
//! assert_eq!(index.references(found.symbol).count(), 2);
//! ```

mod builder;
mod calls;
mod candidates;
mod completion;
mod declared;
mod index;
mod kernel;
mod language;
mod library;
mod lotos;
mod mcl;
mod mpi;
mod n4js;
mod nearest;
mod network;
mod pieces;
mod place;
mod prism;
mod promela;
mod rules;
mod scope;
mod text;
mod toml;
mod wks;
mod words;
mod written;

pub use calls::{Call, call_at, calls};
pub use candidates::{Candidate, Completion, Fit, Found};
pub use completion::{complete, wants_file};
pub use declared::Declared;
pub use index::{Index, Kind, Occurrence, Role, Symbol, SymbolId, Token, TokenKind};
pub use language::{Function, Indexed};
pub use library::{InLibrary, LIBRARIES, Library};
pub use place::Place;
pub use prism::property_in_words;
pub use text::{Part, Text};

/// What an index is built from.
pub mod build {
    pub use crate::builder::{Builder, Declared, Meaning, Spelling};
    pub use crate::candidates::escaped;
    pub use crate::nearest::Nearest;
    pub use crate::pieces::{Class, Comments, Piece, pieces};
    pub use crate::scope::Scope;
}

/// The languages.
pub const LANGUAGES: &[&dyn Indexed] = &[
    &kernel::Kernel,
    &lotos::Lotos,
    &mcl::Mcl,
    &mpi::Mpi,
    &n4js::N4js,
    &network::Network,
    &prism::Prism,
    &promela::Promela,
    &rules::Rules,
    &wks::Wks,
];

/// The language with this name.
pub fn named(name: &str) -> Option<&'static dyn Indexed> {
    LANGUAGES.iter().copied().find(|language| language.name() == name)
}
