//! Diagnostics as text for people.

use crate::diagnostic::Diagnostic;
use crate::source::Sources;

/// How to draw.
#[derive(Clone, Copy, Debug, Default)]
pub struct RenderOptions {
    /// ANSI colours and Unicode lines; plain ASCII otherwise.
    pub color: bool,
    /// Columns of the screen; 0 where unknown.
    pub width: usize,
}

/// Draws one diagnostic, ending with a newline.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, options: RenderOptions) -> String {
    let _ = (sources, options);
    format!("{diagnostic:?}\n")
}
