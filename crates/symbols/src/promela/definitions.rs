//! Macros and inlines, with their parameters, and where they are used.

use super::scopes::Walk;
use crate::builder::Declared;
use crate::index::{Kind, Role, SymbolId};
use rustc_hash::FxHashMap;
use volvelle_diagnostics::Span;

pub(super) fn all(walk: &mut Walk<'_, '_, '_>) {
    let written = &walk.model.definitions.written;
    let mut ids: FxHashMap<Span, SymbolId> = FxHashMap::default();
    for definition in &written.definitions {
        let (kind, whole) = match definition.is_inline {
            true => (Kind::Inline, definition.whole),
            false => (Kind::Macro, definition.whole),
        };
        let detail = match definition.is_inline {
            true => {
                let names: Vec<&str> = definition.parameters.iter().map(|(name, _, _)| &**name).collect();
                format!("inline {}({})", definition.name, names.join(", "))
            }
            false => walk.builder.one_line(whole),
        };
        let (name, span) = (&definition.name, definition.span);
        let id = walk.builder.declare(Declared { name, kind, span, whole, detail, container: None });
        ids.insert(span, id);
        walk.texts.push((whole, id));
        for (name, span, uses) in &definition.parameters {
            let declared = Declared {
                name,
                kind: Kind::Parameter,
                span: *span,
                whole: *span,
                detail: name.to_string(),
                container: Some(id),
            };
            let parameter = walk.builder.declare(declared);
            for &place in uses {
                walk.builder.refer(place, parameter, Role::Reads);
            }
        }
    }
    walk.texts.sort_by_key(|(whole, _)| (whole.file, whole.start));
    for (place, definition) in &written.uses {
        if let Some(&id) = ids.get(definition) {
            walk.builder.refer(*place, id, Role::Reads);
        }
    }
}
