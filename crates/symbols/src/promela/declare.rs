//! What a model declares: types, variables, process types with everything in them, claims.

use super::scopes::{Process, Structure, Walk};
use super::statements::each_sequence;
use crate::builder::{Builder, Declared};
use crate::index::{Kind, SymbolId};
use rustc_hash::FxHashMap;
use volvelle_diagnostics::Span;
use volvelle_promela::ast::{Declaration, Name, Place, Proctype, Sequence, StatementKind, TypeName, Unit};

const BUILT_IN: &[(&str, &str)] = &[
    ("_", "takes a value that nothing reads"),
    ("_last", "the number of the process that moved last"),
    ("_nr_pr", "the number of processes"),
    ("_pid", "the number of the process"),
    ("_priority", "the priority of the process"),
    ("np_", "whether no process is at a label for progress"),
    ("STDIN", "the standard input"),
];

pub(super) fn all(walk: &mut Walk<'_, '_, '_>) {
    for (name, detail) in BUILT_IN {
        let id = walk.builder.built_in(name, Kind::Variable, detail);
        walk.built_in.insert(name, id);
    }
    let model = walk.model;
    for unit in &model.units {
        match unit {
            Unit::Declaration(declaration) => {
                for (name, id) in variables(walk, declaration, None) {
                    walk.globals.insert(name, id);
                }
            }
            Unit::Mtype { set, names, place } => {
                let whole = walk.span(*place);
                let detail = walk.builder.one_line(whole);
                if let Some(set) = set
                    && !walk.sets.contains_key(set.text.as_str())
                {
                    let id = walk.declare(set, Kind::Type, whole, detail.clone());
                    walk.sets.insert(&set.text, id);
                }
                for name in names {
                    let id = walk.declare(name, Kind::Constant, whole, detail.clone());
                    walk.constants.insert(&name.text, id);
                }
            }
            Unit::Typedef { name, fields, place } => structure(walk, name, fields, *place),
            Unit::Proctype(proctype) => process(walk, proctype),
            Unit::Never { name, body, place } | Unit::Trace { name, body, place, .. } => {
                claim(walk, name.as_ref(), *place, Some(body));
            }
            Unit::Ltl { name, place, .. } => claim(walk, name.as_ref(), *place, None),
        }
    }
}

fn structure<'m>(walk: &mut Walk<'_, '_, 'm>, name: &'m Name, fields: &'m [Declaration], place: Place) {
    let whole = walk.span(place);
    let detail = walk.builder.one_line(whole);
    let id = walk.declare(name, Kind::Type, whole, detail);
    let outer = walk.within.replace(id);
    let mut own = FxHashMap::default();
    for declaration in fields {
        own.extend(variables(walk, declaration, Some(Kind::Field)));
    }
    walk.within = outer;
    walk.structures.entry(&name.text).or_insert(Structure { id, fields: own });
}

fn process<'m>(walk: &mut Walk<'_, '_, 'm>, proctype: &'m Proctype) {
    let (name, whole) = (&proctype.name, walk.span(proctype.place));
    let detail = head(walk.builder, whole);
    let id = if proctype.is_init {
        // A word of the language, which nothing refers to.
        let span = Builder::nameless(whole);
        let kind = Kind::Process;
        walk.builder.declare(Declared { name: &name.text, kind, span, whole, detail, container: None })
    } else {
        let id = walk.declare(name, Kind::Process, whole, detail);
        walk.process_ids.entry(&name.text).or_insert(id);
        id
    };
    let outer = walk.within.replace(id);
    let mut process = Process::default();
    for declaration in &proctype.parameters {
        process.variables.extend(variables(walk, declaration, Some(Kind::Parameter)));
    }
    inside(walk, &proctype.body, &mut process);
    walk.processes.entry(id).or_insert(process);
    walk.declared.insert(name.place, id);
    walk.within = outer;
}

fn claim<'m>(walk: &mut Walk<'_, '_, 'm>, name: Option<&'m Name>, place: Place, body: Option<&'m Sequence>) {
    let whole = walk.span(place);
    let detail = if body.is_some() { head(walk.builder, whole) } else { walk.builder.one_line(whole) };
    let id = match name {
        Some(name) => walk.declare(name, Kind::Property, whole, detail),
        None => {
            let (kind, span) = (Kind::Property, Builder::nameless(whole));
            walk.builder.declare(Declared { name: "", kind, span, whole, detail, container: None })
        }
    };
    walk.declared.insert(place, id);
    let Some(body) = body else { return };
    let outer = walk.within.replace(id);
    let mut process = Process::default();
    inside(walk, body, &mut process);
    walk.processes.insert(id, process);
    walk.within = outer;
}

/// Declares the variables and the labels of a body, those of blocks included.
fn inside<'m>(walk: &mut Walk<'_, '_, 'm>, body: &'m Sequence, process: &mut Process<'m>) {
    for statement in &body.statements {
        for label in &statement.labels {
            let whole = walk.span(label.place);
            let id = walk.declare(label, Kind::Location, whole, format!("{}:", label.text));
            let call = walk.model.inline_call(label.place);
            process.labels.entry(&label.text).or_default().push((call, id));
        }
        if let StatementKind::Declaration(declaration) = &statement.kind {
            process.variables.extend(variables(walk, declaration, None));
        }
        each_sequence(&statement.kind, &mut |block| inside(walk, block, process));
    }
}

/// Declares the variables of a declaration; gives their names and symbols.
fn variables<'m>(
    walk: &mut Walk<'_, '_, 'm>,
    declaration: &'m Declaration,
    kind: Option<Kind>,
) -> Vec<(&'m str, SymbolId)> {
    let whole = walk.span(declaration.place);
    let starts: Vec<Span> = declaration.variables.iter().map(|v| walk.span(v.name.place)).collect();
    let kind = kind.unwrap_or(match declaration.ty {
        TypeName::Chan => Kind::Channel,
        _ => Kind::Variable,
    });
    let mut found = Vec::new();
    for (number, variable) in declaration.variables.iter().enumerate() {
        let detail = match starts.len() {
            1 => walk.builder.one_line(whole),
            _ => {
                let ty = walk.builder.one_line(Span { end: starts[0].start, ..whole });
                let end = starts.get(number + 1).map_or(whole.end, |next| next.start);
                let own = walk.builder.one_line(Span { end, ..starts[number] });
                format!("{ty} {}", own.trim_end_matches([',', ' ']))
            }
        };
        let id = walk.declare(&variable.name, kind, whole, detail);
        walk.declared.insert(variable.name.place, id);
        if let TypeName::User(ty) = &declaration.ty {
            walk.types.insert(id, &ty.text);
        }
        found.push((variable.name.text.as_str(), id));
    }
    found
}

/// What stands before the first brace.
fn head(builder: &Builder<'_>, whole: Span) -> String {
    let text = builder.text(whole.file).get(whole.start as usize..whole.end as usize).unwrap_or("");
    let length = text.find('{').unwrap_or(text.len());
    builder.one_line(Span { end: whole.start + length as u32, ..whole })
}
