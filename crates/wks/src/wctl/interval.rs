//! Intervals of weights behind operators.

use super::parse::Parser;
use super::written::Written;
use crate::lexical::{Kind, T, Token};
use dashu_ratio::RBig;
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_logic::{Limit, WeightInterval, rational};

/// One end as it is written: `None` is infinity.
type End = Option<RBig>;

impl Parser<'_> {
    /// The interval at the next token, if there is one.
    pub(super) fn interval(&mut self) -> Written {
        let first = self.token();
        if !(first.is(T!["["]) || first.is(T!["("]) && self.is_interval()) {
            return Written::nothing();
        }
        self.advance();
        let relation = self.token();
        let mut asks = false;
        let interval = match relation.kind {
            sign @ (T!["<="] | T!["<"] | T![">="] | T![">"] | T!["="] | T!["=="]) if first.is(T!["["]) => {
                self.advance();
                if self.at(T!["?"]) {
                    asks = self.is_question(sign, relation);
                    if !asks {
                        return Written::nothing();
                    }
                }
                self.one_end_or(asks).and_then(|end| self.at(T!["]"]).then(|| half_open(sign, end)))
            }
            _ => self.two_ends(first),
        };
        let Some(interval) = interval else {
            let message = "an interval of weights is expected";
            let error = Diagnostic::error(codes::WCTL_SYNTAX, message)
                .at(self.span(), "")
                .also(first.span(self.file), "the interval begins here")
                .help("write `[2,5]`, `(2,5]`, `[2,inf)`, `[<=5]`, `[<5]`, `[>=2]`, `[>2]` or `[=2]`, or `[<=?]` for the least bound");
            self.fail(error);
            return Written::nothing();
        };
        let span = first.span(self.file).to(self.span());
        self.advance();
        Written { weights: self.sensible(interval, span), place: Some(span), asks }
    }

    /// Whether the relation before a question mark has a least bound; a message if it has none.
    fn is_question(&mut self, sign: Kind, relation: Token) -> bool {
        if sign == T!["<="] {
            return true;
        }
        let error = Diagnostic::error(codes::WCTL_SYNTAX, "this question has no answer")
            .at(relation.span(self.file).to(self.span()), "only a bound from above has a least value")
            .help("`[<=?]` asks for the least bound with which the formula holds");
        self.fail(error);
        false
    }

    /// The end behind a relation; behind `<=` a question mark may stand in its place.
    fn one_end_or(&mut self, asks: bool) -> Option<End> {
        if asks {
            self.advance();
            return Some(None);
        }
        self.one_end()
    }

    /// Whether the parenthesis at the next token begins an interval: a number and a comma follow.
    fn is_interval(&self) -> bool {
        let mut is_bound = false;
        let mut ahead = 1;
        loop {
            let token = self.ahead(ahead);
            match token.kind {
                Kind::Number | T!["∞"] => is_bound = true,
                Kind::Name if self.text_of(token) == "inf" => is_bound = true,
                T!["-"] | T!["/"] => {}
                kind => return is_bound && kind == T![","],
            }
            ahead += 1;
        }
    }

    fn two_ends(&mut self, first: Token) -> Option<WeightInterval> {
        let low_token = self.token();
        let low = self.one_end()?;
        if !self.at(T![","]) {
            return None;
        }
        self.advance();
        let high = self.one_end()?;
        let open = match self.peek() {
            T!["]"] => false,
            T![")"] => true,
            _ => return None,
        };
        let Some(low) = low else {
            let error = Diagnostic::error(codes::WCTL_BOUND, "no weight is infinite")
                .at(low_token.span(self.file), "the lower end is a number");
            self.report(error);
            return Some(WeightInterval::any());
        };
        let lower = Limit { amount: low, strict: first.is(T!["("]) };
        Some(WeightInterval { lower, upper: high.map(|amount| Limit { amount, strict: open }) })
    }

    /// A number or infinity; `None` if there is neither.
    fn one_end(&mut self) -> Option<End> {
        let first = self.token();
        let is_negative = first.is(T!["-"]);
        if is_negative {
            self.advance();
        }
        let number = self.token();
        let is_infinite = number.is(T!["∞"]) || number.kind == Kind::Name && self.text_of(number) == "inf";
        if !is_infinite && number.kind != Kind::Number {
            return None;
        }
        let mut end = number.end;
        self.advance();
        if !is_infinite && self.at(T!["/"]) {
            self.advance();
            if self.peek() != Kind::Number {
                return None;
            }
            end = self.token().end;
            self.advance();
        }
        let span = Span { end, ..first.span(self.file) };
        if is_negative {
            let error = Diagnostic::error(codes::WCTL_BOUND, "a bound is negative")
                .at(span, "weights are not negative, nor are their sums");
            self.report(error);
            return Some(Some(RBig::ZERO));
        }
        if is_infinite {
            return Some(None);
        }
        let value = rational(&self.text()[number.start as usize..end as usize]);
        if value.is_none() {
            let error = Diagnostic::error(codes::WCTL_BOUND, "a bound has no value")
                .at(span, "a denominator of zero, or too many digits");
            self.report(error);
        }
        Some(Some(value.unwrap_or(RBig::ZERO)))
    }

    /// The interval, with a message if no weight is in it.
    fn sensible(&mut self, interval: WeightInterval, span: Span) -> WeightInterval {
        let Some(upper) = &interval.upper else { return interval };
        let lower = &interval.lower;
        if lower.amount > upper.amount {
            let error = Diagnostic::error(codes::WCTL_BOUND, "no weight is in this interval")
                .at(span, format!("{} is above {}", lower.amount, upper.amount))
                .help(format!("did you mean `[{},{}]`?", upper.amount, lower.amount));
            self.report(error);
            return WeightInterval::any();
        }
        if lower.amount == upper.amount && (lower.strict || upper.strict) {
            let warning = Diagnostic::warning(codes::WCTL_BOUND, "no weight is in this interval")
                .at(span, format!("{} itself is excluded", lower.amount))
                .help(format!("`[={}]` contains it", lower.amount));
            self.report(warning);
        }
        interval
    }
}

/// The interval of a relation to a number.
fn half_open(sign: Kind, end: End) -> WeightInterval {
    let any = WeightInterval::any();
    let Some(amount) = end else { return any };
    let limit = |strict| Limit { amount: amount.clone(), strict };
    match sign {
        T!["<="] => WeightInterval { upper: Some(limit(false)), ..any },
        T!["<"] => WeightInterval { upper: Some(limit(true)), ..any },
        T![">="] => WeightInterval { lower: limit(false), upper: None },
        T![">"] => WeightInterval { lower: limit(true), upper: None },
        _ => WeightInterval { lower: limit(false), upper: Some(limit(false)) },
    }
}
