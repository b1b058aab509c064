//! A slow and obvious simulator: cycle by cycle, in the words of rules T1 to T10, with all modes.

use std::collections::{HashMap, VecDeque};
use volvelle_coherence::Operation;
use volvelle_control::Control;
use volvelle_instructions::{Batch, Class, Instruction, Stream};
use volvelle_multicore::{
    Caches, Kind, MOST_IN_FLIGHT, Machine, MemoryOrder, Mode, Outcome, Placement, Predictor, ProtocolTable,
    Selection, Touch, Training,
};

/// An executed instruction.
#[derive(Clone, Copy, Debug)]
pub struct Executed {
    pub instruction: Instruction,
    pub address: u64,
    pub is_taken: bool,
}

/// All of a stream.
pub fn executed(stream: &mut dyn Stream) -> Vec<Executed> {
    let mut all = Vec::new();
    let mut batch = Batch::default();
    while stream.next(&mut batch, 1000, &Control::unlimited()).expect("a right stream") {
        let mut addresses = batch.addresses.iter();
        for step in &batch.steps {
            let instruction = stream.listing()[step.instruction()];
            let address = match instruction.class.accesses_memory() {
                true => *addresses.next().expect("an address"),
                false => 0,
            };
            all.push(Executed { instruction, address, is_taken: step.is_taken() });
        }
    }
    all
}

/// What the slow simulator finds.
#[derive(Debug, PartialEq)]
pub struct Found {
    pub cycles: u64,
    pub rounds: u64,
    pub tasks: u64,
    pub mispredictions: u64,
    /// Core, fetch, issue, complete, retire.
    pub times: Vec<[u64; 5]>,
    pub dcache_misses: u64,
    pub icache_misses: u64,
    pub l2: (u64, u64),
}

/// A task: its instructions, and the outcome that is predicted.
pub struct Task {
    pub range: std::ops::Range<usize>,
    pub outcome: Option<bool>,
}

/// For each branch that went both ways the nearest instruction without which the end of its function is not reached.
pub fn joins(stream: &[Executed]) -> HashMap<u64, u64> {
    let mut next: HashMap<u64, Vec<Option<u64>>> = HashMap::new();
    let is_known = |pc: u64| stream.iter().any(|executed| executed.instruction.pc == pc);
    for (at, executed) in stream.iter().enumerate() {
        let instruction = &executed.instruction;
        let behind = Some(instruction.pc + u64::from(instruction.length)).filter(|&pc| is_known(pc));
        let follow = match instruction.class {
            Class::Return => None,
            Class::Call | Class::IndirectCall => behind,
            class if class.transfers_control() => match stream.get(at + 1) {
                Some(next) => Some(next.instruction.pc),
                // Nothing is known of the last one, unless it was executed before.
                None if next.contains_key(&instruction.pc) => continue,
                None => None,
            },
            _ => behind,
        };
        let all = next.entry(instruction.pc).or_default();
        if !all.contains(&follow) {
            all.push(follow);
        }
    }
    // Whether a path leads from one instruction to the end, not through another one.
    let ends = |from: u64, without: u64| {
        let (mut open, mut met) = (vec![from], vec![from]);
        while let Some(pc) = open.pop() {
            for follow in next.get(&pc).into_iter().flatten() {
                match follow {
                    None => return true,
                    Some(pc) if *pc == without || met.contains(pc) => {}
                    Some(pc) => {
                        met.push(*pc);
                        open.push(*pc);
                    }
                }
            }
        }
        false
    };
    let no = u64::MAX;
    let mut joins = HashMap::new();
    for executed in stream {
        let branch = executed.instruction.pc;
        let is_parted = next[&branch].iter().flatten().count() > 1;
        if executed.instruction.class != Class::Branch || !is_parted || !ends(branch, no) {
            continue;
        }
        if joins.contains_key(&branch) {
            continue;
        }
        let all: Vec<u64> =
            next.keys().copied().filter(|&pc| pc != branch && !ends(branch, pc) && ends(pc, no)).collect();
        let nearest = all.iter().find(|&&one| all.iter().all(|&other| other == one || !ends(one, other)));
        if let Some(&nearest) = nearest {
            joins.insert(branch, nearest);
        }
    }
    joins
}

/// All tasks of a stream.
pub fn tasks(stream: &[Executed], selection: Selection, length: u32) -> Vec<Task> {
    let joins = if selection == Selection::Postdominator { joins(stream) } else { HashMap::new() };
    let (mut all, mut start, mut transfers, mut outcome) = (Vec::new(), 0, 0, None);
    // Branches of the task, and where their paths meet.
    let mut parted: Vec<(Option<u64>, bool)> = Vec::new();
    for (at, executed) in stream.iter().enumerate() {
        let class = executed.instruction.class;
        let next = stream.get(at + 1).map(|next| next.instruction.pc);
        let mut is_end = at + 1 - start == length as usize || at + 1 == stream.len();
        if class.transfers_control() {
            transfers += 1;
            outcome = Some(executed.is_taken);
            let is_back = executed.is_taken && next.is_some_and(|next| next <= executed.instruction.pc);
            let ends_turn = is_back || !matches!(class, Class::Branch | Class::Jump);
            is_end |= match selection {
                Selection::FirstBranch => true,
                Selection::Length => false,
                Selection::Span(most) => transfers == most,
                Selection::Loop | Selection::Postdominator => ends_turn,
            };
            if class == Class::Branch {
                parted.push((joins.get(&executed.instruction.pc).copied(), executed.is_taken));
            }
            if selection == Selection::Postdominator && ends_turn {
                parted = vec![(None, executed.is_taken)];
            }
        }
        if selection == Selection::Postdominator {
            let before = parted.len();
            parted.retain(|(join, _)| join.is_none() || *join != next);
            is_end |= before > 0 && parted.is_empty();
            outcome = parted.last().map(|(_, taken)| *taken);
        }
        if is_end {
            all.push(Task { range: start..at + 1, outcome });
            (start, transfers, outcome) = (at + 1, 0, None);
            parted.clear();
        }
    }
    all
}

/// For each instruction the last writers of its registers, and what it waits for in memory.
fn producers(stream: &[Executed]) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut registers: HashMap<u8, usize> = HashMap::new();
    let mut bytes: HashMap<u64, (Option<usize>, Vec<usize>)> = HashMap::new();
    let mut all = Vec::new();
    for (at, executed) in stream.iter().enumerate() {
        let instruction = &executed.instruction;
        let sources = instruction.sources.iter().filter(|source| source.0 != 0);
        let of_registers = sources.filter_map(|source| registers.get(&source.0).copied()).collect();
        let mut of_memory = Vec::new();
        if instruction.class.accesses_memory() {
            for byte in executed.address..executed.address + u64::from(instruction.size) {
                let (store, loads) = bytes.entry(byte).or_default();
                of_memory.extend(*store);
                if instruction.class.writes_memory() {
                    of_memory.append(loads);
                    *store = Some(at);
                } else {
                    loads.push(at);
                }
            }
            of_memory.retain(|&producer| producer != at);
        }
        if instruction.destination.0 != 0 {
            registers.insert(instruction.destination.0, at);
        }
        all.push((of_registers, of_memory));
    }
    all
}

/// Cycles of an access that misses in the first level, beyond those.
fn below(l2: &mut Option<Caches>, machine: &Machine, address: u64, size: u8) -> u64 {
    let touch = l2.as_mut().map(|l2| l2.access(0, Operation::Load, address, size).touch);
    if touch == Some(Touch::Miss) { machine.l2.memory.into() } else { 0 }
}

/// Runs a stream, cycle by cycle.
#[expect(
    clippy::too_many_lines,
    reason = "cycle by cycle in the order of the rules, to be compared with the text"
)]
pub fn simulate(stream: &[Executed], machine: &Machine, predictor: &Kind) -> Found {
    let tasks = tasks(stream, machine.selection, machine.task_length);
    let producers = producers(stream);
    let mut predictor = Predictor::new(predictor, machine.group);
    if !machine.is_history_repaired {
        predictor = predictor.unrepaired();
    }
    let is_late = machine.training != Training::AtOnce;
    let outcome = |task: &Task| {
        let address = stream[task.range.start].instruction.pc;
        task.outcome.map(|taken| Outcome { address, taken })
    };
    let mut wrong = vec![false; tasks.len()];
    for (task, is_wrong) in tasks.iter().zip(&mut wrong) {
        if let Some(outcome) = outcome(task).filter(|_| !is_late) {
            let mut one = Vec::new();
            predictor.observe(&[outcome], &mut one);
            *is_wrong = one[0];
        }
    }
    let cores = machine.cores.len();
    let table = ProtocolTable::new(&machine.protocol).expect("a coherent protocol");
    let mut dcache = Caches::new(cores, &machine.l1d, table.clone());
    let mut icaches: Vec<Caches> = (0..cores).map(|_| Caches::new(1, &machine.l1i, table.clone())).collect();
    let mut l2 = machine.has_l2().then(|| Caches::new(1, &machine.l2.shape, table.clone()));
    let no = u64::MAX;
    let mut times = vec![[no; 5]; stream.len()];
    // When the core took the task of an instruction, how long its block takes, and when its value was on the bus.
    let (mut begins, mut stalls, mut sent) =
        (vec![no; stream.len()], vec![0u64; stream.len()], vec![no; stream.len()]);
    let mut queues: Vec<VecDeque<usize>> = vec![VecDeque::new(); cores];
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); cores];
    let mut unfetched: Vec<VecDeque<usize>> = vec![VecDeque::new(); cores];
    // All instructions of a core so far, and where its fetch stands.
    let mut taken: Vec<Vec<usize>> = vec![Vec::new(); cores];
    let mut stands = vec![(0u64, 0u32); cores];
    let mut free_since = vec![0u64; cores];
    let (mut next, mut rounds, mut cycle, mut left) = (0, 0, 0u64, stream.len());
    let (mut oldest, mut turn, mut is_any_wrong) = (0, 0, false);
    // For each core, the mispredicted instruction that it waits for, if others do not wait.
    let mut blocked: Vec<Option<usize>> = vec![None; cores];
    // The mispredicted instruction that tasks wait for; and in rounds the first cycle of the next.
    let (mut unresolved, mut begin): (Option<usize>, u64) = (None, 0);
    while left > 0 {
        // Tasks come to cores.
        let mut given: Vec<(usize, usize)> = Vec::new();
        let mut foretell = |number: usize, wrong: &mut Vec<bool>, times: &[[u64; 5]]| {
            let task = &tasks[number];
            if !is_late {
                return;
            }
            predictor.learn(|last| {
                let place = if machine.training == Training::Resolve { 3 } else { 4 };
                times[last as usize][place] != no && times[last as usize][place] < cycle
            });
            if let Some(outcome) = outcome(task) {
                wrong[number] = predictor.foretell(outcome, task.range.end as u64 - 1);
            }
        };
        if machine.mode == Mode::Rounds {
            if queues.iter().all(VecDeque::is_empty) && cycle >= begin {
                rounds += 1;
                let mut held = 0;
                let (mut shares, mut dealt) = (vec![0; cores], 0);
                is_any_wrong = false;
                // The fetch position if only blocks and width delayed it.
                let mut fronts = vec![(cycle, 0); cores];
                let (mut tried, mut tried_l2) = (icaches.clone(), l2.clone());
                while next < tasks.len() && held < cores * machine.tasks_per_core as usize {
                    let has_room = |core: &usize| shares[*core] < machine.tasks_per_core;
                    let core = match machine.placement {
                        _ if !(0..cores).any(|core| has_room(&core)) => break,
                        Placement::FirstFree => (0..cores)
                            .filter(has_room)
                            .min_by_key(|&core| fronts[core])
                            .expect("one with room"),
                        _ => (dealt..).map(|core| core % cores).find(has_room).expect("one with room"),
                    };
                    dealt = core + 1;
                    shares[core] += 1;
                    for at in tasks[next].range.clone() {
                        let instruction = &stream[at].instruction;
                        let (front, used) = &mut fronts[core];
                        if *used == machine.cores[core].width {
                            (*front, *used) = (*front + 1, 0);
                        }
                        let touch =
                            tried[core].access(0, Operation::Load, instruction.pc, instruction.length).touch;
                        if machine.has_caches && touch == Touch::Miss {
                            let below = below(&mut tried_l2, machine, instruction.pc, instruction.length);
                            let stall = u64::from(machine.miss) + below;
                            (*front, *used) = (*front + stall, if stall > 0 { 0 } else { *used });
                        }
                        *used += 1;
                    }
                    foretell(next, &mut wrong, &times);
                    given.push((core, next));
                    held += 1;
                    next += 1;
                    is_any_wrong |= wrong[next - 1];
                    if wrong[next - 1] && machine.keeps_younger {
                        shares[core] = machine.tasks_per_core;
                    } else if wrong[next - 1] {
                        break;
                    }
                }
            }
        } else {
            loop {
                while oldest < stream.len() && times[oldest][4] < cycle {
                    oldest += 1;
                }
                let is_room = |task: &Task| task.range.end - oldest <= MOST_IN_FLIGHT;
                let resolved = |at: usize| match times[at][3] {
                    complete if complete == no => no,
                    complete => complete + 1 + u64::from(machine.squash),
                };
                if next == tasks.len()
                    || unresolved.is_some_and(|at| resolved(at) > cycle)
                    || !is_room(&tasks[next])
                {
                    break;
                }
                let free_from = |core: usize| free_since[core].max(blocked[core].map_or(0, &resolved));
                let is_empty = |core: &usize| {
                    queues[*core].is_empty()
                        && !given.iter().any(|(other, _)| other == core)
                        && free_from(*core) <= cycle
                };
                let core = match machine.placement {
                    Placement::RoundRobin => Some(turn).filter(is_empty),
                    _ => (0..cores).filter(is_empty).min_by_key(|&core| free_from(core)),
                };
                let Some(core) = core else { break };
                turn = (core + 1) % cores;
                unresolved = None;
                blocked[core] = None;
                for _ in 0..machine.tasks_per_core {
                    if next == tasks.len() || !is_room(&tasks[next]) {
                        break;
                    }
                    foretell(next, &mut wrong, &times);
                    given.push((core, next));
                    next += 1;
                    if wrong[next - 1] {
                        let at = Some(tasks[next - 1].range.end - 1);
                        *(if machine.keeps_younger { &mut blocked[core] } else { &mut unresolved }) = at;
                        break;
                    }
                }
                if unresolved.is_some() {
                    break;
                }
            }
        }
        for &(core, task) in &given {
            if unfetched[core].is_empty() && queues[core].is_empty() {
                stands[core] = (cycle, 0);
            }
            for index in tasks[task].range.clone() {
                let instruction = &stream[index].instruction;
                if machine.has_caches
                    && icaches[core].access(0, Operation::Load, instruction.pc, instruction.length).touch
                        == Touch::Miss
                {
                    let below = below(&mut l2, machine, instruction.pc, instruction.length);
                    stalls[index] = u64::from(machine.miss) + below;
                }
                times[index][0] = core as u64;
                begins[index] = cycle;
                queues[core].push_back(index);
                waiting[core].push(index);
                unfetched[core].push_back(index);
                taken[core].push(index);
            }
        }
        // Fetch.
        for core in 0..cores {
            while let Some(&index) = unfetched[core].front() {
                let (mut at, mut used) = stands[core];
                if used == machine.cores[core].width {
                    (at, used) = (at + 1, 0);
                }
                if stalls[index] > 0 {
                    (at, used) = (at + stalls[index], 0);
                }
                let place = taken[core].iter().rposition(|&other| other == index).expect("it was taken");
                let is_full = machine.reorder_buffer > 0
                    && place >= machine.reorder_buffer as usize
                    && times[taken[core][place - machine.reorder_buffer as usize]][4] >= cycle;
                if at > cycle || is_full {
                    break;
                }
                if at < cycle {
                    used = 0;
                }
                stands[core] = (cycle, used + 1);
                times[index][1] = cycle;
                unfetched[core].pop_front();
            }
        }
        // The bus: values that others read, the oldest reader first.
        let needs_bus = |producer: usize, reader: usize, times: &[[u64; 5]]| {
            machine.forward_bus > 0
                && times[producer][0] != times[reader][0]
                && (times[producer][4] == no || times[producer][4] >= begins[reader])
        };
        if machine.forward_bus > 0 && machine.mode != Mode::Optimistic {
            let mut places = machine.forward_bus;
            for reader in (0..stream.len()).filter(|&reader| begins[reader] != no) {
                for &producer in &producers[reader].0 {
                    let is_complete = times[producer][3] != no && times[producer][3] <= cycle;
                    if places > 0
                        && is_complete
                        && sent[producer] == no
                        && needs_bus(producer, reader, &times)
                    {
                        sent[producer] = cycle;
                        places -= 1;
                    }
                }
            }
        }
        // Issue.
        for (core, waiting) in waiting.iter_mut().enumerate() {
            let (mut issued, mut alus, mut memory) = (0, 0, 0);
            for index in waiting.clone() {
                if issued == machine.cores[core].width || times[index][1] >= cycle {
                    break;
                }
                let is_apart = |producer: usize| times[producer][0] != core as u64;
                let optimistic = machine.mode == Mode::Optimistic;
                let by_register = producers[index].0.iter().all(|&producer| {
                    let forward = if is_apart(producer) { u64::from(machine.forward) } else { 0 };
                    let is_sent = !needs_bus(producer, index, &times)
                        || sent[producer] != no && sent[producer] + forward <= cycle;
                    optimistic && is_apart(producer)
                        || times[producer][3] != no && times[producer][3] + forward <= cycle && is_sent
                });
                let by_memory = producers[index].1.iter().all(|&producer| {
                    let is_store = stream[producer].instruction.class.writes_memory();
                    let waits = match machine.memory_order {
                        MemoryOrder::Exact => true,
                        MemoryOrder::AfterStores => is_store,
                        MemoryOrder::Free => false,
                    };
                    !waits
                        || optimistic && is_apart(producer)
                        || times[producer][3] != no && times[producer][3] <= cycle
                });
                let instruction = &stream[index].instruction;
                let is_memory = instruction.class.accesses_memory();
                let units = if is_memory { machine.cores[core].load_store } else { machine.cores[core].alus };
                if !by_register || !by_memory || (if is_memory { memory } else { alus }) == units {
                    continue;
                }
                let mut latency = u64::from(machine.latencies.of(instruction.class));
                if is_memory && machine.has_caches {
                    let operation = match instruction.class {
                        Class::Load => Operation::Load,
                        Class::Store => Operation::Store,
                        _ => Operation::Atomic,
                    };
                    let (address, size) = (stream[index].address, instruction.size);
                    let effect = dcache.access(core, operation, address, size);
                    latency += match effect.touch {
                        Touch::Hit => 0,
                        Touch::Upgrade => u64::from(machine.upgrade),
                        Touch::Miss => u64::from(machine.miss),
                    };
                    if effect.is_from_below {
                        latency += below(&mut l2, machine, address, size);
                    }
                }
                times[index][2] = cycle;
                times[index][3] = cycle + latency;
                waiting.retain(|&other| other != index);
                issued += 1;
                *(if is_memory { &mut memory } else { &mut alus }) += 1;
            }
        }
        // Retirement.
        for core in 0..cores {
            let mut count = 0;
            while let Some(&index) = queues[core].front()
                && count < machine.cores[core].width
                && times[index][3] <= cycle
            {
                times[index][4] = cycle;
                queues[core].pop_front();
                count += 1;
                left -= 1;
                free_since[core] = cycle + 1;
            }
        }
        if machine.mode == Mode::Rounds && next > 0 && queues.iter().all(VecDeque::is_empty) && begin <= cycle
        {
            begin = cycle + 1 + if is_any_wrong { u64::from(machine.squash) } else { 0 };
        }
        cycle += 1;
    }
    Found {
        cycles: cycle,
        rounds,
        tasks: tasks.len() as u64,
        mispredictions: predictor.mispredictions,
        times,
        dcache_misses: if machine.has_caches { dcache.counts().misses } else { 0 },
        icache_misses: icaches.iter().map(|cache| cache.counts().misses).sum(),
        l2: l2.map_or((0, 0), |cache| (cache.counts().accesses, cache.counts().misses)),
    }
}
