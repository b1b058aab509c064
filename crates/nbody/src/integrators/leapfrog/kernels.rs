//! The two kicks and the drift of a step, as separate kernels and for [many steps at once](super::few).

use crate::kernels::{Number, Row, Writer};
use crate::state::{BODY, VECTOR};
use volvelle_kernel::Access;

/// The record of the number of steps that were too long for a body.
pub(super) const COUNT: &[(&str, u64)] = &[("steps", 1)];

/// A step resolves the motion of a body if the square of (change of acceleration times step) is below this
/// fraction of the squared velocity. The root of the fraction is about the square of (step divided by the time
/// in which the motion changes): at the limit, a circle has nine steps.
const RESOLVED: f64 = 0.25;

/// The fields of a body.
pub(super) struct Rows<'w> {
    pub(super) position: Row<'w>,
    pub(super) velocity: Row<'w>,
    pub(super) acceleration: Row<'w>,
    /// The acceleration at the start of the step.
    pub(super) before: Row<'w>,
}

/// Half a kick by the accelerations, and a drift.
pub(super) fn begin<'w>(writer: &'w Writer, of: &Rows<'w>, half_step: Number<'w>, step: Number<'w>) {
    let pull = writer.keep_vector(of.acceleration.vector("vector"));
    of.before.set_vector("vector", pull);
    let kicked = writer.keep_vector(pull.mul_add(half_step, of.velocity.vector("vector")));
    of.velocity.set_vector("vector", kicked);
    let moved = writer.keep_vector(kicked.mul_add(step, of.position.vector("place")));
    of.position.set_vector("place", moved);
}

/// The second half kick. Fails if an acceleration is not a number, and counts the steps that were too long.
pub(super) fn end<'w>(
    writer: &'w Writer,
    [velocity, acceleration, before, unresolved]: [Row<'w>; 4],
    half_step: Number<'w>,
    step: Number<'w>,
) {
    let pull = writer.keep_vector(acceleration.vector("vector"));
    let zero = writer.constant(0.0);
    let nothing = (pull * zero).dot_plus(pull * zero, zero);
    writer.when(nothing.differs(zero), || writer.fail());
    let kicked = writer.keep_vector(pull.mul_add(half_step, velocity.vector("vector")));
    velocity.set_vector("vector", kicked);
    let change = writer.keep_vector((pull - before.vector("vector")) * step);
    let most = writer.keep_vector(pull * step);
    let allowed = kicked.dot_plus(kicked, most.dot_plus(most, zero)) * writer.constant(RESOLVED);
    writer.when(allowed.is_below(change.dot_plus(change, zero)), || {
        unresolved.set("steps", unresolved.number("steps") + writer.constant(1.0));
    });
}

/// Half a kick by the accelerations, and a drift.
pub(super) fn kick_and_drift() -> volvelle_kernel::Kernel {
    let writer = &Writer::new("kick_and_drift");
    let (first, half_step, step) = (writer.index("first"), writer.number("half_step"), writer.number("step"));
    let acceleration = writer.record("acceleration", Access::Read, VECTOR);
    let velocity = writer.record("velocity", Access::Write, VECTOR);
    let before = writer.record("before", Access::Write, VECTOR);
    let position = writer.record("position", Access::Write, BODY);
    let part = writer.lane() - first;
    let rows = Rows {
        position: position.at(writer.lane()),
        velocity: velocity.at(part),
        acceleration: acceleration.at(part),
        before: before.at(part),
    };
    begin(writer, &rows, half_step, step);
    writer.take()
}

/// Half a kick by the accelerations.
pub(super) fn kick() -> volvelle_kernel::Kernel {
    let writer = &Writer::new("kick");
    let (first, half_step, step) = (writer.index("first"), writer.number("half_step"), writer.number("step"));
    let acceleration = writer.record("acceleration", Access::Read, VECTOR);
    let velocity = writer.record("velocity", Access::Write, VECTOR);
    let before = writer.record("before", Access::Read, VECTOR);
    let unresolved = writer.record("unresolved", Access::Write, COUNT);
    let part = writer.lane() - first;
    let rows = [velocity.at(part), acceleration.at(part), before.at(part), unresolved.at(part)];
    end(writer, rows, half_step, step);
    writer.take()
}
