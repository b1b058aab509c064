//! A picture of a window of an editor, as SVG: lines of text in colours, and what is told about them.
//!
//! Letters have a width of their own, so that marks are below what they mean whichever font there is.

use std::fmt::Write;

/// The width of a letter of the text, and the height of its lines.
const LETTER: f64 = 7.8;
const LINE: f64 = 20.0;
/// Where the text begins: left of it are the numbers of lines.
const MARGIN: f64 = 46.0;
/// The height of the bar with the name of the file.
const BAR: f64 = 30.0;

const STYLE: &str = "\
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1f2328}\
.bar{font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#59636e}\
.prose{font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}\
.number{fill:#9198a1;text-anchor:end}.lens{font:11.5px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#59636e}\
.keyword{fill:#8250df}.number-token,.readonly{fill:#0550ae}.string{fill:#0a5c36}.comment{fill:#6e7781;font-style:italic}\
.namespace,.class,.type,.struct{fill:#116329}.event,.label,.enumMember{fill:#953800}.function,.macro{fill:#6639ba}\
.modification{font-weight:bold}.wave{fill:none;stroke:#d1242f;stroke-width:1.2}.bad{fill:#cf222e}.good{fill:#0969da}\
.head{font-weight:bold}";

/// A coloured part of a line.
pub struct Token {
    /// Where it begins.
    pub column: usize,
    /// Letters.
    pub length: usize,
    /// What it is, in words of the protocol.
    pub class: String,
}

/// A line of a box.
pub enum Told {
    /// Text of a model.
    Code(String),
    /// Words.
    Prose(String),
    /// Words that stand out.
    Head(String),
}

/// A picture that grows downwards.
pub struct Drawing {
    title: String,
    body: String,
    width: f64,
    y: f64,
}

impl Drawing {
    /// A window for a file, with room for so many letters.
    pub fn of(title: &str, columns: usize) -> Self {
        let width = MARGIN + columns as f64 * LETTER + 16.0;
        Drawing { title: title.to_owned(), body: String::new(), width, y: BAR + 8.0 }
    }

    /// A line of the text. `is_here` sets it off.
    pub fn line(&mut self, number: usize, text: &str, tokens: &[Token], is_here: bool) {
        if is_here {
            let (y, width) = (self.y, self.width - 2.0);
            let _ = write!(
                self.body,
                r##"<rect x="1" y="{y}" width="{width}" height="{LINE}" fill="#fff8c5"/>"##
            );
            let (x, middle) = (8.0, y + LINE / 2.0);
            let _ = write!(
                self.body,
                r##"<path d="M{x} {} h7 l5 5 l-5 5 h-7 z" fill="#bf8700"/>"##,
                middle - 5.0
            );
        }
        self.text(MARGIN - 12.0, "number", &number.to_string(), None);
        let mut column = 0;
        for token in tokens {
            self.piece(text, column, token.column, "");
            self.piece(text, token.column, token.column + token.length, &token.class);
            column = token.column + token.length;
        }
        self.piece(text, column, text.len(), "");
        self.y += LINE;
    }

    /// A part of a line without the blanks around it.
    fn piece(&mut self, text: &str, start: usize, end: usize, class: &str) {
        let part = &text[start..end];
        let shown = part.trim();
        if shown.is_empty() {
            return;
        }
        let column = start + part.len() - part.trim_start().len();
        let class = if class == "number" { "number-token" } else { class };
        self.text(MARGIN + column as f64 * LETTER, class, shown, Some(shown.chars().count() as f64 * LETTER));
    }

    fn text(&mut self, x: f64, class: &str, text: &str, length: Option<f64>) {
        let length = length.map_or(String::new(), |length| {
            format!(r#" textLength="{length:.1}" lengthAdjust="spacingAndGlyphs""#)
        });
        let class = if class.is_empty() { String::new() } else { format!(r#" class="{class}""#) };
        let _ = write!(
            self.body,
            r#"<text x="{x:.1}" y="{:.1}"{class}{length} xml:space="preserve">{}</text>"#,
            self.y + 14.0,
            escaped(text)
        );
    }

    /// Underlines a part of the last line.
    pub fn underline(&mut self, column: usize, length: usize) {
        let (x, y) = (MARGIN + column as f64 * LETTER, self.y - 3.0);
        let waves = (length as f64 * LETTER / 4.0).round().max(1.0) as usize;
        let path = "q1-3 2 0t2 0".repeat(waves);
        let _ = write!(self.body, r#"<path class="wave" d="M{x:.1} {y:.1}{path}"/>"#);
    }

    /// Words above the next line, where the editor shows what can be asked.
    pub fn lens(&mut self, text: &str) {
        self.y += 2.0;
        self.text(MARGIN, "lens", text, None);
        self.y += LINE - 4.0;
    }

    /// A box below the last line.
    pub fn told(&mut self, column: usize, lines: &[Told], fill: &str, stroke: &str) {
        let x = MARGIN + column as f64 * LETTER;
        let height = lines.len() as f64 * 18.0 + 10.0;
        let width = self.width - x - 12.0;
        let _ = write!(
            self.body,
            r##"<rect x="{x:.1}" y="{:.1}" width="{width:.1}" height="{height:.1}" rx="4" fill="{fill}" stroke="{stroke}"/>"##,
            self.y + 2.0
        );
        self.y += 6.0;
        for line in lines {
            match line {
                Told::Code(text) => {
                    let length = text.chars().count() as f64 * LETTER;
                    self.text(x + 8.0, "", text, Some(length));
                }
                Told::Prose(text) => self.text(x + 8.0, "prose", text, None),
                Told::Head(text) => self.text(x + 8.0, "prose head", text, None),
            }
            self.y += 18.0;
        }
        self.y += 10.0;
    }

    /// The whole picture.
    pub fn finish(self) -> String {
        let (width, height) = (self.width, self.y + 10.0);
        let title = escaped(&self.title);
        let mut svg = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.1} {height:.1}" width="{width:.0}" height="{height:.0}" role="img" aria-label="{title}">"#
        );
        let _ = write!(svg, "<style>{STYLE}</style>");
        let _ = write!(
            svg,
            r##"<rect x="0.5" y="0.5" width="{:.1}" height="{:.1}" rx="7" fill="#ffffff" stroke="#d1d9e0"/>"##,
            width - 1.0,
            height - 1.0
        );
        let _ = write!(
            svg,
            r##"<path d="M1 {BAR}V8q0-7 7-7H{:.1}q7 0 7 7V{BAR}z" fill="#f6f8fa"/><path d="M1 {BAR}H{:.1}" stroke="#d1d9e0"/>"##,
            width - 8.0,
            width - 1.0
        );
        let _ = write!(svg, r#"<text class="bar" x="14" y="20">{title}</text>"#);
        // A line for each element: changes can be compared.
        svg.push_str(&self.body.replace("><", ">\n<"));
        svg.push_str("</svg>\n");
        svg
    }
}

/// A text for the inside of an element, or of an attribute in quotation marks.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
