//! The body: states and their transitions, which have to be deterministic.

use super::condition;
use super::header::{Header, refuse_conjunction};
use super::token::{Kind, T, Tokens};
use super::{HoaError, MOST};
use rustc_hash::FxHashMap;
use std::ops::Range;
use volvelle_logic::{Cube, OmegaAutomaton, OmegaEdge};
use volvelle_syntax::Parse;

/// Pairs of transitions that are compared, at most.
const MOST_PAIRS: usize = 1 << 28;

/// Reads the states up to `--END--`.
pub fn read(tokens: &mut Tokens, header: Header) -> Result<OmegaAutomaton, HoaError> {
    let mut body =
        Body { header: &header, edges: Vec::new(), defined: FxHashMap::default(), left: MOST_PAIRS };
    loop {
        match tokens.peek() {
            Kind::Header if tokens.at_header("State") => body.state(tokens)?,
            Kind::EndOfBody => break,
            Kind::Abort => {
                return Err(HoaError::new(tokens.place(), "the tool that wrote the automaton gave up"));
            }
            _ => return Err(tokens.unexpected("`State:` or `--END--`")),
        }
    }
    tokens.advance();
    if !tokens.at_end() {
        let message = "something follows after the automaton: a file holds one";
        return Err(HoaError::new(tokens.place(), message));
    }
    body.automaton()
}

struct Body<'h> {
    header: &'h Header,
    /// The transitions of the states in the order of the text.
    edges: Vec<Vec<OmegaEdge>>,
    /// For every state that is defined the place of its transitions.
    defined: FxHashMap<u64, usize>,
    /// Pairs of transitions that may still be compared.
    left: usize,
}

impl Body<'_> {
    /// `State: [label] 3 "name" {0 1}` and its transitions.
    fn state(&mut self, tokens: &mut Tokens) -> Result<(), HoaError> {
        tokens.advance();
        let of_state = self.label(tokens)?;
        let place = tokens.place();
        let state = tokens.take_number("the number of a state")?;
        check(self.header, state, &place)?;
        if self.defined.insert(state, self.edges.len()).is_some() {
            return Err(HoaError::new(place, format!("the state {state} is defined twice")));
        }
        tokens.take(Kind::Text);
        let sets_of_state = self.sets(tokens)?;
        let mut edges: Vec<OmegaEdge> = Vec::new();
        let mut unlabelled = 0u64;
        loop {
            let place = tokens.place();
            let labelled = match tokens.peek() {
                T!["["] => true,
                Kind::Number => false,
                _ => break,
            };
            let own = self.label(tokens)?;
            let at = tokens.place();
            let target = tokens.take_number("the state that the transition leads to")?;
            check(self.header, target, &at)?;
            refuse_conjunction(tokens)?;
            let sets = self.sets(tokens)? | sets_of_state;
            if labelled && (of_state.is_some() || unlabelled > 0)
                || !labelled && !edges.is_empty() && unlabelled == 0
            {
                return Err(HoaError::new(
                    place,
                    "some transitions of this state have labels of their own, others not",
                ));
            }
            let cubes = match (own, &of_state) {
                (Some(own), _) => own,
                (None, Some(shared)) => {
                    unlabelled += 1;
                    shared.clone()
                }
                (None, None) => {
                    // The letters in their order.
                    let all = u64::MAX.checked_shr(64 - self.header.propositions.len() as u32).unwrap_or(0);
                    let letter = Cube { mask: all, value: unlabelled };
                    if unlabelled > all {
                        return Err(HoaError::new(
                            place,
                            "this state has more transitions than there are letters",
                        ));
                    }
                    unlabelled += 1;
                    vec![letter]
                }
            };
            let target = u32::try_from(target).unwrap_or(u32::MAX);
            for letters in cubes {
                let edge = OmegaEdge { letters, target, sets };
                self.add(edge, &mut edges, state, &place)?;
            }
        }
        let letters = 1u64.checked_shl(self.header.propositions.len() as u32);
        if of_state.is_none() && unlabelled > 0 && Some(unlabelled) != letters {
            let message = format!(
                "the state {state} has {unlabelled} transitions without labels, one for each letter is expected"
            );
            return Err(HoaError::new(place, message));
        }
        self.edges.push(edges);
        Ok(())
    }

    /// Adds a transition that agrees with those that are there.
    fn add(
        &mut self,
        edge: OmegaEdge,
        edges: &mut Vec<OmegaEdge>,
        state: u64,
        place: &Range<usize>,
    ) -> Result<(), HoaError> {
        let too_large = || HoaError::new(place.clone(), "the automaton has too many transitions");
        self.left = self.left.checked_sub(edges.len()).ok_or_else(too_large)?;
        for known in &*edges {
            let same = known.target == edge.target && known.sets == edge.sets;
            if !same && known.letters.and(edge.letters).is_some() {
                let message = format!("not deterministic: state {state} has two transitions for one letter");
                return Err(HoaError::new(place.clone(), message)
                    .help("make it deterministic, for example with Spot: autfilt -D"));
            }
        }
        edges.push(edge);
        Ok(())
    }

    /// `[label]`
    fn label(&self, tokens: &mut Tokens) -> Result<Option<Vec<Cube>>, HoaError> {
        if !tokens.take(T!["["]) {
            return Ok(None);
        }
        let place = tokens.place();
        let (label, _) = condition::label(tokens, self.header.propositions.len(), &self.header.aliases)?;
        tokens.expect(T!["]"])?;
        condition::cubes(&label, place).map(Some)
    }

    /// `{0 1}`
    fn sets(&self, tokens: &mut Tokens) -> Result<u64, HoaError> {
        let mut sets = 0;
        if tokens.take(T!["{"]) {
            while !tokens.take(T!["}"]) {
                let place = tokens.place();
                let set = tokens.take_number("the number of an acceptance set or `}`")?;
                if set >= self.header.sets {
                    let message = format!("there is no acceptance set {set}: there are {}", self.header.sets);
                    return Err(HoaError::new(place, message));
                }
                sets |= 1 << set;
            }
        }
        Ok(sets)
    }

    /// States get numbers without gaps.
    fn automaton(self) -> Result<OmegaAutomaton, HoaError> {
        let Body { header, mut edges, defined, .. } = self;
        if let Some((state, place)) = &header.initial {
            check(header, *state, place)?;
        }
        // States without a definition have no transitions: a run ends there.
        let nowhere = edges.len() as u32;
        let number = |state: u64| defined.get(&state).map_or(nowhere, |&place| place as u32);
        let mut start = vec![0u32];
        let mut all = Vec::new();
        edges.push(Vec::new());
        for of_state in edges {
            all.extend(
                of_state.into_iter().map(|edge| OmegaEdge { target: number(u64::from(edge.target)), ..edge }),
            );
            start.push(all.len() as u32);
        }
        if all.len() > MOST {
            return Err(HoaError::new(0..0, "the automaton has too many transitions"));
        }
        Ok(OmegaAutomaton {
            propositions: header.propositions.clone(),
            initial: header.initial.as_ref().map(|(state, _)| number(*state)),
            start,
            edges: all,
            acceptance: header.acceptance.clone(),
        })
    }
}

fn check(header: &Header, state: u64, place: &Range<usize>) -> Result<(), HoaError> {
    match header.states {
        Some(states) if state >= states => {
            Err(HoaError::new(place.clone(), format!("there is no state {state}: `States:` says {states}")))
        }
        _ if state >= MOST as u64 => {
            Err(HoaError::new(place.clone(), "the number of this state is too large"))
        }
        _ => Ok(()),
    }
}
