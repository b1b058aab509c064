//! Explored models as explicit ones, for the formats that explicit models have.

use crate::language::Formalism;
use crate::session::{Exploration, Session};
use volvelle_explicit::{Column, Integers, Model, Variable};
use volvelle_model::{Domain, FieldId};
use volvelle_space::BitSet;

/// An explored model as an explicit one, with the values of its variables.
pub fn as_explicit(session: &Session, exploration: &Exploration) -> Model {
    let explored = &exploration.explored;
    let (layout, states) = (&explored.layout, &explored.states);
    let is_behaviour = session.formalism() == Some(Formalism::Behaviours);
    // States of behaviours are known by their transitions.
    let fields = session.program().filter(|_| !is_behaviour).map_or([].as_slice(), |program| &program.fields);
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
    let mut model = Model::from_space(&explored.space, None, variables.collect());
    if is_behaviour {
        model.values = None;
    }
    model
}
