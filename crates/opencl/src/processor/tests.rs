use super::*;

#[test]
fn costs_between_sizes() {
    let mut costs = vec![[0.0; KIND_COUNT]; 2];
    (costs[0][place::ITEM], costs[1][place::ITEM]) = (4.0, 1.0);
    let processor = Processor { caches: Vec::new(), groups: vec![2, 16], costs };
    let mut work = [0.0; KIND_COUNT];
    work[place::ITEM] = 10.0;
    let times: Vec<f64> = [1, 2, 4, 8, 16, 64].iter().map(|items| processor.predict(&work, *items)).collect();
    for (found, expected) in times.iter().zip([40.0, 40.0, 30.0, 20.0, 10.0, 10.0]) {
        assert!((found - expected).abs() < 1e-9, "{times:?}");
    }
}

#[test]
fn kinds_have_their_places() {
    assert_eq!(KINDS[place::access(Wait::Real, Move::Near, Move::Far)], "real_near_far");
    assert_eq!(KINDS[place::access(Wait::Whole, Move::Same, Move::Same)], "whole_same_same");
    assert_eq!(KINDS[place::access(Wait::Copy, Move::Far, Move::Far)], "copy_far_far");
    assert_eq!(KINDS[place::access(Wait::Joined, Move::Near, Move::Same)], "joined_near_same");
    assert_eq!(KINDS[place::start_of_loop(Wait::Joined)], "loop_joined");
    assert_eq!(KINDS[place::single(Move::Far)], "single_far");
    assert_eq!(KINDS[place::start_of_loop(Wait::Real)], "loop_real");
    assert_eq!(KINDS[place::OPERATION], "operation");
    assert_eq!(KINDS[place::PAGE], "page");
    assert_eq!(place::LINES.map(|place| KINDS[place]), ["line_1", "line_2"]);
    let of = |count| KINDS[place::elements(count)];
    assert_eq!(
        [1, 2, 3, 5, 6, 8, 32, 60].map(of),
        [
            "elements_1",
            "elements_2",
            "elements_4",
            "elements_4",
            "elements_8",
            "elements_8",
            "elements_32",
            "elements_32"
        ]
    );
}
