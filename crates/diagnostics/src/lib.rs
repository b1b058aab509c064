//! Source files, spans and diagnostics, shared by every language of Volvelle.
//!
//! Takes texts and places in them; gives [`Diagnostic`] values, one renderer for text ([`render`],
//! [`render_all`]), a page for every code ([`explain`], [`codes`]), did-you-mean for misspelt names
//! ([`suggest`]), ways out that a program can take ([`Fix`], [`applied`]), and positions as editors
//! count them ([`Lines`]). Stands on no other Volvelle crate. Nothing here prints or reads files.
//!
//! ```
//! use volvelle_diagnostics::{Diagnostic, RenderOptions, Sources, Span, applied, codes, render};
//!
//! let mut sources = Sources::new();
//! let file = sources.add("m.prism", "[] srepp=0 -> true;");
//! let mut diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, "`srepp` is not a variable, constant or formula");
//! diagnostic = diagnostic.at_misspelt(Span::new(file, 3, 8), "srepp", ["s", "srep"]);
//! let drawn = render(&diagnostic, &sources, RenderOptions::default());
//! assert!(drawn.contains("   ^^^^^ did you mean `srep`?"));
//! let fixed = applied(&sources, &[&diagnostic.fixes[0]]);
//! assert_eq!(fixed.text(&sources, file).as_deref(), Some("[] srep=0 -> true;"));
//! ```

mod catalogue;
mod diagnostic;
mod distinct;
mod fix;
mod positions;
mod render;
mod source;
mod suggest;
mod window;

pub use catalogue::{Code, Explanation, NotACode, codes, explain, explanations};
pub use diagnostic::{Broken, Diagnostic, Label, Severity, has_errors};
pub use distinct::Distinct;
pub use fix::{Applied, Edit, Fix, applied};
pub use positions::{Lines, Located, PositionEncoding, TextPosition};
pub use render::{RenderOptions, count_line, render, render_all};
pub use source::{FileId, LineColumn, Source, Sources, Span};
pub use suggest::{Near, nearest, suggest};
