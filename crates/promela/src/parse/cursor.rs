//! State of the parser: the tokens with lookahead, and the semicolons that ends of lines imply.
//!
//! Inside bodies and outside parentheses, the end of a line is a `;` if the last token of the line can end a statement:
//! a name, a constant, `++`, `--`, a closing bracket, `fi`, `od`, `else` or `break`. So `x = a` and `+ b` on the
//! next line are two statements, while `x = a +` and `b` are one. Before `unless` no semicolon is implied.

use crate::ast::{ExprId, Model, Unit};
use crate::place::{Place, PlaceInfo, join};
use crate::token::{Keyword, Kind, Token};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use volvelle_diagnostics::Diagnostic;

/// An error was reported; the caller that owns the construct recovers after it.
#[derive(Debug)]
pub(super) struct Reported;

/// The result of parsing a construct.
pub(super) type Parse<T> = Result<T, Reported>;

/// An inline whose body is being read.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub name: Arc<str>,
    /// The variable that `return` assigns to.
    pub target: Option<ExprId>,
}

/// The parser.
pub(super) struct Parser {
    pub model: Model,
    pub diagnostics: Vec<Diagnostic>,
    pub tokens: Vec<Token>,
    pub at: usize,
    /// The `;` that the end of the line implies before the next token was consumed.
    pub implied: bool,
    /// The token consumed last.
    pub previous: Kind,
    /// Its place.
    pub last: PlaceInfo,
    /// Ends of lines may imply semicolons.
    pub in_sequence: bool,
    /// Open parentheses and brackets.
    pub parens: usize,
    /// Temporal operators are allowed.
    pub formula: bool,
    /// Expressions that contain temporal operators.
    pub temporal: FxHashSet<ExprId>,
    /// Depth of nesting of statements and parentheses.
    pub depth: usize,
    /// Names of all process types.
    pub proctypes: FxHashSet<Arc<str>>,
    /// Names that the model declares: in formulas these are no operators where both can be meant.
    pub declared: FxHashSet<Arc<str>>,
    /// Names of all user-defined types.
    pub typedefs: FxHashSet<Arc<str>>,
    /// Inlines whose bodies are being read.
    pub calls: Vec<Call>,
    /// Tokens made by inlines so far.
    pub copied: usize,
    /// The token at which the last diagnostic was reported.
    pub reported_at: Option<PlaceInfo>,
}

impl Parser {
    pub fn new(model: Model, tokens: Vec<Token>, diagnostics: Vec<Diagnostic>) -> Parser {
        let names_after = |words: &[Keyword]| -> FxHashSet<Arc<str>> {
            let after = |kind| matches!(kind, Kind::Keyword(word) if words.contains(&word));
            let pairs = tokens.windows(2).filter(|pair| after(pair[0].kind) && pair[1].kind == Kind::Word);
            pairs.map(|pair| pair[1].text.clone()).collect()
        };
        let typedefs = names_after(&[Keyword::Typedef]);
        let proctypes = names_after(&[Keyword::Proctype, Keyword::DProctype]);
        let last = PlaceInfo { span: tokens[0].span, through: None };
        Parser {
            model,
            diagnostics,
            tokens,
            at: 0,
            implied: false,
            previous: Kind::End,
            last,
            in_sequence: false,
            parens: 0,
            formula: false,
            temporal: FxHashSet::default(),
            depth: 0,
            proctypes,
            declared: FxHashSet::default(),
            typedefs,
            calls: Vec::new(),
            copied: 0,
            reported_at: None,
        }
    }

    /// Takes the names of process types and of global variables from the tree.
    pub fn know_names(&mut self) {
        for unit in &self.model.units {
            match unit {
                Unit::Proctype(proctype) => _ = self.proctypes.insert(proctype.name.text.as_str().into()),
                Unit::Declaration(declaration) => {
                    let names = declaration.variables.iter().map(|v| v.name.text.as_str().into());
                    self.declared.extend(names);
                }
                Unit::Mtype { names, .. } => {
                    self.declared.extend(names.iter().map(|name| name.text.as_str().into()));
                }
                _ => {}
            }
        }
    }

    /// The tree, and the diagnostics in the order of the texts.
    pub fn finish(self) -> (Model, Vec<Diagnostic>) {
        let mut diagnostics = self.diagnostics;
        diagnostics.sort_by_key(|d| d.primary.as_ref().map(|label| (label.span.file, label.span.start)));
        (self.model, diagnostics)
    }

    /// The token `ahead` of the next one, without implied semicolons.
    pub fn token_at(&self, ahead: usize) -> &Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub fn token(&self) -> &Token {
        self.token_at(0)
    }

    pub fn kind_at(&self, ahead: usize) -> Kind {
        self.token_at(ahead).kind
    }

    /// The next token's kind; `;` where the end of a line implies one.
    pub fn peek(&self) -> Kind {
        if self.line_ends() { Kind::Semi } else { self.token().kind }
    }

    pub fn at_end(&self) -> bool {
        self.token().kind == Kind::End
    }

    pub fn line_ends(&self) -> bool {
        self.in_sequence
            && self.parens == 0
            && !self.implied
            && self.token().starts_line
            && self.token().kind != Kind::Keyword(Keyword::Unless)
            && ends_statement(self.previous)
    }

    pub fn at_keyword(&self, word: Keyword) -> bool {
        self.peek() == Kind::Keyword(word)
    }

    /// Whether the next two tokens are of these kinds, with no space between them.
    pub fn at_joined(&self, first: Kind, second: Kind) -> bool {
        self.joined_at(0, first, second)
    }

    pub fn joined_at(&self, ahead: usize, first: Kind, second: Kind) -> bool {
        let next = self.token_at(ahead + 1);
        self.kind_at(ahead) == first && next.kind == second && !next.spaced
    }

    /// Consumes the next token, or the implied semicolon before it; the end token is never consumed.
    pub fn bump(&mut self) -> Token {
        if self.line_ends() {
            self.implied = true;
            self.previous = Kind::Semi;
            return Token { kind: Kind::Semi, text: ";".into(), ..self.token().clone() };
        }
        let token = self.token().clone();
        self.implied = false;
        self.previous = token.kind;
        self.last = token.info();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    pub fn eat(&mut self, kind: Kind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.bump();
        }
        found
    }

    pub fn eat_keyword(&mut self, word: Keyword) -> bool {
        self.eat(Kind::Keyword(word))
    }

    /// Consumes a `;`, written or implied, or a `->`.
    pub fn eat_separator(&mut self) -> bool {
        self.eat(Kind::Semi) || self.eat(Kind::Arrow)
    }

    /// The place of the next token.
    pub fn info(&self) -> PlaceInfo {
        let token = self.token();
        token.info()
    }

    /// The place of a token.
    pub fn place(&mut self, token: &Token) -> Place {
        self.model.places.add(token.info())
    }

    /// The place from a start to the token consumed last.
    pub fn place_from(&mut self, start: PlaceInfo) -> Place {
        let all = join(&self.model.places, start, self.last);
        self.model.places.add(all)
    }
}

fn ends_statement(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Word
            | Kind::Number
            | Kind::Char
            | Kind::Increment
            | Kind::Decrement
            | Kind::RightParen
            | Kind::RightBracket
            | Kind::RightBrace
            | Kind::Keyword(
                Keyword::Fi
                    | Keyword::Od
                    | Keyword::Else
                    | Keyword::Break
                    | Keyword::True
                    | Keyword::False
                    | Keyword::Skip
                    | Keyword::Timeout
            )
    )
}
