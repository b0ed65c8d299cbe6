import {
  EXPORT_FORMATS,
  type ExportFormat,
  exportFormats,
} from '@trellis/contract/shapes/graph-export.ts';
import { type Command, Option } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { ProgressBar } from '../progress-bar.ts';
import { receivedBytes } from '../received-bytes.ts';
import { bytesText, harmless, printParts } from '../terminal.ts';
import { refuseExisting, writeWhole } from '../whole-file.ts';

interface ExportOptions {
  readonly format?: ExportFormat;
  readonly as?: string;
  readonly out?: string;
}

/** `trellis export`. */
export function addExport(program: Command, run: Run): void {
  program
    .command('export')
    .summary('write the whole graph to a file')
    .description(
      'Writes all nodes and edges with their schema, for "trellis import" or other programs. ' +
        'Users, teams, files and rules of access are not in it: a backup has everything.',
    )
    .addOption(
      new Option(
        '--format <format>',
        'format of the file (default: from the ending of --out, or jsonl)',
      ).choices(exportFormats),
    )
    .option('--as <user>', 'only what this user sees: a UID or user name')
    .option('--out <path>', 'where to write it; overwrites nothing (default: prints it)')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis export --out graph.jsonl
  $ trellis export --out graph.graphml
  $ trellis export --as ann --out for-ann.jsonl
  $ trellis export | gzip > graph.jsonl.gz`,
    )
    .action(run(exportGraph));
}

async function exportGraph(context: CommandContext, options: ExportOptions): Promise<void> {
  const { client, output, terminal } = context;
  const { signal } = terminal;
  const { as, out } = options;
  const format = options.format ?? formatOfEnding(out) ?? 'jsonl';
  if (out !== undefined && out !== '-') refuseExisting(out);
  const download = await client.graph.export(
    { format, ...(as !== undefined && { as }) },
    { signal },
  );
  const bar = new ProgressBar(terminal.stderr, 'Exporting', () => performance.now(), 'bytes');
  let bytes = 0;
  const parts = counted(receivedBytes(download, signal), (length) => {
    bytes += length;
    bar.update({ share: undefined, done: bytes });
  });
  try {
    if (out === undefined || out === '-') await printParts(terminal, parts);
    else await writeWhole(out, parts, signal);
  } finally {
    bar.clear();
  }
  if (out === undefined || out === '-') return;
  output.note(`Wrote ${bytesText(bytes)} to ${harmless(out)}.`);
  output.data({ path: out, format, bytes }, '');
}

function formatOfEnding(path = ''): ExportFormat | undefined {
  return exportFormats.find((format) =>
    path.toLowerCase().endsWith(`.${EXPORT_FORMATS[format].ending}`),
  );
}

async function* counted(
  parts: AsyncIterable<Uint8Array>,
  onPart: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    onPart(part.length);
    yield part;
  }
}
