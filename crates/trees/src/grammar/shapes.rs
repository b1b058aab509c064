//! The classes of a grammar: what rules make, what is a kind of what, and what fields hold.
//!
//! Walks each rule with what it may have made so far. A rule that calls another one without a field passes on what that one makes, so the
//! classes of the other are kinds of its own. Names whose classes are kinds of each other, such as those of the levels of expressions
//! that parentheses close to a circle, are one class.

use super::model::{Holding, Model, Part};
use super::syntax::{Mode, Times};
use crate::classes::{ClassId, Field, FieldId, Flaw, Shape};
use std::collections::HashSet;
use volvelle_diagnostics::{Diagnostic, Span, codes, has_errors};

/// What a rule has made so far, on some path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Made {
    /// Nothing.
    nothing: bool,
    /// The node of another rule.
    passed: bool,
    /// A node of its own, by the names of classes.
    own: Vec<usize>,
}

impl Made {
    fn or(mut self, other: &Made) -> Made {
        self.nothing |= other.nothing;
        self.passed |= other.passed;
        for sort in &other.own {
            if !self.own.contains(sort) {
                self.own.push(*sort);
            }
        }
        self
    }

    fn one(sort: usize) -> Made {
        Made { own: vec![sort], ..Made::default() }
    }
}

struct Walk<'m, 'f> {
    model: &'m mut Model,
    found: &'f mut Vec<Diagnostic>,
    /// Places that were reported, and fields that were noted: loops are walked several times.
    reported: HashSet<Span>,
    noted: HashSet<(usize, FieldId, Span)>,
    sort: usize,
}

/// Finds the classes. Gives the class of each of their names.
pub(crate) fn infer(model: &mut Model, found: &mut Vec<Diagnostic>) -> Option<Vec<ClassId>> {
    let before = found.len();
    let bodies: Vec<Part> = model.rules.iter().map(|rule| rule.body.clone()).collect();
    let mut walk = Walk { model, found, reported: HashSet::new(), noted: HashSet::new(), sort: 0 };
    for (rule, body) in bodies.iter().enumerate() {
        walk.sort = walk.model.rules[rule].sort;
        let end = walk.part(body, Made { nothing: true, ..Made::default() });
        if end.nothing {
            walk.model.sorts[walk.sort].is_made = true;
        }
    }
    let representatives = representatives(model, found);
    let classes = complete(model, &representatives, found);
    if has_errors(&found[before..]) { None } else { classes }
}

impl Walk<'_, '_> {
    fn report(&mut self, span: Span, message: impl Into<String>, help: &str) {
        if self.reported.insert(span) {
            self.found.push(Diagnostic::error(codes::GRAMMAR_NODES, message.into()).at(span, "").help(help));
        }
    }

    fn below(&mut self, sort: usize, span: Span) {
        let above = self.sort;
        let known = &mut self.model.sorts[sort].supertypes;
        if sort != above && known.iter().all(|(known, _)| *known != above) {
            known.push((above, span));
        }
    }

    fn note(&mut self, sort: usize, field: FieldId, holding: Holding, span: Span) {
        if self.noted.insert((sort, field, span)) {
            self.model.sorts[sort].fields.push((field, holding, span));
        }
    }

    fn part(&mut self, part: &Part, made: Made) -> Made {
        match part {
            Part::Sequence(parts) => parts.iter().fold(made, |made, part| self.part(part, made)),
            Part::Choice(parts, _) => {
                let ends: Vec<Made> = parts.iter().map(|part| self.part(part, made.clone())).collect();
                ends.iter().fold(Made::default(), |all, end| all.or(end))
            }
            Part::Repeat { inner, times, .. } => {
                let mut all = made.clone();
                loop {
                    let once = self.part(inner, all.clone());
                    let next = all.clone().or(&once);
                    match times {
                        Times::Optional => return next,
                        Times::Some if next == all => return once,
                        Times::Any if next == all => return all,
                        Times::Some | Times::Any => all = next,
                    }
                }
            }
            Part::Token { field: None, .. } => made,
            Part::Token { field: Some((field, mode)), refers_to, span, .. } => {
                let is_list = *mode == Mode::Add;
                let holding = match (mode, refers_to) {
                    (Mode::Flag, _) => Holding::Flag,
                    (_, Some(sort)) => Holding::Reference { sort: *sort, is_list },
                    (_, None) => Holding::Text { is_list },
                };
                self.assign(made, *field, holding, *span)
            }
            Part::Call { rule, field: Some((field, mode)), span } => {
                let sort = self.model.rules[*rule].sort;
                let holding = match mode {
                    Mode::Flag => Holding::Flag,
                    Mode::Set | Mode::Add => Holding::Node { sort, is_list: *mode == Mode::Add },
                };
                self.assign(made, *field, holding, *span)
            }
            Part::Call { rule, field: None, span } => {
                if made.passed || !made.own.is_empty() {
                    let message = format!("`{}` would make a second node here", self.model.rules[*rule].name);
                    self.report(*span, message, "name the field that it goes to: `field=Rule`");
                }
                self.below(self.model.rules[*rule].sort, *span);
                Made { passed: true, ..Made::default() }
            }
            Part::New { sort, span } => {
                if made.passed || !made.own.is_empty() {
                    let message = format!("`{}` would be a second node here", self.model.sorts[*sort].name);
                    self.report(
                        *span,
                        message,
                        "to put the first one into it, write `{Class.field=current}`",
                    );
                }
                self.below(*sort, *span);
                self.model.sorts[*sort].is_made = true;
                Made::one(*sort)
            }
            Part::Wrap { sort, field, mode, span } => {
                if made.nothing {
                    let message = "there may be no node here yet that `current` could be";
                    self.report(*span, message, "call a rule before, or write `{Class}`");
                }
                let own = self.sort;
                self.below(*sort, *span);
                self.model.sorts[*sort].is_made = true;
                self.note(*sort, *field, Holding::Node { sort: own, is_list: *mode == Mode::Add }, *span);
                Made::one(*sort)
            }
        }
    }

    fn assign(&mut self, mut made: Made, field: FieldId, holding: Holding, span: Span) -> Made {
        if made.passed {
            let message = "the node of another rule gets no further fields";
            self.report(span, message, "put it into a node of this rule before: `{Class.field=current}`");
        }
        if made.nothing {
            self.model.sorts[self.sort].is_made = true;
            made = made.or(&Made::one(self.sort));
            made.nothing = false;
        }
        for &sort in &made.own {
            self.note(sort, field, holding, span);
        }
        made
    }
}

/// Of each name, the one whose class it is: names that are kinds of each other are one class.
fn representatives(model: &mut Model, found: &mut Vec<Diagnostic>) -> Vec<usize> {
    let count = model.sorts.len();
    let components = components(&model.sorts.iter().map(|sort| &sort.supertypes[..]).collect::<Vec<_>>());
    let mut representatives: Vec<usize> = (0..count).collect();
    for component in &components {
        let own = component.iter().copied().filter(|&sort| {
            let sort = &model.sorts[sort];
            sort.is_declared || sort.is_made
        });
        let own: Vec<usize> = own.collect();
        if let [first, second, ..] = own[..] {
            let (first, second) = (&model.sorts[first], &model.sorts[second]);
            let message = format!("`{}` and `{}` are kinds of each other", first.name, second.name);
            let diagnostic = Diagnostic::error(codes::GRAMMAR_CLASSES, message);
            let diagnostic = diagnostic.at(second.span, "").also(first.span, "");
            let help = "let one rule say that it `returns` the class of the other";
            found.push(diagnostic.help(help));
        }
        let representative = own.first().or(component.iter().min()).copied();
        for &sort in component {
            representatives[sort] = representative.unwrap_or(sort);
        }
    }
    for (at, &to) in representatives.iter().enumerate().take(count) {
        if to != at {
            let (supertypes, fields) = (
                std::mem::take(&mut model.sorts[at].supertypes),
                std::mem::take(&mut model.sorts[at].fields),
            );
            model.sorts[to].supertypes.extend(supertypes);
            model.sorts[to].fields.extend(fields);
        }
    }
    for at in 0..count {
        let mut seen = vec![at];
        let mut above = std::mem::take(&mut model.sorts[at].supertypes);
        for (sort, _) in &mut above {
            *sort = representatives[*sort];
        }
        above.retain(|(sort, _)| {
            !seen.contains(sort) && {
                seen.push(*sort);
                true
            }
        });
        model.sorts[at].supertypes = above;
    }
    representatives
}

/// The strongly connected components, those above before those below (Kosaraju and Sharir).
fn components(above: &[&[(usize, Span)]]) -> Vec<Vec<usize>> {
    let count = above.len();
    let mut below = vec![Vec::new(); count];
    for (sort, above) in above.iter().enumerate() {
        for (to, _) in *above {
            below[*to].push(sort);
        }
    }
    // Those above last.
    let mut order = Vec::new();
    let mut seen = vec![false; count];
    for root in 0..count {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        let mut stack = vec![(root, 0)];
        while let Some((sort, next)) = stack.last_mut() {
            if let Some(&to) = below[*sort].get(*next) {
                *next += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            } else {
                order.push(*sort);
                stack.pop();
            }
        }
    }
    let mut components = Vec::new();
    let mut seen = vec![false; count];
    for &root in order.iter().rev() {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        let (mut component, mut stack) = (Vec::new(), vec![root]);
        while let Some(sort) = stack.pop() {
            component.push(sort);
            for (to, _) in above[sort] {
                if !std::mem::replace(&mut seen[*to], true) {
                    stack.push(*to);
                }
            }
        }
        components.push(component);
    }
    components
}

/// Declares and completes the classes, those above first.
fn complete(
    model: &mut Model,
    representatives: &[usize],
    found: &mut Vec<Diagnostic>,
) -> Option<Vec<ClassId>> {
    let count = model.sorts.len();
    let mut classes = vec![ClassId(0); count];
    for at in (0..count).filter(|&at| representatives[at] == at) {
        classes[at] = model.classes.declare(&model.sorts[at].name).ok()?;
    }
    for at in 0..count {
        classes[at] = classes[representatives[at]];
    }
    let order = components(&model.sorts.iter().map(|sort| &sort.supertypes[..]).collect::<Vec<_>>());
    for &at in order.iter().flatten().filter(|&&at| representatives[at] == at) {
        let sort = model.sorts[at].clone();
        let supertypes: Vec<ClassId> = sort.supertypes.iter().map(|(above, _)| classes[*above]).collect();
        let mut fields: Vec<Field> = Vec::new();
        let mut names: Vec<FieldId> = sort.fields.iter().map(|(field, _, _)| *field).collect();
        names.sort_unstable();
        names.dedup();
        // Fields stand in the order in which they are written first.
        names.sort_by_key(|name| sort.fields.iter().position(|(field, _, _)| field == name));
        for name in names {
            let said = sort.fields.iter().filter(|(field, _, _)| *field == name);
            let said: Vec<(Holding, Span)> = said.map(|(_, holding, span)| (*holding, *span)).collect();
            let Some(shape) = joined(model, representatives, &classes, &said) else {
                found.push(two_shapes(model, representatives, &sort.name, name, &said));
                continue;
            };
            let inherited = supertypes.iter().find_map(|&above| model.classes.shape(above, name));
            match inherited {
                None => fields.push(Field { name, shape }),
                Some(inherited) if fits(model, shape, inherited) => {}
                Some(_) => {
                    let field = model.classes.field_name(name);
                    let message = format!("`{}` inherits another field `{field}`", sort.name);
                    found.push(Diagnostic::error(codes::GRAMMAR_SHAPES, message).at(said[0].1, ""));
                }
            }
        }
        if let Err(flaw) = model.classes.complete(classes[at], &supertypes, &fields, !sort.is_made) {
            let (code, message) = match flaw {
                Flaw::Shapes(field) => {
                    let message = format!("`{}` inherits two fields `{field}` that differ", sort.name);
                    (codes::GRAMMAR_SHAPES, message)
                }
                _ => (codes::GRAMMAR_TOO_LARGE, format!("`{}` has more than 254 fields", sort.name)),
            };
            found.push(Diagnostic::error(code, message).at(sort.span, ""));
        }
    }
    Some(classes)
}

fn two_shapes(
    model: &Model,
    representatives: &[usize],
    class: &str,
    field: FieldId,
    said: &[(Holding, Span)],
) -> Diagnostic {
    let message = format!("`{}` of `{class}` holds two kinds of things", model.classes.field_name(field));
    let other = said.iter().find(|(holding, _)| *holding != said[0].0).unwrap_or(&said[0]);
    let words = |holding: Holding| match holding {
        Holding::Text { is_list: false } => "a text".to_owned(),
        Holding::Text { is_list: true } => "texts".to_owned(),
        Holding::Flag => "a flag".to_owned(),
        Holding::Node { sort, is_list: false } => {
            format!("a node of `{}`", model.sorts[representatives[sort]].name)
        }
        Holding::Node { sort, is_list: true } => format!("nodes of `{}`", model.sorts[sort].name),
        Holding::Reference { sort, is_list: false } => format!("the name of a `{}`", model.sorts[sort].name),
        Holding::Reference { sort, is_list: true } => format!("names of `{}`", model.sorts[sort].name),
    };
    let diagnostic = Diagnostic::error(codes::GRAMMAR_SHAPES, message).at(other.1, words(other.0));
    let is_nodes = matches!((said[0].0, other.0), (Holding::Node { .. }, Holding::Node { .. }));
    let help = if is_nodes {
        "let both rules make nodes of one class: `Rule returns Class : … ;`"
    } else {
        "give one of them another name"
    };
    diagnostic.also(said[0].1, words(said[0].0)).help(help)
}

/// Whether a field may hold what an inherited one is declared to hold.
fn fits(model: &Model, shape: Shape, inherited: Shape) -> bool {
    match (shape, inherited) {
        (Shape::Node(own), Shape::Node(above))
        | (Shape::Nodes(own), Shape::Nodes(above))
        | (Shape::Reference(own), Shape::Reference(above))
        | (Shape::References(own), Shape::References(above)) => {
            model.classes.is_kind(own, above) || kind_of(model, own, above)
        }
        _ => shape == inherited,
    }
}

/// Whether a class is a kind of another one by its names: it may not be complete yet.
fn kind_of(model: &Model, class: ClassId, above: ClassId) -> bool {
    let find =
        |class: ClassId| model.sorts.iter().position(|sort| sort.name == model.classes.class(class).name);
    match (find(class), find(above)) {
        (Some(class), Some(above)) => all_above(model, class).contains(&above),
        _ => false,
    }
}

/// A name with all that it is a kind of.
fn all_above(model: &Model, sort: usize) -> Vec<usize> {
    let mut all = vec![sort];
    let mut next = 0;
    while next < all.len() {
        for (above, _) in &model.sorts[all[next]].supertypes {
            if !all.contains(above) {
                all.push(*above);
            }
        }
        next += 1;
    }
    all
}

/// What a field holds about which several things are said.
fn joined(
    model: &Model,
    representatives: &[usize],
    classes: &[ClassId],
    said: &[(Holding, Span)],
) -> Option<Shape> {
    let mut sorts = Vec::new();
    let (first, _) = said[0];
    for (holding, _) in said {
        match (first, *holding) {
            (Holding::Node { is_list: one, .. }, Holding::Node { is_list: other, sort })
            | (Holding::Reference { is_list: one, .. }, Holding::Reference { is_list: other, sort })
                if one == other =>
            {
                sorts.push(representatives[sort]);
            }
            _ if first == *holding => {}
            _ => return None,
        }
    }
    sorts.sort_unstable();
    sorts.dedup();
    let class = || -> Option<ClassId> {
        let mut common = all_above(model, *sorts.first()?);
        for &sort in &sorts[1..] {
            let above = all_above(model, sort);
            common.retain(|sort| above.contains(sort));
        }
        // The one that is a kind of all others.
        let least = common.iter().find(|&&sort| {
            let above = all_above(model, sort);
            common.iter().all(|other| above.contains(other))
        });
        least.map(|&sort| classes[sort])
    };
    Some(match first {
        Holding::Text { is_list: false } => Shape::Text,
        Holding::Text { is_list: true } => Shape::Texts,
        Holding::Flag => Shape::Flag,
        Holding::Node { is_list: false, .. } => Shape::Node(class()?),
        Holding::Node { is_list: true, .. } => Shape::Nodes(class()?),
        Holding::Reference { is_list: false, .. } => Shape::Reference(class()?),
        Holding::Reference { is_list: true, .. } => Shape::References(class()?),
    })
}
