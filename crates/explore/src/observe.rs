//! Labels, state rewards and numeric observations of all states, by compiled code, on all threads.

use crate::error::{ExploreError, Reached};
use crate::store::StateTable;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use volvelle_control::Control;
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{BufferMut, Code, CompileError, Compiler, Effort, Exit, Kernel, Site};
use volvelle_model::kernels::{self, Selection};
use volvelle_model::{Layout, Program};
use volvelle_space::{Accuracy, BitSet, RewardVectors, StateId, UNDEFINED, Values};

/// States that a thread takes at once: a multiple of 64, so that no two threads write one word of a bit set.
const CHUNK: usize = 1 << 13;

/// States of a program to be observed.
pub struct Observing<'a> {
    pub program: &'a Program,
    pub layout: &'a Layout,
    pub states: &'a StateTable,
    /// The selected structures that have transition rewards.
    pub structures: &'a [usize],
    /// The progress to report if the evaluation is stopped.
    pub reached: Reached,
    /// Machine code of this kind, to test it.
    pub code: Option<Effort>,
}

/// The values of labels, rewards and numeric observations in the states of a space.
pub struct Observations {
    pub labels: Vec<(String, BitSet)>,
    pub rewards: Vec<RewardVectors>,
    pub numbers: Vec<Vec<f64>>,
    /// For every number, the first state in which its expression failed but the alternative one did not.
    pub replaced: Vec<Option<StateId>>,
    /// Whether machine code was compiled for them.
    pub compiled: bool,
}

impl Observing<'_> {
    /// Evaluates the selected observations; `transition_rewards` are those of `structures`, evaluated before.
    pub fn all(
        &self,
        transition_rewards: Vec<Values>,
        compiler: &dyn Compiler,
        selection: &Selection,
        control: &Control<'_>,
    ) -> Result<Observations, ExploreError> {
        let Observing { program, layout, states, structures, reached, code } = *self;
        // A structure without state rewards needs no vector of zeros.
        let mut selection = selection.clone();
        selection.rewards.retain(|&r| !program.rewards[r].states.is_empty());
        let code = code.or_else(|| effort(states.len()));
        let (compiler, effort): (&dyn Compiler, _) = match code {
            Some(effort) => (compiler, effort),
            None => (&Interpreter, Effort::Usual),
        };
        let compiled = code.is_some() && !selection.is_empty();
        let compile = |kernel: &Kernel| {
            let made = compiler.compile_with(kernel, effort);
            // It is run once: no code is better than code that takes seconds.
            made.or_else(|_| Interpreter.compile(kernel))
        };
        let evaluate =
            |selection: &Selection| observe(program, layout, states, &compile, selection, control, reached);
        let mut replaced = vec![None; program.numbers.len()];
        let observed = match evaluate(&selection) {
            // It is unknown which number failed, so those that may fail are evaluated one by one.
            Err(ExploreError::Failed { .. }) if self.may_fail(&selection).next().is_some() => {
                let apart: Vec<usize> = self.may_fail(&selection).collect();
                let mut rest = selection.clone();
                rest.numbers.retain(|number| !apart.contains(number));
                let mut observed = evaluate(&rest)?;
                for number in apart {
                    control.check().map_err(|stop| ExploreError::Stopped { stop, reached })?;
                    (observed.numbers[number], replaced[number]) = self.number(number, &compile)?;
                }
                observed
            }
            observed => observed?,
        };
        let mut transition_rewards = transition_rewards.into_iter();
        let mut state_rewards = observed.rewards.into_iter();
        // Rewards take few different values, as a rule: they are coded.
        let coded = |rewards: Vec<f64>| rewards.into_iter().collect();
        let rewards = program.rewards.iter().enumerate().map(|(i, r)| RewardVectors {
            name: r.name.clone().unwrap_or_default(),
            state: if selection.rewards.contains(&i) { state_rewards.next().map(coded) } else { None },
            choice: if structures.contains(&i) { transition_rewards.next() } else { None },
            accuracy: Accuracy::default(),
            mixed: false,
        });
        let (labels, numbers) = (observed.labels, observed.numbers);
        Ok(Observations { rewards: rewards.collect(), labels, numbers, replaced, compiled })
    }

    /// The selected numbers that may fail without ending the evaluation.
    fn may_fail<'s>(&'s self, selection: &'s Selection) -> impl Iterator<Item = usize> + 's {
        let numbers = &self.program.numbers;
        selection.numbers.iter().copied().filter(|&number| numbers[number].otherwise.is_some())
    }

    /// A number in every state, and the first state in which only its alternative expression has a value.
    fn number(
        &self,
        number: usize,
        compile: Compile<'_>,
    ) -> Result<(Vec<f64>, Option<StateId>), ExploreError> {
        let selection = Selection { numbers: vec![number], ..Selection::default() };
        let Observing { program, layout, states, .. } = *self;
        let kernel = |program: &Program| compile(&kernels::observe(program, layout, &selection).kernel);
        let mut second = program.clone();
        second.numbers[number].expr =
            program.numbers[number].otherwise.unwrap_or(program.numbers[number].expr);
        let codes = [kernel(program)?, kernel(&second)?];
        let evaluate = |code: &dyn Code, packed: &[u64], values: &mut [f64]| {
            let range = [0, values.len() as u64];
            let mut buffers =
                [BufferMut::ReadU64(packed), BufferMut::ReadU64(&range), BufferMut::F64(values)];
            code.run(&[], &mut buffers) == Exit::Done
        };
        let mut values = vec![0.0; states.len()];
        let mut replaced = None;
        let mut done = 0;
        while done < values.len() {
            let packed = states.run(done, CHUNK.min(values.len() - done));
            let run = packed.len() / states.words();
            let here = &mut values[done..done + run];
            if !evaluate(&*codes[0], packed, here) {
                for (i, value) in here.iter_mut().enumerate() {
                    let (state, value) = (states.get(done + i), std::slice::from_mut(value));
                    if evaluate(&*codes[0], state, value) {
                        continue;
                    }
                    if evaluate(&*codes[1], state, value) {
                        replaced = replaced.or(Some(StateId((done + i) as u32)));
                    } else {
                        value[0] = UNDEFINED;
                    }
                }
            }
            done += run;
        }
        Ok((values, replaced))
    }
}

/// The site at which the expression of a number fails in a state, if it does.
pub fn failing_site(program: &Program, layout: &Layout, number: usize, state: &[u64]) -> Option<Site> {
    let selection = Selection { numbers: vec![number], ..Selection::default() };
    let mut program = program.clone();
    let observation = &mut program.numbers[number];
    observation.expr = observation.otherwise.unwrap_or(observation.expr);
    let code = Interpreter.compile(&kernels::observe(&program, layout, &selection).kernel).ok()?;
    let (range, mut value) = ([0, 1], [0.0]);
    let mut buffers = [BufferMut::ReadU64(state), BufferMut::ReadU64(&range), BufferMut::F64(&mut value)];
    match code.run(&[], &mut buffers) {
        Exit::Failed(site) => Some(site),
        _ => None,
    }
}

/// Number of states up to which interpreting is faster than compiling; and from which on better code pays.
const FEW: usize = 256;
const MANY: usize = 1 << 19;

/// The effort of compilation for a number of states; `None` means to interpret.
fn effort(states: usize) -> Option<Effort> {
    match states {
        0..=FEW => None,
        MANY.. => Some(Effort::Usual),
        _ => Some(Effort::Quick),
    }
}

/// All observations. `labels` and `numbers` have an element per observation of the program (empty if not
/// selected); `rewards` one per *selected* structure.
struct Observed {
    labels: Vec<(String, BitSet)>,
    rewards: Vec<Vec<f64>>,
    numbers: Vec<Vec<f64>>,
}

/// The results of one chunk.
struct Chunk {
    first: usize,
    labels: Vec<Vec<u64>>,
    reals: Vec<Vec<f64>>,
}

/// Compiles a kernel.
type Compile<'a> = &'a dyn Fn(&Kernel) -> Result<Box<dyn Code>, CompileError>;

/// Evaluates the selected observations in all states.
fn observe(
    program: &Program,
    layout: &Layout,
    states: &StateTable,
    compile: Compile<'_>,
    selection: &Selection,
    control: &Control<'_>,
    reached: Reached,
) -> Result<Observed, ExploreError> {
    let n = states.len();
    let mut label_words = vec![vec![0u64; n.div_ceil(64)]; selection.labels.len()];
    let mut reals = vec![vec![0f64; n]; selection.rewards.len() + selection.numbers.len()];
    if !selection.is_empty() {
        let kernel = kernels::observe(program, layout, selection);
        let code = compile(&kernel.kernel)?;
        let results = Mutex::new((&mut label_words, &mut reals));
        let next = AtomicUsize::new(0);
        let error: Mutex<Option<(usize, ExploreError)>> = Mutex::new(None);
        let work = || {
            loop {
                let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                if first >= n {
                    break;
                }
                let chunk = control
                    .check()
                    .map_err(|stop| ExploreError::Stopped { stop, reached })
                    .and_then(|()| evaluate(&*code, selection, states, layout, first, n));
                match chunk {
                    Ok(chunk) => {
                        let mut results =
                            results.lock().expect("no thread panics while it holds the results");
                        let (labels, reals) = &mut *results;
                        store(chunk, labels, reals);
                    }
                    Err(e) => {
                        // Report the failure of the smallest state, whichever came first.
                        let mut error = error.lock().expect("no thread panics while it holds the error");
                        if error.as_ref().is_none_or(|(known, _)| first < *known) {
                            *error = Some((first, e));
                        }
                        break;
                    }
                }
            }
        };
        if control.threads <= 1 || n <= CHUNK {
            work();
        } else {
            std::thread::scope(|scope| {
                for _ in 0..control.threads {
                    scope.spawn(work);
                }
            });
        }
        if let Some((_, error)) = error.into_inner().expect("the threads are gone") {
            return Err(error);
        }
    }
    let mut label_words = label_words.into_iter();
    let labels = program.labels.iter().enumerate().map(|(i, label)| {
        let words = if selection.labels.contains(&i) { label_words.next() } else { None };
        (label.name.clone().unwrap_or_default(), BitSet::from_words(words.unwrap_or_default(), n))
    });
    let labels = labels.collect();
    let numbers = reals.split_off(selection.rewards.len());
    let mut numbers = numbers.into_iter();
    let numbers = (0..program.numbers.len())
        .map(|i| if selection.numbers.contains(&i) { numbers.next().unwrap_or_default() } else { Vec::new() })
        .collect();
    Ok(Observed { labels, rewards: reals, numbers })
}

fn evaluate(
    code: &dyn Code,
    selection: &Selection,
    states: &StateTable,
    layout: &Layout,
    first: usize,
    n: usize,
) -> Result<Chunk, ExploreError> {
    let count = CHUNK.min(n - first);
    let mut flags = vec![vec![0u8; count]; selection.labels.len()];
    let mut reals = vec![vec![0f64; count]; selection.rewards.len() + selection.numbers.len()];
    let mut done = 0;
    while done < count {
        let packed = states.run(first + done, count - done);
        let run = packed.len() / states.words();
        let range = [0, run as u64];
        let mut buffers = vec![BufferMut::ReadU64(packed), BufferMut::ReadU64(&range)];
        buffers.extend(flags.iter_mut().map(|f| BufferMut::U8(&mut f[done..done + run])));
        buffers.extend(reals.iter_mut().map(|r| BufferMut::F64(&mut r[done..done + run])));
        match code.run(&[], &mut buffers) {
            Exit::Done => {}
            Exit::Failed(site) => {
                // Which state failed is not recorded by the kernel: try them one by one.
                let state = first + done + first_failure(code, selection, states.words(), packed);
                let values = layout.unpack(states.get(state));
                let state = Some(StateId(state as u32));
                return Err(ExploreError::Failed { site, values, state, path: Vec::new() });
            }
            exit => unreachable!("the observation kernel ended with {exit:?}"),
        }
        done += run;
    }
    let pack = |flags: &Vec<u8>| {
        flags.chunks(64).map(|c| c.iter().rev().fold(0u64, |word, &f| word << 1 | f as u64)).collect()
    };
    Ok(Chunk { first, labels: flags.iter().map(pack).collect(), reals })
}

fn first_failure(code: &dyn Code, selection: &Selection, words: usize, packed: &[u64]) -> usize {
    let fails = |state: &&[u64]| {
        let mut flags = vec![[0u8]; selection.labels.len()];
        let mut reals = vec![[0f64]; selection.rewards.len() + selection.numbers.len()];
        let range = [0, 1];
        let mut buffers = vec![BufferMut::ReadU64(state), BufferMut::ReadU64(&range)];
        buffers.extend(flags.iter_mut().map(|f| BufferMut::U8(&mut f[..])));
        buffers.extend(reals.iter_mut().map(|r| BufferMut::F64(&mut r[..])));
        code.run(&[], &mut buffers) != Exit::Done
    };
    packed.chunks_exact(words).position(|state| fails(&state)).unwrap_or(0)
}

fn store(chunk: Chunk, labels: &mut [Vec<u64>], reals: &mut [Vec<f64>]) {
    let word = chunk.first / 64;
    for (words, all) in chunk.labels.into_iter().zip(labels) {
        all[word..word + words.len()].copy_from_slice(&words);
    }
    for (values, all) in chunk.reals.into_iter().zip(reals) {
        all[chunk.first..chunk.first + values.len()].copy_from_slice(&values);
    }
}
