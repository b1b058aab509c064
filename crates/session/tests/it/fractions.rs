//! Fractions in few words.

use dashu_ratio::RBig;
use volvelle_logic::Ratio;
use volvelle_session::fractions::{describe, short, short_or_about};

#[test]
fn short_and_long() {
    let third = Ratio::from(RBig::from_parts(1.into(), 3u8.into()));
    assert_eq!(short(&third).as_deref(), Some("1/3"));
    assert_eq!(short(&Ratio::Infinity).as_deref(), Some("inf"));
    let power = RBig::from(dashu_int::IBig::from(3).pow(2000));
    let long = Ratio::from(RBig::ONE / &power);
    assert_eq!(short(&long), None);
    assert_eq!(describe(&long), "a fraction of 1 by 955 digits");
    assert_eq!(describe(&power.into()), "an integer of 955 digits");
    assert_eq!(short_or_about(&third), "1/3");
    let near = RBig::from_parts(dashu_int::IBig::from(10).pow(60), dashu_int::UBig::from(3u8).pow(127));
    assert!(short_or_about(&near.into()).starts_with("about 0.2544"), "a fraction that is long");
}
