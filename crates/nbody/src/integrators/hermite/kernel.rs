//! Accelerations and their derivatives.

use crate::gravity::COINCIDENT;
use crate::kernels::{SMALLEST_SQUARE, Sum, Vector, Writer, inverse_root};
use crate::state::VECTOR;
use volvelle_kernel::{Access, Kernel, Type};

/// The record of a body at the time of a step. The mass follows the place, as in all records.
pub(super) const PREDICTED: &[(&str, u64)] =
    &[("place", 3), ("mass", 1), ("velocity", 3), ("acceleration", 3)];
/// Numbers of a record.
pub(super) const WIDTH: usize = 10;
/// The results for a body: acceleration, jerk, and the highest further derivative; then the sums of `m / r^2`
/// and of `m / r^3` without directions, from which rounding errors are bounded.
const PULL: &[(&str, u64)] =
    &[("acceleration", 3), ("jerk", 3), ("highest", 3), ("strength", 1), ("slope", 1)];
/// Numbers of a result.
pub(super) const RESULT: usize = 11;

/// The highest derivative of the acceleration that a kernel computes. Each needs the lower ones of all
/// bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Order {
    /// The first one.
    Jerk,
    /// The second one.
    Snap,
    /// The third one.
    Crackle,
}

/// The acceleration, and its derivatives up to an order, of the bodies that `active` lists (K. Nitadori and
/// J. Makino, *Sixth- and eighth-order Hermite integrator for N-body simulations*, New Astronomy 13, 2008).
pub(super) fn pulls(softened: bool, order: Order) -> Kernel {
    let (has_snap, has_crackle) = (order >= Order::Snap, order == Order::Crackle);
    let writer = &Writer::new(match order {
        Order::Jerk => "jerk",
        Order::Snap => "snap",
        Order::Crackle => "crackle",
    });
    let (first, bodies, softening) =
        (writer.index("first"), writer.index("bodies"), writer.number("softening"));
    let active = writer.indices("active", Type::U32, &[("body", 1)]);
    let predicted = writer.record("predicted", Access::Read, PREDICTED);
    let result = writer.record("result", Access::Write, PULL);
    let body = predicted.at(writer.keep_index(active.at(writer.lane()).index("body")));
    let (place, velocity) =
        (writer.keep_vector(body.vector("place")), writer.keep_vector(body.vector("velocity")));
    let pulled = has_snap.then(|| writer.keep_vector(body.vector("acceleration")));
    let jerks = has_crackle.then(|| writer.record("jerks", Access::Read, VECTOR));
    let own = active.at(writer.lane()).index("body");
    let jerked = jerks.as_ref().map(|jerks| writer.keep_vector(jerks.at(own).vector("vector")));
    let least = writer.keep((softening * softening).max(writer.constant(SMALLEST_SQUARE)));
    let zero = writer.constant(0.0);
    let (acceleration, jerk) = (Sum::new(writer), Sum::new(writer));
    let (second, third) = (Sum::new(writer), Sum::new(writer));
    let (closeness, strength, slope) = (writer.total(), writer.total(), writer.total());
    writer.each(bodies, |j| {
        let other = predicted.at(j);
        let d = writer.keep_vector(other.vector("place") - place);
        let u = writer.keep_vector(other.vector("velocity") - velocity);
        let inverse = writer.keep(inverse_root(writer, writer.keep(d.dot_plus(d, least))));
        let square = writer.keep(inverse * inverse);
        let cube = writer.keep(square * inverse);
        if !softened {
            closeness.add(cube);
        }
        let pull = writer.keep(cube * other.number("mass"));
        // A body is at distance 0 from itself, and does not pull itself.
        let apart = writer.keep(d.dot_plus(d, zero) * inverse);
        strength.add(pull * apart);
        slope.add(pull * (apart * inverse));
        // With A = m d / r^3: J = m u / r^3 - 3 alpha A, where alpha = d u / r^2.
        let alpha = writer.keep(d.dot_plus(u, zero) * square);
        let a = writer.keep_vector(d * pull);
        let minus_three = writer.constant(-3.0);
        let rate = writer.keep_vector(a.mul_add(alpha * minus_three, u * pull));
        let one = writer.constant(1.0);
        acceleration.add_times(d, pull);
        jerk.add_times(rate, one);
        if let Some(pulled) = pulled {
            // S = m w / r^3 - 6 alpha J - 3 beta A, where w is the difference of accelerations, beta = (u^2 + d w) / r^2 + alpha^2.
            let w = writer.keep_vector(other.vector("acceleration") - pulled);
            let beta = writer.keep(u.dot_plus(u, d.dot_plus(w, zero)).mul_add(square, alpha * alpha));
            let part = rate.mul_add(alpha * -6.0, w * pull);
            let snap = writer.keep_vector(a.mul_add(beta * minus_three, part));
            second.add_times(snap, one);
            if let (Some(jerks), Some(jerked)) = (&jerks, jerked) {
                // C = m x / r^3 - 9 alpha S - 9 beta J - 3 gamma A, where x is the difference of jerks, gamma = (3 u w + d x) / r^2
                // + alpha (3 beta - 4 alpha^2).
                let x = writer.keep_vector(jerks.at(j).vector("vector") - jerked);
                let three = writer.constant(3.0);
                let rest = writer.keep(alpha * (beta * three + alpha * alpha * -4.0));
                let gamma = writer.keep((u * three).dot_plus(w, d.dot_plus(x, zero)).mul_add(square, rest));
                let part = rate.mul_add(beta * -9.0, snap.mul_add(alpha * -9.0, x * pull));
                third.add_times(a.mul_add(gamma * minus_three, part), one);
            }
        }
    });
    let row = result.at(writer.lane() - first);
    let mut found = acceleration.value();
    if !softened {
        let nan = writer.constant(f64::NAN);
        let is_alone = closeness.value().is_below(writer.constant(COINCIDENT));
        found = Vector(found.0.map(|component| is_alone.select(component, nan)));
    }
    row.set_vector("acceleration", found);
    row.set_vector("jerk", jerk.value());
    row.set("strength", strength.value());
    row.set("slope", slope.value());
    row.set_vector("highest", if has_crackle { third.value() } else { second.value() });
    writer.take()
}
