//! A lowered model: the program, and the tables that lead from it back to the text.

use super::claims::Named;
use super::input::Input;
use super::printing::Printing;
use super::symbols::{ChannelType, ProcessInfo};
use super::trace::TraceViolation;
use super::types::{Mtypes, Scalar};
use crate::ast::Place;
use rustc_hash::FxHashMap;
use volvelle_kernel::ExprId;
use volvelle_model::{FieldId, Origin, Program};

/// A lowered model.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// Process types, in the order of the network's types.
    pub processes: Vec<ProcessInfo>,
    /// Claims, in the order of the text.
    pub claims: Vec<Named>,
    /// The expressions whose values are wanted, in the order in which they were given.
    pub observed: Vec<ExprId>,
    /// Type of each field that is a variable or a part of a message.
    pub field_types: Vec<Option<Scalar>>,
    /// For members of structures: the length of each array on the way to them, 1 where there is none.
    pub lengths: FxHashMap<FieldId, Vec<u32>>,
    /// Names of values.
    pub mtypes: Mtypes,
    /// The places that the origins of the program number.
    pub origins: Vec<Place>,
    /// The number that a trail of SPIN has for a step, by the origin of its transition.
    pub statement_numbers: FxHashMap<Origin, u32>,
    /// All numbers of statements are smaller. Some are those of no step.
    pub statement_count: u32,
    /// Types of channels; slots of the second pool store indices into this list.
    pub channels: Vec<ChannelType>,
    /// Variables that keep the channels of their initial values for ever: the number of the first channel of each. They are
    /// no part of the state.
    pub constant_channels: FxHashMap<FieldId, i64>,
    /// The output of statements, in simulations.
    pub printing: Option<Printing>,
    /// Sites at which a `trace` or `notrace` assertion is violated.
    pub trace_sites: FxHashMap<u32, TraceViolation>,
    /// The standard input, in simulations of models that read it.
    pub input: Option<Input>,
    /// Sites that note a truncated value, with the type to which it is truncated.
    pub truncation_sites: FxHashMap<u32, Scalar>,
    /// Sites at which a `d_step` is given up, with the iterations after which it is.
    pub endless_sites: FxHashMap<u32, i64>,
}

impl Lowered {
    /// The name of an element of a field with this name: `t[1].a[2]` for element 5 of `t.a`, if each `t` has three.
    pub fn element_name(&self, field: FieldId, name: &str, element: usize) -> String {
        let length = self.program.fields[field.index()].length;
        let Some(lengths) = self.lengths.get(&field) else {
            return if length == 1 { name.to_owned() } else { format!("{name}[{element}]") };
        };
        let mut parts: Vec<String> = name.rsplitn(lengths.len(), '.').map(str::to_owned).collect();
        let mut rest = element;
        // The last index runs fastest.
        for (part, &length) in parts.iter_mut().zip(lengths.iter().rev()) {
            if length > 1 {
                part.push_str(&format!("[{}]", rest % length as usize));
                rest /= length as usize;
            }
        }
        parts.reverse();
        parts.join(".")
    }

    /// The name of a value, if it is that of an `mtype`.
    pub fn value_name(&self, ty: Scalar, value: i64) -> Option<&str> {
        match ty {
            Scalar::Mtype(set) => self.mtypes.name(set, value),
            _ => None,
        }
    }

    /// The text of what a step printed, from the log of its state: the number of each print, then its arguments.
    pub fn printed(&self, log: &[i64]) -> String {
        self.printing.as_ref().map_or(String::new(), |printing| printing.text(&self.mtypes, log))
    }
}
