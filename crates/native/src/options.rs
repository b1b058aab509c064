//! How to compile.

/// How much Cranelift optimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptLevel {
    /// As little as possible.
    None,
    /// Value numbering, redundant loads, strength reduction, loop-invariant code.
    Speed,
    /// `Speed` for small kernels, which are loops to be run long; `None` for large ones, where it takes most
    /// of the time to compile and gains nothing (next-state functions: front ends have folded them
    /// already, and their live ranges only get longer).
    BySize,
}

/// Which register allocator Cranelift uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocator {
    /// Better code.
    Backtracking,
    /// Faster compilation, more moves to and from the stack.
    SinglePass,
    /// `Backtracking` but for very large kernels.
    BySize,
}

/// How to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Optimisation level.
    pub opt_level: OptLevel,
    /// Register allocator.
    pub allocator: Allocator,
    /// A local or buffer that more places use lives in the stack frame, not in a register. Live ranges through
    /// a whole kernel take the register allocator most of its time.
    pub max_register_uses: u32,
    /// Whether Cranelift verifies its IR before each step.
    pub verify_ir: bool,
    /// Whether code may use every instruction this processor has, or only those of its architecture's
    /// baseline.
    pub host_features: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            opt_level: OptLevel::BySize,
            allocator: Allocator::BySize,
            max_register_uses: 16,
            verify_ir: cfg!(debug_assertions),
            host_features: true,
        }
    }
}

/// Operations up to which a kernel is small.
const SMALL: u64 = 300;

/// Operations from which on a kernel is very large.
const VERY_LARGE: u64 = 50_000;

/// The choice for one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) optimise: bool,
    pub(crate) single_pass: bool,
}

impl Options {
    /// What the options mean for a kernel of so many operations.
    pub(crate) fn plan(&self, operations: u64) -> Plan {
        Plan {
            optimise: match self.opt_level {
                OptLevel::None => false,
                OptLevel::Speed => true,
                OptLevel::BySize => operations <= SMALL,
            },
            single_pass: match self.allocator {
                Allocator::Backtracking => false,
                Allocator::SinglePass => true,
                Allocator::BySize => operations >= VERY_LARGE,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_choose_between_compile_time_and_speed() {
        let by_size = Options::default();
        assert_eq!(by_size.plan(SMALL), Plan { optimise: true, single_pass: false });
        assert_eq!(by_size.plan(SMALL + 1), Plan { optimise: false, single_pass: false });
        assert_eq!(by_size.plan(VERY_LARGE), Plan { optimise: false, single_pass: true });
        let fixed = Options { opt_level: OptLevel::Speed, allocator: Allocator::Backtracking, ..by_size };
        assert_eq!(fixed.plan(u64::MAX), Plan { optimise: true, single_pass: false });
    }
}
