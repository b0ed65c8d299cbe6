import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import type { Operation } from '../../contract/src/operation.ts';
import { operations } from '../../contract/src/operations.ts';
import { OPERATION_TABLE } from '../../client/src/operation-table.ts';
import { sentences } from './declarations.ts';
import { isLeftOut, membersText, shapeText } from './shape-text.ts';

const CLIENT = join(import.meta.dirname, '../../client/src');
/** Parameters of paths that take any reference to a node. */
const NODES: Readonly<Record<string, string>> = { uid: 'node', groupUID: 'team' };
const TABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = OPERATION_TABLE;

/** Every method of the SDK: those of the table of operations, and what is written by hand. */
export function sdkPage(): string {
  const own = operations.filter(({ sdk }) => sdk !== undefined);
  const groups = Object.entries(Object.groupBy(own, ({ sdk = '' }) => sdk.split('.')[0] ?? ''));
  const sections = groups
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([namespace, rows = []]) => {
      return `## ${namespace}\n\n${rows.map(methodText).join('\n')}`;
    });
  return `# The methods of the SDK

Find a method of the [SDK](../sdk.md) by what it is about: \`await trellis.users.list({ take: 10 })\`. A method takes what its path names, then the
body, then the query, and last the options of the call, such as \`{ signal }\`. Names such as \`NodeObject\` are those of the
[OpenAPI document](../openapi.md). Where it says \`(...)\`, more than JSON is sent or read, and your editor shows how. Each method rejects with a \`TrellisError\`, whose \`code\` is one of the [errors](errors.md).

## Trellis

${membersOf('trellis.ts', METHOD).join('\n')}
## React

${membersOf('react.ts', HOOK).join('\n')}
${sections.join('\n')}`;
}

function methodText(operation: Operation): string {
  const { id, sdk = '', summary } = operation;
  const [namespace = '', method = ''] = sdk.split('.');
  const words = TABLE[namespace]?.[method]?.split(' ') ?? [];
  // It sends or reads more than JSON: its types say how.
  const signature = words.includes('special')
    ? `trellis.${sdk}(...)`
    : signatureOf(operation, words);
  const link = `[${id}](operations.md#${id.toLowerCase()})`;
  return `### trellis.${sdk}\n\n${summary} ${link}\n\n\`\`\`text\n${signature}\n\`\`\`\n`;
}

function signatureOf(
  { sdk, path, body, query, responses }: Operation,
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
  return `trellis.${sdk ?? ''}(${all}): Promise<${answer}>`;
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
