//! Sets of packed states.

use volvelle_tune::search::states::StateSet;

#[test]
fn every_state_is_kept_once() {
    let mut set = StateSet::new(2);
    for round in 0..2 {
        for n in 0..5000u64 {
            assert_eq!(set.insert(&[n % 70, n / 70]), round == 0, "{n}");
        }
    }
    assert_eq!(set.len(), 5000);
    assert_eq!((set.find(&[69, 2]), set.find(&[70, 2])), (Some(69 + 2 * 70), None));
    assert_eq!(set.batch(4999, 10), [4999 % 70, 4999 / 70]);
}
