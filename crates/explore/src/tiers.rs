//! The code of a kernel in tiers: interpreted at first, compiled when this is worth the time, and compiled
//! again to better code when the work is long.
//!
//! Compiling takes as long as interpreting some hundreds or thousands of states; small models finish earlier.
//! All tiers compute the same bits.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use volvelle_kernel::interp::{Interpreted, Interpreter};
use volvelle_kernel::{Code, CompileError, Compiler, Effort, Kernel};

/// Factor for the work to interpret if the first compilation gave up, as it does on kernels that would take
/// seconds, before these seconds are spent.
const SECOND_ATTEMPT: u64 = 64;

/// When to continue with the next tier, in units of work that the caller chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    /// Work to interpret. Zero: none, and the first code is also the last.
    pub interpreted: u64,
    /// Total work, including interpretation, before better code is compiled.
    pub first: u64,
    /// The compilation efforts of the first and of the better code.
    pub efforts: [Effort; 2],
}

/// The tiers of one kernel. The caller owns the kernel, which must always be the same, and so must the
/// compiler.
pub(crate) struct Tiers {
    patience: Patience,
    interpreted: Interpreted,
    /// The first and the better code. `None` if the back end gave up.
    compiled: [OnceLock<Option<Box<dyn Code>>>; 2],
    /// How many of them were compiled, or are about to be.
    begun: AtomicU32,
    done: AtomicU64,
}

impl Tiers {
    /// The tiers of a kernel.
    pub fn new(kernel: &Kernel, compiler: &dyn Compiler, patience: Patience) -> Result<Self, CompileError> {
        let tiers = Tiers {
            patience,
            interpreted: Interpreter.prepare(kernel)?,
            compiled: Default::default(),
            begun: AtomicU32::new(0),
            done: AtomicU64::new(0),
        };
        if patience.interpreted == 0 {
            let made = compiler.compile_with(kernel, patience.efforts[0]);
            let made = made.or_else(|_| compiler.compile_with(kernel, Effort::Thorough))?;
            let _ = tiers.compiled[0].set(Some(made));
            // And never other code.
            tiers.begun.store(2, Ordering::Relaxed);
        }
        Ok(tiers)
    }

    /// The best available code; first compiles better code if that is due.
    pub fn code(&self, kernel: &Kernel, compiler: &dyn Compiler) -> &dyn Code {
        self.compiled(kernel, compiler).unwrap_or(&self.interpreted)
    }

    /// The same, unless the interpreter is the best there is.
    pub fn compiled(&self, kernel: &Kernel, compiler: &dyn Compiler) -> Option<&dyn Code> {
        let done = self.done.load(Ordering::Relaxed);
        let begun = self.begun.load(Ordering::Relaxed);
        let due = match begun {
            0 => done >= self.patience.interpreted,
            1 if self.has_given_up() => {
                done >= self.patience.interpreted.saturating_mul(SECOND_ATTEMPT).min(self.patience.first)
            }
            1 => done >= self.patience.first,
            _ => false,
        };
        // One thread compiles, while the others continue with the available code.
        if due && self.begun.compare_exchange(begun, begun + 1, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            let effort = match begun {
                1 if self.has_given_up() => Effort::Thorough,
                _ => self.patience.efforts[begun as usize],
            };
            let code = compiler.compile_with(kernel, effort);
            let _ = self.compiled[begun as usize].set(code.ok());
        }
        self.compiled.iter().rev().find_map(|made| made.get()?.as_deref())
    }

    /// Whether there is no first code although it was wanted.
    fn has_given_up(&self) -> bool {
        matches!(self.compiled[0].get(), Some(None))
    }

    /// The interpreter of the kernel.
    pub fn interpreted(&self) -> &Interpreted {
        &self.interpreted
    }

    /// Whether code will be compiled some time.
    pub fn will_compile(&self) -> bool {
        self.patience.interpreted < u64::MAX
    }

    /// The best available compiled code, if any: compiles the first code, or waits for another thread to do
    /// so.
    pub fn code_at_once(&self, kernel: &Kernel, compiler: &dyn Compiler) -> &dyn Code {
        self.begun.fetch_max(1, Ordering::Relaxed);
        self.compiled[0].get_or_init(|| compiler.compile_with(kernel, self.patience.efforts[0]).ok());
        self.code(kernel, compiler)
    }

    /// Counts work that was done.
    pub fn count(&self, work: u64) {
        if self.begun.load(Ordering::Relaxed) < 2 {
            self.done.fetch_add(work, Ordering::Relaxed);
        }
    }

    /// Whether something but the interpreter ran.
    pub fn are_compiled(&self) -> bool {
        self.compiled.iter().any(|made| matches!(made.get(), Some(Some(_))))
    }
}
