// A client of the language server, of the library that VS Code itself uses.

import { spawn } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import protocol from 'vscode-languageserver-protocol/node.js';
import { program, root } from './places.mjs';

export const uri = (file) => pathToFileURL(path.resolve(file)).href;

/** Starts the server in a folder. Diagnostics that are sent unasked are kept by their documents. */
export async function start(capabilities = {}, folder = root) {
  const server = spawn(program(), ['lsp'], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve, reject) => {
    server.on('exit', (code) => resolve(code));
    server.on('error', reject);
  });
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(server.stdout),
    new protocol.StreamMessageWriter(server.stdin),
  );
  const published = new Map();
  const waiting = [];
  connection.onNotification('textDocument/publishDiagnostics', ({ uri, diagnostics }) => {
    published.set(uri, diagnostics);
    for (const check of waiting.splice(0)) check();
  });
  // Requests that are open when the server ends are refused.
  ended.then(() => connection.dispose(), () => connection.dispose());
  connection.listen();
  const answer = await connection.sendRequest('initialize', {
    processId: process.pid, rootUri: uri(folder), capabilities,
  });
  await connection.sendNotification('initialized', {});
  const versions = new Map();
  const of = (file) => ({ textDocument: { uri: uri(file) } });
  return {
    answer,
    published,
    ask: (method, params) => connection.sendRequest(method, params),
    open(file, languageId, text) {
      versions.set(file, 1);
      return connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri: uri(file), languageId, version: 1, text },
      });
    },
    change(file, text) {
      versions.set(file, versions.get(file) + 1);
      return connection.sendNotification('textDocument/didChange', {
        textDocument: { uri: uri(file), version: versions.get(file) },
        contentChanges: [{ text }],
      });
    },
    close: (file) => connection.sendNotification('textDocument/didClose', of(file)),
    about: (method, file, more = {}) => connection.sendRequest(method, { ...of(file), ...more }),
    /** Waits until the diagnostics of a document are as they should. */
    async until(file, holds) {
      while (!published.has(uri(file)) || !holds(published.get(uri(file)))) {
        await new Promise((resolve) => waiting.push(resolve));
      }
      return published.get(uri(file));
    },
    /** Ends the server; gives its exit code. */
    async stop() {
      await connection.sendRequest('shutdown');
      await connection.sendNotification('exit');
      return ended;
    },
  };
}
