//! Integrals of smooth functions by the rule of Gauss and Legendre.

/// Positive nodes in [-1, 1] and their weights, twelve points: exact for polynomials of degree 23.
const NODES: [(f64, f64); 6] = [
    (0.981_560_634_246_719_2, 0.047_175_336_386_511_83),
    (0.904_117_256_370_474_9, 0.106_939_325_995_318_43),
    (0.769_902_674_194_304_7, 0.160_078_328_543_346_22),
    (0.587_317_954_286_617_5, 0.203_167_426_723_065_92),
    (0.367_831_498_998_180_2, 0.233_492_536_538_354_8),
    (0.125_233_408_511_468_9, 0.249_147_045_813_402_77),
];

/// The integral of `f` over `[from, to]`, by one application of the rule.
pub(super) fn gauss(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (centre, half) = (0.5 * (from + to), 0.5 * (to - from));
    let mut sum = 0.0;
    for (node, weight) in NODES {
        sum += weight * (f(centre - half * node) + f(centre + half * node));
    }
    sum * half
}

#[cfg(test)]
mod tests {
    use super::gauss;

    #[test]
    fn polynomials_up_to_the_degree_are_exact() {
        for degree in 0..24 {
            let exact = 1.0 / f64::from(degree + 1);
            assert!((gauss(0.0, 1.0, |x| x.powi(degree)) - exact).abs() < 1e-15, "{degree}");
        }
        // One degree more is not: the test can fail.
        assert!((gauss(-10.0, 10.0, |x| x.powi(24)) / (2.0 * 10f64.powi(25) / 25.0) - 1.0).abs() > 1e-9);
    }

    #[test]
    fn decaying_exponentials() {
        assert!((gauss(0.0, 2.0, |x| (-x).exp()) - (1.0 - (-2f64).exp())).abs() < 1e-15);
    }
}
