//! Macros and inlines, with their parameters, and where they are used.

use super::scopes::Walk;
use crate::builder::Declared;
use crate::index::{Kind, Role, SymbolId};
use rustc_hash::FxHashMap;
use volvelle_diagnostics::Span;

pub(super) fn all(walk: &mut Walk<'_, '_, '_>) {
    let written = &walk.model.definitions.written;
    let mut ids: FxHashMap<Span, SymbolId> = FxHashMap::default();
    let mut by_text: FxHashMap<Span, SymbolId> = FxHashMap::default();
    for definition in &written.definitions {
        let (whole, span) = (walk.in_text(definition.whole), walk.in_text(definition.span));
        // The text of a definition may be included several times.
        if let Some(&known) = by_text.get(&span) {
            ids.insert(definition.span, known);
            continue;
        }
        let kind = if definition.is_inline { Kind::Inline } else { Kind::Macro };
        let detail = match definition.is_inline {
            true => {
                let names: Vec<&str> = definition.parameters.iter().map(|(name, _, _)| &**name).collect();
                format!("inline {}({})", definition.name, names.join(", "))
            }
            false => walk.builder.one_line(whole),
        };
        let name = &definition.name;
        let id = walk.builder.declare(Declared { name, kind, span, whole, detail, container: None });
        ids.insert(definition.span, id);
        by_text.insert(span, id);
        walk.texts.push((whole, id));
        for (name, span, uses) in &definition.parameters {
            let span = walk.in_text(*span);
            let declared = Declared {
                name,
                kind: Kind::Parameter,
                span,
                whole: span,
                detail: name.to_string(),
                container: Some(id),
            };
            let parameter = walk.builder.declare(declared);
            for &place in uses {
                walk.builder.refer(walk.in_text(place), parameter, Role::Reads);
            }
        }
    }
    walk.texts.sort_by_key(|(whole, _)| (whole.file, whole.start));
    // What a text means where it is included first counts.
    let mut uses: Vec<(&Span, &Span)> = written.uses.iter().collect();
    uses.sort_unstable_by_key(|(place, _)| (place.file, place.start));
    for (place, definition) in uses {
        if let Some(&id) = ids.get(definition) {
            walk.builder.refer(walk.in_text(*place), id, Role::Reads);
        }
    }
}
