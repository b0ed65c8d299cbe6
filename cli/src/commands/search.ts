import type { Command } from 'commander';
import type { Run } from '../command-context.ts';
import { addSearchEval } from './search-eval.ts';
import { addSearchSettings } from './search-settings.ts';
import { addSearchSimilar } from './search-similar.ts';
import { addSearchSynonyms } from './search-synonyms.ts';

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
