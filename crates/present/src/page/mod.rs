//! Pages of HTML that stand for themselves: no script, nothing from elsewhere, and browsers are told to refuse what tries to load it.
//!
//! A page is well-formed XML behind its first line. What differs between two runs of the same command is in elements of the class
//! `cost`.

mod bar;
mod content;
pub mod markup;
mod repeat;
mod texts;

use crate::terminal::Style;
pub use content::content;
use markup::escaped;
pub use repeat::Repeat;
pub use texts::texts;
use volvelle_diagnostics::{Diagnostic, RenderOptions, Sources, render_all};

const STYLE: &str = include_str!("style.css");

/// What browsers may do with a page: apply the style in it, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Letters of pages.
pub const PLAIN: Style = Style { color: false, unicode: true, width: 0 };

/// A page in the making.
pub struct Page {
    out: String,
}

impl Page {
    /// A page with a title, and a line below it about what the title is asked of.
    pub fn new(title: &str, about: &str) -> Self {
        let [title, about, policy] = [title, about, POLICY].map(escaped);
        let out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n<p class=\"subtitle\">{about}</p>\n</header>\n\
             <main>\n"
        );
        Page { out }
    }

    /// A section, whose content is markup; none if it would be empty.
    pub fn section(&mut self, id: &str, heading: &str, content: &str) {
        if !content.is_empty() {
            self.out.push_str(&format!(
                "<section id=\"{id}\">\n<h2>{}</h2>\n{content}</section>\n",
                escaped(heading)
            ));
        }
    }

    /// Diagnostics, with the lines that they are about.
    pub fn diagnostics(&mut self, diagnostics: &[Diagnostic], sources: &Sources) {
        if !diagnostics.is_empty() {
            let text = render_all(diagnostics, sources, RenderOptions::default());
            let content = format!("<pre class=\"diagnostics\">{}</pre>\n", escaped(&text));
            self.section("diagnostics", "Diagnostics", &content);
        }
    }

    /// The page, with how to repeat the run.
    pub fn finish(mut self, repeat: &Repeat<'_>) -> String {
        self.section("repeat", "How to repeat it", &repeat.content());
        self.out.push_str(&format!(
            "</main>\n<footer>Volvelle {}. Bounds and guarantees are those of the run that produced this page.</footer>\n\
             </body>\n</html>\n",
            env!("CARGO_PKG_VERSION")
        ));
        self.out
    }
}
