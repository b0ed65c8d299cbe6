import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { addSearchEval } from './search-eval.ts';
import { addSearchSettings } from './search-settings.ts';
import { addSearchSynonyms } from './search-synonyms.ts';
import { WrongUsage } from '../failure.ts';
import { NODE_ARGUMENT, uidOfNode } from '../node-words.ts';
import { table } from '../terminal.ts';

/** `trellis search`. */
export function addSearch(program: Command, run: Run): void {
  const search = program
    .command('search')
    .summary('set up and measure search')
    .description('Sets up and measures search.');
  addSearchSettings(search, run);
  addSearchSynonyms(search, run);
  addSearchSimilar(search, run);
  addSearchEval(search, run);
}

interface SimilarOptions {
  readonly count: string;
  readonly types?: readonly string[];
}

/** `trellis search similar`, with the rights of the user who is signed in. */
function addSearchSimilar(search: Command, run: Run): void {
  search
    .command('similar')
    .description(
      'Lists the nodes whose vectors are most similar to those of a node, among those you may see.',
    )
    .argument('<node>', NODE_ARGUMENT)
    .option('--count <n>', 'how many, at most 1,000', '10')
    .option('--types <names...>', 'only nodes of these types')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis search similar Contract/2026-17
  $ trellis search similar 2KGvYgNiBmkvxnZvEsBn1K --count 50 --types Contract Letter --json`,
    )
    .action(run(listSimilar));
}

async function listSimilar(
  { client, output, terminal }: CommandContext,
  { count, types }: SimilarOptions,
  node: string,
): Promise<void> {
  if (!/^[1-9]\d{0,3}$/.test(count)) {
    throw new WrongUsage(`--count ${count} is not a whole number from 1 to 1,000`);
  }
  const wanted = { count: Number(count), types };
  const { signal } = terminal;
  const { items } = await client.embeddings.getSimilar(uidOfNode(node), wanted, { signal });
  const rows = items.map(({ node: { UID, Type, Id }, score }) => [
    score.toFixed(4),
    Type,
    Id ?? '',
    UID,
  ]);
  output.data(items, table(['SIMILARITY', 'TYPE', 'KEY', 'UID'], rows));
}
