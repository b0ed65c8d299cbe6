import type { MemberOverview } from '@trellis/contract/shapes/member.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { table } from '../terminal.ts';

export function addCluster(program: Command, run: Run): void {
  const cluster = program
    .command('cluster')
    .summary('show the members of a workspace, and let another one lead')
    .description('Shows and steers the members of a workspace whose log is in PostgreSQL.');
  cluster
    .command('status')
    .description('Lists the members: which one is the primary, and how far behind each other is.')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis cluster status
  $ trellis cluster status --server https://graph.example.org --json`,
    )
    .action(run(showStatus));
  cluster
    .command('step-down')
    .description(
      'Lets another member become the primary, such as before the machine of this one is stopped.',
    )
    .addHelpText('after', '\nExamples:\n  $ trellis cluster step-down')
    .action(run(stepDown));
}

async function showStatus({ client, output, terminal }: CommandContext): Promise<void> {
  const overview = await client.members.list({ signal: terminal.signal });
  output.data(overview, describe(overview));
  if (overview.primary === null) {
    output.note('There is no primary at the moment: another member takes over.');
  }
  if (!overview.log.synchronous) {
    output.note(
      'Warning: PostgreSQL waits for no standby (synchronous_standby_names is empty), so that one disk decides.',
    );
  }
}

function describe({ members }: MemberOverview): string {
  return table(
    ['name', 'role', 'behind', 'sequence', 'version', 'last seen', 'address'],
    members.map((member) => [
      member.name,
      member.role,
      String(member.lagVersions),
      String(member.appliedSequence),
      member.version,
      member.lastSeenAt,
      member.address,
    ]),
  );
}

async function stepDown({ client, output, terminal }: CommandContext): Promise<void> {
  await client.members.stepDown({ signal: terminal.signal });
  output.note('The primary steps down. See who follows it: trellis cluster status');
}
