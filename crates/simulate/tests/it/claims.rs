//! Claims of blocks of paths.

use volvelle_random::Random;
use volvelle_simulate::sample::claims::Claims;

#[test]
fn every_block_is_taken_once_whatever_comes_back() {
    let mut random = Random(5);
    for _ in 0..200 {
        let blocks = random.below(300) as u64;
        let claims = Claims::new(blocks);
        let mut run = vec![0; blocks as usize];
        let mut number = |below| random.below(below) as u64;
        while let Some(range) = claims.take(1 + number(40), number(10), 1 + number(4)) {
            if number(3) == 0 {
                claims.give_back(range);
            } else {
                range.for_each(|block| run[block as usize] += 1);
            }
        }
        assert!(claims.are_gone() && run.iter().all(|&times| times == 1));
    }
}

#[test]
fn claims_shrink_where_there_are_others() {
    let claims = Claims::new(1000);
    let mut sizes = Vec::new();
    while let Some(range) = claims.take(400, 50, 2) {
        sizes.push(range.end - range.start);
    }
    assert_eq!(sizes[0], 250);
    assert!(sizes.windows(2).all(|w| w[1] <= w[0]), "{sizes:?}");
    assert!(*sizes.last().unwrap() <= 50);
    assert_eq!(sizes.iter().sum::<u64>(), 1000);
    // Where little is enough, the last claims are small.
    let claims = Claims::new(1000);
    let last = std::iter::from_fn(|| claims.take(400, 2, 2)).last().expect("there are some");
    assert!(last.end - last.start <= 2, "{last:?}");
}

#[test]
fn what_came_back_goes_first_the_earliest_first() {
    let claims = Claims::new(100);
    let (a, b) = (claims.take(10, 1, 1).unwrap(), claims.take(10, 1, 1).unwrap());
    claims.give_back(b);
    claims.give_back(a);
    assert_eq!(claims.take(4, 1, 1), Some(0..4));
    assert_eq!(claims.take(40, 1, 1), Some(4..10));
    assert_eq!(claims.take(40, 1, 1), Some(10..20));
    assert_eq!(claims.take(40, 1, 1), Some(20..60));
}
