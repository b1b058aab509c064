//! Symmetry of programs with interchangeable processes: one state stands for those that differ by an
//! exchange.
//!
//! Interchangeable processes are sorted by their contents: their variables, the array elements and channels
//! indexed by their numbers, and whether variables refer to them. Numbers of processes are excluded from the
//! comparison, since they change with the order. Instead, processes with equal keys are compared by the keys
//! of the processes to which they refer, in a few rounds of refinement. If they are still equal, they keep
//! their order. So two states that differ by an exchange may both remain; but states are only merged if an
//! exchange leads from one to the other ([`volvelle_model::symmetry`]).

use volvelle_model::symmetry::{Scalarset, Symmetry};
use volvelle_model::{ComponentId, FieldId, NetworkLayout, PoolId, Program};

/// Rounds in which processes with equal keys are compared by the processes to which they refer.
const ROUNDS: usize = 3;

const PROCESSES: PoolId = PoolId(0);
const CHANNELS: PoolId = PoolId(1);

/// The interchangeable processes of a program, and the fields that hold or are indexed by their numbers.
#[derive(Debug)]
pub struct Exchange {
    symmetry: Symmetry,
    /// The type of processes of each location, if they are interchangeable.
    type_of: Vec<Option<usize>>,
    /// Numbers of processes in global fields; in fields of processes, by type; in messages.
    global_numbers: Vec<(FieldId, Scalarset)>,
    own_numbers: Vec<Vec<(FieldId, Scalarset)>>,
    message_numbers: Vec<(FieldId, Scalarset)>,
    global_arrays: Vec<(FieldId, Scalarset)>,
    own_arrays: Vec<Vec<(FieldId, Scalarset)>>,
    /// Values of arrays that go by numbers, which are no numbers themselves.
    plain: Vec<bool>,
    /// Whether processes are compared by their own fields alone, and nothing else moves with them.
    by_fields: bool,
}

/// Finds the state that stands for a state; reused.
pub struct Sorter<'a> {
    program: &'a Program,
    layout: &'a NetworkLayout,
    exchange: &'a Exchange,
    /// Of each process, the type if it is interchangeable here.
    groups: Vec<Option<usize>>,
    keys: Vec<Vec<u64>>,
    ranks: Vec<u64>,
    /// Interchangeable processes, type by type: in the order of their slots, and of their ranks.
    slots: Vec<usize>,
    order: Vec<usize>,
    /// The new slot of each process.
    to: Vec<usize>,
    masked: Vec<u64>,
    before: Vec<u64>,
}

impl Exchange {
    /// For a program.
    pub fn new(program: &Program, symmetry: Symmetry) -> Self {
        let network = &program.network;
        let type_of = (0..network.locations.len() as u32)
            .map(|l| network.type_of(volvelle_model::LocationId(l)).filter(|ty| symmetry.types.contains(ty)))
            .collect();
        let is_global = |f: FieldId| program.fields[f.index()].component.is_none();
        let of_type =
            |f: FieldId, ty: usize| program.fields[f.index()].component == Some(network.types[ty].component);
        let of_types = |of: &[(FieldId, Scalarset)]| -> Vec<Vec<(FieldId, Scalarset)>> {
            (0..network.types.len())
                .map(|ty| of.iter().copied().filter(|&(f, _)| of_type(f, ty)).collect())
                .collect()
        };
        let (numbers, arrays) = (&symmetry.numbers, &symmetry.arrays);
        let global =
            |of: &[(FieldId, Scalarset)]| of.iter().copied().filter(|&(f, _)| is_global(f)).collect();
        let of_message = |f: FieldId| {
            let component = program.fields[f.index()].component;
            component.is_some() && !network.types.iter().any(|ty| Some(ty.component) == component)
        };
        let mut plain = vec![true; program.fields.len()];
        numbers.iter().for_each(|(f, _)| plain[f.index()] = false);
        Exchange {
            by_fields: numbers.is_empty() && arrays.is_empty() && symmetry.channels.is_empty(),
            type_of,
            global_numbers: global(numbers),
            own_numbers: of_types(numbers),
            message_numbers: numbers.iter().copied().filter(|&(f, _)| of_message(f)).collect(),
            global_arrays: global(arrays),
            own_arrays: of_types(arrays),
            plain,
            symmetry,
        }
    }
}

impl<'a> Sorter<'a> {
    /// For states of this packing.
    pub fn new(program: &'a Program, layout: &'a NetworkLayout, exchange: &'a Exchange) -> Self {
        Sorter {
            program,
            layout,
            exchange,
            groups: Vec::new(),
            keys: Vec::new(),
            ranks: Vec::new(),
            slots: Vec::new(),
            order: Vec::new(),
            to: Vec::new(),
            masked: Vec::new(),
            before: Vec::new(),
        }
    }

    /// Replaces a state by its canonical state. Returns the new slot of each process, or `None` if nothing
    /// changed.
    pub fn sort(&mut self, state: &mut [u64]) -> Option<&[usize]> {
        let live = self.layout.get(state, self.program.network.pools[0].count, 0, 0) as usize;
        if !self.find_groups(state, live) || self.exchange.by_fields && self.is_sorted(state) {
            return None;
        }
        for slot in 0..live {
            self.make_key(state, slot);
        }
        self.rank(live);
        if !self.exchange.symmetry.numbers.is_empty() {
            for _ in 0..ROUNDS {
                if !self.has_ties() {
                    break;
                }
                for slot in 0..live {
                    self.make_further_key(state, slot);
                }
                self.rank(live);
            }
        }
        self.place(live);
        if self.to.iter().enumerate().all(|(from, &to)| from == to) {
            return None;
        }
        self.before.clear();
        self.before.extend_from_slice(state);
        let before = std::mem::take(&mut self.before);
        exchange(self.program, self.layout, self.exchange, &before, &self.to, state);
        self.before = before;
        Some(&self.to)
    }

    /// Finds the interchangeable processes in a state. Returns whether there are at least two of a type.
    fn find_groups(&mut self, state: &[u64], live: usize) -> bool {
        let location = self.program.network.location.expect("a network has locations");
        let symmetry = &self.exchange.symmetry;
        self.groups.clear();
        for slot in 0..live {
            let at = self.layout.get(state, location, slot, 0) as usize;
            let number = slot as i64;
            let fits = |&(numbering, lo, hi): &(Scalarset, i64, i64)| {
                (lo..=hi).contains(&number.saturating_add(numbering.offset))
            };
            let group = self.exchange.type_of[at]
                .filter(|_| !symmetry.fixed.contains(&number) && symmetry.ranges.iter().all(fits));
            self.groups.push(group);
        }
        let mut seen = [false; 64];
        self.groups.iter().flatten().any(|&ty| ty >= 64 || std::mem::replace(&mut seen[ty], true))
    }

    /// Whether processes that are compared by their fields are in order.
    fn is_sorted(&self, state: &[u64]) -> bool {
        let types = &self.program.network.types;
        let mut last = [usize::MAX; 64];
        self.groups.iter().enumerate().all(|(slot, group)| {
            let Some(ty) = *group else { return true };
            let Some(last) = last.get_mut(ty) else { return false };
            let before = std::mem::replace(last, slot);
            let component = types[ty].component;
            before == usize::MAX
                || self.layout.compare_records(state, PROCESSES, component, before, slot).is_le()
        })
    }

    /// Computes the key by which a process is sorted: all its contents, without numbers of processes.
    fn make_key(&mut self, state: &[u64], slot: usize) {
        if self.keys.len() <= slot {
            self.keys.resize(slot + 1, Vec::new());
        }
        let mut key = std::mem::take(&mut self.keys[slot]);
        key.clear();
        let Some(ty) = self.groups[slot] else {
            self.keys[slot] = key;
            return;
        };
        let (exchange, layout) = (self.exchange, self.layout);
        let component = self.program.network.types[ty].component;
        let own = &exchange.own_numbers[ty];
        let arrays = &exchange.own_arrays[ty];
        if own.is_empty() && arrays.is_empty() {
            layout.read_record(state, PROCESSES, slot, component, &mut key);
        } else {
            self.masked.clear();
            self.masked.extend_from_slice(state);
            for &(field, _) in own.iter().chain(arrays) {
                let length = self.program.fields[field.index()].length as usize;
                let (lo, _) = self.program.fields[field.index()].domain.bounds();
                (0..length).for_each(|element| layout.set(&mut self.masked, field, slot, element, lo));
            }
            layout.read_record(&self.masked, PROCESSES, slot, component, &mut key);
        }
        let relation = |value: i64, numbering: Scalarset| match value.wrapping_sub(numbering.offset) {
            me if me == slot as i64 => 0,
            other if self.group(other).is_some() => 1,
            // Processes that stay fixed, and values that are no processes.
            other => (other as u64).wrapping_add(2),
        };
        for &(field, numbering) in own {
            if !arrays.iter().any(|(f, _)| *f == field) {
                for element in 0..self.program.fields[field.index()].length as usize {
                    key.push(relation(layout.get(state, field, slot, element), numbering));
                }
            }
        }
        for &(field, numbering) in exchange.global_arrays.iter().chain(arrays) {
            let element = (slot as i64 + numbering.offset) as usize;
            let value = layout.get(state, field, slot, element);
            let holds = self.numbering_of(field);
            key.push(holds.map_or(value as u64, |numbering| relation(value, numbering)));
        }
        for &(field, numbering) in &exchange.global_numbers {
            if exchange.global_arrays.iter().any(|(f, _)| *f == field) {
                continue;
            }
            for element in 0..self.program.fields[field.index()].length as usize {
                let means = layout.get(state, field, 0, element) - numbering.offset;
                key.push(u64::from(means == slot as i64));
            }
        }
        for &(numbering, ..) in &exchange.symmetry.channels {
            let channel = (slot as i64 + numbering.offset) as usize;
            self.channel_key(state, channel, &mut key, &relation);
        }
        self.keys[slot] = key;
    }

    /// Appends the contents of a channel to a key.
    fn channel_key(
        &self,
        state: &[u64],
        channel: usize,
        key: &mut Vec<u64>,
        relation: &dyn Fn(i64, Scalarset) -> u64,
    ) {
        if channel >= self.layout.bases(CHANNELS).len() {
            return;
        }
        let component = channel_type(self.program, self.layout, state, channel);
        let numbers = numbers_in(self.program, self.layout, self.exchange, state, channel);
        if numbers.is_empty() {
            return self.layout.read_record(state, CHANNELS, channel, component, key);
        }
        let mut masked = state.to_vec();
        for &(field, numbering, length) in &numbers {
            let (lo, _) = self.program.fields[field.index()].domain.bounds();
            for element in 0..length {
                key.push(relation(self.layout.get(state, field, channel, element), numbering));
                self.layout.set(&mut masked, field, channel, element, lo);
            }
        }
        self.layout.read_record(&masked, CHANNELS, channel, component, key);
    }

    /// Computes the key of the next round: the rank of a process, and of those to which it refers.
    fn make_further_key(&mut self, state: &[u64], slot: usize) {
        let Some(ty) = self.groups[slot] else { return };
        let mut key = std::mem::take(&mut self.keys[slot]);
        key.clear();
        key.push(self.ranks[slot]);
        let rank = |value: i64, numbering: Scalarset| {
            let other = value.wrapping_sub(numbering.offset);
            let known = usize::try_from(other).ok().and_then(|other| self.ranks.get(other));
            known.copied().unwrap_or(other as u64)
        };
        let (exchange, layout) = (self.exchange, self.layout);
        for &(field, numbering) in &exchange.own_numbers[ty] {
            if !exchange.own_arrays[ty].iter().any(|(f, _)| *f == field) {
                for element in 0..self.program.fields[field.index()].length as usize {
                    key.push(rank(layout.get(state, field, slot, element), numbering));
                }
            }
        }
        for &(field, numbering) in &exchange.global_arrays {
            if let Some(holds) = self.numbering_of(field) {
                let element = (slot as i64 + numbering.offset) as usize;
                key.push(rank(layout.get(state, field, 0, element), holds));
            }
        }
        // The values that it holds for each of the others, added up so that their order does not matter.
        for &(field, numbering) in exchange.own_arrays[ty].iter().filter(|(f, _)| exchange.plain[f.index()]) {
            let all = 0..self.program.fields[field.index()].length as usize;
            key.push(all.fold(0u64, |sum, element| {
                let value = layout.get(state, field, slot, element) as u64;
                let pair = [rank(element as i64, numbering), value];
                sum.wrapping_add(volvelle_store::hash(&pair))
            }));
        }
        self.keys[slot] = key;
    }

    fn numbering_of(&self, field: FieldId) -> Option<Scalarset> {
        let numbers = &self.exchange.symmetry.numbers;
        numbers.iter().find(|(f, _)| *f == field).map(|&(_, numbering)| numbering)
    }

    fn group(&self, slot: i64) -> Option<usize> {
        usize::try_from(slot).ok().and_then(|slot| self.groups.get(slot).copied().flatten())
    }

    /// Ranks by keys, the same for the same keys of a type.
    fn rank(&mut self, live: usize) {
        let (groups, keys) = (&self.groups, &self.keys);
        self.slots.clear();
        self.slots.extend((0..live).filter(|&slot| groups[slot].is_some()));
        self.slots.sort_by_key(|&slot| groups[slot]);
        self.order.clone_from(&self.slots);
        self.order.sort_by(|&a, &b| (groups[a], &keys[a]).cmp(&(groups[b], &keys[b])));
        self.ranks.clear();
        // Fixed processes have their own numbers, above all ranks.
        self.ranks.extend((0..live as u64).map(|slot| slot + live as u64));
        let mut rank = 0;
        for (at, &slot) in self.order.iter().enumerate() {
            if at > 0 {
                let before = self.order[at - 1];
                let same = groups[before] == groups[slot] && keys[before] == keys[slot];
                rank += u64::from(!same);
            }
            self.ranks[slot] = rank;
        }
    }

    fn has_ties(&self) -> bool {
        self.order.windows(2).any(|pair| self.ranks[pair[0]] == self.ranks[pair[1]])
    }

    /// Assigns slots: the processes of a type get its slots in the order of their ranks.
    fn place(&mut self, live: usize) {
        self.to.clear();
        self.to.extend(0..live);
        for (&from, &to) in self.order.iter().zip(&self.slots) {
            self.to[from] = to;
        }
    }
}

/// The type of a channel.
fn channel_type(program: &Program, layout: &NetworkLayout, state: &[u64], channel: usize) -> ComponentId {
    let pool = &program.network.pools[CHANNELS.index()];
    let kind = pool.kind.map_or(0, |kind| layout.get(state, kind, channel, 0) as usize);
    pool.members[kind]
}

/// The numbers of processes in the messages of a channel: fields, each with its number of elements in use.
fn numbers_in(
    program: &Program,
    layout: &NetworkLayout,
    exchange: &Exchange,
    state: &[u64],
    channel: usize,
) -> Vec<(FieldId, Scalarset, usize)> {
    let network = &program.network;
    if exchange.message_numbers.is_empty() {
        return Vec::new();
    }
    let component = channel_type(program, layout, state, channel);
    let queue = network.queues.iter().find(|q| q.component == component);
    let length = queue.map_or(0, |q| layout.get(state, q.length, channel, 0) as usize);
    let of_it = |&&(f, _): &&(FieldId, Scalarset)| program.fields[f.index()].component == Some(component);
    exchange.message_numbers.iter().filter(of_it).map(|&(f, numbering)| (f, numbering, length)).collect()
}

/// The state in which each process has gone to another place.
pub fn exchange(
    program: &Program,
    layout: &NetworkLayout,
    exchange: &Exchange,
    before: &[u64],
    to: &[usize],
    after: &mut [u64],
) {
    let location = program.network.location.expect("a network has locations");
    let live = (layout.get(before, program.network.pools[0].count, 0, 0) as usize).min(to.len());
    let place =
        |slot: i64| usize::try_from(slot).ok().filter(|&slot| slot < live).map_or(slot, |s| to[s] as i64);
    let moved = |value: i64, numbering: Scalarset| {
        place(value.wrapping_sub(numbering.offset)).wrapping_add(numbering.offset)
    };
    let type_at = |slot: usize| {
        let at = layout.get(before, location, slot, 0) as u32;
        program.network.type_of(volvelle_model::LocationId(at))
    };
    for from in (0..live).filter(|&from| to[from] != from) {
        let Some(ty) = type_at(from) else { continue };
        let component = program.network.types[ty].component;
        layout.copy_record(before, after, PROCESSES, component, from, to[from]);
        for &(numbering, ..) in &exchange.symmetry.channels {
            let channel = |slot: usize| (slot as i64 + numbering.offset) as usize;
            let component = channel_type(program, layout, before, channel(from));
            let (from, to) = (channel(from), channel(to[from]));
            layout.copy_record(before, after, CHANNELS, component, from, to);
        }
    }
    // Elements that go by numbers, then numbers, wherever they are now.
    let elements = |after: &mut [u64], field: FieldId, numbering: Scalarset, from: usize, at: usize| {
        for slot in (0..live).filter(|&slot| to[slot] != slot) {
            let element = |slot: usize| (slot as i64 + numbering.offset) as usize;
            let value = layout.get(before, field, from, element(slot));
            layout.set(after, field, at, element(to[slot]), value);
        }
    };
    let numbers = |after: &mut [u64], field: FieldId, numbering: Scalarset, at: usize, length: usize| {
        for element in 0..length {
            let value = layout.get(after, field, at, element);
            layout.set(after, field, at, element, moved(value, numbering));
        }
    };
    let length = |field: FieldId| program.fields[field.index()].length as usize;
    for &(field, numbering) in &exchange.global_arrays {
        elements(after, field, numbering, 0, 0);
    }
    for &(field, numbering) in &exchange.global_numbers {
        numbers(after, field, numbering, 0, length(field));
    }
    for (from, &at) in to.iter().enumerate().take(live) {
        let Some(ty) = type_at(from) else { continue };
        for &(field, numbering) in &exchange.own_arrays[ty] {
            elements(after, field, numbering, from, at);
        }
        for &(field, numbering) in &exchange.own_numbers[ty] {
            numbers(after, field, numbering, at, length(field));
        }
    }
    if !exchange.message_numbers.is_empty() {
        let channels = layout.get(after, program.network.pools[1].count, 0, 0) as usize;
        for channel in 0..channels {
            for (field, numbering, length) in numbers_in(program, layout, exchange, after, channel) {
                numbers(after, field, numbering, channel, length);
            }
        }
    }
    if let Some(owner) = program.network.owner {
        let value = layout.get(before, owner, 0, 0);
        if value > 0 {
            layout.set(after, owner, 0, 0, place(value - 1) + 1);
        }
    }
}
