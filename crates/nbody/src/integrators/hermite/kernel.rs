//! Accelerations and their derivatives.

use crate::gravity::COINCIDENT;
use crate::kernels::{SMALLEST_SQUARE, Sum, Vector, Writer, inverse_root};
use volvelle_kernel::{Access, Kernel, Type};

/// The record of a body at the time of a step. The mass is behind the place, as everywhere.
pub(super) const PREDICTED: &[(&str, u64)] =
    &[("place", 3), ("mass", 1), ("velocity", 3), ("acceleration", 3)];
/// Numbers of a record.
pub(super) const WIDTH: usize = 10;
/// What is computed of a body.
const PULL: &[(&str, u64)] = &[("acceleration", 3), ("jerk", 3), ("snap", 3)];
/// Numbers of a result.
pub(super) const RESULT: usize = 9;

/// The acceleration of the bodies that `active` lists, and its first derivative; with `snap` also its second one (K. Nitadori and J.
/// Makino, *Sixth- and eighth-order Hermite integrator for N-body simulations*, New Astronomy 13, 2008), for which the accelerations of all
/// must be known.
pub(super) fn pulls(softened: bool, snap: bool) -> Kernel {
    let writer = &Writer::new(if snap { "snap" } else { "jerk" });
    let (first, bodies, softening) =
        (writer.index("first"), writer.index("bodies"), writer.number("softening"));
    let active = writer.indices("active", Type::U32, &[("body", 1)]);
    let predicted = writer.record("predicted", Access::Read, PREDICTED);
    let result = writer.record("result", Access::Write, PULL);
    let body = predicted.at(writer.keep_index(active.at(writer.lane()).index("body")));
    let (place, velocity) =
        (writer.keep_vector(body.vector("place")), writer.keep_vector(body.vector("velocity")));
    let pulled = snap.then(|| writer.keep_vector(body.vector("acceleration")));
    let least = writer.keep((softening * softening).max(writer.constant(SMALLEST_SQUARE)));
    let zero = writer.constant(0.0);
    let (acceleration, jerk, second) = (Sum::new(writer), Sum::new(writer), Sum::new(writer));
    let closeness = writer.total();
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
            second.add_times(a.mul_add(beta * minus_three, part), one);
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
    row.set_vector("snap", second.value());
    writer.take()
}
