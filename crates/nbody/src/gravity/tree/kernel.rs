//! The walk of a body through the tree.

use super::super::direct::COINCIDENT;
use crate::kernels::{
    Number, SMALLEST_SQUARE, Sum, Vector, Writer, inverse_cube, inverse_root, times_inverse_cube,
};
use crate::state::{BODY, VECTOR};
use volvelle_kernel::{Access, Kernel, Type};

/// Accelerations using a tree. `turns` gives the body of each lane such that lanes that run at the same time
/// are near each other.
pub(super) fn acceleration(softened: bool, quadrupole: bool) -> Kernel {
    let writer = &Writer::new("tree_acceleration");
    let (first, nodes, softening) =
        (writer.index("first"), writer.index("nodes"), writer.number("softening"));
    let position = writer.record("position", Access::Read, BODY);
    let acceleration = writer.record("acceleration", Access::Write, VECTOR);
    let turns = writer.indices("turns", Type::U32, &[("body", 1)]);
    let centre = writer.record("centre", Access::Read, BODY);
    let reach = writer.record("reach", Access::Read, &[("square", 1)]);
    let next = writer.indices("next", Type::U32, &[("node", 1)]);
    let bodies = writer.indices("bodies", Type::U32, &[("first", 1), ("count", 1)]);
    let sorted = writer.record("sorted", Access::Read, BODY);
    let moments = quadrupole.then(|| writer.record("moments", Access::Read, &[("second", 6)]));

    let body = writer.keep_index(turns.at(writer.lane() - first).index("body"));
    let own = writer.keep_vector(position.at(body).vector("place"));
    let least = writer.keep((softening * softening).max(writer.constant(SMALLEST_SQUARE)));
    let (sum, closeness) = (Sum::new(writer), writer.total());
    let node = writer.place();
    writer.each(nodes, |_| {
        writer.choose(node.value().is_below(nodes), || {}, || writer.leave());
        let cell = centre.at(node.value());
        let towards = writer.keep_vector(cell.vector("place") - own);
        let square = writer.keep(towards.dot_plus(towards, writer.constant(0.0)));
        let behind = writer.keep_index(next.at(node.value()).index("node"));
        let far = || {
            let square = writer.keep(square + least);
            match moments {
                None => sum
                    .add_times(towards, writer.keep(times_inverse_cube(writer, cell.number("mass"), square))),
                Some(moments) => {
                    let second = moments.at(node.value()).numbers("second").map(|m| writer.keep(m));
                    expansion(writer, &sum, towards, square, cell.number("mass"), second);
                }
            }
            node.set(behind);
        };
        let near = || {
            // The next node is the one directly after it only for a leaf.
            let below = node.value() + 1;
            let leaf = || {
                let row = bodies.at(node.value());
                let start = writer.keep_index(row.index("first"));
                writer.each(row.index("count"), |i| {
                    let other = sorted.at(start + i);
                    let towards = writer.keep_vector(other.vector("place") - own);
                    let cube =
                        writer.keep(inverse_cube(writer, writer.keep(towards.dot_plus(towards, least))));
                    if !softened {
                        closeness.add(cube);
                    }
                    sum.add_times(towards, writer.keep(cube * other.number("mass")));
                });
                node.set(behind);
            };
            writer.choose(behind.is(below), leaf, || node.set(below));
        };
        writer.choose(reach.at(node.value()).number("square").is_below(square), far, near);
    });
    let mut result = sum.value();
    if !softened {
        let nan = writer.constant(f64::NAN);
        let is_alone = closeness.value().is_below(writer.constant(COINCIDENT));
        result = Vector(result.0.map(|component| is_alone.select(component, nan)));
    }
    acceleration.at(body - first).set_vector("vector", result);
    writer.take()
}

/// The pull of a cell up to its second moments `S`. With the softened distance `s` and the vector `d` to the
/// centre of mass, the potential is `-m / s - (3 d S d / s^5 - tr S / s^3) / 2`. Its gradient gives
/// `m d / s^3 + (15/2 d S d / s^7 - 3/2 tr S / s^5) d - 3 S d / s^5`.
fn expansion<'w>(
    writer: &'w Writer,
    sum: &Sum<'w>,
    towards: Vector<'w>,
    square: Number<'w>,
    mass: Number<'w>,
    [xx, xy, xz, yy, yz, zz]: [Number<'w>; 6],
) {
    let inverse = writer.keep(inverse_root(writer, square));
    let inverse_square = writer.keep(inverse * inverse);
    let cube = writer.keep(inverse_square * inverse);
    let fifth = writer.keep(cube * inverse_square);
    let rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let zero = writer.constant(0.0);
    let turned = writer.keep_vector(Vector(rows.map(|row| Vector(row).dot_plus(towards, zero))));
    let form = towards.dot_plus(turned, zero);
    let radial = form * inverse_square * 7.5 - (xx + yy + zz) * 1.5;
    sum.add_times(towards, writer.keep(fifth.mul_add(radial, cube * mass)));
    sum.add_times(turned, writer.keep(fifth * -3.0));
}
