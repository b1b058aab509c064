// Where things are: the checkout, the program, published models beside the checkout.

import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
export const extension = path.join(root, 'editors/vscode');
export const grammars = path.join(root, 'editors/grammars');

/** The program under test. */
export function program() {
  const program = process.env.VOLVELLE;
  if (!program || !fs.existsSync(program)) {
    throw new Error('set VOLVELLE to the program: editors/test/run PROGRAM does');
  }
  return path.resolve(program);
}

/** Endings of files, of the languages that the extension knows, by the identifier of the language. */
export function endings() {
  const manifest = JSON.parse(fs.readFileSync(path.join(extension, 'package.json'), 'utf8'));
  return new Map(manifest.contributes.languages.map((language) => [language.id, language.extensions]));
}

/** All files below a folder with one of some endings, sorted; none where the folder is not there. */
export function files(folder, ...endings) {
  if (!fs.existsSync(folder)) return [];
  const entries = fs.readdirSync(folder, { recursive: true }).map(String).sort();
  return entries.filter((name) => endings.some((ending) => name.endsWith(ending))).map((name) => path.join(folder, name));
}

/** Variables that say where published models are, by their folders beside the checkout. */
const VARIABLES = {
  prism: 'VOLVELLE_CORPUS',
  promela: 'VOLVELLE_PROMELA_CORPUS',
  lotos: 'VOLVELLE_LOTOS_CORPUS',
  rules: 'VOLVELLE_RULES_CORPUS',
};

/** Published models: the folder, which need not be there, and the variable that names it. */
export function corpus(name) {
  const variable = VARIABLES[name];
  return { folder: process.env[variable] ?? path.join(root, '../shared/corpus', name), variable };
}
