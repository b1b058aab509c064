//! Words and signs of networks. Comments are `(* … *)` and `--` to the end of the line.

use volvelle_diagnostics::{Diagnostic, FileId, codes};
use volvelle_syntax::{BlockComment, Language, Lexicon, Quote, Rules, Token, Unicode, kinds};

kinds! {
    /// The sort of a token.
    pub enum Kind {
        /// A gate, or `_`.
        Name,
        /// A text with its double quotes.
        Text,
        /// Behind the last token.
        End,
    }
    flaws {
        /// A sign that networks do not have.
        Unknown,
        /// A text without its closing quote.
        OpenText,
        /// A comment without an end.
        OpenComment,
    }
    symbols {
        Bars "|||", Both "||", OpenGates "|[", CloseGates "]|", Arrow "->", Open "(", Close ")", Comma ",",
        Star "*", Dot ".",
    }
    words {
        Par "par", In "in", Ends "end", Hide "hide", All "all", But "but", Rename "rename", Root "root",
        Leaf "leaf", Node "node", Smart "smart", Reduction "reduction", Of "of", Strong "strong",
        Branching "branching", DivBranching "divbranching", Weak "weak", Stochastic "stochastic",
        Label "label", Gate "gate",
    }
}

impl Language for Kind {
    const LEXICON: &'static Lexicon<Kind> = &Lexicon::new(Rules {
        unicode: Unicode::Words,
        line_comments: &["--"],
        block_comment: Some(BlockComment::new("(*", "*)", Kind::OpenComment)),
        quotes: &[Quote::escaped(b'"', Kind::Text, Kind::OpenText)],
        ..Rules::new(Kind::SYMBOLS, Kind::WORDS, Kind::Name, Kind::Unknown, Kind::Unknown, Kind::End)
    });

    /// There are no numbers.
    fn number(_: &[u8], at: usize) -> (Self, usize) {
        (Kind::Unknown, at + 1)
    }
}

/// The tokens of a text.
pub(super) fn tokens(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token<Kind>> {
    volvelle_syntax::tokens(text, |token: Token<Kind>| {
        let mut span = token.span(file);
        let mut stand_in = None;
        let (message, help) = match token.kind {
            Kind::OpenText => {
                span.end = span.start + 1;
                stand_in = Some(Token { kind: Kind::Text, ..token });
                ("a text without its closing quote".to_owned(), "texts end on their line, with `\"`")
            }
            Kind::OpenComment => ("a comment without an end".to_owned(), "close it with `*)`"),
            _ => {
                let message = format!("`{}` is no sign of networks", token.text(text).escape_debug());
                (message, "offers are part of a label in double quotes: \"PUT !1\"")
            }
        };
        diagnostics.push(Diagnostic::error(codes::NETWORK_SYNTAX, message).at(span, "").help(help));
        stand_in
    })
}

/// What stands between quotes: `\"` is a quote, other backslashes stay, since patterns have them.
pub(super) fn unquoted(text: &str) -> String {
    let inner = text.strip_prefix('"').unwrap_or(text);
    inner.strip_suffix('"').unwrap_or(inner).replace("\\\"", "\"")
}
