//! Streams look random, one by one and across neighbouring paths and seeds; what is known to be broken does not.

use crate::support::battery::{Words, battery, chi_square, kolmogorov_smirnov};
use volvelle_streams::Generator;
use volvelle_streams::plain::PlainStream;

/// Below this, an outcome is not put down to chance. Seeds are fixed, so that what passes once always does.
const ODD: f64 = 1e-6;

fn passes(name: &str, words: Words<'_>) {
    for (test, p) in battery(words) {
        assert!(p > ODD, "{name}: {test} {p:e}");
    }
}

/// Tests that a source fails.
fn failures(words: Words<'_>) -> Vec<&'static str> {
    battery(words).into_iter().filter(|(_, p)| *p <= ODD).map(|(test, _)| test).collect()
}

#[test]
fn single_streams() {
    for generator in Generator::ALL {
        for (seed, path) in [(0, 0), (1, 0), (0, 1), (u64::MAX, 1 << 40)] {
            let mut stream = PlainStream::new(generator, seed, path);
            passes(&format!("{generator} {seed} {path}"), &mut || stream.bits32());
            let mut stream = PlainStream::new(generator, seed, path);
            passes(&format!("{generator} {seed} {path}, low halves"), &mut || stream.bits64() as u32);
        }
    }
}

/// The first `draws` words of one stream after the other.
fn interleaved(draws: usize, stream: impl Fn(u64) -> PlainStream) -> impl FnMut() -> u32 {
    let mut number = 0;
    let mut current = stream(0);
    let mut left = draws;
    move || {
        if left == 0 {
            number += 1;
            current = stream(number);
            left = draws;
        }
        left -= 1;
        current.bits32()
    }
}

#[test]
fn neighbouring_paths() {
    for generator in Generator::ALL {
        for draws in [1, 2, 5] {
            for seed in [0, 12345] {
                let mut words = interleaved(draws, |path| PlainStream::new(generator, seed, path));
                passes(&format!("{generator}, paths of {draws} with seed {seed}"), &mut words);
            }
        }
        // Far apart, in steps that are powers of two.
        let mut words = interleaved(1, |path| PlainStream::new(generator, 1, path << 32));
        passes(&format!("{generator}, paths apart"), &mut words);
    }
}

#[test]
fn neighbouring_seeds() {
    for generator in Generator::ALL {
        for draws in [1, 3] {
            for path in [0, 7] {
                let mut words = interleaved(draws, |seed| PlainStream::new(generator, seed, path));
                passes(&format!("{generator}, seeds of {draws} with path {path}"), &mut words);
            }
        }
        // Seed and path change together.
        let mut words = interleaved(1, |n| PlainStream::new(generator, n, n));
        passes(&format!("{generator}, seed and path"), &mut words);
        let mut words = interleaved(1, |n| PlainStream::new(generator, n, n.wrapping_neg()));
        passes(&format!("{generator}, seed against path"), &mut words);
    }
}

/// A bad source, which the battery must reject.
fn is_found_out(name: &str, least: usize, mut words: impl FnMut() -> u32) {
    let found = failures(&mut words);
    assert!(found.len() >= least, "{name}: only {found:?}");
}

#[test]
fn broken_generators_are_found_out() {
    // A linear congruential generator of 32 bits: its low bits have short periods.
    let mut lcg = 1u32;
    is_found_out("lcg", 4, || {
        lcg = lcg.wrapping_mul(1664525).wrapping_add(1013904223);
        lcg
    });
    // Too regular: an additive sequence.
    let mut weyl = 0u32;
    is_found_out("weyl", 6, || {
        weyl = weyl.wrapping_add(0x9e37_79b9);
        weyl
    });
    // The lowest bit of every fourth word is always set.
    let (mut stream, mut n) = (PlainStream::new(Generator::Xoshiro128PlusPlus, 0, 0), 0u32);
    is_found_out("biased bit", 1, || {
        n += 1;
        stream.bits32() | (n % 4 == 0) as u32
    });
}

/// A good generator whose streams begin with seed and path number as they are: neighbouring streams are alike.
#[test]
fn streams_without_mixing_are_found_out() {
    fn xorshift128(state: &mut [u32; 4]) -> u32 {
        let t = state[3] ^ state[3] << 11;
        state.rotate_right(1);
        state[0] = state[1] ^ state[1] >> 19 ^ t ^ t >> 8;
        state[0]
    }
    let mut alone = [1, 2, 3, 4];
    for _ in 0..100 {
        xorshift128(&mut alone);
    }
    // Alone it has no more than its linearity to hide, which these tests do not see.
    assert_eq!(failures(&mut || xorshift128(&mut alone)), Vec::<&str>::new());
    let mut path = 0;
    is_found_out("xorshift128 without mixing", 5, || {
        let mut state = [path, 0, 12345, 67890];
        path += 1;
        for _ in 0..3 {
            xorshift128(&mut state);
        }
        xorshift128(&mut state)
    });
}

/// Values below a bound, in cells of nearly equal size.
fn uniform(total: u64, mut draw: impl FnMut() -> u64) -> f64 {
    const CELLS: u64 = 997;
    let samples = 400_000;
    let cells = total.min(CELLS) as usize;
    let mut counts = vec![0u64; cells];
    for _ in 0..samples {
        let value = draw();
        assert!(value < total);
        counts[(u128::from(value) * cells as u128 / u128::from(total)) as usize] += 1;
    }
    // The exact share of each cell: its number of values.
    let start = |cell: u128| (cell * u128::from(total)).div_ceil(cells as u128);
    let share = |cell: usize| (start(cell as u128 + 1) - start(cell as u128)) as f64 / total as f64;
    chi_square(&counts, (0..cells).map(share))
}

/// Remainders of values below a bound, which show a draw without correction as it is.
fn remainders(total: u64, modulus: u64, mut draw: impl FnMut() -> u64) -> f64 {
    let mut counts = vec![0u64; modulus as usize];
    for _ in 0..400_000 {
        counts[(draw() % modulus) as usize] += 1;
    }
    let share = |rest: u64| (total / modulus + (rest < total % modulus) as u64) as f64 / total as f64;
    chi_square(&counts, (0..modulus).map(share))
}

#[test]
fn integers_below_a_bound() {
    let near =
        [(1u64 << 31) - 1, 1 << 31, (1 << 31) + 1, 3 << 30, (3 << 30) - 1, 3_000_000_000, (1 << 32) - 1];
    let small = [2, 3, 5, 7, 100, 1000, 65537, 1_000_003];
    let wide = [(1u64 << 33) + 1, 10_u64.pow(15), (1 << 62) + 1, 3 << 61, (1 << 63) - 1];
    for generator in Generator::ALL {
        for (i, &total) in near.iter().chain(&small).enumerate() {
            let mut stream = PlainStream::new(generator, 42, i as u64);
            let p = uniform(total, || stream.below32(total as u32).into());
            assert!(p > ODD, "{generator} below {total}: {p:e}");
            if total > 1000 {
                for modulus in [3, 4, 7] {
                    let p = remainders(total, modulus, || stream.below32(total as u32).into());
                    assert!(p > ODD, "{generator} below {total} mod {modulus}: {p:e}");
                }
            }
        }
        for (i, &total) in wide.iter().chain(&small).enumerate() {
            let mut stream = PlainStream::new(generator, 43, i as u64);
            let p = uniform(total, || stream.below64(total));
            assert!(p > ODD, "{generator} below {total}: {p:e}");
            if total > 1000 {
                for modulus in [3, 4, 7] {
                    let p = remainders(total, modulus, || stream.below64(total));
                    assert!(p > ODD, "{generator} below {total} mod {modulus}: {p:e}");
                }
            }
        }
    }
}

/// What the correction is for: a product without it favours every third value.
#[test]
fn a_draw_without_correction_is_found_out() {
    let total = 3u64 << 30;
    let mut stream = PlainStream::new(Generator::Philox4x32, 0, 0);
    let p = remainders(total, 3, || (u64::from(stream.bits32()) * total) >> 32);
    assert!(p < ODD, "{p:e}");
}

#[test]
fn floats_have_their_distributions() {
    const SAMPLES: usize = 300_000;
    for generator in Generator::ALL {
        for seed in 0..3 {
            let mut stream = PlainStream::new(generator, seed, 9);
            let units: Vec<f64> = (0..SAMPLES).map(|_| stream.unit()).collect();
            assert!(units.iter().all(|u| (0.0..1.0).contains(u)));
            let p = kolmogorov_smirnov(units, |x| x);
            assert!(p > ODD, "{generator}, unit: {p:e}");
            let times: Vec<f64> = (0..SAMPLES).map(|_| stream.exponential()).collect();
            assert!(times.iter().all(|t| (0.0..=37.5).contains(t)));
            let p = kolmogorov_smirnov(times, |t| -(-t).exp_m1());
            assert!(p > ODD, "{generator}, exponential: {p:e}");
            // The first one of each path.
            let first = |path| PlainStream::new(generator, seed, path).exponential();
            let p = kolmogorov_smirnov((0..SAMPLES as u64).map(first).collect(), |t| -(-t).exp_m1());
            assert!(p > ODD, "{generator}, first exponentials: {p:e}");
        }
    }
    // A mean that is off by 1.5 % is found out.
    let mut stream = PlainStream::new(Generator::default(), 0, 0);
    let slow: Vec<f64> = (0..SAMPLES).map(|_| stream.exponential() * 1.015).collect();
    let p = kolmogorov_smirnov(slow, |t| -(-t).exp_m1());
    assert!(p < ODD, "{p:e}");
}
