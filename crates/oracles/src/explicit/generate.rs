//! Small models of every kind, chosen by bytes.

use dashu_ratio::RBig;
use volvelle_explicit::{
    Actions, Annotation, Column, Control, Distribution, Entity, Label, Model, Numbers, Observations, Players,
    Reward, Rows, Texts, Time, Valuations, Variable,
};
use volvelle_space::{BitSet, RatiosBuilder};

/// Choices made by bytes; behind their end by a sequence that they start.
pub struct Draws<'a> {
    bytes: &'a [u8],
    state: u64,
}

/// How the numbers of a generated model are written down.
#[derive(Clone, Copy)]
struct Style {
    exact: bool,
    interval: bool,
}

const NAMES: [&str; 8] = ["done", "x", "two words", "Ünïcode ⏱", "q\"uote", "a_b", "x2", "9lives"];

impl<'a> Draws<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let hash = |state: u64, &byte: &u8| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Draws { bytes, state: bytes.iter().fold(0xcbf2_9ce4_8422_2325, hash) }
    }

    /// A number below `bound`, which is at least 1.
    pub fn below(&mut self, bound: u64) -> u64 {
        let draw = match self.bytes.split_first() {
            Some((&byte, rest)) => {
                self.bytes = rest;
                u64::from(byte)
            }
            None => {
                self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                self.state >> 40
            }
        };
        draw % bound
    }

    fn flip(&mut self) -> bool {
        self.below(2) == 1
    }

    /// Whether something rare happens.
    fn rarely(&mut self) -> bool {
        self.below(5) == 0
    }

    fn set(&mut self, len: usize) -> BitSet {
        BitSet::of(len, (0..len).filter(|_| self.flip()).collect::<Vec<_>>())
    }

    /// Different names.
    fn names(&mut self, count: usize) -> Vec<String> {
        let first = self.below(NAMES.len() as u64) as usize;
        (0..count).map(|i| NAMES[(first + i) % NAMES.len()].to_owned()).collect()
    }

    fn rows(&mut self, rows: usize, least: u64, most: u64) -> Rows {
        let mut starts = vec![0];
        for _ in 0..rows {
            let length = least + self.below(most - least + 1);
            starts.push(starts.last().expect("a start") + length as u32);
        }
        Rows::from_starts(starts)
    }

    /// Weights of rows that sum to 1, exactly in doubles, too.
    fn distributions(&mut self, rows: &Rows, style: Style) -> Numbers {
        let mut parts = Vec::new();
        for row in 0..rows.len() {
            let length = rows.range(row).len();
            // The last one gets the rest of 64.
            let mut left = 64u64;
            for i in 0..length {
                let part = if i + 1 == length { left } else { self.below(left + 1) };
                left -= part;
                parts.push(part);
            }
        }
        self.sixty_fourths(&parts, style)
    }

    fn sixty_fourths(&mut self, parts: &[u64], style: Style) -> Numbers {
        let exact = |part: u64| RBig::from_parts(part.into(), 64u8.into());
        let double = |part: u64| part as f64 / 64.0;
        let bounds: Vec<[u64; 2]> = match style.interval {
            true => parts.iter().map(|&part| [part - self.below(part + 1), part + self.below(5)]).collect(),
            false => parts.iter().map(|&part| [part; 2]).collect(),
        };
        match (style.exact, style.interval) {
            (true, true) => {
                let mut all = RatiosBuilder::default();
                bounds.iter().flatten().for_each(|&part| all.push(exact(part)));
                Numbers::ExactInterval(all.finish())
            }
            (true, false) => Numbers::Exact(parts.iter().map(|&part| exact(part)).collect()),
            (false, true) => Numbers::DoubleInterval(bounds.iter().map(|pair| pair.map(double)).collect()),
            (false, false) => Numbers::Double(parts.iter().map(|&part| double(part)).collect()),
        }
    }

    fn numbers(&mut self, count: usize, style: Style) -> Numbers {
        let parts: Vec<u64> = (0..count).map(|_| self.below(200)).collect();
        self.sixty_fourths(&parts, style)
    }

    /// A correct model.
    pub fn model(&mut self) -> Model {
        let time = [Time::Discrete, Time::Discrete, Time::Stochastic, Time::UrgentStochastic]
            [self.below(4) as usize];
        let control = match (time, self.below(4)) {
            (Time::UrgentStochastic, _) | (_, 1 | 2) => Control::Nondeterminism,
            (_, 0) => Control::Chance,
            _ => Control::Game,
        };
        let style = Style { exact: self.rarely(), interval: self.rarely() };
        let states = 1 + self.below(9) as usize;
        let markovian = (time == Time::UrgentStochastic).then(|| self.set(states));
        let most = if control == Control::Chance { 1 } else { 3 };
        let least = u64::from(!self.rarely());
        let mut choices = self.rows(states, least, most);
        if let Some(markovian) = &markovian {
            let lengths =
                (0..states).map(|s| choices.range(s).len().min(if markovian.contains(s) { 1 } else { 3 }));
            let mut starts = vec![0];
            lengths.for_each(|length| starts.push(starts.last().expect("a start") + length as u32));
            choices = Rows::from_starts(starts);
        }
        let branches = self.rows(choices.entries(), 1, 3);
        let targets = (0..branches.entries()).map(|_| self.below(states as u64) as u32).collect();
        let mut model = Model::new(time, control, choices, branches, targets);
        model.markovian = markovian;
        let is_lts = time == Time::Discrete && control != Control::Chance && self.rarely();
        if !is_lts {
            let branches = model.branches.clone();
            model.values = Some(self.distributions(&branches, style));
        }
        if time != Time::Discrete {
            model.exit_rates = Some(self.numbers(states, Style { interval: false, ..style }));
        }
        if control == Control::Game {
            let names = self.names(2);
            model.players = Some(Players { names, of: (0..states).map(|_| self.below(2) as u32).collect() });
        }
        model.initial = self.set(states);
        model.initial.insert(self.below(states as u64) as usize);
        self.attach(&mut model, Style { interval: false, ..style });
        model
    }

    fn attach(&mut self, model: &mut Model, style: Style) {
        let states = model.num_states();
        for (i, name) in self.names(3).into_iter().enumerate() {
            if self.below(3) > i as u64 {
                let description = self.rarely().then(|| "described".to_owned());
                model.labels.push(Label { name, description, states: self.set(states) });
            }
        }
        let count = self.below(3) as usize;
        for name in self.names(count) {
            let mut reward = Reward { name, states: Some(self.numbers(states, style)), ..Reward::default() };
            if self.flip() {
                reward.choices = Some(self.numbers(model.num_choices(), style));
            }
            if self.rarely() {
                reward.branches = Some(self.numbers(model.num_branches(), style));
            }
            model.rewards.push(reward);
        }
        if self.flip() {
            model.choice_actions = Some(self.actions(model.num_choices()));
        }
        if self.rarely() {
            model.branch_actions = Some(self.actions(model.num_branches()));
        }
        if self.rarely() {
            let of = (0..states).map(|_| self.below(3) as u32).collect();
            model.observations = Some(Observations { count: 3, on: Entity::States, of, distribution: None });
        }
        if self.rarely() {
            self.annotate(model);
        }
        if self.flip() {
            let valuations = self.valuations(states);
            model.valuations.push(valuations);
        }
    }

    fn actions(&mut self, entries: usize) -> Actions {
        let mut names = vec![String::new()];
        names.extend(self.names(2));
        Actions { names, of: (0..entries).map(|_| self.below(3) as u32).collect() }
    }

    fn annotate(&mut self, model: &mut Model) {
        let on = [Entity::States, Entity::Choices, Entity::Branches][self.below(3) as usize];
        let members = model.count(on);
        let (values, distribution) = if self.flip() {
            let rows = self.rows(members, 1, 2);
            let probabilities = self.distributions(&rows, Style { exact: false, interval: false });
            let values = Column::Int((0..rows.entries()).map(|_| self.below(9) as i64 - 4).collect());
            (values, Some(Distribution { rows, probabilities }))
        } else {
            (self.column(members), None)
        };
        let name = self.names(1).remove(0);
        let group = "colours".to_owned();
        model.annotations.push(Annotation { group, name, description: None, on, values, distribution });
    }

    fn column(&mut self, len: usize) -> Column {
        match self.below(6) {
            0 => Column::Bool(self.set(len)),
            1 => Column::Int((0..len).map(|_| self.below(200) as i64 - 100).collect()),
            2 if len > 0 => Column::Unsigned((0..len).map(|_| u64::MAX - self.below(3)).collect()),
            3 => Column::Numbers(self.numbers(len, Style { exact: true, interval: false })),
            4 => {
                let distinct = self.names(4);
                Column::Text(Texts::new(distinct, (0..len).map(|_| self.below(4) as u32).collect()))
            }
            _ => Column::Numbers(self.numbers(len, Style { exact: false, interval: false })),
        }
    }

    fn valuations(&mut self, states: usize) -> Valuations {
        let count = 1 + self.below(4) as usize;
        let variables = self.names(count).into_iter().map(|name| {
            let mut values = self.column(states);
            let present = self.rarely().then(|| self.set(states)).filter(|set| set.count() < states);
            // An absent entry has no value to preserve.
            if let (Some(present), Column::Int(integers)) = (&present, &values) {
                let kept = |(i, value)| if present.contains(i) { value } else { 0 };
                values = Column::Int(integers.iter().enumerate().map(kept).collect());
            }
            let is_integer = matches!(values, Column::Int(_));
            Variable {
                name,
                present: present.filter(|_| is_integer),
                bounds: (is_integer && self.flip()).then_some((-100, 100)),
                values,
            }
        });
        Valuations { on: Entity::States, unique: false, variables: variables.collect() }
    }
}
