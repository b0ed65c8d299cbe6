import { searchSettings } from '@trellis/contract/shapes/search.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure } from '../failure.ts';
import { readJson } from '../json-input.ts';

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
    .description('Replaces all settings. What changes is indexed anew in the background.')
    .argument('<file>', 'JSON as "search settings get" prints it; "-" reads standard input')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis search settings set search.json\n  $ trellis search status',
    )
    .action(run(setSettings));
  search
    .command('status')
    .description('Shows how far the search index of the server is, and how large.')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis search status\n  $ trellis search status --json',
    )
    .action(run(showStatus));
}

async function getSettings({ client, output, terminal }: CommandContext): Promise<void> {
  const settings = await client.getSearchSettings({ signal: terminal.signal });
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
  const settings = await client.putSearchSettings(checked.data, { signal: terminal.signal });
  const types = Object.values(settings.types).filter(({ searchable }) => searchable);
  output.note(`${types.length} types can be searched.`);
  output.data(settings, '');
}

async function showStatus({ client, output, terminal }: CommandContext): Promise<void> {
  const state = await client.getSearchIndex({ signal: terminal.signal });
  const { sequence, documents, segments, bytes, rebuild } = state;
  const size = `${(bytes / 2 ** 20).toFixed(1)} MB in ${segments} segments`;
  const lines = [
    sequence === null
      ? 'The first index is being built.'
      : `Everything up to the sequence ${sequence} can be found.`,
    `${documents} documents, ${size}.`,
  ];
  if (rebuild !== null) {
    const { types, done, total, startedAt } = rebuild;
    lines.push(`Indexing ${types.join(', ')} anew: ${done} of ${total}, since ${startedAt}.`);
  }
  output.data(state, lines.join('\n'));
}
