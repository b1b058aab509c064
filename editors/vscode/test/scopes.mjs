// Texts cut into tokens by the grammars, as VS Code does it.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import oniguruma from 'vscode-oniguruma';
import textmate from 'vscode-textmate';
import { grammars } from './places.mjs';

const resolve = createRequire(import.meta.url).resolve;
const wasm = fs.readFileSync(path.join(path.dirname(resolve('vscode-oniguruma')), 'onig.wasm'));
await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));

/** The grammars as they are written, by the names of their files. */
export const written = new Map(
  fs.readdirSync(grammars).map((name) => [name, JSON.parse(fs.readFileSync(path.join(grammars, name), 'utf8'))]),
);

const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async (scope) => [...written.values()].find((grammar) => grammar.scopeName === scope) ?? null,
});

/** The grammar with a scope: its regular expressions are compiled as they are used. */
export const grammar = (scope) => registry.loadGrammar(scope);

/**
 * The tokens of a text: line, start and end in UTF-16, the scopes below that of the language. Blanks at the end of a line belong
 * to none.
 */
export function scopes(grammar, text) {
  const found = [];
  let state = textmate.INITIAL;
  text.split(/\r\n|\n|\r/).forEach((line, number) => {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    for (const { startIndex, endIndex, scopes } of result.tokens) {
      const whole = line.slice(startIndex, endIndex);
      const text = endIndex < line.length ? whole : whole.trimEnd();
      if (text !== '') {
        found.push({ line: number, start: startIndex, end: startIndex + text.length, scopes: scopes.slice(1), text });
      }
    }
  });
  return found;
}

/** Whether one of the scopes begins with a word, at a dot or its end. */
export const has = (scopes, word) => scopes.some((scope) => scope === word || scope.startsWith(`${word}.`));
