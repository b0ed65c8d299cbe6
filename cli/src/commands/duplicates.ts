import type { Duplicate, DuplicateEvidence, Merge } from '@trellis/contract/shapes/duplicate.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { namedNode, NODE_ARGUMENT } from '../node-words.ts';
import { scoreOf } from '../score.ts';
import { harmless, table } from '../terminal.ts';
import { succeededJob } from '../watched-job.ts';

const PAIR = 'id of the pair, as "trellis duplicates list" shows it';

interface FindOptions {
  readonly fields?: readonly string[];
  readonly minScore?: string;
  readonly watch?: true;
}

interface PairListOptions extends ListOptions {
  readonly type?: string;
  readonly dismissed?: true;
}

interface RuleOptions {
  readonly fields?: readonly string[];
  readonly minScore?: string;
  readonly mergeAbove?: string;
  readonly delete?: true;
}

/** `trellis duplicates`. */
export function addDuplicates(program: Command, run: Run): void {
  const duplicates = program
    .command('duplicates')
    .summary('nodes that may be one thing: find, merge and split them')
    .description(
      'Finds nodes of a type that may be one thing, and makes one node of two: the UIDs and keys ' +
        'of both lead to it, and nobody sees it who did not see both. A merge can be split again.',
    );
  addFinding(duplicates, run);
  duplicates
    .command('merge')
    .description(
      'Makes one node of two, as one commit. What the first lacks it takes from the other.',
    )
    .argument('<into>', `the node that stays: ${NODE_ARGUMENT}`)
    .argument('<node>', 'the node that goes')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis duplicates merge "Author/Frank Herbert" "Author/F. Herbert"',
    )
    .action(
      run((context, _options: object, into: string, node: string) => merge(context, into, node)),
    );
  addListOptions(
    duplicates.command('merges').description('Lists the merges that can be split, newest first.'),
  )
    .addHelpText('after', '\nExamples:\n  $ trellis duplicates merges --take 20')
    .action(run(merges));
  duplicates
    .command('split')
    .description('Takes a merge back, as one commit.')
    .argument('<merge>', 'id of the merge')
    .addHelpText('after', '\nExamples:\n  $ trellis duplicates split 2nVd7LsXq4WkTc9RyHm5Bp')
    .action(run((context, _options: object, id: string) => split(context, id)));
  addRules(duplicates, run);
}

function addFinding(duplicates: Command, run: Run): void {
  duplicates
    .command('find')
    .description('Looks for nodes of a type that may be one thing, as a job.')
    .argument('<type>', 'the node type')
    .option('--fields <fields...>', 'compare these texts beside the name (default: all texts)')
    .option('--min-score <score>', 'leave out pairs with a lower score, 0 to 1')
    .option('--watch', 'wait until it has ended; the exit code is 0 when it succeeds, else 1')
    .addHelpText('after', '\nExamples:\n  $ trellis duplicates find Person --fields Email --watch')
    .action(run((context, options: FindOptions, type: string) => find(context, options, type)));
  addListOptions(
    duplicates
      .command('list')
      .description('Lists pairs that may be one thing, the surest first.')
      .option('--type <type>', 'only pairs of this type')
      .option('--dismissed', 'those that somebody has dismissed instead'),
  )
    .addHelpText('after', '\nExamples:\n  $ trellis duplicates list --type Person --take 20')
    .action(run(list));
  duplicates
    .command('dismiss')
    .description('Says that two nodes are two things; later searches leave them out.')
    .argument('<pair>', PAIR)
    .option('--undo', 'take it back')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis duplicates dismiss 2nVd7LsXq4WkTc9RyHm5Bp-9cWn5RtBq8KxYm2LpVd4Hs',
    )
    .action(
      run((context, options: { readonly undo?: true }, id: string) =>
        dismiss(context, options, id),
      ),
    );
}

function addRules(duplicates: Command, run: Run): void {
  duplicates
    .command('rules')
    .description('Lists what is compared of each type, and what searches merge by themselves.')
    .addHelpText('after', '\nExamples:\n  $ trellis duplicates rules')
    .action(run(rules));
  duplicates
    .command('rule')
    .description('Sets or deletes the rule of a type.')
    .argument('<type>', 'the node type')
    .option('--fields <fields...>', 'compare these texts beside the name (default: all texts)')
    .option('--min-score <score>', 'leave out pairs with a lower score, 0 to 1')
    .option('--merge-above <score>', 'merge pairs from this score on without asking')
    .option('--delete', 'delete the rule')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis duplicates rule Person --fields Email --merge-above 0.95\n' +
        '  $ trellis duplicates rule Person --delete',
    )
    .action(run((context, options: RuleOptions, type: string) => rule(context, options, type)));
}

async function find(
  { client, output, terminal }: CommandContext,
  { fields, minScore, watch }: FindOptions,
  type: string,
): Promise<void> {
  const { signal } = terminal;
  const started = await client.duplicates.find(
    {
      type,
      ...(fields === undefined ? {} : { fields }),
      ...(minScore === undefined ? {} : { minScore: scoreOf('--min-score', minScore) }),
    },
    { signal },
  );
  if (watch !== true) {
    output.data(started, started.id);
    output.note('Follow it with "trellis job watch", and list what it finds.');
    return;
  }
  const job = await succeededJob({ client, terminal }, started.id);
  output.data(job, job.log.map(({ text }) => harmless(text)).join('\n'));
}

async function list(
  { client, output, terminal }: CommandContext,
  { type, dismissed, ...page }: PairListOptions,
): Promise<void> {
  const { signal } = terminal;
  const query = {
    state: dismissed === true ? 'dismissed' : 'open',
    ...(type === undefined ? {} : { type }),
  } as const;
  const found = await listItems(page, (part) =>
    client.duplicates.list({ ...query, ...part }, { signal }),
  );
  output.data(found, table(['score', 'type', 'nodes', 'why', 'id'], found.map(pairRow)));
}

function pairRow({ id, type, score, nodes, why }: Duplicate): string[] {
  const named = nodes.map(({ name }) => name).join(' | ');
  return [String(score), type, harmless(named), harmless(why.map(reason).join(', ')), id];
}

function reason({ kind, field, similarity }: DuplicateEvidence): string {
  return `${field ?? kind} ${similarity}`;
}

async function dismiss(
  { client, output, terminal }: CommandContext,
  { undo }: { readonly undo?: true },
  id: string,
): Promise<void> {
  const { signal } = terminal;
  const { dismiss: dismissing, reopen } = client.duplicates;
  const pair = await (undo === true ? reopen(id, { signal }) : dismissing(id, { signal }));
  output.note(undo === true ? 'The pair is open again.' : 'The two nodes are two things.');
  output.data(pair, '');
}

async function merge(
  { client, output, terminal }: CommandContext,
  into: string,
  node: string,
): Promise<void> {
  const request = { into: namedNode(into), node: namedNode(node) };
  const merged = await client.duplicates.merge(request, { signal: terminal.signal });
  output.note(`They are one node; "trellis duplicates split ${merged.id}" takes it back.`);
  output.data(merged, merged.id);
}

async function merges(
  { client, output, terminal }: CommandContext,
  options: ListOptions,
): Promise<void> {
  const { signal } = terminal;
  const found = await listItems(options, (page) => client.duplicates.merges(page, { signal }));
  output.data(found, table(['id', 'type', 'merged', 'into', 'node'], found.map(mergeRow)));
}

function mergeRow({ id, type, at, into, node }: Merge): string[] {
  return [id, type, at, harmless(into.name), node];
}

async function split({ client, output, terminal }: CommandContext, id: string): Promise<void> {
  const nodes = await client.duplicates.split(id, { signal: terminal.signal });
  output.note('They are two nodes again.');
  output.data(nodes, `${nodes.into.UID}\n${nodes.node.UID}`);
}

async function rules({ client, output, terminal }: CommandContext): Promise<void> {
  const { items } = await client.duplicates.rules({ signal: terminal.signal });
  const rows = items.map(({ type, fields, minScore, mergeAbove }) => [
    type,
    fields?.join(' ') ?? 'all texts',
    String(minScore),
    mergeAbove === null ? 'nobody' : String(mergeAbove),
  ]);
  output.data(items, table(['type', 'fields', 'from score', 'merges from'], rows));
}

async function rule(
  { client, output, terminal }: CommandContext,
  { fields, minScore, mergeAbove, delete: isDeleted }: RuleOptions,
  type: string,
): Promise<void> {
  const { signal } = terminal;
  if (isDeleted === true) {
    await client.duplicates.deleteRule(type, { signal });
    output.note(`The rule of ${harmless(type)} is deleted.`);
    return output.data({ type, deleted: true }, '');
  }
  const made = await client.duplicates.putRule(
    type,
    {
      ...(fields === undefined ? {} : { fields }),
      ...(minScore === undefined ? {} : { minScore: scoreOf('--min-score', minScore) }),
      ...(mergeAbove === undefined ? {} : { mergeAbove: scoreOf('--merge-above', mergeAbove) }),
    },
    { signal },
  );
  output.note(`The rule of ${harmless(type)} is set.`);
  output.data(made, '');
}
