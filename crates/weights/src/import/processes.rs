//! Models of processes, where the growth of a variable is the weight of a step.

use super::super::model::WeightedModel;
use super::super::unknown::{listed, unknown};
use super::super::values::Values;
use super::{Making, negative};
use crate::STEPS;
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_explore::{Counter, NO_STEP, Processes, Reached, TabulateError, Weighed};
use volvelle_kernel::Compiler;
use volvelle_kernel::interp::Interpreter;
use volvelle_model::Program;
use volvelle_model::kernels::NetworkOptions;
use volvelle_model::unread::only_accumulates;
use volvelle_searches::{self, Counts, failures};
use volvelle_session::engine;
use volvelle_session::language::{ProcessDocument, ShowSteps};
use volvelle_session::limits;
use volvelle_session::report::{ModelReport, Report};
use volvelle_session::{Session, Settings};

/// A model of processes as a weighted structure; `names` are those of global variables by which states are told apart.
pub(super) fn processes_weighed(
    session: &Session,
    names: Option<&[String]>,
    settings: &Settings,
    control: &Control<'_>,
    report: &mut Report,
) -> Result<Option<WeightedModel>, Diagnostic> {
    let (Some(program), Some(document)) = (session.model.program(), session.model.processes()) else {
        return Ok(None);
    };
    let counter = counter(session, names, program, document)?;
    let native = engine::native(settings.tier);
    let compiler: &dyn Compiler = native.as_ref().map_or(&Interpreter, |native| native);
    let made = |error| failures::not_made(document, &session.model.sources, &error);
    let system = Processes::new(program, NetworkOptions::default(), compiler, volvelle_searches::PATIENCE)
        .map_err(made)?;
    let (system, weighed) =
        system.weighed(counter.as_ref().map(|(counter, _)| *counter), control).map_err(made)?;
    let weighed = match weighed {
        Ok(weighed) => weighed,
        Err(TabulateError::Stopped { stop, reached }) => {
            let Reached { states, transitions, bytes, .. } = reached;
            let counts = Counts { states, transitions, bytes };
            let found =
                volvelle_searches::processes_report(&session.model, &system, compiler.name(), &counts);
            report.model = Some(ModelReport { complete: false, ..found });
            report.stop = Some(stop);
            let stopped = limits::stopped(stop, &settings.allowance);
            return Err(match counter {
                Some((Counter { forgotten: false, .. }, name)) => stopped
                    .note(format!("states with different values of `{name}` are different ones"))
                    .help(format!(
                        "let nothing but additions to `{name}` depend on it: then it is no part of the state"
                    )),
                _ => stopped,
            });
        }
        Err(TabulateError::TooLarge) => return Err(failures::too_large()),
        Err(TabulateError::LayoutOverflow) => unreachable!("the system was made larger"),
    };
    let Some(steps) = document.steps(&session.model.sources, system.layout()) else { return Ok(None) };
    let (making, names, values) =
        states(&weighed, &*steps, names, counter.as_ref(), control).map_err(|trouble| match trouble {
            Trouble::Told(diagnostic) => diagnostic,
            Trouble::Stopped(stop) => {
                report.stop = Some(stop);
                limits::stopped(stop, &settings.allowance)
            }
        })?;
    let initial = weighed.table.space.initial.first().map_or(0, |state| state.0);
    Ok(Some(WeightedModel::valued(making.finish(initial, names)?, values)))
}

/// The variable whose growth gives weights, and its name; `None`: each step weighs 1.
fn counter(
    session: &Session,
    names: Option<&[String]>,
    program: &Program,
    document: &dyn ProcessDocument,
) -> Result<Option<(Counter, String)>, Diagnostic> {
    let globals = document.counters();
    let known: Vec<&str> = globals.iter().map(|global| global.name.as_str()).collect();
    let steps = format!("--weights {STEPS} gives each statement the weight 1");
    let Some(name) = session.run.weighting.weights.as_deref() else {
        let refused = Diagnostic::error(codes::WKS_WEIGHT, "the steps of the model have no weights");
        return Err(match known.first() {
            Some(first) => refused
                .note(format!("global variables are {}", listed(&known)))
                .help(format!("say which variable a step makes larger by its weight: --weights {first}")),
            None => refused.help("count costs in a global variable, and name it: --weights cost"),
        }
        .help(steps));
    };
    let Some(global) = globals.iter().find(|global| global.name == name) else {
        if name == STEPS {
            return Ok(None);
        }
        return Err(unknown("global variable", name, &known).help(steps));
    };
    if global.is_dropped {
        let message = format!("`{name}` is hidden, and no part of the state");
        return Err(Diagnostic::error(codes::WKS_WEIGHT, message)
            .help("declare it without `hidden`: where it only counts, it does not make more states"));
    }
    // A formula that speaks of its value needs it.
    let is_observed = names.is_some_and(|names| names.iter().any(|observed| observed == name));
    let forgotten = !is_observed && only_accumulates(program, global.field);
    Ok(Some((Counter { field: global.field, element: global.element, forgotten }, name.to_owned())))
}

/// Why there is no structure.
enum Trouble {
    Told(Diagnostic),
    Stopped(Stop),
}

impl From<Diagnostic> for Trouble {
    fn from(diagnostic: Diagnostic) -> Self {
        Trouble::Told(diagnostic)
    }
}

type Made = (Making, Vec<String>, Values);

/// The states of a table with their steps, propositions and values.
fn states(
    weighed: &Weighed,
    steps: &dyn ShowSteps,
    names: Option<&[String]>,
    counter: Option<&(Counter, String)>,
    control: &Control<'_>,
) -> Result<Made, Trouble> {
    let Weighed { table, weights } = weighed;
    let counted = counter.map(|(_, name)| name.as_str());
    let globals = steps.globals();
    let known: Vec<&str> = globals.iter().map(|global| global.name.as_str()).collect();
    let observed: Vec<usize> = match names {
        Some(names) => {
            let place = |name: &String| {
                let unknown = || unknown("global variable", name, &known);
                known.iter().position(|known| known == name).ok_or_else(unknown)
            };
            names.iter().map(place).collect::<Result<_, _>>()?
        }
        None => (0..globals.len()).filter(|&at| Some(known[at]) != counted).collect(),
    };
    let mut values = Values {
        variables: known.iter().map(|&name| (name.to_owned(), false, Default::default())).collect(),
        places: Some((Vec::new(), Vec::with_capacity(table.states.len()))),
    };
    let mut place_of: FxHashMap<Box<[u32]>, u32> = FxHashMap::default();
    let mut places = Vec::new();
    let mut making = Making::default();
    let mut row = vec![0; globals.len()];
    let numbers: Vec<u64> = weights.iter().map(|&weight| making.weight(RBig::from(weight))).collect();
    for state in 0..table.states.len() {
        making.look(state, table.bytes() + values.bytes(), control).map_err(Trouble::Stopped)?;
        let packed = table.states.get(state);
        for (at, global) in globals.iter().enumerate() {
            row[at] = (global.value)(packed);
            values.variables[at].2.push(row[at]);
        }
        steps.places(packed, &mut places);
        if let Some((texts, of_state)) = &mut values.places {
            let number = match place_of.get(places.as_slice()) {
                Some(&number) => number,
                None => {
                    texts.push(standing(steps, packed));
                    place_of.insert(places.as_slice().into(), texts.len() as u32 - 1);
                    texts.len() as u32 - 1
                }
            };
            of_state.push(number);
        }
        for choice in table.space.choices_of(state) {
            let step = table.steps[choice];
            if step == NO_STEP {
                continue;
            }
            if weights[step as usize] < 0 {
                let weight = RBig::from(weights[step as usize]);
                let name = counted.unwrap_or_default();
                let refused = negative(&weight, &values.text(state as u32))
                    .note(format!("the weight of a step is by how much `{name}` grows"))
                    .help(format!("let no statement make `{name}` smaller, and give it a type in which it does not overflow"));
                return Err(Trouble::Told(refused));
            }
            making.step(numbers[step as usize], table.space.columns[choice]);
        }
        making.state((0..).zip(observed.iter().map(|&at| row[at])));
    }
    let names = observed.iter().map(|&at| known[at].to_owned()).collect();
    // A counter that is left out of the state tells nothing.
    if counter.is_some_and(|(counter, _)| counter.forgotten) {
        values.variables.retain(|(name, ..)| Some(name.as_str()) != counted);
    }
    Ok((making, names, values))
}

/// Where the processes are: `P(0):7 Q(1):end`.
fn standing(steps: &dyn ShowSteps, state: &[u64]) -> String {
    let mut text = String::new();
    for standing in steps.standings(state) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&format!("{}({}):", standing.name, standing.process));
        match standing.at {
            Some(at) => text.push_str(&at.line.to_string()),
            None => text.push_str("end"),
        }
    }
    text
}
