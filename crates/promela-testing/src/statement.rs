//! Random statements and declarations.

use super::model::Writer;
use volvelle_promela::ast::{
    ChannelInit, Declaration, ExprKind, Initial, Name, Place, Sequence, Statement, StatementKind, TypeName,
    Variable, Visibility,
};

const TEXTS: [&str; 5] = ["", "x = %d\\n", "a \\\"b\\\" c", "// no comment /*", "ä %e"];

impl Writer<'_, '_> {
    pub(super) fn sequence(&mut self, depth: usize) -> Sequence {
        let count = 1 + self.choices.below(3);
        Sequence { statements: (0..count).map(|_| self.statement(depth)).collect() }
    }

    fn labels(&mut self) -> Vec<Name> {
        let mut labels = Vec::new();
        while self.choices.one_in(8) {
            let text = self.choices.pick(&["l0", "end", "accept_1", "U"]);
            labels.push(self.name(text));
        }
        labels
    }

    fn options(&mut self, depth: usize) -> Vec<Sequence> {
        let count = 1 + self.choices.below(3);
        (0..count).map(|_| self.sequence(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Statement {
        let labels = self.labels();
        let kinds = if depth == 0 { 15 } else { 24 };
        let kind = match self.choices.below(kinds) {
            0 => StatementKind::Expression(self.expression(2)),
            1..=2 => StatementKind::Assign { target: self.variable(1), value: self.expression(2) },
            3 => StatementKind::Increment(self.variable(1)),
            4 => StatementKind::Decrement(self.variable(1)),
            5 => {
                let channel = self.variable(1);
                let sorted = self.choices.one_in(2);
                let mut args = vec![self.expression(1)];
                args.extend(self.list(1, 2));
                StatementKind::Send { channel, sorted, args }
            }
            6 => StatementKind::Receive {
                channel: self.variable(1),
                random: self.choices.one_in(2),
                keep: self.choices.one_in(2),
                args: self.received(1),
            },
            7 => StatementKind::Break,
            8 => StatementKind::Goto(self.name("l0")),
            9 => {
                StatementKind::Printf { format: self.choices.pick(&TEXTS).to_owned(), args: self.list(1, 2) }
            }
            10 => {
                let arg = if self.choices.one_in(2) { self.number() } else { self.variable(1) };
                StatementKind::Printm(arg)
            }
            11 => StatementKind::Assert(self.expression(2)),
            12 => {
                let kind = if self.choices.one_in(2) {
                    ExprKind::Else
                } else {
                    ExprKind::SetPriority(self.expression(1), self.expression(1))
                };
                StatementKind::Expression(self.expr(kind))
            }
            13 => {
                let (variable, from, to) = (self.variable(1), self.expression(1), self.expression(1));
                StatementKind::Select { variable, from, to }
            }
            14 => return self.unlabelled(),
            15 => StatementKind::If(self.options(depth - 1)),
            16 => StatementKind::Do(self.options(depth - 1)),
            17 => StatementKind::For {
                variable: self.variable(1),
                from: self.expression(1),
                to: self.expression(1),
                body: self.sequence(depth - 1),
            },
            18 => StatementKind::ForIn {
                variable: self.variable(1),
                collection: self.variable(1),
                body: self.sequence(depth - 1),
            },
            19 => StatementKind::Atomic(self.sequence(depth - 1)),
            20 => StatementKind::DStep(self.sequence(depth - 1)),
            21 => StatementKind::Block(self.sequence(depth - 1)),
            _ => {
                // Its sides are read without labels before them.
                let kind = StatementKind::Unless {
                    main: self.sequence(depth - 1),
                    escape: self.sequence(depth - 1),
                };
                return Statement { labels: Vec::new(), kind, place: Place(0) };
            }
        };
        Statement { labels, kind, place: Place(0) }
    }

    /// A statement before which no label may stand.
    fn unlabelled(&mut self) -> Statement {
        let kind = if self.choices.one_in(3) {
            let mut channels = vec![self.variable(0)];
            if self.choices.one_in(2) {
                channels.push(self.variable(1));
            }
            StatementKind::Exclusive { receive: self.choices.one_in(2), channels }
        } else {
            StatementKind::Declaration(self.declaration())
        };
        Statement { labels: Vec::new(), kind, place: Place(0) }
    }

    fn type_name(&mut self) -> TypeName {
        match self.choices.below(11) {
            0 => TypeName::Bit,
            1 => TypeName::Bool,
            2 => TypeName::Byte,
            3 => TypeName::Pid,
            4 => TypeName::Short,
            5 => TypeName::Int,
            6 => TypeName::Mtype(None),
            7 => TypeName::Mtype(Some(self.name("set"))),
            8 => TypeName::Chan,
            9 => TypeName::User(self.name("T0")),
            _ => TypeName::Unsigned,
        }
    }

    fn visibility(&mut self) -> Visibility {
        let mut visibility = Visibility::default();
        match self.choices.below(6) {
            0 => visibility.hidden = true,
            1 => visibility.show = true,
            2 => visibility.local = true,
            _ => {}
        }
        visibility
    }

    pub(super) fn declaration(&mut self) -> Declaration {
        let visibility = self.visibility();
        let ty = self.type_name();
        let count = 1 + self.choices.below(2);
        let variables = (0..count).map(|_| self.declared(&ty)).collect();
        Declaration { visibility, ty, variables, place: Place(0) }
    }

    pub(super) fn parameter(&mut self) -> Declaration {
        let ty = self.type_name();
        let bits = (ty == TypeName::Unsigned).then(|| self.number());
        let name = self.name("a");
        let variables = vec![Variable { name, length: None, bits, initial: None }];
        Declaration { visibility: self.visibility(), ty, variables, place: Place(0) }
    }

    fn declared(&mut self, ty: &TypeName) -> Variable {
        let text = self.choices.pick(&["a", "b", "until", "x_1"]);
        let name = self.name(text);
        let bits = (*ty == TypeName::Unsigned).then(|| self.number());
        let length = self.choices.one_in(4).then(|| self.expression(1));
        let initial = match self.choices.below(6) {
            0 => Some(Initial::Value(self.expression(2))),
            1 => {
                let mut list = vec![self.expression(1)];
                list.extend(self.list(1, 2));
                Some(Initial::List(list))
            }
            2 => {
                let capacity = self.number();
                let count = 1 + self.choices.below(3);
                let fields = (0..count).map(|_| self.type_name()).collect();
                Some(Initial::Channel(ChannelInit { capacity, fields, place: Place(0) }))
            }
            _ => None,
        };
        Variable { name, length, bits, initial }
    }
}
