//! Inlines: defined once, parsed anew at every call.
//!
//! The tokens of an argument replace its parameter wherever that is a whole word, and are not scanned for parameters
//! again. Every call is a block, with a scope of its own. `x = name(…)` takes the value of the inline: every `return e` in
//! it becomes `x = e`, and does not leave it.

use super::cursor::{Call, Parse, Parser, Reported};
use crate::ast::ExprId;
use crate::definitions::{Definition, Inline};
use crate::place::{Place, PlaceInfo, join};
use crate::preprocess::TOKEN_LIMIT;
use crate::token::{Keyword, Kind, Token};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, codes};

/// The tokens with which the parser continues after a call.
pub(super) struct OpenCall {
    /// All of the call.
    place: PlaceInfo,
    tokens: Vec<Token>,
    at: usize,
    parens: usize,
}

impl Parser {
    pub fn at_inline_name(&self) -> bool {
        self.token().kind == Kind::Word && self.model.definitions.inlines.0.contains_key(&self.token().text)
    }

    /// Whether a call stands here.
    pub fn at_inline(&self) -> bool {
        self.at_inline_name() && self.kind_at(1) == Kind::LeftParen
    }

    /// Reports the name of an inline that is used as a variable or the like.
    pub fn check_no_inline(&mut self, token: &Token) -> Parse<()> {
        let Some(inline) = self.model.definitions.inlines.0.get(&token.text) else { return Ok(()) };
        let defined = inline.name;
        let info = token.info();
        let message = format!("the inline `{}` cannot be used like this", token.text);
        let help = "calls are statements, `name(…)`, or the right side of an assignment, `x = name(…)`";
        let mut diagnostic = Diagnostic::error(codes::INLINE_CALL, message);
        if defined.through.is_none() {
            diagnostic = diagnostic.also(defined.span, "defined here");
        }
        Err(self.report_at(diagnostic, info, help))
    }

    /// Parses a definition, from `inline` on.
    pub fn define_inline(&mut self) -> Parse<()> {
        let start = self.bump().span;
        let name = self.expect(Kind::Word, "the name of an inline")?;
        let info = self.last;
        let parameters = self.enclosed(Kind::LeftParen, Kind::RightParen, |parser| {
            let mut names = Vec::new();
            while parser.peek() != Kind::RightParen {
                let token = parser.expect(Kind::Word, "the name of a parameter")?;
                names.push(token);
                if !parser.eat(Kind::Comma) {
                    break;
                }
            }
            Ok(names)
        })?;
        let open = self.info();
        if self.token().kind != Kind::LeftBrace {
            return Err(self.unexpected("`{`"));
        }
        let begin = self.at;
        let mut nest = 0usize;
        loop {
            let kind = self.token().kind;
            match kind {
                Kind::LeftBrace => nest += 1,
                Kind::RightBrace => nest -= 1,
                Kind::End | Kind::Keyword(Keyword::Proctype | Keyword::Active | Keyword::Inline) => {
                    return Err(self.unexpected_with("`}`", Some(open)));
                }
                _ => {}
            }
            self.advance();
            if nest == 0 {
                break;
            }
        }
        let body = self.tokens[begin..self.at].to_vec();
        if let Some(earlier) = self.model.definitions.inlines.0.get(&name.text) {
            let earlier = earlier.name;
            let diagnostic =
                Diagnostic::error(codes::INLINE_CALL, format!("the inline `{}` is defined twice", name.text))
                    .also(earlier.span, "first defined here");
            self.report_at(diagnostic, info, "give one of them another name");
            self.reported_at = None;
        }
        let whole = start.to(self.last.span);
        let definition = Definition::new(&name, whole, true, &parameters, &body);
        self.model.definitions.written.definitions.push(definition);
        let parameters = parameters.into_iter().map(|token| token.text).collect();
        let inline = Arc::new(Inline { parameters, body, name: info });
        self.model.definitions.inlines.0.insert(name.text, inline);
        Ok(())
    }

    /// Begins a call of an inline, at its name: the tokens to be read next are those of the body. `None` for a call
    /// without a body, which was reported.
    pub fn open_inline(&mut self, target: Option<ExprId>) -> Parse<Option<OpenCall>> {
        let name = self.bump();
        let info = self.last;
        let Some(inline) = self.model.definitions.inlines.0.get(&name.text).cloned() else {
            return Err(Reported);
        };
        self.model.definitions.written.uses.entry(name.span).or_insert(inline.name.span);
        let arguments = self.given_arguments(info)?;
        if arguments.len() != inline.parameters.len() {
            let count = |n: usize| if n == 1 { "1 argument".to_owned() } else { format!("{n} arguments") };
            let wanted = count(inline.parameters.len());
            let message = format!("the inline `{}` takes {wanted}, not {}", name.text, arguments.len());
            let mut diagnostic = Diagnostic::error(codes::INLINE_CALL, message);
            if inline.name.through == info.through {
                diagnostic = diagnostic.also(inline.name.span, "defined here");
            }
            self.report_at(diagnostic, info, "");
            self.previous = Kind::RightBrace;
            return Ok(None);
        }
        if self.calls.iter().any(|call| call.name == name.text) {
            let message = format!("the inline `{}` calls itself", name.text);
            let help =
                "an inline is expanded as text; for repetition use a loop, or a process that runs itself";
            return Err(self.error(codes::INLINE_CALL, info, message, help));
        }
        if self.copied > TOKEN_LIMIT {
            // Reported before.
            return Err(Reported);
        }
        let all = join(&self.model.places, info, self.last);
        let call = self.model.places.add(all);
        self.model.inline_calls.insert(call);
        let body = self.instantiated(&inline, &arguments, call);
        self.copied = self.copied.saturating_add(body.len());
        if self.copied > TOKEN_LIMIT {
            let message = format!("the inline calls expand to more than {TOKEN_LIMIT} tokens");
            return Err(self.error(
                codes::EXPANSION_LIMIT,
                info,
                message,
                "look for inlines that double their text",
            ));
        }
        self.calls.push(Call { name: name.text, target });
        let open = OpenCall {
            place: all,
            tokens: std::mem::replace(&mut self.tokens, body),
            at: std::mem::take(&mut self.at),
            parens: std::mem::take(&mut self.parens),
        };
        self.implied = true;
        Ok(Some(open))
    }

    /// Continues after a call whose body was parsed.
    pub fn close_inline(&mut self, open: OpenCall) {
        self.calls.pop();
        self.tokens = open.tokens;
        self.at = open.at;
        self.parens = open.parens;
        self.implied = false;
        self.previous = Kind::RightBrace;
        self.last = open.place;
    }

    /// The arguments of a call, as they are written.
    fn given_arguments(&mut self, name: PlaceInfo) -> Parse<Vec<Vec<Token>>> {
        self.advance();
        let mut all: Vec<Vec<Token>> = vec![Vec::new()];
        let mut nest = 0usize;
        loop {
            let token = self.token().clone();
            match token.kind {
                Kind::End
                | Kind::Semi
                | Kind::Keyword(Keyword::Proctype | Keyword::Active | Keyword::Inline) => {
                    return Err(self.error(
                        codes::INLINE_CALL,
                        name,
                        "the arguments of this call have no closing `)`",
                        "",
                    ));
                }
                Kind::LeftParen | Kind::LeftBracket | Kind::LeftBrace => nest += 1,
                Kind::RightParen if nest == 0 => break,
                Kind::RightParen | Kind::RightBracket | Kind::RightBrace => nest = nest.saturating_sub(1),
                Kind::Comma if nest == 0 => {
                    all.push(Vec::new());
                    self.advance();
                    continue;
                }
                _ => {}
            }
            if let Some(last) = all.last_mut() {
                last.push(token);
            }
            self.advance();
        }
        self.advance();
        if all.len() == 1 && all[0].is_empty() {
            all.clear();
        }
        if all.iter().any(Vec::is_empty) {
            let message = "an argument of this call is empty";
            return Err(self.error(
                codes::INLINE_CALL,
                name,
                message,
                "write an expression between the commas",
            ));
        }
        Ok(all)
    }

    /// The body of an inline for one call, with an end token.
    fn instantiated(&mut self, inline: &Inline, arguments: &[Vec<Token>], call: Place) -> Vec<Token> {
        let mut out = Vec::with_capacity(inline.body.len() + 1);
        let mut moved: FxHashMap<Place, Place> = FxHashMap::default();
        for token in &inline.body {
            let parameter = (token.kind == Kind::Word)
                .then(|| inline.parameters.iter().position(|name| *name == token.text))
                .flatten();
            if let Some(index) = parameter {
                for (i, given) in arguments[index].iter().enumerate() {
                    let (spaced, starts_line) = if i == 0 {
                        (token.spaced, token.starts_line)
                    } else {
                        (given.spaced || given.starts_line, false)
                    };
                    out.push(Token { spaced, starts_line, ..given.clone() });
                }
            } else {
                let through = Some(self.moved(token.through, call, &mut moved));
                out.push(Token { through, ..token.clone() });
            }
            if out.len() > TOKEN_LIMIT {
                break;
            }
        }
        let end = self.model.places.get(call);
        out.push(Token {
            kind: Kind::End,
            text: "".into(),
            span: end.span,
            through: end.through,
            spaced: true,
            starts_line: true,
            painted: false,
        });
        out
    }

    /// The calls of macros through which a token came into the body, as calls inside the call of the inline.
    fn moved(&mut self, through: Option<Place>, call: Place, moved: &mut FxHashMap<Place, Place>) -> Place {
        let mut chain = Vec::new();
        let mut at = through;
        let mut outer = call;
        while let Some(place) = at {
            if let Some(&known) = moved.get(&place) {
                outer = known;
                break;
            }
            chain.push(place);
            at = self.model.places.get(place).through;
        }
        for place in chain.into_iter().rev() {
            let span = self.model.places.span(place);
            outer = self.model.places.add(PlaceInfo { span, through: Some(outer) });
            moved.insert(place, outer);
        }
        outer
    }
}
