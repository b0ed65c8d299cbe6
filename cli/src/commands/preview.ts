import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { DefinitionsFolder } from '../definitions-folder.ts';
import { CommandFailure, EXIT_FAILED, EXIT_GOOD, WrongUsage } from '../failure.ts';
import { localWork } from '../local-work.ts';
import { OwnServer } from '../own-server.ts';
import { harmless, type Tell, type Terminal } from '../terminal.ts';
import { sendFolder, tellResult } from './definitions.ts';

interface PreviewOptions {
  readonly from?: string;
  readonly at?: string;
  readonly sample?: number;
  readonly empty?: boolean;
  readonly port: string;
  readonly mirror?: boolean;
  readonly open?: boolean;
  readonly keep?: boolean;
  readonly check?: boolean;
  readonly run?: string;
}

/** The server names it so: `PREVIEW_ADMINISTRATOR`. */
const USER = 'preview';

export function addPreview(program: Command, run: Run): void {
  program
    .command('preview')
    .summary('try a folder of definitions on a copy of the workspace')
    .description(
      'Restores the newest backup into a scratch folder, starts a server of its own for it, and ' +
        'pushes the definitions of a folder there: all of them, or none if one does not compile. ' +
        'It runs until Ctrl-C and removes the scratch folder. The workspace itself is left ' +
        'alone. In the copy nothing runs by itself: no schedule, no trigger, no webhook, no ' +
        'mail, no backup; and code and models reach nothing outside. Users sign in as in the workspace. ' +
        'An encrypted backup needs its MSK_GRAPH_MASTER_KEY.',
    )
    .argument('[folder]', 'folder of the definitions, as for "trellis push"', '.')
    .option('--from <target>', 'where the backups are (default: MSK_GRAPH_BACKUP_FOLDER)')
    .option('--at <point>', 'which backup, as for "trellis restore" (default: the newest)')
    .option(
      '--sample <n>',
      'keep at most <n> nodes of each type, with the edges between them',
      parseSample,
    )
    .addOption(
      new Option('--empty', 'begin without any data').conflicts(['from', 'at', 'sample', 'open']),
    )
    .option('--port <port>', 'port of the server, 0 for any free one', '0')
    .option('--mirror', 'also delete from the copy what the folder does not have')
    .option(
      '--open',
      'let code and models reach outside as the workspace allows it; its secrets are used if ' +
        'MSK_JWT_KEY, or the backup, has the key to them',
    )
    .option('--keep', 'leave the scratch folder')
    .option('--check', 'end after the push, with exit code 0 if everything compiles, else 1')
    .option(
      '--run <command>',
      'run a command of the shell with TRELLIS_SERVER and TRELLIS_TOKEN of the preview, and end ' +
        'with its exit code',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ trellis preview --from /srv/backups
  $ trellis preview books --from s3://backups/one --sample 1000 --port 9000
  $ trellis preview --empty --check
  $ trellis preview --sample 100 --run 'trellis endpoint run books-by "{}"'`,
    )
    .action(run(preview));
}

const SAMPLE_MAX = 1_000_000;

function parseSample(text: string): number {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= SAMPLE_MAX) return count;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${SAMPLE_MAX}.`);
}

async function preview(
  context: CommandContext,
  options: PreviewOptions,
  folder: string,
): Promise<number> {
  const { output, terminal } = context;
  const target = targetOf(options, terminal.env);
  // What is wrong with the folder itself is told at once.
  new DefinitionsFolder(folder).files();
  const tell: Tell = (event, text) => {
    // What a command of --run prints is the output then.
    if (output.isJson || options.run === undefined) output.data(event, text);
    else output.note(text);
  };
  const { ScratchFolder } = await import('@trellis/server/preview/scratch-folder.ts');
  using scratch = ScratchFolder.make();
  if (options.keep === true) scratch.keep();
  if (target !== undefined) await restoreInto(scratch.data, target, { context, options, tell });
  // The end of the server is the end of the command.
  const crashed = new AbortController();
  const signal = AbortSignal.any([terminal.signal, crashed.signal]);
  const password = randomBytes(18).toString('base64url');
  const account = { user: USER, password };
  const env = serverVariables(terminal.env, options);
  const { port } = options;
  const starting = { data: scratch.data, port, env, ...account, tell: noteOf(context), signal };
  await using server = await OwnServer.start(starting);
  void server.ended.then(() => crashed.abort(new CommandFailure('The server has ended.')));
  const client = new TrellisClient({ baseUrl: server.url });
  await server.signIn(client);
  if (!(await push(context, client, folder, options))) return EXIT_FAILED;
  if (options.run !== undefined) {
    return await runCommand(options.run, { url: server.url, token: client.token }, context, signal);
  }
  if (options.check === true) return EXIT_GOOD;
  const kept = options.keep === true ? 'leaves' : 'removes';
  tell(
    { event: 'ready', url: server.url, ...account, folder: scratch.path },
    `Preview at ${server.url}\n` +
      `Sign in as "${USER}" with the password ${password} (shown this once).\n` +
      `Ctrl-C ends it and ${kept} ${scratch.path}.`,
  );
  await aborted(signal);
  if (terminal.signal.aborted) return EXIT_GOOD;
  throw new CommandFailure('The server has ended.');
}

/** Undefined for an empty workspace. */
function targetOf({ empty, from }: PreviewOptions, env: Terminal['env']): string | undefined {
  if (empty === true) return undefined;
  const target = from ?? env['MSK_GRAPH_BACKUP_FOLDER'] ?? '';
  if (target.trim() !== '') return target;
  throw new WrongUsage(
    'It is not said which backups to take',
    'Name their place with --from or MSK_GRAPH_BACKUP_FOLDER, or begin with --empty.',
  );
}

interface Restoring {
  readonly context: CommandContext;
  readonly options: PreviewOptions;
  readonly tell: Tell;
}

async function restoreInto(
  to: string,
  from: string,
  { context, options, tell }: Restoring,
): Promise<void> {
  // Only here: no other command should have to load so much of the server.
  const { preparePreview } = await import('@trellis/server/preview/preview-data.ts');
  const { at, sample: nodesMax, open: usesSigningKey = false } = options;
  const { restored, sample = null } = await localWork(context, (progress) =>
    preparePreview(
      chosen(context.terminal.env, OF_SERVER, OF_BACKUPS),
      { from, at, to, nodesMax, usesSigningKey },
      progress,
    ),
  );
  const { id, createdAt, sequence } = restored;
  const kept = sample === null ? '' : ` Kept ${sample.kept} nodes, deleted ${sample.deleted}.`;
  tell(
    { event: 'restored', id, createdAt, sequence, sample },
    `Restored the backup ${id} of ${createdAt}.${kept}`,
  );
}

/** What the server of a preview may have of the environment: nothing that reaches outside. */
const OF_SERVER =
  /^(?:PATH|HOME|USER|TMPDIR|TEMP|SystemRoot|LANG|LC_\w+|TZ|MSK_GRAPH_MASTER_KEY|MSK_GRAPH_MEMORY|MSK_LOW_MEMORY|MSK_SEARCH_\w+|MSK_LOG_LEVEL)$/;
const OF_BACKUPS = /^MSK_GRAPH_BACKUP_S3_/;

function serverVariables(env: Terminal['env'], { open }: PreviewOptions): Terminal['env'] {
  const isOpen = open === true;
  return {
    ...chosen(env, OF_SERVER, ...(isOpen ? [/^MSK_JWT_KEY$/] : [])),
    TRELLIS_PREVIEW: isOpen ? 'open' : 'closed',
    // With MSK_JWT_KEY it would offer itself to replicas: at a port that nobody knows.
    MSK_REPLICATION_PORT: '0',
  };
}

function chosen(env: Terminal['env'], ...names: readonly RegExp[]): Terminal['env'] {
  const isChosen = (name: string): boolean => names.some((one) => one.test(name));
  return Object.fromEntries(Object.entries(env).filter(([name]) => isChosen(name)));
}

/** Whether it went well; tells what came of it in any case. */
async function push(
  context: CommandContext,
  client: TrellisClient,
  folder: string,
  { mirror = false }: PreviewOptions,
): Promise<boolean> {
  const { output, terminal } = context;
  const result = await sendFolder(client, folder, {
    options: { mirror },
    onLog: (text) => output.note(harmless(text)),
    signal: terminal.signal,
  });
  if (output.isJson) output.data({ event: 'pushed', result }, '');
  return tellResult(context, result) === EXIT_GOOD;
}

interface Preview {
  readonly url: string;
  readonly token: string | undefined;
}

/** Answers its exit code. */
async function runCommand(
  command: string,
  { url, token }: Preview,
  { terminal }: CommandContext,
  signal: AbortSignal,
): Promise<number> {
  const child = spawn(command, {
    shell: true,
    env: { ...terminal.env, TRELLIS_SERVER: url, TRELLIS_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  child.stdout.on('data', (bytes: Buffer) => terminal.stdout.write(String(bytes)));
  child.stderr.on('data', (bytes: Buffer) => terminal.stderr.write(String(bytes)));
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? EXIT_FAILED;
}

function noteOf({ output }: CommandContext): Tell {
  return (_event, text) => output.note(text);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
