//! Claims that a walk follows: what is decided about them in each of its states.
//!
//! The automata are those with which `check` searches. A claim reads each state outside atomic sequences, as it does there.

use crate::claims::{self, MAX_PROPOSITIONS};
use crate::runs::{Runnable, Simulation};
use crate::verdict::no_automaton;
use volvelle_automata::buchi::{Monitor, Position};
use volvelle_diagnostics::{Diagnostic, Severity, codes};
use volvelle_model::claim::{Claim, ClaimState};
use volvelle_session::Model;
use volvelle_session::language::Claimed;

/// The claims of a walk, each with its positions on the way.
#[derive(Clone, Debug, Default)]
pub struct FollowedClaims {
    claims: Vec<FollowedClaim>,
    /// The labels that they read, in the order of their bits.
    labels: Vec<usize>,
}

#[derive(Clone, Debug)]
struct FollowedClaim {
    title: String,
    monitor: Monitor,
    /// The bit of each of its propositions.
    bits: Vec<usize>,
    /// The states of a never claim in words; none of a formula.
    states: Vec<String>,
    /// Behind so many steps.
    positions: Vec<Position>,
}

/// The end of a never claim.
const END: &str = "its end";

/// What a claim is called, and the states of a never claim.
fn described(claimed: &Claimed<'_>) -> (String, Vec<String>) {
    let Claimed { name, text, claim, lines } = claimed;
    let states = match claim {
        Claim::Ltl(_) if name == text => return (text.clone(), Vec::new()),
        Claim::Ltl(_) => return (format!("ltl {name}"), Vec::new()),
        Claim::Never(states) => states,
    };
    let title = if *name == "never" { "never claim".to_owned() } else { format!("never claim {name}") };
    let state = |(state, line): (&ClaimState, &Option<usize>)| match line {
        Some(line) if !state.is_end && state.is_accepting => format!("line {line} (accepting)"),
        Some(line) if !state.is_end => format!("line {line}"),
        _ => END.to_owned(),
    };
    (title, states.iter().zip(lines).map(state).collect())
}

/// What is known of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimStanding {
    /// How it is called: `ltl mutex`.
    pub title: String,
    /// Whether it holds, where that is decided.
    pub verdict: Option<bool>,
    /// In a few words.
    pub text: String,
}

impl FollowedClaims {
    /// The claims of a model with these names, or all of them if there are none; and why some are not followed.
    pub fn of(model: &Model, runnable: &Runnable, wanted: &[String]) -> (Self, Vec<Diagnostic>) {
        let (mut followed, mut said) = (FollowedClaims::default(), Vec::new());
        let Some(document) = runnable.document().and_then(|document| document.processes()) else {
            return (followed, said);
        };
        for (number, claimed) in document.claims(&model.sources).into_iter().enumerate() {
            if !wanted.is_empty() && wanted.iter().all(|name| name != claimed.name) {
                continue;
            }
            let why = match claims::monitor(claimed.claim) {
                Ok((monitor, labels)) => match followed.bits(&labels) {
                    Some(bits) => {
                        let (title, states) = described(&claimed);
                        let positions = vec![monitor.beginning()];
                        followed.claims.push(FollowedClaim { title, monitor, bits, states, positions });
                        continue;
                    }
                    None => Diagnostic::warning(
                        codes::UNSUPPORTED_CONSTRUCT,
                        format!(
                            "the claim `{}` is not followed: the claims have too many propositions",
                            claimed.name
                        ),
                    )
                    .help(format!("follow it alone: --prop {}", claimed.name)),
                },
                Err(why) => no_automaton(&why, claimed.name),
            };
            // The model may be walked through without the claims that nobody asked for.
            let severity = if wanted.is_empty() { Severity::Warning } else { why.severity };
            said.push(document.at_claim(Diagnostic { severity, ..why }, number));
        }
        (followed, said)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.claims.is_empty()
    }

    /// The labels that they read, in the order of their bits.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The bits of labels; `None` if there are too many.
    fn bits(&mut self, labels: &[usize]) -> Option<Vec<usize>> {
        let new = labels.iter().filter(|label| !self.labels.contains(label)).count();
        if self.labels.len() + new > MAX_PROPOSITIONS {
            return None;
        }
        let bit = |&label: &usize| {
            let known = self.labels.iter().position(|&known| known == label);
            known.unwrap_or_else(|| {
                self.labels.push(label);
                self.labels.len() - 1
            })
        };
        Some(labels.iter().map(bit).collect())
    }

    /// Reads what a run has passed; gives a sentence for each claim about which that says something new.
    pub fn read(&mut self, run: &Simulation<'_>) -> Vec<String> {
        let is_over = run.choices() == 0;
        self.claims.iter_mut().filter_map(|claim| claim.read(run.letters(), is_over)).collect()
    }

    /// Returns to behind so many steps.
    pub fn back_to(&mut self, steps: usize) {
        // The initial state is read, too.
        self.claims.iter_mut().for_each(|claim| claim.positions.truncate(steps + 2));
    }

    /// What is known of each claim in the state of a run.
    pub fn standings(&self, run: &Simulation<'_>) -> Vec<ClaimStanding> {
        let is_over = run.choices() == 0;
        self.claims.iter().map(|claim| claim.standing(run.letters(), is_over)).collect()
    }
}

impl FollowedClaim {
    /// The propositions of the claim, from those of all.
    fn own(&self, letter: u64) -> u64 {
        (0..).zip(&self.bits).map(|(own, &bit)| (letter >> bit & 1) << own).sum()
    }

    fn now(&self) -> &Position {
        &self.positions[self.positions.len() - 1]
    }

    fn read(&mut self, letters: &[u64], is_over: bool) -> Option<String> {
        let before = self.now().clone();
        let now = letters.iter().fold(before.clone(), |at, &letter| self.monitor.read(&at, self.own(letter)));
        let known = self.monitor.verdict(&before);
        self.positions.push(now);
        let standing = self.standing(letters, is_over);
        let is_new =
            known.is_none() && standing.verdict.is_some() || self.place(&before) != self.place(self.now());
        is_new.then(|| format!("{}: {}", standing.title, standing.text))
    }

    fn standing(&self, letters: &[u64], is_over: bool) -> ClaimStanding {
        let word = |holds: bool| if holds { "holds" } else { "violated" };
        let decided = self.monitor.verdict(self.now());
        let at_end = letters.last().filter(|_| is_over && decided.is_none());
        let repeated = at_end.map(|&letter| self.monitor.verdict_if_repeated(self.now(), self.own(letter)));
        let (verdict, text) = match (decided, repeated) {
            (Some(holds), _) => (decided, format!("{}, whatever follows", word(holds))),
            (None, Some(holds)) => (repeated, format!("{}, as nothing happens any more", word(holds))),
            (None, None) => (None, self.place(self.now()).unwrap_or_else(|| "open".to_owned())),
        };
        ClaimStanding { title: self.title.clone(), verdict, text }
    }

    /// Where a never claim is: `at line 7, or line 9 (accepting)`; nothing to say of a formula.
    fn place(&self, at: &Position) -> Option<String> {
        if self.states.is_empty() {
            return None;
        }
        // The last state of the automaton stands for the end of the text.
        let place = |&state: &u32| self.states.get(state as usize).map_or(END, String::as_str);
        let places: Vec<&str> = at.states().iter().map(place).collect();
        (!places.is_empty()).then(|| format!("at {}", places.join(", or ")))
    }
}
