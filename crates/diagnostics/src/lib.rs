//! Source files, spans and diagnostics, shared by every language of Volvelle.
//!
//! Takes texts and places in them; gives [`Diagnostic`] values, one renderer for text ([`render`],
//! [`render_all`]), a page for every code ([`explain`], [`codes`]), did-you-mean for misspelt names
//! ([`suggest`]), and positions as editors count them ([`Lines`]). Stands on no other Volvelle crate. Nothing here prints or reads files.
//!
//! ```
//! use volvelle_diagnostics::{Diagnostic, RenderOptions, Sources, Span, codes, render, suggest};
//!
//! let mut sources = Sources::new();
//! let file = sources.add("m.prism", "[] srepp=0 -> true;");
//! let mut diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, "`srepp` is not a variable, constant or formula");
//! let near = suggest("srepp", ["s", "srep"]).map_or(String::new(), |name| format!("did you mean `{name}`?"));
//! diagnostic = diagnostic.at(Span::new(file, 3, 8), near);
//! let drawn = render(&diagnostic, &sources, RenderOptions::default());
//! assert!(drawn.contains("   ^^^^^ did you mean `srep`?"));
//! ```

mod catalogue;
mod diagnostic;
mod distinct;
mod positions;
mod render;
mod source;
mod suggest;
mod window;

pub use catalogue::{Code, Explanation, NotACode, codes, explain, explanations};
pub use diagnostic::{Diagnostic, Label, Severity, has_errors};
pub use distinct::Distinct;
pub use positions::{Lines, Located, PositionEncoding, TextPosition};
pub use render::{RenderOptions, count_line, render, render_all};
pub use source::{FileId, LineColumn, Source, Sources, Span};
pub use suggest::suggest;
