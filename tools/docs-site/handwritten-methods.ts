import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sentences, typesNamedIn } from './declarations.ts';

const CLIENT = join(import.meta.dirname, '../../client/src');

/** A method of the SDK that is no row of its table, as its source says it. */
export interface HandwrittenMethod {
  readonly about: string;
  /** Such as `(id: string, options?): Promise<Job>`, with what it is generic in before it. */
  readonly signature: string;
}

const COMMENT = String.raw`(?:/\*\*((?:(?!\*/)[^])*)\*/\n *)?`;
/** A function of a file, such as `export function watchJob(...): AsyncGenerator<...> {`. */
const FUNCTION = new RegExp(
  String.raw`^${COMMENT}export (?:async )?function\*? (\w+)(<[^(]*>)?\(((?:(?!\) \{$)[^])*?)\): (.*) \{$`,
  'gm',
);
/** A member of an object, such as `run: <T>(name: string): Promise<T> =>`. */
const MEMBER = new RegExp(
  String.raw`^ +${COMMENT}(\w+): (?:async )?(<[^(]*>)?\(([^]*?)\): ((?:(?!=>).)+) =>`,
  'gm',
);
/** A function within another one, which the object that it gives names. */
const INNER = new RegExp(
  String.raw`^ {2}${COMMENT}const (\w+) = (?:async )?(<[^(]*>)?\(([^]*?)\): (.*) =>$`,
  'gm',
);
const NAMESPACE = /^ {2}readonly (\w+) = \{\n([^]*?)^ {2}\};$/gm;

/** The methods that `client/src/trellis-client.ts` puts together by hand, such as `jobs.watch`. */
export function handwrittenMethods(): ReadonlyMap<string, HandwrittenMethod> {
  const client = readFileSync(join(CLIENT, 'trellis-client.ts'), 'utf8');
  const sources = readdirSync(join(CLIENT, 'methods'))
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(CLIENT, 'methods', file), 'utf8'));
  const functions = new Map(sources.flatMap((source) => methodsIn(source, FUNCTION)));
  const found = new Map<string, HandwrittenMethod>();
  for (const [, namespace = '', body = ''] of client.matchAll(NAMESPACE)) {
    for (const [, name = '', written = ''] of body.matchAll(/^ +(\w+): bound\(.*, (\w+)\)/gm)) {
      const method = functions.get(written);
      if (method === undefined) throw new Error(`client/src/methods has no function ${written}`);
      found.set(`${namespace}.${name}`, method);
    }
    for (const [, factory = ''] of body.matchAll(/^ +\.\.\.(?!operationsOf)(\w+)\(/gm)) {
      const source = sources.find((text) => text.includes(`export function ${factory}(`)) ?? '';
      const [, made = ''] = source.split(`export function ${factory}(`);
      const [inside = ''] = made.split(/^\}$/m);
      const methods = [...methodsIn(inside, INNER), ...methodsIn(inside, MEMBER)];
      for (const [name, method] of methods) found.set(`${namespace}.${name}`, method);
    }
    for (const [name, method] of methodsIn(body, MEMBER)) found.set(`${namespace}.${name}`, method);
  }
  return found;
}

function methodsIn(source: string, pattern: RegExp): [string, HandwrittenMethod][] {
  return [...source.matchAll(pattern)].map(
    ([, about = '', name = '', generic = '', parameters = '', answer = '']) => [
      name,
      {
        about: sentences(about),
        signature: `${generic}(${parametersText(parameters)}): ${answer}`.replaceAll(/\s+/g, ' '),
      },
    ],
  );
}

/** As a caller sees them: without the transport; a default is a parameter to leave out. */
function parametersText(source: string): string {
  return source
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^transport: Transport,? ?/, '')
    .replace(/,$/, '')
    .replaceAll(/(\w+): ([^,]*(?:<[^>]*>)?) = \{\}/g, '$1?: $2')
    .replace(/options\?: CallOptions$/, 'options?');
}

/** The types of `client/src` that a text names, and those that these name, by name. */
export function clientTypesIn(text: string): ReadonlyMap<string, string> {
  const files = readdirSync(CLIENT, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .toSorted();
  return typesNamedIn(
    text,
    files.map((file) => readFileSync(join(CLIENT, file), 'utf8')),
  );
}
