import type {
  GoldenSetContent,
  QueryChange,
  SearchEvaluationReport,
  SearchMetrics,
} from '@trellis/contract/shapes/search-evaluation.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { EXIT_FAILED, EXIT_GOOD, WrongUsage } from '../failure.ts';
import { uidOfNode } from '../node-words.ts';
import { table } from '../terminal.ts';
import { setActions } from './set-actions.ts';

interface EvalOptions {
  readonly failBelow: readonly string[];
}

const METRICS = ['ndcg', 'mrr', 'precision', 'recall'] as const;
const LABELS: Readonly<Record<Metric, string>> = {
  ndcg: 'NDCG@10',
  mrr: 'MRR',
  precision: 'precision@10',
  recall: 'recall@10',
};
type Metric = keyof SearchMetrics;

const sets = setActions({
  title: 'The golden set',
  sets: (client) => client.goldenSets,
  content: withUids,
  told: ({ queries }) => `has ${queries.length} queries`,
  deleted: 'is deleted',
});

/** `trellis search eval` and `trellis search golden`. */
export function addSearchEval(search: Command, run: Run): void {
  search
    .command('eval')
    .description(
      'Runs every query of a golden set, or of all sets. Shows how good the hits are, compared ' +
        'with the last run, and which queries got worse.',
    )
    .argument('[name]', 'name of the golden set')
    .option(
      '--fail-below <metric=value>',
      `exit with 1 when a metric is lower: ${METRICS.join(', ')}; may be given several times`,
      (one: string, all: readonly string[]) => [...all, one],
      [],
    )
    .addHelpText(
      'after',
      `
Examples:
  $ trellis search eval wordnet
  $ trellis search eval --json
  $ trellis search eval wordnet --fail-below ndcg=0.8 --fail-below recall=0.9`,
    )
    .action(run(evaluate));
  addGolden(search, run);
}

function addGolden(search: Command, run: Run): void {
  const golden = search
    .command('golden')
    .summary('keep the queries with which search is measured')
    .description('Keeps golden sets: queries with the UIDs of the nodes that they should find.');
  golden
    .command('list')
    .description('Lists the golden sets, with how good search was in their last runs.')
    .addHelpText('after', '\nExamples:\n  $ trellis search golden list')
    .action(run(listSets));
  golden
    .command('get')
    .description('Prints a golden set as JSON, as "set" takes it.')
    .argument('<name>', 'name of the golden set')
    .addHelpText('after', '\nExamples:\n  $ trellis search golden get wordnet > wordnet.json')
    .action(run(sets.get));
  golden
    .command('set')
    .description('Makes a golden set, or replaces its queries; its runs stay.')
    .argument('<name>', 'name of the golden set')
    .argument(
      '<file>',
      'JSON: {"queries":[{"query":"…","relevant":["<uid>", "Type/key"]}]}; "-" is stdin',
    )
    .addHelpText('after', '\nExamples:\n  $ trellis search golden set questions questions.json')
    .action(run(sets.put));
  golden
    .command('delete')
    .description('Deletes a golden set with its runs.')
    .argument('<name>', 'name of the golden set')
    .addHelpText('after', '\nExamples:\n  $ trellis search golden delete questions')
    .action(run(sets.delete));
}

async function evaluate(
  { client, output, terminal }: CommandContext,
  { failBelow }: EvalOptions,
  name?: string,
): Promise<number> {
  const floors = failBelow.map(floorOf);
  const { signal } = terminal;
  const names =
    name === undefined
      ? (await client.goldenSets.list({ signal })).items.map((set) => set.name)
      : [name];
  const reports: SearchEvaluationReport[] = [];
  // One after another, since the server runs only one at a time.
  for (const one of names) reports.push(await client.goldenSets.run(one, { signal }));
  output.data(name === undefined ? reports : reports[0], reports.map(textOf).join('\n\n'));
  // A run without golden sets must not count as a success.
  if (reports.length === 0) output.note('There is no golden set: see "trellis search golden set".');
  let exitCode = reports.length === 0 ? EXIT_FAILED : EXIT_GOOD;
  for (const { name: set, metrics } of reports) {
    for (const { metric, value } of floors) {
      if (metrics[metric] >= value) continue;
      output.note(`${set}: ${LABELS[metric]} is ${digits(metrics[metric])}, below ${value}`);
      exitCode = EXIT_FAILED;
    }
  }
  return exitCode;
}

function floorOf(text: string): { readonly metric: Metric; readonly value: number } {
  const [name, number = ''] = text.split('=', 2);
  const metric = METRICS.find((one) => one === name);
  const value = /^(?:0|1|[01]?\.\d+)$/.test(number) ? Number(number) : NaN;
  if (metric !== undefined && value <= 1) return { metric, value };
  throw new WrongUsage(
    `--fail-below ${text} is no metric with a value from 0 to 1`,
    `Write it like ndcg=0.8; the metrics are ${METRICS.join(', ')}.`,
  );
}

function textOf(report: SearchEvaluationReport): string {
  const { name, queries, previous, metrics, worse, better, unfound, missing } = report;
  const rows = METRICS.map((metric) => {
    const now = metrics[metric];
    const before = previous?.metrics[metric];
    const difference = before === undefined ? '' : signed(now - before);
    return [LABELS[metric], digits(now), before === undefined ? '' : digits(before), difference];
  });
  const counts = [
    `${queries} queries`,
    ...(previous === null ? [] : [`${worse.total} worse`, `${better.total} better`]),
    `${unfound.total} without a relevant hit`,
    ...(missing.total === 0 ? [] : [`${missing.total} relevant nodes do not exist`]),
  ];
  const changes = worse.items.map(({ query, ndcg, rank }) => [
    query,
    signed(ndcg.now - ndcg.before),
    rankText(rank.before),
    rankText(rank.now),
  ]);
  return [
    `${name}: ${counts.join(', ')}`,
    table(['METRIC', 'NOW', 'LAST RUN', 'DIFFERENCE'], rows),
    ...(changes.length === 0
      ? []
      : ['', table(['WORSE', 'NDCG@10', 'RANK BEFORE', 'RANK NOW'], changes)]),
  ].join('\n');
}

function digits(value: number): string {
  return value.toFixed(4);
}

function signed(difference: number): string {
  const text = digits(difference);
  return difference > 0 ? `+${text}` : text.replace(/^-(?=0\.0+$)/, '');
}

/** The rank of the first relevant hit, or that there is none among the hits. */
function rankText(rank: QueryChange['rank']['now']): string {
  return rank === null ? 'none' : String(rank);
}

async function listSets({ client, output, terminal }: CommandContext): Promise<void> {
  const { items } = await client.goldenSets.list({ signal: terminal.signal });
  const rows = items.map(({ name, queries, lastRun, description }) => [
    name,
    String(queries),
    lastRun?.at ?? '',
    lastRun === null ? '' : digits(lastRun.metrics.ndcg),
    description,
  ]);
  output.data(items, table(['NAME', 'QUERIES', 'LAST RUN', 'NDCG@10', 'DESCRIPTION'], rows));
}

/** The set with the UIDs of the nodes that it names as `Type/key`. The server checks the rest. */
function withUids(content: unknown): GoldenSetContent {
  const { queries } = Object(content);
  if (!Array.isArray(queries)) return content as GoldenSetContent;
  const named = queries.map((query: unknown) => {
    const { relevant } = Object(query);
    return Array.isArray(relevant) ? { ...Object(query), relevant: relevant.map(withUid) } : query;
  });
  return { ...Object(content), queries: named };
}

function withUid(relevant: unknown): unknown {
  if (typeof relevant === 'string') return uidOfNode(relevant);
  const { uid } = Object(relevant);
  return typeof uid === 'string' ? { ...Object(relevant), uid: uidOfNode(uid) } : relevant;
}
