//! What the texts of a model say of their names, for editors: symbols, where they are declared and used, and tokens.
//!
//! Takes the texts of a model and of its property files; gives an [`Index`], computed from the syntax trees of the front ends. Never
//! fails: broken texts have the symbols that can be told, and names in what could not be read are those of the nearest symbol. Lowering
//! resolves names, too: tests compare both on all models there are, so that they do not become two truths.
//!
//! ```
//! use volvelle_diagnostics::FileId;
//! use volvelle_symbols::{Kind, index};
//!
//! let model = "dtmc\n// Balls.\nconst int N = 3;\nmodule m x : [0..N]; endmodule";
//! let index = index("prism", &[(FileId(0), model)]).unwrap();
//! let found = index.at(FileId(0), model.find("N]").unwrap() as u32).unwrap();
//! let symbol = index.symbol(found.symbol);
//! assert_eq!((symbol.kind, symbol.detail.as_str()), (Kind::Constant, "const int N = 3"));
//! assert_eq!(symbol.comment, "Balls.");
//! assert_eq!(index.references(found.symbol).count(), 2);
//! ```

mod builder;
mod calls;
mod completion;
mod index;
mod lotos;
mod nearest;
mod pieces;
mod prism;
mod promela;
mod scope;
mod written;

pub use calls::{Call, call_at, calls};
pub use completion::{Candidate, Completion, Fit, complete};
pub use index::{Index, Kind, Occurrence, Role, Symbol, SymbolId, Token, TokenKind};
pub use prism::property_in_words;

use volvelle_diagnostics::FileId;

/// The index of some texts: the model first, then files of properties. `None`: the language has no index.
pub fn index(language: &str, texts: &[(FileId, &str)]) -> Option<Index> {
    match language {
        "lotos" => Some(lotos::index(texts)),
        "prism" => Some(prism::index(texts)),
        "promela" => Some(promela::index(texts)),
        _ => None,
    }
}
