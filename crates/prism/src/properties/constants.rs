//! The constants of a property whose values the command line gave: what an answer depends on besides the
//! model.

use super::translate::Translator;
use crate::ast::ExprKind;
use crate::lower::{Entity, Place, Tree};
use rustc_hash::FxHashSet;
use volvelle_logic::Constant;

impl Translator<'_> {
    /// Names and values, in the order in which a reader meets them: those that the property mentions, also by
    /// way of constants, formulas, labels and properties of property files.
    pub(super) fn constants_of(&self, root: Place) -> Vec<Constant> {
        let mut found: Vec<Constant> = Vec::new();
        let mut seen: FxHashSet<Place> = FxHashSet::default();
        let mut stack = vec![root];
        while let Some(place) = stack.pop() {
            if !seen.insert(place) {
                continue;
            }
            let before = stack.len();
            let kind = &self.lowering.exprs(place.0).get(place.1).kind;
            match kind {
                ExprKind::Ident(name) => self.name(place, name, &mut stack, &mut found),
                ExprKind::Label(name) => {
                    let definition = self.lowering.label_definition(place.0, name);
                    stack.extend(definition.filter(|definition| self.tree(definition.0) != Tree::Model));
                    stack.extend(self.property_body(place, name));
                }
                kind => kind.for_each_child(|child| stack.push((place.0, child))),
            }
            stack[before..].reverse();
        }
        found
    }

    fn name(&self, place: Place, name: &str, stack: &mut Vec<Place>, found: &mut Vec<Constant>) {
        let tree = self.tree(place.0);
        let mut given = || {
            if let Some(value) = self.lowering.values.get(name)
                && !found.iter().any(|known| known.name == name)
            {
                found.push(Constant { name: name.to_owned(), value: value.clone() });
            }
        };
        match self.lowering.names.get(tree, name).map(|named| named.entity) {
            Some(Entity::Constant(tree, number)) => {
                let declaration = &self.lowering.constants_of(tree)[number as usize];
                match (declaration.value, tree) {
                    (None, _) => given(),
                    (Some(value), Tree::File(_)) => stack.push((self.lowering.context_of_tree(tree), value)),
                    (Some(_), Tree::Model) => {}
                }
            }
            Some(Entity::Formula(tree @ Tree::File(_), number)) => {
                let body = self.lowering.formulas_of(tree)[number as usize].body;
                stack.push((self.lowering.context_of_tree(tree), body));
            }
            Some(Entity::Given(_)) => given(),
            Some(_) => {}
            None => stack.extend(self.property_body(place, name)),
        }
    }
}
