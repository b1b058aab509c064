//! Steps of processes, as expanders number them.

use volvelle_search::TRANSIENT;

/// A step of a network of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessStep {
    /// The process that moves.
    pub slot: usize,
    /// Number of its transition. A number that no transition has is the step that gives control back.
    pub transition: u32,
    /// Whether the process goes on alone behind it.
    pub is_atomic: bool,
}

impl ProcessStep {
    /// The step behind a number of an expander.
    pub fn of_number(number: u32) -> Self {
        ProcessStep {
            slot: (number >> 16 & 0x7fff) as usize,
            transition: number & 0xffff,
            is_atomic: number & TRANSIENT != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_hold_slot_transition_and_whether_the_process_goes_on() {
        let step = ProcessStep { slot: 5, transition: 70, is_atomic: false };
        assert_eq!(ProcessStep::of_number(5 << 16 | 70), step);
        let atomic = ProcessStep { is_atomic: true, ..step };
        assert_eq!(ProcessStep::of_number(5 << 16 | 70 | TRANSIENT), atomic);
    }
}
