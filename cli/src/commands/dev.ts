import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandContext, Run } from '../command-context.ts';
import { startDevServer } from '../dev/dev-server.ts';
import { ProjectPush } from '../dev/project-push.ts';
import { projectChanges } from '../dev/project-watch.ts';
import type { Tell } from '../terminal.ts';
import { CommandFailure, EXIT_FAILED, EXIT_GOOD, failureText, reportOf } from '../failure.ts';
import { endpointLineText } from './endpoint-logs.ts';

interface DevOptions {
  readonly port: string;
  readonly server?: string;
}

const PORT_DEFAULT = '8080';

export function addDev(program: Command, run: Run): void {
  program
    .command('dev')
    .summary('serve a folder, and send what is saved to the server')
    .description(
      'Runs a server of its own for a folder with a schema and endpoints (see "trellis init"), ' +
        'with its data in .trellis there. Sends the schema and each endpoint when you save it, ' +
        'and shows what does not compile, what types it wrote and what endpoints log, until ' +
        'Ctrl-C. With --server or TRELLIS_SERVER it uses that server, and your session there, ' +
        'and starts none. It deletes nothing from a server. The types for a program are written ' +
        'to src/workspace.ts, if that file is there.',
    )
    .argument('[folder]', 'where schema.json and endpoints/ are', '.')
    .option('--port <port>', 'port of the server that it starts, 0 for any free one', PORT_DEFAULT)
    .addHelpText(
      'after',
      `
Examples:
  $ trellis dev
  $ trellis dev books --port 0
  $ trellis dev books --server https://test.example.org`,
    )
    .action(run(develop));
}

async function develop(
  context: CommandContext,
  { port, server }: DevOptions,
  folder: string,
): Promise<number> {
  const { output, terminal } = context;
  if (!existsSync(join(folder, 'endpoints'))) {
    throw new CommandFailure(`${folder} has no folder "endpoints"`, {
      hint: `Make one with: trellis init ${folder}`,
    });
  }
  const tell: Tell = (event, text) => output.data(event, text);
  if (server !== undefined || Boolean(terminal.env['TRELLIS_SERVER'])) {
    await followFolder({ client: context.client, folder, tell, signal: terminal.signal });
    return EXIT_GOOD;
  }
  // The end of the server is the end of the command.
  const crashed = new AbortController();
  const signal = AbortSignal.any([terminal.signal, crashed.signal]);
  await using own = await startDevServer({ folder, port, env: terminal.env, tell, signal });
  void own.ended.then((code) => {
    if (terminal.signal.aborted) return;
    tell({ event: 'ended', code }, `The server has ended (exit code ${code}).`);
    crashed.abort();
  });
  const client = new TrellisClient({ baseUrl: own.url });
  const signIn = () => own.signIn(client);
  await signIn();
  await followFolder({ client, folder, tell, signal, signIn });
  return terminal.signal.aborted ? EXIT_GOOD : EXIT_FAILED;
}

interface Following {
  readonly client: TrellisClient;
  readonly folder: string;
  readonly tell: Tell;
  readonly signal: AbortSignal;
  /** When a session has ended; without it that is the end of the command. */
  readonly signIn?: () => Promise<void>;
}

/** Resolves when the signal aborts. */
async function followFolder(following: Following): Promise<void> {
  const { signal } = following;
  const failed = new AbortController();
  const either = { ...following, signal: AbortSignal.any([signal, failed.signal]) };
  try {
    await Promise.all([pushChanges(either), showLogs(either)]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    failed.abort();
  }
}

/** What is wrong in the folder is told, and mended there; the command goes on. */
async function pushChanges(following: Following): Promise<void> {
  const { client, folder, tell, signal } = following;
  const push = new ProjectPush(client, folder, tell);
  for await (const _change of projectChanges(folder, signal)) {
    try {
      await signedIn(following, () => push.run(signal));
    } catch (error) {
      if (signal.aborted || hasNoSession(error)) throw error;
      const failure = reportOf(error, client.baseUrl.href);
      tell({ event: 'failed', error: failure }, failureText(failure));
    }
  }
}

async function showLogs(following: Following): Promise<void> {
  const { client, tell, signal } = following;
  let after: number | undefined;
  while (!signal.aborted) {
    await signedIn(following, async () => {
      for await (const event of client.endpoints.watchLogs({}, { signal, after })) {
        if (event.kind !== 'line') continue;
        after = event.line.sequence;
        tell({ event: 'log', ...event.line }, endpointLineText(event.line));
      }
    });
  }
}

/** Tries again, once, with a new session. */
async function signedIn({ signIn }: Following, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!hasNoSession(error) || signIn === undefined) throw error;
    await signIn();
    await work();
  }
}

function hasNoSession(error: unknown): boolean {
  return error instanceof TrellisError && error.status === 401;
}
