//! The protocol as functions of the own state and the strongest state among the others.

use super::context::Context;
use super::names::ACCESSES;
use crate::lower::label_name;
use std::fmt::Write;
use volvelle_coherence::{Operation, Rule, Source, State};

/// Equations of the functions of a protocol.
impl Context<'_> {
    /// The operations that rows tell apart.
    pub fn accesses(&self) -> &'static [Operation] {
        self.machine.protocol.operations()
    }

    /// The name of what an operation is for the protocol.
    pub fn access(&self, operation: Operation) -> &'static str {
        let known = self.accesses().contains(&operation);
        ACCESSES[if known { operation as usize } else { Operation::Store as usize }]
    }

    fn states(&self) -> impl Iterator<Item = State> {
        (0..self.machine.protocol.states.len()).map(|number| State(number as u8))
    }

    /// One equation for each own state and strongest state; only one for an own state where the others make no difference.
    fn table(
        &self,
        text: &mut String,
        function: &str,
        rest: &str,
        result: impl Fn(&Rule, State) -> Vec<(String, String)>,
    ) {
        let protocol = &self.machine.protocol;
        let any = &self.variables.strongest;
        for &operation in self.accesses() {
            let access = self.access(operation);
            for own in self.states() {
                let rules: Vec<(State, &Rule)> = self
                    .states()
                    .filter_map(|strongest| Some((strongest, protocol.rule(operation, own, strongest)?)))
                    .collect();
                let own_name = &self.names.states[own.index()];
                let all: Vec<Vec<(String, String)>> =
                    rules.iter().map(|(_, rule)| result(rule, own)).collect();
                // Where rows may be missing, that has to be seen.
                let is_complete = rules.len() == protocol.states.len() || !self.may_lack_rows;
                let is_same = is_complete && all.len() > 1 && all.iter().all(|one| *one == all[0]);
                let shown = if is_same { &rules[..1] } else { &rules[..] };
                for ((strongest, _), equations) in shown.iter().zip(&all) {
                    let strongest = if is_same { any } else { &self.names.states[strongest.index()] };
                    for (last, value) in equations {
                        let _ = writeln!(
                            text,
                            "      {function} ({access}, {own_name}, {strongest}{rest}{last}) = {value};"
                        );
                    }
                }
            }
        }
    }

    /// Operations and equations of the protocol, and its table as a comment.
    pub fn protocol_type(&self) -> String {
        let f = &self.functions;
        let v = &self.variables;
        let protocol = &self.machine.protocol;
        let mut text = format!(
            "(* The protocol {}. A row has the operation, the own state and the strongest state of the others; then the new own state,\n   the new state of the others and how the line comes:\n",
            super::comment(&protocol.name)
        );
        for row in 0..protocol.row_count() {
            let _ = writeln!(text, "     {}", super::comment(protocol.row_text(row)));
        }
        text.push_str("*)\n\ntype PROTOCOL is BOOLEAN, NATURAL\n  sorts STATE, ACCESS, TRANSFER\n  opns\n");
        let constants = |names: &[String]| super::constants(names, 4);
        let accesses: Vec<String> = self.accesses().iter().map(|&o| self.access(o).to_owned()).collect();
        let _ = writeln!(text, "{} : -> STATE", constants(&self.names.states));
        let _ = writeln!(text, "{} : -> ACCESS", constants(&accesses));
        let _ = writeln!(text, "{} : -> TRANSFER", constants(&self.names.transfers));
        let uses_strongest = self.uses_strongest.get();
        if uses_strongest {
            let _ = writeln!(text, "    (* the stronger one of two states *)");
            let _ = writeln!(text, "    {} : STATE, STATE -> STATE", f.strongest);
        }
        let _ = writeln!(
            text,
            "    (* the new own state, and that of another cache, which is the last operand now *)"
        );
        let _ = writeln!(text, "    {} : ACCESS, STATE, STATE -> STATE", f.own);
        let _ = writeln!(text, "    {} : ACCESS, STATE, STATE, STATE -> STATE", f.other);
        let _ = writeln!(
            text,
            "    (* the transfer; the numbers are the distances to the home of the line and to the cache that provides it *)"
        );
        let _ = writeln!(text, "    {} : ACCESS, STATE, STATE, NAT, NAT -> TRANSFER", f.transfer);
        let distant: Vec<(usize, &str)> =
            f.transfers.iter().enumerate().filter_map(|(k, name)| Some((k, name.as_deref()?))).collect();
        if !distant.is_empty() {
            let _ = writeln!(text, "    (* transfers by distance *)");
            let names: Vec<&str> = distant.iter().map(|(_, name)| *name).collect();
            let _ = writeln!(text, "    {} : NAT -> TRANSFER", names.join(", "));
        }
        if self.may_lack_rows {
            let _ = writeln!(
                text,
                "    (* whether there is a row *)\n    {} : ACCESS, STATE, STATE -> BOOL",
                f.has_row
            );
        }
        let _ = writeln!(
            text,
            "  eqns\n    forall {}, {}, {} : STATE, {} : ACCESS, {}, {} : NAT",
            v.own, v.strongest, v.other, v.access, v.home, v.cache
        );
        let _ = writeln!(text, "    ofsort STATE");
        if uses_strongest {
            self.strongest_equations(&mut text);
        }
        self.table(&mut text, &f.own, "", |rule, _| {
            vec![(String::new(), self.names.states[rule.own.index()].clone())]
        });
        // A cache without the line stays without it.
        let invalid = &self.names.states[0];
        let _ = writeln!(
            text,
            "      {} ({}, {}, {}, {invalid}) = {invalid};",
            f.other, v.access, v.own, v.strongest
        );
        self.table(&mut text, &f.other, ", ", |rule, _| {
            let name = |state: State| self.names.states[state.index()].clone();
            let present = || self.states().skip(1);
            let become_of = |state: State| rule.others[state.index()];
            if present().all(|state| become_of(state) == state) {
                return vec![(v.other.clone(), v.other.clone())];
            }
            let first = become_of(State(1.min(self.names.states.len() as u8 - 1)));
            if present().all(|state| become_of(state) == first) {
                return vec![(v.other.clone(), name(first))];
            }
            present().map(|state| (name(state), name(become_of(state)))).collect()
        });
        let _ = writeln!(text, "    ofsort TRANSFER");
        self.distance_equations(&mut text, &distant);
        self.table(&mut text, &f.transfer, &format!(", {}, {}", v.home, v.cache), |rule, _| {
            let number = rule.transfer.index();
            let value = match (protocol.transfer(rule.transfer).source, &f.transfers[number]) {
                (Source::Home, Some(name)) => format!("{name} ({})", v.home),
                (Source::Provider, Some(name)) => format!("{name} ({})", v.cache),
                _ => self.transfer_at(number, 0),
            };
            vec![(String::new(), value)]
        });
        if self.may_lack_rows {
            let _ = writeln!(text, "    ofsort BOOL");
            self.table(&mut text, &f.has_row, "", |_, _| vec![(String::new(), "true".to_owned())]);
            let _ = writeln!(text, "      {} ({}, {}, {}) = false;", f.has_row, v.access, v.own, v.strongest);
        }
        text.push_str("endtype\n");
        text
    }

    fn strongest_equations(&self, text: &mut String) {
        let v = &self.variables;
        let f = &self.functions.strongest;
        // From the strongest one on: whichever is met first.
        for state in self.names.states.iter().skip(1).rev() {
            let _ = writeln!(text, "      {f} ({state}, {}) = {state};", v.other);
            let _ = writeln!(text, "      {f} ({}, {state}) = {state};", v.own);
        }
        let _ = writeln!(text, "      {f} ({}, {}) = {};", v.own, v.other, self.names.states[0]);
    }

    /// The name of a transfer over a distance.
    fn transfer_at(&self, number: usize, distance: u32) -> String {
        let all = crate::lower::transfer_kinds(self.machine);
        let place = all.iter().position(|&(_, transfer, at)| transfer.index() == number && at == distance);
        self.names.transfer(place.expect("each transfer has a name"))
    }

    fn distance_equations(&self, text: &mut String, distant: &[(usize, &str)]) {
        for &(number, name) in distant {
            let farthest = self.machine.latencies[number].len() as u32 - 1;
            for distance in 0..farthest {
                let _ = writeln!(text, "      {name} ({distance}) = {};", self.transfer_at(number, distance));
            }
            let _ = writeln!(
                text,
                "      {name} ({}) = {};",
                self.variables.home,
                self.transfer_at(number, farthest)
            );
        }
    }

    /// A name for each transfer that has a distance, as a function of it.
    pub fn transfer_functions(
        machine: &crate::machine::Machine,
        names: &mut super::names::Names,
    ) -> Vec<Option<String>> {
        let transfers = machine.protocol.transfers.iter();
        transfers
            .map(|transfer| {
                (transfer.source != Source::None).then(|| names.fresh(&label_name(&transfer.name)))
            })
            .collect()
    }
}
