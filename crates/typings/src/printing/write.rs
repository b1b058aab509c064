//! Expressions as lines.

use super::sheet::{Line, Part, Premise, between, close, of_judgment};
use volvelle_rules::ast::{Ask, Binary, ExprId, ExprKind, File, Mapping, Param, TypeRef};

/// Writes the expressions of a file.
pub struct Writer<'f> {
    /// The file.
    pub file: &'f File,
}

/// Whose operands need parentheses within others: the strength of operators.
fn strength(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Binary(operator, ..) => match operator {
            Binary::Assign | Binary::Add => 0,
            Binary::Or => 1,
            Binary::And => 2,
            Binary::Equal | Binary::Unequal => 3,
            Binary::Less | Binary::AtMost | Binary::Greater | Binary::AtLeast => 4,
            Binary::Pair => 5,
            Binary::Elvis => 6,
            Binary::Plus | Binary::Minus => 7,
            Binary::Times | Binary::Over | Binary::Modulo => 8,
        },
        ExprKind::InstanceOf(..) => 4,
        ExprKind::As(..) => 10,
        ExprKind::Not(_) | ExprKind::Negate(_) => 9,
        ExprKind::Closure { .. }
        | ExprKind::If { .. }
        | ExprKind::Switch { .. }
        | ExprKind::For { .. }
        | ExprKind::While { .. }
        | ExprKind::Declare { .. }
        | ExprKind::Ask(_)
        | ExprKind::Env(_)
        | ExprKind::Or(_)
        | ExprKind::Fail(_) => 0,
        _ => 11,
    }
}

const OPEN: Part = close("(", "(");
const CLOSE: Part = close(")", ")");
const COMMA: Part = close(", ", ",\\ ");
const DOT: Part = close(".", ".");
const GETS: Part = between("≔", ":=");
const IN: Part = between("∈", "\\in");
const MAPS: Part = between("↦", "\\mapsto");

impl Writer<'_> {
    /// A type.
    pub fn ty(&self, ty: &TypeRef, line: &mut Line) {
        if ty.name.text == "=>" {
            let Some((result, params)) = ty.args.split_last() else { return };
            line.push(OPEN);
            self.row(params, line, |param, line| self.ty(param, line));
            line.extend([CLOSE, between("→", "\\to")]);
            return self.ty(result, line);
        }
        line.push(Part::Type(ty.name.text.clone()));
        if !ty.args.is_empty() {
            line.push(close("⟨", "\\langle "));
            self.row(&ty.args, line, |arg, line| self.ty(arg, line));
            line.push(close("⟩", "\\rangle "));
        }
    }

    /// `Type name`
    pub fn param(&self, param: &Param, line: &mut Line) {
        if let Some(ty) = &param.ty {
            self.ty(ty, line);
            line.push(Part::Space);
        }
        line.push(Part::Name(param.name.text.clone()));
    }

    /// Things between commas.
    pub fn row<T>(&self, all: &[T], line: &mut Line, mut write: impl FnMut(&T, &mut Line)) {
        for (at, one) in all.iter().enumerate() {
            if at > 0 {
                line.push(COMMA);
            }
            write(one, line);
        }
    }

    /// Something in a block.
    pub fn premise(&self, id: ExprId, all: &mut Vec<Premise>) {
        match &self.file.exprs[id].kind {
            ExprKind::Block(statements) => {
                for &statement in statements {
                    self.premise(statement, all);
                }
            }
            ExprKind::Or(alternatives) => {
                all.push(Premise::Either(alternatives.iter().map(|&one| self.premises(one)).collect()));
            }
            ExprKind::If { condition, then, otherwise } => {
                let mut cases = vec![(Some(self.line(*condition)), self.premises(*then))];
                let mut rest = *otherwise;
                while let Some(id) = rest {
                    rest = match &self.file.exprs[id].kind {
                        ExprKind::If { condition, then, otherwise } => {
                            cases.push((Some(self.line(*condition)), self.premises(*then)));
                            *otherwise
                        }
                        _ => {
                            cases.push((None, self.premises(id)));
                            None
                        }
                    };
                }
                all.push(Premise::Cases(cases));
            }
            ExprKind::Switch { on, cases, default, .. } => {
                let case = |case: &volvelle_rules::ast::Case| {
                    let mut line = Line::new();
                    self.within(*on, 5, &mut line);
                    if let Some(guard) = &case.guard {
                        line.push(between("is", "\\text{ is }"));
                        self.ty(guard, &mut line);
                    }
                    if let Some(value) = case.value {
                        line.push(between("=", "="));
                        self.within(value, 5, &mut line);
                    }
                    (Some(line), self.premises(case.body))
                };
                let mut cases: Vec<_> = cases.iter().map(case).collect();
                cases.extend(default.map(|default| (None, self.premises(default))));
                all.push(Premise::Cases(cases));
            }
            ExprKind::For { variable, over, body } => {
                let mut line =
                    vec![Part::Word("for"), Part::Space, Part::Name(variable.name.text.clone()), IN];
                self.within(*over, 5, &mut line);
                all.push(Premise::Repeated(line, self.premises(*body)));
            }
            ExprKind::While { condition, body } => {
                let mut line = vec![Part::Word("while"), Part::Space];
                self.expr(*condition, &mut line);
                all.push(Premise::Repeated(line, self.premises(*body)));
            }
            // A variable without a value is none yet.
            ExprKind::Declare { value: None, .. } => {}
            _ => all.push(Premise::Line(self.line(id))),
        }
    }

    /// All of a block.
    pub fn premises(&self, id: ExprId) -> Vec<Premise> {
        let mut all = Vec::new();
        self.premise(id, &mut all);
        all
    }

    /// An expression.
    pub fn line(&self, id: ExprId) -> Line {
        let mut line = Line::new();
        self.expr(id, &mut line);
        line
    }

    /// An expression in parentheses, where its operator is weaker than that around it.
    fn within(&self, id: ExprId, least: u8, line: &mut Line) {
        let is_weak = strength(&self.file.exprs[id].kind) < least;
        line.extend(is_weak.then_some(OPEN));
        self.expr(id, line);
        line.extend(is_weak.then_some(CLOSE));
    }

    fn args(&self, args: &[ExprId], line: &mut Line) {
        line.push(OPEN);
        self.row(args, line, |&arg, line| self.expr(arg, line));
        line.push(CLOSE);
    }

    #[expect(clippy::too_many_lines, reason = "an arm for each kind")]
    fn expr(&self, id: ExprId, line: &mut Line) {
        let name = |text: &str| Part::Name(text.to_owned());
        match &self.file.exprs[id].kind {
            ExprKind::Null => line.push(Part::Word("null")),
            ExprKind::Truth(truth) => line.push(Part::Word(if *truth { "true" } else { "false" })),
            ExprKind::Number(number) => line.push(Part::Number(number.to_string())),
            ExprKind::Text(text) => line.push(Part::Text(text.clone())),
            ExprKind::Name(text) => line.push(name(text)),
            ExprKind::Empty => line.push(close("∅", "\\emptyset ")),
            ExprKind::Env(mappings) => {
                line.push(OPEN);
                self.environment(mappings, line);
                line.push(CLOSE);
            }
            ExprKind::List(items) => {
                line.push(close("[", "["));
                self.row(items, line, |&item, line| self.expr(item, line));
                line.push(close("]", "]"));
            }
            ExprKind::Closure { params, implicit, body } => {
                line.push(close("λ", "\\lambda "));
                if *implicit {
                    line.push(name("it"));
                }
                self.row(params, line, |param, line| line.push(Part::Name(param.name.text.clone())));
                line.extend([DOT, Part::Space]);
                self.expr(*body, line);
            }
            ExprKind::Block(statements) => {
                if let [one] = statements.as_slice() {
                    return self.expr(*one, line);
                }
                line.push(close("{", "\\{"));
                for (at, &one) in statements.iter().enumerate() {
                    line.extend((at > 0).then_some(close("; ", ";\\ ")));
                    self.expr(one, line);
                }
                line.push(close("}", "\\}"));
            }
            ExprKind::If { condition, then, otherwise } => {
                line.extend([Part::Word("if"), Part::Space]);
                self.expr(*condition, line);
                line.extend([Part::Space, Part::Word("then"), Part::Space]);
                self.expr(*then, line);
                if let Some(otherwise) = otherwise {
                    line.extend([Part::Space, Part::Word("else"), Part::Space]);
                    self.expr(*otherwise, line);
                }
            }
            ExprKind::Switch { on, cases, default, .. } => {
                line.extend([Part::Word("case"), Part::Space]);
                self.expr(*on, line);
                line.extend([Part::Space, Part::Word("of"), Part::Space]);
                for case in cases {
                    if let Some(guard) = &case.guard {
                        self.ty(guard, line);
                        line.push(Part::Space);
                    }
                    if let Some(value) = case.value {
                        self.expr(value, line);
                    }
                    line.push(between("→", "\\to"));
                    self.expr(case.body, line);
                    line.push(close("; ", ";\\ "));
                }
                if let Some(default) = default {
                    line.extend([Part::Word("else"), Part::Space]);
                    self.expr(*default, line);
                }
            }
            ExprKind::While { condition, body } => {
                line.extend([Part::Word("while"), Part::Space]);
                self.expr(*condition, line);
                line.push(Part::Space);
                self.expr(*body, line);
            }
            ExprKind::For { variable, over, body } => {
                line.extend([Part::Word("for"), Part::Space, name(&variable.name.text), IN]);
                self.expr(*over, line);
                line.push(Part::Space);
                self.expr(*body, line);
            }
            ExprKind::Member { on, name: member, args, .. } => {
                self.member(*on, &member.text, args.as_deref(), line)
            }
            ExprKind::Call { name: called, args } => {
                line.push(name(&called.text));
                self.args(args, line);
            }
            ExprKind::Lookup { env, key, .. } => {
                self.within(*env, 11, line);
                line.push(OPEN);
                self.expr(*key, line);
                line.push(CLOSE);
            }
            ExprKind::New { ty, args } => {
                self.ty(ty, line);
                self.args(args, line);
            }
            ExprKind::Binary(operator, left, right) => {
                let own = strength(&self.file.exprs[id].kind);
                self.within(*left, own, line);
                line.push(operator_of(*operator));
                self.within(*right, own + 1, line);
            }
            ExprKind::Not(operand) => {
                line.push(close("¬", "\\neg "));
                self.within(*operand, 9, line);
            }
            ExprKind::Negate(operand) => {
                line.push(close("−", "-"));
                self.within(*operand, 9, line);
            }
            ExprKind::InstanceOf(operand, ty) => {
                self.within(*operand, 5, line);
                line.push(between("is", "\\text{ is }"));
                self.ty(ty, line);
            }
            // What a value is known to be says nothing on paper.
            ExprKind::As(operand, _) => self.within(*operand, 10, line),
            ExprKind::Declare { name: declared, value, .. } => {
                line.push(name(&declared.text));
                if let Some(value) = value {
                    line.push(GETS);
                    self.expr(*value, line);
                }
            }
            ExprKind::Ask(ask) => self.ask(ask, line),
            ExprKind::Or(alternatives) => {
                for (at, &one) in alternatives.iter().enumerate() {
                    if at > 0 {
                        line.extend([Part::Space, Part::Word("or"), Part::Space]);
                    }
                    self.expr(one, line);
                }
            }
            ExprKind::Fail(_) => line.push(Part::Word("fail")),
        }
    }

    fn member(&self, on: ExprId, member: &str, args: Option<&[ExprId]>, line: &mut Line) {
        let quantifier = match member {
            "forall" => Some(close("∀", "\\forall ")),
            "exists" => Some(close("∃", "\\exists ")),
            _ => None,
        };
        if let (Some(quantifier), Some([closure])) = (quantifier, args)
            && let ExprKind::Closure { params, body, .. } = &self.file.exprs[*closure].kind
        {
            let item = params.first().map_or("it", |param| param.name.text.as_str());
            line.extend([quantifier, Part::Name(item.to_owned()), IN]);
            self.within(on, 5, line);
            line.extend([DOT, Part::Space]);
            return self.within(*body, 2, line);
        }
        self.within(on, 11, line);
        line.extend([DOT, Part::Name(member.to_owned())]);
        if let Some(args) = args {
            self.args(args, line);
        }
    }

    fn environment(&self, mappings: &[Mapping], line: &mut Line) {
        self.row(mappings, line, |mapping, line| {
            self.within(mapping.key, 5, line);
            if let Some(value) = mapping.value {
                line.push(MAPS);
                self.within(value, 5, line);
            }
        });
    }

    fn ask(&self, ask: &Ask, line: &mut Line) {
        self.environment(&ask.env, line);
        line.push(of_judgment(ask.symbol));
        for (at, &arg) in ask.args.iter().enumerate() {
            if at > 0 {
                line.push(of_judgment(ask.relations[at - 1]));
            }
            match &self.file.exprs[arg].kind {
                ExprKind::Declare { name, .. } => line.push(Part::Name(name.text.clone())),
                _ => self.within(arg, 5, line),
            }
        }
    }
}

fn operator_of(operator: Binary) -> Part {
    match operator {
        Binary::Assign => GETS,
        Binary::Add => between("+=", "\\mathrel{+}="),
        Binary::Or => between("∨", "\\lor"),
        Binary::And => between("∧", "\\land"),
        Binary::Equal => between("=", "="),
        Binary::Unequal => between("≠", "\\neq"),
        Binary::Less => between("<", "<"),
        Binary::AtMost => between("≤", "\\leq"),
        Binary::Greater => between(">", ">"),
        Binary::AtLeast => between("≥", "\\geq"),
        Binary::Pair => MAPS,
        Binary::Elvis => between("?:", "?\\mkern-2mu:"),
        Binary::Plus => between("+", "+"),
        Binary::Minus => between("−", "-"),
        Binary::Times => between("·", "\\cdot"),
        Binary::Over => between("/", "/"),
        Binary::Modulo => between("mod", "\\bmod"),
    }
}
