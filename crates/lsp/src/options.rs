//! The options of the command.

use clap::Args;

/// Serve an editor: errors, names and outline of models while they are written
///
/// Speaks the Language Server Protocol on standard input and output. Editors start it; editors/README.md says how, for Neovim, Helix,
/// Emacs and Zed. Models are read as they are in the editor, and never explored.
#[derive(Args, Debug)]
#[command(after_help = "\
In Neovim 0.11 or later:
  vim.lsp.config('volvelle', { cmd = { 'volvelle', 'lsp' }, filetypes = { 'prism', 'promela' } })
  vim.lsp.enable('volvelle')

In Helix, in languages.toml:
  [language-server.volvelle]
  command = \"volvelle\"
  args = [\"lsp\"]")]
pub struct LanguageServer {
    /// Use standard input and output, as always: some editors say so
    #[arg(long, hide = true)]
    pub stdio: bool,
}
