//! Models that are no texts in the PRISM language, for properties that are.
//!
//! A state space that was read from a file has names that properties use: variables, labels, reward structures and actions.
//! They are entered here as if a model had declared them.

use super::bounds::Bounds;
use super::names::{Entity, Named};
use super::typed::Ty;
use super::values::Constants;
use super::{Lowered, Lowering};
use crate::ast::{ExprKind, LabelDecl, Model, ModelType, Name};
use std::sync::Arc;
use volvelle_diagnostics::Span;
use volvelle_model::{Domain, Field, FieldId, Kind, Label, Origin, RewardStructure};

/// The names of a model that properties may use.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// The meaning of the numbers.
    pub kind: Kind,
    /// Variables: names that are identifiers, with their domains.
    pub variables: Vec<(String, Domain)>,
    /// Names of labels.
    pub labels: Vec<String>,
    /// Names of reward structures, empty for one without.
    pub rewards: Vec<String>,
    /// The origin of the names, for diagnostics.
    pub place: Span,
}

impl Lowered {
    /// A program without steps, for properties over these names. Its fields are the variables, then one Boolean field for
    /// each label, whose name stands in quotation marks; its labels and reward structures are in the order given.
    pub fn of_foreign(foreign: Foreign) -> Self {
        let Foreign { kind, variables, labels, rewards, place } = foreign;
        let ty = match kind {
            Kind::Dtmc => ModelType::Dtmc,
            Kind::Ctmc => ModelType::Ctmc,
            _ => ModelType::Mdp,
        };
        let mut model = Model { ty: Some((ty, place)), ..Model::default() };
        let first_label = variables.len();
        for label in &labels {
            let body = model.exprs.add(ExprKind::Ident(quoted(label)), place, 1);
            model.labels.push(LabelDecl {
                name: Name { text: label.clone(), span: place },
                body,
                span: place,
            });
        }
        let mut lowering = Lowering::new(Arc::new(model), Constants::new());
        let origin = lowering.origin(place);
        let of_labels = labels.iter().map(|label| (quoted(label), Domain::Bool));
        for (name, domain) in variables.into_iter().chain(of_labels) {
            lowering.foreign_variable(name, domain, origin);
        }
        for (i, label) in labels.into_iter().enumerate() {
            let expr = lowering.program.field(FieldId((first_label + i) as u32));
            lowering.program.labels.push(Label { name: Some(label), expr, origin: None });
        }
        let structures = rewards.into_iter().map(|name| RewardStructure {
            name: (!name.is_empty()).then_some(name),
            ..RewardStructure::default()
        });
        lowering.program.rewards = structures.collect();
        Lowered { inner: lowering }
    }
}

/// The name of the field that stands for a label: not an identifier, so that no variable has it.
fn quoted(label: &str) -> String {
    format!("\"{label}\"")
}

impl Lowering {
    fn foreign_variable(&mut self, name: String, domain: Domain, origin: Origin) {
        let field = FieldId(self.program.fields.len() as u32);
        let (ty, bounds) = match domain {
            Domain::Bool => (Ty::Bool, None),
            Domain::Int { lo, hi } | Domain::Growing { lo, hi } => {
                (Ty::Int, Some(Bounds { lo: lo as f64, hi: hi as f64 }))
            }
        };
        // Of two variables with one name the first has it.
        let named = Named { entity: Entity::Variable(field), span: None, in_model: true };
        self.names.add(&name, named);
        self.variable_types.push(ty);
        self.variable_bounds.push(bounds);
        self.program.fields.push(Field { name, domain, component: None, length: 1, origin });
    }
}
