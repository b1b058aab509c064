// The language server: started when a model is opened, and again when the program is another one.

import * as vscode from 'vscode';
import { LanguageClient, type LanguageClientOptions, State } from 'vscode-languageclient/node';
import { OF_SERVER, READ } from './languages';
import { findProgram, lacks, thisMachine } from './programs';

/** The scheme of the pages of the server. */
export const SCHEME = 'volvelle';

/** The program of the settings, which has such a question. Where there is none, a message says so, with ways out. */
export async function program(question: string): Promise<string | undefined> {
  const setting = vscode.workspace.getConfiguration('volvelle').get<string>('path') ?? '';
  const found = findProgram(setting, thisMachine());
  const problem = 'problem' in found ? found.problem : await lacks(found.program, question);
  if ('program' in found && problem === undefined) return found.program;
  // Nothing waits for the answer but this message.
  void offerWays(problem ?? '');
  return undefined;
}

async function offerWays(problem: string): Promise<void> {
  const [settings, again] = ['Open Settings', 'Try Again'];
  const message = `${problem} Install Volvelle, or set volvelle.path to its program.`;
  const chosen = await vscode.window.showErrorMessage(message, settings, again);
  if (chosen === settings) await vscode.commands.executeCommand('workbench.action.openSettings', 'volvelle.path');
  if (chosen === again) await vscode.commands.executeCommand('volvelle.restart');
}

/** The server that runs, if one does. */
export class Server {
  private client: LanguageClient | undefined;
  /** Starts and stops happen one after the other. */
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly output: vscode.OutputChannel) {}

  get running(): LanguageClient | undefined {
    return this.client?.state === State.Running ? this.client : undefined;
  }

  start(): Promise<void> {
    return this.next(() => this.startNow());
  }

  stop(): Promise<void> {
    return this.next(() => this.stopNow());
  }

  restart(): Promise<void> {
    return this.next(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  private next(what: () => Promise<void>): Promise<void> {
    this.last = this.last.catch(() => undefined).then(what);
    return this.last;
  }

  private async startNow(): Promise<void> {
    const command = await program('lsp');
    if (command === undefined || this.client !== undefined) return;
    const studies = vscode.workspace.getConfiguration('volvelle').get<string[]>('studies') ?? [];
    const options: LanguageClientOptions = {
      documentSelector: [
        ...OF_SERVER.flatMap((language) => ['file', 'untitled'].map((scheme) => ({ language, scheme }))),
        // The server tells which files in TOML are for Volvelle, and is silent about all others.
        ...['**/*.toml', ...studies].map((pattern) => ({ scheme: 'file', pattern })),
      ],
      outputChannel: this.output,
      // One message says that it does not start, below; one that ends is started again four times, as is usual.
      initializationFailedHandler: () => false,
      // The server offers to step through counterexamples where there is a debugger, and leads into documents that it has.
      initializationOptions: { debugger: true, pages: true },
      synchronize: { configurationSection: 'volvelle', fileEvents: vscode.workspace.createFileSystemWatcher(READ) },
    };
    const client = new LanguageClient('volvelle', 'Volvelle', { command, args: ['lsp'] }, options);
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.client = undefined;
      await client.dispose().catch(() => undefined);
      void offerWays(`${command} is no language server of Volvelle: ${error instanceof Error ? error.message : error}.`);
    }
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose().catch((error) => this.output.appendLine(String(error)));
  }
}

/** The pages of the server, such as those about codes and texts of libraries, as documents that cannot be edited. */
export function pages(server: Server): vscode.TextDocumentContentProvider {
  return {
    async provideTextDocumentContent(uri, token) {
      const client = server.running;
      if (client === undefined) throw new Error('Volvelle is not running.');
      const answer = await client.sendRequest<{ text: string }>('workspace/textDocumentContent', { uri: uri.toString() }, token);
      return answer.text;
    },
  };
}
