import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const SOURCES = ['server/src', 'contract/src', 'cli/src', 'client/src', 'connector/src'];

/** A message as somebody meets it, with "…" for what it names. */
export interface Message {
  readonly text: string;
  /** What to do, where it is another thing than for all of this code. */
  readonly hint: string | undefined;
}

const TEMPLATE = String.raw`\`(?:[^\`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}]|\{[^{}]*\})*\})*\``;
const LITERAL = String.raw`(?:'(?:[^'\\\n]|\\.)*'|${TEMPLATE})`;
const TEXT = String.raw`${LITERAL}(?:\s*\+\s*${LITERAL})*`;
/** The options come next, and have a hint before they end. */
const HINT = String.raw`(?:,\s*\{(?:(?!\}\))[^;])*?\bhint:\s*(${TEXT}))?`;
const PROBLEM = new RegExp(String.raw`new Problem\(\s*'(\w+)',\s*(${TEXT})${HINT}`, 'g');
const FAILURE = new RegExp(String.raw`new CommandFailure\(\s*()(${TEXT})${HINT}`, 'g');

/** The messages that the sources have of each code of the catalogue. */
export function messagesByCode(): ReadonlyMap<string, readonly Message[]> {
  const all = found(PROBLEM);
  return new Map(
    [...Map.groupBy(all, ({ code }) => code)].map(([code, messages]) => [code, distinct(messages)]),
  );
}

/** What the command says when it was not the server that refused. */
export function messagesOfCommands(): readonly Message[] {
  return distinct(found(FAILURE));
}

function found(pattern: RegExp): (Message & { readonly code: string })[] {
  const files = globSync(
    SOURCES.map((folder) => `${folder}/**/*.ts`),
    { cwd: ROOT },
  )
    .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
    .toSorted();
  return files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(pattern)].map(
      ([, code = '', text = '', hint]) => ({
        code,
        text: spoken(text),
        hint: hint === undefined ? undefined : spoken(hint),
      }),
    ),
  );
}

function distinct(messages: readonly Message[]): Message[] {
  const texts = new Map(messages.map((message) => [message.text, message]));
  return [...texts.values()]
    .filter(({ text }) => /\w{3}/.test(text))
    .toSorted((a, b) => (a.text < b.text ? -1 : 1));
}

/** The text of literals, with "…" in the place of values. */
function spoken(source: string): string {
  return [...source.matchAll(new RegExp(LITERAL, 'g'))]
    .map(([literal]) => literal.slice(1, -1))
    .join('')
    .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…')
    .replaceAll(/\\n/g, ' ')
    .replaceAll(/\\(.)/g, '$1')
    .replaceAll('`', '');
}

/** As items of a list. */
export function messagesText(messages: readonly Message[]): string {
  const items = messages.map(
    ({ text, hint }) => `- \`${text}\`${hint === undefined ? '' : ` ${hint}`}\n`,
  );
  return items.join('');
}
