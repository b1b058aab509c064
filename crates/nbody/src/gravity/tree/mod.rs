//! Sums that treat distant bodies as groups, using a tree that is rebuilt for each sum.

mod kernel;
mod moments;

use crate::state::State;
use crate::trouble::Trouble;
use std::sync::Arc;
use volvelle_kernel::Type;
use volvelle_runtime::contents::{Array, Content, Field, Layout, Octree, Replica, Tree};
use volvelle_runtime::{Argument, Error, Function, Kernel};

/// Limit of bodies in a leaf.
const LEAF: usize = 4;

/// The solver, with its data on the devices.
pub(super) struct TreeSolver {
    opening_angle: f64,
    tree: Octree,
    /// For each cell, see [`moments::reaches`].
    reach: Arc<Replica>,
    /// For each cell its second moments, if they count.
    second: Option<Arc<Replica>>,
    /// Places and masses of the bodies in the order of the tree.
    sorted: Arc<Replica>,
    /// The body of each lane: the bodies of each device in the order of the tree.
    turns: Arc<Array>,
    kernel: Kernel,
}

impl TreeSolver {
    pub(super) fn new(
        state: &State,
        softening: f64,
        opening_angle: f64,
        quadrupole: bool,
    ) -> Result<Self, Trouble> {
        let context = &state.context;
        let tree = Octree::new(context)?;
        let reach = Arc::new(Replica::new(context, Layout::of(Type::F64))?);
        let moments = || Replica::new(context, Layout::several(Type::F64, 6)).map(Arc::new);
        let second = quadrupole.then(moments).transpose()?;
        let sorted = Arc::new(Replica::new(context, Layout::several(Type::F64, 4))?);
        let turns = Arc::new(Array::new(context, Layout::of(Type::U32), state.len() as u64)?);
        let mut kernel =
            Kernel::new(context, Function::of(kernel::acceleration(softening > 0.0, quadrupole)))?;
        kernel.set("first", Argument::First)?;
        kernel.set("softening", softening)?;
        kernel.set("position", state.position.clone())?;
        kernel.set("acceleration", state.acceleration.clone())?;
        kernel.set("turns", turns.clone())?;
        kernel.set("reach", reach.clone())?;
        kernel.set("sorted", sorted.clone())?;
        for field in [Field::Centre, Field::Next, Field::Bodies] {
            kernel.set(field.name(), tree.field(field))?;
        }
        if let Some(second) = &second {
            kernel.set("moments", second.clone())?;
        }
        Ok(TreeSolver { opening_angle, tree, reach, second, sorted, turns, kernel })
    }

    /// The kernel that computes accelerations.
    pub(super) fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Builds the tree of the bodies on the host and copies it to the devices. Returns the kernel that
    /// computes accelerations.
    pub(super) fn prepared(&mut self, state: &State) -> Result<&Kernel, Trouble> {
        let (positions, masses) = places(state)?;
        if let Some(body) = positions.iter().position(|place| place.iter().any(|x| !x.is_finite())) {
            return Err(Trouble::NotANumber { body: state.id(body), time: state.time });
        }
        let tree = Tree::of(&positions, &masses, LEAF)?;
        let corner = std::array::from_fn(|axis| {
            positions.iter().map(|place| place[axis]).fold(f64::INFINITY, f64::min)
        });
        self.reach.set(&moments::reaches(&tree, corner, self.opening_angle))?;
        if let Some(second) = &self.second {
            second.set(moments::second_moments(&tree, &positions, &masses).as_flattened())?;
        }
        let row = |&body: &u32| {
            let [x, y, z] = positions[body as usize];
            [x, y, z, masses[body as usize]]
        };
        self.sorted.set(tree.order.iter().map(row).collect::<Vec<_>>().as_flattened())?;
        self.turns.fill(&turns(state, &tree.order))?;
        self.tree.set(&tree)?;
        self.kernel.set("nodes", tree.nodes() as u64)?;
        Ok(&self.kernel)
    }
}

/// Positions and masses of all bodies, which every device has.
fn places(state: &State) -> Result<(Vec<[f64; 3]>, Vec<f64>), Error> {
    let mut bytes = vec![0; 32 * state.len()];
    state.position.region(0).read(0, &mut bytes)?;
    let number = |bytes: &[u8; 8]| f64::from_ne_bytes(*bytes);
    let bodies: Vec<[f64; 4]> = bytes
        .as_chunks::<32>()
        .0
        .iter()
        .map(|row| [0, 1, 2, 3].map(|i| number(&row.as_chunks().0[i])))
        .collect();
    Ok((bodies.iter().map(|&[x, y, z, _]| [x, y, z]).collect(), bodies.iter().map(|body| body[3]).collect()))
}

/// The bodies of each device in the order of the tree, one device after the other.
fn turns(state: &State, order: &[u32]) -> Vec<u32> {
    let partition = state.context.partition(order.len() as u64);
    let parts: Vec<_> = (0..partition.parts()).map(|part| partition.part(part)).collect();
    let mut owner = vec![0; order.len()];
    for (number, part) in parts.iter().enumerate() {
        owner[part.start as usize..part.end as usize].fill(number);
    }
    let mut places: Vec<usize> = parts.iter().map(|part| part.start as usize).collect();
    let mut turns = vec![0; order.len()];
    for &body in order {
        let place = &mut places[owner[body as usize]];
        turns[*place] = body;
        *place += 1;
    }
    turns
}
