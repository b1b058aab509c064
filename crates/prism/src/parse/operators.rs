//! The operators of properties: `P`, `R`, `S`, `T`, `A`, `E`, `filter`.
//!
//! PRISM manual, *Property Specification*; `T` and `||` after Storm. Each part that is an expression is read
//! under a frame; [`Parser::close_property_part`] goes on when it is complete.

use crate::ast::{
    BinaryOp, ExprKind, Name, OldFilter, Optimum, QuantileVariable, Query, RewardName, RewardPath, Temporal,
};
use crate::lex::{Keyword, TokenKind, quoted_name};
use crate::parse::cursor::{Parsed, Parser};
use crate::parse::expr::Next;
use crate::parse::frames::{Body, Frame, Head, Mode, Operator, PendingTemporal};
use volvelle_diagnostics::codes;

const NESTED_OPTIMA: &str = "nested optima such as `minmax`";

impl Parser<'_> {
    /// An operator that starts with a reserved word; `None` where the word starts none.
    pub(super) fn property_operator(&mut self, word: Keyword) -> Option<Parsed<Next>> {
        Some(match word {
            Keyword::P => self.operator(Head::Prob, None),
            Keyword::Pmin => self.operator(Head::Prob, Some(Optimum::Min)),
            Keyword::Pmax => self.operator(Head::Prob, Some(Optimum::Max)),
            Keyword::R => self.operator(Head::Reward(RewardName::First), None),
            Keyword::Rmin => self.operator(Head::Reward(RewardName::First), Some(Optimum::Min)),
            Keyword::Rmax => self.operator(Head::Reward(RewardName::First), Some(Optimum::Max)),
            Keyword::S => self.operator(Head::Steady, None),
            Keyword::A => self.quantifier(true),
            Keyword::E => self.quantifier(false),
            Keyword::Filter => self.filter(),
            _ => return None,
        })
    }

    /// An operator that starts with an unreserved name: `T`, `Smin`, and operators that are read to be refused.
    /// `T` and `Smin` are operators only before `=?`, and before a comparison whose right side ends at a `[`.
    pub(super) fn named_operator(&mut self) -> Option<Parsed<Next>> {
        let text = self.text_of(self.token());
        if text == "quantile" && self.ahead(1).kind == TokenKind::LeftParen {
            return Some(self.quantile());
        }
        let asks = self.ahead(1).kind == TokenKind::Eq && self.ahead(2).kind == TokenKind::Question;
        let mut operator = match text {
            "T" | "Tmin" | "Tmax" => {
                let named = match text {
                    "Tmin" => Some(Optimum::Min),
                    "Tmax" => Some(Optimum::Max),
                    _ => None,
                };
                let spaced = named.is_none()
                    && matches!(self.ahead(1).kind, TokenKind::Keyword(Keyword::Min | Keyword::Max));
                let measured = self.ahead(1).kind == TokenKind::LeftBracket
                    && self.ahead(2).kind == TokenKind::Ident
                    && matches!(self.text_of(self.ahead(2)), "exp" | "var")
                    && self.ahead(3).kind == TokenKind::RightBracket;
                if !(asks || spaced || measured || self.is_threshold_of_operator()) {
                    return None;
                }
                self.start_operator(Head::Time, named)
            }
            "Pminmin" | "Pminmax" | "Pmaxmin" | "Pmaxmax" if asks => self.start_operator(Head::Prob, None),
            "Rminmin" | "Rminmax" | "Rmaxmin" | "Rmaxmax" if asks => {
                self.start_operator(Head::Reward(RewardName::First), None)
            }
            "Smin" | "Smax" if asks || self.is_threshold_of_operator() => {
                let optimum = if text == "Smin" { Optimum::Min } else { Optimum::Max };
                self.start_operator(Head::Steady, Some(optimum))
            }
            // Storm's name for it.
            "LRA" if asks || self.is_threshold_of_operator() => self.start_operator(Head::Steady, None),
            "LRAmin" | "LRAmax" if asks || self.is_threshold_of_operator() => {
                let optimum = if text == "LRAmin" { Optimum::Min } else { Optimum::Max };
                self.start_operator(Head::Steady, Some(optimum))
            }
            _ => return None,
        };
        operator.refused = match operator.head {
            Head::Time | Head::Steady => None,
            _ => Some(NESTED_OPTIMA),
        };
        Some(self.query(operator))
    }

    /// Whether a comparison and then, behind a simple expression, `[` follow the next token.
    fn is_threshold_of_operator(&self) -> bool {
        use TokenKind as T;
        if !matches!(self.ahead(1).kind, T::Lt | T::Le | T::Gt | T::Ge) {
            return false;
        }
        let mut depth = 0usize;
        let mut ahead = 2;
        loop {
            match self.ahead(ahead).kind {
                T::LeftParen => depth += 1,
                T::RightParen if depth > 0 => depth -= 1,
                T::End | T::Semicolon | T::RightBracket | T::LeftBrace | T::RightBrace => return false,
                T::LeftBracket => return depth == 0 && ahead > 2,
                _ if depth > 0 => {}
                T::Ident | T::Int | T::Real | T::Plus | T::Minus | T::Times | T::Divide | T::Caret => {}
                T::Keyword(Keyword::Min | Keyword::Max | Keyword::True | Keyword::False) => {}
                _ => return false,
            }
            ahead += 1;
        }
    }

    fn start_operator(&mut self, head: Head, optimum: Option<Optimum>) -> Operator {
        let mark = self.exprs.len();
        let start = self.advance().span(self.file);
        Operator {
            head,
            optimum,
            query: Query::Value,
            start,
            open: start,
            mark,
            refused: None,
            dividend: None,
        }
    }

    fn operator(&mut self, head: Head, optimum: Option<Optimum>) -> Parsed<Next> {
        let mut operator = self.start_operator(head, optimum);
        if self.peek() == TokenKind::LeftParen && self.ahead(1).kind == TokenKind::Ident {
            // `P(modifier)=?` of PRISM's games and robust models.
            self.advance();
            self.advance();
            self.expect(TokenKind::RightParen, "after the modifier")?;
            operator.refused = Some("modifiers such as `P(…)`");
        }
        self.reward_measure(&mut operator)?;
        if matches!(operator.head, Head::Reward(_)) && self.peek() == TokenKind::LeftBrace {
            if let Some(optimum) = operator.optimum {
                let word = if optimum == Optimum::Min { "min" } else { "max" };
                self.error(
                    codes::PROPERTY_SYNTAX,
                    operator.start,
                    format!("the name of the reward structure is written before `{word}`"),
                    &format!("write `R{{…}}{word}`"),
                );
            }
            return self.reward_structure(operator);
        }
        self.query(operator)
    }

    /// `[exp]` behind `R` and `T`, of Storm: the mean, which is meant without it as well. Another measure is refused.
    fn reward_measure(&mut self, operator: &mut Operator) -> Parsed<()> {
        use TokenKind as T;
        let measures = matches!(operator.head, Head::Reward(_) | Head::Time);
        if !(measures
            && self.peek() == T::LeftBracket
            && self.ahead(1).kind == T::Ident
            && self.ahead(2).kind == T::RightBracket)
        {
            return Ok(());
        }
        let open = self.advance().span(self.file);
        let word = self.advance();
        match self.text_of(word) {
            "exp" => {}
            "var" => operator.refused = Some("variances of rewards, `R[var]` and `T[var]`,"),
            _ => {
                let message = "the measure of a reward is its mean, `R[exp]`";
                self.error(codes::PROPERTY_SYNTAX, word.span(self.file), message, "leave it out");
            }
        }
        self.closing(T::RightBracket, open)?;
        Ok(())
    }

    /// `{"name"}` or `{index}` behind `R`.
    fn reward_structure(&mut self, mut operator: Operator) -> Parsed<Next> {
        let open = self.advance().span(self.file);
        let token = self.token();
        if token.kind == TokenKind::Quoted {
            self.advance();
            operator.head = Head::Reward(RewardName::Named(Name {
                text: quoted_name(self.text_of(token)).to_string(),
                span: token.span(self.file),
            }));
            self.closing(TokenKind::RightBrace, open)?;
            return self.second_reward_structure(operator);
        }
        let outer = self.mode;
        self.mode = Mode::PLAIN;
        operator.open = open;
        self.push(Frame::RewardIndex { operator, outer })
    }

    /// `{"a"}/{"b"}` asks for a ratio of rewards; `{"a"}{"b"}` of older versions is refused.
    pub(super) fn second_reward_structure(&mut self, mut operator: Operator) -> Parsed<Next> {
        if let Some(dividend) = operator.dividend.take() {
            if let Head::Reward(divisor) = operator.head {
                operator.head = Head::Reward(RewardName::Ratio(Box::new([dividend, divisor])));
            }
        } else if self.peek() == TokenKind::Divide && self.ahead(1).kind == TokenKind::LeftBrace {
            self.advance();
            if let Head::Reward(dividend) = operator.head {
                operator.dividend = Some(dividend);
                operator.head = Head::Reward(RewardName::First);
            }
            return self.reward_structure(operator);
        }
        if self.peek() == TokenKind::LeftBrace {
            self.skip_braces()?;
            operator.refused = Some("rewards with two reward structures");
        }
        self.query(operator)
    }

    /// Skips `{ … }`.
    pub(super) fn skip_braces(&mut self) -> Parsed<()> {
        let open = self.span();
        let mut depth = 0usize;
        loop {
            match self.peek() {
                TokenKind::LeftBrace => depth += 1,
                TokenKind::RightBrace => depth -= 1,
                TokenKind::End | TokenKind::Semicolon => {
                    self.closing(TokenKind::RightBrace, open)?;
                }
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// `min`/`max`, then `=?` or a comparison with a bound.
    fn query(&mut self, mut operator: Operator) -> Parsed<Next> {
        use TokenKind as T;
        self.reward_measure(&mut operator)?;
        self.optimum(&mut operator);
        let relation = match self.peek() {
            T::Eq if self.at_joined(T::Eq, T::Eq) => {
                let span = self.joined_span(2);
                self.error(codes::PROPERTY_SYNTAX, span, "PRISM uses `=?`, not `==?`", "write `=?`");
                self.advance();
                BinaryOp::Eq
            }
            T::Eq => BinaryOp::Eq,
            T::Lt => BinaryOp::Lt,
            T::Le => BinaryOp::Le,
            T::Gt => BinaryOp::Gt,
            T::Ge => BinaryOp::Ge,
            T::Implies => {
                self.error(codes::PROPERTY_SYNTAX, self.span(), "`=>` is implication", "write `>=`");
                BinaryOp::Ge
            }
            _ => {
                let text = self.text_of(self.token_from(operator.start));
                return Err(self.unexpected(&format!("`=?` or a bound such as `>=0.5` after `{text}`")));
            }
        };
        self.advance();
        if relation == BinaryOp::Eq && self.take(T::Question) {
            return self.body(operator);
        }
        let outer = self.mode;
        self.mode = Mode::PLAIN;
        self.push(Frame::Threshold { operator, relation, outer })
    }

    /// The token at a place that was consumed before.
    fn token_from(&self, span: volvelle_diagnostics::Span) -> crate::lex::Token {
        let found = self.tokens().partition_point(|token| token.start < span.start);
        self.tokens()[found.min(self.tokens().len() - 1)]
    }

    fn optimum(&mut self, operator: &mut Operator) {
        loop {
            let found = match self.peek() {
                TokenKind::Keyword(Keyword::Min) => Optimum::Min,
                TokenKind::Keyword(Keyword::Max) => Optimum::Max,
                TokenKind::Ident
                    if matches!(self.text_of(self.token()), "minmin" | "minmax" | "maxmin" | "maxmax") =>
                {
                    operator.refused = Some(NESTED_OPTIMA);
                    Optimum::Min
                }
                _ => return,
            };
            self.advance();
            if operator.optimum.is_some() {
                operator.refused = Some(NESTED_OPTIMA);
            }
            operator.optimum = Some(found);
        }
    }

    /// `[` and what is inside.
    pub(super) fn body(&mut self, mut operator: Operator) -> Parsed<Next> {
        operator.open = self.expect(TokenKind::LeftBracket, "and a formula after the query")?;
        use TokenKind as T;
        let outer = self.mode;
        if let Head::Reward(_) = operator.head {
            if self.at_cumulative_bounds() {
                let start = self.advance().span(self.file);
                let pending = PendingTemporal {
                    cumulative: Some(Box::new(operator)),
                    ..PendingTemporal::new(Temporal::Finally, None, start)
                };
                return self.time_bound(pending);
            }
            match (self.peek(), self.ahead(1).kind) {
                (TokenKind::Keyword(Keyword::C), TokenKind::Le) => {
                    self.advance();
                    self.advance();
                    self.mode = Mode::PLAIN;
                    return self.push(Frame::Cumulative { operator, outer });
                }
                (TokenKind::Keyword(Keyword::C), TokenKind::Lt) => {
                    self.advance();
                    let span = self.span();
                    self.error(
                        codes::PROPERTY_SYNTAX,
                        span,
                        "a cumulative reward is written `C<=t`",
                        "write `<=`",
                    );
                    self.advance();
                    self.mode = Mode::PLAIN;
                    return self.push(Frame::Cumulative { operator, outer });
                }
                (TokenKind::Keyword(Keyword::I), TokenKind::Eq) => {
                    self.advance();
                    self.advance();
                    self.mode = Mode::PLAIN;
                    return self.push(Frame::Instantaneous { operator, outer });
                }
                (TokenKind::Keyword(Keyword::C), TokenKind::RightBracket | TokenKind::LeftBrace) => {
                    self.advance();
                    return self.after_body(operator, Body::Reward(RewardPath::Total));
                }
                // `Cdiscount=d`, after Storm.
                (TokenKind::Keyword(Keyword::C), TokenKind::Ident)
                    if self.text_of(self.ahead(1)) == "discount" && self.ahead(2).kind == TokenKind::Eq =>
                {
                    self.advance();
                    return self.discount(operator, None, outer);
                }
                (TokenKind::Ident, TokenKind::Eq) if self.at_word("Cdiscount") => {
                    return self.discount(operator, None, outer);
                }
                (TokenKind::Ident, TokenKind::RightBracket) if self.at_word("LRA") || self.at_word("MP") => {
                    self.advance();
                    return self.after_body(operator, Body::Reward(RewardPath::SteadyState));
                }
                // Of games: what a path earns that never arrives is cut off, or is none.
                (TokenKind::Ident, T::Ident | T::Quoted | T::LeftParen | T::Not)
                    if self.at_word("Fc") || self.at_word("F0") =>
                {
                    self.advance();
                    operator.refused = Some("rewards `Fc` and `F0` of stochastic games");
                }
                (TokenKind::Keyword(Keyword::S), TokenKind::RightBracket | TokenKind::LeftBrace) => {
                    self.advance();
                    return self.after_body(operator, Body::Reward(RewardPath::SteadyState));
                }
                _ => {}
            }
        }
        self.mode = match operator.head {
            Head::Steady => Mode::PROPERTY,
            _ => Mode::PATH,
        };
        self.push(Frame::Body { operator, outer })
    }

    /// Whether `C` with bounds other than `<=t` and `<t` follows; `C{states}` has a filter as in older versions of PRISM.
    fn at_cumulative_bounds(&self) -> bool {
        use TokenKind as T;
        let word =
            |ahead, text| self.ahead(ahead).kind == T::Ident && self.text_of(self.ahead(ahead)) == text;
        let named = |ahead| self.at_named_bound(ahead).is_some();
        self.peek() == T::Keyword(Keyword::C)
            && match self.ahead(1).kind {
                T::Caret | T::LeftBracket | T::Ge | T::Gt | T::Eq => true,
                T::Ident => word(1, "rew") || named(1),
                T::LeftBrace => match self.ahead(2).kind {
                    T::LeftBrace => true,
                    T::Quoted => self.ahead(3).kind == T::RightBrace && self.at_comparison(4),
                    _ => {
                        self.at_comparison(2)
                            || named(2)
                            || word(2, "rew") && self.ahead(3).kind == T::LeftBrace
                    }
                },
                _ => false,
            }
    }

    /// `discount=d`: the factor; the word comes next.
    pub(super) fn discount(
        &mut self,
        operator: Operator,
        upto: Option<crate::ast::ExprId>,
        outer: Mode,
    ) -> Parsed<Next> {
        self.advance();
        self.advance();
        self.mode = Mode::PLAIN;
        self.push(Frame::Discount { operator, upto, outer })
    }

    /// A filter in braces as in older versions of PRISM, or the closing bracket.
    pub(super) fn after_body(&mut self, operator: Operator, body: Body) -> Parsed<Next> {
        if self.peek() == TokenKind::LeftBrace {
            let open = self.advance().span(self.file);
            let outer = self.mode;
            self.mode = Mode::PROPERTY;
            return self.push(Frame::OldFilter { operator, body, open, outer });
        }
        self.finish_operator(operator, body, None)
    }

    pub(super) fn finish_operator(
        &mut self,
        operator: Operator,
        body: Body,
        filter: Option<OldFilter>,
    ) -> Parsed<Next> {
        let close = self.closing(TokenKind::RightBracket, operator.open)?;
        let span = operator.start.to(close);
        let refused = match operator.head {
            Head::Time if filter.is_some() => Some("filters in braces after `T`"),
            _ => operator.refused,
        };
        if let Some(what) = refused {
            self.exprs.truncate(operator.mark);
            return Ok(Next::Have(self.add(ExprKind::Unsupported { what }, span)?));
        }
        let Operator { optimum, query, .. } = operator;
        let kind = match (operator.head, body) {
            (Head::Prob, Body::Formula(path)) => ExprKind::Prob { optimum, query, path, filter },
            (Head::Steady, Body::Formula(states)) => ExprKind::Steady { optimum, query, states, filter },
            (Head::Time, Body::Formula(path)) => ExprKind::Time { optimum, query, path },
            (Head::Reward(name), body) => ExprKind::Reward {
                name,
                optimum,
                query,
                path: match body {
                    Body::Formula(path) => RewardPath::Path(path),
                    Body::Reward(path) => path,
                },
                filter,
            },
            // Only `R` opens the other bodies.
            (_, Body::Reward(_)) => ExprKind::Error,
        };
        Ok(Next::Have(self.add(kind, span)?))
    }

    /// `A [ … ]`, `E [ … ]`.
    fn quantifier(&mut self, all: bool) -> Parsed<Next> {
        let start = self.advance().span(self.file);
        let place = if all { "after `A`" } else { "after `E`" };
        self.expect(TokenKind::LeftBracket, place)?;
        let outer = self.mode;
        self.mode = Mode::PATH;
        self.push(Frame::Quantifier { all, start, outer })
    }

    /// `quantile(min B, P>=p [ F{"cost"}<=B φ ])`, after Storm.
    fn quantile(&mut self) -> Parsed<Next> {
        let start = self.advance().span(self.file);
        self.advance();
        let mut variables = Vec::new();
        loop {
            let optimum = match self.peek() {
                TokenKind::Keyword(Keyword::Min) => Some(Optimum::Min),
                TokenKind::Keyword(Keyword::Max) => Some(Optimum::Max),
                _ => None,
            };
            let at = usize::from(optimum.is_some());
            // A reserved word cannot be the name, which is said where it is read.
            let named = match self.ahead(at).kind {
                TokenKind::Ident => true,
                TokenKind::Keyword(_) => optimum.is_some(),
                _ => false,
            };
            if !named || self.ahead(at + 1).kind != TokenKind::Comma {
                break;
            }
            if optimum.is_some() {
                self.advance();
            }
            let name = self.name("a variable")?;
            self.advance();
            variables.push(QuantileVariable { name, optimum });
        }
        if variables.is_empty() {
            return Err(self.unexpected("a variable and a comma, as in `quantile(min B, ...)`"));
        }
        let outer = self.mode;
        self.mode = Mode::PROPERTY;
        self.push(Frame::Quantile { variables, start, outer })
    }

    /// `filter(op, property, states)`.
    fn filter(&mut self) -> Parsed<Next> {
        let start = self.advance().span(self.file);
        self.expect(TokenKind::LeftParen, "after `filter`")?;
        let token = self.token();
        let named = matches!(
            token.kind,
            TokenKind::Ident
                | TokenKind::Plus
                | TokenKind::And
                | TokenKind::Or
                | TokenKind::Keyword(Keyword::Min | Keyword::Max)
        );
        if !named {
            return Err(self.unexpected("the filter's operator, such as `max`, `avg` or `forall`"));
        }
        self.advance();
        let op = Name { text: self.text_of(token).to_string(), span: token.span(self.file) };
        self.expect(TokenKind::Comma, "after the filter's operator")?;
        let outer = self.mode;
        self.mode = Mode::PROPERTY;
        self.push(Frame::FilterProperty { op, start, outer })
    }
}
