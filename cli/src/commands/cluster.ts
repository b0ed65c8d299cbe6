import type { MemberOverview } from '@trellis/contract/shapes/member.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { localWork } from '../local-work.ts';
import { table } from '../terminal.ts';

export function addCluster(program: Command, run: Run): void {
  const cluster = program
    .command('cluster')
    .summary('show the members of a workspace, and let another one lead')
    .description(
      'Shows and steers the members of a workspace whose log is in PostgreSQL, and moves workspaces in and out.',
    );
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
  cluster
    .command('import')
    .summary('move a workspace from its folder into PostgreSQL')
    .description(
      'Moves the commit log of a workspace from its storage folder into PostgreSQL, while no ' +
        'server runs there. The folder becomes that of the first member; its backups go on. ' +
        'Needs no server, and the variables of a member: MSK_LOG, MSK_JWT_KEY, and ' +
        'MSK_WORKSPACE and MSK_GRAPH_MASTER_KEY if it has them. After an interruption, run the ' +
        'same command again.',
    )
    .argument('[folder]', 'storage folder (default: MSK_GRAPH_STORAGE, else ./data)')
    .option('--dry-run', 'copy and verify everything, and take it back')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis cluster import /var/lib/trellis --dry-run
  $ trellis cluster import /var/lib/trellis --json`,
    )
    .action(run(importIntoCluster));
  cluster
    .command('export')
    .summary('make a workspace in a folder of one in PostgreSQL')
    .description(
      'Makes a workspace with its log in its own folder of one in PostgreSQL, which stays as it ' +
        'is. The folder is empty, or that of a member that is stopped. What PostgreSQL has no ' +
        'more comes from that folder or the newest backup. The workspace begins a new history. ' +
        'Needs no server, and the variables of a member.',
    )
    .argument('<folder>', 'storage folder of the new workspace')
    .option('--backups <from>', 'where the backups are (default: MSK_GRAPH_BACKUP_FOLDER)')
    .option('--dry-run', 'only say what it would be made of')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis cluster export ./alone --dry-run
  $ trellis cluster export ./alone --backups /srv/backups`,
    )
    .action(run(exportFromCluster));
}

interface MoveOptions {
  readonly dryRun?: boolean;
}

async function importIntoCluster(
  context: CommandContext,
  { dryRun: isDryRun = false }: MoveOptions,
  from: string | undefined,
): Promise<void> {
  const { output, terminal } = context;
  // Only here: no other command should have to load so much of the server.
  const { importFolder } = await import('@trellis/server/cluster/import-folder.ts');
  const imported = await localWork(context, (progress) =>
    importFolder({ ...terminal.env }, { from, isDryRun }, progress),
  );
  const { storage, workspace, firstSequence, lastSequence, stateDigest } = imported;
  const range = `sequences ${firstSequence} to ${lastSequence}`;
  const text = isDryRun
    ? `The workspace "${workspace}" could be made of ${storage}: ${range} were copied, verified, and taken back.`
    : `PostgreSQL has the workspace "${workspace}" of ${storage}: ${range}, verified. State ${stateDigest}.`;
  output.data(imported, text);
  if (!isDryRun)
    output.note(`Start the first member with: MSK_GRAPH_STORAGE=${storage} trellis serve`);
}

async function exportFromCluster(
  context: CommandContext,
  { dryRun: isDryRun = false, backups }: MoveOptions & { readonly backups?: string },
  to: string,
): Promise<void> {
  const { output, terminal } = context;
  // As above.
  const { exportFolder } = await import('@trellis/server/cluster/export-folder.ts');
  const exported = await localWork(context, (progress) =>
    exportFolder({ ...terminal.env }, { to, backups, isDryRun }, progress),
  );
  const { storage, workspace, sequence, source, stateDigest } = exported;
  const made = `of the workspace "${workspace}" at sequence ${sequence}, from ${SOURCES[source]}`;
  const text = isDryRun
    ? `${storage} would be made ${made}.`
    : `${storage} is made ${made}. State ${stateDigest}.`;
  output.data(exported, text);
  if (!isDryRun)
    output.note(`Start it without MSK_LOG: MSK_GRAPH_STORAGE=${storage} trellis serve`);
}

const SOURCES = {
  log: 'the log alone',
  member: 'the folder of a member and the log',
  backup: 'the newest backup and the log',
} as const;

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
