//! Composition of modules: `system … endsystem`, or all modules in parallel.
//!
//! Every process is a list of *moves*: an action (or none) and the modules that take part in it, each with one
//! of its own actions. Operators act on moves; nothing is multiplied out below that, so `n` modules that
//! synchronise with `k` commands each are one move. After the manual (*Process Algebra Operators*) and PRISM's
//! `Modules2MTBDD`: `||` synchronises on the actions that both sides have, `|[a,b]|` on those listed, even
//! where one side has none (which blocks them), `|||` on none; hidden actions become silent and leave the
//! process' alphabet; renaming may map two actions to one, which then are alternatives.

use super::Lowering;
use super::commands::ModuleCommands;
use super::modules::{Instance, unknown_module};
use crate::ast::{self, System};
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_model::{Action, ActionId, Alternative, ComponentId, Group, Participant};

/// Moves that a composition may have: products of renamed actions could make more.
const MOST_MOVES: usize = 100_000;

/// Depth of named systems inside of each other.
const DEEPEST: u32 = 200;

/// Something that a process can do.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Move {
    /// The action that it shows; `None` is silent.
    action: Option<String>,
    /// The modules that move, each by one of its own actions.
    participants: Vec<(usize, Option<usize>)>,
}

/// A process.
#[derive(Clone, Debug, Default)]
struct Process {
    /// Actions that it takes part in, in order.
    alphabet: Vec<String>,
    moves: Vec<Move>,
}

impl Process {
    fn has(&self, action: &str) -> bool {
        self.alphabet.iter().any(|a| a == action)
    }
}

/// A composition under construction.
struct Composition<'a> {
    lowering: &'a mut Lowering,
    instances: &'a [Instance],
    commands: &'a [ModuleCommands],
    /// Actions of all modules.
    actions: Vec<String>,
    by_name: FxHashMap<&'a str, usize>,
    used: FxHashMap<usize, Span>,
    /// Named systems that are being expanded.
    open: Vec<usize>,
}

impl Lowering {
    /// Makes the groups of the program out of the commands of its modules.
    pub(crate) fn compose(&mut self, instances: &[Instance], commands: &[ModuleCommands]) {
        let model = self.model.clone();
        let mut seen = FxHashSet::default();
        let actions: Vec<String> = commands
            .iter()
            .flat_map(|c| c.actions.iter().map(|(action, _)| action.clone()))
            .filter(|action| seen.insert(action.clone()))
            .collect();
        let by_name = instances
            .iter()
            .enumerate()
            .map(|(i, instance)| (model.modules[instance.module].name.text.as_str(), i))
            .collect();
        let mut composition = Composition {
            lowering: self,
            instances,
            commands,
            actions,
            by_name,
            used: FxHashMap::default(),
            open: Vec::new(),
        };
        composition.check_names(&model);
        let process = match composition.main(&model) {
            None => composition.everything(),
            Some(number) => composition.system(&model, number),
        };
        let actions = composition.actions;
        if let Some(process) = process {
            self.groups(process, actions, commands);
        }
    }

    /// Numbers the actions and turns moves into groups: silent ones first, then by action.
    fn groups(&mut self, process: Process, mut actions: Vec<String>, commands: &[ModuleCommands]) {
        let mut known: FxHashSet<String> = actions.iter().cloned().collect();
        for action in process.alphabet {
            if known.insert(action.clone()) {
                actions.push(action);
            }
        }
        let index: FxHashMap<&str, u32> =
            actions.iter().enumerate().map(|(i, name)| (name.as_str(), i as u32 + 1)).collect();
        let number = |m: &Move| m.action.as_deref().map_or(0, |name| index[name]);
        let mut moves = process.moves;
        // Stable: moves of one action stay in the order of the composition.
        moves.sort_by_key(number);
        for m in &moves {
            let participants: Option<Vec<Participant>> = m
                .participants
                .iter()
                .map(|&(module, action)| {
                    let alternatives = alternatives(commands, module, action);
                    (!alternatives.is_empty())
                        .then(|| Participant::component(ComponentId(module as u32), alternatives.to_vec()))
                })
                .collect();
            if let Some(participants) = participants {
                self.program.groups.push(Group::new(ActionId(number(m)), participants));
            }
        }
        self.program.actions.extend(actions.iter().map(|name| Action { name: name.clone() }));
    }
}

fn alternatives(commands: &[ModuleCommands], module: usize, action: Option<usize>) -> &[Alternative] {
    match action {
        None => &commands[module].silent,
        Some(action) => &commands[module].actions[action].1,
    }
}

impl Composition<'_> {
    /// The composition that describes the model: the one without a name, or else the first.
    fn main(&self, model: &ast::Model) -> Option<usize> {
        let unnamed = model.systems.iter().position(|(name, _, _)| name.is_none());
        unnamed.or((!model.systems.is_empty()).then_some(0))
    }

    fn check_names(&mut self, model: &ast::Model) {
        let mut diagnostics = Vec::new();
        super::names::duplicates(
            model.systems.iter().filter_map(|(name, _, _)| name.as_ref()),
            &mut diagnostics,
        );
        let mut unnamed = model.systems.iter().filter(|(name, _, _)| name.is_none());
        if let (Some((_, _, first)), Some((_, _, second))) = (unnamed.next(), unnamed.next()) {
            diagnostics.push(
                Diagnostic::error(codes::SYSTEM_COMPOSITION, "only one composition can be unnamed")
                    .at(*second, "")
                    .also(*first, "the first one"),
            );
        }
        for diagnostic in diagnostics {
            self.lowering.report(diagnostic);
        }
    }

    /// All modules in parallel.
    fn everything(&mut self) -> Option<Process> {
        let mut process = Process::default();
        // One pass over all actions, not pairwise: there may be thousands of modules.
        for module in 0..self.instances.len() {
            process.moves.push(Move { action: None, participants: vec![(module, None)] });
        }
        let mut by_action: FxHashMap<&str, usize> = FxHashMap::default();
        let first = process.moves.len();
        for action in &self.actions {
            by_action.insert(action, process.moves.len());
            process.moves.push(Move { action: Some(action.clone()), participants: Vec::new() });
        }
        for (module, commands) in self.commands.iter().enumerate() {
            for (i, (action, _)) in commands.actions.iter().enumerate() {
                process.moves[by_action[action.as_str()]].participants.push((module, Some(i)));
            }
        }
        process.moves[first..].iter_mut().for_each(|m| m.participants.sort_unstable());
        process.alphabet = self.actions.clone();
        Some(process)
    }

    fn system(&mut self, model: &ast::Model, number: usize) -> Option<Process> {
        self.open.push(number);
        let process = self.process(model, &model.systems[number].1, model.systems[number].2, 0);
        let missing: Vec<String> = self
            .instances
            .iter()
            .enumerate()
            .filter(|(i, _)| !self.used.contains_key(i))
            .map(|(_, instance)| format!("`{}`", model.modules[instance.module].name.text))
            .collect();
        if process.is_some() && !missing.is_empty() {
            let (subject, verb) = if missing.len() == 1 { ("module", "does") } else { ("modules", "do") };
            self.lowering.report(
                Diagnostic::error(
                    codes::SYSTEM_COMPOSITION,
                    format!("{subject} {} {verb} not occur in the composition", missing.join(", ")),
                )
                .at(model.systems[number].2, "")
                .help("every module must occur exactly once"),
            );
            return None;
        }
        process
    }

    /// Recursion over the tree of a composition, whose depth the parser limits; named systems count on.
    fn process(&mut self, model: &ast::Model, system: &System, span: Span, depth: u32) -> Option<Process> {
        if depth > DEEPEST {
            self.lowering.report(
                Diagnostic::error(codes::NESTING_TOO_DEEP, "compositions are nested too deeply").at(span, ""),
            );
            return None;
        }
        match system {
            System::Name(name) => self.named(model, name, depth),
            System::Parallel(operands) => self.fold(model, operands, span, depth, |p, q| {
                p.alphabet.iter().filter(|action| q.has(action)).cloned().collect()
            }),
            System::Interleave(operands) => self.fold(model, operands, span, depth, |_, _| Vec::new()),
            System::Sync(left, actions, right) => {
                self.check_actions(actions.iter());
                let left = self.process(model, left, span, depth + 1);
                let right = self.process(model, right, span, depth + 1);
                let actions: Vec<String> = actions.iter().map(|action| action.text.clone()).collect();
                self.parallel(left?, right?, &actions, span)
            }
            System::Hide(operand, actions) => {
                self.check_actions(actions.iter());
                let mut process = self.process(model, operand, span, depth + 1)?;
                let hidden = |action: &str| actions.iter().any(|a| a.text == action);
                process.alphabet.retain(|action| !hidden(action));
                for m in &mut process.moves {
                    m.action.take_if(|action| hidden(action));
                }
                Some(process)
            }
            System::Rename(operand, renames) => {
                self.check_actions(renames.iter().map(|rename| &rename.from));
                let mut process = self.process(model, operand, span, depth + 1)?;
                let to = |action: &str| {
                    let rename = renames.iter().find(|rename| rename.from.text == action);
                    rename.map_or_else(|| action.to_owned(), |rename| rename.to.text.clone())
                };
                let mut alphabet: Vec<String> = Vec::new();
                for action in &process.alphabet {
                    let action = to(action);
                    if !alphabet.contains(&action) {
                        alphabet.push(action);
                    }
                }
                process.alphabet = alphabet;
                for m in &mut process.moves {
                    m.action = m.action.as_deref().map(to);
                }
                Some(process)
            }
        }
    }

    fn fold(
        &mut self,
        model: &ast::Model,
        operands: &[System],
        span: Span,
        depth: u32,
        shared: impl Fn(&Process, &Process) -> Vec<String>,
    ) -> Option<Process> {
        let operands: Vec<Option<Process>> =
            operands.iter().map(|operand| self.process(model, operand, span, depth + 1)).collect();
        let mut operands = operands.into_iter();
        let mut process = operands.next()??;
        for operand in operands {
            let operand = operand?;
            let shared = shared(&process, &operand);
            process = self.parallel(process, operand, &shared, span)?;
        }
        Some(process)
    }

    /// Synchronises two processes on some actions.
    fn parallel(&mut self, left: Process, right: Process, shared: &[String], span: Span) -> Option<Process> {
        let is_shared = |m: &Move| m.action.as_ref().is_some_and(|action| shared.contains(action));
        let (left_shared, left_own): (Vec<Move>, Vec<Move>) = left.moves.into_iter().partition(is_shared);
        let (right_shared, right_own): (Vec<Move>, Vec<Move>) = right.moves.into_iter().partition(is_shared);
        let mut moves = left_own;
        moves.extend(right_own);
        for l in &left_shared {
            for r in right_shared.iter().filter(|r| r.action == l.action) {
                let mut participants = l.participants.clone();
                participants.extend(&r.participants);
                moves.push(Move { action: l.action.clone(), participants });
                if moves.len() > MOST_MOVES {
                    self.lowering.report(
                        Diagnostic::error(
                            codes::SYSTEM_COMPOSITION,
                            format!("the composition has more than {MOST_MOVES} combinations of actions"),
                        )
                        .at(span, ""),
                    );
                    return None;
                }
            }
        }
        let mut alphabet = left.alphabet;
        for action in right.alphabet {
            if !alphabet.contains(&action) {
                alphabet.push(action);
            }
        }
        Some(Process { alphabet, moves })
    }

    fn named(&mut self, model: &ast::Model, name: &ast::Name, depth: u32) -> Option<Process> {
        if let Some(&module) = self.by_name.get(name.text.as_str()) {
            return self.module(name, module);
        }
        let number =
            model.systems.iter().position(|(n, _, _)| n.as_ref().is_some_and(|n| n.text == name.text));
        let Some(number) = number else {
            // A wrong module has been reported before; here it is only absent.
            if !model.modules.iter().any(|module| module.name.text == name.text) {
                self.lowering.report(unknown_module(model, name));
            }
            return None;
        };
        if self.open.contains(&number) {
            self.lowering.report(
                Diagnostic::error(
                    codes::CYCLIC_DEFINITION,
                    format!("the composition \"{}\" contains itself", name.text),
                )
                .at(name.span, ""),
            );
            return None;
        }
        self.open.push(number);
        let process = self.process(model, &model.systems[number].1, name.span, depth + 1);
        self.open.pop();
        process
    }

    fn module(&mut self, name: &ast::Name, module: usize) -> Option<Process> {
        if let Some(first) = self.used.insert(module, name.span) {
            self.lowering.report(
                Diagnostic::error(
                    codes::SYSTEM_COMPOSITION,
                    format!("module `{}` occurs twice in the composition", name.text),
                )
                .at(name.span, "again here")
                .also(first, "first here"),
            );
            return None;
        }
        let mut process = Process::default();
        process.moves.push(Move { action: None, participants: vec![(module, None)] });
        for (i, (action, _)) in self.commands[module].actions.iter().enumerate() {
            process.alphabet.push(action.clone());
            let participants = vec![(module, Some(i))];
            process.moves.push(Move { action: Some(action.clone()), participants });
        }
        Some(process)
    }

    /// Actions that an operator names: known ones, each once.
    fn check_actions<'n>(&mut self, names: impl Iterator<Item = &'n ast::Name>) {
        let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
        for name in names {
            if let Some(first) = seen.insert(&name.text, name.span) {
                self.lowering.report(
                    Diagnostic::error(
                        codes::DUPLICATE_NAME,
                        format!("the action `{}` is named twice", name.text),
                    )
                    .at(name.span, "again here")
                    .also(first, "first here"),
                );
            }
            let known = self.actions.contains(&name.text) || self.renamed_to(&name.text);
            if !known {
                let diagnostic = unknown_action(self.actions.iter().map(String::as_str), name);
                self.lowering.report(diagnostic);
            }
        }
    }

    /// Whether some renaming introduces an action.
    fn renamed_to(&self, action: &str) -> bool {
        let model = self.lowering.model.clone();
        let mut stack: Vec<&System> = model.systems.iter().map(|(_, system, _)| system).collect();
        while let Some(system) = stack.pop() {
            match system {
                System::Name(_) => {}
                System::Parallel(operands) | System::Interleave(operands) => stack.extend(operands),
                System::Sync(left, _, right) => stack.extend([&**left, &**right]),
                System::Hide(operand, _) => stack.push(operand),
                System::Rename(operand, renames) => {
                    if renames.iter().any(|rename| rename.to.text == action) {
                        return true;
                    }
                    stack.push(operand);
                }
            }
        }
        false
    }
}

/// A warning about an action that no command has.
pub(crate) fn unknown_action<'n>(known: impl Iterator<Item = &'n str>, name: &ast::Name) -> Diagnostic {
    Diagnostic::warning(codes::UNKNOWN_ACTION, format!("no command has the action `{}`", name.text))
        .at_misspelt(name.span, &name.text, known)
}
