// Volvelle in VS Code: its language server, commands about models, its debugger.

import * as vscode from 'vscode';
import { commands } from './commands';
import { adapters, configurations, stepThrough, TYPE } from './debugger';
import { pages, SCHEME, Server } from './server';

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel('Volvelle');
  const started = new Server(output);
  server = started;
  context.subscriptions.push(
    output,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, pages(started)),
    vscode.commands.registerCommand('volvelle.restart', () => started.restart()),
    vscode.commands.registerCommand('volvelle.showOutput', () => output.show()),
    ...commands(),
    vscode.commands.registerCommand('volvelle.debug', stepThrough),
    vscode.debug.registerDebugConfigurationProvider(TYPE, configurations),
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, adapters),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (['volvelle.path', 'volvelle.studies'].some((setting) => change.affectsConfiguration(setting))) void started.restart();
    }),
  );
  await started.start();
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}
