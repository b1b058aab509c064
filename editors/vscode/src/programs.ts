// Which program is started. Nothing of this depends on the folder that is open: what a folder holds cannot be started by opening it.

import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

/** A program, or why there is none. */
export type Found = { program: string } | { problem: string };

/** Where programs are looked for. */
export interface Machine {
  /** The folders of the search path. */
  path: string;
  /** Endings of programs; only Windows has some. */
  endings: string[];
  home: string;
}

export function thisMachine(): Machine {
  const isWindows = process.platform === 'win32';
  const endings = isWindows ? (process.env.PATHEXT ?? '.EXE').split(';') : [''];
  return { path: process.env.PATH ?? '', endings, home: os.homedir() };
}

/** The program that a setting names: by its whole path, or by its name on the search path. */
export function findProgram(setting: string, machine: Machine): Found {
  const named = setting.trim() || 'volvelle';
  const whole = named.startsWith('~/') ? path.join(machine.home, named.slice(2)) : named;
  if (path.isAbsolute(whole)) {
    return isProgram(whole) ? { program: whole } : { problem: `${whole} is not a program.` };
  }
  if (/[\\/]/.test(whole)) {
    return { problem: `volvelle.path is \`${named}\`: it has to be a whole path, or a name without folders.` };
  }
  // Folders relative to the one where the editor was started are not meant.
  const folders = machine.path.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  for (const folder of folders) {
    for (const ending of ['', ...machine.endings]) {
      const program = path.join(folder, whole + ending);
      if ((ending !== '' || machine.endings.includes('')) && isProgram(program)) return { program };
      if (ending === '' && path.extname(whole) !== '' && isProgram(program)) return { program };
    }
  }
  return { problem: `The program \`${whole}\` is not in any folder of PATH.` };
}

/** Why a program has no question of that name, in its own words; nothing if it has one. */
export function lacks(program: string, question: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, [question, '--help'], (error, _, said) => {
      const line = said.split('\n').find((line) => line.trim() !== '');
      resolve(error === null ? undefined : `${program} has no \`${question}\`: ${(line ?? error.message).trim().replace(/\.*$/, '.')}`);
    });
  });
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
