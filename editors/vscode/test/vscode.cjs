// What the extension needs of the module `vscode` to start: registrations are kept, documents are those that a test gives. Whatever else is
// asked for is a class without content, a function that gives something to dispose of, or an event that never happens.

'use strict';

const { pathToFileURL, fileURLToPath } = require('node:url');

class Disposable {
  constructor(call) { this.call = call; }
  dispose() { this.call?.(); }
  static from(...parts) { return new Disposable(() => parts.forEach((part) => part.dispose())); }
}

class EventEmitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener, self) => {
      const bound = self === undefined ? listener : listener.bind(self);
      this.listeners.add(bound);
      return new Disposable(() => this.listeners.delete(bound));
    };
  }
  fire(value) { for (const listener of [...this.listeners]) listener(value); }
  dispose() { this.listeners.clear(); }
}

class Uri {
  constructor(text) {
    this.text = text;
    [, this.scheme] = /^([a-z]+):/.exec(text);
    this.path = decodeURIComponent(text.slice(this.scheme.length + 1).replace(/^\/\//, ''));
  }
  static file(file) { return new Uri(pathToFileURL(file).href); }
  static parse(text) { return new Uri(text); }
  static joinPath(uri, ...parts) { return Uri.file(require('node:path').join(uri.fsPath, ...parts)); }
  get fsPath() { return fileURLToPath(this.text); }
  toString() { return this.text; }
}

class Position {
  constructor(line, character) { Object.assign(this, { line, character }); }
}
class Range {
  constructor(a, b, c, d) {
    const isNumbers = typeof a === 'number';
    this.start = isNumbers ? new Position(a, b) : a;
    this.end = isNumbers ? new Position(c, d) : b;
  }
}
class Location {
  constructor(uri, range) { Object.assign(this, { uri, range }); }
}
class Diagnostic {
  constructor(range, message, severity) { Object.assign(this, { range, message, severity }); }
}
class CodeActionKind {
  constructor(value) { this.value = value; }
  append(part) { return new CodeActionKind(this.value ? `${this.value}.${part}` : part); }
}
CodeActionKind.Empty = new CodeActionKind('');
class DebugAdapterExecutable {
  constructor(command, args) { Object.assign(this, { command, args }); }
}
class ProcessExecution {
  constructor(process, args, options) { Object.assign(this, { process, args, options }); }
}
class Task {
  constructor(definition, scope, name, source, execution) { Object.assign(this, { definition, scope, name, source, execution }); }
}
class CancellationTokenSource {
  constructor() { this.token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable() }; }
  cancel() {}
  dispose() {}
}

/** All that the extension registered: names of functions with their arguments. */
const registered = [];
/** The answers of `getConfiguration`, by section and key. */
const settings = new Map();
/** Messages that were shown, of all kinds. */
const shown = [];

/** An object of which members that nobody gave are made up. */
function open(name, given) {
  const made = new Map();
  return new Proxy(given, {
    get(object, key) {
      if (key in object || typeof key === 'symbol') return object[key];
      if (!made.has(key)) made.set(key, member(`${name}.${key}`, key));
      return made.get(key);
    },
    has: () => true,
  });
}

function member(name, key) {
  if (/^on[A-Z]/.test(key)) return () => new Disposable();
  if (/^[A-Z]/.test(key)) return class {};
  return (...words) => {
    registered.push([name, ...words]);
    return new Disposable();
  };
}

const collections = new Map();

const vscode = {
  Disposable, EventEmitter, Uri, Position, Range, Location, Diagnostic, CancellationTokenSource,
  CodeActionKind, DebugAdapterExecutable, ProcessExecution, Task,
  TaskScope: { Workspace: 2 },
  TaskRevealKind: { Always: 1 },
  version: '1.99.0',
  workspace: open('workspace', {
    textDocuments: [],
    notebookDocuments: [],
    workspaceFolders: undefined,
    isTrusted: true,
    getConfiguration: (section) => ({
      get: (key, otherwise) => settings.get(`${section}.${key}`) ?? otherwise,
      inspect: () => undefined,
    }),
    getWorkspaceFolder: () => undefined,
    asRelativePath: (uri) => require('node:path').basename(uri.fsPath),
    openTextDocument: async (uri) => vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString()),
    fs: { readDirectory: async (uri) => require('node:fs').readdirSync(uri.fsPath).map((name) => [name, 1]) },
    createFileSystemWatcher: () => ({
      onDidCreate: () => new Disposable(), onDidChange: () => new Disposable(), onDidDelete: () => new Disposable(), dispose() {},
    }),
  }),
  window: open('window', {
    visibleTextEditors: [],
    activeTextEditor: undefined,
    tabGroups: { all: [], onDidChangeTabs: () => new Disposable(), onDidChangeTabGroups: () => new Disposable() },
    createOutputChannel: () => ({
      text: [],
      append(text) { this.text.push(text); },
      appendLine(text) { this.text.push(`${text}\n`); },
      show() {}, clear() {}, dispose() {},
    }),
    showErrorMessage: async (...words) => { shown.push(words); },
    showWarningMessage: async (...words) => { shown.push(words); },
    showInformationMessage: async (...words) => { shown.push(words); },
  }),
  languages: open('languages', {
    match: (selector, document) => [selector].flat().some(
      (filter) => filter.language === document.languageId && (filter.scheme ?? document.uri.scheme) === document.uri.scheme,
    ) ? 10 : 0,
    createDiagnosticCollection: (name) => {
      const known = new Map();
      collections.set(name, known);
      return {
        name,
        set: (uri, diagnostics) => known.set(uri.toString(), diagnostics),
        get: (uri) => known.get(uri.toString()),
        has: (uri) => known.has(uri.toString()),
        delete: (uri) => known.delete(uri.toString()),
        clear: () => known.clear(), dispose() {},
      };
    },
  }),
  commands: open('commands', {}),
  debug: open('debug', {}),
  tasks: open('tasks', {}),
  extensions: open('extensions', { all: [], getExtension: () => undefined }),
  env: open('env', { language: 'en', appName: 'a test' }),
};

module.exports = open('vscode', vscode);
Object.defineProperty(module.exports, 'testing', { value: { registered, settings, shown, collections, plain: vscode } });
