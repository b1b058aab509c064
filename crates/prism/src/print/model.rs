//! Prints models. Declarations come in PRISM's customary order, not in that of the file.

use crate::ast::{
    Command, Exprs, Model, ModelType, Module, ModuleBody, Name, Rewards, System, Update, VarType, Variable,
};
use crate::print::{declarations, expr};

/// A whole model.
pub fn model(model: &Model) -> String {
    let exprs = &model.exprs;
    let mut out = String::new();
    if let Some((ty, _)) = model.ty {
        out.push_str(match ty {
            ModelType::Dtmc => "dtmc",
            ModelType::Ctmc => "ctmc",
            ModelType::Mdp => "mdp",
            ModelType::Unsupported(name) => name,
        });
        out.push_str("\n\n");
    }
    declarations(&mut out, exprs, &model.constants, &model.formulas, &model.labels);
    for global in &model.globals {
        out.push_str("global ");
        variable(&mut out, exprs, global);
    }
    for item in &model.modules {
        module(&mut out, exprs, item);
    }
    for item in &model.rewards {
        rewards(&mut out, exprs, item);
    }
    for player in &model.players {
        let modules = player.modules.iter().map(|name| name.text.clone());
        let actions = player.actions.iter().map(|name| format!("[{}]", name.text));
        let parts: Vec<String> = modules.chain(actions).collect();
        out.push_str(&format!("\nplayer {}\n  {}\nendplayer\n", player.name.text, parts.join(", ")));
    }
    if let Some((states, _)) = model.init {
        out.push_str(&format!("\ninit\n  {}\nendinit\n", expr(exprs, states)));
    }
    let named: Vec<&str> =
        model.systems.iter().filter_map(|(name, ..)| name.as_ref().map(|name| name.text.as_str())).collect();
    for (name, composition, _) in &model.systems {
        out.push_str("\nsystem");
        if let Some(name) = name {
            out.push_str(&format!(" \"{}\"", name.text));
        }
        out.push_str("\n  ");
        system(&mut out, composition, Place::Top, &named);
        out.push_str("\nendsystem\n");
    }
    out
}

fn variable(out: &mut String, exprs: &Exprs, variable: &Variable) {
    let ty = match variable.ty {
        VarType::Range { lo, hi } => format!("[{}..{}]", expr(exprs, lo), expr(exprs, hi)),
        VarType::Int => "int".to_string(),
        VarType::Bool => "bool".to_string(),
        VarType::Double => "double".to_string(),
        VarType::Clock => "clock".to_string(),
    };
    out.push_str(&format!("{} : {ty}", variable.name.text));
    if let Some(init) = variable.init {
        out.push_str(&format!(" init {}", expr(exprs, init)));
    }
    out.push_str(";\n");
}

fn module(out: &mut String, exprs: &Exprs, module: &Module) {
    out.push_str(&format!("\nmodule {}", module.name.text));
    match &module.body {
        ModuleBody::Renamed { base, renames } => {
            let pairs: Vec<String> =
                renames.iter().map(|pair| format!("{}={}", pair.from.text, pair.to.text)).collect();
            out.push_str(&format!(" = {} [{}] ", base.text, pairs.join(", ")));
        }
        ModuleBody::Plain { variables, commands, invariant } => {
            out.push('\n');
            for item in variables {
                out.push_str("  ");
                variable(out, exprs, item);
            }
            if invariant.is_some() {
                out.push_str("  invariant ⟨invariant⟩ endinvariant\n");
            }
            for item in commands {
                out.push_str("  ");
                out.push_str(&command(exprs, item));
                out.push('\n');
            }
        }
    }
    out.push_str("endmodule\n");
}

fn bracketed(action: Option<&Name>) -> String {
    format!("[{}]", action.map_or("", |name| name.text.as_str()))
}

/// A command: `[a] guard -> updates;`
fn command(exprs: &Exprs, command: &Command) -> String {
    let updates: Vec<String> = command.updates.iter().map(|item| update(exprs, item)).collect();
    format!(
        "{} {} -> {};",
        bracketed(command.action.as_ref()),
        expr(exprs, command.guard),
        updates.join(" + ")
    )
}

fn update(exprs: &Exprs, update: &Update) -> String {
    let mut out = match update.weight {
        _ if update.interval => "[⟨interval⟩] : ".to_string(),
        Some(weight) => format!("{} : ", expr(exprs, weight)),
        None => String::new(),
    };
    if update.assignments.is_empty() {
        out.push_str("true");
    }
    for (i, assignment) in update.assignments.iter().enumerate() {
        if i > 0 {
            out.push_str(" & ");
        }
        out.push_str(&format!("({}'={})", assignment.target.text, expr(exprs, assignment.value)));
    }
    out
}

fn rewards(out: &mut String, exprs: &Exprs, rewards: &Rewards) {
    out.push_str("\nrewards");
    if let Some(name) = &rewards.name {
        out.push_str(&format!(" \"{}\"", name.text));
    }
    out.push('\n');
    for item in &rewards.items {
        out.push_str("  ");
        if let Some(action) = &item.action {
            out.push_str(&format!("{} ", bracketed(action.as_ref())));
        }
        out.push_str(&format!("{} : {};\n", expr(exprs, item.guard), expr(exprs, item.value)));
    }
    out.push_str("endrewards\n");
}

/// The position of a process, which decides about parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The whole composition.
    Top,
    /// Operand of `||` or `|||`.
    Operand,
    /// Operand of `|[…]|`, hiding or renaming.
    Tight,
}

/// Recursion is bounded by [`SYSTEM_NESTING_LIMIT`](crate::parse::SYSTEM_NESTING_LIMIT).
fn system(out: &mut String, process: &System, place: Place, named: &[&str]) {
    let inside = match process {
        System::Name(_) | System::Hide(..) | System::Rename(..) => false,
        System::Sync(..) => place == Place::Tight,
        System::Parallel(_) | System::Interleave(_) => place != Place::Top,
    };
    if inside {
        out.push('(');
    }
    match process {
        System::Name(name) if named.contains(&name.text.as_str()) => {
            out.push_str(&format!("\"{}\"", name.text));
        }
        System::Name(name) => out.push_str(&name.text),
        System::Parallel(operands) => joined(out, operands, " || ", named),
        System::Interleave(operands) => joined(out, operands, " ||| ", named),
        System::Sync(left, actions, right) => {
            system(out, left, Place::Tight, named);
            out.push_str(&format!(" |[{}]| ", list(actions)));
            system(out, right, Place::Tight, named);
        }
        System::Hide(hidden, actions) => {
            system(out, hidden, Place::Tight, named);
            out.push_str(&format!(" / {{{}}}", list(actions)));
        }
        System::Rename(renamed, renames) => {
            system(out, renamed, Place::Tight, named);
            let pairs: Vec<String> =
                renames.iter().map(|pair| format!("{}<-{}", pair.from.text, pair.to.text)).collect();
            out.push_str(&format!(" {{{}}}", pairs.join(", ")));
        }
    }
    if inside {
        out.push(')');
    }
}

fn joined(out: &mut String, operands: &[System], separator: &str, named: &[&str]) {
    for (i, operand) in operands.iter().enumerate() {
        if i > 0 {
            out.push_str(separator);
        }
        system(out, operand, Place::Operand, named);
    }
}

fn list(names: &[Name]) -> String {
    let names: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
    names.join(", ")
}
