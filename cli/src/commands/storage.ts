import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure, EXIT_FAILED, EXIT_GOOD, WrongUsage } from '../failure.ts';
import { ProgressBar } from '../progress-bar.ts';
import { bytesText, table } from '../terminal.ts';

interface RotateOptions {
  readonly newKeyFile?: string;
}

/** The variable that holds the new master key, so that the key is not on a command line. */
const NEW_KEY = 'TRELLIS_NEW_MASTER_KEY';

export function addStorage(program: Command, run: Run): void {
  const storage = program
    .command('storage')
    .summary('look after the storage folder of a stopped server')
    .description(
      'Works on the folder of MSK_GRAPH_STORAGE while no server has it open; ' +
        'MSK_GRAPH_MASTER_KEY is its key. A command that is killed leaves the store unchanged or ' +
        'finished; the next start or command cleans up.',
    );
  storage
    .command('stats')
    .description('Shows how large the store is, and how much space a compaction would free.')
    .addHelpText(
      'after',
      '\nExamples:\n  $ MSK_GRAPH_STORAGE=/var/lib/trellis trellis storage stats',
    )
    .action(run(showStatistics));
  storage
    .command('verify')
    .description(
      'Reads every record of the log and every entry of the state, and compares the two; then ' +
        'compares indexes and counts with the nodes. Exit code 1 when something differs.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis storage verify\n  $ trellis storage verify --json',
    )
    .action(run(verify));
  storage
    .command('compact')
    .description(
      'Writes the state again, so that its files have no free pages. Needs disk space for a copy.',
    )
    .addHelpText('after', '\nExamples:\n  $ trellis storage compact')
    .action(run(compact));
  storage
    .command('rotate-key')
    .description(
      'Encrypts the whole store with a new master key, also when it was not encrypted before. ' +
        'MSK_GRAPH_MASTER_KEY is the present key; the new one is in ' +
        `${NEW_KEY} or a file. Needs disk space for a copy.`,
    )
    .option('--new-key-file <file>', `a file that holds the new key, in place of ${NEW_KEY}`)
    .addHelpText(
      'after',
      `
Examples:
  $ trellis storage rotate-key --new-key-file /run/secrets/new-master-key`,
    )
    .action(run(rotateKey));
}

async function showStatistics({ output, terminal }: CommandContext): Promise<void> {
  const { storageStatistics } = await care();
  const stats = await withHints(async () => storageStatistics(terminal.env));
  const head = [
    ['storage', stats.storage],
    ['format', String(stats.format)],
    ['encrypted', stats.encrypted ? 'yes' : 'no'],
    ['created', stats.createdAt],
    ...(stats.advice === null ? [] : [['REWRITE', stats.advice]]),
  ];
  const databases = stats.databases.map(({ name, environment, entries, bytes }) => [
    `${environment}/${name}`,
    String(entries),
    bytesText(bytes),
  ]);
  const files = stats.files.map(({ name, bytes }) => [name, '', bytesText(bytes)]);
  const free = stats.environments.map(({ name, freeBytes }) => [
    `${name}, free`,
    '',
    bytesText(freeBytes),
  ]);
  const parts = [
    table(['STORE', ''], head),
    table(['PART', 'ENTRIES', 'SIZE'], [...databases, ...free, ...files]),
  ];
  output.data(stats, parts.join('\n\n'));
}

async function verify(context: CommandContext): Promise<number> {
  const { verifyStorage } = await care();
  const found = await working(context, 'Verifying', (events) =>
    verifyStorage(context.terminal.env, events),
  );
  const { log, derived } = found;
  const packed = derived?.rows;
  const differences = [
    ...found.differences,
    ...(derived?.differences ?? []),
    ...(packed?.differences ?? []),
  ];
  const unnamed =
    (derived?.differenceCount ?? 0) -
    (derived?.differences.length ?? 0) +
    (packed?.differenceCount ?? 0) -
    (packed?.differences.length ?? 0);
  const rows = [
    ['sequence', String(found.sequence)],
    ['epoch', found.epoch],
    ['entries', String(found.entries)],
    ['digest', found.digest ?? 'none: the state is damaged'],
    ['log', `${log.commits} commits, from sequence ${log.firstSequence} to ${log.lastSequence}`],
    ['compared', `${log.keysCompared} keys${log.isWhole ? ', which is all there is' : ''}`],
    [
      'derived',
      derived === null ? 'not compared: the state is damaged' : `${derived.entries} entries`,
    ],
    ...(packed === undefined ? [] : [['packed rows', `${packed.nodes} nodes`]]),
    ...(derived?.skipped ?? []).map((text) => ['left out', text]),
    ...differences.map((text) => ['DIFFERS', text]),
    ...(unnamed > 0
      ? [['DIFFERS', `${unnamed} more${derived?.mayBeMore ? ' at least' : ''}`]]
      : []),
    ...((packed?.differenceCount ?? 0) > 0
      ? [['mended', 'packed rows are dropped; the next start packs them again']]
      : []),
  ];
  show(context, found, rows);
  return differences.length === 0 ? EXIT_GOOD : EXIT_FAILED;
}

async function compact(context: CommandContext): Promise<void> {
  const { compactStorage } = await care();
  const done = await working(context, 'Compacting', (events) =>
    compactStorage(context.terminal.env, events),
  );
  const rows = done.before.environments.map(({ name, fileBytes }) => {
    const after = done.after.environments.find((one) => one.name === name);
    return [name, `${bytesText(fileBytes)} -> ${bytesText(after?.fileBytes ?? 0)}`];
  });
  show(context, done, [...rows, ['digest', done.digest]]);
}

async function rotateKey(context: CommandContext, options: RotateOptions): Promise<void> {
  const { terminal } = context;
  const newKey = newKeyOf(terminal.env, options);
  const { rotateMasterKey } = await care();
  const done = await working(context, 'Rotating', (events) =>
    rotateMasterKey(terminal.env, newKey, events),
  );
  const text = done.wasDone
    ? 'The store has the new key already.'
    : 'The store has the new key: set MSK_GRAPH_MASTER_KEY to it, here and on every replica.';
  context.output.data(done, text);
}

function newKeyOf(env: CommandContext['terminal']['env'], { newKeyFile }: RotateOptions): string {
  // Editors end a file with a line break, which is not part of the key.
  const key =
    newKeyFile === undefined
      ? (env[NEW_KEY] ?? '')
      : readFileSync(newKeyFile, 'utf8').replace(/\r?\n$/, '');
  if (key !== '') return key;
  throw new WrongUsage(
    'there is no new key',
    `Set ${NEW_KEY}, or name a file with --new-key-file; others can see arguments.`,
  );
}

interface Events {
  readonly onProgress: (done: number, total: number) => void;
  readonly onStep: (step: string) => void;
}

async function working<T>(
  { terminal, output: target }: CommandContext,
  label: string,
  work: (events: Events) => Promise<T>,
): Promise<T> {
  const bar = new ProgressBar(terminal.stderr, label, () => performance.now());
  try {
    return await withHints(() =>
      work({
        onStep: (step) => {
          bar.clear();
          target.note(`${label}: ${step}`);
        },
        onProgress: (done, total) => {
          bar.update({ done, share: total === 0 ? undefined : done / total });
        },
      }),
    );
  } finally {
    bar.clear();
  }
}

/** Shows a problem of the store to the user, with its hint. */
async function withHints<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name !== 'Problem') throw cause;
    const { code, hint } = Object(cause) as { code: string; hint?: string };
    throw new CommandFailure(cause.message, { code, hint, cause });
  }
}

function show(
  { output: target }: CommandContext,
  value: unknown,
  rows: readonly (readonly string[])[],
): void {
  target.data(value, table(['STORE', ''], rows));
}

/** Only here: no other command should have to load the server. */
function care() {
  return import('@trellis/server/storage-care.ts');
}
