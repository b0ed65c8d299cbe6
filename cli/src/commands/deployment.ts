import type { Deployment } from '@trellis/contract/shapes/deployment.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure } from '../failure.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { harmless, table } from '../terminal.ts';
import { resultOf, tellResult } from './definitions.ts';

/** The states of the definitions that are kept, and the way back to one. */
export function addDeployment(program: Command, run: Run): void {
  const deployment = program
    .command('deployment')
    .summary('list the states of the definitions that are kept')
    .description(
      'Lists the states that imports and rollbacks have left the definitions in, with who did ' +
        'it. To go back to one, use "trellis rollback".',
    );
  addListOptions(deployment.command('list').description('Lists deployments, newest first.'))
    .addHelpText('after', '\nExamples:\n  $ trellis deployment list --take 10')
    .action(run(listDeployments));
  deployment
    .command('show')
    .description('Shows one deployment, with what it changed.')
    .argument('<id>', 'id of the deployment')
    .addHelpText('after', '\nExamples:\n  $ trellis deployment show 3jC8nG7uXy2mQpLr5TvWzA')
    .action(run(showDeployment));
  program
    .command('rollback')
    .summary('bring the definitions of an earlier deployment back')
    .description(
      'Makes the definitions of the workspace what a deployment has left, as a new deployment ' +
        'and as one commit, after the same checks as a push. The schema keeps its types and ' +
        'fields. If a part fails, nothing is changed, and the exit code is 1.',
    )
    .argument('[deployment]', 'id of the deployment (default: the one before the newest)')
    .option('--drafts', 'also bring back code that does not compile, as a draft')
    .option('--dry-run', 'only say what would be done')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis rollback --dry-run\n  $ trellis rollback\n' +
        '  $ trellis rollback 3jC8nG7uXy2mQpLr5TvWzA',
    )
    .action(run(rollBack));
}

async function listDeployments(
  { client, output, terminal }: CommandContext,
  options: ListOptions,
): Promise<void> {
  const deployments = await listItems(options, (page) =>
    client.deployments.list(page, { signal: terminal.signal }),
  );
  output.data(deployments, table(HEADINGS, deployments.map(rowOf)));
}

async function showDeployment(
  { client, output, terminal }: CommandContext,
  _options: object,
  id: string,
): Promise<void> {
  const deployment = await client.deployments.get(id, { signal: terminal.signal });
  const changes = deployment.changes.map(({ action, kind, name }) =>
    harmless(`${action} ${kind} ${name}`),
  );
  output.data(deployment, [table(HEADINGS, [rowOf(deployment)]), ...changes].join('\n'));
}

async function rollBack(
  context: CommandContext,
  options: { readonly drafts?: boolean; readonly dryRun?: boolean },
  given?: string,
): Promise<number> {
  const { client, output, terminal } = context;
  const { signal } = terminal;
  const id = given ?? (await previous(context));
  const events = client.deployments.rollBack(id, options, { signal });
  const result = await resultOf(events, (text) => output.note(harmless(text)));
  output.data(result, '');
  return tellResult(context, result);
}

async function previous({ client, terminal }: CommandContext): Promise<string> {
  const { items } = await client.deployments.list({ take: 2 }, { signal: terminal.signal });
  const [, before] = items;
  if (before !== undefined) return before.id;
  throw new CommandFailure('There is no earlier deployment', {
    code: 'deployment_not_found',
    hint: 'A push that changes something makes the first.',
  });
}

const HEADINGS = ['ID', 'AT', 'CAUSE', 'BY', 'CHANGES'];

function rowOf({ id, at, cause, by, token, totals }: Deployment): string[] {
  const who = [by?.name, token === null ? undefined : `token ${token.name}`].filter(Boolean);
  const { created = 0, changed = 0, deleted = 0 } = totals;
  const changes = cause === 'found' ? '' : `+${created} ~${changed} -${deleted}`;
  return [id, at, cause, harmless(who.join(', ')), changes];
}
