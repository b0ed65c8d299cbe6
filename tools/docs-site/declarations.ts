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
  const source = endpointSource(file);
  return new Map(
    [...source.matchAll(INTERFACE)].map(([, about = '', name = '', body = '']) => [
      name,
      { name, about: sentences(about), members: membersOf(body) },
    ]),
  );
}

/** The texts of a union, such as `'in'` and `'contains'`. */
export function valuesOf(file: string, type: string): string[] {
  const source = endpointSource(file);
  const union = source.split(`export type ${type} =\n`)[1]?.split(';')[0] ?? '';
  return [...union.matchAll(/'([^']+)'/g)].map(([, value = '']) => value);
}

const TYPE =
  /^(?:\/\*\*(?:(?!\*\/)[^])*\*\/\n)?export (?:interface (\w+)[^{]*\{(?:\}|\n[^]*?^\})$|type (\w+)[^=]* =[^]*?;$(?=\n\n|\n?$(?![^])))/gm;

/**
 * The exported types of these sources that a text names, and those that these name in turn, by
 * name. Of two with one name the first counts.
 */
export function typesNamedIn(
  text: string,
  sources: readonly string[],
): ReadonlyMap<string, string> {
  const declared = new Map<string, string>();
  for (const [found, ofInterface, ofType] of sources.flatMap((one) => [...one.matchAll(TYPE)])) {
    const name = ofInterface ?? ofType ?? '';
    if (!declared.has(name)) declared.set(name, found.replace(/^export /m, ''));
  }
  const named = new Map<string, string>();
  const texts = [text];
  for (const one of texts) {
    for (const [name] of one.matchAll(/\b[A-Z]\w+/g)) {
      const declaration = declared.get(name);
      if (declaration === undefined || named.has(name)) continue;
      named.set(name, declaration);
      texts.push(declaration);
    }
  }
  return new Map([...named].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Types as a section of a page. */
export function typesText(types: ReadonlyMap<string, string>): string {
  const texts = [...types].map(([name, text]) => `### ${name}\n\n\`\`\`text\n${text}\n\`\`\`\n`);
  return `## Types\n\n${texts.join('\n')}`;
}

/** The text of a file of `endpoint/src`. */
export function endpointSource(file: string): string {
  return readFileSync(join(ENDPOINT, file), 'utf8');
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
