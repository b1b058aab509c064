use super::{Matrix, solve};
use dashu_int::IBig;
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_reference::{Random, solve_exactly};

/// A random matrix with diagonal pivots: dominant in its rows. Its size, and the bits of its entries.
fn random_system(random: &mut Random, n: usize, bits: u32) -> (Matrix, Vec<IBig>) {
    let limit = 1usize << bits.min(60);
    let large = |random: &mut Random| {
        let low = IBig::from(random.below(limit));
        if bits > 60 { low << (bits as usize - 60) } else { low }
    };
    let mut matrix: Matrix = Vec::new();
    for i in 0..n {
        let mut row: Vec<(u32, IBig)> = Vec::new();
        let mut sum = IBig::ONE;
        for j in 0..n {
            if j != i && random.one_in(3) {
                let a = large(random);
                sum += &a;
                row.push((j as u32, if random.one_in(2) { -a } else { a }));
            }
        }
        row.push((i as u32, sum + large(random)));
        row.sort_by_key(|e| e.0);
        matrix.push(row);
    }
    let sign = |random: &mut Random, x: IBig| if random.one_in(3) { -x } else { x };
    let right = (0..n).map(|_| {
        let b = large(random);
        sign(random, b)
    });
    (matrix, right.collect())
}

#[test]
fn agrees_with_dense_elimination() {
    let mut random = Random(17);
    for round in 0..120 {
        let n = 1 + random.below(9);
        // Entries of machine words, and beyond.
        let bits = [3, 20, 39, 70][round % 4];
        let (matrix, right) = random_system(&mut random, n, bits);
        let dense: Vec<Vec<RBig>> = matrix
            .iter()
            .map(|row| {
                let mut dense = vec![RBig::ZERO; n];
                row.iter().for_each(|(j, a)| dense[*j as usize] = RBig::from(a.clone()));
                dense
            })
            .collect();
        let expected = solve_exactly(dense, right.iter().cloned().map(RBig::from).collect()).unwrap();
        let found = solve(&matrix, &right, &Control::unlimited()).unwrap();
        for (x, e) in found.numerators.iter().zip(&expected) {
            assert_eq!(
                RBig::from_parts(x.clone(), found.denominator.clone()),
                *e,
                "{n} unknowns, {bits} bits"
            );
        }
    }
}

#[test]
fn fractions_that_share_few_factors() {
    // Diagonal: the unknowns are 1/2, 1/3, 1/5, ... and a zero; every denominator has to be found.
    let primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47];
    let mut matrix: Matrix = (0..15).map(|i| vec![(i, IBig::from(primes[i as usize]))]).collect();
    matrix.push(vec![(15, IBig::from(2))]);
    let mut right = vec![IBig::ONE; 15];
    right.push(IBig::ZERO);
    let found = solve(&matrix, &right, &Control::unlimited()).unwrap();
    for (x, p) in found.numerators.iter().zip(primes) {
        assert_eq!(
            RBig::from_parts(x.clone(), found.denominator.clone()),
            RBig::from_parts(1.into(), (p as u8).into())
        );
    }
    assert_eq!(found.numerators[15], IBig::ZERO);
}

#[test]
fn a_full_rest() {
    // Large enough for the rest to be eliminated as a full matrix; verified by the equations themselves.
    let mut random = Random(5);
    for n in [40, 90] {
        let (matrix, right) = random_system(&mut random, n, 12);
        let found = solve(&matrix, &right, &Control::unlimited()).unwrap();
        let denominator = IBig::from(found.denominator.clone());
        for (row, b) in matrix.iter().zip(&right) {
            let sum: IBig = row.iter().map(|(j, a)| a * &found.numerators[*j as usize]).sum();
            assert_eq!(sum, b * &denominator);
        }
    }
}
