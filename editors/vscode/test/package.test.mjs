// The package as it is installed: its parts are there, and its program starts the server for real.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import Module from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { unzip, zip } from '../zip.mjs';
import { extension, files, program, root } from './places.mjs';
import { written } from './scopes.mjs';

const MOST_BYTES = 1 << 20;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'volvelle-extension-'));
let archive;
let manifest;
const at = (file) => path.join(folder, 'extension', file);
const json = (file) => JSON.parse(fs.readFileSync(at(file), 'utf8'));

before(() => {
  const [file] = files(extension, '.vsix').filter((file) => path.dirname(file) === extension);
  archive = fs.readFileSync(file);
  for (const [name, bytes] of unzip(archive)) {
    const target = path.join(folder, name);
    assert.ok(target.startsWith(folder + path.sep), name);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, bytes);
  }
  manifest = json('package.json');
});
after(() => fs.rmSync(folder, { recursive: true }));

test('an archive gives its files back', () => {
  const given = [['a/ä.txt', Buffer.from('content'.repeat(99))], ['empty', Buffer.alloc(0)]];
  assert.deepEqual([...unzip(zip(given))], given);
  const damaged = zip(given);
  damaged[40] ^= 1;
  assert.throws(() => unzip(damaged));
  assert.throws(() => unzip(Buffer.alloc(30)), /no archive/);
});

test('the package is small, and has what an editor wants', () => {
  assert.ok(archive.length <= MOST_BYTES);
  for (const name of ['LICENSE.txt', 'LICENSES-OF-PACKAGES.txt', 'README.md']) {
    assert.ok(fs.statSync(at(name)).size > 0, name);
  }
  assert.ok(fs.existsSync(path.join(folder, '[Content_Types].xml')));
  const xml = fs.readFileSync(path.join(folder, 'extension.vsixmanifest'), 'utf8');
  for (const [, file] of xml.matchAll(/Path="([^"]*)"/g)) assert.ok(fs.existsSync(path.join(folder, file)), file);
  assert.ok(xml.includes(`Version="${manifest.version}"`));
  const known = fs.readFileSync(path.join(folder, '[Content_Types].xml'), 'utf8');
  for (const file of files(folder, '')) {
    if (fs.statSync(file).isFile() && !file.endsWith('.xml')) assert.ok(known.includes(`"${path.extname(file)}"`), file);
  }
  assert.equal(manifest.devDependencies, undefined);
});

test('the version is that of the program', () => {
  const version = /^version = "(.*)"$/m.exec(fs.readFileSync(path.join(root, 'Cargo.toml'), 'utf8'))[1];
  assert.equal(manifest.version, version);
});

test('contributions are files that are there', () => {
  const { languages, grammars, snippets } = manifest.contributes;
  const ids = languages.map(({ id }) => id);
  for (const { path } of [...grammars, ...snippets]) json(path);
  for (const { language, scopeName, path } of grammars) {
    assert.ok(ids.includes(language));
    assert.equal(json(path).scopeName, scopeName);
  }
  for (const { language } of snippets) assert.ok(ids.includes(language));
  assert.equal(grammars.length, written.size);
  assert.ok(fs.existsSync(at(manifest.main)) && fs.existsSync(at(manifest.icon)));
});

test('patterns of languages are regular expressions', () => {
  const compiled = (pattern) => new RegExp(pattern.pattern ?? pattern, pattern.flags ?? '');
  for (const { id, configuration, firstLine } of manifest.contributes.languages) {
    const { wordPattern, indentationRules, brackets, comments } = json(configuration);
    assert.match('name_1', compiled(wordPattern), id);
    assert.ok(comments.lineComment ?? comments.blockComment, id);
    for (const pattern of Object.values(indentationRules ?? {})) compiled(pattern);
    for (const pair of brackets) assert.equal(pair.length, 2);
    if (firstLine) compiled(firstLine);
  }
  for (const { pattern } of manifest.contributes.problemMatchers) for (const { regexp } of pattern) new RegExp(regexp);
});

test('indentation', () => {
  const rules = (id) => json(manifest.contributes.languages.find((language) => language.id === id).configuration).indentationRules;
  const holds = (pattern, line) => new RegExp(pattern.pattern ?? pattern, pattern.flags ?? '').test(line);
  const opens = (id, line) => holds(rules(id).increaseIndentPattern, line);
  const closes = (id, line) => holds(rules(id).decreaseIndentPattern, line);
  assert.ok(opens('prism', 'module a') && !opens('prism', 'module b = a [ x=y ] endmodule') && closes('prism', 'endmodule'));
  assert.ok(!opens('prism', '  x : [0..1] init 0;') && !opens('prism', '  [] x=0 -> true;'));
  assert.ok(opens('promela', 'active proctype P() {') && opens('promela', '\tdo') && !opens('promela', 'do :: x -> skip od'));
  assert.ok(closes('promela', '\tod') && closes('promela', '}') && !opens('promela', '\tx = 1;'));
  assert.ok(opens('lotos', 'PROCESS P [a] : exit :=') && closes('lotos', 'EndProc'));
  assert.ok(opens('mpi-program', 'process P[i: 0..1] {') && closes('mpi-program', '}'));
});

test('a workspace cannot choose the program', () => {
  assert.equal(manifest.contributes.configuration.properties['volvelle.path'].scope, 'machine');
  assert.equal(manifest.capabilities.untrustedWorkspaces.supported, 'limited');
  const runs = manifest.contributes.commands.filter(({ command }) => /check|simulate|explore/.test(command));
  assert.equal(runs.length, 3);
  for (const { enablement } of runs) assert.equal(enablement, 'isWorkspaceTrusted');
});

const page = path.join(root, 'docs/debugger.md');
if (fs.existsSync(page)) {
  test('what can be launched is what the page about the debugger says', () => {
    const fields = [...fs.readFileSync(page, 'utf8').matchAll(/^\| `(\w+)` \|/gm)].map(([, field]) => field);
    const { properties, required } = manifest.contributes.debuggers[0].configurationAttributes.launch;
    assert.ok(fields.length > 5);
    for (const field of Object.keys(properties)) assert.ok(fields.includes(field), field);
    for (const field of required) assert.ok(fields.includes(field), field);
  });
}

/** The bundled program, with a module `vscode` of its own. */
function load() {
  const require = createRequire(import.meta.url);
  const mock = require.resolve('./vscode.cjs');
  delete require.cache[mock];
  delete require.cache[at(manifest.main)];
  const resolve = Module._resolveFilename;
  Module._resolveFilename = (name, ...rest) => (name === 'vscode' ? mock : resolve(name, ...rest));
  try {
    return { program: require(at(manifest.main)), vscode: require(mock), ...require(mock).testing };
  } finally {
    Module._resolveFilename = resolve;
  }
}

const context = () => ({ subscriptions: [], extensionPath: path.join(folder, 'extension') });

test('it starts the server, and definitions are found', async () => {
  const { program: bundled, vscode, registered, settings, shown, plain } = load();
  settings.set('volvelle.path', program());
  const file = path.join(root, 'examples/prism/die.prism');
  const text = fs.readFileSync(file, 'utf8');
  const document = { uri: vscode.Uri.file(file), languageId: 'prism', version: 1, getText: () => text, isClosed: false };
  plain.workspace.textDocuments = [document];
  await bundled.activate(context());
  try {
    assert.deepEqual(shown, []);
    const named = (name) => registered.filter(([known]) => known === name).map(([, ...words]) => words);
    const commands = named('commands.registerCommand').map(([command]) => command);
    for (const { command } of manifest.contributes.commands) assert.ok(commands.includes(command), command);
    assert.deepEqual(named('debug.registerDebugAdapterDescriptorFactory').map(([type]) => type), ['volvelle']);

    const [, definitions] = named('languages.registerDefinitionProvider')[0];
    const lines = text.split('\n');
    const line = lines.findIndex((line) => line.includes('[flip] node = 0'));
    const position = new vscode.Position(line, lines[line].indexOf('node'));
    const token = new vscode.CancellationTokenSource().token;
    const found = [await definitions.provideDefinition(document, position, token)].flat();
    assert.equal(found.length, 1);
    assert.equal(found[0].uri.toString(), document.uri.toString());
    assert.match(lines[found[0].range.start.line], /^\s*node\s*:/);

    const pages = named('workspace.registerTextDocumentContentProvider').filter(([scheme]) => scheme === 'volvelle');
    const page = await pages[0][1].provideTextDocumentContent(vscode.Uri.parse('volvelle:/explain/V0203.md'), token);
    assert.match(page, /^# V0203/);
    const library = vscode.Uri.parse('volvelle:/library/standard.lotos');
    assert.match(await pages[0][1].provideTextDocumentContent(library, token), /^type BITSTRING is/m);
    // The ending tells the editor its language.
    const lotos = manifest.contributes.languages.find(({ id }) => id === 'lotos');
    assert.ok(lotos.extensions.includes(path.extname(library.path)));

    // A program without a debugger says so.
    const [, factory] = named('debug.registerDebugAdapterDescriptorFactory')[0];
    const adapter = await factory.createDebugAdapterDescriptor();
    const hasDebugger = spawnSync(program(), ['debug', '--help']).status === 0;
    if (hasDebugger) assert.deepEqual({ ...adapter }, { command: program(), args: ['debug'] });
    else assert.match(shown[0][0], /has no `debug`/);
  } finally {
    await bundled.deactivate();
  }
});

test('commands run the program with the model and its properties, without a shell', async () => {
  const { program: bundled, vscode, registered, settings, shown, plain } = load();
  settings.set('volvelle.path', program());
  settings.set('volvelle.constants', 'N=3, M=4');
  const documents = ['die.prism', 'die.props', 'lost.props'].map((name) => ({
    uri: vscode.Uri.file(path.join(root, 'examples/prism', name)), isClosed: false, version: 1, getText: () => '',
    languageId: name.endsWith('.prism') ? 'prism' : 'prism-properties', lineAt: () => ({ text: '' }),
  }));
  // The server is not told of documents without contents.
  await bundled.activate(context());
  plain.workspace.textDocuments = documents;
  try {
    const run = async (command, { uri }) => {
      const [, , call] = registered.find(([name, known]) => name === 'commands.registerCommand' && known === command);
      await call(uri);
      return registered.filter(([name]) => name === 'tasks.executeTask').at(-1)?.[1].execution;
    };
    const [model, properties] = documents.map(({ uri }) => uri.fsPath);
    for (const document of documents.slice(0, 2)) {
      const execution = await run('volvelle.check', document);
      assert.equal(execution.process, program());
      assert.deepEqual(execution.args, ['check', model, properties, '--const=N=3, M=4']);
      assert.equal(execution.options.cwd, path.dirname(model));
    }
    assert.deepEqual((await run('volvelle.explore', documents[0])).args, ['explore', model, '--const=N=3, M=4']);
    assert.deepEqual(shown, []);
    await run('volvelle.check', documents[2]);
    assert.match(shown[0][0], /No model is known/);
  } finally {
    await bundled.deactivate();
  }
});

test('where there is no program, it says so and stays', async () => {
  const { program: bundled, settings, shown } = load();
  const settingsAndMessages = [
    ['no-such-program', /not in any folder of PATH/],
    ['sub/volvelle', /whole path/],
    [folder, /not a program/],
    // It is asked for a page of help first.
    [process.execPath, /has no `lsp`/],
  ];
  for (const [setting, said] of settingsAndMessages) {
    settings.set('volvelle.path', setting);
    shown.length = 0;
    await bundled.activate(context());
    assert.equal(shown.length, 1);
    const [message, ...ways] = shown[0];
    assert.match(message, said);
    assert.match(message, /volvelle\.path/);
    assert.deepEqual(ways, ['Open Settings', 'Try Again']);
    await bundled.deactivate();
  }
});
