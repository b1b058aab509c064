// Which program is started, and which files belong together.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import esbuild from 'esbuild';
import { endings, extension } from './places.mjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'volvelle-programs-'));
let programs;
let languages;

before(async () => {
  const entryPoints = ['programs', 'languages'].map((name) => path.join(extension, `src/${name}.ts`));
  await esbuild.build({ entryPoints, outdir: folder, format: 'esm', platform: 'node', outExtension: { '.js': '.mjs' } });
  const load = (name) => import(pathToFileURL(path.join(folder, `${name}.mjs`)).href);
  [programs, languages] = [await load('programs'), await load('languages')];
  for (const [name, mode] of [['bin/volvelle', 0o755], ['plain/volvelle', 0o644], ['other/tool.exe', 0o755]]) {
    fs.mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), '', { mode });
  }
  fs.mkdirSync(path.join(folder, 'folder/volvelle'), { recursive: true });
});
after(() => fs.rmSync(folder, { recursive: true }));

const at = (name) => path.join(folder, name);
const machine = (folders, endings = ['']) => ({ path: folders.join(path.delimiter), endings, home: folder });

test('a name is looked for in the folders of the search path', () => {
  const find = (setting, folders, endings) => programs.findProgram(setting, machine(folders, endings)).program;
  assert.equal(find('volvelle', [at('none'), at('bin')]), at('bin/volvelle'));
  assert.equal(find(' ', [at('bin')]), at('bin/volvelle'));
  assert.equal(find('volvelle', [at('plain'), at('folder'), at('bin')]), at('bin/volvelle'));
  assert.equal(find('volvelle', []), undefined);
  assert.equal(find('tool', [at('other')], ['.com', '.exe']), at('other/tool.exe'));
  assert.equal(find('tool.exe', [at('other')], ['.com', '.exe']), at('other/tool.exe'));
  assert.equal(find('volvelle', [at('bin')], ['.exe']), undefined);
});

test('no folder is meant that depends on where the editor was started', () => {
  const before = process.cwd();
  process.chdir(at('bin'));
  try {
    for (const folders of [['.'], [''], ['../bin']]) {
      assert.match(programs.findProgram('volvelle', machine(folders)).problem, /not in any folder of PATH/);
    }
    for (const setting of ['./volvelle', 'bin/volvelle', '..\\volvelle']) {
      assert.match(programs.findProgram(setting, machine([at('bin')])).problem, /whole path/);
    }
  } finally {
    process.chdir(before);
  }
});

test('a whole path', () => {
  assert.equal(programs.findProgram(at('bin/volvelle'), machine([])).program, at('bin/volvelle'));
  assert.equal(programs.findProgram('~/bin/volvelle', machine([])).program, at('bin/volvelle'));
  for (const name of ['plain/volvelle', 'folder', 'none']) {
    assert.match(programs.findProgram(at(name), machine([at('bin')])).problem, /not a program/);
  }
});

test('files that belong together', () => {
  const names = ['queue.prism', 'queue.props', 'queue.csl', 'queue.txt', 'other.props', 'b.pml', 'b.ltl'];
  const of = (file, language, first = '') => languages.modelOf(at(file), language, names, first);
  const both = (model, ...properties) => ({ model: at(model), properties: properties.map(at) });
  assert.deepEqual(of('queue.prism', 'prism'), both('queue.prism', 'queue.csl', 'queue.props'));
  assert.deepEqual(of('queue.props', 'prism-properties'), both('queue.prism', 'queue.props'));
  assert.deepEqual(of('other.props', 'prism-properties', '// model: sub/m.pm '), both('sub/m.pm', 'other.props'));
  assert.equal(of('other.props', 'prism-properties', '// a model'), undefined);
  assert.deepEqual(of('b.pml', 'promela'), both('b.pml'));
});

test('languages are those of the manifest', () => {
  const known = endings();
  for (const language of [...languages.OF_SERVER, ...languages.OF_DEBUGGER]) assert.ok(known.has(language), language);
  const read = /\{(.*)\}/.exec(languages.READ)[1].split(',');
  for (const language of languages.OF_SERVER) {
    for (const ending of known.get(language)) assert.ok(read.includes(ending.slice(1)), ending);
  }
});
