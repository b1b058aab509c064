//! Pools of processes grow.

use volvelle_explore::slots::{MANY_STATES, MAX_SLOTS, last_slot};

/// A search that meets one more process with every state costs a small multiple of its last round.
#[test]
fn growth_costs_little() {
    for expensive in [0, MANY_STATES] {
        let (mut slots, mut rounds, mut work) = (0, 0, 0);
        while slots < MAX_SLOTS {
            let last = last_slot(slots, slots, expensive);
            assert!(last >= slots && last <= slots.max(2) * 2);
            (rounds, work, slots) = (rounds + 1, work + slots, last + 1);
        }
        assert!(rounds < 40 && work < 2 * MAX_SLOTS, "{rounds} rounds, {work} states");
    }
    // If starting again is expensive, all slots after the one that needs a larger component get one.
    assert_eq!((last_slot(3, 10, 0), last_slot(3, 10, MANY_STATES), last_slot(20, 30, 0)), (3, 9, 29));
}
