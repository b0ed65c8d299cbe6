import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import type { ImportEvent, ImportOptions } from '@trellis/client/methods/zips.ts';
import type { DefinitionsImport, ImportedItem } from '@trellis/contract/shapes/definitions.ts';
import { schemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { DefinitionsFolder, packed, unpacked } from '../definitions-folder.ts';
import { CommandFailure, EXIT_FAILED, EXIT_GOOD } from '../failure.ts';
import {
  packageInWords,
  type PushedDefinitions,
  summaryOf,
  withoutLocked,
  withPackages,
} from '../npm-packages.ts';
import { differenceText, diffSchemas, type SchemaDifference } from '../schema-diff.ts';
import { harmless } from '../terminal.ts';

const FOLDER = 'folder of the files';
const SCHEMA_FILE = 'schema.json';
const RENAMES_FILE = 'schema-renames.json';

/** `trellis pull`, `trellis push`, `trellis diff`: a workspace's definitions as files. */
export function addDefinitions(program: Command, run: Run): void {
  program
    .command('pull')
    .summary('write schema, settings and code into a folder')
    .description(
      'Writes schema, settings, endpoints, tools and agents into a folder, as files to be kept ' +
        'in git. Deletes only files that an earlier pull wrote and that are no longer in the ' +
        'workspace.',
    )
    .argument('[folder]', FOLDER, '.')
    .option('--force', 'also overwrite files that were changed since they were pulled')
    .addHelpText('after', '\nExamples:\n  $ trellis pull workspace\n  $ trellis pull --force')
    .action(run(pull));
  program
    .command('push')
    .summary('change the workspace to match a folder')
    .description(
      'Creates and changes in the workspace what differs from the files of a folder, as one ' +
        'commit. If a part fails, or code does not compile, nothing is changed, and the exit ' +
        'code is 1. Works with a deploy token, for a pipeline. Bundles the packages of npm that ' +
        'code imports, as package-lock.json has them, and tells the size and license of each.',
    )
    .argument('[folder]', FOLDER, '.')
    .option('--mirror', 'also delete from the workspace what the folder does not have')
    .option('--drafts', 'also take code that does not compile, and keep it as a draft')
    .option('--dry-run', 'only say what would be done')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis push workspace --dry-run\n  $ trellis push workspace --mirror',
    )
    .action(run(push));
  program
    .command('diff')
    .summary('show what a push would do')
    .description(
      'Shows, as a unified diff, what "push" would change in the workspace, and changes ' +
        'nothing. Exit code 0 when there is nothing to change, 1 when there is, or when ' +
        'something would fail.',
    )
    .argument('[folder]', FOLDER, '.')
    .option('--mirror', 'also show what would be deleted from the workspace')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis diff workspace\n  $ trellis diff workspace --mirror',
    )
    .action(run(diff));
}

async function pull(
  { client, output, terminal }: CommandContext,
  { force = false }: { readonly force?: boolean },
  path: string,
): Promise<void> {
  const zip = await client.definitions.export({ signal: terminal.signal });
  const files = await withoutLocked(path, await unpacked(await buffer(zip)));
  const pulled = new DefinitionsFolder(path).take(files, { force });
  for (const file of pulled.written) output.note(`Wrote ${harmless(file)}`);
  for (const file of pulled.deleted) output.note(`Deleted ${harmless(file)}`);
  for (const file of pulled.kept) {
    output.note(`Kept ${harmless(file)}: it is not in the workspace, but was changed here.`);
  }
  const { length } = [...pulled.written, ...pulled.deleted, ...pulled.kept];
  if (length === 0) output.note(`${path} is what the workspace is.`);
  output.data(pulled, '');
}

async function push(
  context: CommandContext,
  options: ImportOptions,
  path: string,
): Promise<number> {
  const { output } = context;
  const steps = options.dryRun === true ? await schemaSteps(context, path) : undefined;
  for (const step of steps ?? []) output.note(`Schema: ${harmless(differenceText(step))}`);
  const result = await sent(context, path, options, (text) => output.note(harmless(text)));
  output.data(steps === undefined ? result : { ...result, schemaSteps: steps }, '');
  return tellResult(context, result);
}

async function diff(
  context: CommandContext,
  { mirror = false }: { readonly mirror?: boolean },
  path: string,
): Promise<number> {
  const result = await sent(context, path, { mirror, dryRun: true }, () => {});
  const differing = result.items.filter(({ action }) => action !== 'unchanged');
  for (const item of differing) context.output.note(inWords(item));
  context.output.data(result, differing.map((item) => shown(item.diff)).join(''));
  return differing.length === 0 ? EXIT_GOOD : EXIT_FAILED;
}

async function sent(
  { client, terminal: { signal } }: CommandContext,
  path: string,
  options: ImportOptions,
  onLog: (text: string) => void,
): Promise<PushedDefinitions> {
  return await sendFolder(client, path, { options, onLog, signal });
}

interface Sending {
  readonly options: ImportOptions;
  readonly onLog: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Sends what a folder has, with the packages that its code imports. */
export async function sendFolder(
  client: TrellisClient,
  path: string,
  { options, onLog, signal }: Sending,
): Promise<PushedDefinitions> {
  const { files, packages } = await withPackages(path, new DefinitionsFolder(path).files());
  const sentPackages = packages.map(summaryOf);
  for (const one of sentPackages) onLog(packageInWords(one));
  const events = client.definitions.import(await packed(files), options, { signal });
  return { ...(await resultOf(events, onLog)), packages: sentPackages };
}

/** What an import, or a rollback, comes to. */
export async function resultOf(
  events: AsyncIterable<ImportEvent>,
  onLog: (text: string) => void,
): Promise<DefinitionsImport> {
  for await (const event of events) {
    if (event.kind === 'log') onLog(event.text);
    else return event.result;
  }
  throw new CommandFailure('The server told no result');
}

/** Tells what was done, or would be. Answers the exit code. */
export function tellResult({ output }: CommandContext, result: DefinitionsImport): number {
  const { created, changed, deleted, unchanged, failed } = result.totals;
  output.note(
    `${result.applied ? '' : 'Nothing was changed. '}Created ${created}, changed ${changed}, deleted ${deleted}, ` +
      `unchanged ${unchanged}, failed ${failed}.`,
  );
  if (result.deploymentId !== null) output.note(`Deployment ${result.deploymentId}.`);
  return failed === 0 ? EXIT_GOOD : EXIT_FAILED;
}

/** What a push would do to the schema, which is never more than to add and to widen. */
async function schemaSteps(
  { client, terminal }: CommandContext,
  path: string,
): Promise<SchemaDifference[]> {
  const files = new DefinitionsFolder(path).files();
  const wanted = files.get(SCHEMA_FILE);
  // They are told by names, which renames change first.
  if (wanted === undefined || files.has(RENAMES_FILE)) return [];
  const zip = await client.definitions.export({ signal: terminal.signal });
  const present = (await unpacked(await buffer(zip))).get(SCHEMA_FILE);
  const [before, after] = [present ?? '{"nodes": [], "edges": []}', wanted].map((text) =>
    schemaDocument.safeParse(jsonIn(String(text))),
  );
  // What is wrong with it the import tells.
  if (before?.success !== true || after?.success !== true) return [];
  return diffSchemas(before.data, after.data).filter(({ kind }) => kind !== 'missing');
}

function jsonIn(text: string): unknown {
  try {
    return { nodes: [], edges: [], ...(JSON.parse(text) as object) };
  } catch {
    return undefined;
  }
}

function inWords({ kind, name, action, diagnostics, error }: ImportedItem): string {
  const faults = diagnostics.map(({ line, message }) => `\n  ${line ?? ''} ${harmless(message)}`);
  const why = error === null ? '' : `: ${harmless(error.message)}`;
  return `${action} ${kind} ${harmless(name)}${why}${faults.join('')}`;
}

function shown(text: string): string {
  return text.split('\n').map(harmless).join('\n');
}
