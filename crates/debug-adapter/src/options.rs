//! The options of the command.

use clap::Args;

/// Serve an editor: step through counterexamples, sampled paths and models as through a program
///
/// Speaks the Debug Adapter Protocol on standard input and output. Editors start it, and say what is debugged when they launch it: the file of
/// a model of any language, and a trail, a claim whose counterexample is searched, or a seed. Steps, steps back, breakpoints on lines and
/// conditions, and the commands of `volvelle step` in the console of the editor.
#[derive(Args, Debug)]
#[command(after_help = "\
Fields of a launch (docs/debugger.md has all):
  program      the file of the model; the others are optional
  cwd          the folder of relative paths
  trail        a file with a walk: of `step`, of `check --trail`, or a .trail file of SPIN
  claim        Promela: true, \"safety\", the name of a claim or an LTL formula; its counterexample is searched
  seed, path   a random path: that of `trace --seed --path`, for Promela that of `simulate --seed`
  constants    { \"N\": 3 }

In Neovim, with nvim-dap:
  local dap = require('dap')
  dap.adapters.volvelle = { type = 'executable', command = 'volvelle', args = { 'debug' } }
  dap.configurations.promela = {
    { type = 'volvelle', request = 'launch', name = 'Counterexample', program = '${file}', claim = true },
  }")]
pub struct DebugAdapter {
    /// Use standard input and output, as always: some editors say so
    #[arg(long, hide = true)]
    pub stdio: bool,
}
