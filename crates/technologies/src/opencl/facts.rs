//! Facts about a device beyond its offer; they determine which kernels it rejects.

use crate::text::Text;
use volvelle_kernel::{BinaryOp, CheckedOp, Kernel, Node, Type, UnaryOp};
use volvelle_runtime::Error;

/// The facts that decide how a device is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    /// Whether it is the processors that run this program.
    pub(super) is_cpu: bool,
    /// Compute units.
    pub(super) units: u32,
    /// Limit of work items in a group.
    pub(super) most_in_group: usize,
    /// Limit of bytes in an allocation; unlimited if the driver names none.
    pub(super) most_at_once: u64,
    /// Bytes of all memory, likewise.
    pub(super) memory: u64,
    /// Whether it computes in double precision, with everything that IEEE 754 requires.
    pub(super) has_f64: bool,
    /// Whether single precision supports subnormal numbers, infinities and NaNs, and rounds to nearest.
    pub(super) has_f32: bool,
    /// Whether division and square root in single precision can be rounded correctly.
    pub(super) has_f32_division: bool,
    /// The identity of the driver: platform, its version, device, driver.
    pub(super) identity: Vec<String>,
}

/// The features of a device that a function needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    f64: bool,
    f32: bool,
    f32_division: bool,
}

impl Needs {
    /// The needs of a text; the kernel from which it was printed tells whether it divides.
    pub(super) fn of(text: &Text, kernel: Option<&Kernel>) -> Self {
        let divides = |kernel: &Kernel| {
            let is_division = |node: Node| {
                matches!(
                    node,
                    Node::Binary { op: BinaryOp::Div, .. }
                        | Node::Checked { op: CheckedOp::Div, .. }
                        | Node::Unary { op: UnaryOp::Sqrt, .. }
                )
            };
            let exprs = &kernel.exprs;
            exprs.ids().any(|id| exprs.ty(id) == Type::F32 && is_division(exprs.node(id)))
        };
        Needs {
            f64: text.needs_f64,
            f32: text.needs_f32,
            f32_division: text.needs_f32 && kernel.is_some_and(divides),
        }
    }
}

impl Facts {
    /// Whether the device can do what a function needs.
    ///
    /// # Errors
    /// The missing feature.
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
    use crate::arguments::Signature;
    use volvelle_kernel::{Access, Stmt};
    use volvelle_runtime::Function;
    use volvelle_source::{Dialect, Jumps};

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

    /// The needs of a kernel that stores `op` of two elements of a type.
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
        let function = Function::of(kernel);
        let text =
            Text::of(&function, &Signature::of(&function).unwrap(), "opencl", Dialect::OpenCl, Jumps::Labels);
        Needs::of(&text.unwrap(), function.ir.as_ref())
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
}
