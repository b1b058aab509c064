//! The sum over all pairs.

use crate::kernels::{
    Index, Number, Record, SMALLEST_SQUARE, Sum, Vector, Writer, inverse_cube, inverse_root,
    times_inverse_cube,
};
use crate::state::{BODY, VECTOR};
use volvelle_kernel::{Access, Kernel};

/// The sum of `square^(-3/2)` beyond which two bodies are at the same place: more than one of them is [`SMALLEST_SQUARE`].
pub(crate) const COINCIDENT: f64 = 1.5e270;

/// Accelerations by all bodies. Without softening (`softened` is false), the acceleration of a body at the
/// place of another one is NaN.
pub(crate) fn acceleration(softened: bool) -> Kernel {
    let writer = &Writer::new("acceleration");
    let (first, bodies, softening) =
        (writer.index("first"), writer.index("bodies"), writer.number("softening"));
    let position = writer.record("position", Access::Read, BODY);
    let acceleration = writer.record("acceleration", Access::Write, VECTOR);
    let result = pull_on(writer, position, writer.lane(), bodies, softening, softened);
    acceleration.at(writer.lane() - first).set_vector("vector", result);
    writer.take()
}

/// The acceleration of a body by all bodies.
pub(crate) fn pull_on<'w>(
    writer: &'w Writer,
    position: Record<'w>,
    body: Index<'w>,
    bodies: Index<'w>,
    softening: Number<'w>,
    softened: bool,
) -> Vector<'w> {
    let own = writer.keep_vector(position.at(body).vector("place"));
    // A body is pulled by itself with a finite force times no distance.
    let least = writer.keep((softening * softening).max(writer.constant(SMALLEST_SQUARE)));
    let (sum, closeness) = (Sum::new(writer), writer.total());
    sum.clear();
    if !softened {
        closeness.clear();
    }
    writer.each(bodies, |j| {
        let other = position.at(j);
        let towards = writer.keep_vector(other.vector("place") - own);
        let square = writer.keep(towards.dot_plus(towards, least));
        let pull = if softened {
            times_inverse_cube(writer, other.number("mass"), square)
        } else {
            let cube = writer.keep(inverse_cube(writer, square));
            closeness.add(cube);
            cube * other.number("mass")
        };
        sum.add_times(towards, writer.keep(pull));
    });
    let result = sum.value();
    if softened {
        return result;
    }
    let nan = writer.constant(f64::NAN);
    let is_alone = closeness.value().is_below(writer.constant(COINCIDENT));
    Vector(result.0.map(|component| is_alone.select(component, nan)))
}

/// Potentials (energy per mass) by all other bodies.
pub(crate) fn potential() -> Kernel {
    let writer = &Writer::new("potential");
    let (first, bodies, softening) =
        (writer.index("first"), writer.index("bodies"), writer.number("softening"));
    let position = writer.record("position", Access::Read, BODY);
    let potential = writer.record("potential", Access::Write, &[("potential", 1)]);
    let own = writer.keep_vector(position.at(writer.lane()).vector("place"));
    let least = writer.keep((softening * softening).max(writer.constant(SMALLEST_SQUARE)));
    let sum = writer.total();
    writer.each(bodies, |j: Index<'_>| {
        let other = position.at(j);
        let towards = writer.keep_vector(other.vector("place") - own);
        let square = writer.keep(towards.dot_plus(towards, least));
        let depth = writer.keep(inverse_root(writer, square) * other.number("mass"));
        let zero = writer.constant(0.0);
        sum.add(j.is(writer.lane()).select(zero, depth));
    });
    potential.at(writer.lane() - first).set("potential", -sum.value());
    writer.take()
}
