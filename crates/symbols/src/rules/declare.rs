//! What rule files declare: judgments, functions, types of values, fields.

use super::names::{COMMON, Names, number_at, to_line_end};
use crate::builder::{Builder, Declared};
use crate::index::{Kind, Role, SymbolId};
use crate::words::Word;
use volvelle_diagnostics::Span;
use volvelle_n4js::N4js;
use volvelle_rules::ast::{AuxiliaryDecl, Data, File, Judgment, Name, TypeRef};
use volvelle_rules::language::Language;
use volvelle_trees::{Class, Classes, Shape};

/// Adds types that no text declares: those of all systems, and the classes of a language that is named.
pub(super) fn built_in<'f>(
    builder: &mut Builder<'_>,
    names: &mut Names,
    files: impl Iterator<Item = &'f File>,
) {
    for name in COMMON {
        if !names.types.contains_key(*name) {
            let id = builder.built_in(name, Kind::Class, "");
            names.types.insert((*name).to_owned(), id);
        }
    }
    let is_n4js = |file: &File| {
        file.language.as_ref().is_some_and(|language| !language.is_file && language.name.text == N4js::NAME)
    };
    let mut files = files;
    if !files.any(is_n4js) {
        return;
    }
    let language = N4js::default();
    let classes = language.classes();
    for (_, class) in classes.iter() {
        let id = builder.built_in(&class.name, Kind::Class, &shown(classes, class));
        names.types.insert(class.name.clone(), id);
        let above = class.supertypes.iter().map(|&above| classes.class(above).name.clone());
        names.above.insert(class.name.clone(), above.collect());
    }
    for (_, class) in classes.iter() {
        for field in &class.fields {
            let is_above = |above: &volvelle_trees::ClassId| classes.place(*above, field.name).is_some();
            if class.supertypes.iter().any(is_above) {
                continue;
            }
            let name = classes.field_name(field.name);
            let detail = format!("{name}: {}", shape(classes, field.shape));
            let id = builder.built_in(name, Kind::Field, &detail);
            builder.symbols[id.0 as usize].container = names.types.get(&class.name).copied();
            names.add_field(&class.name, name, id);
            if let Shape::Node(of) = field.shape {
                names.results.insert(id, classes.class(of).name.clone());
            }
        }
    }
}

/// A class as it could be declared.
fn shown(classes: &Classes, class: &Class) -> String {
    let above: Vec<&str> = class.supertypes.iter().map(|&above| classes.class(above).name.as_str()).collect();
    let fields = class.fields.iter();
    let fields: Vec<String> = fields
        .map(|field| format!("{}: {}", classes.field_name(field.name), shape(classes, field.shape)))
        .collect();
    let above = if above.is_empty() { String::new() } else { format!(" : {}", above.join(", ")) };
    format!("class {}{above} {{ {} }}", class.name, fields.join(", "))
}

fn shape(classes: &Classes, shape: Shape) -> String {
    match shape {
        Shape::Text => "text".to_owned(),
        Shape::Texts => "text*".to_owned(),
        Shape::Flag => "flag".to_owned(),
        Shape::Node(of) => classes.class(of).name.clone(),
        Shape::Nodes(of) => format!("{}*", classes.class(of).name),
        Shape::Reference(of) => format!("[{}]", classes.class(of).name),
        Shape::References(of) => format!("[{}]*", classes.class(of).name),
    }
}

/// Adds what a file declares.
pub(super) fn declare(builder: &mut Builder<'_>, names: &mut Names, file: &File, words: &[Word<'_>]) {
    if let Some(system) = &file.system {
        let whole = builder.with_word_before(system.span, "system");
        add(builder, system, Kind::Module, whole, None);
    }
    let language = file.language.as_ref().filter(|language| language.is_file).map(|language| &language.name);
    let extends = file.extends.as_ref().map(|(name, _)| name);
    for name in file.imports.iter().chain(language).chain(extends) {
        builder.files.push((name.span, name.text.clone()));
    }
    file.data.iter().for_each(|data| declare_data(builder, names, data, words));
    for field in &file.fields {
        let word = if field.is_var { "var" } else { "val" };
        let whole = field.value.map_or(field.name.span, |value| field.name.span.to(file.exprs[value].span));
        let start = field.ty.as_ref().map_or(field.name.span, |ty| ty.name.span);
        let whole = builder.with_word_before(start, word).to(whole);
        if let Some(id) = once(builder, names.globals.get(&field.name.text), &field.name, |builder| {
            add(builder, &field.name, Kind::Variable, whole, None)
        }) {
            names.globals.insert(field.name.text.clone(), id);
            result(names, id, field.ty.as_ref());
        }
    }
    file.auxiliaries.iter().for_each(|one| auxiliary(builder, names, one, words));
    file.judgments.iter().for_each(|one| judgment(builder, names, one, words));
}

fn declare_data(builder: &mut Builder<'_>, names: &mut Names, data: &Data, words: &[Word<'_>]) {
    let Data { name, fields, supertypes, .. } = data;
    let start = builder.with_word_before(name.span, "data");
    let start = builder.with_word_before(start, "abstract");
    let last = fields.last().map_or(name.span, |(_, ty)| ty.name.span);
    let last = supertypes.last().map_or(last, |above| above.span);
    let whole = to_line_end(builder.text(name.span.file), words, start.to(last));
    let known = names.types.get(&name.text).copied();
    // Languages have classes of names that all systems have.
    let known = known.filter(|known| builder.symbols[known.0 as usize].span.is_some());
    let fresh = once(builder, known.as_ref(), name, |builder| add(builder, name, Kind::Class, whole, None));
    let Some(id) = fresh.or(known) else { return };
    names.types.insert(name.text.clone(), id);
    names
        .above
        .entry(name.text.clone())
        .or_default()
        .extend(supertypes.iter().map(|above| above.text.clone()));
    for (field, ty) in fields {
        let whole = field.span.to(ty.name.span);
        let key = (name.text.clone(), field.text.clone());
        let known = names.fields.get(&key).copied();
        if let Some(field_id) =
            once(builder, known.as_ref(), field, |builder| add(builder, field, Kind::Field, whole, Some(id)))
        {
            names.add_field(&key.0, &key.1, field_id);
            result(names, field_id, Some(ty));
        }
    }
}

fn auxiliary(builder: &mut Builder<'_>, names: &mut Names, one: &AuxiliaryDecl, words: &[Word<'_>]) {
    let whole = to_line_end(builder.text(one.name.span.file), words, one.name.span);
    let known = names.functions.get(&one.name.text).copied();
    if let Some(id) = once(builder, known.as_ref(), &one.name, |builder| {
        add(builder, &one.name, Kind::Function, whole, None)
    }) {
        names.functions.insert(one.name.text.clone(), id);
        result(names, id, one.result.as_ref());
    }
}

fn judgment(builder: &mut Builder<'_>, names: &mut Names, one: &Judgment, words: &[Word<'_>]) {
    let whole = to_line_end(builder.text(one.name.span.file), words, one.name.span);
    let key = (one.symbol, one.relations.clone());
    let known = names.judgments.get(&key).copied();
    let known = known.filter(|id| builder.symbols[id.0 as usize].name == one.name.text);
    let fresh = once(builder, known.as_ref(), &one.name, |builder| {
        add(builder, &one.name, Kind::Judgment, whole, None)
    });
    let Some(id) = fresh.or(known) else { return };
    names.judgments.entry(key).or_insert(id);
    if let Some(sign) = words.get(number_at(words, one.name.span.end)) {
        builder.sign(sign.span, id, Role::Declares);
    }
}

/// What is declared once more, to take the place of what a system has that this one extends, is the same symbol.
fn once<'t>(
    builder: &mut Builder<'t>,
    known: Option<&SymbolId>,
    name: &Name,
    declare: impl FnOnce(&mut Builder<'t>) -> SymbolId,
) -> Option<SymbolId> {
    match known {
        Some(&known) => {
            builder.refer(name.span, known, Role::Declares);
            None
        }
        None => Some(declare(builder)),
    }
}

fn result(names: &mut Names, id: SymbolId, ty: Option<&TypeRef>) {
    if let Some(ty) = ty.filter(|ty| ty.args.is_empty()) {
        names.results.insert(id, ty.name.text.clone());
    }
}

pub(super) fn add(
    builder: &mut Builder<'_>,
    name: &Name,
    kind: Kind,
    whole: Span,
    container: Option<SymbolId>,
) -> SymbolId {
    let detail = builder.one_line(whole);
    builder.declare(Declared { name: &name.text, kind, span: name.span, whole, detail, container })
}
