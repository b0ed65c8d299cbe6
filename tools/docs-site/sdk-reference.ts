import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import type { Operation } from '../../contract/src/operation.ts';
import { operations } from '../../contract/src/operations.ts';
import { OPERATION_TABLE } from '../../client/src/operation-table.ts';
import { sentences, typesText } from './declarations.ts';
import {
  clientTypesIn,
  type HandwrittenMethod,
  handwrittenMethods,
} from './handwritten-methods.ts';
import { isLeftOut, membersText, shapeText } from './shape-text.ts';

const CLIENT = join(import.meta.dirname, '../../client/src');
/** Parameters of paths that take any reference to a node. */
const NODES: Readonly<Record<string, string>> = { uid: 'node', groupUID: 'team' };
const TABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = OPERATION_TABLE;

/** Every method of the SDK: those of the table of operations, and what is written by hand. */
export function sdkPage(): string {
  const handwritten = handwrittenMethods();
  const own = operations.filter(({ sdk }) => sdk !== undefined);
  const others = [...handwritten].filter(([name]) => own.every(({ sdk }) => sdk !== name));
  const namespaces = Object.keys(Object.groupBy(own, ({ sdk = '' }) => namespaceOf(sdk)));
  const sections = namespaces.toSorted().map((namespace) => {
    const rows = own.filter(({ sdk = '' }) => namespaceOf(sdk) === namespace);
    const texts = [
      ...rows.map((row) => methodText(row, handwritten)),
      ...others
        .filter(([name]) => namespaceOf(name) === namespace)
        .map(([name, { about, signature }]) => sectionText(name, about, signature)),
    ];
    return `## ${namespace}\n\n${texts.join('\n')}`;
  });
  const signatures = [...handwritten.values()].map(({ signature }) => signature);
  const system = membersOf('system-endpoints.ts', METHOD);
  const watch = membersOf('trellis-client.ts', METHOD);
  const types = clientTypesIn([...signatures, ...system, ...watch].join('\n'));
  return `# The methods of the SDK

Find a method of the [SDK](../sdk.md) by what it is about: \`await trellis.users.list({ take: 10 })\`. A method takes what its path names, then the
body, then the query, and last the options of the call, such as \`{ signal }\`. Names such as \`NodeObject\` are those of the
[OpenAPI document](../openapi.md); others are [below](#types). Each method rejects with a \`TrellisError\`, whose \`code\` is one of the [errors](errors.md).

## Trellis

${[...membersOf('trellis.ts', METHOD), ...watch].join('\n')}
## React

${membersOf('react.ts', HOOK).join('\n')}
${sections.join('\n')}
## system

The endpoints that every server brings along: \`await trellis.system.search({ query: 'dog' })\`.

${system.join('\n')}
${typesText(types)}`;
}

function namespaceOf(sdk: string): string {
  return sdk.split('.')[0] ?? '';
}

function methodText(
  operation: Operation,
  handwritten: ReadonlyMap<string, HandwrittenMethod>,
): string {
  const { id, sdk = '', summary } = operation;
  const [namespace = '', method = ''] = sdk.split('.');
  const words = TABLE[namespace]?.[method]?.split(' ') ?? [];
  const written = handwritten.get(sdk);
  if (written === undefined && words.includes('special')) {
    throw new Error(`the client has no method ${sdk}`);
  }
  const about = [summary, `[${id}](operations.md#${id.toLowerCase()})`, written?.about ?? ''];
  const signature = written?.signature ?? signatureOf(operation, words);
  return sectionText(sdk, about.join(' ').trim(), signature);
}

function sectionText(name: string, about: string, signature: string): string {
  return `### trellis.${name}\n\n${about}\n\n\`\`\`text\ntrellis.${name}${signature}\n\`\`\`\n`;
}

function signatureOf(
  { path, body, query, responses }: Operation,
  words: readonly string[],
): string {
  const inPath = [...path.matchAll(/\{\+?(\w+)\}/g)].map(([, name = '']) => NODES[name] ?? name);
  const sent = body === undefined ? [] : [`body${isLeftOut(body) ? '?' : ''}: ${shapeText(body)}`];
  const asked =
    query === undefined ? [] : [`query${isOpen(query) ? '?' : ''}: ${membersText(query)}`];
  const success = [200, 201, 202].flatMap((status) => responses[status]?.body ?? []);
  const answer = words.includes('none')
    ? 'void'
    : words.includes('text')
      ? 'string'
      : words.includes('bytes')
        ? 'ReadableStream'
        : [...new Set(success.map(shapeText))].join(' | ');
  const all = [...inPath, ...sent, ...asked, 'options?'].join(', ');
  return `(${all}): Promise<${answer}>`;
}

/** Whether nothing is asked that has to be. */
function isOpen({ shape }: z.ZodObject): boolean {
  return Object.values(shape).every(isLeftOut);
}

const METHOD = /^ {2}\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2}(?:async )?((\w+)[<(][^]*?): (.*) \{$/gm;
const HOOK = /^\/\*\*((?:(?!\*\/)[^])*)\*\/\nexport function ((use\w+)[<(][^]*?): (.*) \{$/gm;

/** What a source says of its methods or functions, with their first sentence. */
function membersOf(file: string, pattern: RegExp): string[] {
  const source = readFileSync(join(CLIENT, file), 'utf8');
  return [...source.matchAll(pattern)].map(([, about = '', head = '', name, answer]) => {
    const [prose = '', code = ''] = about.split(/```ts\n/);
    const example =
      code
        .split('```')[0]
        ?.replaceAll(/^ *\* ?/gm, '')
        .trim() ?? '';
    const shown = example === '' ? '' : `\n\`\`\`text\n${example}\n\`\`\`\n`;
    return `### ${name}\n\n${sentences(prose)}\n\n\`\`\`text\n${head}: ${answer}\n\`\`\`\n${shown}`;
  });
}
