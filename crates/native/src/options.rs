//! How to compile.

use volvelle_kernel::Effort;

/// How much Cranelift optimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptLevel {
    /// As little as possible.
    None,
    /// Value numbering, redundant loads, strength reduction, loop-invariant code. Takes time out of all
    /// proportion on large kernels.
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
    /// Compiles in two thirds of the time, and large kernels in a small part of it, to code with more moves to and from the stack.
    /// The frame of kernels of thousands of commands may become too large: there is no code then but with `Backtracking`.
    SinglePass,
    /// `SinglePass` where register allocation would take most of the time; `Backtracking` for smaller kernels, and where all
    /// effort is wanted.
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

/// Operations of kernels that take some 5 ms to compile with the backtracking allocator, and of the largest
/// whose frame is sure to fit with the single-pass allocator. For larger ones that is tried: it takes a small part of the time.
const SINGLE_PASS: std::ops::RangeInclusive<u64> = 2_000..=40_000;

/// The choice for one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) optimise: bool,
    pub(crate) single_pass: bool,
}

impl Options {
    /// Whether the backtracking allocator would take a kernel time out of all proportion: seconds where the other one takes a tenth. Only
    /// thorough effort is worth that.
    pub(crate) fn is_large(&self, operations: u64) -> bool {
        self.allocator == Allocator::BySize && operations > *SINGLE_PASS.end()
    }

    /// The effective options for a kernel of `operations` operations.
    pub(crate) fn plan(&self, operations: u64, effort: Effort) -> Plan {
        let largest = *SINGLE_PASS.end();
        Plan {
            optimise: match self.opt_level {
                OptLevel::None => false,
                OptLevel::Speed => true,
                OptLevel::BySize => match effort {
                    Effort::Quick => false,
                    Effort::Usual => operations <= SMALL,
                    Effort::Thorough => operations <= largest,
                },
            },
            single_pass: match self.allocator {
                Allocator::Backtracking => false,
                Allocator::SinglePass => true,
                Allocator::BySize => match effort {
                    Effort::Quick => true,
                    Effort::Usual => operations >= *SINGLE_PASS.start(),
                    Effort::Thorough => false,
                },
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_chooses_between_compile_time_and_speed() {
        let by_size = Options::default();
        let plan = |operations, effort| by_size.plan(operations, effort);
        let optimised = |operations, effort| plan(operations, effort).optimise;
        assert!(optimised(SMALL, Effort::Usual) && !optimised(SMALL + 1, Effort::Usual));
        assert!(!optimised(SMALL, Effort::Quick) && optimised(*SINGLE_PASS.end(), Effort::Thorough));
        let speed = Options { opt_level: OptLevel::Speed, ..by_size };
        assert!(speed.plan(u64::MAX, Effort::Quick).optimise);
        let none = Options { opt_level: OptLevel::None, ..by_size };
        assert!(!none.plan(0, Effort::Thorough).optimise);
        let single_pass = |operations| plan(operations, Effort::Usual).single_pass;
        assert!(!single_pass(SMALL) && single_pass(u64::MAX));
        assert!(single_pass(*SINGLE_PASS.start()) && single_pass(*SINGLE_PASS.end()));
        assert!(plan(SMALL, Effort::Quick).single_pass && !plan(u64::MAX, Effort::Thorough).single_pass);
    }
}
