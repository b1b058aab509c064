//! `volvelle step` for stochastic models.

use crate::options::StepPaths;
use crate::stepping::PathWalk;
use crate::{PathEnd, PathPlan, Tracing, document, path_csv};
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::file_use::FileUse;
use volvelle_console::machine;
use volvelle_console::opening::{choices, control};
use volvelle_console::output::Output;
use volvelle_console::presented::Shown;
use volvelle_console::refusal::Refused;
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_control::Silent;
use volvelle_diagnostics::has_errors;
use volvelle_present::document::{Block, Note};
use volvelle_reports::page;
use volvelle_session::language::{Analysis, Offers};
use volvelle_stepping::Walk;
use volvelle_stepping::dialogue::{Ending, Setting, finish, lead, without_input};

impl Member for StepPaths {
    const WHAT: &'static str = "a walk through a stochastic model";
    const CHOSEN: Chosen = Chosen::ByModel;
    const OF: fn(&Offers) -> bool = |offers| offers.allows(Analysis::Sampling);
    const WHY: &'static str = "its steps have probabilities or rates";
    const HELP: &'static str = "leave it out";
    const ANALYSIS: Option<Analysis> = Some(Analysis::Sampling);
    const FILES: &'static [(&'static str, FileUse)] = &[("trail", FileUse::Read)];
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        let about = "the same, choosing the steps yourself";
        let command = format!("step {}", subject.model());
        Suggestion::only_if(!subject.is_system(), about, command)
    };

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, asked, output)
    }
}

/// Leads a walk.
fn run(args: &StepPaths, mut asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
    without_input(&args.model.model)?;
    let limit = args.step.limit()?;
    let (allowance, threads) = machine::limits(&args.limits)?;
    let mut session = asked.session()?;
    session.run.choices = choices(&args.scheduler)?;
    let seed = args.seed.seed;
    let tracing = Tracing { seed, until: Some("deadlock".to_owned()), is_chosen: true, ..Tracing::default() };
    let (plan, said) = crate::plan_path(&mut session, &args.asked.selected.prop, tracing);
    let plan = plan.filter(|_| !has_errors(&said));
    let walk = plan.as_ref().and_then(|plan| Some((plan, PathWalk::new(&mut session.model, plan)?)));
    let Some((plan, mut walk)) = walk else { return Err(Refused::in_texts(said, &session.model.sources)) };
    let control = control(&allowance, threads, asked.start, &Silent);
    let trail = args.step.trail.as_deref();
    let setting = Setting {
        output,
        answer: &args.answer,
        control: &control,
        allowance: &allowance,
        seed,
        limit,
        trail,
    };
    let led = lead(&mut walk, &setting, &said)?;
    let end = walk.end();
    let shown = Walked { plan, walk: &walk };
    let closing =
        shown.ending().into_iter().map(|text| Block::from(Note { text, indent: 2, further: 4 })).collect();
    let file = walk.file();
    let ending = Ending {
        end,
        fault_code: volvelle_console::output::EXIT_USAGE,
        said,
        closing,
        shown: Shown::new(&args.answer, shown.document(), file, walk.sources())
            .seeded(Some(seed))
            .with_table(|| shown.table()),
        sources: walk.sources(),
    };
    Ok(finish(led, ending, &setting, |diagnostics| {
        crate::json::of_path(file, plan, walk.states(), walk.path_end(), diagnostics, walk.sources())
            .to_text()
    }))
}

/// A walk that is over, in the forms that are wanted.
struct Walked<'w, 'p, 'm> {
    plan: &'p PathPlan,
    walk: &'w PathWalk<'p, 'm>,
}

impl Walked<'_, '_, '_> {
    fn ending(&self) -> Vec<volvelle_present::document::Text> {
        let steps = self.walk.states().last().map_or(0, |state| state.number);
        let end: Option<&PathEnd> = self.walk.path_end();
        document::ending(steps, end, &self.walk.undecided(), true)
    }

    fn document(&self) -> volvelle_present::document::Document {
        let steps = self.walk.states().last().map_or(0, |state| state.number);
        let file = page::name(self.walk.file());
        document::document(file, self.plan, self.walk.states(), steps, self.ending())
    }

    fn table(&self) -> String {
        let rows = self.walk.states().iter().map(|state| path_csv::row(self.plan, state));
        std::iter::once(path_csv::header(self.plan)).chain(rows).collect()
    }
}
