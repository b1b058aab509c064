//! Options that do not fit what the file holds, or each other.

use super::asked::{Asked, Run};
use super::source::Content;
use super::{effects, emit, record, windows};
use crate::options::{MulticorePart, SimulateMulticore};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_multicore::Form;

/// Options that do not fit what the file holds, or each other.
pub fn unfit(args: &SimulateMulticore, asked: &Asked) -> Vec<Diagnostic> {
    let wrong = |message: String, help: &str| Diagnostic::error(codes::BAD_USAGE, message).help(help);
    let mut found = Vec::new();
    let forms: Vec<(&str, Option<Form>)> =
        asked.runs.iter().map(|run| (run.source.kind(), run.form())).collect();
    let is_alone = forms.len() == 1;
    for (kind, form) in forms {
        match (form, args.only) {
            (Some(Form::Accesses), None | Some(MulticorePart::Caches)) if is_alone => {}
            (Some(Form::Accesses), _) => {
                found.push(wrong(
                    format!("{kind} say nothing of tasks"),
                    "leave `--only` out: caches are counted",
                ));
            }
            (Some(Form::Outcomes), None | Some(MulticorePart::Predictors)) if is_alone => {}
            (Some(Form::Outcomes), _) => {
                found.push(wrong(format!("{kind} are for predictors only"), "take `--only predictors`"));
            }
            (_, Some(MulticorePart::Caches)) => {
                let help = "leave `--only caches` out, and take a machine whose caches are real: --const caches=real";
                found.push(wrong(format!("caches alone have no use for a {kind}"), help));
            }
            _ => {}
        }
    }
    let is_program = |run: &Run| matches!(run.source.content, Content::Program(_));
    if !args.arguments.is_empty() && !asked.runs.iter().any(is_program) {
        found.push(wrong("only programs have arguments".to_owned(), "leave out what is behind `--`"));
    }
    if args.record.is_some() && !is_alone {
        found.push(wrong("a study has several executions to record".to_owned(), "record one program"));
    }
    if let Some(path) = &args.record {
        found.extend(record::RecordForm::of(path).err());
    }
    found.extend(effects::without_effect(args, asked.runs.first().and_then(Run::form)));
    let has_readings = asked.cases.iter().any(|case| case.reading.is_some());
    if args.goal.strategy.is_some() && has_readings {
        let help = "leave `--strategy` out: all are computed, and the choice is made without readings";
        found.push(wrong("a strategy knows nothing of readings".to_owned(), help));
    }
    // What is about cycles, and what is about tasks.
    let cycles = [
        ("--plot", !args.plot.is_empty()),
        ("--plot-stack", !args.plot_stack.is_empty()),
        ("--timeline", args.timeline.is_some()),
        ("--export-model", args.export_model.is_some()),
        (windows::option(args).unwrap_or("--windows"), windows::option(args).is_some()),
        (goal_option(args), asked.goal.is_some()),
    ];
    let tasks = [("--csv-branches", args.csv_branches.is_some()), ("--branches", args.branches.is_some())];
    let has_tasks = matches!(args.only, None | Some(MulticorePart::Predictors)) && !forms_without_rows(asked);
    let without_effect = cycles.iter().filter(|_| !has_tasks || args.only.is_some());
    for (option, _) in without_effect.chain(tasks.iter().filter(|_| !has_tasks)).filter(|option| option.1) {
        found.push(match has_tasks {
            true => wrong(
                format!("{option} has no effect beside --only predictors"),
                "it is about cycles: leave one of them out",
            ),
            false => {
                wrong(format!("{option} has no effect here"), "it is about tasks and cycles: leave it out")
            }
        });
    }
    if found.is_empty() {
        found.extend(emit::unfit(args, asked));
    }
    found
}

/// The option that asks for a choice.
fn goal_option(args: &SimulateMulticore) -> &'static str {
    let goal = &args.goal;
    let all = [
        ("--minimize", goal.minimize.is_some()),
        ("--maximize", goal.maximize.is_some()),
        ("--strategy", goal.strategy.is_some()),
    ];
    all.into_iter().find(|(_, is_given)| *is_given).map_or("--constraint", |(name, _)| name)
}

/// Whether the source is a stream of outcomes or accesses.
fn forms_without_rows(asked: &Asked) -> bool {
    asked.runs.iter().any(|run| matches!(run.form(), Some(Form::Accesses | Form::Outcomes)))
}
