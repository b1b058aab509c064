//! The locals in which a path adds up what it spends.

use crate::amounts::Amount;
use crate::measure::Measure;
use volvelle_kernel::{Kernel, Local, Type};

/// The locals of a monitor whose measure has bounds on what is spent.
#[derive(Clone, Debug)]
pub(super) struct Spending {
    /// The amount spent so far, for each bound on a reward.
    pub sums: Vec<Option<Local>>,
    /// The reward earned before the last step.
    pub before: Option<Local>,
}

impl Spending {
    /// Declares the locals of a monitor.
    pub fn declare(kernel: &mut Kernel, monitor: usize, measure: Measure) -> Option<Self> {
        let amounts = measure.amounts()?;
        let mut sum = |(i, amount): (usize, &Amount)| {
            amount.structure.map(|_| kernel.local(format!("spent{monitor}_{i}"), Type::F64))
        };
        let sums = amounts.all().iter().enumerate().map(&mut sum).collect();
        let before = matches!(measure, Measure::Within { .. })
            .then(|| kernel.local(format!("before{monitor}"), Type::F64));
        Some(Spending { sums, before })
    }
}
