//! The options of the command.

use clap::Args;

/// Serve an editor: debug counterexamples, sampled paths and models, step by step
///
/// Speaks the Debug Adapter Protocol on standard input and output. Editors start it, and say what is debugged when they launch it: the file of
/// a model of any language, and a trail, a claim whose counterexample is searched, or a seed. Steps, steps back, breakpoints on lines and
/// conditions, and the commands of `volvelle step` in the console of the editor.
#[derive(Args, Debug)]
#[command(after_help = "\
Fields of a launch; all but the first may be left out (more: docs/debugger.md):
  program       the file of the model
  cwd           the folder of relative paths
  trail         a file with a walk: of `step`, of `check --trail`, or a .trail file of SPIN
  claim         a counterexample is searched: true, \"safety\", a claim, an LTL formula or a property
  seed, path    a random path: that of `trace --seed --path`, for Promela of `simulate --seed`
  constants     { \"N\": 3 }, as --const; and defines, as -D
  properties    a list of files; prop, ltl: lists of what is followed, as --prop and --ltl
  scheduler     of an mdp, as --scheduler
  language      where the name of the file does not tell it
  steps         how many are remembered: 100000
  stopOnEntry   false: go on to the first breakpoint

In the console of the editor: 3 takes that step, r a random one, b goes back, u CONDITION goes on
until it holds, save FILE keeps the walk, ? lists all commands.

In Neovim, with nvim-dap:
  local dap = require('dap')
  dap.adapters.volvelle = { type = 'executable', command = 'volvelle', args = { 'debug' } }
  dap.configurations.promela = { {
    type = 'volvelle', request = 'launch', name = 'Counterexample', program = '${file}', claim = true,
  } }")]
pub struct DebugAdapter {
    /// Use standard input and output, as always: some editors say so
    #[arg(long, hide = true)]
    pub stdio: bool,
}
