//! The motion of one body: prediction, correction, and the length of its next step.

/// A vector.
pub(super) type Vector = [f64; 3];

/// The pull of all others on a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pull {
    /// Acceleration, jerk, and the highest further derivative that was requested.
    pub(super) derivatives: [Vector; 3],
    /// The sum of `m / r^2` without directions.
    pub(super) strength: f64,
    /// The sum of `m / r^3`.
    pub(super) slope: f64,
}

/// The state of a body at its own time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Motion {
    pub(super) place: Vector,
    pub(super) velocity: Vector,
    /// The acceleration and its first three derivatives.
    pub(super) derivatives: [Vector; 4],
    /// A bound of the rounding error of the acceleration.
    pub(super) error: f64,
    /// Bounds of the rounding errors of the second and third derivatives, which come from differences of
    /// accelerations.
    pub(super) errors: [f64; 2],
}

/// Relative rounding errors of the pull on a body (see [`crate::Arithmetic::Portable`]), and of places.
const ROUNDING: [f64; 2] = [4e-15, f64::EPSILON];

fn each(f: impl Fn(usize) -> f64) -> Vector {
    [f(0), f(1), f(2)]
}

fn norm(vector: &Vector) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl Motion {
    /// Place and velocity after a time `h`, from the acceleration and its first derivative.
    pub(super) fn predicted(&self, h: f64) -> (Vector, Vector) {
        let [a, j, ..] = &self.derivatives;
        let (x, v) = (&self.place, &self.velocity);
        let place = each(|k| x[k] + h * (v[k] + h * (a[k] / 2.0 + h * j[k] / 6.0)));
        (place, each(|k| v[k] + h * (a[k] + h * j[k] / 2.0)))
    }

    /// Place and velocity after a time `h` within the next step, from all known derivatives.
    pub(super) fn extrapolated(&self, h: f64) -> (Vector, Vector) {
        let [_, _, s, c] = &self.derivatives;
        let (x, v) = self.predicted(h);
        let (h3, h4) = (h * h * h, h * h * h * h);
        let place = each(|k| x[k] + h4 * (s[k] / 24.0 + h * c[k] / 120.0));
        (place, each(|k| v[k] + h3 * (s[k] / 6.0 + h * c[k] / 24.0)))
    }

    /// The motion after a step. At its end, acceleration and jerk are known at the predicted place (J. Makino
    /// and S. J. Aarseth 1992, equations 4 to 9).
    pub(super) fn corrected(&self, h: f64, pull: &Pull) -> Motion {
        let [acceleration, jerk, _] = pull.derivatives;
        let [a, j, ..] = &self.derivatives;
        let (x, v) = self.predicted(h);
        let second = each(|k| (-6.0 * (a[k] - acceleration[k]) - h * (4.0 * j[k] + 2.0 * jerk[k])) / (h * h));
        let third = each(|k| (12.0 * (a[k] - acceleration[k]) + 6.0 * h * (j[k] + jerk[k])) / (h * h * h));
        let (h3, h4) = (h * h * h, h * h * h * h);
        let error = self.rounding(pull);
        let both = self.error + error;
        Motion {
            error,
            errors: [6.0 * both / (h * h), 12.0 * both / h3],
            place: each(|k| x[k] + h4 * (second[k] / 24.0 + h * third[k] / 120.0)),
            velocity: each(|k| v[k] + h3 * (second[k] / 6.0 + h * third[k] / 24.0)),
            derivatives: [acceleration, jerk, each(|k| second[k] + h * third[k]), third],
        }
    }

    /// A bound of the rounding error of an acceleration.
    pub(super) fn rounding(&self, pull: &Pull) -> f64 {
        let [of_pulls, of_places] = ROUNDING;
        of_pulls * pull.strength + of_places * norm(&self.place) * pull.slope
    }

    /// The step by Aarseth's criterion (S. J. Aarseth, *Direct methods for N-body simulations*, in: Multiple
    /// Time Scales, 1985); infinite for a body without acceleration.
    ///
    /// Derivatives that may be rounding errors only are ignored. Otherwise, where pulls cancel out, as in the
    /// centre of a symmetric system, steps would become shorter and shorter.
    pub(super) fn step(&self, accuracy: f64) -> f64 {
        let [a, j, s, c] = self.derivatives.each_ref().map(norm);
        let (s, c) = ((s - self.errors[0]).max(0.0), (c - self.errors[1]).max(0.0));
        let step = (accuracy * (a * s + j * j) / (j * c + s * s)).sqrt();
        if step.is_nan() { f64::INFINITY } else { step }
    }

    /// Whether all is known.
    pub(super) fn is_finite(&self) -> bool {
        let vectors = [&self.place, &self.velocity].into_iter().chain(&self.derivatives);
        vectors.flatten().all(|x| x.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A motion along the first axis whose place is a polynomial of degree five; its acceleration is one of degree three.
    fn polynomial(t: f64) -> (f64, f64, [f64; 4]) {
        let x = |d: u32| {
            let mut sum = 0.0;
            for (power, c) in [3.0, -1.0, 2.0, 0.5, -0.25, 0.125].into_iter().enumerate() {
                let power = power as u32;
                if power >= d {
                    let factor: f64 = (power - d + 1..=power).map(f64::from).product();
                    sum += c * factor * t.powi((power - d) as i32);
                }
            }
            sum
        };
        (x(0), x(1), [x(2), x(3), x(4), x(5)])
    }

    fn motion(t: f64) -> Motion {
        let (x, v, derivatives) = polynomial(t);
        let along = |x: f64| [x, 0.0, 0.0];
        Motion {
            place: along(x),
            velocity: along(v),
            derivatives: derivatives.map(along),
            ..Motion::default()
        }
    }

    #[test]
    fn polynomials_of_degree_five_are_exact() {
        let (start, end) = (motion(0.3), motion(0.8));
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-13, "{a} instead of {b}");
        let [a, j, ..] = end.derivatives;
        let pull = Pull { derivatives: [a, j, [0.0; 3]], strength: 1.0, slope: 1.0 };
        let corrected = start.corrected(0.5, &pull);
        let (place, velocity) = start.extrapolated(0.5);
        for found in [corrected.place[0], place[0]] {
            near(found, end.place[0]);
        }
        for found in [corrected.velocity[0], velocity[0]] {
            near(found, end.velocity[0]);
        }
        for order in 0..4 {
            near(corrected.derivatives[order][0], end.derivatives[order][0]);
        }
    }

    #[test]
    fn steps_follow_the_time_scale() {
        // A circle with angular frequency 2: all ratios of derivatives are its powers.
        let derivatives = [[4.0, 0.0, 0.0], [0.0, 8.0, 0.0], [16.0, 0.0, 0.0], [0.0, 32.0, 0.0]];
        let motion = Motion { derivatives, ..Motion::default() };
        assert!((motion.step(0.01) - 0.05).abs() < 1e-15);
        assert_eq!(Motion::default().step(0.01), f64::INFINITY);
    }
}
