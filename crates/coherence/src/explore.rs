//! All configurations that a protocol can reach, breadth first.
//!
//! For a given number of caches this is a search of the machine itself, up to the exchange of caches. For any number of caches the counts
//! are abstracted to 0, 1 and many, as in the symbolic states of F. Pong, M. Dubois, *Verification techniques for cache coherence
//! protocols*, ACM Computing Surveys 29(1), 1997, 82-126, doi:10.1145/248621.248624; unlike there, "at least one" is split into one and
//! many, and configurations that others cover are kept: there are few. Every run of a machine has its abstract run, so that an error
//! which no abstract run has, no machine has.

use crate::counts::{Caches, Class, Counts};
use crate::protocol::{Protocol, Source};
use crate::step::{Access, outcome};
use crate::violation::Violation;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Configurations after which a search gives up. Protocols of the literature have some tens.
const MOST_CONFIGURATIONS: usize = 1 << 16;

/// What a search found.
pub(crate) struct Exploration {
    /// How many configurations were reached.
    pub configurations: usize,
    /// Whether there are more.
    pub gave_up: bool,
    /// By row: an access has used it.
    pub used: Vec<bool>,
    /// A shortest way to an error, of which the last access is wrong.
    pub error: Option<(Vec<Access>, Violation)>,
}

/// Searches for an error until there is one or nothing is left.
pub(crate) fn explore(protocol: &Protocol, caches: Caches) -> Exploration {
    let initial = Counts::initial(caches);
    let mut search = Search {
        protocol,
        caches,
        seen: HashMap::from([(initial, 0)]),
        reached: vec![(initial, None)],
        used: vec![false; protocol.row_count()],
    };
    let mut next = 0;
    let mut error = None;
    while next < search.reached.len() && search.reached.len() < MOST_CONFIGURATIONS {
        if let Some((access, violation)) = search.expand(next) {
            error = Some((search.way(next, access), violation));
            break;
        }
        next += 1;
    }
    let gave_up = error.is_none() && next < search.reached.len();
    Exploration { configurations: search.reached.len(), gave_up, used: search.used, error }
}

struct Search<'p> {
    protocol: &'p Protocol,
    caches: Caches,
    /// Configurations and their numbers.
    seen: HashMap<Counts, u32>,
    /// Configurations by number, and how each was reached first.
    reached: Vec<(Counts, Option<(u32, Access)>)>,
    used: Vec<bool>,
}

impl Search<'_> {
    /// Adds what follows a configuration, or returns what goes wrong in it.
    fn expand(&mut self, at: usize) -> Option<(Access, Violation)> {
        let (protocol, caches) = (self.protocol, self.caches);
        let from = self.reached[at].0;
        let states = protocol.states.len();
        for requester in Class::all(states).filter(|&class| from.has(class, caches)) {
            for others in from.without(requester, caches) {
                let strongest = others.strongest();
                for &operation in protocol.operations() {
                    let access = Access { operation, requester, provider: None };
                    let own = requester.state();
                    let Some(rule) = protocol.rule(operation, own, strongest) else {
                        return Some((access, Violation::Missing { own, strongest }));
                    };
                    self.used[rule.row] = true;
                    let is_provided = protocol.transfer(rule.transfer).source == Source::Provider;
                    // Of several caches in the strongest state, any one may provide the line.
                    let provides = |class: &Class| {
                        is_provided
                            && *class != Class::INVALID
                            && class.state() == strongest
                            && others.get(*class) > 0
                    };
                    let mut providers = Class::all(states).filter(provides).map(Some).peekable();
                    let nobody = providers.peek().is_none().then_some(None);
                    for provider in providers.chain(nobody) {
                        let access = Access { provider, ..access };
                        let outcome = outcome(protocol, others, access, rule, caches);
                        if let Some(violation) = outcome.violation(protocol, others, access, rule) {
                            return Some((access, violation));
                        }
                        let mut to = outcome.others;
                        to.add(outcome.requester, 1, caches);
                        let number = self.reached.len() as u32;
                        if let Entry::Vacant(vacant) = self.seen.entry(to) {
                            vacant.insert(number);
                            self.reached.push((to, Some((at as u32, access))));
                        }
                    }
                }
            }
        }
        None
    }

    /// How a configuration was reached, and then one more access.
    fn way(&self, at: usize, last: Access) -> Vec<Access> {
        let mut way = vec![last];
        let mut at = at;
        while let Some((from, access)) = self.reached[at].1 {
            way.push(access);
            at = from as usize;
        }
        way.reverse();
        way
    }
}
