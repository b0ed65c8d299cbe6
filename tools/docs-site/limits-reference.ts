import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sentences } from './declarations.ts';
import { membersText, shapeText } from './shape-text.ts';
import * as limits from '../../contract/src/limits.ts';
import {
  WEB_SOCKET_CLOSE_CODES,
  WEB_SOCKET_MESSAGE_AUTH,
  WEB_SOCKET_PATH,
  webSocketMessage,
  webSocketRequests,
} from '../../contract/src/web-socket.ts';

const CONTRACT = join(import.meta.dirname, '../../contract/src');
const VALUES: Readonly<Record<string, unknown>> = limits;
/** Where the comments of the contract name what they hold to. */
const CITATION = / \((?:open-shapes|specification|docs)[^)]*\)/g;

/** The limits that callers must stay within, by the comments of their declarations. */
export function limitsPage(): string {
  return `# Limits

What is larger is refused with a clear [error](errors.md), never cut short.

${limitGroups().join('\n')}`;
}

/** Each comment, and the constants below it. */
function limitGroups(): string[] {
  const source = readFileSync(join(CONTRACT, 'limits.ts'), 'utf8');
  const groups = source.matchAll(
    /\/\*\*((?:(?!\*\/)[^])*)\*\/\n((?:export const .*\n(?: {2}.*\n)*)+)/g,
  );
  return [...groups].flatMap(([, comment = '', code = '']) => {
    const rows = [...code.matchAll(/^export const (\w+)/gm)].flatMap(([, name = '']) => {
      const value = VALUES[name];
      return typeof value === 'number' ? [`| \`${name}\` | ${valueText(name, value)} |`] : [];
    });
    if (rows.length === 0) return [];
    return [`${withoutCitations(comment)}\n\n| limit | value |\n|---|---|\n${rows.join('\n')}\n`];
  });
}

function valueText(name: string, value: number): string {
  const inMiB = value / 1024 / 1024;
  if (name.includes('BYTES') && Number.isInteger(inMiB)) return `${inMiB} MiB`;
  if (name.includes('BYTES') && value % 1024 === 0) return `${value / 1024} KiB`;
  if (name.includes('_MS')) return `${(value / 1_000).toLocaleString('en')} s`;
  return value.toLocaleString('en');
}

const WHO = { none: 'anybody', session: 'any user', admin: 'administrators' } as const;

/** The WebSocket, by its rows in the contract. */
export function webSocketPage(): string {
  const source = readFileSync(join(CONTRACT, 'web-socket.ts'), 'utf8');
  const aboutBefore = (code: string): string => {
    const before = source.slice(0, source.indexOf(code)).trimEnd();
    const start = before.lastIndexOf('/**');
    return before.endsWith('*/') ? withoutCitations(before.slice(start + 3, -2)) : '';
  };
  const messages = Object.entries(WEB_SOCKET_MESSAGE_AUTH).map(
    ([type, auth]) =>
      `| \`${messageText(type)}\` | ${WHO[auth]} | ${aboutBefore(`z.strictObject({ type: z.literal('${type}')`)} |`,
  );
  const requests = Object.entries(webSocketRequests).map(
    ([type, { body, result }]) =>
      `| \`${type}\` | \`${membersText(body)}\` | \`${shapeText(result)}\` |`,
  );
  const codes = Object.entries(WEB_SOCKET_CLOSE_CODES).map(
    ([name, code]) => `| ${code} | ${aboutBefore(`${name}: ${code}`)} |`,
  );
  return `# The WebSocket

Hear of changes as they happen. Open \`${WEB_SOCKET_PATH}\`, and send the token of a session as the first message within
${limits.WEB_SOCKET_SIGN_IN_MS / 1_000} seconds:

\`\`\`json
{"token": "eyJhbGciOi..."}
\`\`\`

Each message of the server is one JSON object with a \`type\`. Ignore types that you do not know. The [SDK](../sdk.md) has the message types.

## Messages

| message | who gets it | when |
|---|---|---|
${messages.join('\n')}

## Requests

A client may send requests, \`{"id": 1, "type": "EDITOR_HOVER", ...}\` with an \`id\` of its own choice. Each is answered by one message,
\`{"id": 1, "type": "EDITOR_HOVER", "result": ...}\`, or \`{"id": 1, "type": "ERROR", "error": {...}}\`. These are for administrators, for editors of the code
of endpoints:

| type | what it takes | the result |
|---|---|---|
${requests.join('\n')}

## Close codes

| code | why, and what to do |
|---|---|
${codes.join('\n')}
`;
}

/** A message as its shape has it. */
function messageText(type: string): string {
  const shape = webSocketMessage.options.find((one) => one.shape.type.value === type);
  if (shape === undefined) throw new Error(`there is no message ${type}`);
  return membersText(shape).replace('type', `type: "${type}"`);
}

function withoutCitations(comment: string): string {
  return sentences(comment).replaceAll(CITATION, '');
}
