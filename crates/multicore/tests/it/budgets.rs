//! Predictors within a number of bits.

use volvelle_multicore::Specification;

#[test]
fn the_largest_that_fits_is_taken() {
    let within = |name: &str, bits| {
        let whole = Specification::parse(name).expect("a name");
        whole.within(bits).map(|scaled| (scaled.name, scaled.kind.bits()))
    };
    assert_eq!(within("gag-4", 32768), Ok(("gag-14".into(), 32768)));
    assert_eq!(within("gag-4", 32767), Ok(("gag-13".into(), 16384)));
    assert_eq!(within("perceptron-8", 32768), Ok(("perceptron-8-vectors-455".into(), 32760)));
    assert_eq!(within("oracle", 1), Ok(("oracle".into(), 0)));
    assert_eq!(
        within("perceptron-8", 71).map_err(|found| found.helps),
        Err(vec!["its smallest form takes 72".into()])
    );
    for name in ["tage", "tage-sc-l", "hashed", "pag-10", "tournament-12"] {
        let (_, bits) = within(name, 100_000).expect("it fits");
        assert!((25_000..=100_000).contains(&bits), "{name} {bits}");
    }
}
