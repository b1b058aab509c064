//! The outline of a Promela model, for `volvelle info`.

use crate::outline::{Channel, Outline, Process, Property, Variable};
use volvelle_diagnostics::Sources;
use volvelle_promela::ast::{self, Initial, Place, StatementKind, Unit};
use volvelle_promela::{Lowered, Scalar};

/// The parts of a model.
pub(super) fn outline(sources: &Sources, model: &ast::Model, lowered: &Lowered) -> Outline {
    let parts = Parts { sources, model };
    let channels = parts.channels();
    let mut variables = variables(lowered);
    variables.retain(|v| !channels.iter().any(|c| c.name == v.name && c.component == v.component));
    Outline {
        kind: "processes".into(),
        variables,
        processes: parts.processes(lowered),
        channels,
        properties: parts.properties(),
        ..Outline::default()
    }
}

/// The tree of a model, with its texts.
struct Parts<'a> {
    sources: &'a Sources,
    model: &'a ast::Model,
}

impl Parts<'_> {
    fn processes(&self, lowered: &Lowered) -> Vec<Process> {
        let names =
            |d: &ast::Declaration| d.variables.iter().map(|v| v.name.text.clone()).collect::<Vec<_>>();
        let proctypes = self.model.units.iter().filter_map(|unit| match unit {
            Unit::Proctype(p) => Some(p),
            _ => None,
        });
        let described = |(p, info): (&ast::Proctype, &volvelle_promela::ProcessInfo)| Process {
            name: if info.is_init { "init".into() } else { info.name.clone() },
            active: info.slots.len(),
            parameters: p.parameters.iter().flat_map(names).collect(),
            locations: info.locations.1 as usize,
        };
        proctypes.zip(&lowered.processes).map(described).collect()
    }

    fn channels(&self) -> Vec<Channel> {
        let mut channels = Vec::new();
        let mut add = |declaration: &ast::Declaration, component: Option<&str>| {
            for variable in &declaration.variables {
                let Some(Initial::Channel(init)) = &variable.initial else { continue };
                let array = variable.length.map_or(String::new(), |length| {
                    format!("[{}]", self.text(self.model.exprs.get(length).place))
                });
                channels.push(Channel {
                    name: format!("{}{array}", variable.name.text),
                    component: component.map(str::to_owned),
                    holds: self.text(init.place),
                });
            }
        };
        for unit in &self.model.units {
            match unit {
                Unit::Declaration(declaration) => add(declaration, None),
                Unit::Proctype(p) => p.body.statements.iter().for_each(|s| {
                    if let StatementKind::Declaration(declaration) = &s.kind {
                        add(declaration, Some(if p.is_init { "init" } else { &p.name.text }));
                    }
                }),
                _ => {}
            }
        }
        channels
    }

    /// Claims and assertions on traces.
    fn properties(&self) -> Vec<Property> {
        let mut properties = Vec::new();
        for unit in &self.model.units {
            let (name, place) = match unit {
                Unit::Ltl { name, place, .. }
                | Unit::Never { name, place, .. }
                | Unit::Trace { name, place, .. } => (name, *place),
                _ => continue,
            };
            let name = name.as_ref().map(|n| n.text.clone());
            let text = match unit {
                Unit::Never { .. } => "never { ... }".into(),
                Unit::Trace { negated: false, .. } => "trace { ... }".into(),
                Unit::Trace { .. } => "notrace { ... }".into(),
                _ => self.text(place),
            };
            properties.push(Property { number: properties.len() + 1, name, text });
        }
        properties
    }

    fn text(&self, place: Place) -> String {
        let text = self.sources.text(self.model.places.span(place));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn variables(lowered: &Lowered) -> Vec<Variable> {
    let program = &lowered.program;
    let mut variables = Vec::new();
    for (field, ty) in program.fields.iter().zip(&lowered.field_types) {
        let Some(ty) = ty else { continue };
        let process = lowered.processes.iter().find(|p| field.component == Some(p.component));
        // Parts of messages are no variables, and neither is what no one declared.
        if field.component.is_some() && process.is_none() || field.name.starts_with([':', '_']) {
            continue;
        }
        let array = if field.length > 1 { format!("[{}]", field.length) } else { String::new() };
        variables.push(Variable {
            name: format!("{}{array}", field.name),
            component: process.map(|p| if p.is_init { "init".into() } else { p.name.clone() }),
            range: type_name(lowered, *ty),
            initial: None,
        });
    }
    variables
}

fn type_name(lowered: &Lowered, ty: Scalar) -> String {
    match ty {
        Scalar::Bit => "bit".into(),
        Scalar::Byte => "byte".into(),
        Scalar::Pid => "pid".into(),
        Scalar::Short => "short".into(),
        Scalar::Int => "int".into(),
        Scalar::Unsigned(bits) => format!("unsigned, {bits} bits"),
        Scalar::Mtype(set) => match lowered.mtypes.sets.get(set as usize) {
            Some(Some(name)) => format!("mtype:{name}"),
            _ => "mtype".into(),
        },
        Scalar::Chan => "chan".into(),
    }
}
