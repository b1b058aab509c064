//! Types, fields, judgments, functions; the rules, bodies and checks that belong to them.

use super::{Checker, Entry, Target};
use crate::ast::{Blame as Written, Cached, Element, ExprId, Name, Param, Rule};
use crate::dispatch::{Candidate, Dispatch};
use crate::ir::{
    Expr, Function, FunctionId, Global, Judgment, JudgmentId, Kind, LocalId, Memo, Purpose, RoutineId,
};
use crate::types::{DataType, Ty};
use std::collections::HashMap;
use volvelle_diagnostics::{Span, codes};
use volvelle_trees::{Field, Flaw, Shape};

/// Judgments have at most so many outputs.
const MOST_OUTPUTS: usize = 3;

impl Checker<'_> {
    /// Declares the types of all files: names first, since fields may name any of them.
    pub(super) fn data(&mut self) {
        let files = self.files;
        let mut declared = Vec::new();
        for data in files.iter().flat_map(|file| &file.data) {
            match self.universe.classes.declare(&data.name.text) {
                Ok(class) => declared.push((class, data)),
                Err(Flaw::Many) => {
                    self.error(codes::RULE_DECLARATION, data.name.span, "there are too many types")
                }
                Err(_) => {
                    let message = format!("there is a type `{}` already", data.name.text);
                    self.error(codes::RULE_DECLARATION, data.name.span, message);
                }
            }
        }
        // Supertypes before their kinds; what never gets its turn is in a circle.
        let mut waiting = declared;
        loop {
            let before = waiting.len();
            let names: Vec<&str> = waiting.iter().map(|(_, data)| data.name.text.as_str()).collect();
            let (ready, rest): (Vec<_>, Vec<_>) = waiting.iter().copied().partition(|(_, data)| {
                data.supertypes.iter().all(|above| !names.contains(&above.text.as_str()))
            });
            for (class, data) in ready {
                let mut supertypes = Vec::new();
                for above in &data.supertypes {
                    match self.universe.classes.find(&above.text) {
                        Some(above) if above.0 >= self.universe.nodes => supertypes.push(above),
                        Some(_) => {
                            let message = format!("`{}` is a class of nodes; data extends data", above.text);
                            self.error(codes::RULE_DECLARATION, above.span, message);
                        }
                        None => {
                            let known: Vec<&str> = files
                                .iter()
                                .flat_map(|file| &file.data)
                                .map(|data| &*data.name.text)
                                .collect();
                            self.unknown("type", above.span, &above.text, known);
                        }
                    }
                }
                let mut own = Vec::new();
                let mut types: HashMap<String, Ty> = HashMap::new();
                for above in &supertypes {
                    if let Some(data) = self.universe.data.iter().find(|data| data.class == *above) {
                        let fields = &self.universe.classes.class(*above).fields;
                        for (field, ty) in fields.iter().zip(&data.fields) {
                            types.insert(self.universe.classes.field_name(field.name).to_owned(), ty.clone());
                        }
                    }
                }
                for (name, ty) in &data.fields {
                    let ty = self.ty(ty);
                    if types.insert(name.text.clone(), ty).is_some() {
                        let message = format!("there is a field `{}` already", name.text);
                        self.error(codes::RULE_DECLARATION, name.span, message);
                        continue;
                    }
                    match self.universe.classes.field(&name.text) {
                        Ok(field) => own.push(Field { name: field, shape: Shape::Text }),
                        Err(_) => self.error(codes::RULE_DECLARATION, name.span, "there are too many fields"),
                    }
                }
                if self.universe.classes.complete(class, &supertypes, &own, data.is_abstract).is_err() {
                    self.error(codes::RULE_DECLARATION, data.name.span, "there are too many fields");
                }
                let fields = self.universe.classes.class(class).fields.clone();
                let fields = fields
                    .iter()
                    .map(|field| types[self.universe.classes.field_name(field.name)].clone())
                    .collect();
                self.universe.data.push(DataType { class, fields });
            }
            if rest.is_empty() {
                return;
            }
            if rest.len() == before {
                for (_, data) in rest {
                    let message = format!("`{}` is a kind of itself", data.name.text);
                    self.error(codes::RULE_DECLARATION, data.name.span, message);
                }
                return;
            }
            waiting = rest;
        }
    }

    pub(super) fn globals(&mut self) {
        let files = self.files;
        for (number, file) in files.iter().enumerate() {
            for field in &file.fields {
                self.begin(number);
                let declared = field.ty.as_ref().map(|ty| self.ty(ty));
                let value = field.value.map(|value| self.expr(value, declared.as_ref()));
                let value = match (&declared, value) {
                    (Some(ty), Some(value)) => Some(self.fit(value, ty, "the value of the field")),
                    (_, value) => value,
                };
                let ty = declared.or_else(|| value.as_ref().map(|value| value.ty.clone()));
                let Some(ty) = ty else {
                    self.type_error(field.name.span, "the field has neither a type nor a value");
                    continue;
                };
                if self.global_names.contains_key(&field.name.text) {
                    let message = format!("there is a field `{}` already", field.name.text);
                    self.error(codes::RULE_DECLARATION, field.name.span, message);
                    continue;
                }
                let routine =
                    value.map(|value| self.finish(&field.name, Purpose::Global, 0, None, vec![value], None));
                let name = field.name.text.clone();
                let id = self.globals.push(Global {
                    name: name.clone(),
                    ty,
                    is_var: field.is_var,
                    value: routine,
                });
                self.global_names.insert(name, id);
            }
        }
    }

    pub(super) fn judgments(&mut self) {
        let files = self.files;
        for (number, file) in files.iter().enumerate() {
            for written in &file.judgments {
                self.begin(number);
                let places: Vec<(Ty, bool)> =
                    written.places.iter().map(|place| (self.ty(&place.ty), place.name.is_none())).collect();
                let outputs = places.iter().filter(|(_, output)| *output).count();
                let name = &written.name;
                if outputs == places.len() {
                    self.error(codes::RULE_DECLARATION, name.span, "a judgment has at least one input");
                }
                if outputs > MOST_OUTPUTS {
                    let message = format!("a judgment has at most {MOST_OUTPUTS} outputs, found {outputs}");
                    self.error(codes::RULE_DECLARATION, name.span, message);
                }
                let same_form = self
                    .judgments
                    .iter()
                    .find(|(_, known)| known.symbol == written.symbol && known.relations == written.relations)
                    .map(|(id, known)| (id, known.name.clone()));
                let same_name = self.judgments.iter().any(|(_, known)| known.name == name.text);
                match (&same_form, written.overrides) {
                    (Some((id, known)), true)
                        if *known == name.text && self.is_inherited(self.judgments[*id].span, name) => {}
                    (Some((_, known)), _) if *known == name.text => {
                        let message = format!("there is a judgment `{known}` already");
                        let help = "`override` before its name replaces an inherited one";
                        self.error_with_help(codes::RULE_DECLARATION, name.span, message, help);
                        continue;
                    }
                    (Some((_, known)), _) => {
                        let message = format!("judgment `{known}` has the same symbols");
                        self.error(codes::RULE_DECLARATION, name.span, message);
                        continue;
                    }
                    (None, true) => {
                        let message = format!("no judgment `{}` of this form is inherited", name.text);
                        self.error(codes::RULE_DECLARATION, name.span, message);
                        continue;
                    }
                    (None, false) if same_name => {
                        let message = format!("there is a judgment `{}` already", name.text);
                        self.error(codes::RULE_DECLARATION, name.span, message);
                        continue;
                    }
                    (None, false) => {}
                }
                let inputs: Vec<(Option<String>, Ty)> = written
                    .places
                    .iter()
                    .zip(&places)
                    .filter(|(_, (_, output))| !output)
                    .map(|(place, (ty, _))| (place.name.as_ref().map(|name| name.text.clone()), ty.clone()))
                    .collect();
                let memo = self.memo(number, name, written.cached.as_ref(), written.cycle, &inputs, true);
                let judgment = Judgment {
                    name: name.text.clone(),
                    span: name.span,
                    symbol: written.symbol,
                    relations: written.relations.clone(),
                    input_count: places.len() - outputs,
                    places,
                    rules: Vec::new(),
                    dispatch: Dispatch::default(),
                    memo,
                    blame: None,
                };
                match same_form {
                    Some((id, _)) => self.judgments[id] = judgment,
                    None => {
                        self.judgments.push(judgment);
                    }
                }
            }
        }
    }

    /// How results are kept. The routines of it are given the environment, for judgments, and the inputs.
    fn memo(
        &mut self,
        file: usize,
        name: &Name,
        cached: Option<&Cached>,
        cycle: Option<ExprId>,
        inputs: &[(Option<String>, Ty)],
        with_env: bool,
    ) -> Memo {
        let routine = |checker: &mut Self, expr: ExprId, purpose: Purpose| {
            checker.begin(file);
            if with_env {
                checker.scope.hidden();
            }
            for (name, ty) in inputs {
                checker.scope.declare(name.as_deref().unwrap_or_default(), ty.clone(), false);
            }
            let wanted = if purpose == Purpose::Condition { checker.truth() } else { Ty::Any };
            let value = checker.expr(expr, Some(&wanted));
            let value = checker.fit(value, &wanted, "the condition");
            let params = inputs.len() + usize::from(with_env);
            checker.finish(name, purpose, params, None, vec![value], None)
        };
        let condition =
            cached.and_then(|cached| cached.condition).map(|expr| routine(self, expr, Purpose::Condition));
        let cycle = cycle.map(|expr| routine(self, expr, Purpose::Cycle));
        Memo { cached: cached.is_some(), condition, cycle }
    }

    pub(super) fn functions(&mut self) {
        let files = self.files;
        for (number, file) in files.iter().enumerate() {
            for written in &file.auxiliaries {
                self.begin(number);
                let params: Vec<Ty> = written
                    .params
                    .iter()
                    .filter_map(|param| param.ty.as_ref())
                    .map(|ty| self.ty(ty))
                    .collect();
                let result = written.result.as_ref().map(|ty| self.ty(ty));
                let name = &written.name;
                let known = self.function_names.get(&name.text).copied();
                let is_inherited = known.map(|known| self.is_inherited(self.functions[known].span, name));
                if is_inherited != written.overrides.then_some(true) {
                    let message = if known.is_none() {
                        format!("no function `{}` is inherited", name.text)
                    } else {
                        format!("there is a function `{}` already", name.text)
                    };
                    self.error(codes::RULE_DECLARATION, name.span, message);
                    continue;
                }
                let inputs: Vec<(Option<String>, Ty)> = written
                    .params
                    .iter()
                    .zip(&params)
                    .map(|(param, ty)| (Some(param.name.text.clone()), ty.clone()))
                    .collect();
                let memo = self.memo(number, name, written.cached.as_ref(), written.cycle, &inputs, false);
                let host = written.host.then(|| self.host(name)).flatten();
                let function = Function {
                    host,
                    is_small: false,
                    name: name.text.clone(),
                    span: name.span,
                    params,
                    is_predicate: result.is_none(),
                    result: result.unwrap_or_else(|| self.truth()),
                    bodies: Vec::new(),
                    dispatch: Dispatch::default(),
                    memo,
                    blame: None,
                };
                match known {
                    Some(id) => self.functions[id] = function,
                    None => {
                        let id = self.functions.push(function);
                        self.function_names.insert(name.text.clone(), id);
                    }
                }
            }
        }
    }

    /// The number of a function among those of the language.
    fn host(&mut self, name: &Name) -> Option<u16> {
        let at = self.hosts.iter().position(|known| *known == name.text);
        if at.is_none() {
            self.unknown("function of the language", name.span, &name.text, self.hosts.iter().copied());
        }
        at.map(|at| at as u16)
    }

    /// The messages of judgments and functions.
    pub(super) fn blames(&mut self) {
        let files = self.files;
        for (number, file) in files.iter().enumerate() {
            for written in &file.judgments {
                let Some(id) = self.judgments.iter().find(|(_, known)| known.span == written.name.span)
                else {
                    continue;
                };
                let id = id.0;
                let names =
                    written.places.iter().map(|place| place.name.as_ref().map(|name| name.text.clone()));
                let inputs: Vec<(Option<String>, Ty)> = names
                    .zip(self.judgments[id].places.clone())
                    .filter(|(_, (_, output))| !output)
                    .map(|(name, (ty, _))| (name, ty))
                    .collect();
                let blame = self.blame_routine(number, &written.name, &written.blame, &inputs, true);
                self.judgments[id].blame = blame;
            }
            for written in &file.auxiliaries {
                let Some(&id) = self.function_names.get(&written.name.text) else { continue };
                if self.functions[id].span != written.name.span {
                    continue;
                }
                let names = written.params.iter().map(|param| Some(param.name.text.clone()));
                let inputs: Vec<(Option<String>, Ty)> =
                    names.zip(self.functions[id].params.clone()).collect();
                let blame = self.blame_routine(number, &written.name, &written.blame, &inputs, false);
                self.functions[id].blame = blame;
            }
        }
    }

    fn blame_routine(
        &mut self,
        file: usize,
        name: &Name,
        written: &Written,
        inputs: &[(Option<String>, Ty)],
        with_env: bool,
    ) -> Option<RoutineId> {
        if written.is_empty() {
            return None;
        }
        self.begin(file);
        if with_env {
            self.scope.hidden();
        }
        for (name, ty) in inputs {
            self.scope.declare(name.as_deref().unwrap_or_default(), ty.clone(), false);
        }
        Some(self.blame_of(name, written, inputs.len() + usize::from(with_env)))
    }

    /// The routine of what is said, whose parameters are declared.
    fn blame_of(&mut self, name: &Name, written: &Written, params: usize) -> RoutineId {
        let blame = self.blame(written);
        let parts = [blame.message, blame.source, blame.feature, blame.data];
        let results = parts.into_iter().map(|part| part.unwrap_or_else(|| self.nothing(name.span))).collect();
        self.finish(name, Purpose::Blame, params, None, results, None)
    }

    /// The rules of a system: of those with one name, the last one, which overrides the others.
    pub(super) fn rules(&mut self) {
        let files = self.files;
        let mut last: Vec<(usize, &Rule)> = Vec::new();
        for (number, file) in files.iter().enumerate() {
            for rule in &file.rules {
                match last.iter_mut().find(|(_, known)| known.name.text == rule.name.text) {
                    Some(entry) if rule.overrides && entry.0 < number => *entry = (number, rule),
                    Some(_) => {
                        let message = format!("there is a rule `{}` already", rule.name.text);
                        let help = "`override` before `rule` or `axiom` replaces an inherited one";
                        self.error_with_help(codes::RULE_DECLARATION, rule.name.span, message, help);
                    }
                    None => {
                        if rule.overrides {
                            let message = format!("no rule `{}` is inherited", rule.name.text);
                            self.error(codes::RULE_DECLARATION, rule.name.span, message);
                        }
                        last.push((number, rule));
                    }
                }
            }
        }
        for (number, rule) in last {
            self.rule(number, rule);
        }
    }

    fn rule(&mut self, number: usize, rule: &Rule) {
        self.begin(number);
        let Some(judgment) = self.judgment_of(rule.symbol, &rule.relations, rule.name.span) else { return };
        let places = self.judgments[judgment].places.clone();
        let env = self.env();
        self.scope.declare(&rule.env.text, env, false);
        let mut classes = Vec::new();
        // Inputs first, since values of outputs may use any of them.
        for (element, (ty, output)) in rule.elements.iter().zip(&places) {
            match element {
                Element::Param(written, name) if !output => {
                    let own = self.ty(written);
                    if !self.universe.fits(&own, ty) {
                        let message = format!(
                            "the judgment has `{}` at this place, and `{}` is no kind of it",
                            self.universe.name(ty),
                            self.universe.name(&own)
                        );
                        self.type_error(written.name.span, message);
                    }
                    self.no_twin(name);
                    classes.push(self.universe.class_of(&own));
                    self.scope.declare(&name.text, own, false);
                }
                Element::Value(expr) if !output => {
                    let span = self.place(*expr);
                    self.error(
                        codes::RULE_DECLARATION,
                        span,
                        "an input of a conclusion is a type and a name",
                    );
                    classes.push(None);
                    self.scope.hidden();
                }
                _ => {}
            }
        }
        let params = classes.len() + 1;
        let blame = (!rule.blame.is_empty()).then(|| {
            let kept = self.scope.clone();
            let routine = self.blame_of(&rule.name, &rule.blame, params);
            self.scope = kept;
            routine
        });
        let mut outputs: Vec<Option<LocalId>> = Vec::new();
        let elements: Vec<(&Element, &Ty)> = rule
            .elements
            .iter()
            .zip(&places)
            .filter(|(_, (_, output))| *output)
            .map(|(element, (ty, _))| (element, ty))
            .collect();
        for &(element, ty) in &elements {
            outputs.push(match element {
                Element::Param(written, name) => {
                    let own = self.ty(written);
                    if !self.universe.fits(&own, ty) {
                        let message = format!("the judgment has `{}` at this place", self.universe.name(ty));
                        self.type_error(written.name.span, message);
                    }
                    self.no_twin(name);
                    Some(self.scope.declare_output(&name.text, own))
                }
                Element::Value(_) => None,
            });
        }
        let body = rule.body.map(|body| self.open_premises(body));
        let mut results = Vec::new();
        for (&(element, ty), output) in elements.iter().zip(&outputs) {
            results.push(match (element, output) {
                (Element::Value(expr), _) => {
                    let value = self.expr(*expr, Some(ty));
                    self.fit(value, ty, "the output")
                }
                (Element::Param(_, name), Some(local)) => {
                    if !self.scope.assigned.contains(local) {
                        let message = format!("the output `{}` is not assigned on every way", name.text);
                        let help =
                            "each alternative of `or` and each branch of `if` gives it a value, or none does";
                        self.error_with_help(codes::RULE_OUTPUT, name.span, message, help);
                    }
                    let ty = self.scope.find(&name.text).map_or(Ty::Nothing, |local| local.ty.clone());
                    Expr { kind: Kind::Local(*local), ty, span: name.span }
                }
                (Element::Param(_, name), None) => self.nothing(name.span),
            });
        }
        let routine = self.finish(&rule.name, Purpose::Rule(judgment), params, body, results, blame);
        self.routines[routine].classes = elements.iter().map(|(_, ty)| self.universe.class_of(ty)).collect();
        let candidate = Candidate { classes, level: number };
        self.enter(Target::Judgment(judgment), routine, candidate, &rule.name);
        self.judgments[judgment].rules.push(routine);
    }

    fn no_twin(&mut self, name: &Name) {
        if self.scope.find(&name.text).is_some() {
            let message = format!("there is a parameter `{}` already", name.text);
            self.error(codes::RULE_DECLARATION, name.span, message);
        }
        self.no_reserved(name);
    }

    /// A name that rules cannot give to anything.
    pub(super) fn no_reserved(&mut self, name: &Name) {
        if name.text == "previousFailure" {
            let message = "`previousFailure` is the failure of an alternative";
            self.error(codes::RULE_DECLARATION, name.span, message);
        }
    }

    /// Whether what is declared at a place is that of another file, which a name may override.
    fn is_inherited(&self, known: Span, name: &Name) -> bool {
        known.file != name.span.file
    }

    fn enter(&mut self, target: Target, routine: RoutineId, candidate: Candidate, name: &Name) {
        let entries = self.candidates.entry(target).or_default();
        let twin = entries.iter().find(|entry| {
            entry.candidate.classes == candidate.classes && entry.candidate.level == candidate.level
        });
        if let Some(twin) = twin {
            let message = format!("`{}` is for the same types", twin.name.text);
            let other = twin.name.span;
            self.found.push(
                volvelle_diagnostics::Diagnostic::error(codes::RULE_DECLARATION, message)
                    .at(name.span, "")
                    .also(other, "the other one"),
            );
        }
        let made = &mut self.routines[routine];
        (made.accepts, made.level) = (candidate.classes.clone(), candidate.level);
        self.candidates.entry(target).or_default().push(Entry { routine, candidate, name: name.clone() });
    }

    /// The judgment with these symbols.
    pub(super) fn judgment_of(
        &mut self,
        symbol: crate::tokens::Kind,
        relations: &[crate::tokens::Kind],
        span: Span,
    ) -> Option<JudgmentId> {
        let found = self
            .judgments
            .iter()
            .find(|(_, known)| known.symbol == symbol && known.relations == relations)
            .map(|(id, _)| id);
        if found.is_none() {
            let form = form(symbol, relations);
            let mut known: Vec<String> =
                self.judgments.iter().map(|(_, known)| format!("`{}`", form_of(known))).collect();
            known.sort();
            let help = if known.is_empty() {
                "judgments are declared under `judgments`".to_owned()
            } else {
                format!("there are {}", known.join(", "))
            };
            self.error_with_help(codes::RULE_NAME, span, format!("no judgment has the form `{form}`"), help);
        }
        found
    }

    pub(super) fn bodies(&mut self) {
        let files = self.files;
        for (number, file) in files.iter().enumerate() {
            for written in &file.bodies {
                self.begin(number);
                let name = &written.name;
                let Some(&function) = self.function_names.get(&name.text) else {
                    let known: Vec<String> = self.function_names.keys().cloned().collect();
                    self.unknown("function", name.span, &name.text, known.iter().map(String::as_str));
                    continue;
                };
                let wanted = self.functions[function].params.clone();
                if wanted.len() != written.params.len() {
                    let message = format!("`{}` has {} parameters", name.text, wanted.len());
                    self.type_error(name.span, message);
                    continue;
                }
                let mut classes = Vec::new();
                for (Param { ty, name }, wanted) in written.params.iter().zip(&wanted) {
                    let own = ty.as_ref().map_or(Ty::Nothing, |ty| self.ty(ty));
                    if !self.universe.fits(&own, wanted) {
                        let message =
                            format!("the function has `{}` at this place", self.universe.name(wanted));
                        self.type_error(name.span, message);
                    }
                    self.no_twin(name);
                    classes.push(self.universe.class_of(&own));
                    self.scope.declare(&name.text, own, false);
                }
                let (result, predicate) =
                    (self.functions[function].result.clone(), self.functions[function].is_predicate);
                let (body, results) = if predicate {
                    let body = self.premises(written.body);
                    let truth = self.truth();
                    let held = Expr {
                        kind: Kind::Const(crate::value::Value::Truth(true)),
                        ty: truth,
                        span: body.span,
                    };
                    (Some(body), vec![held])
                } else {
                    let value = self.value_of(written.body, Some(&result));
                    (None, vec![self.fit(value, &result, "the result")])
                };
                let params = wanted.len();
                let routine = self.finish(name, Purpose::Function(function), params, body, results, None);
                let candidate = Candidate { classes, level: number };
                // A body for the types of an inherited one replaces it.
                let entries = self.candidates.entry(Target::Function(function)).or_default();
                if written.overrides {
                    let before = entries.len();
                    entries.retain(|entry| {
                        entry.candidate.level == number || entry.candidate.classes != candidate.classes
                    });
                    if entries.len() == before {
                        let message = format!("no body of `{}` for these types is inherited", name.text);
                        self.error(codes::RULE_DECLARATION, name.span, message);
                    }
                }
                self.enter(Target::Function(function), routine, candidate, name);
            }
        }
    }

    pub(super) fn checks(&mut self, inherited: &[&str]) {
        let files = self.files;
        let rules: HashMap<&str, Span> = files
            .iter()
            .flat_map(|file| &file.rules)
            .map(|rule| (&*rule.name.text, rule.name.span))
            .collect();
        // Where it is among the checks, and the number of its file.
        let mut names: HashMap<&str, (usize, usize)> = HashMap::new();
        for (number, file) in files.iter().enumerate() {
            for written in &file.checks {
                if let Some(&other) = rules.get(written.name.text.as_str()) {
                    let message = format!("there is a rule `{}` already", written.name.text);
                    let flaw = volvelle_diagnostics::Diagnostic::error(codes::RULE_DECLARATION, message);
                    self.found.push(flaw.at(written.name.span, "").also(other, "the rule"));
                    continue;
                }
                self.begin(number);
                let ty = written.param.ty.as_ref().map_or(Ty::Nothing, |ty| self.ty(ty));
                let class = match &ty {
                    Ty::Class(class)
                        if class.0 < self.universe.nodes || *class == self.universe.common.node =>
                    {
                        *class
                    }
                    Ty::Nothing => continue,
                    _ => {
                        self.type_error(written.param.name.span, "checks are made on nodes");
                        continue;
                    }
                };
                self.scope.declare(&written.param.name.text, ty, false);
                let body = self.premises(written.body);
                let routine =
                    self.finish(&written.name, Purpose::Check(class), 1, Some(body), Vec::new(), None);
                let name = written.name.text.as_str();
                match (names.get(name), written.overrides) {
                    // A check of another system is replaced by one of the same name.
                    (None, overrides) if overrides == inherited.contains(&name) => {
                        names.insert(name, (self.checks.len(), number));
                        self.checks.push(routine);
                    }
                    (None, false) => {
                        let message = format!("there is a check `{name}` already");
                        let help = "`override checkrule` replaces it";
                        self.error_with_help(codes::RULE_DECLARATION, written.name.span, message, help);
                    }
                    (Some(&(at, of)), true) if of < number => {
                        self.checks[at] = routine;
                        names.insert(&written.name.text, (at, number));
                    }
                    (Some(_), _) => {
                        let message = format!("there is a check `{}` already", written.name.text);
                        self.error(codes::RULE_DECLARATION, written.name.span, message);
                    }
                    (None, true) => {
                        let message = format!("no check `{}` is inherited", written.name.text);
                        self.error(codes::RULE_DECLARATION, written.name.span, message);
                    }
                }
            }
        }
    }

    pub(super) fn function_of(&self, name: &str) -> Option<FunctionId> {
        self.function_names.get(name).copied()
    }
}

fn form(symbol: crate::tokens::Kind, relations: &[crate::tokens::Kind]) -> String {
    use volvelle_syntax::Spelt;
    let mut form = symbol.spelling().unwrap_or_default().to_owned();
    for relation in relations {
        form.push(' ');
        form.push_str(relation.spelling().unwrap_or_default());
    }
    form
}

/// The symbols of a judgment.
fn form_of(judgment: &Judgment) -> String {
    form(judgment.symbol, &judgment.relations)
}
