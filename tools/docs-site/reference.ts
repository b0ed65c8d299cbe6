import { Readable } from 'node:stream';
import { completedCommands } from '../../cli/src/completion/command-tree.ts';
import { makeProgram, runCommandLine } from '../../cli/src/program.ts';
import type { Run } from '../../cli/src/command-context.ts';
import type { Terminal } from '../../cli/src/terminal.ts';
import { errorCatalogue } from '../../contract/src/errors.ts';
import { errorCodesOf } from '../../contract/src/openapi/responses.ts';
import { areas } from '../../contract/src/openapi/document.ts';
import type { Operation } from '../../contract/src/operation.ts';
import { operations } from '../../contract/src/operations.ts';
import { scopesOf } from '../../contract/src/rights.ts';
import { queryPage, scopePage } from './endpoint-reference.ts';
import { limitsPage, webSocketPage } from './limits-reference.ts';
import { messagesByCode, messagesOfCommands, messagesText } from './messages.ts';
import { sdkPage } from './sdk-reference.ts';

/** Pages that are made of the code that they describe, as Markdown. */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['reference/operations.md', operationsPage()],
    ['reference/errors.md', errorsPage()],
    ['reference/scope.md', scopePage()],
    ['reference/query.md', queryPage()],
    ['reference/websocket.md', webSocketPage()],
    ['reference/sdk.md', sdkPage()],
    ['reference/limits.md', limitsPage()],
    ['reference/cli.md', await commandsPage()],
  ]);
}

const WHO = {
  none: 'anybody',
  session: 'a signed-in user',
  admin: 'an administrator, read-only ones too',
  'admin-write': 'an administrator with write access',
  token: 'only tokens',
} as const;

function operationsPage(): string {
  const sections = Object.entries(areas).map(([area, about]) => {
    const own = operations.filter((operation) => operation.area === area);
    return `## ${area}\n\n${about}\n\n${own.map(operationText).join('\n')}`;
  });
  return `# Operations

Every operation of the API, by area. Parameters, shapes and answers are in the [OpenAPI document](../openapi.md) of each server,
and on its page *API*.

${sections.join('\n')}`;
}

function operationText(operation: Operation): string {
  const {
    id,
    sdk,
    method,
    path,
    auth,
    role,
    tokens = [],
    noGuests,
    summary,
    responses,
  } = operation;
  const who = [
    WHO[auth] + (noGuests === true ? ' who is no guest' : ''),
    ...(role === undefined ? [] : [`the role \`${role}\``]),
    ...scopesOf(operation).map((scope) => `a token with the scope \`${scope}\``),
    ...tokens.map((kind) => `a token of kind \`${kind}\``),
  ];
  const answers = Object.entries(responses).map(
    ([status, { description }]) => `  - ${status}: ${description}`,
  );
  const own = operation.errors.filter((code) => errorCodesOf(operation).includes(code));
  const errors = own.map((code) => `[\`${code}\`](errors.md#${code})`).join(', ');
  return `### ${id}

\`${method} ${path}\`

${summary}

${sdk === undefined ? '' : `- SDK: \`client.${sdk}()\`\n`}- Who: ${who.join(', or ')}
- On a replica: ${operation.onReplica === 'serve' ? 'served' : '303, to the primary'}
- Answers:
${answers.join('\n')}
${errors === '' ? '' : `- Errors of its own: ${errors}\n`}`;
}

function errorsPage(): string {
  const messages = messagesByCode();
  const sections = Object.entries(errorCatalogue)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { status, title, hint }]) => {
      const own = operations.filter(({ errors }) => errors.some((error) => error === code));
      const links = own.slice(0, OPERATIONS_NAMED_MAX).map(operationLink).join(', ');
      const more = own.length > OPERATIONS_NAMED_MAX ? ' and others' : '';
      const where = own.length === 0 ? '' : `Answered by ${links}${more}.\n`;
      const texts = messagesText(messages.get(code) ?? []);
      return `## ${code}\n\n**${title}** (status ${status}). ${hint}\n\n${where}\n${texts}`;
    });
  return `# Errors: what they mean, and what to do

Search this page for the code or the words of a message. The body of every error has this form:

\`\`\`json
{"error": {"code": "node_not_found", "message": "There is no such node.", "hint": "It does not exist, or you may not see it."}}
\`\`\`

The \`code\` never changes: programs branch on it. The message says what is wrong, and where; the hint says what to do. Messages stand below their code,
with "…" for what they name. \`--json\` of every command prints the code. \`trellis doctor\` looks for what is wrong with a server.

${sections.join('\n')}
## Messages of the command

What \`trellis\` says when it does not come from a server:

${messagesText(messagesOfCommands())}`;
}

/** An error of very many operations names the first of them. */
const OPERATIONS_NAMED_MAX = 6;

function operationLink({ id }: Operation): string {
  return `[${id}](operations.md#${id.toLowerCase()})`;
}

async function commandsPage(): Promise<string> {
  const sections: string[] = [];
  for (const { path } of completedCommands(makeProgram(silentTerminal(), NOT_RUN))) {
    const help = await helpOf(path);
    const name = ['trellis', ...path].join(' ');
    sections.push(`## ${name}\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n`);
  }
  return `# Commands\n\n${sections.join('\n')}`;
}

/** Its commands are only looked at. */
const NOT_RUN: Run = () => () => Promise.resolve();

async function helpOf(command: readonly string[]): Promise<string> {
  const written: string[] = [];
  await runCommandLine([...command, '--help'], silentTerminal(written));
  return written.join('');
}

/** Keeps what is written. */
function silentTerminal(written: string[] = []): Terminal {
  const stdout = { write: (text: string) => written.push(text), columns: 100 };
  const { signal } = new AbortController();
  return { stdin: Readable.from([]), stdout, stderr: stdout, env: {}, signal };
}
