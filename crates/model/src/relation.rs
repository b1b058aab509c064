//! Properties derived from the steps of a program: its kind, whether it is static, the accesses of its
//! alternatives.

use crate::accesses::{Access, AccessMode, SharedResource, Which};
use crate::ids::{FieldId, SortId};
use crate::offers::{Item, Offer};
use crate::program::Program;
use crate::steps::{Alternative, Choice, Effect, Group, Kind, Participant, Weight, Who};
use volvelle_kernel::Type;

impl Program {
    /// The kind of model that follows from its steps.
    pub fn kind(&self) -> Kind {
        let (mut race, mut uniform, mut probabilistic, mut free) = (false, false, false, false);
        let choices = self.groups.iter().map(|group| self.choice_of(group));
        for choice in choices.chain(self.groups.is_empty().then_some(self.choice)) {
            match choice {
                Choice::Race => race = true,
                Choice::Uniform => uniform = true,
                Choice::Probabilistic => probabilistic = true,
                Choice::Nondeterministic => free = true,
            }
        }
        match (race, uniform, probabilistic) {
            (true, false, false) if free => Kind::InteractiveMarkovChain,
            (true, false, false) => Kind::Ctmc,
            (true, ..) => Kind::MarkovAutomaton,
            (false, true, false) if !free => Kind::Dtmc,
            (false, false, false) => Kind::Lts,
            (false, ..) => Kind::Mdp,
        }
    }

    /// How steps of a group are chosen, which also says what their weights mean.
    pub fn choice_of(&self, group: &Group) -> Choice {
        group.choice.unwrap_or(self.choice)
    }

    /// The name of a participant: of a component, or of a pool of instances.
    pub fn participant_name(&self, participant: &Participant) -> &str {
        match participant.who {
            Who::Component(component) => &self.components[component.index()].name,
            Who::Instance(pool, _) => &self.network.pools[pool.index()].name,
        }
    }

    /// Whether all components are fixed and assign in parallel.
    pub fn is_static(&self) -> bool {
        let is_plain = |p: &Participant| {
            let mut outcomes = p.alternatives.iter().flat_map(|a| &a.outcomes);
            p.as_component().is_some()
                && p.alternatives.iter().all(|a| a.offer.as_ref().is_none_or(|offer| offer.at.is_none()))
                && outcomes.all(|o| matches!(o.effect, Effect::Assignments(_)))
        };
        self.groups.iter().flat_map(|g| &g.participants).all(is_plain)
    }

    /// The sorts of an alternative's items. Alternatives fit only if their sorts are equal.
    pub fn item_sorts(&self, alternative: &Alternative) -> Vec<SortId> {
        let Some(offer) = &alternative.offer else { return Vec::new() };
        let of = |(k, item): (usize, &Item)| {
            let ty = match *item {
                Item::Give(value) => self.exprs.ty(value),
                Item::Take(domain) => domain.ty(),
            };
            let by_type = if ty == Type::Bool { SortId::BOOLEAN } else { SortId::INTEGER };
            offer.sorts.get(k).copied().unwrap_or(by_type)
        };
        offer.items.iter().enumerate().map(of).collect()
    }

    /// Number of values of the longest offer of fixed components.
    pub fn longest_offer(&self) -> usize {
        let alternatives = self.groups.iter().flat_map(|g| &g.participants).flat_map(|p| &p.alternatives);
        alternatives.map(|a| a.items().len()).max().unwrap_or(0)
    }

    /// Whether steps of some groups yield to those of others.
    pub fn has_classes(&self) -> bool {
        let highest = self.groups.iter().map(|group| group.class.urgency).max().unwrap_or(0);
        self.groups.iter().any(|group| group.class.yields_above.is_some_and(|most| most < highest))
    }

    /// The groups in the order in which the choices of a state are numbered: the more urgent first if some
    /// yield to others, then as they are listed.
    pub fn groups_by_urgency(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        if self.has_classes() {
            order.sort_by_key(|&group| std::cmp::Reverse(self.groups[group].class.urgency));
        }
        order
    }

    /// The accesses of an alternative: the listed ones if an effect is a block, else those of its guard,
    /// offer, weights and assignments.
    pub fn accesses(&self, alternative: &Alternative) -> Vec<Access> {
        if alternative.outcomes.iter().any(|o| matches!(o.effect, Effect::Block(_))) {
            return alternative.accesses.clone();
        }
        let mut all = Vec::new();
        let mut add = |fields: Vec<FieldId>, mode| {
            let resource = |field| SharedResource::Field(field, Which::Constant(0));
            all.extend(fields.into_iter().map(|field| Access { resource: resource(field), mode }));
        };
        add(self.reads(alternative.guard), AccessMode::Test);
        for value in alternative.offer.iter().flat_map(Offer::given) {
            // The value decides which other offers fit.
            add(self.reads(value), AccessMode::Test);
        }
        for outcome in &alternative.outcomes {
            if let Weight::Expr { expr, .. } = outcome.weight {
                add(self.reads(expr), AccessMode::Test);
            }
            for assignment in outcome.assignments() {
                add(self.reads(assignment.value), AccessMode::Read);
                add(vec![assignment.field], AccessMode::Write);
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}
