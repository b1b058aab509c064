//! The environment: what a model declares, resolved before code is made and only read from then on.

use super::constant::constant;
use super::facts::{Facts, STDIN};
use super::path::{Path, path};
use super::symbols::{
    ChannelType, ChannelTypeId, Instance, ProcessId, ProcessInfo, Scope, VarId, VariableInfo,
};
use super::trace::Trace;
use super::types::{Mtypes, Scalar, Struct, StructId};
use crate::ast::{ExprId, ExprKind, Initial, Model, Place};
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_kernel::EntityVec;
use volvelle_model::{FieldId, LocationId, Which};

/// Most processes, and most channels, at a time.
pub(super) const PROCESS_LIMIT: i64 = 32_767;

/// Fields that the text does not declare.
#[derive(Clone, Copy)]
pub(super) struct RuntimeFields {
    /// The number of processes.
    pub processes: FieldId,
    /// The number of channels.
    pub channels: FieldId,
    /// The location of a process.
    pub location: FieldId,
    /// The type of a channel.
    pub kind: FieldId,
    /// The process that moved last.
    pub last: Option<FieldId>,
    /// The state of the `trace` assertion.
    pub trace: Option<FieldId>,
    /// The next character of the standard input, in simulations; else how many characters were read.
    pub input: Option<FieldId>,
    /// The fields in which a step notes what it prints, in simulations.
    pub print: Option<PrintFields>,
}

/// The fields in which a step notes what it prints.
#[derive(Clone, Copy)]
pub(super) struct PrintFields {
    /// The number of noted numbers.
    pub length: FieldId,
    /// The numbers.
    pub log: FieldId,
}

/// Names, types and options of a model.
pub(super) struct Environment<'a> {
    pub model: &'a Model,
    pub facts: Facts,
    pub fields: RuntimeFields,
    /// The characters of the standard input, where they are known.
    pub input: Option<Vec<u8>>,
    pub mtypes: Mtypes,
    pub structs: EntityVec<StructId, Struct>,
    pub channel_types: EntityVec<ChannelTypeId, ChannelType>,
    pub variables: EntityVec<VarId, VariableInfo>,
    /// The variables of each process type, in the order of their declarations.
    pub own_variables: EntityVec<ProcessId, Vec<VarId>>,
    /// Variables by the place of their name.
    pub declared: FxHashMap<Place, VarId>,
    /// Global variables by name.
    pub globals: FxHashMap<String, VarId>,
    /// Fields of `hidden` variables.
    pub hidden: FxHashSet<FieldId>,
    /// Counters of loops over channels, by the place of the loop.
    pub loop_counters: FxHashMap<Place, FieldId>,
    pub processes: EntityVec<ProcessId, ProcessInfo>,
    /// Process types by name: the first, where several have it.
    pub process_names: FxHashMap<String, ProcessId>,
    /// Global channels that are never assigned: the number of the first of each variable.
    pub constant_channels: FxHashMap<FieldId, i64>,
    /// The automaton of the `trace` assertion.
    pub trace: Option<Trace>,
}

impl Environment<'_> {
    /// The place of an expression.
    pub fn place(&self, expr: ExprId) -> Place {
        self.model.exprs.get(expr).place
    }

    /// Takes `a[i].b.c[j]` apart; `None` for any other expression.
    pub fn path(&self, expr: ExprId) -> Option<Path<'_>> {
        path(self.model, expr)
    }

    /// The value of an expression of constants; `None` for any other.
    pub fn constant(&self, expr: ExprId) -> Option<i64> {
        constant(self.model, &self.mtypes, expr)
    }

    /// The initial value of the global variable that an expression names, if that is a number.
    pub fn initial_value(&self, expr: ExprId) -> Option<(&str, i64)> {
        let ExprKind::Name(name) = &self.model.exprs.get(expr).kind else { return None };
        let info = &self.variables[*self.globals.get(&name.text)?];
        match info.initial {
            Some(Initial::Value(value)) => Some((&info.name, self.constant(value)?)),
            _ => None,
        }
    }

    /// The variable that a name means in a scope.
    pub fn lookup(&self, scope: &Scope, name: &str) -> Option<VarId> {
        scope.names.get(name).or_else(|| self.globals.get(name).copied())
    }

    /// The process type of a name; `init` has none.
    pub fn process(&self, name: &str) -> Option<ProcessId> {
        self.process_names.get(name).copied()
    }

    /// The location of a label of a process type.
    pub fn label_location(&self, process: ProcessId, label: &str) -> Option<LocationId> {
        self.processes[process].labels.get(label).copied()
    }

    /// The variables of a process type.
    pub fn variables_of(&self, process: ProcessId) -> &[VarId] {
        &self.own_variables[process]
    }

    /// Types of the channels that a process creates when it starts, in their order.
    pub fn channels_of(&self, process: ProcessId) -> Vec<ChannelTypeId> {
        let mut made = Vec::new();
        for &variable in self.variables_of(process) {
            for leaf in &self.variables[variable].leaves {
                if let Some(ty) = leaf.channel {
                    made.extend(std::iter::repeat_n(ty, leaf.lengths.iter().product::<u32>() as usize));
                }
            }
        }
        made
    }

    /// The channels that a process creates when it starts, as far as its variables still refer to them.
    pub fn own_channels(&self, process: ProcessId) -> Vec<Which> {
        let mut own = Vec::new();
        for &variable in self.variables_of(process) {
            let info = &self.variables[variable];
            for leaf in info.leaves.iter().filter(|l| l.channel.is_some()) {
                let one = leaf.lengths.iter().product::<u32>() == 1 && leaf.path.is_empty();
                let fixed = one && !self.facts.assigned.contains(&info.name);
                own.push(if fixed { Which::Own(leaf.field, 1) } else { Which::Any });
            }
        }
        own
    }

    /// The value of an index, as far as it is known before the model runs.
    pub fn index_of(&self, scope: &Scope, index: ExprId) -> Which {
        if let Some(value) = self.constant(index) {
            return Which::Constant(value);
        }
        if scope.instance != Instance::Own {
            return Which::Any;
        }
        match &self.model.exprs.get(index).kind {
            ExprKind::Name(name) => match self.fixed_local(scope, &name.text) {
                Some(field) => Which::Own(field, 0),
                None if name.text == "_pid" && self.lookup(scope, "_pid").is_none() => Which::Mover,
                None => Which::Any,
            },
            _ => Which::Any,
        }
    }

    /// The field of a local scalar that keeps the value that it gets when its process starts.
    pub fn fixed_local(&self, scope: &Scope, name: &str) -> Option<FieldId> {
        let info = &self.variables[self.lookup(scope, name)?];
        let fixed = info.process.is_some() && !info.late && !self.facts.assigned.contains(name);
        match info.leaves.as_slice() {
            [leaf] if fixed && info.length.is_none() && leaf.path.is_empty() => Some(leaf.field),
            _ => None,
        }
    }

    /// Whether an expression is the standard input.
    pub fn is_input(&self, scope: &Scope, channel: ExprId) -> bool {
        let ExprKind::Name(name) = &self.model.exprs.get(channel).kind else { return false };
        let has_channel = |variable: VarId| {
            let info = &self.variables[variable];
            info.channel.is_some() || info.process.is_some() || self.facts.assigned.contains(STDIN)
        };
        name.text == STDIN && !self.lookup(scope, STDIN).is_some_and(has_channel)
    }

    /// Whether a variable is `_priority`.
    pub fn is_own_priority(&self, scope: &Scope, variable: ExprId) -> bool {
        let is_name =
            matches!(&self.model.exprs.get(variable).kind, ExprKind::Name(name) if name.text == "_priority");
        is_name && self.lookup(scope, "_priority").is_none()
    }

    /// The set of names of an expression that is a variable or a name.
    pub fn set_of(&self, scope: &Scope, arg: ExprId) -> Option<u32> {
        let path = self.path(arg)?;
        let name = path.name.text.clone();
        let members: Vec<String> = path.members.iter().map(|m| m.text.clone()).collect();
        let Some(variable) = self.lookup(scope, &name) else {
            return self.mtypes.values.get(&name).map(|&(set, _)| set);
        };
        let leaf = self.variables[variable].leaves.iter().find(|l| l.path == members)?;
        match leaf.ty {
            Scalar::Mtype(set) => Some(set),
            _ => None,
        }
    }
}
