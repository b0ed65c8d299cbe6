import { ANY_LANGUAGE } from '@trellis/contract/languages.ts';
import { synonymLists } from '@trellis/contract/shapes/search.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure, WrongUsage } from '../failure.ts';
import { readJson } from '../json-input.ts';
import { table } from '../terminal.ts';

interface LangOption {
  readonly lang: string;
}

interface SetOptions extends LangOption {
  readonly synonyms?: readonly string[];
  readonly alternates?: readonly string[];
  readonly blocked?: readonly string[];
  readonly file?: string;
  readonly add?: boolean;
  readonly caseSensitive?: boolean;
}

const LANG = ['--lang <code>', 'language of two letters', ANY_LANGUAGE] as const;
/** The most that one request may ask for. */
const PAGE = 1_000;

/** `trellis search synonyms`; for administrators and those with the role CanManageSynonyms. */
export function addSearchSynonyms(search: Command, run: Run): void {
  const synonyms = search
    .command('synonyms')
    .summary('read and change synonyms')
    .description('Reads and changes the words that are searched along with others.');
  synonyms
    .command('list')
    .description('Lists the terms of one language, with the words that each is linked to.')
    .argument('[query]', 'part of a term', '')
    .option(...LANG)
    .addHelpText('after', '\nExamples:\n  $ trellis search synonyms list --lang en\n')
    .action(run(listSynonyms));
  synonyms
    .command('get')
    .description('Shows the synonyms of a term, and words of the graph with a similar spelling.')
    .argument('<term>')
    .option(...LANG)
    .option('--tolerance <n>', 'how similar a suggestion must be, 0.7 to 1')
    .addHelpText('after', '\nExamples:\n  $ trellis search synonyms get car --lang en')
    .action(run(getSynonyms));
  synonyms
    .command('set')
    .description(
      'Stores the synonyms of a term, in one direction: to link both words, store the other ' +
        'one as well. Without --add, lists that you leave out become empty.',
    )
    .argument('<term>')
    .option(...LANG)
    .option('--synonyms <words...>', 'other words that are searched too')
    .option('--alternates <words...>', 'other spellings of the same word')
    .option('--blocked <words...>', 'words that the term never stands for')
    .option(
      '--file <file>',
      'all three lists as JSON: {"Synonyms":[],"Alternates":[],"Blocked":[]}',
    )
    .option('--add', 'add to the stored lists')
    .option('--case-sensitive', 'only for the term with exactly these capital letters')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis search synonyms set car --lang en --synonyms automobile "motor vehicle"
  $ trellis search synonyms set colour --lang en --alternates color --add
  $ trellis search synonyms set car --lang en --file car.json`,
    )
    .action(run(setSynonyms));
}

async function listSynonyms(
  { client, output, terminal }: CommandContext,
  { lang }: LangOption,
  query: string,
): Promise<void> {
  const request = { lang, query, includeSynonyms: true, take: PAGE };
  const rows: (readonly string[])[] = [];
  let total: number;
  do {
    const { signal } = terminal;
    const page = await client.synonyms.list({ ...request, skip: rows.length }, { signal });
    for (const row of page.Results) if (typeof row !== 'string') rows.push(row);
    total = page.Results.length === 0 ? rows.length : page.TotalCount;
  } while (rows.length < total);
  output.data(rows, table(['TERM', 'LINKED TO'], rows));
}

async function getSynonyms(
  { client, output, terminal }: CommandContext,
  { lang, tolerance }: LangOption & { readonly tolerance?: string },
  token: string,
): Promise<void> {
  if (tolerance !== undefined && !/^[01](?:\.\d{1,10})?$/.test(tolerance)) {
    throw new WrongUsage(`--tolerance ${tolerance} is not a number from 0.7 to 1`);
  }
  const wanted = {
    token,
    lang,
    ...(tolerance === undefined ? {} : { tolerance: Number(tolerance) }),
  };
  const record = await client.synonyms.get(wanted, { signal: terminal.signal });
  const { Synonyms, Alternates, Blocked } = record;
  const Suggestions = record.Suggestions.map(
    ({ term, similarity }) => `${term} (${similarity.toFixed(2)})`,
  );
  output.data(record, lines({ Synonyms, Alternates, Blocked, Suggestions }));
}

async function setSynonyms(
  context: CommandContext,
  options: SetOptions,
  token: string,
): Promise<void> {
  const { client, output, terminal } = context;
  const { lang, add, caseSensitive } = options;
  const { signal } = terminal;
  const how = { token, lang, replace: add !== true, ignoreCase: caseSensitive !== true };
  const record = await client.synonyms.put(await listsOf(context, options), how, { signal });
  output.note(`Stored for ${record.Token} in ${lang === ANY_LANGUAGE ? 'any language' : lang}.`);
  const { Synonyms, Alternates, Blocked } = record;
  output.data(record, lines({ Synonyms, Alternates, Blocked }));
}

async function listsOf({ terminal }: CommandContext, options: SetOptions) {
  const { synonyms, alternates, blocked, file } = options;
  if (file === undefined) {
    return { Synonyms: synonyms ?? [], Alternates: alternates ?? [], Blocked: blocked ?? [] };
  }
  if ((synonyms ?? alternates ?? blocked) !== undefined) {
    throw new WrongUsage('--file has all three lists: leave the others out');
  }
  const checked = synonymLists.safeParse(await readJson(terminal, file));
  if (checked.success) return checked.data;
  const faults = checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new CommandFailure(`${file} is not lists of synonyms:\n  ${faults.join('\n  ')}`);
}

function lines(lists: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(lists)
    .filter(([, words]) => words.length > 0)
    .map(([name, words]) => `${name}: ${words.join(', ')}`)
    .join('\n');
}
