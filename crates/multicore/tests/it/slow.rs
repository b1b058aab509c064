//! A slow and obvious simulator: cycle by cycle, in the words of rules T1 to T10, with all modes.

use std::collections::{HashMap, VecDeque};
use volvelle_coherence::Operation;
use volvelle_control::Control;
use volvelle_instructions::{Batch, Class, Instruction, Stream};
use volvelle_multicore::{
    Caches, Kind, MOST_IN_FLIGHT, Machine, Mode, Outcome, Predictor, ProtocolTable, Selection, Touch,
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
}

/// A task: its instructions, and the outcome that is predicted.
struct Task {
    range: std::ops::Range<usize>,
    outcome: Option<bool>,
}

fn tasks(stream: &[Executed], selection: Selection, length: u32) -> Vec<Task> {
    let (mut all, mut start, mut transfers, mut outcome) = (Vec::new(), 0, 0, None);
    for (at, executed) in stream.iter().enumerate() {
        let class = executed.instruction.class;
        let mut is_end = at + 1 - start == length as usize || at + 1 == stream.len();
        if class.transfers_control() {
            transfers += 1;
            outcome = Some(executed.is_taken);
            let next = stream.get(at + 1).map(|next| next.instruction.pc);
            let is_back = executed.is_taken && next.is_some_and(|next| next <= executed.instruction.pc);
            is_end |= match selection {
                Selection::FirstBranch => true,
                Selection::Length => false,
                Selection::Span(most) => transfers == most,
                Selection::Loop => is_back || !matches!(class, Class::Branch | Class::Jump),
            };
        }
        if is_end {
            all.push(Task { range: start..at + 1, outcome });
            (start, transfers, outcome) = (at + 1, 0, None);
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

/// Runs a stream, cycle by cycle.
pub fn simulate(stream: &[Executed], machine: &Machine, predictor: &Kind) -> Found {
    let tasks = tasks(stream, machine.selection, machine.task_length);
    let producers = producers(stream);
    let mut predictor = Predictor::new(predictor, machine.group);
    let mut wrong = vec![false; tasks.len()];
    for (task, is_wrong) in tasks.iter().zip(&mut wrong) {
        if let Some(taken) = task.outcome {
            let address = stream[task.range.start].instruction.pc;
            let mut one = Vec::new();
            predictor.observe(&[Outcome { address, taken }], &mut one);
            *is_wrong = one[0];
        }
    }
    let cores = machine.cores.len();
    let table = ProtocolTable::new(&machine.protocol).expect("a coherent protocol");
    let mut dcache = Caches::new(cores, &machine.l1d, table.clone());
    let mut icaches: Vec<Caches> = (0..cores).map(|_| Caches::new(1, &machine.l1i, table.clone())).collect();
    let no = u64::MAX;
    let mut times = vec![[no; 5]; stream.len()];
    let mut queues: Vec<VecDeque<usize>> = vec![VecDeque::new(); cores];
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); cores];
    let mut free_since = vec![0u64; cores];
    let (mut next, mut rounds, mut cycle, mut left) = (0, 0, 0u64, stream.len());
    let mut oldest = 0;
    // The mispredicted instruction that tasks wait for; and in rounds the first cycle of the next.
    let (mut unresolved, mut begin): (Option<usize>, u64) = (None, 0);
    while left > 0 {
        // Tasks come to cores.
        let mut fetched: Vec<Vec<usize>> = vec![Vec::new(); cores];
        if machine.mode == Mode::Rounds {
            if queues.iter().all(VecDeque::is_empty) && cycle >= begin {
                rounds += 1;
                let mut held = 0;
                while next < tasks.len() && held < cores * machine.tasks_per_core as usize {
                    fetched[held % cores].push(next);
                    held += 1;
                    next += 1;
                    if wrong[next - 1] {
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
                let empty = (0..cores).filter(|&core| queues[core].is_empty() && fetched[core].is_empty());
                let Some(core) = empty.min_by_key(|&core| free_since[core]) else { break };
                unresolved = None;
                for _ in 0..machine.tasks_per_core {
                    if next == tasks.len() || !is_room(&tasks[next]) {
                        break;
                    }
                    fetched[core].push(next);
                    next += 1;
                    if wrong[next - 1] {
                        unresolved = Some(tasks[next - 1].range.end - 1);
                        break;
                    }
                }
                if unresolved.is_some() {
                    break;
                }
            }
        }
        for (core, list) in fetched.iter().enumerate() {
            let (mut at, mut used) = (cycle, 0);
            for index in list.iter().flat_map(|&task| tasks[task].range.clone()) {
                let instruction = &stream[index].instruction;
                if used == machine.cores[core].width {
                    (at, used) = (at + 1, 0);
                }
                if machine.has_caches
                    && icaches[core].access(0, Operation::Load, instruction.pc, instruction.length).touch
                        == Touch::Miss
                {
                    (at, used) = (at + u64::from(machine.miss), 0);
                }
                used += 1;
                times[index][0] = core as u64;
                times[index][1] = at;
                queues[core].push_back(index);
                waiting[core].push(index);
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
                    optimistic && is_apart(producer)
                        || times[producer][3] != no && times[producer][3] + forward <= cycle
                });
                let by_memory = producers[index].1.iter().all(|&producer| {
                    optimistic && is_apart(producer)
                        || times[producer][3] != no && times[producer][3] <= cycle
                });
                let instruction = &stream[index].instruction;
                let is_memory = instruction.class.accesses_memory();
                let units = if is_memory { machine.cores[core].load_store } else { machine.cores[core].alus };
                if !by_register || !by_memory || (if is_memory { memory } else { alus }) == units {
                    continue;
                }
                let mut latency = machine.latencies.of(instruction.class);
                if is_memory && machine.has_caches {
                    let operation = match instruction.class {
                        Class::Load => Operation::Load,
                        Class::Store => Operation::Store,
                        _ => Operation::Atomic,
                    };
                    latency +=
                        match dcache.access(core, operation, stream[index].address, instruction.size).touch {
                            Touch::Hit => 0,
                            Touch::Upgrade => machine.upgrade,
                            Touch::Miss => machine.miss,
                        };
                }
                times[index][2] = cycle;
                times[index][3] = cycle + u64::from(latency);
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
            begin = cycle + 1 + if wrong[next - 1] { u64::from(machine.squash) } else { 0 };
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
    }
}
