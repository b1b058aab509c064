//! Names in rules, in bodies of functions and in what is said about failures.

use super::declare::add;
use super::names::{Names, number_at};
use crate::builder::{Builder, Declared};
use crate::index::{Kind, Role, SymbolId};
use crate::scope::Scope;
use crate::words::Word;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::Span;
use volvelle_rules::ast::{
    Ask, Binary, Blame, Element, ExprId, ExprKind, File, Mapping, Name, Param, TypeRef,
};

/// A walk through a file.
pub(super) struct Walk<'w, 't, 'b> {
    builder: &'b mut Builder<'w>,
    names: &'b Names,
    file: &'t File,
    words: &'b [Word<'b>],
    scope: Scope<'t>,
    /// Types of variables, where they are one class.
    types: FxHashMap<SymbolId, String>,
    /// The rule or the function that the walk is in.
    within: Option<SymbolId>,
}

impl<'w, 't, 'b> Walk<'w, 't, 'b> {
    pub fn of(builder: &'b mut Builder<'w>, names: &'b Names, file: &'t File, words: &'b [Word<'b>]) -> Self {
        let (scope, types) = (Scope::default(), FxHashMap::default());
        Walk { builder, names, file, words, scope, types, within: None }
    }

    /// The names of the whole file.
    pub fn all(mut self) {
        let file = self.file;
        for data in &file.data {
            data.fields.iter().for_each(|(_, ty)| self.ty(ty));
            data.supertypes.iter().for_each(|above| self.class(above));
        }
        for field in &file.fields {
            field.ty.iter().for_each(|ty| self.ty(ty));
            field.value.iter().for_each(|&value| self.expr(value));
        }
        for one in &file.auxiliaries {
            self.within = self.names.functions.get(&one.name.text).copied();
            self.inside(|walk| {
                one.params.iter().for_each(|param| walk.param(param));
                one.result.iter().for_each(|ty| walk.ty(ty));
                walk.extras(one.cached.as_ref().and_then(|cached| cached.condition), one.cycle, &one.blame);
            });
        }
        for one in &file.judgments {
            self.within = self.names.judgments.get(&(one.symbol, one.relations.clone())).copied();
            self.inside(|walk| {
                for place in &one.places {
                    walk.ty(&place.ty);
                    place.name.iter().for_each(|name| walk.local(name, Some(&place.ty), place.ty.name.span));
                }
                walk.extras(one.cached.as_ref().and_then(|cached| cached.condition), one.cycle, &one.blame);
            });
        }
        for one in &file.bodies {
            let whole = self.builder.with_word_before(one.name.span, "auxiliary");
            let whole = self.builder.with_word_before(whole, "override").to(file.exprs[one.body].span);
            let last = one.params.last().map_or(one.name.span, |param| param.name.span);
            let detail = format!("{})", self.builder.one_line(one.name.span.to(last)));
            let span = Builder::nameless(whole);
            let body = self.builder.declare(Declared {
                name: "",
                kind: Kind::Function,
                span,
                whole,
                detail,
                container: None,
            });
            self.within = Some(body);
            if let Some(&function) = self.names.functions.get(&one.name.text) {
                self.builder.refer(one.name.span, function, Role::Declares);
            }
            self.inside(|walk| {
                one.params.iter().for_each(|param| walk.param(param));
                walk.expr(one.body);
            });
        }
        for rule in &file.rules {
            let whole = self.builder.with_word_before(rule.span, "override").to(rule.span);
            let last = rule.elements.last().map(|element| match element {
                Element::Param(_, name) => name.span,
                Element::Value(value) => file.exprs[*value].span,
            });
            let id = add(self.builder, &rule.name, Kind::Rule, whole, None);
            let head = Span { end: last.map_or(rule.name.span.end, |last| last.end), ..whole };
            self.builder.symbols[id.0 as usize].detail = self.builder.one_line(head);
            self.within = Some(id);
            if let Some(&judgment) = self.names.judgments.get(&(rule.symbol, rule.relations.clone()))
                && let Some(sign) = self.words.get(number_at(self.words, rule.env.span.end))
            {
                self.builder.sign(sign.span, judgment, Role::Reads);
            }
            self.inside(|walk| {
                walk.local(&rule.env, None, rule.env.span);
                for element in &rule.elements {
                    if let Element::Param(ty, name) = element {
                        walk.ty(ty);
                        walk.local(name, Some(ty), ty.name.span);
                    }
                }
                rule.body.iter().for_each(|&body| walk.block(body));
                for element in &rule.elements {
                    if let Element::Value(value) = element {
                        walk.expr(*value);
                    }
                }
                walk.blame(&rule.blame);
            });
        }
        for check in &file.checks {
            let whole = self.builder.with_word_before(check.name.span, "checkrule");
            let whole = self.builder.with_word_before(whole, "override").to(file.exprs[check.body].span);
            let id = add(self.builder, &check.name, Kind::Rule, whole, None);
            let head = Span { end: check.param.name.span.end, ..whole };
            self.builder.symbols[id.0 as usize].detail = self.builder.one_line(head);
            self.within = Some(id);
            self.inside(|walk| {
                walk.param(&check.param);
                walk.expr(check.body);
            });
        }
    }

    /// What is declared within is known there alone.
    fn inside(&mut self, walk: impl FnOnce(&mut Self)) {
        let mark = self.scope.mark();
        walk(self);
        self.scope.leave(mark);
    }

    fn extras(&mut self, condition: Option<ExprId>, cycle: Option<ExprId>, blame: &Blame) {
        condition.into_iter().chain(cycle).for_each(|expr| self.expr(expr));
        self.blame(blame);
    }

    fn blame(&mut self, blame: &Blame) {
        let Blame { message, source, feature, data } = blame;
        [message, source, feature, data].into_iter().flatten().for_each(|&part| self.expr(part));
    }

    fn class(&mut self, name: &Name) {
        if let Some(&class) = self.names.types.get(&name.text) {
            self.builder.refer(name.span, class, Role::Reads);
        }
    }

    fn ty(&mut self, ty: &TypeRef) {
        self.class(&ty.name);
        ty.args.iter().for_each(|arg| self.ty(arg));
    }

    fn param(&mut self, param: &'t Param) {
        param.ty.iter().for_each(|ty| self.ty(ty));
        let start = param.ty.as_ref().map_or(param.name.span, |ty| ty.name.span);
        self.local(&param.name, param.ty.as_ref(), start);
    }

    fn local(&mut self, name: &'t Name, ty: Option<&TypeRef>, start: Span) {
        let whole = if start.start <= name.span.start { start.to(name.span) } else { name.span };
        let id = add(self.builder, name, Kind::Local, whole, self.within);
        self.scope.enter(&name.text, id);
        if let Some(ty) = ty.filter(|ty| ty.args.is_empty()) {
            self.types.insert(id, ty.name.text.clone());
        }
    }

    /// What a block declares stays known behind it, as outputs of a rule see it.
    fn block(&mut self, id: ExprId) {
        match &self.file.exprs[id].kind {
            ExprKind::Block(statements) => statements.iter().for_each(|&one| self.expr(one)),
            _ => self.expr(id),
        }
    }

    fn expr(&mut self, id: ExprId) {
        let file = self.file;
        let span = file.exprs[id].span;
        match &file.exprs[id].kind {
            ExprKind::Null
            | ExprKind::Truth(_)
            | ExprKind::Number(_)
            | ExprKind::Text(_)
            | ExprKind::Empty => {}
            ExprKind::Name(name) => self.named(name, span),
            ExprKind::Env(mappings) => self.mappings(mappings),
            ExprKind::List(parts) | ExprKind::Or(parts) => parts.iter().for_each(|&part| self.expr(part)),
            ExprKind::Block(parts) => self.inside(|walk| parts.iter().for_each(|&part| walk.expr(part))),
            ExprKind::Closure { params, body, .. } => self.inside(|walk| {
                params.iter().for_each(|param| walk.param(param));
                walk.expr(*body);
            }),
            ExprKind::If { condition, then, otherwise } => {
                self.expr(*condition);
                self.inside(|walk| walk.expr(*then));
                otherwise.iter().for_each(|&otherwise| self.inside(|walk| walk.expr(otherwise)));
            }
            ExprKind::Switch { on, binder, cases, default } => {
                self.expr(*on);
                self.inside(|walk| {
                    binder.iter().for_each(|name| walk.local(name, None, name.span));
                    for case in cases {
                        case.guard.iter().for_each(|ty| walk.ty(ty));
                        case.value.iter().for_each(|&value| walk.expr(value));
                        walk.inside(|walk| walk.expr(case.body));
                    }
                    default.iter().for_each(|&default| walk.inside(|walk| walk.expr(default)));
                });
            }
            ExprKind::While { condition, body } => {
                self.expr(*condition);
                self.inside(|walk| walk.expr(*body));
            }
            ExprKind::For { variable, over, body } => {
                self.expr(*over);
                self.inside(|walk| {
                    walk.param(variable);
                    walk.expr(*body);
                });
            }
            ExprKind::Member { on, name, args, .. } => self.member(*on, name, args.as_deref()),
            ExprKind::Call { name, args } => {
                self.called(name);
                args.iter().for_each(|&arg| self.expr(arg));
            }
            ExprKind::Lookup { env, key, ty } => {
                self.expr(*env);
                self.expr(*key);
                self.ty(ty);
            }
            ExprKind::New { ty, args } => {
                self.ty(ty);
                args.iter().for_each(|&arg| self.expr(arg));
            }
            ExprKind::Binary(_, left, right) => {
                self.expr(*left);
                self.expr(*right);
            }
            ExprKind::Not(inner) | ExprKind::Negate(inner) => self.expr(*inner),
            ExprKind::InstanceOf(inner, ty) | ExprKind::As(inner, ty) => {
                self.expr(*inner);
                self.ty(ty);
            }
            ExprKind::Declare { ty, name, value, .. } => {
                ty.iter().for_each(|ty| self.ty(ty));
                value.iter().for_each(|&value| self.expr(value));
                let start = ty.as_ref().map_or(name.span, |ty| ty.name.span);
                self.local(name, ty.as_ref(), start);
            }
            ExprKind::Ask(ask) => self.ask(ask),
            ExprKind::Fail(blame) => self.blame(blame),
        }
    }

    fn mappings(&mut self, mappings: &[Mapping]) {
        for mapping in mappings {
            self.expr(mapping.key);
            mapping.value.iter().for_each(|&value| self.expr(value));
        }
    }

    fn ask(&mut self, ask: &Ask) {
        self.mappings(&ask.env);
        if let Some(&judgment) = self.names.judgments.get(&(ask.symbol, ask.relations.clone())) {
            self.builder.sign(ask.at, judgment, Role::Reads);
        }
        ask.args.iter().for_each(|&arg| self.expr(arg));
    }

    /// A variable, a field of the system, a value without fields, or a field of `it`.
    fn named(&mut self, name: &str, span: Span) {
        let names = self.names;
        let known = self.scope.get(name).or_else(|| names.globals.get(name).copied());
        let known = known.or_else(|| names.types.get(name).copied()).or_else(|| names.field(None, name));
        if let Some(id) = known {
            self.builder.refer(span, id, Role::Reads);
        }
    }

    /// A function, or a value that is made.
    fn called(&mut self, name: &Name) {
        let names = self.names;
        let known = names.functions.get(&name.text).or_else(|| names.types.get(&name.text)).copied();
        if let Some(id) = known.or_else(|| self.scope.get(&name.text)) {
            self.builder.refer(name.span, id, Role::Reads);
        }
    }

    fn member(&mut self, on: ExprId, name: &Name, args: Option<&[ExprId]>) {
        self.expr(on);
        if let Some(id) = self.member_of(on, name, args.is_some()) {
            self.builder.refer(name.span, id, Role::Reads);
        }
        args.into_iter().flatten().for_each(|&arg| self.expr(arg));
    }

    fn member_of(&self, on: ExprId, name: &Name, is_call: bool) -> Option<SymbolId> {
        let field = || self.names.field(self.type_of(on).as_deref(), &name.text);
        let function = || self.names.functions.get(&name.text).copied();
        if is_call { function() } else { field().or_else(function) }
    }

    /// The class of a value, where it is written.
    fn type_of(&self, id: ExprId) -> Option<String> {
        match &self.file.exprs[id].kind {
            ExprKind::Name(name) => match self.scope.get(name) {
                Some(local) => self.types.get(&local).cloned(),
                None => {
                    self.names.globals.get(name).and_then(|global| self.names.results.get(global).cloned())
                }
            },
            ExprKind::Member { on, name, args, .. } => {
                let member = self.member_of(*on, name, args.is_some())?;
                self.names.results.get(&member).cloned()
            }
            ExprKind::Call { name, .. } => match self.names.functions.get(&name.text) {
                Some(function) => self.names.results.get(function).cloned(),
                None => Some(name.text.clone()),
            },
            ExprKind::New { ty, .. } | ExprKind::As(_, ty) => {
                Some(ty.name.text.clone()).filter(|_| ty.args.is_empty())
            }
            ExprKind::Binary(Binary::Elvis, left, _) => self.type_of(*left),
            _ => None,
        }
    }
}
