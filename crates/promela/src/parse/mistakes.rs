//! Frequent mistakes – habits of other languages, mistyped Promela – with a diagnostic for each.

use super::cursor::{Parse, Parser, Reported};
use crate::ast::Sequence;
use crate::place::PlaceInfo;
use crate::token::{Keyword, Kind, Token};
use volvelle_diagnostics::{Diagnostic, Fix, Near, codes, nearest};

/// The Promela type to write for a type of C.
pub(super) fn type_of_c(name: &str) -> Option<&'static str> {
    Some(match name {
        "char" | "uint8_t" | "u8" => "write `byte`",
        "long" | "signed" | "int32_t" | "int64_t" | "uint32_t" | "uint64_t" | "size_t" | "integer" => {
            "the widest type is `int`, with 32 bits"
        }
        "int16_t" => "write `short`",
        "uint16_t" => "write `unsigned x : 16`",
        "_Bool" | "boolean" => "write `bool`",
        "float" | "double" => "numbers are integers",
        "void" => "a process is a `proctype`, text with parameters an `inline`",
        "const" => "constants are macros, `#define N 3`, or names of an `mtype`",
        "struct" | "enum" => "structures are declared with `typedef`, names of values with `mtype`",
        _ => return None,
    })
}

impl Kind {
    /// Whether C combines it with `=`.
    fn is_operator(self) -> bool {
        matches!(
            self,
            Kind::Plus | Kind::Minus | Kind::Star | Kind::Slash | Kind::Percent | Kind::Amp | Kind::Bar
        )
    }
}

impl Parser {
    /// Reports a token that is typical of a mistake.
    pub fn mistake(&mut self, token: &Token) -> Option<Reported> {
        let info = token.info();
        let (message, help) = self.mistyped_operator(token).or_else(|| self.misplaced(token))?;
        let code = match token.kind {
            Kind::LeftParen if !self.formula => codes::INLINE_CALL,
            Kind::Increment | Kind::Decrement | Kind::LeftBrace => codes::C_HABIT,
            Kind::Assign | Kind::Plus | Kind::Minus | Kind::Star | Kind::Slash | Kind::Percent => {
                codes::C_HABIT
            }
            _ => codes::PROMELA_SYNTAX,
        };
        if code == codes::INLINE_CALL
            && let Some(near) = self.called()
        {
            // Its text is that of the place, whatever brought it here.
            let fix = Fix::instead(self.last.span, self.previous_text(), near.name.as_str());
            let diagnostic = Diagnostic::error(code, message).fix(fix.certain_if(near.is_certain));
            let help = format!("did you mean `{}`?", near.name);
            return Some(self.report_at(diagnostic, info, &help));
        }
        let fix = self.corrected(token).filter(|_| info.through.is_none() && self.last.through.is_none());
        let diagnostic = fix.into_iter().fold(Diagnostic::error(code, message), Diagnostic::fix);
        Some(self.report_at(diagnostic, info, help))
    }

    /// What can be called, and has a name near to that of the token before the next one.
    fn called(&self) -> Option<Near<String>> {
        const WORDS: [Keyword; 4] = [Keyword::Assert, Keyword::Printf, Keyword::Printm, Keyword::SetPriority];
        let definitions = &self.model.definitions;
        let inlines = definitions.inlines.0.keys();
        let macros = definitions.macros.0.keys();
        let mut known: Vec<&str> = inlines.chain(macros).map(AsRef::as_ref).collect();
        known.extend(WORDS.map(Keyword::text));
        // Those that need a `(` are words of expressions, too.
        known.extend(["empty", "enabled", "eval", "full", "len", "nempty", "nfull", "pc_value"]);
        known.sort_unstable();
        let near = nearest(self.previous_text(), known)?;
        Some(Near { name: near.name.to_owned(), is_certain: near.is_certain })
    }

    /// A mistyped operator as it is written.
    fn corrected(&self, token: &Token) -> Option<Fix> {
        let (last, here) = (self.last.span, token.span);
        let (is_close, joined) = (!token.spaced, here.to(self.token_at(1).span));
        let written = |span, text: &str| Fix::replace(format!("write `{text}`"), span, text);
        let fix = match token.kind {
            Kind::Word if self.formula && &*token.text == "R" => written(here, "V"),
            Kind::Assign if self.formula && self.at_joined(Kind::Assign, Kind::Gt) => written(joined, "->"),
            Kind::LeftParen | Kind::Word if self.formula && self.previous_text() == "G" => {
                written(last, "[]")
            }
            Kind::LeftParen | Kind::Word if self.formula && self.previous_text() == "F" => {
                written(last, "<>")
            }
            Kind::Assign if self.at_joined(Kind::Assign, Kind::Lt) => written(joined, "<="),
            // An implication, perhaps.
            Kind::Assign if self.at_joined(Kind::Assign, Kind::Gt) => return Some(written(joined, ">=")),
            Kind::Assign if self.previous == Kind::EqualEqual && is_close => written(last.to(here), "=="),
            Kind::Assign if self.previous == Kind::NotEqual && is_close => written(last.to(here), "!="),
            Kind::Lt if self.previous == Kind::Assign && is_close => written(last.to(here), "<="),
            // An implication, perhaps.
            Kind::Gt if self.previous == Kind::Assign && is_close => {
                return Some(written(last.to(here), ">="));
            }
            Kind::Gt if self.previous == Kind::Lt && is_close => written(last.to(here), "!="),
            Kind::Assign if self.previous.is_operator() => return None,
            Kind::Assign if self.parens > 0 || self.formula => written(here, "=="),
            _ => return None,
        };
        Some(fix.certain())
    }

    /// Operators that there are not, with how they are written.
    fn mistyped_operator(&self, token: &Token) -> Option<(String, &'static str)> {
        let touching = |a: Kind, b: Kind| self.at_joined(a, b);
        Some(match token.kind {
            Kind::Word if self.formula && &*token.text == "R" => {
                ("there is no operator `R`".into(), "release is `V`, or `release`")
            }
            Kind::Assign if self.formula && touching(Kind::Assign, Kind::Gt) => {
                ("there is no operator `=>`".into(), "implication is `->`")
            }
            Kind::LeftParen | Kind::Word if self.formula && matches!(self.previous_text(), "G" | "F") => {
                let last = self.previous_text();
                (format!("there is no operator `{last}`"), "always is `[]`, eventually is `<>`")
            }
            Kind::Word | Kind::Keyword(_) if self.awaits_block() => {
                ("statements must be in braces here".into(), "write `{ … }`")
            }
            Kind::Assign if self.previous == Kind::EqualEqual && !token.spaced => {
                ("there is no operator `===`".into(), "equality is `==`")
            }
            Kind::Assign if self.previous == Kind::NotEqual && !token.spaced => {
                ("there is no operator `!==`".into(), "inequality is `!=`")
            }
            Kind::Lt | Kind::Gt if self.previous == Kind::Assign && !token.spaced => (
                "there are no operators `=<` and `=>`".into(),
                "write `<=` or `>=`; implication is `!a || b`",
            ),
            Kind::Lt | Kind::Gt if self.previous == Kind::NotEqual && !token.spaced => {
                (format!("there is no operator `!={}`", token.text), "write `!=`, `<` or `>`")
            }
            Kind::Gt if self.previous == Kind::Lt && !token.spaced => {
                ("`<>` is a temporal operator and is allowed in formulas only".into(), "inequality is `!=`")
            }
            Kind::RightBracket if self.previous == Kind::LeftBracket && !self.formula => {
                ("an index is missing".into(), "`[]` is a temporal operator in formulas only")
            }
            Kind::Plus | Kind::Minus | Kind::Star | Kind::Slash | Kind::Percent | Kind::Amp | Kind::Bar
                if touching(token.kind, Kind::Assign) =>
            {
                let op = &token.text;
                (format!("there is no operator `{op}=`"), "write `x = x + 1`")
            }
            Kind::Assign if self.previous.is_operator() && !token.spaced => {
                ("operators and `=` cannot be combined".into(), "write `x = x + 1`")
            }
            _ => return None,
        })
    }

    /// What stands where it is not allowed.
    fn misplaced(&self, token: &Token) -> Option<(String, &'static str)> {
        Some(match token.kind {
            Kind::Assign if self.parens > 0 || self.formula => {
                ("an assignment is a statement and has no value".into(), "comparison is `==`")
            }
            Kind::Increment | Kind::Decrement => {
                let op = &token.text;
                (
                    format!("`{op}` after a variable makes a statement and cannot be part of an expression"),
                    "write `x++` and `x--` as separate statements",
                )
            }
            Kind::Question if self.kind_at(1) != Kind::LeftBracket => (
                "a receive or `? :` cannot be part of an expression".into(),
                "a receive is a statement; whether one is possible is `q?[…]`; a conditional value is `(c -> a : b)`",
            ),
            Kind::Arrow if self.parens > 0 => (
                "`->` is not allowed here".into(),
                "a conditional value is `(c -> a : b)`; implication is `!a || b`, and `->` in formulas",
            ),
            Kind::LeftParen if self.previous == Kind::Word && self.formula => (
                format!("expected an operator after `{}`, found `(`", self.previous_text()),
                "a formula calls nothing: write the condition itself, as in `[] (x < 4)`",
            ),
            Kind::LeftParen if self.previous == Kind::Word => {
                let last = self.previous_text();
                (
                    format!("no inline `{last}` is defined before this call"),
                    "define it earlier, as in `inline name(a, b) { … }`; processes are started with `run`",
                )
            }
            Kind::Keyword(Keyword::Eval) => {
                ("`eval` is allowed only in the arguments of a receive".into(), "leave it out")
            }
            Kind::Keyword(Keyword::SetPriority) => {
                ("`set_priority` is a statement and has no value".into(), "write it as a separate statement")
            }
            Kind::Keyword(Keyword::Else) => (
                "`else` cannot be part of an expression".into(),
                "write it alone, as the first statement of an alternative",
            ),
            Kind::Keyword(Keyword::Typedef | Keyword::Inline) if self.in_sequence => (
                format!("`{}` is allowed only outside of processes", token.text),
                "move it before the process, or add the missing `}`",
            ),
            Kind::LeftBrace if self.previous == Kind::RightParen && self.in_sequence => {
                let message = "a condition is a separate statement and cannot introduce a block";
                (message.into(), "write `if :: condition -> … :: else -> … fi`, or `do … od` for a loop")
            }
            Kind::Text => ("a string is allowed in `printf` only".into(), "a character is `'a'`"),
            _ => return None,
        })
    }

    /// The text of the token before the next one; empty at the beginning.
    fn previous_text(&self) -> &str {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or("", |token| &token.text)
    }

    /// Whether the token consumed last can only be followed by a block.
    fn awaits_block(&self) -> bool {
        matches!(self.previous, Kind::Keyword(Keyword::Atomic | Keyword::DStep))
    }

    /// Reports an `if` or `do` that is not followed by `::`.
    pub fn no_options(&mut self, word: Token, open: PlaceInfo, end: Keyword) -> Parse<Vec<Sequence>> {
        let text = word.text;
        let c_style = matches!(self.token().kind, Kind::LeftParen | Kind::LeftBrace);
        let message = format!("`{text}` needs alternatives, each with `::` before it");
        let help = if end == Keyword::Fi {
            "write `if :: condition -> … :: else -> … fi`"
        } else {
            "write `do :: condition -> … :: else -> break od`"
        };
        let reported =
            self.error(if c_style { codes::C_HABIT } else { codes::PROMELA_SYNTAX }, open, message, help);
        if self.closes_ahead() {
            // Skip the contents, up to their own end.
            let mut nest = 0usize;
            loop {
                match self.token().kind {
                    Kind::Keyword(Keyword::If | Keyword::Do) | Kind::LeftBrace => nest += 1,
                    Kind::Keyword(Keyword::Fi | Keyword::Od) | Kind::RightBrace => {
                        if nest == 0 {
                            self.advance();
                            break;
                        }
                        nest -= 1;
                    }
                    Kind::End => break,
                    _ => {}
                }
                self.advance();
            }
        } else {
            self.skip_balanced(Kind::LeftParen, Kind::RightParen);
        }
        self.previous = Kind::RightBrace;
        self.reported_at = Some(self.info());
        Err(reported)
    }

    /// Reports a loop or choice of C that Promela does not have.
    pub fn statement_of_c(&mut self) -> Parse<()> {
        let help = match &*self.token().text {
            "while" => "write `do :: condition -> … :: else -> break od`",
            "switch" => "write `if :: x == 1 -> … :: x == 2 -> … :: else -> … fi`",
            _ => return Ok(()),
        };
        if self.kind_at(1) != Kind::LeftParen {
            return Ok(());
        }
        let info = self.info();
        let message = format!("Promela has no `{}`", self.token().text);
        let reported = self.error(codes::C_HABIT, info, message, help);
        self.advance();
        self.skip_balanced(Kind::LeftParen, Kind::RightParen);
        self.skip_balanced(Kind::LeftBrace, Kind::RightBrace);
        self.previous = Kind::RightBrace;
        Err(reported)
    }

    /// After `for (`: reports a loop of C.
    pub fn c_style_for(&mut self, open: PlaceInfo) -> Parse<()> {
        let declares =
            matches!(self.token().kind, Kind::Keyword(Keyword::Int | Keyword::Byte | Keyword::Short));
        let at = usize::from(declares);
        if !(self.kind_at(at) == Kind::Word && self.kind_at(at + 1) == Kind::Assign) {
            return Ok(());
        }
        let variable = self.token_at(at).text.clone();
        let help = format!("write `for ({variable} : 0 .. n - 1) {{ … }}`, with {variable} declared before");
        let reported = self.error(codes::C_HABIT, open, "this is a loop of C", &help);
        let mut nest = 1usize;
        while !self.at_end() && nest > 0 {
            match self.token().kind {
                Kind::LeftParen => nest += 1,
                Kind::RightParen => nest -= 1,
                Kind::LeftBrace | Kind::RightBrace => break,
                _ => {}
            }
            self.advance();
        }
        self.skip_balanced(Kind::LeftBrace, Kind::RightBrace);
        self.previous = Kind::RightBrace;
        Err(reported)
    }
}
