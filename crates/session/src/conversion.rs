//! Explored models as explicit ones, for the formats that explicit models have.

use crate::language::Formalism;
use crate::model::Model;
use volvelle_explicit::{Column, Integers, Variable};
use volvelle_explore::Explored;
use volvelle_model::{Domain, FieldId};
use volvelle_space::BitSet;

/// An explored model as an explicit one, with the values of its variables.
pub fn as_explicit(model: &Model, explored: &Explored) -> volvelle_explicit::Model {
    let (layout, states) = (&explored.layout, &explored.states);
    let is_behaviour = model.formalism() == Some(Formalism::Behaviours);
    // States of behaviours are known by their transitions.
    let fields = model.program().filter(|_| !is_behaviour).map_or([].as_slice(), |program| &program.fields);
    let variables = fields.iter().enumerate().map(|(i, field)| {
        let value = |state: usize| layout.get(states.get(state), FieldId(i as u32));
        let (lo, hi) = field.domain.bounds();
        Variable {
            name: field.name.clone(),
            values: match field.domain {
                Domain::Bool => {
                    let set = BitSet::of(states.len(), (0..states.len()).filter(|&s| value(s) != 0));
                    Column::Bool(set)
                }
                _ => Column::Int((0..states.len()).map(value).collect::<Integers>()),
            },
            present: None,
            bounds: matches!(field.domain, Domain::Int { .. }).then_some((lo, hi)),
        }
    });
    let mut explicit = volvelle_explicit::Model::from_space(&explored.space, None, variables.collect());
    if is_behaviour {
        explicit.values = None;
    }
    explicit
}
