import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { Diagnostic, Remark } from '@trellis/contract/shapes/endpoint.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure, EXIT_FAILED, EXIT_GOOD, WrongUsage } from '../failure.ts';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import {
  type EndpointSettings,
  parseSettings,
  SettingsFault,
} from '@trellis/endpoint/settings-header.ts';

interface PushOptions {
  readonly name?: string;
  readonly readOnly?: boolean;
  readonly check?: boolean;
}

/** The result for one file; `--json` prints a list of these. */
export interface Pushed {
  readonly file: string;
  readonly name: string;
  readonly action: 'created' | 'changed' | 'checked' | 'refused';
  readonly compiles: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** Of code that compiles; none when it is not there. */
  readonly remarks?: readonly Remark[];
}

const SETTINGS_HELP = `
Write the settings of an endpoint as comments at the very top of its file, one on each line:
  // trellis: readOnly
  // trellis: description What it is for.
The settings are readOnly, runAsAdmin, mode (sync or pooling), access (users or admins), cacheSeconds, timeoutMs, maxConcurrent,
maxQueued, description. A line may also say when the server runs the endpoint, when models use it, or that they do not:
  // trellis: cron "0 6 * * *" Europe/Oslo
  // trellis: on created Ticket
  // trellis: tool "Finds a book by its title."
  // trellis: tool off`;

export function addEndpointPush(endpoint: Command, run: Run): void {
  endpoint
    .command('push')
    .description(
      'Creates or changes endpoints from files: one file, or every *.ts below a folder, named ' +
        'by its path below the folder. Code that does not compile is kept as a draft, and the ' +
        'exit code is 1.',
    )
    .argument('<path>', 'a file or a folder')
    .option('--name <name>', 'name of the endpoint, for a single file')
    .option('--read-only', 'make the endpoints read-only')
    .option('--check', 'compile only, change nothing')
    .addHelpText(
      'after',
      `${SETTINGS_HELP}

Examples:
  $ trellis endpoint push samples/wordnet/endpoints
  $ trellis endpoint push report.ts --name reports/monthly --read-only
  $ trellis endpoint push endpoints --check`,
    )
    .action(run(pushFiles));
  endpoint
    .command('check')
    .description('Compiles files against the live schema and changes nothing, like "push --check".')
    .argument('<path>', 'a file or a folder')
    .option('--read-only', 'compile as read-only')
    .addHelpText(
      'after',
      `${SETTINGS_HELP}\n\nExamples:\n  $ trellis endpoint check lookup-word.ts`,
    )
    .action(
      run((context, options: PushOptions, path: string) =>
        pushFiles(context, { ...options, check: true }, path),
      ),
    );
}

async function pushFiles(
  { client, output, terminal }: CommandContext,
  options: PushOptions,
  path: string,
): Promise<number> {
  const files = readEndpointFiles(path);
  if (options.name !== undefined && files.length !== 1) {
    throw new WrongUsage('--name is for a single file');
  }
  const results: Pushed[] = [];
  for (const file of files) {
    const settings =
      options.readOnly === true ? { ...file.settings, isReadOnly: true } : file.settings;
    const wanted = { ...file, name: options.name ?? file.name, settings };
    const push = options.check === true ? checkFile : pushFile;
    const pushed = await push(client, wanted, terminal.signal);
    output.note(pushedText(pushed));
    results.push(pushed);
  }
  output.data(results, '');
  return results.every(({ compiles }) => compiles) ? EXIT_GOOD : EXIT_FAILED;
}

export async function checkFile(
  client: TrellisClient,
  { path, name, code, settings }: EndpointFile,
  signal: AbortSignal,
): Promise<Pushed> {
  const draft = { code, isReadOnly: settings.isReadOnly ?? false };
  const { diagnostics, remarks } = await client.endpoints.check(draft, { signal });
  const compiles = diagnostics.length === 0;
  const checked = { file: path, name, action: 'checked', compiles, diagnostics } as const;
  return remarks === undefined ? checked : { ...checked, remarks };
}

export async function pushFile(
  client: TrellisClient,
  { path, name, code, settings }: EndpointFile,
  signal: AbortSignal,
): Promise<Pushed> {
  try {
    const { action, definition } = await createOrChange(
      client,
      { name, code, ...settings },
      signal,
    );
    const pushed = { file: path, action, ...definition };
    if (!definition.compiles || settings.isReadOnly === true) return pushed;
    const { remarks } = await client.endpoints.check({ code }, { signal });
    return remarks === undefined ? pushed : { ...pushed, remarks };
  } catch (error) {
    const diagnostics = notReadOnly(error);
    if (diagnostics === undefined) throw error;
    return { file: path, name, action: 'refused', compiles: false, diagnostics };
  }
}

async function createOrChange(
  client: TrellisClient,
  endpoint: Parameters<TrellisClient['endpoints']['create']>[0],
  signal: AbortSignal,
) {
  try {
    const { name, compiles, diagnostics } = await client.endpoints.put(endpoint.name, endpoint, {
      signal,
    });
    return { action: 'changed', definition: { name, compiles, diagnostics } } as const;
  } catch (error) {
    if (!(error instanceof TrellisError) || error.code !== 'endpoint_not_found') throw error;
  }
  const { name, compiles, diagnostics } = await client.endpoints.create(endpoint, { signal });
  return { action: 'created', definition: { name, compiles, diagnostics } } as const;
}

/**
 * The diagnostics when the server refuses to make an endpoint read-only. Then nothing was changed
 * (open-shapes, section 5).
 */
function notReadOnly(error: unknown): Diagnostic[] | undefined {
  if (!(error instanceof TrellisError) || error.code !== 'not_read_only') return undefined;
  const diagnostics = error.details?.['diagnostics'];
  return Array.isArray(diagnostics) ? (diagnostics as Diagnostic[]) : undefined;
}

export function pushedText({
  file,
  name,
  action,
  compiles,
  diagnostics,
  remarks = [],
}: Pushed): string {
  const verdict = compiles
    ? action
    : action === 'changed' || action === 'created'
      ? 'draft'
      : action;
  const lines = diagnostics.map(
    ({ line, column, code, message }) =>
      `${file}:${line}:${column}: ${message}${code === 0 ? '' : ` (TS${code})`}`,
  );
  const remarked = remarks.map(
    ({ line, column, severity, message }) => `${file}:${line}:${column}: ${severity}: ${message}`,
  );
  const summary = compiles ? `${name}: ${verdict}` : `${name}: does not compile (${verdict})`;
  return [...lines, ...remarked, summary].join('\n');
}

/** The code of an endpoint from a file, with the settings in its header. */
export interface EndpointFile {
  readonly path: string;
  readonly name: string;
  readonly code: string;
  readonly settings: EndpointSettings;
}

/**
 * The file, or all `*.ts` files in the folder and its subfolders. The name of an endpoint is the
 * path in the folder, without `.ts`.
 */
export function readEndpointFiles(path: string): EndpointFile[] {
  if (!statSync(path).isDirectory())
    return [readEndpointFile({ path, name: nameOf(basename(path)) })];
  return endpointFilesBelow(path).map(readEndpointFile);
}

/** Where the code of endpoints lies in a folder; hidden files and links are left out. */
export function endpointFilesBelow(folder: string): Pick<EndpointFile, 'path' | 'name'>[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isEndpointFile(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();
  if (files.length === 0) throw new CommandFailure(`there is no *.ts file below ${folder}`);
  return files.map((path) => ({ path, name: nameOf(relative(folder, path)) }));
}

function isEndpointFile(name: string): boolean {
  return /^[^.].*\.ts$/.test(name) && !/\.(?:d|test)\.ts$/.test(name);
}

function nameOf(file: string): string {
  return file.replace(/\.ts$/, '').replaceAll(sep, '/');
}

export function readEndpointFile({
  path,
  name,
}: Pick<EndpointFile, 'path' | 'name'>): EndpointFile {
  const code = readFileSync(path, 'utf8');
  try {
    return { path, name, code, settings: parseSettings(code) };
  } catch (error) {
    if (!(error instanceof SettingsFault)) throw error;
    throw new CommandFailure(`${path}:${error.line}: ${error.message}`);
  }
}
