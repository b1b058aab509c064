//! A kernel of processes under construction: its buffers and locals.

use super::access::Access;
use crate::ids::{FieldId, LocationId};
use crate::kernels::sites;
use crate::network_layout::NetworkLayout;
use crate::program::Program;
use std::collections::BTreeSet;
use volvelle_kernel::{Access as Permission, Block, Buffer, EntityVec, Kernel, Local, Site, Type};

/// The variables of the loop over priority classes.
pub(super) struct Classes {
    /// The field with the class of a process.
    pub priority: FieldId,
    /// Counts rounds.
    pub round: Local,
    /// The present class (`i64`); `next` is the next lower one.
    pub class: Local,
    pub next: Local,
    /// The class of the process with exclusive control (`i64`); 0 if there is none.
    pub alone: Local,
    /// Length of the errors before this state.
    pub errors: Local,
}

impl Classes {
    /// Declares the locals.
    pub fn new(kernel: &mut Kernel, priority: FieldId) -> Self {
        Classes {
            priority,
            round: kernel.local("round", Type::U64),
            class: kernel.local("class", Type::I64),
            next: kernel.local("next_class", Type::I64),
            alone: kernel.local("alone_class", Type::I64),
            errors: kernel.local("errors_before", Type::U64),
        }
    }
}

/// A kernel under construction.
pub(super) struct Builder<'a> {
    pub access: Access<'a>,
    /// Whether consecutive steps of an atomic sequence without a choice are taken at once.
    pub is_fusing: bool,
    /// Whether the number of steps to each successor is reported.
    pub is_counting: bool,
    /// Locations inside atomic sequences at which [`super::follow`] stopped although a single step was
    /// possible.
    pub entries: BTreeSet<LocationId>,
    pub range: Buffer,
    pub steps: Buffer,
    pub ends: Buffer,
    pub observations: Buffer,
    pub errors: Buffer,
    pub offers: Buffer,
    pub reach: Buffer,
    pub lengths: Buffer,
    pub flags: Buffer,
    /// Number of the current state.
    pub state: Local,
    pub copied: Local,
    pub live: Local,
    pub from: Local,
    pub to: Local,
    pub pass: Local,
    /// Number of successors before this state; `mine` is that before this process.
    pub before: Local,
    pub mine: Local,
    /// Number of successors after the escapes of a location.
    pub escaped: Local,
    /// Number of successors before the receives of a process.
    pub taken: Local,
    pub offer: Local,
    pub offer_at: Local,
    pub offer_step: Local,
    pub offer_target: Local,
    pub offer_count: Local,
    pub bits: Local,
    pub classes: Option<Classes>,
    /// First transition number of each location.
    pub numbers: EntityVec<LocationId, u32>,
    /// Inside a machine: for each site, the number of its failures in this run, and its last note.
    pub failed: Option<Vec<(Site, [Local; 2])>>,
}

impl<'a> Builder<'a> {
    pub fn new(name: &str, program: &'a Program, layout: &'a NetworkLayout) -> Self {
        let mut k = Kernel::new(name);
        k.sites = sites(program);
        let states = k.buffer("states", Type::U64, Permission::Read);
        let range = k.buffer("range", Type::U64, Permission::Read);
        let successors = k.buffer("successors", Type::U64, Permission::Append);
        let steps = k.buffer("steps", Type::U32, Permission::Append);
        let ends = k.buffer("ends", Type::U32, Permission::Append);
        let observations = k.buffer("observations", Type::U64, Permission::Append);
        let errors = k.buffer("errors", Type::U64, Permission::Append);
        let offers = k.buffer("offers", Type::I64, Permission::Append);
        let reach = k.buffer("reach", Type::U64, Permission::Read);
        let lengths = k.buffer("lengths", Type::U32, Permission::Append);
        let (mut bases, mut rooms) = (Vec::new(), Vec::new());
        for p in 0..program.network.pools.len() {
            bases.push(k.buffer(format!("base{p}"), Type::U64, Permission::Read));
            rooms.push(k.buffer(format!("room{p}"), Type::U64, Permission::Read));
        }
        let flags = k.buffer("flags", Type::U64, Permission::Read);
        let mut number = 0;
        let mut numbers = EntityVec::with_capacity(program.network.locations.len());
        for location in &program.network.locations {
            numbers.push(number);
            number += location.alternatives().count() as u32;
        }
        let mut access = Access::new(program, layout, k, states, successors, bases, rooms);
        let k = &mut access.kernel;
        let mut u64_local = |name: &str| k.local(name, Type::U64);
        let (state, copied) = (u64_local("state"), u64_local("copied"));
        let (live, from, to) = (u64_local("live"), u64_local("from"), u64_local("to"));
        let (pass, before, mine) = (u64_local("pass"), u64_local("before"), u64_local("mine"));
        let (offer, bits) = (u64_local("offer"), u64_local("bits"));
        let (escaped, taken) = (u64_local("escaped"), u64_local("taken"));
        let classes = program.network.priority.map(|priority| Classes::new(k, priority));
        let mut i64_local = |name: &str| k.local(name, Type::I64);
        Builder {
            offer_at: i64_local("offer_at"),
            offer_step: i64_local("offer_step"),
            offer_target: i64_local("offer_target"),
            offer_count: i64_local("offer_count"),
            access,
            is_fusing: false,
            is_counting: false,
            entries: BTreeSet::new(),
            range,
            steps,
            ends,
            observations,
            errors,
            offers,
            reach,
            lengths,
            flags,
            state,
            copied,
            live,
            from,
            to,
            pass,
            before,
            mine,
            escaped,
            taken,
            offer,
            bits,
            classes,
            numbers,
            failed: None,
        }
    }

    pub fn finish(self, body: Block) -> Kernel {
        let mut kernel = self.access.kernel;
        kernel.body = body;
        kernel
    }
}
