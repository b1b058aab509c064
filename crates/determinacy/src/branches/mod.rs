//! All schedules of a program, where the schedule makes a difference for a while.
//!
//! Several units take work from one channel: which one takes what is up to the schedule, and no single path stands for all schedules. But
//! one path stands for all that make the same choices at the points that matter. What processes compete for is found by trying
//! ([`crate::contested`]); here, a path for each order of the contested steps is followed, and paths that come to the same state are
//! followed together from there on.
//!
//! *Claim.* Let a path be made like this: all steps that are not contested are taken until none is possible; then a contested step is
//! chosen among all that are possible, and so on; a `timeout` where nothing at all is possible. If each of these paths has a
//! certificate (below), then in every schedule the processes pass the locations that they pass on one of them, in the same order and with the same values.
//!
//! *Argument.* A process at a location with a contested step takes no other steps: all its steps there are contested, and so are all
//! handshakes at channels where it has offers. Let a schedule take the contested steps `y1, y2, …` in this order. By induction, all
//! that it has done before `yi+1` is on the path that chooses `y1, …, yi`:
//!
//! - Between `yi` and `yi+1` the schedule takes steps that are not contested. The path takes all of these that are possible, and has a certificate;
//!   by the argument in [`crate::order`], the schedule takes none that is not on it. (A certificate may make use of `yi` coming
//!   before `yi+1`: other orders have paths of their own.)
//! - The processes of `yi+1` are where they wait for a contested step. On the path they are there, too: nothing but contested steps leads on from such
//!   locations, and the path has taken the same ones. Whether and how they can take it depends on cells of their own; on cells that
//!   only contested steps write; on queues, of which [`crate::order`] knows; and on others of which all writes are in their past, or for all of which
//!   their guards wait. That is looked at in each state where a contested step is chosen. So `yi+1` is possible there, and is one of the choices.
//!
//! A `timeout` is possible where nothing else is. There the schedule has taken all steps of the path, since the first one that it lacks
//! would be possible. All that comes later comes after all of them, so that nothing of what was known before needs to be kept.
//!
//! Paths that come to the same state (but for variables on which nothing depends: [`crate::needed`]) go on alike. What is known on
//! them may differ, so that is joined: what is known on both, and all accesses that happened on one of them. With less knowledge there are fewer certificates, and
//! a certificate with what both know is one for each. States are looked at again when less is known than before.
//!
//! Atomic sequences restrict schedules, and are not made use of here either; so there may be paths that are no runs. Therefore all paths must
//! agree, and a run must be known that comes to the same end.

mod followed;

use crate::contested::Contested;
use crate::evaluate::Stop as Halt;
use crate::machine::Notes;
use crate::path::{Asked, Path, Reached};
use crate::program::Compiled;
use crate::refusal::Refusal;
use followed::Followed;
use volvelle_model::FieldId;

/// How often something is added to what is contested.
const MOST_ATTEMPTS: usize = 16;
/// Steps before paths branch, at most.
const MOST_FIRST: u64 = 20_000;
/// States where paths branch that are kept to look for them again, and those of which nothing is known yet, at most.
const KEPT: usize = 8_000;
/// States where paths branch without a `timeout` in between, in models that have one, at most.
const MOST_BETWEEN: usize = 4_000;

/// How the paths from some point on end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What holds where the goal is reached.
    pub reached: Option<Reached>,
    /// What is told besides at the end.
    pub observed: Option<Vec<i64>>,
    /// The locations of the processes at the end.
    pub locations: Vec<u32>,
}

impl Outcome {
    /// What is told besides, be it where the goal is reached or at the end.
    fn told(&self) -> Option<&Vec<i64>> {
        self.reached.as_ref().map(|reached| &reached.observed).or(self.observed.as_ref())
    }
}

/// The paths from some choices on.
#[derive(Debug)]
pub struct Branches {
    /// Their ends, those alike once.
    pub outcomes: Vec<Outcome>,
    /// Steps that were taken.
    pub executed: u64,
}

/// What is followed.
#[derive(Clone, Copy)]
pub struct Paths<'a, 'p> {
    pub compiled: &'a Compiled<'p>,
    pub asked: &'a Asked,
    pub goal_fields: &'a [FieldId],
    /// By field: whether something depends on it.
    pub needed: &'a [bool],
    /// Steps, at most.
    pub most: u64,
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// Why paths are not followed further.
enum Stop {
    Refused(Refusal),
    /// Something more is contested: from the beginning.
    Contested,
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        Stop::Refused(match halt {
            Halt::Failed(site) => Refusal::Failure(site),
            _ => Refusal::Irregular,
        })
    }
}

impl<'a, 'p> Paths<'a, 'p> {
    /// The beginnings of all paths: the choices of single processes before the first handshake.
    pub fn beginnings(&self, most: u64) -> Result<Vec<Vec<u32>>, Refusal> {
        let mut found = Vec::new();
        let mut open = vec![Vec::new()];
        while let Some(choices) = open.pop() {
            let mut path = self.path()?;
            let begin = begin(&mut path, &choices, &Contested::default());
            begin.map_err(|stop| stop.refusal())?;
            let chosen: Vec<u32> = path.decisions.iter().map(|&(_, chosen)| chosen).collect();
            for (n, &(options, _)) in path.decisions.iter().enumerate().skip(choices.len()) {
                open.extend((1..options).map(|option| chosen[..n].iter().copied().chain([option]).collect()));
            }
            found.push(chosen);
            if (found.len() + open.len()) as u64 > most || (self.is_cancelled)() {
                return Err(Refusal::Limit);
            }
        }
        Ok(found)
    }

    /// How a run ends that begins with some choices. Elsewhere it takes the first step that is possible.
    pub fn run(&self, choices: &[u32]) -> Option<(Path<'a, 'p>, u64)> {
        let mut path = self.path().ok()?;
        begin(&mut path, choices, &Contested::default()).ok()?;
        path.machine.has_every_partner = true;
        let mut current = 0;
        let (mut moves, mut notes) = (Vec::new(), Notes::default());
        let mut executed = path.executed;
        while path.reached.is_none() {
            if path.next(current, &mut moves, &mut notes).ok()?.is_none()
                && !path.next_at_timeout(&mut moves, &mut notes).ok()?
            {
                break;
            }
            if executed >= self.most {
                return None;
            }
            let mut event = path.perform(moves[0], std::mem::take(&mut notes), None).ok()?;
            path.look_for_goal(&mut event).ok()?;
            path.push(event);
            executed += 1;
            current = moves[0].slot;
        }
        Some((path, executed))
    }

    fn path(&self) -> Result<Path<'a, 'p>, Refusal> {
        Path::new(self.compiled, self.asked, None).map_err(|_| Refusal::Irregular)
    }

    /// All paths that begin with some choices.
    pub fn follow(&self, choices: &[u32]) -> Result<Branches, Refusal> {
        let mut contested = Contested::default();
        let mut executed = 0;
        for _ in 0..MOST_ATTEMPTS {
            let mut followed = Followed::new(*self, self.path()?, contested, executed);
            match followed.all(choices) {
                Ok(()) => {
                    let Followed { outcomes, executed, .. } = followed;
                    return Ok(Branches { outcomes, executed });
                }
                Err(Stop::Refused(refusal)) => return Err(refusal),
                Err(Stop::Contested) => (contested, executed) = (followed.contested, followed.executed),
            }
        }
        Err(Refusal::Limit)
    }
}

impl Stop {
    fn refusal(self) -> Refusal {
        match self {
            Stop::Refused(refusal) => refusal,
            Stop::Contested => Refusal::Limit,
        }
    }
}

/// Takes steps of single processes as long as there are, and none is contested. Further decisions than those that were made take the first option.
fn begin(path: &mut Path<'_, '_>, choices: &[u32], contested: &Contested) -> Result<(), Stop> {
    let mut current = 0;
    let (mut moves, mut notes) = (Vec::new(), Notes::default());
    while path.next(current, &mut moves, &mut notes)?.is_some() {
        let slot = moves[0].slot;
        let is_alone = moves.iter().all(|step| step.partner.is_none());
        if !is_alone || contested.concerns(&mut path.machine, slot)?.0 {
            break;
        }
        if path.executed >= MOST_FIRST {
            return Err(Stop::Refused(Refusal::Limit));
        }
        let mut chosen = 0;
        if moves.len() > 1 {
            chosen = choices.get(path.decisions.len()).copied().unwrap_or(0);
            path.decisions.push((moves.len() as u32, chosen));
        }
        let step = moves[(chosen as usize).min(moves.len() - 1)];
        let mut event = path.perform(step, std::mem::take(&mut notes), None)?;
        path.executed += 1;
        path.look_for_goal(&mut event)?;
        path.push(event);
        current = slot;
    }
    Ok(())
}
