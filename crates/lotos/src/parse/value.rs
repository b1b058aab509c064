//! Value expressions: names, operations before or between their operands, `of`.

use super::parser::{DEEPEST, Parsed, Parser};
use crate::lex::{Kind, T};
use crate::syntax::{Condition, Value, ValueId, ValueKind};
use volvelle_diagnostics::Span;
use volvelle_syntax::Parse;

impl Parser<'_> {
    fn value_node(&mut self, kind: ValueKind, span: Span) -> Parsed<ValueId> {
        let operands: &[ValueId] = match &kind {
            ValueKind::Apply(_, operands) => operands,
            ValueKind::Of(operand, _) => std::slice::from_ref(operand),
        };
        let depth = operands.iter().map(|&operand| self.value_depth[operand] + 1).max().unwrap_or(0);
        if depth > DEEPEST {
            return Err(self.too_deep());
        }
        self.value_depth.push(depth);
        self.tree.values.push(Value { kind, span });
        Ok(self.tree.values.len() - 1)
    }

    /// `a + b eq c`: infix operations have one precedence, and associate to the left.
    pub fn value(&mut self) -> Parsed<ValueId> {
        let start = self.span();
        let mut left = self.operand()?;
        while self.at_operation() {
            let operation = self.operation_name()?;
            let right = self.operand()?;
            left = self.value_node(ValueKind::Apply(operation, vec![left, right]), self.since(start))?;
        }
        Ok(left)
    }

    fn operand(&mut self) -> Parsed<ValueId> {
        let start = self.span();
        let mut value = if self.take(T!["("]) {
            let value = self.nested(Parser::value)?;
            if self.at(T!["="]) {
                let diagnostic = self.diagnostic("`)`");
                return Err(self.error(
                    diagnostic
                        .note("an equation `x = y` stands alone, in a guard or in front of `=>`")
                        .help("compare inside of a value with `==` or `eq`: (x == y) and b"),
                ));
            }
            self.expect(T![")"])?;
            value
        } else {
            if !self.at_operation() {
                return Err(self.unexpected("a value"));
            }
            let name = self.operation_name()?;
            let operands = self.within(T!["("], T![")"], |p| p.nested(Parser::values))?;
            self.value_node(ValueKind::Apply(name, operands), self.since(start))?
        };
        while self.take(T!["OF"]) {
            let sort = self.name("a sort")?;
            value = self.value_node(ValueKind::Of(value, sort), self.since(start))?;
        }
        Ok(value)
    }

    /// Values between commas.
    pub fn values(&mut self) -> Parsed<Vec<ValueId>> {
        self.separated(T![","], Self::value)
    }

    /// `e`, or `e1 = e2`
    pub fn condition(&mut self) -> Parsed<Condition> {
        let left = self.value()?;
        let right = if self.take(T!["="]) { Some(self.value()?) } else { None };
        Ok(Condition { left, right })
    }
}
