import { searchSettings, type SearchIndexState } from '@trellis/contract/shapes/search.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure } from '../failure.ts';
import { readJson } from '../json-input.ts';
import { bytesText } from '../terminal.ts';

/** `trellis search settings` and `trellis search status`. */
export function addSearchSettings(search: Command, run: Run): void {
  const settings = search
    .command('settings')
    .summary('read and change what can be searched')
    .description('Reads and changes which types and fields can be searched, and how.');
  settings
    .command('get')
    .description('Prints the settings as JSON.')
    .addHelpText('after', '\nExamples:\n  $ trellis search settings get > search.json')
    .action(run(getSettings));
  settings
    .command('set')
    .description('Replaces all settings. What changes is indexed again in the background.')
    .argument('<file>', 'JSON as "search settings get" prints it; "-" reads standard input')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis search settings set search.json\n  $ trellis search status',
    )
    .action(run(setSettings));
  search
    .command('status')
    .description('Shows how far the search index is, and how large it is.')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis search status\n  $ trellis search status --json',
    )
    .action(run(showStatus));
}

async function getSettings({ client, output, terminal }: CommandContext): Promise<void> {
  const settings = await client.search.getSettings({ signal: terminal.signal });
  output.data(settings, JSON.stringify(settings, null, 2));
}

async function setSettings(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  file: string,
): Promise<void> {
  const checked = searchSettings.safeParse(await readJson(terminal, file));
  if (!checked.success) {
    const faults = checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new CommandFailure(`${file} is not search settings:\n  ${faults.join('\n  ')}`);
  }
  const settings = await client.search.putSettings(checked.data, { signal: terminal.signal });
  const types = Object.values(settings.types).filter(({ searchable }) => searchable);
  output.note(`${types.length} types can be searched.`);
  output.data(settings, '');
}

async function showStatus({ client, output, terminal }: CommandContext): Promise<void> {
  const state = await client.search.getIndex({ signal: terminal.signal });
  const { sequence, documents, segments, bytes, bytesOnDisk, rebuild } = state;
  const read = bytesOnDisk > 0 ? ` and ${bytesText(bytesOnDisk)} on disk` : '';
  const size = `${bytesText(bytes)} in memory${read}, in ${segments} segments`;
  const lines = [
    sequence === null
      ? 'The first index is being built.'
      : `Everything up to the sequence ${sequence} can be found.`,
    `${documents} documents, ${size}.`,
  ];
  if (rebuild !== null) {
    const { types, done, total, startedAt } = rebuild;
    lines.push(`Indexing ${types.join(', ')} again: ${done} of ${total}, since ${startedAt}.`);
  }
  output.data(state, [...lines, ...vectorLines(state)].join('\n'));
}

function vectorLines({ vectors, texts, embedder }: SearchIndexState): string[] {
  const lines = vectors.map(({ type, field, model, vectors: count, dimensions, unfit }) => {
    const size = dimensions === null ? '' : ` of ${dimensions} dimensions`;
    const rest = unfit > 0 ? `; ${unfit} values do not fit` : '';
    return `${type}.${field}: ${count} vectors${size} by ${model}${rest}.`;
  });
  const { waiting, refused } = texts;
  if (waiting > 0) lines.push(`${waiting} texts wait for a vector: ${embedderLine(embedder)}`);
  if (refused > 0) lines.push(`${refused} texts are refused by the provider of embeddings.`);
  return lines;
}

function embedderLine(embedder: SearchIndexState['embedder']): string {
  if (embedder === null) return 'they come from the primary.';
  const { status, embedded, lastError, retryAt } = embedder;
  if (status === 'off') return 'there is no provider ("trellis ai providers set").';
  const next = retryAt === null ? '' : `, asked again at ${retryAt}`;
  const error = lastError === null ? '' : `; the last error: ${lastError}`;
  return `${embedded} were embedded since the start${next}${error}.`;
}
