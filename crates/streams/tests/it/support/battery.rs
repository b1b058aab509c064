//! Statistical tests of a source of 32-bit words. Each gives the probability that a perfect source looks at least as odd.
//!
//! The tests are the classical ones: D. E. Knuth, *The Art of Computer Programming*, vol. 2, 3.3.2 (serial, gap,
//! collision, birthday spacings), and NIST SP 800-22 (monobit, runs).

use statrs::distribution::{Binomial, ChiSquared, ContinuousCDF, Discrete, DiscreteCDF, Poisson};
use statrs::function::erf::erfc;

/// A source of words.
pub type Words<'w> = &'w mut dyn FnMut() -> u32;

/// All tests of a source, with their names.
pub fn battery(words: Words<'_>) -> Vec<(&'static str, f64)> {
    vec![
        ("monobit", monobit(words)),
        ("bits one by one", each_bit(words)),
        ("runs", runs(words)),
        ("serial, high bits", serial(words, |w| w >> 26)),
        ("serial, low bits", serial(words, |w| w & 63)),
        ("gaps, high bits", gaps(words, |w| w >> 29 == 0)),
        ("gaps, low bits", gaps(words, |w| w & 7 == 0)),
        ("collisions, high bits", collisions(words, |w| w >> 12)),
        ("collisions, low bits", collisions(words, |w| w & 0xfffff)),
        ("birthday spacings", birthday_spacings(words, |w| w)),
        ("birthday spacings, reversed", birthday_spacings(words, u32::reverse_bits)),
        ("neighbours differ", neighbours(words)),
        ("correlation", correlation(words)),
    ]
}

/// Both tails of the standard normal distribution.
pub fn normal(z: f64) -> f64 {
    erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// Pearson's test of counts against probabilities; counts that are too regular are odd as well.
pub fn chi_square(counts: &[u64], probabilities: impl IntoIterator<Item = f64>) -> f64 {
    let total: u64 = counts.iter().sum();
    let statistic: f64 = counts
        .iter()
        .zip(probabilities)
        .map(|(&count, p)| {
            let expected = p * total as f64;
            assert!(expected >= 5.0, "a cell is too rare: {expected}");
            (count as f64 - expected).powi(2) / expected
        })
        .sum();
    let distribution = ChiSquared::new((counts.len() - 1) as f64).unwrap();
    two_sided(distribution.cdf(statistic), distribution.sf(statistic))
}

fn two_sided(below: f64, above: f64) -> f64 {
    (2.0 * below.min(above)).min(1.0)
}

/// Kolmogorov and Smirnov's test of samples against a distribution function.
pub fn kolmogorov_smirnov(mut samples: Vec<f64>, distribution: impl Fn(f64) -> f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    let n = samples.len() as f64;
    let distance = samples.iter().enumerate().fold(0f64, |d, (i, &x)| {
        let p = distribution(x);
        d.max((p - i as f64 / n).abs()).max(((i + 1) as f64 / n - p).abs())
    });
    let lambda = distance * (n.sqrt() + 0.12 + 0.11 / n.sqrt());
    let series = |j: i32| {
        let sign = if j % 2 == 1 { 2.0 } else { -2.0 };
        sign * (-2.0 * lambda * lambda * f64::from(j * j)).exp()
    };
    // For a small distance the series does not converge; the probability is one.
    if lambda < 0.2 { 1.0 } else { (1..100).map(series).sum::<f64>().clamp(0.0, 1.0) }
}

fn monobit(words: Words<'_>) -> f64 {
    let n = 1u64 << 19;
    let ones: u64 = (0..n).map(|_| u64::from(words().count_ones())).sum();
    let bits = (32 * n) as f64;
    normal((ones as f64 - bits / 2.0) / (bits / 4.0).sqrt())
}

/// Each of the 32 bits is set half of the time.
fn each_bit(words: Words<'_>) -> f64 {
    let n = 1u64 << 18;
    let mut ones = [0u64; 32];
    for _ in 0..n {
        let word = words();
        for (bit, count) in ones.iter_mut().enumerate() {
            *count += u64::from(word >> bit & 1);
        }
    }
    let deviation = |ones: u64| (ones as f64 - n as f64 / 2.0).powi(2) / (n as f64 / 4.0);
    let statistic: f64 = ones.into_iter().map(deviation).sum();
    let distribution = ChiSquared::new(32.0).unwrap();
    two_sided(distribution.cdf(statistic), distribution.sf(statistic))
}

fn runs(words: Words<'_>) -> f64 {
    let n = 1u64 << 19;
    let (mut ones, mut changes, mut last) = (0u64, 0u64, words() & 1);
    for _ in 0..n {
        let word = words();
        ones += u64::from(word.count_ones());
        // Bits that differ from the one above, and the highest from the lowest of the word before.
        changes += u64::from((word ^ (word >> 1 | last << 31)).count_ones());
        last = word & 1;
    }
    let bits = (32 * n) as f64;
    let share = ones as f64 / bits;
    let spread = share * (1.0 - share);
    erfc((changes as f64 - 2.0 * bits * spread).abs() / (2.0 * (2.0 * bits).sqrt() * spread))
}

/// Pairs of 6 bits each.
fn serial(words: Words<'_>, six: impl Fn(u32) -> u32) -> f64 {
    let mut counts = vec![0u64; 4096];
    for _ in 0..1 << 18 {
        let (first, second) = (six(words()), six(words()));
        counts[(first << 6 | second) as usize] += 1;
    }
    chi_square(&counts, vec![1.0 / 4096.0; 4096])
}

/// How many words pass between two that have a property of probability 1/8.
fn gaps(words: Words<'_>, has_it: impl Fn(u32) -> bool) -> f64 {
    const LONGEST: usize = 40;
    let mut counts = [0u64; LONGEST + 1];
    for _ in 0..1 << 16 {
        let mut gap = 0;
        // A source that never has the property ends here too.
        while gap < 100_000 && !has_it(words()) {
            gap += 1;
        }
        counts[gap.min(LONGEST)] += 1;
    }
    let p: f64 = 1.0 / 8.0;
    let shorter = (0..LONGEST).map(|gap| p * (1.0 - p).powi(gap as i32));
    chi_square(&counts, shorter.chain([(1.0 - p).powi(LONGEST as i32)]))
}

/// How many of 2^16 balls fall into urns, of 2^20, that are not empty.
fn collisions(words: Words<'_>, urn: impl Fn(u32) -> u32) -> f64 {
    const ROUNDS: usize = 8;
    let (balls, urns) = (1 << 16, 1 << 20);
    let mut total = 0;
    for _ in 0..ROUNDS {
        let mut occupied = vec![false; urns];
        for _ in 0..balls {
            total += std::mem::replace(&mut occupied[urn(words()) as usize], true) as u64;
        }
    }
    let (m, n) = (balls as f64, urns as f64);
    let (one, two) = ((m * (-1.0 / n).ln_1p()).exp(), (m * (-2.0 / n).ln_1p()).exp());
    let mean = m - n + n * one;
    let variance = n * (n - 1.0) * two + n * one - (n * one).powi(2);
    normal((total as f64 - ROUNDS as f64 * mean) / (ROUNDS as f64 * variance).sqrt())
}

/// How often the distances between 2^12 birthdays in a year of 2^32 days are equal: Poisson with mean 4.
fn birthday_spacings(words: Words<'_>, day: impl Fn(u32) -> u32) -> f64 {
    const ROUNDS: usize = 100;
    let mut equal = 0;
    for _ in 0..ROUNDS {
        let mut days: Vec<u32> = (0..1 << 12).map(|_| day(words())).collect();
        days.sort_unstable();
        let mut spacings: Vec<u32> = days.windows(2).map(|pair| pair[1] - pair[0]).collect();
        spacings.sort_unstable();
        equal += spacings.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
    }
    let distribution = Poisson::new(4.0 * ROUNDS as f64).unwrap();
    let at_least = if equal == 0 { 1.0 } else { distribution.sf(equal - 1) };
    two_sided(distribution.cdf(equal), at_least)
}

/// The number of bits in which each word differs from the previous one.
fn neighbours(words: Words<'_>) -> f64 {
    let binomial = Binomial::new(0.5, 32).unwrap();
    // Fewer than 7 or more than 25 are rare.
    let cell = |differing: u32| (differing.clamp(6, 26) - 6) as usize;
    let mut probabilities = [0.0; 21];
    for differing in 0..=32 {
        probabilities[cell(differing)] += binomial.pmf(differing.into());
    }
    let mut counts = [0u64; 21];
    let mut last = words();
    for _ in 0..1 << 18 {
        let word = words();
        counts[cell((word ^ last).count_ones())] += 1;
        last = word;
    }
    chi_square(&counts, probabilities)
}

/// Of words, as numbers of the unit interval, with those before.
fn correlation(words: Words<'_>) -> f64 {
    let unit = |word: u32| f64::from(word) / 2f64.powi(32) - 0.5;
    let n = 1 << 18;
    let mut last = unit(words());
    let mut sum = 0.0;
    for _ in 0..n {
        let number = unit(words());
        sum += number * last;
        last = number;
    }
    // The variance of a product is (1/12)^2.
    normal(sum * 12.0 / f64::from(n).sqrt())
}
