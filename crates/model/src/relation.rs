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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Domain;
    use crate::ids::{ActionId, ComponentId, Origin, PoolId};
    use crate::program::{Component, Field};
    use crate::steps::{Assignment, Outcome, Part};
    use volvelle_kernel::{BinaryOp, Site};

    fn of(choices: &[Option<Choice>]) -> Program {
        let mut program = Program::new(Choice::Nondeterministic);
        let group = |&choice: &Option<Choice>| Group { choice, ..Group::new(ActionId::SILENT, Vec::new()) };
        program.groups = choices.iter().map(group).collect();
        program
    }

    #[test]
    fn kinds_are_derived() {
        use Choice::{Nondeterministic, Probabilistic, Race, Uniform};
        let kind = |choices: &[Choice]| of(&choices.iter().copied().map(Some).collect::<Vec<_>>()).kind();
        assert_eq!(of(&[]).kind(), Kind::Lts);
        assert_eq!(of(&[None, None]).kind(), Kind::Lts);
        assert_eq!(of(&[None, Some(Race)]).kind(), Kind::InteractiveMarkovChain);
        assert_eq!(kind(&[Race]), Kind::Ctmc);
        assert_eq!(kind(&[Uniform, Uniform]), Kind::Dtmc);
        assert_eq!(kind(&[Probabilistic]), Kind::Mdp);
        assert_eq!(kind(&[Probabilistic, Nondeterministic]), Kind::Mdp);
        assert_eq!(kind(&[Uniform, Nondeterministic]), Kind::Mdp);
        assert_eq!(kind(&[Race, Probabilistic]), Kind::MarkovAutomaton);
        let mut empty = of(&[]);
        empty.choice = Race;
        assert_eq!(empty.kind(), Kind::Ctmc, "a chain without a step is one all the same");
    }

    #[test]
    fn accesses_are_found_from_expressions() {
        let mut program = Program::new(Choice::Probabilistic);
        program.components.push(Component { name: "m".into() });
        for name in ["tested", "read", "written", "weighing"] {
            let domain = Domain::Int { lo: 0, hi: 9 };
            let name = name.to_owned();
            program.fields.push(Field { name, domain, component: None, length: 1, origin: Origin(0) });
        }
        let [tested, read, written, weighing] = [0, 1, 2, 3].map(FieldId);
        let (lhs, one) = (program.field(tested), program.exprs.i64(1));
        let guard = program.exprs.binary(BinaryOp::Eq, lhs, one);
        let value = program.field(read);
        let weight = program.field(weighing);
        let weight = program.exprs.convert(volvelle_kernel::Type::F64, weight);
        let assignment = Assignment { field: written, value, site: Site(0) };
        let weight = Weight::Expr { expr: weight, site: Site(0) };
        let outcome = Outcome::assigning(weight, vec![assignment], Origin(0));
        let alternative = Alternative::command(guard, vec![outcome], None, Origin(0));
        let found: Vec<_> =
            program.accesses(&alternative).into_iter().map(|a| (a.resource, a.mode)).collect();
        let field = |field| SharedResource::Field(field, Which::Constant(0));
        let expected = vec![
            (field(tested), AccessMode::Test),
            (field(read), AccessMode::Read),
            (field(written), AccessMode::Write),
            (field(weighing), AccessMode::Test),
        ];
        assert_eq!(found, expected);
        assert!(program.is_static());
        let component = Participant::component(ComponentId(0), vec![alternative]);
        program.groups.push(Group::new(ActionId::SILENT, vec![component]));
        assert!(program.is_static());
        let instance = Participant::instance(PoolId(0), Part::Alone);
        program.groups.push(Group::new(ActionId::SILENT, vec![instance]));
        assert!(!program.is_static());
    }
}
