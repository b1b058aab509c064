//! Data types beside the protocol: values of labels, distances, arrays.

use super::context::Context;
use super::names::OPERATIONS;
use super::values::Term;
use crate::system::{Event, NodeKind};
use std::fmt::Write;

impl Context<'_> {
    /// Processes, variables, channels, operations, homes and distances.
    pub fn machine_type(&self) -> String {
        let names = &self.names;
        let f = &self.functions;
        let v = &self.variables;
        let mut text = String::from(
            "(* Names in labels; where lines are at home; and distances from a process to another one and to a home. *)\n\ntype MACHINE is NATURAL\n  sorts PROC, OPERATION, VARIABLE, HOME",
        );
        let is_message =
            |kind: &NodeKind| matches!(kind, NodeKind::Event(Event::Sent(..) | Event::Received(..), _));
        let mut nodes = self.system.processes.iter().flat_map(|process| &process.nodes);
        let has_channels = nodes.any(|node| is_message(&node.kind));
        text.push_str(if has_channels { ", CHANNEL\n  opns\n" } else { "\n  opns\n" });
        let sorted = |names: &[String], sort: &str| match names.is_empty() {
            // A sort without values is none.
            true => format!("    NO_{sort} (*! constructor *) : -> {sort}\n"),
            false => format!("{} : -> {sort}\n", super::constants(names, 4)),
        };
        text.push_str(&sorted(&names.processes, "PROC"));
        text.push_str(&sorted(&OPERATIONS.map(str::to_owned), "OPERATION"));
        text.push_str(&sorted(&names.variables, "VARIABLE"));
        text.push_str(&sorted(&names.homes, "HOME"));
        if has_channels {
            text.push_str(&sorted(&names.channels, "CHANNEL"));
        }
        // Operations without equations would make values.
        let (has_others, has_homes) = (names.processes.len() > 1, !names.homes.is_empty());
        if !names.variables.is_empty() {
            let _ = writeln!(text, "    {} : VARIABLE -> HOME", f.home);
        }
        if has_others {
            let _ = writeln!(text, "    {} : PROC, PROC -> NAT", f.distance);
        }
        if has_homes {
            let _ = writeln!(text, "    {} : PROC, HOME -> NAT", f.distance);
        }
        // Values that are natural numbers are chosen by the same function as distances.
        let chooses = self.uses_nearest.get() || (self.uses_choose.get() && self.values.sort == "NAT");
        if chooses {
            let _ = writeln!(text, "    {} : BOOL, NAT, NAT -> NAT", f.choose);
        }
        if has_others || has_homes {
            text.push_str("  eqns\n");
        }
        if chooses {
            let _ = writeln!(text, "    forall {}, {} : NAT", v.home, v.cache);
        }
        if !names.variables.is_empty() {
            text.push_str("    ofsort HOME\n");
        }
        for (number, variable) in self.system.variables.iter().enumerate() {
            let line = &self.system.lines[variable.line.index()];
            let _ = writeln!(
                text,
                "      {} ({}) = {};",
                f.home,
                names.variable(number),
                names.homes[line.home.index()]
            );
        }
        if has_others || has_homes {
            text.push_str("    ofsort NAT\n");
        }
        if chooses {
            let _ = writeln!(text, "      {} (true, {}, {}) = {};", f.choose, v.home, v.cache, v.home);
            let _ = writeln!(text, "      {} (false, {}, {}) = {};", f.choose, v.home, v.cache, v.cache);
        }
        for (from, row) in self.machine.between.iter().enumerate() {
            for (to, distance) in row.iter().enumerate().filter(|&(to, _)| to != from) {
                let _ = writeln!(
                    text,
                    "      {} ({}, {}) = {distance};",
                    f.distance,
                    names.process(from),
                    names.process(to)
                );
                self.values.note((0, i128::from(*distance)));
            }
        }
        for (from, row) in self.machine.to_home.iter().enumerate() {
            for (home, distance) in row.iter().enumerate().take(names.homes.len()) {
                let _ = writeln!(
                    text,
                    "      {} ({}, {}) = {distance};",
                    f.distance,
                    names.process(from),
                    names.homes[home]
                );
                self.values.note((0, i128::from(*distance)));
            }
        }
        text.push_str("endtype\n");
        text
    }

    /// Operations on values: truth values as numbers, and a choice between two; elements of arrays.
    pub fn values_type(&self) -> Option<String> {
        let f = &self.functions;
        let v = &self.variables;
        let sort = self.values.sort;
        let number = self.values.uses_number.get();
        let choose = self.uses_choose.get();
        let arrays = self.elements.all();
        if !number && !choose && arrays.is_empty() {
            return None;
        }
        let base = if sort == "INT" { "BOOLEAN, INTEGER" } else { "BOOLEAN, NATURAL" };
        let mut text = format!("type VALUES is MACHINE, {base}\n  opns\n");
        let new_choose = choose && sort == "INT";
        if number {
            let _ = writeln!(text, "    {} : BOOL -> {sort}", f.number);
        }
        if new_choose {
            let _ = writeln!(text, "    {} : BOOL, {sort}, {sort} -> {sort}", f.choose);
        }
        if !arrays.is_empty() {
            text.push_str("    (* elements of arrays by those indices that are computed *)\n");
        }
        for array in arrays {
            let operands = vec![sort; array.cases[0].0.len()].join(", ");
            let result = if array.of_channels { "CHANNEL" } else { "VARIABLE" };
            let _ = writeln!(text, "    {} : {operands} -> {result}", array.name);
        }
        let most = arrays.iter().map(|array| array.cases[0].0.len()).max().unwrap_or(0).max(2);
        let _ = writeln!(text, "  eqns\n    forall {} : {sort}", v.values[..most].join(", "));
        if number || new_choose {
            let _ = writeln!(text, "    ofsort {sort}");
        }
        if number {
            let _ = writeln!(text, "      {} (false) = 0;\n      {} (true) = 1;", f.number, f.number);
        }
        if new_choose {
            let (a, b) = (&v.values[0], &v.values[1]);
            let _ = writeln!(
                text,
                "      {} (true, {a}, {b}) = {a};\n      {} (false, {a}, {b}) = {b};",
                f.choose, f.choose
            );
        }
        let mut sort_before = "";
        for array in arrays {
            let element_sort = if array.of_channels { "CHANNEL" } else { "VARIABLE" };
            if element_sort != sort_before {
                let _ = writeln!(text, "    ofsort {element_sort}");
                sort_before = element_sort;
            }
            for (values, element) in &array.cases {
                let element = match array.of_channels {
                    true => self.names.channel(*element as usize),
                    false => self.names.variable(*element as usize),
                };
                // Patterns are made of constructors, which negative numbers are not.
                let mut conditions = Vec::new();
                let patterns = values.iter().zip(&v.values).map(|(&value, variable)| {
                    let written = self.values.text(&Term::Number(value));
                    if value < 0 {
                        conditions.push(format!("({variable} == {written})"));
                        return variable.clone();
                    }
                    written
                });
                let patterns: Vec<String> = patterns.collect();
                let condition = match conditions.is_empty() {
                    true => String::new(),
                    false => format!("{} => ", conditions.join(" and ")),
                };
                let _ =
                    writeln!(text, "      {condition}{} ({}) = {element};", array.name, patterns.join(", "));
            }
        }
        text.push_str("endtype\n");
        Some(text)
    }
}
