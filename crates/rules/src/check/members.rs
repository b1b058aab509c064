//! Fields, functions that all systems have, and calls.

use super::Checker;
use crate::ast::{ExprId, ExprKind, Name};
use crate::ir::{Expr, FunctionId, Kind, Native, Through};
use crate::types::Ty;
use volvelle_diagnostics::{Span, codes};
use volvelle_trees::ClassId;

/// Members of lists that take a function.
const THROUGH: [(&str, Through); 7] = [
    ("map", Through::Map),
    ("filter", Through::Filter),
    ("exists", Through::Exists),
    ("forall", Through::Forall),
    ("forEach", Through::Each),
    ("findFirst", Through::First),
    ("all", Through::Forall),
];

impl Checker<'_> {
    pub(super) fn member(
        &mut self,
        on: ExprId,
        name: &Name,
        args: Option<&[ExprId]>,
        safe: bool,
        wanted: Option<&Ty>,
        span: Span,
    ) -> Expr {
        let on = self.expr(on, None);
        if on.ty == Ty::Nothing {
            return self.nothing(span);
        }
        if args.is_none() {
            match &on.ty {
                Ty::Class(class) if self.universe.field(*class, &name.text).is_some() => {
                    let class = *class;
                    return self.field(on, class, &name.text, safe, span);
                }
                Ty::Pair(first, second) if name.text == "key" || name.text == "value" => {
                    let is_second = name.text == "value";
                    let ty = if is_second { (**second).clone() } else { (**first).clone() };
                    return Expr { kind: Kind::Half { on: Box::new(on), second: is_second }, ty, span };
                }
                _ => {}
            }
        }
        let args = args.unwrap_or_default();
        if let Ty::List(item) = &on.ty {
            let item = (**item).clone();
            if let [closure] = args
                && let Some((_, how)) = THROUGH.iter().find(|(known, _)| *known == name.text)
            {
                return self.through(*how, on, &item, *closure, span);
            }
            if let [start, closure] = args
                && name.text == "fold"
            {
                return self.fold(on, &item, *start, *closure, wanted, span);
            }
        }
        if name.text == "apply"
            && let Ty::Function(params, result) = on.ty.clone()
        {
            let args = self.arguments(args, &params, name);
            return Expr { kind: Kind::Invoke { on: Box::new(on), args }, ty: *result, span };
        }
        // A function of the system comes before one that all have, where the value fits it.
        let function = self.function_of(&name.text);
        let fits = |function: FunctionId| {
            let first = self.functions[function].params.first();
            first.is_some_and(|first| self.universe.fits(&on.ty, first))
        };
        if !function.is_some_and(fits)
            && let Some(native) = self.native(&on, name, args, span)
        {
            return native;
        }
        if let Some(function) = function {
            return self.call_function(function, Some(on), args, name, span);
        }
        self.no_member(&on.ty, name);
        self.nothing(span)
    }

    fn no_member(&mut self, ty: &Ty, name: &Name) {
        let mut known: Vec<String> =
            self.functions.iter().map(|(_, function)| function.name.clone()).collect();
        if let Ty::Class(class) = ty {
            let fields = self.universe.classes.class(*class).fields.clone();
            known.extend(fields.iter().map(|field| self.universe.classes.field_name(field.name).to_owned()));
        }
        known.extend(NATIVES.iter().map(|&name| name.to_owned()));
        let what = format!("member of `{}`", self.universe.name(ty));
        self.unknown(&what, name.span, &name.text, known.iter().map(String::as_str));
    }

    pub(super) fn field(&mut self, on: Expr, class: ClassId, name: &str, safe: bool, span: Span) -> Expr {
        let ty = self.universe.field(class, name).map_or(Ty::Nothing, |(_, ty)| ty);
        match self.universe.classes.find_field(name) {
            Some(field) => Expr { kind: Kind::Field { on: Box::new(on), field, safe }, ty, span },
            None => self.nothing(span),
        }
    }

    /// `list.map[item | …]`: the function is part of the routine around it.
    fn through(&mut self, how: Through, list: Expr, item: &Ty, closure: ExprId, span: Span) -> Expr {
        let wanted = match how {
            Through::Filter | Through::Exists | Through::Forall | Through::First => Some(self.truth()),
            Through::Map | Through::Each => None,
        };
        let mark = self.scope.enter();
        let (local, body) = match self.expr_kind(closure).clone() {
            ExprKind::Closure { params, implicit, body } => {
                let name = match params.as_slice() {
                    [] if implicit => "it".to_owned(),
                    [one] => one.name.text.clone(),
                    _ => {
                        let place = self.place(closure);
                        self.type_error(place, "the function has one parameter here");
                        return self.nothing(span);
                    }
                };
                if let Some(written) = params.first().and_then(|param| param.ty.as_ref()) {
                    let own = self.ty(written);
                    if !self.universe.fits(item, &own) {
                        let message = format!("items have type `{}`", self.universe.name(item));
                        self.type_error(written.name.span, message);
                    }
                }
                if let Some(param) = params.first() {
                    self.no_reserved(&param.name);
                }
                let local = self.scope.declare(&name, item.clone(), false);
                let assigned = self.scope.assigned.clone();
                let outer = self.scope.previous.take();
                let outside = std::mem::replace(&mut self.scope.in_list_function, true);
                let body = if how == Through::Each {
                    self.each(body)
                } else {
                    self.closure_body(body, wanted.as_ref())
                };
                self.scope.previous = outer;
                self.scope.in_list_function = outside;
                self.scope.assigned = assigned;
                (local, body)
            }
            ExprKind::Name(class)
                if how == Through::Filter && self.universe.classes.find(&class).is_some() =>
            {
                // `list.filter(Class)`: those of a class.
                let Some(class) = self.universe.classes.find(&class) else { return self.nothing(span) };
                let local = self.scope.hidden();
                let value = Expr { kind: Kind::Local(local), ty: item.clone(), span };
                let body = Expr { kind: Kind::Is(Box::new(value), class), ty: self.truth(), span };
                let kind = Kind::Through { how, list: Box::new(list), item: local, body: Box::new(body) };
                return Expr { kind, ty: Ty::List(Box::new(Ty::Class(class))), span };
            }
            _ => {
                let result = wanted.clone().unwrap_or(Ty::Any);
                let function = self.expr(closure, Some(&Ty::Function(vec![item.clone()], Box::new(result))));
                let Ty::Function(_, result) = function.ty.clone() else {
                    self.type_error(function.span, "a function is wanted here");
                    return self.nothing(span);
                };
                let local = self.scope.hidden();
                let arg = Expr { kind: Kind::Local(local), ty: item.clone(), span };
                let kind = Kind::Invoke { on: Box::new(function), args: vec![arg] };
                (local, Expr { kind, ty: *result, span })
            }
        };
        self.scope.leave(mark);
        let body = match &wanted {
            Some(wanted) => self.fit(body, wanted, "the result of the function"),
            None => body,
        };
        let ty = match how {
            Through::Each => Ty::Void,
            Through::Map => Ty::List(Box::new(body.ty.clone())),
            Through::Filter => Ty::List(Box::new(item.clone())),
            Through::Exists | Through::Forall => self.truth(),
            Through::First => item.clone(),
        };
        Expr {
            kind: Kind::Through { how, list: Box::new(list), item: local, body: Box::new(body) },
            ty,
            span,
        }
    }

    /// `list.fold(start)[total, item | …]`
    fn fold(
        &mut self,
        list: Expr,
        item: &Ty,
        start: ExprId,
        closure: ExprId,
        wanted: Option<&Ty>,
        span: Span,
    ) -> Expr {
        let start = self.expr(start, wanted);
        let ty = wanted
            .filter(|wanted| self.universe.fits(&start.ty, wanted))
            .cloned()
            .unwrap_or(start.ty.clone());
        let ExprKind::Closure { params, body, .. } = self.expr_kind(closure).clone() else {
            let place = self.place(closure);
            self.type_error(place, "`fold` takes a function `[total, item | …]`");
            return self.nothing(span);
        };
        let [total, one] = params.as_slice() else {
            let place = self.place(closure);
            self.type_error(place, "the function of `fold` has two parameters");
            return self.nothing(span);
        };
        let mark = self.scope.enter();
        self.no_reserved(&total.name);
        self.no_reserved(&one.name);
        let outer = self.scope.previous.take();
        let outside = std::mem::replace(&mut self.scope.in_list_function, true);
        let total = self.scope.declare(&total.name.text, ty.clone(), false);
        let one = self.scope.declare(&one.name.text, item.clone(), false);
        let body = self.closure_body(body, Some(&ty));
        let body = self.fit(body, &ty, "the result of the function");
        self.scope.previous = outer;
        self.scope.in_list_function = outside;
        self.scope.leave(mark);
        let kind = Kind::Fold {
            list: Box::new(list),
            start: Box::new(start),
            total,
            item: one,
            body: Box::new(body),
        };
        Expr { kind, ty, span }
    }

    fn arguments(&mut self, args: &[ExprId], params: &[Ty], name: &Name) -> Vec<Expr> {
        if args.len() != params.len() {
            let message = format!("`{}` takes {} arguments, found {}", name.text, params.len(), args.len());
            self.type_error(name.span, message);
        }
        args.iter()
            .zip(params)
            .map(|(&arg, ty)| {
                let value = self.value_of(arg, Some(ty));
                self.fit(value, ty, "the argument")
            })
            .collect()
    }

    fn call_function(
        &mut self,
        function: FunctionId,
        on: Option<Expr>,
        args: &[ExprId],
        name: &Name,
        span: Span,
    ) -> Expr {
        let params = self.functions[function].params.clone();
        let first = usize::from(on.is_some());
        let mut all = Vec::new();
        if let Some(on) = on {
            let Some(ty) = params.first() else {
                self.type_error(name.span, format!("`{}` has no parameters", name.text));
                return self.nothing(span);
            };
            all.push(self.fit(on, ty, "the argument"));
        }
        all.extend(self.arguments(args, &params[first.min(params.len())..], name));
        let ty = self.functions[function].result.clone();
        let boolean = self.functions[function].is_predicate;
        if let Some(function) = self.functions[function].host {
            return Expr { kind: Kind::Host { function, args: all }, ty, span };
        }
        Expr { kind: Kind::Call { function, args: all, boolean }, ty, span }
    }

    pub(super) fn call(&mut self, name: &Name, args: &[ExprId], span: Span) -> Expr {
        if let Some(local) = self.scope.find(&name.text).cloned() {
            let Ty::Function(params, result) = local.ty.clone() else {
                self.type_error(name.span, format!("`{}` is no function", name.text));
                return self.nothing(span);
            };
            let args = self.arguments(args, &params, name);
            let on = Expr { kind: Kind::Local(local.id), ty: local.ty, span: name.span };
            return Expr { kind: Kind::Invoke { on: Box::new(on), args }, ty: *result, span };
        }
        if let Some(function) = self.function_of(&name.text) {
            return self.call_function(function, None, args, name, span);
        }
        if let Some(class) = self.universe.classes.find(&name.text) {
            return self.make(class, args, span);
        }
        let mut known: Vec<String> =
            self.functions.iter().map(|(_, function)| function.name.clone()).collect();
        known.extend(
            self.universe.data.iter().map(|data| self.universe.classes.class(data.class).name.clone()),
        );
        self.unknown("function", name.span, &name.text, known.iter().map(String::as_str));
        self.nothing(span)
    }

    /// Data with its fields.
    pub(super) fn make(&mut self, class: ClassId, args: &[ExprId], span: Span) -> Expr {
        let name = self.universe.classes.class(class).name.clone();
        let Some(data) = self.universe.data.iter().find(|data| data.class == class).cloned() else {
            self.type_error(span, format!("`{name}` is no type that a rule file declares"));
            return self.nothing(span);
        };
        if self.universe.classes.class(class).is_abstract {
            self.type_error(span, format!("`{name}` is abstract: only kinds of it are made"));
        }
        let args = self.arguments(args, &data.fields, &Name { text: name, span });
        Expr { kind: Kind::Make { class, args }, ty: Ty::Class(class), span }
    }

    /// A class that is written as an argument.
    fn class_argument(&mut self, args: &[ExprId]) -> Option<ClassId> {
        let [arg] = args else { return None };
        let ExprKind::Name(name) = self.expr_kind(*arg).clone() else { return None };
        let found = self.universe.classes.find(&name);
        if found.is_none() {
            let span = self.place(*arg);
            let known: Vec<String> =
                self.universe.classes.iter().map(|(_, class)| class.name.clone()).collect();
            self.unknown("type", span, &name, known.iter().map(String::as_str));
        }
        found
    }

    /// A function that all systems have.
    fn native(&mut self, on: &Expr, name: &Name, args: &[ExprId], span: Span) -> Option<Expr> {
        use Native as N;
        let (truth, number, text) = (self.truth(), self.number(), self.text());
        let node = Ty::Class(self.universe.common.node);
        let is_node = self.universe.fits(&on.ty, &node);
        let (function, params, result) = match (&on.ty, name.text.as_str()) {
            (Ty::List(item), member) => {
                let item = (**item).clone();
                match member {
                    "size" => (N::Size, vec![], number),
                    "isEmpty" => (N::IsEmpty, vec![], truth),
                    "head" => (N::Head, vec![], item),
                    "last" => (N::Last, vec![], item),
                    "tail" => (N::Tail, vec![], on.ty.clone()),
                    "get" => (N::Get, vec![number], item),
                    "contains" => (N::Contains, vec![Ty::Any], truth),
                    "indexOf" => (N::IndexOf, vec![Ty::Any], number),
                    "reverse" => (N::Reverse, vec![], on.ty.clone()),
                    "distinct" => (N::Distinct, vec![], on.ty.clone()),
                    "join" => (N::Join, vec![text.clone()], text),
                    "flatten" if matches!(item, Ty::List(_)) => (N::Flatten, vec![], item),
                    _ => return self.of_all(on, name, args, span),
                }
            }
            (Ty::Map(key, value), member) => match member {
                "get" => (N::MapGet, vec![(**key).clone()], (**value).clone()),
                "put" => (N::MapPut, vec![(**key).clone(), (**value).clone()], Ty::Void),
                "containsKey" => (N::MapHas, vec![(**key).clone()], truth),
                _ => return self.of_all(on, name, args, span),
            },
            (ty, member) if *ty == text => match member {
                "length" => (N::Length, vec![], number),
                "startsWith" => (N::StartsWith, vec![text], truth),
                "isBefore" => (N::IsBefore, vec![text], truth),
                "endsWith" => (N::EndsWith, vec![text], truth),
                "substring" => (N::Substring, vec![number.clone(), number], text),
                "isDigits" => (N::IsDigits, vec![], truth),
                "toNumber" => (N::ToNumber, vec![], number),
                "toUpperCase" => (N::Upper, vec![], text),
                "toLowerCase" => (N::Lower, vec![], text),
                "unquoted" => (N::Unquoted, vec![], text),
                _ => return self.of_all(on, name, args, span),
            },
            (ty, member) if *ty == self.failure() => match member {
                "message" => (N::Message, vec![], text),
                "cause" => (N::Cause, vec![], ty.clone()),
                "data" => (N::Data, vec![], Ty::Any),
                _ => return self.of_all(on, name, args, span),
            },
            (_, member) if is_node => match member {
                "container" => (N::Container, vec![], node),
                "root" => (N::Root, vec![], node),
                "previous" => (N::Previous, vec![], node),
                "next" => (N::Next, vec![], node),
                "offset" => (N::Offset, vec![], number),
                "line" => (N::Line, vec![], number),
                "containerOf" | "all" | "named" => {
                    let class = self.class_argument(&args[..args.len().min(1)])?;
                    let own = Ty::Class(class);
                    match member {
                        "containerOf" => (N::ContainerOf(class), vec![Ty::Void], own),
                        "all" => (N::All(class), vec![Ty::Void], Ty::List(Box::new(own))),
                        _ => (N::Named(class), vec![Ty::Void, text], own),
                    }
                }
                _ => return self.of_all(on, name, args, span),
            },
            _ => return self.of_all(on, name, args, span),
        };
        // A class is no argument at run time.
        let skip = usize::from(params.first() == Some(&Ty::Void));
        let mut all = vec![on.clone()];
        all.extend(self.arguments(&args[skip.min(args.len())..], &params[skip..], name));
        Some(Expr { kind: Kind::Native { function, args: all }, ty: result, span })
    }

    fn of_all(&mut self, on: &Expr, name: &Name, args: &[ExprId], span: Span) -> Option<Expr> {
        let function = match name.text.as_str() {
            "toText" | "toString" => Native::ToText,
            "sourceText" => Native::SourceText,
            "className" => Native::ClassName,
            _ => return None,
        };
        if !args.is_empty() {
            self.error(codes::RULE_TYPE, name.span, format!("`{}` takes no arguments", name.text));
        }
        Some(Expr { kind: Kind::Native { function, args: vec![on.clone()] }, ty: self.text(), span })
    }
}

/// Names of members that all systems have, for what might be meant.
const NATIVES: &[&str] = &[
    "size",
    "isEmpty",
    "head",
    "last",
    "tail",
    "get",
    "contains",
    "indexOf",
    "reverse",
    "distinct",
    "join",
    "flatten",
    "put",
    "containsKey",
    "length",
    "startsWith",
    "isBefore",
    "endsWith",
    "substring",
    "isDigits",
    "toNumber",
    "toUpperCase",
    "toLowerCase",
    "unquoted",
    "message",
    "cause",
    "data",
    "container",
    "root",
    "previous",
    "next",
    "offset",
    "line",
    "containerOf",
    "all",
    "named",
    "toText",
    "sourceText",
    "className",
    "map",
    "filter",
    "exists",
    "forall",
    "forEach",
    "findFirst",
    "fold",
    "apply",
    "key",
    "value",
];
