//! Random models.

use super::Choices;
use super::expression::Scope;
use std::fmt::Write;

/// An int variable with its range.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    lo: i64,
    hi: i64,
    is_bool: bool,
    /// Declared without bounds.
    unbounded: bool,
}

/// A module that is written out, as far as copies need it.
#[derive(Clone, Debug)]
struct Module {
    name: String,
    variables: Vec<Variable>,
    actions: Vec<String>,
}

/// Writes a model. The same choices give the same text.
pub fn random_model(choices: &mut Choices<'_>) -> String {
    Writer { choices, text: String::new(), scope: Scope::default(), constants: Scope::default() }.model()
}

struct Writer<'w, 'c> {
    choices: &'w mut Choices<'c>,
    text: String,
    /// Names that guards and updates may use.
    scope: Scope,
    /// Names of constants among them.
    constants: Scope,
}

impl Writer<'_, '_> {
    fn model(mut self) -> String {
        let kind = *self.choices.pick(&["dtmc", "ctmc", "mdp"]);
        self.line(kind);
        self.declare_constants();
        let globals = self.variables("g", 1);
        let count = self.choices.between(1, 3);
        let modules: Vec<Module> = (0..count)
            .map(|i| Module {
                name: format!("m{i}"),
                variables: self.module_variables(i),
                actions: Vec::new(),
            })
            .collect();
        let several = self.choices.chance(15)
            && modules.iter().flat_map(|m| &m.variables).chain(&globals).all(|v| !v.unbounded);
        for variable in modules.iter().flat_map(|m| &m.variables).chain(&globals) {
            let names = if variable.is_bool { &mut self.scope.bools } else { &mut self.scope.ints };
            names.push(variable.name.clone());
        }
        self.declare_formulas();
        for global in &globals {
            let declaration = self.declaration(global, several);
            self.line(&format!("global {declaration}"));
        }
        let mut written = Vec::new();
        for module in modules {
            let module = self.module(kind, module, &globals, several);
            written.push(module);
        }
        self.copies(&mut written);
        if several {
            let scope = self.scope.clone();
            // True somewhere: the first state of the ranges always counts.
            let first: Vec<String> = written[..count as usize]
                .iter()
                .flat_map(|m| &m.variables)
                .chain(&globals)
                .map(|v| if v.is_bool { format!("!{}", v.name) } else { format!("{}={}", v.name, v.lo) })
                .collect();
            let condition = scope.bool(self.choices, 2);
            self.line(&format!("init ({condition}) | ({}) endinit", first.join(" & ")));
        }
        self.observations(&written);
        self.composition(&written);
        self.text
    }

    fn line(&mut self, line: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{line}");
    }

    fn declare_constants(&mut self) {
        let value = self.choices.between(1, 3);
        self.line(&format!("const int N = {value};"));
        self.constants.ints.push("N".to_owned());
        let probability = *self.choices.pick(&["0.5", "0.25", "1/3", "0.1"]);
        self.line(&format!("const double p = {probability};"));
        self.constants.doubles.push("p".to_owned());
        if self.choices.chance(50) {
            let value = self.constants.int(self.choices, 1);
            self.line(&format!("const int K = mod({value}, 7) + L;"));
            self.line("const int L = 1;");
            self.constants.ints.extend(["K".to_owned(), "L".to_owned()]);
        }
        if self.choices.chance(40) {
            let value = self.constants.bool(self.choices, 1);
            self.line(&format!("const bool flag = {value};"));
            self.constants.bools.push("flag".to_owned());
        }
        self.scope = self.constants.clone();
    }

    fn variables(&mut self, prefix: &str, most: i64) -> Vec<Variable> {
        let count = self.choices.between(0, most);
        (0..count).map(|i| self.variable(format!("{prefix}{i}"))).collect()
    }

    fn module_variables(&mut self, module: i64) -> Vec<Variable> {
        let mut variables = self.variables(&format!("x{module}_"), 1);
        variables.push(self.variable(format!("y{module}")));
        variables
    }

    fn variable(&mut self, name: String) -> Variable {
        let lo = self.choices.between(-1, 1);
        let hi = lo + self.choices.between(0, 3);
        let is_bool = self.choices.chance(25);
        let unbounded = !is_bool && self.choices.chance(8);
        Variable { name, lo, hi, is_bool, unbounded }
    }

    fn declare_formulas(&mut self) {
        let count = self.choices.between(0, 3);
        for i in 0..count {
            let scope = self.scope.clone();
            // Ints are cut down, so that formulas in formulas do not grow.
            let (name, body) = match self.choices.below(3) {
                0 => (format!("fi{i}"), format!("mod({}, 6)", scope.int(self.choices, 2))),
                1 => (format!("fd{i}"), format!("min({}, 4)", scope.double(self.choices, 2))),
                _ => (format!("fb{i}"), scope.bool(self.choices, 2)),
            };
            self.line(&format!("formula {name} = {body};"));
            let names = match &name[..2] {
                "fi" => &mut self.scope.ints,
                "fd" => &mut self.scope.doubles,
                _ => &mut self.scope.bools,
            };
            names.push(name);
        }
    }

    fn declaration(&mut self, variable: &Variable, several: bool) -> String {
        let Variable { name, lo, hi, is_bool, unbounded } = variable;
        let mut text = if *is_bool {
            format!("{name} : bool")
        } else if *unbounded {
            format!("{name} : int")
        } else {
            format!("{name} : [{lo}..{hi}]")
        };
        if !several && self.choices.chance(60) {
            let init = if *is_bool {
                self.choices.chance(50).to_string()
            } else {
                self.choices.between(*lo, *hi).to_string()
            };
            text += &format!(" init {init}");
        }
        text + ";"
    }

    fn module(&mut self, kind: &str, mut module: Module, globals: &[Variable], several: bool) -> Module {
        self.line(&format!("module {}", module.name));
        for variable in &module.variables.clone() {
            let declaration = self.declaration(variable, several);
            self.line(&format!("  {declaration}"));
        }
        let count = self.choices.between(1, 4);
        for _ in 0..count {
            let action = *self.choices.pick(&["", "", "a", "b", "c"]);
            if !action.is_empty() && !module.actions.iter().any(|a| a == action) {
                module.actions.push(action.to_owned());
            }
            let scope = self.scope.clone();
            let guard = scope.bool(self.choices, 2);
            let mut targets = module.variables.clone();
            if action.is_empty() {
                targets.extend_from_slice(globals);
            }
            let updates = self.updates(kind, &targets);
            self.line(&format!("  [{action}] {guard} -> {updates};"));
        }
        self.line("endmodule");
        module
    }

    fn updates(&mut self, kind: &str, targets: &[Variable]) -> String {
        let scope = self.scope.clone();
        let weights: Vec<String> = if kind == "ctmc" {
            let count = self.choices.between(1, 2);
            (0..count)
                .map(|_| match self.choices.below(4) {
                    0 => "2".to_owned(),
                    1 => format!("max({}, 0)", scope.int(self.choices, 1)),
                    2 => format!("p*{}", self.choices.between(1, 3)),
                    _ => format!("0.5 + max(0, {})", scope.double(self.choices, 1)),
                })
                .collect()
        } else {
            match self.choices.below(6) {
                0 => vec!["p".to_owned(), "1-p".to_owned()],
                1 => vec!["0.25".to_owned(), "0.25".to_owned(), "1/2".to_owned()],
                2 => {
                    let part = format!("mod({}, 3)", scope.int(self.choices, 1));
                    vec![format!("({part})/2"), format!("1-({part})/2")]
                }
                3 => vec!["1".to_owned(), "0".to_owned()],
                _ => vec![String::new()],
            }
        };
        let updates: Vec<String> = weights
            .iter()
            .map(|weight| {
                let update = self.update(targets);
                if weight.is_empty() { update } else { format!("{weight} : {update}") }
            })
            .collect();
        updates.join(" + ")
    }

    fn update(&mut self, targets: &[Variable]) -> String {
        let scope = self.scope.clone();
        let mut assignments = Vec::new();
        for target in targets {
            if self.choices.chance(45) {
                continue;
            }
            let value = if target.is_bool {
                scope.bool(self.choices, 2)
            } else {
                let value = scope.int(self.choices, 2);
                let (lo, hi) = (target.lo, target.hi);
                match self.choices.below(60) {
                    0 => value,
                    1 => format!("({value})*1000000000 + {value}*2000000000"),
                    2..20 => format!("{lo} + mod({value}, {})", hi - lo + 1),
                    _ => format!("max({lo}, min({hi}, {value}))"),
                }
            };
            assignments.push(format!("({}'={value})", target.name));
        }
        if assignments.is_empty() { "true".to_owned() } else { assignments.join(" & ") }
    }

    /// Copies of modules, also of copies. Copied names are not known to expressions: they occur through
    /// renaming only.
    fn copies(&mut self, modules: &mut Vec<Module>) {
        let count = self.choices.between(0, 2);
        for i in 0..count {
            if !self.choices.chance(50) {
                continue;
            }
            let base = self.choices.pick(modules).clone();
            let mut renames = Vec::new();
            let mut variables = Vec::new();
            for (j, variable) in base.variables.iter().enumerate() {
                let name = format!("z{i}_{j}");
                renames.push(format!("{}={name}", variable.name));
                variables.push(Variable { name, ..variable.clone() });
            }
            let mut actions = base.actions.clone();
            if let Some(first) = actions.first_mut()
                && self.choices.chance(40)
            {
                let to = *self.choices.pick(&["a", "b", "d"]);
                renames.push(format!("{first}={to}"));
                *first = to.to_owned();
                actions.sort();
                actions.dedup();
            }
            if self.constants.ints.iter().any(|name| name == "L") && self.choices.chance(30) {
                renames.push("N=L".to_owned());
            }
            let name = format!("c{i}");
            self.line(&format!("module {name} = {} [{}] endmodule", base.name, renames.join(", ")));
            modules.push(Module { name, variables, actions });
        }
    }

    fn observations(&mut self, modules: &[Module]) {
        let mut scope = self.scope.clone();
        for variable in modules.iter().flat_map(|m| &m.variables).filter(|v| !v.is_bool) {
            if !scope.ints.contains(&variable.name) {
                scope.ints.push(variable.name.clone());
            }
        }
        let label = scope.bool(self.choices, 2);
        self.line(&format!("label \"goal\" = {label};"));
        let guard = scope.bool(self.choices, 1);
        let value = scope.double(self.choices, 1);
        self.line(&format!(
            "rewards \"cost\" {guard} : {value}; [] true : 1; [a] true : {value}; endrewards"
        ));
    }

    fn composition(&mut self, modules: &[Module]) {
        if modules.len() < 2 || !self.choices.chance(40) {
            return;
        }
        let all: Vec<&str> = modules.iter().flat_map(|m| m.actions.iter().map(String::as_str)).collect();
        let mut text = modules[0].name.clone();
        for module in &modules[1..] {
            let mut operand = module.name.clone();
            if let Some(action) = module.actions.first() {
                match self.choices.below(5) {
                    0 => operand = format!("({operand} / {{{action}}})"),
                    1 => operand = format!("{operand} {{{action}<-e}}"),
                    _ => {}
                }
            }
            let operator = match self.choices.below(3) {
                0 => "||".to_owned(),
                1 => "|||".to_owned(),
                _ if all.is_empty() => "||".to_owned(),
                _ => format!("|[{}]|", self.choices.pick(&all)),
            };
            text = format!("({text} {operator} {operand})");
        }
        if let Some(action) = all.first()
            && self.choices.chance(25)
        {
            text = format!("{text} / {{{action}}}");
        }
        self.line(&format!("system {text} endsystem"));
    }
}
