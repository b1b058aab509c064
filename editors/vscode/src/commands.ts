// Commands about the model that is open. They run in a terminal as the command line does; no shell reads the names of files.

import * as vscode from 'vscode';
import { modelOf } from './languages';
import { program } from './server';

/** What is done with a model: the question of the command line, and whether it reads files of properties. */
const QUESTIONS: [command: string, question: string, readsProperties: boolean][] = [
  ['volvelle.check', 'check', true],
  ['volvelle.simulate', 'simulate', true],
  ['volvelle.explore', 'explore', false],
];

export function commands(): vscode.Disposable[] {
  return QUESTIONS.map(([command, question, readsProperties]) =>
    vscode.commands.registerCommand(command, (given?: vscode.Uri) => ask(question, readsProperties, given)),
  );
}

async function ask(question: string, readsProperties: boolean, given?: vscode.Uri): Promise<void> {
  const uri = given ?? vscode.window.activeTextEditor?.document.uri;
  if (uri === undefined || uri.scheme !== 'file') {
    void vscode.window.showWarningMessage('Open a model that is a file first.');
    return;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  // The program reads files, not what is only in the editor.
  if (document.isDirty && !(await document.save())) return;
  const entries = await vscode.workspace.fs.readDirectory(vscode.Uri.joinPath(uri, '..'));
  const names = entries.map(([name]) => name);
  const found = modelOf(uri.fsPath, document.languageId, names, document.lineAt(0).text);
  if (found === undefined) {
    void vscode.window.showWarningMessage(
      'No model is known for these properties. Give it the name of its model, or a first line `// model: FILE`.',
    );
    return;
  }
  const command = await program(question);
  if (command === undefined) return;
  const constants = vscode.workspace.getConfiguration('volvelle', uri).get<string>('constants')?.trim();
  const words = [question, found.model, ...(readsProperties ? found.properties : [])];
  if (constants) words.push(`--const=${constants}`);
  await run(question, command, words, uri);
}

async function run(question: string, command: string, words: string[], uri: vscode.Uri): Promise<void> {
  const scope = vscode.workspace.getWorkspaceFolder(uri) ?? vscode.TaskScope.Workspace;
  const folder = vscode.Uri.joinPath(uri, '..').fsPath;
  const execution = new vscode.ProcessExecution(command, words, { cwd: folder });
  const name = `${question} ${vscode.workspace.asRelativePath(uri)}`;
  const task = new vscode.Task({ type: 'volvelle', question }, scope, name, 'volvelle', execution);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true };
  await vscode.tasks.executeTask(task);
}
