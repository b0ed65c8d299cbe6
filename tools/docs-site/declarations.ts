import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ENDPOINT = join(import.meta.dirname, '../../endpoint/src');

export interface Member {
  readonly name: string;
  /** Each overload, without the comments. */
  readonly signatures: readonly string[];
  readonly about: string;
}

/** An interface of the types that endpoints see, as its source says it. */
export interface Declaration {
  readonly name: string;
  readonly about: string;
  readonly members: readonly Member[];
}

const INTERFACE = /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?export interface (\w+)[^{]*\{\n([^]*?)^\}/gm;
/** A member ends with the first line that ends with ";" and is not within one more level. */
const MEMBER = /(?: {2}\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?( {2}(?! )[^]*?;)\n(?= {2}(?! )|$(?![^]))/g;

/** The interfaces of a file of `endpoint/src`, by name. */
export function declarationsOf(file: string): ReadonlyMap<string, Declaration> {
  const source = readFileSync(join(ENDPOINT, file), 'utf8');
  return new Map(
    [...source.matchAll(INTERFACE)].map(([, about = '', name = '', body = '']) => [
      name,
      { name, about: sentences(about), members: membersOf(body) },
    ]),
  );
}

/** The texts of a union, such as `'in'` and `'contains'`. */
export function valuesOf(file: string, type: string): string[] {
  const source = readFileSync(join(ENDPOINT, file), 'utf8');
  const union = source.split(`export type ${type} =\n`)[1]?.split(';')[0] ?? '';
  return [...union.matchAll(/'([^']+)'/g)].map(([, value = '']) => value);
}

function membersOf(body: string): Member[] {
  const found = [...body.replaceAll(/\n{2,}/g, '\n').matchAll(MEMBER)].map(
    ([, about = '', text = '']) => ({
      name: /^(?:readonly )?(\w+)/.exec(text.trim())?.[1] ?? '',
      signature: text.replaceAll(/^ {2}/gm, '').trim(),
      about: sentences(about),
    }),
  );
  const byName = Map.groupBy(found, ({ name }) => name);
  return [...byName].map(([name, overloads]) => ({
    name,
    signatures: overloads.map(({ signature }) => signature),
    about: overloads.map(({ about }) => about).find((about) => about !== '') ?? '',
  }));
}

/** The text of a comment, on one line. */
export function sentences(comment: string): string {
  return comment
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
