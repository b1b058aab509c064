//! Bounds of costs as sums of doubles meet them.

use dashu_ratio::RBig;
use volvelle_logic::{CostBound, Counted, Limit, RewardId};
use volvelle_simulate::amounts::amount;

#[test]
fn ends_of_bounds() {
    let limit =
        |tenths: i64, strict| Some(Limit { amount: RBig::from_parts(tenths.into(), 10u8.into()), strict });
    let of = |counted, lower, upper| amount(&CostBound { counted, lower, upper });
    let holds = |counted, lower, upper, sum: f64| {
        let amount = of(counted, lower, upper);
        amount.lower <= sum && sum <= amount.upper
    };
    let reward = Counted::Reward(RewardId(0));
    let three = 0.1 + 0.1 + 0.1;
    assert!(three > 0.3 && holds(reward, None, limit(3, false), three));
    assert!(!holds(reward, None, limit(3, true), three) && !holds(reward, limit(3, true), None, three));
    let eight: f64 = (0..8).map(|_| 0.1).sum();
    assert!(eight < 0.8 && holds(reward, limit(8, false), None, eight));
    assert!(!holds(reward, None, limit(0, true), 0.0) && holds(reward, None, limit(0, false), 0.0));
    assert!(!holds(reward, limit(0, true), None, 0.0) && holds(reward, limit(0, true), None, 1e-300));
    assert!(!holds(reward, None, limit(-10, false), 0.0) && holds(reward, limit(-10, true), None, 0.0));
    for (tenths, strict, most) in [(25, false, 2.0), (25, true, 2.0), (20, true, 1.0), (20, false, 2.0)] {
        assert!(holds(Counted::Steps, None, limit(tenths, strict), most));
        assert!(!holds(Counted::Steps, None, limit(tenths, strict), most + 1.0));
    }
    for (tenths, strict, least) in [(25, false, 3.0), (25, true, 3.0), (20, true, 3.0), (20, false, 2.0)] {
        assert!(holds(Counted::Steps, limit(tenths, strict), None, least));
        assert!(!holds(Counted::Steps, limit(tenths, strict), None, least - 1.0));
    }
}
