//! What is known of a device beyond what is offered, and which kernels it must refuse for it.

use crate::arguments::Signature;
use volvelle_kernel::{BinaryOp, CheckedOp, Kernel, Node, Type, UnaryOp};
use volvelle_runtime::Error;

/// What decides how a device is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    /// Whether it is the processors that run this program.
    pub(super) is_cpu: bool,
    /// Compute units.
    pub(super) units: u32,
    /// Work items in a group, at most.
    pub(super) most_in_group: usize,
    /// Bytes of one allocation, at most.
    pub(super) most_at_once: u64,
    /// Bytes of all memory.
    pub(super) memory: u64,
    /// Whether it calculates in double precision, with everything that the standard of floating-point numbers asks for.
    pub(super) has_f64: bool,
    /// Whether single precision keeps numbers that are not normal, infinities and NaNs, and rounds to nearest.
    pub(super) has_f32: bool,
    /// Whether division and square root in single precision can be rounded correctly.
    pub(super) has_f32_division: bool,
    /// What the driver depends on: platform, its version, device, driver.
    pub(super) identity: Vec<String>,
}

/// What a function needs of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    f64: bool,
    f32: bool,
    f32_division: bool,
}

impl Needs {
    /// Those of a kernel of the IR.
    pub(super) fn of_kernel(signature: &Signature, kernel: &Kernel) -> Self {
        let mentions = |ty: Type| signature.mentions(ty) || kernel.locals.iter().any(|local| local.ty == ty);
        let mut needs = Needs { f64: mentions(Type::F64), f32: mentions(Type::F32), f32_division: false };
        for id in kernel.exprs.ids() {
            needs.f64 |= kernel.exprs.ty(id) == Type::F64;
            if kernel.exprs.ty(id) == Type::F32 {
                needs.f32 = true;
                needs.f32_division |= matches!(
                    kernel.exprs.node(id),
                    Node::Binary { op: BinaryOp::Div, .. }
                        | Node::Checked { op: CheckedOp::Div, .. }
                        | Node::Unary { op: UnaryOp::Sqrt, .. }
                );
            }
        }
        needs
    }

    /// Those of a text that somebody wrote by hand, as far as words tell.
    pub(super) fn of_text(signature: &Signature, text: &str) -> Self {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mentions = |name: &str| text.split(|c| !word(c)).any(|w| w == name);
        Needs {
            f64: signature.mentions(Type::F64) || mentions("double"),
            f32: signature.mentions(Type::F32) || mentions("float"),
            f32_division: false,
        }
    }
}

impl Facts {
    /// Whether the device can do what a function needs.
    ///
    /// # Errors
    /// What it lacks.
    pub(super) fn allow(&self, needs: Needs) -> Result<(), Error> {
        let lacks = if needs.f64 && !self.has_f64 {
            "it has no double precision"
        } else if needs.f32 && !self.has_f32 {
            "its single precision lacks subnormal numbers, infinities or rounding to nearest"
        } else if needs.f32_division && !self.has_f32_division {
            "it does not round divisions and square roots in single precision correctly"
        } else {
            return Ok(());
        };
        Err(Error::Refused(lacks.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_kernel::{Access, Stmt};
    use volvelle_runtime::Function;

    const BARE: Facts = Facts {
        is_cpu: false,
        units: 1,
        most_in_group: 1,
        most_at_once: 0,
        memory: 0,
        has_f64: false,
        has_f32: false,
        has_f32_division: false,
        identity: Vec::new(),
    };

    /// What a kernel needs that stores `op` of two elements of a type.
    fn needs(ty: Type, op: BinaryOp) -> Needs {
        let mut kernel = Kernel::new("k");
        let lane = kernel.param("lane", Type::U64);
        let from = kernel.buffer("from", ty, Access::Read);
        let to = kernel.buffer("to", Type::Bool, Access::Write);
        let index = kernel.get(lane);
        let value = kernel.exprs.load(from, ty, index);
        let value = kernel.exprs.binary(op, value, value);
        let equal = kernel.exprs.binary(BinaryOp::Eq, value, value);
        kernel.body.push(Stmt::Store { buffer: to, index, value: equal });
        Needs::of_kernel(&Signature::of(&Function::of(kernel.clone())).unwrap(), &kernel)
    }

    #[test]
    fn devices_that_lack_something() {
        let with_f64 = Facts { has_f64: true, ..BARE };
        let with_f32 = Facts { has_f32: true, ..BARE };
        let with_division = Facts { has_f32_division: true, ..with_f32.clone() };
        let why = |facts: &Facts, needs: Needs| match facts.allow(needs) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        };
        let cases = [
            (needs(Type::U64, BinaryOp::Add), ["", "", ""]),
            (needs(Type::F64, BinaryOp::Div), ["", "no double", "no double"]),
            (needs(Type::F32, BinaryOp::Add), ["single precision", "", ""]),
            (needs(Type::F32, BinaryOp::Div), ["single precision", "divisions", ""]),
        ];
        for (needs, reasons) in cases {
            for (facts, reason) in [&with_f64, &with_f32, &with_division].into_iter().zip(reasons) {
                let found = why(facts, needs);
                assert!(
                    found.contains(reason) && found.is_empty() == reason.is_empty(),
                    "{needs:?}: {found}"
                );
            }
        }
    }

    #[test]
    fn what_texts_mention() {
        let mut kernel = Kernel::new("k");
        kernel.param("lane", Type::U64);
        let plain = Signature::of(&Function::of(kernel.clone())).unwrap();
        let of = |text| Needs::of_text(&plain, text);
        assert_eq!(of("long doubled; // afloat"), Needs::default());
        assert!(of("(double)x").f64 && !of("(double)x").f32);
        assert!(of("float*p").f32);
        kernel.param("x", Type::F64);
        let with_f64 = Signature::of(&Function::of(kernel)).unwrap();
        assert!(Needs::of_text(&with_f64, "").f64);
    }
}
