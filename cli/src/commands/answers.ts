import type {
  GoldenAgreement,
  GoldenAnswersContent,
  GoldenMetric,
  GoldenReport,
  GoldenResult,
  MetricEstimate,
} from '@trellis/contract/shapes/golden-answers.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { EXIT_FAILED, EXIT_GOOD, WrongUsage } from '../failure.ts';
import { uidOfNode } from '../node-words.ts';
import { harmless, table } from '../terminal.ts';
import { addFeedback } from './answer-feedback.ts';
import { setActions } from './set-actions.ts';

interface EvalOptions {
  readonly compare?: string;
  readonly failUnder: readonly string[];
  readonly maxTokens?: string;
  readonly maxQuestions?: string;
  readonly model?: string;
  readonly resume?: string;
}

/** Metrics that are better when they are higher, and so can have a floor. */
const SHARES = [
  'nuggetRecallVital',
  'nuggetRecall',
  'citationPrecision',
  'citationRecall',
  'faithfulness',
  'refusals',
] as const satisfies readonly GoldenMetric[];
const LABELS: Readonly<Record<GoldenMetric, string>> = {
  nuggetRecallVital: 'nugget recall (vital)',
  nuggetRecall: 'nugget recall (all)',
  citationPrecision: 'citation precision (ALCE)',
  citationRecall: 'citation recall (ALCE)',
  faithfulness: 'faithfulness (RAGAS)',
  refusals: 'refusals',
  overRefusals: 'refused without need',
  leaks: 'leaks',
  tokens: 'tokens',
  ms: 'ms',
};
const METRICS = Object.keys(LABELS) as readonly GoldenMetric[];

const sets = setActions({
  title: 'The golden answers',
  sets: (client) => client.goldenAnswers,
  content: withUids,
  told: ({ questions }) => `have ${questions.length} questions`,
  deleted: 'are deleted',
});

/** `trellis answers`. */
export function addAnswers(program: Command, run: Run): void {
  const answers = program
    .command('answers')
    .summary('measure the answers of the assistant')
    .description(
      'Keeps golden answers: questions with what their answers must say. Asks them, and shows how ' +
        'good the answers are.',
    );
  addEval(answers, run);
  answers
    .command('list')
    .description('Lists the sets of golden answers, with their last runs.')
    .addHelpText('after', '\nExamples:\n  $ trellis answers list')
    .action(run(listSets));
  answers
    .command('get')
    .description('Prints a set as JSON, as "set" takes it.')
    .argument('<name>', 'name of the set')
    .addHelpText('after', '\nExamples:\n  $ trellis answers get contracts > contracts.json')
    .action(run(sets.get));
  answers
    .command('set')
    .description('Makes a set, or replaces its questions; its runs stay.')
    .argument('<name>', 'name of the set')
    .argument(
      '<file>',
      'JSON: {"questions":[{"id":"…","question":"…","nuggets":[{"text":"…"}]}]}; "-" is stdin',
    )
    .addHelpText('after', '\nExamples:\n  $ trellis answers set contracts contracts.json')
    .action(run(sets.put));
  answers
    .command('delete')
    .description('Deletes a set with its runs.')
    .argument('<name>', 'name of the set')
    .addHelpText('after', '\nExamples:\n  $ trellis answers delete contracts')
    .action(run(sets.delete));
  answers
    .command('runs')
    .description('Lists the last runs of a set.')
    .argument('<name>', 'name of the set')
    .addHelpText('after', '\nExamples:\n  $ trellis answers runs contracts')
    .action(run(listRuns));
  addFeedback(answers, run);
}

function addEval(answers: Command, run: Run): void {
  answers
    .command('eval')
    .description(
      'Asks every question of a set as its user, and waits. Shows metrics with their 95 % ' +
        'intervals, what has changed since an earlier run, where nuggets went missing, and leaks. ' +
        'Exits with 1 when the run did not complete, or, with --fail-under, when an answer leaks or ' +
        'a metric is too low.',
    )
    .argument('<name>', 'name of the set')
    .option('--compare <run>', 'number of the run to compare with; the one before by default')
    .option(
      '--fail-under <floor>',
      `exit with 1 when vital nugget recall is lower, or another metric, as in citationRecall=0.7: ` +
        `${SHARES.join(', ')}; may be given several times`,
      (one: string, all: readonly string[]) => [...all, one],
      [],
    )
    .option('--max-tokens <count>', 'tokens that the run may use')
    .option('--max-questions <count>', 'ask only the first so many questions')
    .option('--model <name>', 'model to ask')
    .option('--resume <run>', 'go on with a run that was cut off, instead of beginning a new one')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis answers eval contracts
  $ trellis answers eval contracts --compare 3 --fail-under 0.8
  $ trellis answers eval contracts --fail-under 0.8 --fail-under citationRecall=0.7 --json
  $ trellis answers eval contracts --max-questions 20 --max-tokens 200000`,
    )
    .action(run(evaluate));
}

async function evaluate(
  { client, output, terminal }: CommandContext,
  options: EvalOptions,
  name: string,
): Promise<number> {
  const floors = options.failUnder.map(floorOf);
  const compare = wholeNumber('--compare', options.compare);
  const maxTokens = wholeNumber('--max-tokens', options.maxTokens);
  const maxQuestions = wholeNumber('--max-questions', options.maxQuestions);
  const resume = wholeNumber('--resume', options.resume);
  const { model } = options;
  const { signal } = terminal;
  // An earlier run that is not there should not be noticed after hours.
  if (compare !== undefined) await client.goldenAnswers.getRun(name, compare, {}, { signal });
  const job = await client.goldenAnswers.run(
    name,
    { ...given({ maxTokens, maxQuestions, model, resume }) },
    { signal },
  );
  for await (const event of client.jobs.watch(job.id, { signal })) {
    if (event.kind === 'log') output.note(harmless(event.line.text));
  }
  const { error } = await client.jobs.get(job.id, { signal });
  const report = await client.goldenAnswers.getRun(
    name,
    job.run,
    { ...given({ compare }) },
    {
      signal,
    },
  );
  output.data(report, textOf(report));
  let exitCode = EXIT_GOOD;
  const fail = (why: string): void => {
    output.note(harmless(why));
    exitCode = EXIT_FAILED;
  };
  if (report.state !== 'completed') {
    fail(
      `The run is not complete: ${report.state}.${error === undefined ? '' : ` ${error.message}`}`,
    );
  }
  for (const why of failuresOf(report, floors)) fail(why);
  return exitCode;
}

/** Without members that are undefined. */
function given<T extends object>(members: T) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

interface Floor {
  readonly metric: (typeof SHARES)[number];
  readonly value: number;
}

function floorOf(text: string): Floor {
  const [first = '', second] = text.split('=', 2);
  const number = second ?? first;
  const name = second === undefined ? SHARES[0] : first;
  const metric = SHARES.find((one) => one === name);
  const value = /^(?:[01]|[01]?\.\d+|1\.0+)$/.test(number) ? Number(number) : NaN;
  if (metric !== undefined && value <= 1) return { metric, value };
  throw new WrongUsage(
    `--fail-under ${text} is no value from 0 to 1`,
    `Write it like 0.8 or citationRecall=0.7; the metrics are ${SHARES.join(', ')}.`,
  );
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new WrongUsage(`${option} ${text} is no whole number above 0`);
}

function failuresOf(report: GoldenReport, floors: readonly Floor[]): string[] {
  const { metrics, results } = report;
  if (floors.length === 0 || metrics === null) return [];
  const leaking = results.filter(({ leaks }) => leaks.length > 0).map(({ id }) => id);
  return [
    ...floors.flatMap(({ metric, value }) => {
      const now = metrics[metric].value;
      if (now === null) return [`${LABELS[metric]} is not known, so it is not ${value} or more`];
      return now < value ? [`${LABELS[metric]} is ${digits(now)}, below ${value}`] : [];
    }),
    ...(leaking.length === 0 ? [] : [`answers leak: ${leaking.join(', ')}`]),
    ...(report.failed === 0 ? [] : [`${report.failed} questions have no answer`]),
  ];
}

function textOf(report: GoldenReport): string {
  const { name, run, metrics, comparison, results, agreement } = report;
  const before = comparison?.metrics;
  const rows = METRICS.filter((metric) => (metrics?.[metric].n ?? 0) > 0).map((metric) => {
    const estimate = metrics?.[metric];
    const change = before?.[metric];
    return [
      LABELS[metric],
      estimate === undefined ? '' : valueOf(metric, estimate.value),
      estimate === undefined ? '' : intervalOf(metric, estimate),
      change === undefined || change.difference === null
        ? ''
        : `${signed(metric, change.difference)} ${intervalOf(metric, change)}`,
      String(estimate?.n ?? 0),
    ];
  });
  const change = comparison === null ? '' : `SINCE RUN ${comparison.run}`;
  const judge = report.judge === null ? 'no judge' : `judge ${report.judge}`;
  return [
    `${name}, run ${run}: ${report.answered} of ${report.questions} questions, ` +
      `${report.model}, ${judge}, ${report.tokensUsed} tokens`,
    table(['METRIC', 'VALUE', '95 %', change, 'QUESTIONS'], rows),
    ...lostTable(results),
    ...leakTable(results),
    ...agreementLines('nuggets', agreement.nuggets),
    ...agreementLines('sentences', agreement.sentences),
  ].join('\n');
}

/** How far people agree with the report, where some have said so. */
function agreementLines(
  what: string,
  { pairs, kappa, low, high, warning }: GoldenAgreement,
): string[] {
  if (pairs === 0) return [];
  const interval = low === null || high === null ? '' : ` [${digits(low)}, ${digits(high)}]`;
  const value = kappa === null ? 'is not known' : `${digits(kappa)}${interval}`;
  const verdicts = pairs === 1 ? 'verdict' : 'verdicts';
  return [
    '',
    `people and report on ${what}: Cohen's kappa ${value}, from ${pairs} ${verdicts}`,
    ...(warning === null ? [] : [warning]),
  ];
}

function lostTable(results: readonly GoldenResult[]): string[] {
  const rows = results.flatMap(({ id, nuggets, error }) => [
    ...(error === null ? [] : [[id, 'no answer', error.message]]),
    ...nuggets
      .filter(({ isFound }) => isFound === false)
      .map(({ text, lostAt }) => [id, lostAt ?? '', text]),
  ]);
  return rows.length === 0 ? [] : ['', table(['QUESTION', 'LOST AT', 'NUGGET'], rows)];
}

function leakTable(results: readonly GoldenResult[]): string[] {
  const rows = results.flatMap(({ id, leaks }) =>
    leaks.map(({ uid, field, where, text }) => [id, where, uid, field ?? '', text]),
  );
  return rows.length === 0 ? [] : ['', table(['LEAKS', 'WHERE', 'NODE', 'FIELD', 'TEXT'], rows)];
}

function valueOf(metric: GoldenMetric, value: number | null): string {
  if (value === null) return '';
  return metric === 'tokens' || metric === 'ms' ? String(Math.round(value)) : digits(value);
}

function intervalOf(
  metric: GoldenMetric,
  { low, high }: Pick<MetricEstimate, 'low' | 'high'>,
): string {
  return low === null ? '' : `[${valueOf(metric, low)}, ${valueOf(metric, high)}]`;
}

function signed(metric: GoldenMetric, difference: number): string {
  const text = valueOf(metric, difference);
  return difference > 0 ? `+${text}` : text.replace(/^-(?=0(?:\.0+)?$)/, '');
}

function digits(value: number): string {
  return value.toFixed(3);
}

async function listSets({ client, output, terminal }: CommandContext): Promise<void> {
  const { items } = await client.goldenAnswers.list({ signal: terminal.signal });
  const rows = items.map(({ name, questions, lastRun, description }) => [
    name,
    String(questions),
    lastRun === null ? '' : `${lastRun.run} ${lastRun.state}`,
    valueOf('nuggetRecallVital', lastRun?.metrics?.nuggetRecallVital.value ?? null),
    description,
  ]);
  const heads = ['NAME', 'QUESTIONS', 'LAST RUN', 'VITAL RECALL', 'DESCRIPTION'];
  output.data(items, table(heads, rows));
}

async function listRuns(
  { client, output, terminal }: CommandContext,
  _options: object,
  name: string,
): Promise<void> {
  const { items } = await client.goldenAnswers.listRuns(name, { signal: terminal.signal });
  const rows = items.map(({ run, state, startedAt, model, judge, answered, metrics }) => [
    String(run),
    state,
    startedAt,
    model,
    judge ?? '',
    String(answered),
    valueOf('nuggetRecallVital', metrics?.nuggetRecallVital.value ?? null),
    valueOf('leaks', metrics?.leaks.value ?? null),
  ]);
  const heads = ['RUN', 'STATE', 'STARTED', 'MODEL', 'JUDGE', 'ANSWERS', 'VITAL RECALL', 'LEAKS'];
  output.data(items, table(heads, rows));
}

/** The set with the UIDs of the nodes that it names as `Type/key`. The server checks the rest. */
function withUids(content: unknown): GoldenAnswersContent {
  const { questions } = Object(content);
  if (!Array.isArray(questions)) return content as GoldenAnswersContent;
  const uids = (named: unknown): unknown =>
    Array.isArray(named)
      ? named.map((one: unknown) => (typeof one === 'string' ? uidOfNode(one) : one))
      : named;
  const resolved = questions.map((question: unknown) => {
    const { nuggets, mustNotReveal, ...rest } = Object(question);
    return {
      ...rest,
      ...(mustNotReveal === undefined ? {} : { mustNotReveal: uids(mustNotReveal) }),
      ...(Array.isArray(nuggets)
        ? {
            nuggets: nuggets.map((nugget: unknown) => {
              const named = Object(nugget);
              return named.uids === undefined ? nugget : { ...named, uids: uids(named.uids) };
            }),
          }
        : {}),
    };
  });
  return { ...Object(content), questions: resolved };
}
