// The languages: what the manifest calls them, and which files belong together.

import * as path from 'node:path';

/** Endings of models that may have files of properties, by language. */
const MODELS: Record<string, string[]> = {
  prism: ['.prism', '.pm', '.nm', '.sm', '.mm', '.smg', '.pomdp', '.pta'],
};

const PROPERTIES = ['.props', '.prop', '.pctl', '.csl', '.prctl', '.ltl'];

/** Languages of which the server knows something. */
export const OF_SERVER = ['prism', 'prism-properties', 'promela', 'lotos', 'exp', 'wks', 'wccs', 'volvelle-kernel', 'type-rules', 'n4js'];

/** The files that the server reads from disk: models, what they include, their properties, systems by their states. */
export const READ =
  '**/*.{prism,pm,nm,sm,mm,smg,pomdp,pta,props,prop,pctl,csl,prctl,ltl,pml,prom,promela,spin,h,lotos,lot,exp,aut,wks,wccs,wkp,mpi,toml,rules,grammar,n4js,n4jsd,vk}';

/** Languages of models that can be debugged step by step. */
export const OF_DEBUGGER = ['prism', 'promela', 'lotos', 'exp', 'wks', 'wccs'];

/** A model with its files of properties. */
export interface Model {
  model: string;
  properties: string[];
}

/**
 * The model that a file belongs to, with the files of properties that do: those of the same name beside it. `names` are those of its
 * folder, `first` is its first line, which may name the model.
 */
export function modelOf(file: string, language: string, names: string[], first: string): Model | undefined {
  const [folder, stem] = [path.dirname(file), path.basename(file, path.extname(file))];
  const beside = (endings: string[]) =>
    names.filter((name) => path.parse(name).name === stem && endings.includes(path.extname(name).toLowerCase())).sort();
  if (language !== 'prism-properties') {
    const properties = language in MODELS ? beside(PROPERTIES) : [];
    return { model: file, properties: properties.map((name) => path.join(folder, name)) };
  }
  const [model] = beside(MODELS.prism);
  const named = model ?? /^\/\/ model:\s*(.+?)\s*$/.exec(first)?.[1];
  return named === undefined ? undefined : { model: path.join(folder, named), properties: [file] };
}
