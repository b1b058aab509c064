//! Declarations of types: names of values, structures, and the types that declarations name.

use super::builder::Builder;
use super::environment::Environment;
use super::types::{MAX_LENGTH, MAX_NAMES, Member, Scalar, Struct, Type};
use crate::ast::{ExprId, Place, TypeName, Unit};
use crate::parse::TYPE_NAMES;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::codes;

/// The environment and the program while symbols are declared.
pub(super) struct Declarations<'d, 'a> {
    pub env: &'d mut Environment<'a>,
    pub out: &'d mut Builder<'a>,
}

impl Declarations<'_, '_> {
    /// Collects the names of all `mtype` declarations. Within one the last name is the smallest number; a further
    /// declaration of the same set counts on.
    pub(super) fn collect_mtypes(&mut self) {
        self.env.mtypes.set(None);
        let mut counts: FxHashMap<u32, i64> = FxHashMap::default();
        for unit in &self.env.model.units {
            let Unit::Mtype { set, names, .. } = unit else { continue };
            let set = self.env.mtypes.set(set.as_ref().map(|s| s.text.as_str()));
            let count = counts.entry(set).or_insert(0);
            let before = *count;
            *count += names.len() as i64;
            if before <= MAX_NAMES
                && *count > MAX_NAMES
                && let Some(first) = names.get((MAX_NAMES - before) as usize)
            {
                let message = format!("an `mtype` has at most {MAX_NAMES} names, and this one has {count}");
                let help = "declare several sets, each of which may have as many: `mtype : colour = { ... }`";
                self.out.reports.error(codes::TYPE_MISMATCH, message, first.place, help);
            }
            for (i, name) in names.iter().enumerate() {
                let value = before + (names.len() - i) as i64;
                if self.env.mtypes.values.insert(name.text.clone(), (set, value)).is_some() {
                    let message = format!("`{}` is declared twice", name.text);
                    self.out.reports.error(codes::DUPLICATE_NAME, message, name.place, "");
                }
            }
        }
    }

    /// Collects the structures.
    pub(super) fn collect_structs(&mut self) {
        let model = self.env.model;
        for unit in &model.units {
            let Unit::Typedef { name, fields, .. } = unit else { continue };
            if self.env.structs.values().any(|s| s.name == name.text) {
                let message = format!("the type `{}` is declared twice", name.text);
                self.out.reports.error(codes::DUPLICATE_NAME, message, name.place, "");
                continue;
            }
            let mut members: Vec<Member> = Vec::new();
            for declaration in fields {
                for variable in &declaration.variables {
                    if members.iter().any(|member| member.name == variable.name.text) {
                        self.declared_twice(&variable.name);
                    }
                    let Some(ty) = self.type_of(&declaration.ty, variable.bits, declaration.place) else {
                        continue;
                    };
                    let length = variable.length.and_then(|l| self.length(l));
                    let initial = variable.initial.clone();
                    members.push(Member { name: variable.name.text.clone(), ty, length, initial });
                }
            }
            self.env.structs.push(Struct { name: name.text.clone(), members });
        }
    }

    /// The type that a declaration names.
    pub(super) fn type_of(&mut self, ty: &TypeName, bits: Option<ExprId>, place: Place) -> Option<Type> {
        let scalar = match ty {
            TypeName::Bit | TypeName::Bool => Scalar::Bit,
            TypeName::Byte => Scalar::Byte,
            TypeName::Pid => Scalar::Pid,
            TypeName::Short => Scalar::Short,
            TypeName::Int => Scalar::Int,
            TypeName::Chan => Scalar::Chan,
            TypeName::Mtype(set) => Scalar::Mtype(self.env.mtypes.set(set.as_ref().map(|s| s.text.as_str()))),
            TypeName::Unsigned => {
                let Some(bits) = bits else {
                    self.out.reports.error(
                        codes::TYPE_MISMATCH,
                        "an `unsigned` needs a width",
                        place,
                        "write `unsigned x : 3`",
                    );
                    return None;
                };
                match self.env.constant(bits) {
                    Some(n @ 1..=32) => Scalar::Unsigned(n as u32),
                    _ => {
                        let place = self.env.place(bits);
                        self.out.reports.error(
                            codes::TYPE_MISMATCH,
                            "a width must be a number from 1 to 32",
                            place,
                            "",
                        );
                        return None;
                    }
                }
            }
            TypeName::User(name) => {
                let found = self.env.structs.position(|s| s.name == name.text);
                if found.is_none() {
                    let message = format!("`{}` is not a type", name.text);
                    let own = self.env.structs.values().map(|s| s.name.as_str());
                    let known = TYPE_NAMES.iter().copied().chain(own);
                    self.out.reports.misspelt(codes::UNKNOWN_NAME, message, name.place, &name.text, known);
                }
                return found.map(Type::Struct);
            }
        };
        Some(Type::Scalar(scalar))
    }

    /// The length of an array. As in SPIN, it may be a variable: its initial value is meant.
    pub(super) fn length(&mut self, length: ExprId) -> Option<u32> {
        let place = self.env.place(length);
        let initial = self.env.initial_value(length);
        if let Some((name, value)) = initial {
            let message = format!("`{name}` in the length of an array is {value}, its initial value");
            let note = "the length does not change when the variable does; `#define` a name for it";
            self.out.reports.warning(codes::UNUSED_OR_SUSPICIOUS, message, place, note);
        }
        match initial.map(|(_, value)| value).or_else(|| self.env.constant(length)) {
            Some(n) if (1..=MAX_LENGTH).contains(&n) => Some(n as u32),
            Some(n) => {
                let message = format!("an array cannot have {n} elements");
                self.out.reports.error(codes::TYPE_MISMATCH, message, place, "");
                Some(1)
            }
            None => {
                self.out.reports.error(
                    codes::TYPE_MISMATCH,
                    "the length of an array must be a constant",
                    place,
                    "",
                );
                Some(1)
            }
        }
    }
}
