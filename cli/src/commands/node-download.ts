import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import type { NodeSelection } from '@trellis/contract/shapes/node.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { RowCounter } from '@trellis/client/download-rows.ts';
import { WrongUsage } from '../failure.ts';
import { namedNode, NODE_ARGUMENT, uidOfNode } from '../node-words.ts';
import { ProgressBar } from '../progress-bar.ts';
import { receivedBytes } from '../received-bytes.ts';
import { bytesText, harmless, printParts } from '../terminal.ts';
import { refuseExisting, writeWhole } from '../whole-file.ts';

const FORMATS = ['csv', 'jsonl', 'zip'] as const;
type Format = (typeof FORMATS)[number];

interface DownloadOptions {
  readonly type?: string;
  readonly field?: string[];
  readonly format?: string;
  readonly links?: string;
  readonly out?: string;
}

/** `trellis node download`. */
export function addNodeDownload(node: Command, run: Run): void {
  node
    .command('download')
    .description(
      'Downloads nodes as a table: the nodes that are named, or all of a type, newest first. ' +
        'A file appears when it is complete; what was interrupted begins again. Overwrites nothing.',
    )
    .argument('[node...]', NODE_ARGUMENT)
    .option('--type <type>', 'all nodes of this type; of named nodes, those of it')
    .option('--field <name...>', 'columns after the fixed ones (default: every field)')
    .option('--format <format>', 'csv, jsonl or zip (default: from the ending of --out, or csv)')
    .option('--links <address>', 'address of the workspace in the column Link')
    .option('--out <path>', 'where to write it (default: <type>.<format>); "-" prints it')
    .addHelpText(
      'after',
      `
CSV and JSON lines have a row for each node; a zip has a CSV file for each type.

Examples:
  $ trellis node download --type Word
  $ trellis node download --type Word --field Lemma Language --out words.jsonl
  $ trellis node download Word/dog Word/cat --out - | head -n 1
  $ trellis node download --type Word --out - --format jsonl | gzip > words.jsonl.gz`,
    )
    .action(run(downloadNodes));
}

async function downloadNodes(
  context: CommandContext,
  options: DownloadOptions,
  names: readonly string[] = [],
): Promise<void> {
  const { client, output, terminal } = context;
  const { signal } = terminal;
  const format = formatOf(options);
  const out = options.out ?? `${options.type ?? 'nodes'}.${format}`;
  if (out !== '-') refuseExisting(out);
  const selection = selectionOf(options, names);
  const total = await expectedRows(client, selection, signal);
  const rows = new RowCounter(format);
  const bar = new ProgressBar(
    terminal.stderr,
    'Downloading',
    () => performance.now(),
    format === 'zip' ? 'bytes' : 'nodes',
  );
  const query = options.links === undefined ? {} : { baseURL: options.links };
  const bytes = await downloadOf(client, format)(selection, query, { signal });
  const counted = counting(receivedBytes(bytes, signal), rows, () => {
    const { count } = rows;
    if (count === undefined) bar.update({ share: undefined, done: rows.bytes });
    else bar.update({ share: total > 0 ? Math.min(1, count / total) : 1, done: count });
  });
  try {
    if (out === '-') await printParts(terminal, counted);
    else await writeWhole(out, counted, signal);
  } finally {
    bar.clear();
  }
  noteMissing(context, names, rows.count);
  if (out === '-') return;
  const size = bytesText(rows.bytes);
  const what = rows.count === undefined ? size : `${nodesText(rows.count)}, ${size},`;
  output.note(`Wrote ${what} to ${harmless(out)}.`);
  const count = rows.count === undefined ? {} : { nodes: rows.count };
  output.data({ path: out, format, ...count, bytes: rows.bytes }, '');
}

/** Of nodes that are named, those are left out that do not exist or may not be seen. */
function noteMissing(
  { output }: CommandContext,
  names: readonly string[],
  count: number | undefined,
): void {
  if (names.length === 0 || count === undefined) return;
  const missing = new Set(names.map(uidOfNode)).size - count;
  if (missing <= 0) return;
  output.note(
    `${nodesText(missing)} of those that are named ${missing === 1 ? 'is' : 'are'} not there for you.`,
  );
}

function nodesText(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'node' : 'nodes'}`;
}

function formatOf({ format, out = '' }: DownloadOptions): Format {
  const ending = /\.([^./\\]+)$/.exec(out)?.[1]?.toLowerCase();
  const named = format ?? ending;
  const known = FORMATS.find((one) => one === named);
  if (known !== undefined) return known;
  if (format === undefined) return 'csv';
  throw new WrongUsage(`--format ${format} is none of ${FORMATS.join(', ')}`);
}

function selectionOf({ type, field }: DownloadOptions, names: readonly string[]): NodeSelection {
  if (names.length === 0 && type === undefined) {
    throw new WrongUsage('There is nothing to download', 'Name nodes, or a type with --type.');
  }
  return {
    ...(names.length > 0 && { uids: names.map(namedNode) }),
    ...(type !== undefined && { type }),
    ...(field !== undefined && { fields: field }),
  };
}

/** How many nodes there are to come: more or fewer may be there when they are read. */
async function expectedRows(
  client: TrellisClient,
  { uids, type }: NodeSelection,
  signal: AbortSignal,
): Promise<number> {
  if (uids !== undefined) return uids.length;
  const { total } = await client.nodes.query({ type, take: 1 }, { signal });
  return total;
}

function downloadOf(
  { nodes }: TrellisClient,
  format: Format,
): TrellisClient['nodes']['downloadCsv'] {
  switch (format) {
    case 'csv':
      return nodes.downloadCsv;
    case 'jsonl':
      return nodes.downloadJsonl;
    case 'zip':
      return nodes.downloadZip;
  }
}

async function* counting(
  parts: AsyncIterable<Uint8Array>,
  rows: RowCounter,
  onPart: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    rows.add(part);
    onPart();
    yield part;
  }
}
