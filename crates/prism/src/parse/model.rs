//! Declarations of a model file: type, constants, formulas, labels, variables, rewards, initial states.

use crate::ast::{
    ConstType, Constant, Declares, ExprId, Formula, LabelDecl, Model, ModelType, Name, RewardItem, Rewards,
    VarType, Variable,
};
use crate::lex::{Keyword, TokenKind};
use crate::parse::cursor::{Parsed, Parser, opens_or_closes};
use crate::parse::frames::Mode;
use volvelle_diagnostics::{Diagnostic, Fix, Span, codes};

/// Model types of PRISM and its relatives that are recognised in order to be refused by name.
const OTHER_MODEL_TYPES: [&str; 11] =
    ["smg", "csg", "tsg", "stpg", "idtmc", "imdp", "ipomdp", "ctmdp", "ma", "lts", "gsmp"];

impl Parser<'_> {
    /// A whole model file.
    pub(super) fn model(&mut self, model: &mut Model) {
        while self.peek() != TokenKind::End {
            let before = self.number();
            self.declaration(model);
            if self.number() == before {
                // Nothing was consumed: a token that starts no declaration.
                self.advance();
            }
        }
    }

    fn declaration(&mut self, model: &mut Model) {
        let token = self.token();
        let TokenKind::Keyword(word) = token.kind else {
            return self.unreserved_declaration(model);
        };
        self.declared(word, model);
    }

    /// A declaration that the next token begins, which is this word or is read as it.
    fn declared(&mut self, word: Keyword, model: &mut Model) {
        use Keyword as K;
        match word {
            K::Dtmc | K::Probabilistic => self.model_type(model, ModelType::Dtmc),
            K::Ctmc | K::Stochastic => self.model_type(model, ModelType::Ctmc),
            K::Mdp | K::Nondeterministic => self.model_type(model, ModelType::Mdp),
            K::Pta => self.model_type(model, ModelType::Unsupported("pta")),
            K::Pomdp => self.model_type(model, ModelType::Unsupported("pomdp")),
            K::Popta => self.model_type(model, ModelType::Unsupported("popta")),
            K::Const | K::Rate | K::Prob => model.constants.extend(self.constant().ok()),
            K::Formula => model.formulas.extend(self.formula(Mode::PLAIN).ok()),
            K::Label => model.labels.extend(self.label(Mode::PLAIN).ok()),
            K::Global => {
                self.advance();
                model.globals.extend(self.variable().ok());
            }
            K::Module => model.modules.extend(self.module(&mut model.unsupported).ok()),
            K::Rewards => model.rewards.extend(self.rewards().ok()),
            K::Init => self.init(model),
            K::System => model.systems.extend(self.system_block().ok()),
            K::Observables => {
                self.skip_block("endobservables", "the block `observables`", model);
            }
            K::Observable => {
                let start = self.span();
                self.skip_statement_after_start();
                model.unsupported.push(("the definition of an observable", start.to(self.last_span())));
            }
            _ => self.no_declaration(),
        }
    }

    fn unreserved_declaration(&mut self, model: &mut Model) {
        if self.peek() == TokenKind::Ident {
            let text = self.text_of(self.token());
            if let Some(name) = OTHER_MODEL_TYPES.iter().find(|name| **name == text) {
                return self.model_type(model, ModelType::Unsupported(name));
            }
            if self.at_player() {
                return self.player(model);
            }
        }
        match self.misspelt_beginning() {
            Some(word) => self.declared(word, model),
            None => self.no_declaration(),
        }
    }

    /// Reports a token that begins no declaration, and skips to one that may.
    fn no_declaration(&mut self) {
        if self.peek() == TokenKind::Ident && self.ahead(1).kind == TokenKind::Colon {
            let (message, help) = (
                "variables are declared inside a module",
                "declare a variable of the whole model with `global`",
            );
            let outside = Diagnostic::error(codes::UNEXPECTED_TOKEN, message).at(self.span(), "").help(help);
            self.report(outside.fix(Fix::before("declare it with `global`", self.span(), "global ")));
        } else if self.at_keyword(Keyword::Endmodule) {
            let _ = self.unexpected("a declaration (no module is open here)");
        } else if self.peek() == TokenKind::LeftBracket {
            let _ = self.unexpected("a declaration (commands belong inside `module … endmodule`)");
        } else {
            let _ = self.unexpected("a declaration, such as `const`, `module` or `rewards`");
        }
        self.advance();
        self.skip_to_declaration();
    }

    /// Skips to a word that opens a declaration at the start of a line, or to behind the next `;`.
    pub(super) fn skip_to_declaration(&mut self) {
        loop {
            match self.peek() {
                TokenKind::End => return,
                TokenKind::Semicolon => {
                    self.advance();
                    return;
                }
                TokenKind::Keyword(word) if opens_or_closes(word) && self.token().starts_line => return,
                _ => self.advance(),
            };
        }
    }

    fn skip_statement_after_start(&mut self) {
        self.advance();
        self.skip_statement();
    }

    /// Skips a block that is read only to be refused, up to the word that ends it.
    fn skip_block(&mut self, end: &str, what: &'static str, model: &mut Model) {
        let start = self.span();
        self.advance();
        loop {
            let token = self.token();
            let ended = self.text_of(token) == end;
            match token.kind {
                TokenKind::End => {
                    let _ = self.unexpected(&format!("`{end}`"));
                    break;
                }
                TokenKind::Keyword(word) if !ended && opens_or_closes(word) && token.starts_line => {
                    let _ = self.unexpected(&format!("`{end}`"));
                    break;
                }
                _ => self.advance(),
            };
            if ended {
                break;
            }
        }
        model.unsupported.push((what, start.to(self.last_span())));
    }

    fn model_type(&mut self, model: &mut Model, ty: ModelType) {
        let span = self.advance().span(self.file);
        if let Some((_, first)) = model.ty {
            self.report(
                Diagnostic::error(codes::DUPLICATE_NAME, "the model type is given twice")
                    .at(span, "")
                    .also(first, "first given here")
                    .help("keep one of them"),
            );
        }
        model.ty = Some((ty, span));
        // A model type stands alone; some write a `;` behind it.
        if self.peek() == TokenKind::Semicolon {
            let fix = Fix::remove("remove `;`", self.span());
            self.slip(self.span(), "there is no `;` after the model type", "remove it", fix);
            self.advance();
        }
    }

    /// `const int N = 5;`, `const N = 5;`, `rate r = 2.0;`
    pub(super) fn constant(&mut self) -> Parsed<Constant> {
        let start = self.span();
        let result = self.constant_head();
        let (name, ty, value) = self.or_broken(Declares::Constant, start, result)?;
        self.semicolon("after the constant");
        Ok(Constant { name, ty, value, span: start.to(self.last_span()) })
    }

    fn constant_head(&mut self) -> Parsed<(Name, ConstType, Option<ExprId>)> {
        let old_style = self.at_keyword(Keyword::Rate) || self.at_keyword(Keyword::Prob);
        self.advance();
        let ty = match self.peek() {
            _ if old_style => ConstType::Double,
            TokenKind::Keyword(Keyword::Int) => {
                self.advance();
                ConstType::Int
            }
            TokenKind::Keyword(Keyword::Double) => {
                self.advance();
                ConstType::Double
            }
            TokenKind::Keyword(Keyword::Bool) => {
                self.advance();
                ConstType::Bool
            }
            _ => ConstType::Int,
        };
        let name = self.name("the constant")?;
        self.started = Some(name.span);
        let value = if self.eat_defines() { Some(self.expression(Mode::PLAIN)?) } else { None };
        Ok((name, ty, value))
    }

    /// `=`; a `:=` in its place is reported and taken.
    pub(super) fn eat_defines(&mut self) -> bool {
        if self.at_joined(TokenKind::Colon, TokenKind::Eq) {
            let span = self.joined_span(2);
            let fix = Fix::replace("write `=`", span, "=");
            self.slip(span, "PRISM defines with `=`, not `:=`", "write `=`", fix);
            self.advance();
        }
        self.take(TokenKind::Eq)
    }

    fn defines(&mut self, place: &str) -> Parsed<()> {
        if self.eat_defines() {
            return Ok(());
        }
        self.expect(TokenKind::Eq, place).map(drop)
    }

    /// `formula name = e;`
    pub(super) fn formula(&mut self, mode: Mode) -> Parsed<Formula> {
        let start = self.advance().span(self.file);
        let result = self.formula_head(mode);
        let (name, body) = self.or_broken(Declares::Formula, start, result)?;
        self.semicolon("after the formula");
        Ok(Formula { name, body, span: start.to(self.last_span()) })
    }

    fn formula_head(&mut self, mode: Mode) -> Parsed<(Name, ExprId)> {
        let name = self.name("the formula")?;
        self.started = Some(name.span);
        self.defines("after the name of the formula")?;
        let body = self.expression(mode)?;
        Ok((name, body))
    }

    /// `label "name" = e;`
    pub(super) fn label(&mut self, mode: Mode) -> Parsed<LabelDecl> {
        let start = self.advance().span(self.file);
        let result = self.label_head(mode);
        let (name, body) = self.or_broken(Declares::Label, start, result)?;
        self.semicolon("after the label");
        Ok(LabelDecl { name, body, span: start.to(self.last_span()) })
    }

    fn label_head(&mut self, mode: Mode) -> Parsed<(Name, ExprId)> {
        let name = self.quoted("the label")?;
        self.started = Some(name.span);
        self.defines("after the name of the label")?;
        let body = self.expression(mode)?;
        Ok((name, body))
    }

    /// After an error, skips the rest of the statement.
    pub(super) fn or_skip<T>(&mut self, result: Parsed<T>) -> Parsed<T> {
        if result.is_err() {
            self.skip_statement();
        }
        result
    }

    /// `x : [0..3] init 0;`, without `global`.
    pub(super) fn variable(&mut self) -> Parsed<Variable> {
        let start = self.span();
        let result = self.variable_head();
        let (name, ty, init) = self.or_broken(Declares::Variable, start, result)?;
        self.semicolon("after the variable");
        Ok(Variable { name, ty, init, span: start.to(self.last_span()) })
    }

    fn variable_head(&mut self) -> Parsed<(Name, VarType, Option<ExprId>)> {
        let name = self.name("the variable")?;
        self.started = Some(name.span);
        self.expect(TokenKind::Colon, "after the name of the variable")?;
        let ty = self.variable_type()?;
        if self.peek() == TokenKind::Eq {
            let (here, next) = (self.span(), self.ahead(1));
            let gap = |is_gap: bool| if is_gap { " " } else { "" };
            let (left, right) = (gap(here.start == self.last_span().end), gap(here.end == next.start));
            let fix = Fix::replace("write `init`", here, format!("{left}init{right}"));
            self.slip(here, "an initial value follows the word `init`", "write `init` instead of `=`", fix);
            self.advance();
        } else if !self.at_keyword(Keyword::Init) {
            return Ok((name, ty, None));
        } else {
            self.advance();
        }
        let init = self.expression(Mode::PLAIN)?;
        Ok((name, ty, Some(init)))
    }

    fn variable_type(&mut self) -> Parsed<VarType> {
        let simple = match self.peek() {
            TokenKind::Keyword(Keyword::Bool) => VarType::Bool,
            TokenKind::Keyword(Keyword::Int) => VarType::Int,
            TokenKind::Keyword(Keyword::Double) => VarType::Double,
            TokenKind::Keyword(Keyword::Clock) => VarType::Clock,
            TokenKind::LeftBracket => return self.range(),
            _ => return Err(self.unexpected("the range of the variable (`[0..5]`), `bool` or `int`")),
        };
        self.advance();
        Ok(simple)
    }

    fn range(&mut self) -> Parsed<VarType> {
        let open = self.advance().span(self.file);
        let lo = self.expression(Mode::PLAIN)?;
        if self.peek() == TokenKind::Comma {
            let fix = Fix::replace("write `..`", self.span(), "..");
            self.slip(self.span(), "the ends of a range are separated by `..`", "write `[lo..hi]`", fix);
            self.advance();
        } else {
            self.expect(TokenKind::Dots, "between the ends of the range")?;
        }
        let hi = self.expression(Mode::PLAIN)?;
        self.closing(TokenKind::RightBracket, open)?;
        Ok(VarType::Range { lo, hi })
    }

    /// `rewards "name" … endrewards`
    fn rewards(&mut self) -> Parsed<Rewards> {
        let start = self.advance().span(self.file);
        let unquoted = self.peek() == TokenKind::Ident && !self.token().starts_line && self.starts_item(1);
        let name = if self.peek() == TokenKind::Quoted || unquoted {
            self.quoted("the reward structure").ok()
        } else {
            None
        };
        let mut items = Vec::new();
        while !self.block_ends(Keyword::Endrewards) {
            let before = self.number();
            items.extend(self.reward_item().ok());
            if self.number() == before {
                self.advance();
            }
        }
        self.end_of_block(Keyword::Endrewards, start, "this reward structure");
        Ok(Rewards { name, items, span: start.to(self.last_span()) })
    }

    /// Whether a line starts `ahead` that cannot continue an expression.
    fn starts_item(&self, ahead: usize) -> bool {
        use TokenKind as T;
        self.ahead(ahead).starts_line
            && match self.ahead(ahead).kind {
                T::Ident | T::Int | T::Real | T::Not | T::LeftParen | T::LeftBracket => true,
                T::Keyword(word) => !matches!(word, Keyword::U | Keyword::W | Keyword::R),
                _ => false,
            }
    }

    /// Whether the next token ends a block: its own word, or one that can only stand outside.
    pub(super) fn block_ends(&self, end: Keyword) -> bool {
        match self.peek() {
            TokenKind::End => true,
            TokenKind::Keyword(word) => word == end || opens_or_closes(word),
            TokenKind::Ident => self.at_misspelt_end(end),
            _ => false,
        }
    }

    /// Consumes the word that ends a block, or reports that it is missing.
    pub(super) fn end_of_block(&mut self, end: Keyword, start: Span, what: &str) {
        if self.at_keyword(end) {
            self.advance();
            return;
        }
        if self.at_misspelt_end(end) {
            return self.misspelt_end(end, start, what);
        }
        if self.peek() == TokenKind::End {
            let message = format!("{what} has no end");
            let help = format!("add `{}`", end.text());
            let diagnostic = Diagnostic::error(codes::UNTERMINATED, message).at(start, "").help(&help);
            return self.report(diagnostic.fix(self.added_end(end)));
        }
        let message = format!("expected `{}`, found {}", end.text(), self.describe(self.token()));
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
            .at(self.span(), "")
            .also(start, format!("to close {what}"));
        self.report(diagnostic.fix(self.added_end(end)));
    }

    /// The word that ends a block, on a line of its own behind what was read.
    fn added_end(&self, end: Keyword) -> Fix {
        let word = end.text();
        Fix::behind(format!("add `{word}`"), self.last_span(), format!("\n{word}")).certain()
    }

    fn reward_item(&mut self) -> Parsed<RewardItem> {
        let start = self.span();
        let result = self.reward_head(start);
        let mut item = self.or_skip(result)?;
        self.semicolon("after the reward");
        item.span = start.to(self.last_span());
        Ok(item)
    }

    /// A line of a reward structure without its `;`.
    fn reward_head(&mut self, start: Span) -> Parsed<RewardItem> {
        let mut action = None;
        if self.peek() == TokenKind::LeftBracket {
            let open = self.advance().span(self.file);
            action = Some(match self.peek() {
                TokenKind::RightBracket => None,
                _ => Some(self.name("the action")?),
            });
            self.closing(TokenKind::RightBracket, open)?;
        }
        let guard = self.expression(Mode::PLAIN)?;
        if self.peek() == TokenKind::Arrow {
            let fix = Fix::replace("write `:`", self.span(), ":");
            let message = "a reward is separated from its guard by `:`";
            self.slip(self.span(), message, "write `guard : reward;`", fix);
            self.advance();
        } else {
            self.expect(TokenKind::Colon, "between the guard and the reward")?;
        }
        let value = self.expression(Mode::PLAIN)?;
        Ok(RewardItem { action, guard, value, span: start })
    }

    /// `init … endinit`
    fn init(&mut self, model: &mut Model) {
        let start = self.advance().span(self.file);
        let Ok(states) = self.expression(Mode::PLAIN) else {
            self.skip_statement();
            if self.at_keyword(Keyword::Endinit) {
                self.advance();
            }
            return;
        };
        if self.peek() == TokenKind::Semicolon {
            let fix = Fix::remove("remove `;`", self.span());
            self.slip(self.span(), "there is no `;` before `endinit`", "remove it", fix);
            self.advance();
        }
        self.end_of_block(Keyword::Endinit, start, "this condition");
        let span = start.to(self.last_span());
        if let Some((_, first)) = model.init {
            self.report(
                Diagnostic::error(codes::DUPLICATE_NAME, "the initial states are given twice")
                    .at(start, "")
                    .also(first, "first given here")
                    .help("join both conditions in one `init … endinit`"),
            );
        }
        model.init = Some((states, span));
    }
}
