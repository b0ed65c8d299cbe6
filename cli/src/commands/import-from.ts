import type { CommandContext } from '../command-context.ts';
import { EXIT_FAILED, EXIT_GOOD, WrongUsage } from '../failure.ts';
import { ImportStateFile, type ImportSummary, runImport } from '../import/import-run.ts';
import type { ImportSource } from '../import/import-source.ts';
import { RejectedRows } from '../import/rejected-rows.ts';
import { importStateFolder } from '../profile.ts';
import { ProgressBar } from '../progress-bar.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';

/** Options that every import understands. */
export interface ImportOptions {
  readonly dryRun?: boolean;
  readonly resume?: boolean;
  readonly gzip?: boolean;
}

/** Those of an import of rows. */
export interface RowOptions extends ImportOptions {
  readonly skipErrors?: boolean;
  /** Where skipped rows are written; they are skipped then. */
  readonly rejects?: string;
}

/**
 * Imports from a source, or does a dry run. `identity` says how the source is read. An import can
 * be resumed only with the same identity. `path` is the file that is read.
 */
export async function importFrom(
  context: CommandContext,
  options: RowOptions,
  open: () => ImportSource,
  { identity, path }: { readonly identity: readonly string[]; readonly path: string },
): Promise<number> {
  const { output } = context;
  const source = open();
  using rejected = rejectedOf(source, options, path);
  if (options.dryRun === true) {
    const found = await dryRun(source, rejected);
    output.data(found, dryRunText(found, source.name));
    return found.problems === 0 ? EXIT_GOOD : EXIT_FAILED;
  }
  const startedAt = performance.now();
  const summary = await sendAll(context, options, source, { identity, rejected });
  const seconds = Number(((performance.now() - startedAt) / 1_000).toFixed(3));
  const skipped = rejected === undefined ? {} : { skipped: rejected.count };
  output.data(
    { source: source.name, ...summary, ...skipped, seconds },
    [
      summaryText(source.name, summary, seconds),
      ...(rejected === undefined ? [] : skippedLines(rejected, options.rejects)),
    ].join('\n'),
  );
  return EXIT_GOOD;
}

function rejectedOf(
  source: ImportSource,
  { skipErrors = false, rejects, resume = false }: RowOptions,
  input: string,
): RejectedRows | undefined {
  if (rejects === undefined) {
    return skipErrors ? new RejectedRows(source, { input, isResumed: resume }) : undefined;
  }
  return new RejectedRows(source, { path: rejects, input, isResumed: resume });
}

function skippedLines({ count, examples }: RejectedRows, path: string | undefined): string[] {
  const rows = `${count.toLocaleString('en')} rows were skipped`;
  if (count === 0) return [rows];
  if (path !== undefined) return [`${rows}; with the reasons they are in ${path}`];
  return [
    `${rows}, the first of them:`,
    ...examples.map(({ place, problem }) => `  ${place}: ${problem}`),
  ];
}

async function sendAll(
  context: CommandContext,
  options: ImportOptions,
  source: ImportSource,
  {
    identity,
    rejected,
  }: { readonly identity: readonly string[]; readonly rejected: RejectedRows | undefined },
): Promise<ImportSummary> {
  const { client, output, server, terminal } = context;
  const stateFile = stateFileOf(context, source, identity);
  const skip = options.resume === true ? operationsToSkip(stateFile, context) : 0;
  const bar = new ProgressBar(terminal.stderr, `Importing ${source.name}`, () => performance.now());
  try {
    const summary = await runImport({
      source,
      client,
      skip,
      gzip: options.gzip ?? false,
      rejected,
      bar,
      signal: terminal.signal,
      onAcknowledged: (state) => stateFile?.write({ server, source: source.name, ...state }),
      onRetry: (error, pauseMs) => {
        bar.clear();
        output.note(`${error.message}; trying again in ${pauseMs / 1_000} s`);
      },
    });
    stateFile?.remove();
    bar.clear();
    return summary;
  } catch (error) {
    bar.clear();
    const state = stateFile?.read();
    if (state !== undefined) {
      const count = state.operations.toLocaleString('en');
      output.note(
        `${count} operations are done; the same command with --resume goes on after them.`,
      );
    }
    throw error;
  }
}

function stateFileOf(
  { server, terminal }: CommandContext,
  source: ImportSource,
  identity: readonly string[],
): ImportStateFile | undefined {
  if (source.identity === undefined) return undefined;
  return new ImportStateFile(importStateFolder(terminal.env), [
    server,
    source.identity,
    ...identity,
  ]);
}

function operationsToSkip(
  file: ImportStateFile | undefined,
  { output, server }: CommandContext,
): number {
  if (file === undefined)
    throw new WrongUsage('standard input cannot be resumed', 'Import a file.');
  const operations = file.read()?.operations ?? 0;
  output.note(
    operations === 0
      ? `No interrupted import of this input, with these options, to ${server}: starting at the beginning.`
      : `Going on after ${operations.toLocaleString('en')} operations.`,
  );
  return operations;
}

function summaryText(name: string, summary: ImportSummary, seconds: number): string {
  const count = (value: number) => value.toLocaleString('en');
  return (
    `${name}: ${count(summary.operations)} operations in ${seconds.toFixed(1)} s, ` +
    `${count(summary.nodes)} nodes and ${count(summary.edges)} edges changed, ` +
    `${count(summary.commits)} commits, sequence ${summary.sequence}`
  );
}

function dryRunText({ operations, kinds, problems, examples }: DryRun, name: string): string {
  const lines = [`${name}: ${operations.toLocaleString('en')} operations would be sent`];
  for (const [kind, count] of Object.entries(kinds)) {
    lines.push(`  ${count.toLocaleString('en').padStart(12)}  ${kind}`);
  }
  if (problems > 0) lines.push(`${problems.toLocaleString('en')} problems, the first of them:`);
  for (const { place, problem } of examples) lines.push(`  ${place}: ${problem}`);
  return lines.join('\n');
}

interface DryRun {
  readonly operations: number;
  /** By kind and type, such as `addOrUpdate Word` or `link HasSense`. */
  readonly kinds: Readonly<Record<string, number>>;
  /** The number of places that give no operation. */
  readonly problems: number;
  /** The first of these places. */
  readonly examples: readonly { readonly place: string; readonly problem: string }[];
}

const EXAMPLES_MAX = 20;

/** Reads and checks everything, and sends nothing. */
async function dryRun(source: ImportSource, rejected?: RejectedRows): Promise<DryRun> {
  const kinds = new Map<string, number>();
  const examples: { place: string; problem: string }[] = [];
  let operations = 0;
  let problems = 0;
  for await (const items of source.items()) {
    for (const { place, ...item } of items) {
      if (item.problem === undefined) {
        operations++;
        const kind = kindOf(item.operation);
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      } else {
        problems++;
        const { problem, row = '' } = item;
        rejected?.add([{ place, row, reason: problem }]);
        if (examples.length < EXAMPLES_MAX) examples.push({ place: source.locate(place), problem });
      }
    }
  }
  return { operations, kinds: Object.fromEntries(kinds), problems, examples };
}

function kindOf(operation: GraphOperation): string {
  if ('edge' in operation) return `${operation.op} ${operation.edge}`;
  return 'type' in operation ? `${operation.op} ${operation.type}` : operation.op;
}
