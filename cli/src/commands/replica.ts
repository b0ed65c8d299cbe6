import type { ReplicaOverview, ReplicaVerification } from '@trellis/contract/shapes/replica.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { EXIT_FAILED, EXIT_GOOD } from '../failure.ts';
import { table } from '../terminal.ts';

type Replica = ReplicaOverview['replicas'][number];

export function addReplica(program: Command, run: Run): void {
  const replica = program
    .command('replica')
    .summary('show and check the replicas of a primary')
    .description('Shows and checks the read-only replicas of a primary.');
  replica
    .command('status')
    .description(
      'Lists the replicas of the primary: how far each is behind, and which one to promote ' +
        'when the primary is lost.',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ trellis replica status
  $ trellis replica status --server https://primary.example.org --json`,
    )
    .action(run(showStatus));
  replica
    .command('verify')
    .description(
      'Compares the state of every replica with that of the primary, all at one sequence, ' +
        'while they go on serving. The exit code is 0 when all are equal, else 1.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis replica verify\n  $ trellis replica verify --json',
    )
    .action(run(verify));
}

async function showStatus({ client, output, terminal }: CommandContext): Promise<void> {
  const overview = await client.replicas.list({ signal: terminal.signal });
  const promote = candidate(overview.replicas);
  output.data({ ...overview, promote: promote?.replicaUID ?? null }, describe(overview));
  for (const { replicaName, version } of overview.replicas) {
    if (version === null || version === overview.version) continue;
    output.note(
      `Warning: ${replicaName} is of version ${version}, the primary of ${overview.version}. All should be of the same.`,
    );
  }
  output.note(
    promote === undefined
      ? 'No replica is registered.'
      : `To promote when the primary is lost: ${promote.replicaName} (${promote.publicAddress}), which is the least behind.`,
  );
}

function describe({ replicas }: ReplicaOverview): string {
  return table(
    ['name', 'uid', 'behind', 'sequence', 'version', 'last report', 'address'],
    replicas.map((replica) => [
      replica.replicaName,
      replica.replicaUID,
      String(replica.lagVersions),
      String(replica.appliedSequence),
      replica.version ?? '-',
      replica.reportedAt ?? 'none yet',
      replica.publicAddress,
    ]),
  );
}

/** The replica that has applied the most; of several equal ones, the one that reported last. */
function candidate(replicas: readonly Replica[]): Replica | undefined {
  return replicas
    .filter(({ reportedAt }) => reportedAt !== null)
    .toSorted(
      (one, other) =>
        other.appliedSequence - one.appliedSequence ||
        (other.reportedAt ?? '').localeCompare(one.reportedAt ?? ''),
    )[0];
}

async function verify({ client, output, terminal }: CommandContext): Promise<number> {
  const verification = await client.replicas.verify({ signal: terminal.signal });
  output.data(verification, describeVerification(verification));
  const { isEqual, replicas, sequence } = verification;
  if (replicas.length === 0) output.note('No replica is registered: there is nothing to compare.');
  else if (isEqual) output.note(`All replicas are equal to the primary at sequence ${sequence}.`);
  return isEqual ? EXIT_GOOD : EXIT_FAILED;
}

function describeVerification({ replicas }: ReplicaVerification): string {
  return table(
    ['name', 'uid', 'state', 'differs in'],
    replicas.map(({ replicaName, replicaUID, state, differences }) => [
      replicaName,
      replicaUID,
      state,
      differences
        .map(
          ({ database, piecesOnPrimary, piecesOnReplica, firstKey }) =>
            `${database} from key ${firstKey} (${piecesOnPrimary} pieces of the primary, ${piecesOnReplica} of the replica)`,
        )
        .join('; '),
    ]),
  );
}
