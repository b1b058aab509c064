// Debugging: `volvelle debug` is the adapter; the program is that of the settings, whatever a folder says.

import * as vscode from 'vscode';
import { OF_DEBUGGER } from './languages';
import { program } from './server';

export const TYPE = 'volvelle';

/** Without a configuration, the model in the editor is debugged. */
export const configurations: vscode.DebugConfigurationProvider = {
  resolveDebugConfiguration(folder, configuration) {
    if (configuration.type || configuration.request || configuration.name) return configuration;
    const document = vscode.window.activeTextEditor?.document;
    if (document === undefined || !OF_DEBUGGER.includes(document.languageId)) return undefined;
    const cwd = folder?.uri.fsPath;
    return { type: TYPE, request: 'launch', name: 'Step through the model', program: document.uri.fsPath, ...(cwd && { cwd }) };
  },
};

/** What a code lens of the server is about. */
interface Asked {
  uri: string;
  property?: string | number;
}

/** Steps through the counterexample to a property, or to what a model is checked for without one. */
export async function stepThrough(asked: Asked): Promise<void> {
  const uri = vscode.Uri.parse(asked.uri);
  const claim = asked.property === undefined ? undefined : String(asked.property);
  const configuration = { type: TYPE, request: 'launch', name: 'Counterexample', program: uri.fsPath, claim: claim ?? true };
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(uri), configuration);
}

export const adapters: vscode.DebugAdapterDescriptorFactory = {
  async createDebugAdapterDescriptor() {
    const command = await program('debug');
    return command === undefined ? undefined : new vscode.DebugAdapterExecutable(command, ['debug']);
  },
};
