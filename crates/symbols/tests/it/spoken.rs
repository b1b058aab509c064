//! Properties in words.

use volvelle_symbols::property_in_words;

#[test]
fn words() {
    for (property, expected) in [
        ("P=? [ F<=T \"full\" ]", "The probability that `\"full\"` is reached up to time `T`"),
        (
            "Pmax>=0.5 [ a U b ]",
            "Whether the largest probability that `a` holds until `b` is reached is at least `0.5`",
        ),
        (
            "P<1 [ G[2,3] x=1 ]",
            "Whether the probability that `x=1` holds all the time between time `2` and `3` is below `1`",
        ),
        ("R{\"lost\"}=? [ C<=10 ]", "The expected `lost` up to time `10`"),
        ("R{\"lost\"}min=? [ F (x=1) ]", "The least expected `lost` until `(x=1)` is reached"),
        ("R=? [ S ]", "The expected reward in the long run"),
        ("S>0.9 [ \"up\" ]", "Whether the share of time in `\"up\"` in the long run is above `0.9`"),
        ("T=? [ F \"full\" ]", "The expected time until `\"full\"` is reached"),
        ("A [ G !\"bad\" ]", "On all paths `!\"bad\"` always holds"),
        (
            "filter(max, P=? [ X x=2 ], x<3)",
            "Of the states with `x<3`, the largest value of: the probability that `x=2` holds in the next state",
        ),
        ("\"named\": (P=? [ !a W b ]);", "The probability that `!a` holds until `b` is reached, or always"),
    ] {
        let found = property_in_words(property, property.len() as u32 / 2);
        assert_eq!(found.map(|(words, _)| words).as_deref(), Some(expected), "{property}");
    }
    for none in ["x + 1", "", "const int N;", "P=? [", "\"one\": ;"] {
        assert_eq!(property_in_words(none, 2), None, "{none}");
    }
    let two = "P=? [ F a ];\nconst int N;\nP=? [ G b ]";
    assert!(property_in_words(two, 30).unwrap().0.contains("`b` always"));
    assert_eq!(property_in_words(two, 18), None);
}
