//! Tokens to a formula: operands and operators on two stacks.

use super::build::Builder;
use super::written::Written;
use super::{NESTING, NODES, ParsedFormula};
use crate::lexical::{Kind, T, unquoted};
use volvelle_diagnostics::{Diagnostic, FileId, Fix, Span, codes, nearest};
use volvelle_logic::{AmountPart, Quantifier, Relational, WctlId, WeightInterval, is_reserved_in_wctl};
use volvelle_syntax::{Cursor, around_cursor, tokens};

pub(super) fn parse(file: FileId, text: &str) -> (Option<ParsedFormula>, Vec<Diagnostic>) {
    let mut parser = Parser {
        cursor: Cursor::new(file, text, tokens(text, Some)),
        diagnostics: Vec::new(),
        has_failed: false,
        builder: Builder::default(),
        operands: Vec::new(),
        parts: Vec::new(),
        operators: Vec::new(),
    };
    let root = parser.whole();
    (root.map(|(root, asks)| parser.builder.finish(root, asks)), parser.diagnostics)
}

/// What an operand is.
#[derive(Clone, Copy)]
enum Value {
    Formula(WctlId),
    /// The formula whose bound is asked for: it is no part of another one.
    Question(WctlId),
    /// An amount: the parts from this one on, up to those of the next operand.
    Amount(usize),
    /// There is a message already.
    Wrong,
}

#[derive(Clone, Copy)]
struct Operand {
    value: Value,
    span: Span,
}

/// Which of the operators that take an interval before one operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Temporal {
    Next,
    Finally,
    Globally,
}

/// Which of the operators between two operands under a quantifier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Between {
    Until,
    Weak,
    Release,
}

enum Operator {
    /// `(` or `[`: the sign that closes it.
    Open(Kind),
    /// `E` or `A` before the operands of an until.
    Path(Quantifier),
    /// An until and its left operand; what closes it if it has parentheses.
    Until(Quantifier, Between, Written, Option<Kind>),
    Equivalent,
    Implies,
    Or,
    And,
    Not,
    Temporal(Quantifier, Temporal, Written),
    Compare(Relational),
    Amount(AmountPart),
    Negate,
}

impl Operator {
    /// How tightly it binds; 0 for what only a closing sign or an until ends.
    fn level(&self) -> u8 {
        match self {
            Operator::Open(_) | Operator::Path(_) | Operator::Until(..) => 0,
            Operator::Equivalent => 1,
            Operator::Implies => 2,
            Operator::Or => 3,
            Operator::And => 4,
            Operator::Not | Operator::Temporal(..) => 5,
            Operator::Compare(_) => 6,
            Operator::Amount(AmountPart::Multiply) => 8,
            Operator::Amount(_) => 7,
            Operator::Negate => 9,
        }
    }
}

pub(super) struct Parser<'t> {
    cursor: Cursor<'t, Kind>,
    diagnostics: Vec<Diagnostic>,
    /// Whether there is no use in going on.
    has_failed: bool,
    builder: Builder,
    operands: Vec<Operand>,
    parts: Vec<AmountPart>,
    operators: Vec<(Operator, Span)>,
}

around_cursor!(Parser, Kind);

impl Parser<'_> {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports what makes the rest of the text hard to understand.
    pub(super) fn fail(&mut self, diagnostic: Diagnostic) {
        if !self.has_failed {
            self.report(diagnostic);
        }
        self.has_failed = true;
    }

    fn syntax(&mut self, message: impl Into<String>, span: Span, label: impl Into<String>) {
        self.fail(Diagnostic::error(codes::WCTL_SYNTAX, message).at(span, label));
    }

    /// The formula, and whether its bound is asked for.
    fn whole(&mut self) -> Option<(WctlId, bool)> {
        if u32::try_from(self.text().len()).is_err() {
            self.fail(Diagnostic::error(codes::WCTL_TOO_LARGE, "the text has more than 4 GiB"));
        }
        while !self.has_failed {
            self.operand();
            while !self.has_failed && self.closing() {}
            if self.has_failed {
                return None;
            }
            if self.at_end() {
                return self.end();
            }
            self.infix();
            if self.builder.num_nodes() > NODES {
                let message = format!("the formula has more than {NODES} different parts");
                self.fail(Diagnostic::error(codes::WCTL_TOO_LARGE, message).at(self.span(), ""));
            }
        }
        None
    }

    /// Reads an operand with the operators and opening signs before it.
    fn operand(&mut self) {
        while !self.has_failed {
            let token = self.token();
            let span = token.span(self.file);
            if self.operators.len() >= NESTING {
                let message =
                    format!("more than {NESTING} operators and parentheses wait for their operands");
                let error = Diagnostic::error(codes::WCTL_TOO_LARGE, message)
                    .at(span, "here")
                    .help("chains of `and` and `or` without parentheses need no nesting");
                return self.fail(error);
            }
            match token.kind {
                T!["("] => {
                    self.operators.push((Operator::Open(T![")"]), span));
                }
                T!["!"] => self.operators.push((Operator::Not, span)),
                T!["-"] => {
                    self.advance();
                    if self.peek() == Kind::Number {
                        return self.number(true, span);
                    }
                    self.operators.push((Operator::Negate, span));
                    continue;
                }
                Kind::Number => return self.number(false, span),
                Kind::Quoted => {
                    let name = unquoted(self.text_of(token));
                    self.advance();
                    return self.name(&name, span);
                }
                Kind::Name => {
                    if self.operand_word(span) {
                        return;
                    }
                    continue;
                }
                _ => return self.unexpected("a formula"),
            }
            self.advance();
        }
    }

    /// Reads a word where an operand is expected; says whether it was the operand, not an operator before it.
    fn operand_word(&mut self, span: Span) -> bool {
        let word = self.word();
        let quantifier = match word.as_bytes().first() {
            Some(b'E') => Quantifier::Exists,
            _ => Quantifier::All,
        };
        let operator = match word {
            "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => {
                self.advance();
                let id = self.builder.constant(matches!(word, "true" | "True" | "TRUE"), span);
                self.operands.push(Operand { value: Value::Formula(id), span });
                return true;
            }
            "not" => Operator::Not,
            "E" | "A" => {
                self.advance();
                self.operators.push((Operator::Path(quantifier), span));
                if self.at(T!["["]) {
                    self.operators.push((Operator::Open(T!["]"]), self.span()));
                    self.advance();
                }
                return false;
            }
            "EX" | "AX" | "EF" | "AF" | "EG" | "AG" => {
                let temporal = match word.as_bytes()[1] {
                    b'X' => Temporal::Next,
                    b'F' => Temporal::Finally,
                    _ => Temporal::Globally,
                };
                self.advance();
                let interval = self.interval();
                self.operators.push((Operator::Temporal(quantifier, temporal, interval), span));
                return false;
            }
            _ if is_reserved_in_wctl(word) => {
                let error = Diagnostic::error(codes::WCTL_SYNTAX, "a formula is expected")
                    .at(span, format!("`{word}` is a word of the language"))
                    .help(format!("write `\"{word}\"` if it is the name of a proposition"));
                self.fail(error);
                return true;
            }
            _ => {
                self.advance();
                self.name(word, span);
                return true;
            }
        };
        self.advance();
        self.operators.push((operator, span));
        false
    }

    fn name(&mut self, name: &str, span: Span) {
        let number = self.builder.name(name, span);
        self.operands.push(Operand { value: Value::Amount(self.parts.len()), span });
        self.parts.push(AmountPart::Name(number));
    }

    fn number(&mut self, is_negative: bool, span: Span) {
        let token = self.token();
        let span = span.to(token.span(self.file));
        let digits = self.text_of(token);
        let sign = if is_negative { "-" } else { "" };
        let value = format!("{sign}{digits}").parse::<i64>().unwrap_or_else(|_| {
            let what = match digits.bytes().all(|b| b.is_ascii_digit()) {
                true => "this number does not fit into 64 bits",
                false => "amounts are integers",
            };
            self.report(Diagnostic::error(codes::WCTL_SYNTAX, what).at(span, ""));
            0
        });
        self.advance();
        self.operands.push(Operand { value: Value::Amount(self.parts.len()), span });
        self.parts.push(AmountPart::Number(value));
    }

    /// Closes parentheses behind an operand, if the next token is one.
    fn closing(&mut self) -> bool {
        let sign = match self.peek() {
            sign @ (T![")"] | T!["]"]) => sign,
            _ => return false,
        };
        let span = self.span();
        while let Some((operator, open)) = self.operators.last() {
            let open = *open;
            match operator {
                Operator::Open(expected) | Operator::Until(.., Some(expected)) if *expected != sign => {
                    let error = Diagnostic::error(codes::WCTL_SYNTAX, "this closes no parenthesis")
                        .at(span, "")
                        .also(open, "this is open");
                    self.fail(error);
                    return false;
                }
                Operator::Open(_) => {
                    self.operators.pop();
                    if let Some(operand) = self.operands.last_mut() {
                        operand.span = open.to(span);
                    }
                    self.advance();
                    return true;
                }
                Operator::Until(.., Some(_)) => {
                    self.reduce();
                    if let Some(operand) = self.operands.last_mut() {
                        operand.span = operand.span.to(span);
                    }
                    self.advance();
                    return true;
                }
                Operator::Path(_) => {
                    self.no_until(open);
                    return false;
                }
                _ => self.reduce(),
            }
        }
        self.syntax("this closes no parenthesis", span, "nothing is open");
        false
    }

    fn no_until(&mut self, quantifier: Span) {
        let error = Diagnostic::error(codes::WCTL_SYNTAX, "an until is expected")
            .at(self.span(), "before this")
            .also(quantifier, "this quantifier needs one")
            .help("write `E(f U g)`, or `EX f`, `EF f`, `EG f` for a quantifier with one operand");
        self.fail(error);
    }

    /// Reads what stands between two operands.
    fn infix(&mut self) {
        let token = self.token();
        let word = self.text_of(token);
        let operator = match token.kind {
            Kind::Name if matches!(word, "U" | "W" | "R") => return self.between(word),
            Kind::Name if word == "and" => Operator::And,
            Kind::Name if word == "or" => Operator::Or,
            T!["&"] => Operator::And,
            T!["|"] => Operator::Or,
            T!["->"] | T!["=>"] => Operator::Implies,
            T!["<->"] => Operator::Equivalent,
            T!["<"] => Operator::Compare(Relational::Lt),
            T!["<="] => Operator::Compare(Relational::Le),
            T!["="] | T!["=="] => Operator::Compare(Relational::Eq),
            T!["!="] => Operator::Compare(Relational::Ne),
            T![">="] => Operator::Compare(Relational::Ge),
            T![">"] => Operator::Compare(Relational::Gt),
            T!["+"] => Operator::Amount(AmountPart::Add),
            T!["-"] => Operator::Amount(AmountPart::Subtract),
            T!["*"] => Operator::Amount(AmountPart::Multiply),
            T!["/"] => {
                let error = Diagnostic::error(codes::WCTL_SYNTAX, "amounts are not divided")
                    .at(token.span(self.file), "")
                    .help("multiply the other side of the comparison");
                return self.fail(error);
            }
            _ => return self.unexpected("an operator or the end of the formula"),
        };
        let level = operator.level();
        let is_right = matches!(operator, Operator::Implies);
        while let Some((before, _)) = self.operators.last()
            && (before.level() > level || before.level() == level && !is_right)
        {
            self.reduce();
        }
        self.operators.push((operator, token.span(self.file)));
        self.advance();
    }

    /// `U`, `W` or `R`: it belongs to the last quantifier that has none.
    fn between(&mut self, word: &str) {
        let between = match word {
            "U" => Between::Until,
            "W" => Between::Weak,
            _ => Between::Release,
        };
        let span = self.span();
        let (quantifier, closing) = loop {
            match self.operators.last() {
                Some((Operator::Path(quantifier), place)) => break ((*quantifier, *place), None),
                Some((Operator::Open(closing), open)) => {
                    let (closing, open) = (*closing, *open);
                    let below = self.operators.len().checked_sub(2).map(|below| &self.operators[below]);
                    if let Some((Operator::Path(quantifier), place)) = below {
                        let quantifier = (*quantifier, *place);
                        self.operators.pop();
                        break (quantifier, Some(closing));
                    }
                    let error = Diagnostic::error(codes::WCTL_SYNTAX, "this has no quantifier")
                        .at(span, "")
                        .also(open, "`E` or `A` is expected before this");
                    return self.fail(error);
                }
                Some((Operator::Until(.., Some(_)), place)) => {
                    let place = *place;
                    let error =
                        Diagnostic::error(codes::WCTL_SYNTAX, "a second until in one pair of parentheses")
                            .at(span, "")
                            .also(place, "of this quantifier")
                            .help("write `E(f U E(g U h))`");
                    return self.fail(error);
                }
                Some(_) => self.reduce(),
                None => {
                    let error = Diagnostic::error(codes::WCTL_SYNTAX, "this has no quantifier")
                        .at(span, "")
                        .help(format!("write `E(f {word} g)` or `A(f {word} g)`"));
                    return self.fail(error);
                }
            }
        };
        self.operators.pop();
        self.advance();
        let mut interval = self.interval();
        if let Some(place) = interval.place
            && between == Between::Weak
            && !interval.weights.starts_at_zero()
        {
            let error = Diagnostic::error(codes::WCTL_BOUND, "a weak until has a lower bound")
                .at(place, "whether `f` must hold before it is a matter of taste")
                .help("write an upper bound alone, or `E(g R[l,u] (f or g))`: `f` until `g`, where weights are in the interval");
            self.report(error);
            interval.weights = WeightInterval::any();
        }
        self.operators.push((Operator::Until(quantifier.0, between, interval, closing), quantifier.1));
    }

    /// The formula, where the text ends.
    fn end(&mut self) -> Option<(WctlId, bool)> {
        while let Some((operator, place)) = self.operators.last() {
            let place = *place;
            match operator {
                Operator::Open(_) | Operator::Until(.., Some(_)) => {
                    let error = Diagnostic::error(codes::WCTL_SYNTAX, "a closing parenthesis is expected")
                        .at(self.span(), "the formula ends here")
                        .also(place, "this is open");
                    self.fail(error);
                    return None;
                }
                Operator::Path(_) => {
                    self.no_until(place);
                    return None;
                }
                _ => self.reduce(),
            }
        }
        let operand = self.operands.pop()?;
        Some(match operand.value {
            Value::Question(id) => (id, true),
            _ => (self.as_formula(operand), false),
        })
    }

    /// Applies the last operator.
    fn reduce(&mut self) {
        let Some((operator, place)) = self.operators.pop() else { return };
        let Some(right) = self.operands.pop() else { return };
        let is_unary = matches!(operator, Operator::Not | Operator::Temporal(..) | Operator::Negate);
        let (left, span) = match is_unary {
            true => (right, place.to(right.span)),
            false => match self.operands.pop() {
                Some(left) if matches!(operator, Operator::Until(..)) => (left, place.to(right.span)),
                Some(left) => (left, left.span.to(right.span)),
                None => return,
            },
        };
        let value = match operator {
            Operator::Negate => self.amount(right, right, AmountPart::Negate),
            Operator::Amount(part) => self.amount(left, right, part),
            Operator::Compare(relational) => self.comparison(left, relational, right, span),
            operator => {
                // The right one first: amounts that turn out to be conditions leave the end of the parts.
                let right_id = self.as_formula(right);
                let left_id = if is_unary { right_id } else { self.as_formula(left) };
                let asked = match &operator {
                    Operator::Temporal(_, temporal, interval) if interval.asks => {
                        Some((*temporal == Temporal::Finally, interval.place))
                    }
                    Operator::Until(_, between, interval, _) if interval.asks => {
                        Some((*between == Between::Until, interval.place))
                    }
                    _ => None,
                };
                if let Some((false, Some(place))) = asked {
                    self.no_least(place);
                }
                let builder = &mut self.builder;
                let id = match operator {
                    Operator::Not => builder.not(right_id, span),
                    Operator::Temporal(quantifier, Temporal::Next, interval) => {
                        builder.next(quantifier, interval.weights, right_id, span)
                    }
                    Operator::Temporal(quantifier, Temporal::Finally, interval) => {
                        builder.finally(quantifier, interval.weights, right_id, span)
                    }
                    Operator::Temporal(quantifier, Temporal::Globally, interval) => {
                        builder.globally(quantifier, interval.weights, right_id, span)
                    }
                    Operator::Until(quantifier, Between::Until, interval, _) => {
                        builder.until(quantifier, left_id, interval.weights, right_id, span)
                    }
                    Operator::Until(quantifier, Between::Weak, interval, _) => {
                        builder.weak_until(quantifier, left_id, interval.weights, right_id, span)
                    }
                    Operator::Until(quantifier, Between::Release, interval, _) => {
                        builder.release(quantifier, left_id, interval.weights, right_id, span)
                    }
                    Operator::Equivalent => builder.equivalent(left_id, right_id, span),
                    Operator::Implies => builder.implies(left_id, right_id, span),
                    Operator::Or => builder.or(left_id, right_id, span),
                    _ => builder.and(left_id, right_id, span),
                };
                if asked.is_some() { Value::Question(id) } else { Value::Formula(id) }
            }
        };
        self.operands.push(Operand { value, span });
    }

    fn no_least(&mut self, place: Span) {
        let error = Diagnostic::error(codes::WCTL_SYNTAX, "this operator has no least bound")
            .at(place, "the question")
            .help("`EF[<=?] f`, `AF[<=?] f`, `E(f U[<=?] g)` and `A(f U[<=?] g)` ask for one");
        self.report(error);
    }

    /// A question is answered by a number, and so is no operand.
    fn no_part(&mut self, question: Span) {
        let error = Diagnostic::error(codes::WCTL_SYNTAX, "a question is no part of a formula")
            .at(question, "its answer is a weight, not true or false")
            .help("`[<=?]` belongs to the outermost operator: `EF[<=?] (f and g)`, not `EF[<=?] f and g`");
        self.report(error);
    }

    /// The condition that an operand is.
    fn as_formula(&mut self, operand: Operand) -> WctlId {
        let start = match operand.value {
            Value::Formula(id) => return id,
            Value::Question(id) => {
                self.no_part(operand.span);
                return id;
            }
            Value::Amount(start) => start,
            Value::Wrong => return self.builder.constant(true, operand.span),
        };
        if let [AmountPart::Name(name)] = self.parts[start..] {
            self.parts.truncate(start);
            return self.builder.holds(name, operand.span);
        }
        self.parts.truncate(start);
        let error = Diagnostic::error(codes::WCTL_SYNTAX, "a condition is expected")
            .at(operand.span, "this is an amount")
            .help("compare it: `< <= == != >= >`");
        self.report(error);
        self.builder.constant(true, operand.span)
    }

    /// The first part of an amount, or a message that the operand is none.
    fn as_amount(&mut self, operand: Operand) -> Option<usize> {
        match operand.value {
            Value::Amount(start) => Some(start),
            Value::Wrong => None,
            Value::Question(_) => {
                self.no_part(operand.span);
                None
            }
            Value::Formula(_) => {
                let error = Diagnostic::error(codes::WCTL_SYNTAX, "an amount is expected")
                    .at(operand.span, "this is a condition")
                    .help("amounts are made of names and integers; `<->` compares conditions");
                self.report(error);
                None
            }
        }
    }

    fn amount(&mut self, left: Operand, right: Operand, part: AmountPart) -> Value {
        let (Some(left_start), Some(right_start)) = (self.as_amount(left), self.as_amount(right)) else {
            self.drop_parts(right);
            self.drop_parts(left);
            return Value::Wrong;
        };
        self.parts.push(part);
        Value::Amount(left_start.min(right_start))
    }

    fn comparison(&mut self, left: Operand, relational: Relational, right: Operand, span: Span) -> Value {
        let (Some(left_start), Some(right_start)) = (self.as_amount(left), self.as_amount(right)) else {
            self.drop_parts(right);
            self.drop_parts(left);
            return Value::Wrong;
        };
        let (left, right) = self.parts[left_start..].split_at(right_start - left_start);
        let id = self.builder.compares(left, relational, right, span);
        self.parts.truncate(left_start);
        Value::Formula(id)
    }

    fn drop_parts(&mut self, operand: Operand) {
        if let Value::Amount(start) = operand.value {
            self.parts.truncate(start);
        }
    }

    fn unexpected(&mut self, expected: &str) {
        let token = self.token();
        let found = match token.kind {
            Kind::End => "the formula ends here".to_owned(),
            Kind::OpenText => "this text in quotation marks has no end".to_owned(),
            Kind::OpenComment => "this comment has no end".to_owned(),
            _ => String::new(),
        };
        let mut error = Diagnostic::error(codes::WCTL_SYNTAX, format!("{expected} is expected"))
            .at(token.span(self.file), found);
        let word = self.text_of(token);
        let known = ["and", "or", "not", "true", "false"];
        if token.kind == Kind::Name
            && let Some(near) = nearest(word, known.iter().copied().chain(["AND", "OR"]))
        {
            let meant = near.name.to_lowercase();
            error = error.help(format!("did you mean `{meant}`?"));
            error = error.fix(Fix::instead(token.span(self.file), word, meant).certain_if(near.is_certain));
        }
        self.fail(error);
    }
}
