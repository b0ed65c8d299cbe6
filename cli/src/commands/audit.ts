import type { AuditQuery, AuditRecord } from '@trellis/contract/shapes/audit.ts';
import { type Command, Option } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { table } from '../terminal.ts';

type AuditOptions = ListOptions &
  Pick<Partial<AuditQuery>, 'action' | 'user' | 'target' | 'outcome' | 'from' | 'to'>;

const TAKE_DEFAULT = '50';

export function addAudit(program: Command, run: Run): void {
  addListOptions(
    program
      .command('audit')
      .summary('list who signed in and changed what')
      .description(
        `Lists security events, newest first: sign-ins, users, roles, teams, tokens, access, settings. ${TAKE_DEFAULT} by default.`,
      )
      .option('--action <action>', 'such as "login.failed", or an area such as "token"')
      .option('--user <user>', 'who did it, by name or UID')
      .option('--target <target>', 'whom or what it was done to, by name, UID or id')
      .addOption(new Option('--outcome <outcome>', 'how it ended').choices(['success', 'failure']))
      .option('--from <time>', 'not before this time, ISO 8601')
      .option('--to <time>', 'before this time'),
  )
    .addHelpText(
      'after',
      `
Examples:
  $ trellis audit
  $ trellis audit --action login --outcome failure --from 2026-11-01T00:00:00Z
  $ trellis audit --target ann --take 1000 --json`,
    )
    .action(run(listAudit));
}

async function listAudit(
  { client, output, terminal }: CommandContext,
  options: AuditOptions,
): Promise<void> {
  const { action, user, target, outcome, from, to, skip, take = TAKE_DEFAULT } = options;
  const filter = { action, user, target, outcome, from, to };
  const events = await listItems({ ...(skip === undefined ? {} : { skip }), take }, (page) =>
    client.audit.list({ ...filter, ...page }, { signal: terminal.signal }),
  );
  output.data(events, table(['AT', 'ACTION', 'BY', 'ON', 'OUTCOME', 'FROM'], events.map(row)));
}

function row({ at, action, actor, target, outcome, address }: AuditRecord): string[] {
  const on = target === null ? '' : `${target.kind} ${target.name ?? target.id}`;
  return [at, action, actor?.name ?? '', on, outcome, address ?? ''];
}
