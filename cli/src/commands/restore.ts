import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { localWork } from '../local-work.ts';

interface RestoreOptions {
  readonly to?: string;
  readonly at?: string;
}

export function addRestore(program: Command, run: Run): void {
  program
    .command('restore')
    .summary('restore a workspace from a backup')
    .description(
      'Restores a workspace from a backup into an empty storage folder. Needs no server. The ' +
        'workspace begins a new history, so its replicas copy it again. After an interruption, ' +
        'run the same command again. An encrypted backup needs its MSK_GRAPH_MASTER_KEY. With ' +
        'MSK_LOG it makes the folder of a member, which goes on in the history that there is.',
    )
    .argument(
      '<from>',
      'folder of the backups, or s3://bucket/prefix, as MSK_GRAPH_BACKUP_FOLDER names it',
    )
    .option('--to <storage>', 'storage folder (default: MSK_GRAPH_STORAGE, else ./data)')
    .option(
      '--at <point>',
      'id of a backup, sequence, or time in ISO 8601 (default: the newest backup)',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ trellis restore /srv/backups --to ./restored
  $ trellis restore s3://workspaces/one --to ./restored
  $ trellis restore /srv/backups --at 20261121T184000000Z-0f3a9c21
  $ trellis restore /srv/backups --at 2026-11-21T18:55:00Z`,
    )
    .action(run(restoreBackup));
}

async function restoreBackup(
  context: CommandContext,
  { to, at }: RestoreOptions,
  from: string,
): Promise<void> {
  const { output, terminal } = context;
  // Only here: no other command should have to load so much of the server.
  const { restore } = await import('@trellis/server/restore.ts');
  const restored = await localWork(context, (progress) =>
    restore({ ...terminal.env }, { from, to, at }, progress),
  );
  const { id, sequence, storage, createdAt } = restored;
  const text = `Restored the backup ${id} of ${createdAt} at sequence ${sequence} to ${storage}.`;
  output.data(restored, text);
  output.note(`Start it with: MSK_GRAPH_STORAGE=${storage} trellis serve`);
}
