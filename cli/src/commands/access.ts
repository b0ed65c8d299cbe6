import {
  type AccessExplanation,
  typeAccess,
  type TypeAccessDocument,
} from '@trellis/contract/shapes/access.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure } from '../failure.ts';
import { readJson } from '../json-input.ts';
import { NODE_ARGUMENT, uidOfNode } from '../node-words.ts';
import { table } from '../terminal.ts';

export function addAccess(program: Command, run: Run): void {
  const access = program
    .command('access')
    .summary('explain and change who sees what')
    .description('Explains why a user sees a node or does not, and changes the rules of types.');
  access
    .command('explain')
    .description(
      'Says whether a user sees a node and may write it, and every reason why or why not.',
    )
    .argument('<user>', 'user name or UID')
    .argument('<node>', NODE_ARGUMENT)
    .addHelpText(
      'after',
      `
Examples:
  $ trellis access explain ann 7hYp3vKq9sTn2wXc5mBd8f
  $ trellis access explain ann Note/n-1`,
    )
    .action(run(explain));
  access
    .command('resolve')
    .description('Finds the UIDs of users and teams, for operations that restrict nodes.')
    .option('--user <name...>', 'user names or addresses')
    .option('--team <name...>', 'names of teams')
    .addHelpText(
      'after',
      `
Prints "-" for a name that nobody has, or more than one.

Examples:
  $ trellis access resolve --user ann bob@example.com --team Sales
  $ trellis access resolve --team Sales --json`,
    )
    .action(run(resolve));
  const types = access
    .command('types')
    .description('Reads and changes who may see the nodes and fields of each type.');
  types
    .command('get')
    .description('Prints the rules of all types as JSON.')
    .addHelpText('after', '\nExamples:\n  $ trellis access types get > rules.json')
    .action(run(getTypes));
  types
    .command('put')
    .description('Replaces the rules of all types.')
    .argument('<file>', 'JSON as "access types get" prints it; "-" reads standard input')
    .addHelpText('after', '\nExamples:\n  $ trellis access types put rules.json')
    .action(run(putTypes));
}

async function explain(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  user: string,
  node: string,
): Promise<void> {
  const explanation = await client.access.explain(
    { user, node: uidOfNode(node) },
    { signal: terminal.signal },
  );
  const { visible, reasons, withheldFields, mayWrite, writeReasons } = explanation;
  const { type, name } = explanation.node;
  const lines = [
    `${explanation.user.name} ${visible ? 'sees' : 'does not see'} the ${type} "${name}".`,
    ...reasons.map(reasonLine),
    ...(withheldFields.length === 0 ? [] : [`  Fields withheld: ${withheldFields.join(', ')}.`]),
    `${explanation.user.name} ${mayWrite ? 'may' : 'may not'} write it.`,
    ...writeReasons.map(reasonLine),
  ];
  output.data(explanation, lines.join('\n'));
}

function reasonLine({
  grants,
  message,
  path,
}: Pick<AccessExplanation['writeReasons'][number], 'grants' | 'message' | 'path'>): string {
  const way = path === undefined ? '' : ` (${path.map((team) => team.name).join(' > ')})`;
  return `  ${grants ? '+' : '-'} ${message}${way}`;
}

async function resolve(
  { client, output, terminal }: CommandContext,
  { user, team }: { readonly user?: readonly string[]; readonly team?: readonly string[] },
): Promise<void> {
  const names = { ...(user && { users: user }), ...(team && { teams: team }) };
  const found = await client.access.resolvePrincipals(names, { signal: terminal.signal });
  const rows = [
    ...Object.entries(found.users).map(([name, uid]) => ['user', name, uid ?? '-']),
    ...Object.entries(found.teams).map(([name, uid]) => ['team', name, uid ?? '-']),
  ];
  output.data(found, table(['KIND', 'NAME', 'UID'], rows));
}

async function getTypes({ client, output, terminal }: CommandContext): Promise<void> {
  const rules = await client.access.getTypes({ signal: terminal.signal });
  output.data(rules, JSON.stringify(rules, null, 2));
}

async function putTypes(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  file: string,
): Promise<void> {
  const checked = typeAccess.safeParse(await readJson(terminal, file));
  if (!checked.success) {
    const faults = checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new CommandFailure(`${file} is not a document of rules:\n  ${faults.join('\n  ')}`);
  }
  const document: TypeAccessDocument = checked.data;
  const rules = await client.access.putTypes(document, { signal: terminal.signal });
  output.note(`Rules are in force for ${Object.keys(rules.types).length} types.`);
  output.data(rules, '');
}
