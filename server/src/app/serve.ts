import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { isRestoreUnfinished } from '#backup/restore-mark.ts';
import { systemClock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { Config, Secrets } from '#config/config.ts';
import { ConfigError, type Environment } from '#config/config-error.ts';
import { readTelemetry } from '#observe/telemetry/telemetry-variables.ts';
import { createRedactor, type Log, type Logger, openLog } from '#observe/logger.ts';
import { LogFiles } from '#observe/logs/log-files.ts';
import { LogHistory } from '#observe/logs/log-history.ts';
import { settleRewrite } from '#store/care/settle-rewrite.ts';
import { isLicenseText } from '@trellis/contract/license.ts';
import { createStorageFolder, readSettings, type SettingSources } from './read-settings.ts';
import { startTelemetry } from './telemetry/start-telemetry.ts';
import { keepReleasingIdleHeap } from './threads/idle-heap.ts';
import type { Workspace, WorkspaceOptions } from './workspace.ts';

/** EX_CONFIG of sysexits (open-shapes, section 1). */
const EXIT_CONFIGURATION = 78;
const EXIT_FAILED = 1;
/** 0xDEAD, of which Linux keeps 173 (specification, section 7). */
const EXIT_REPLICA_FAILED = 57_005;

/**
 * The logs of the server, and of the channel to replicas (specification, section 2.9), below the
 * folder for logs.
 */
const LOGS = [
  { name: 'trellis', folder: '', origin: undefined },
  { name: 'replication', folder: 'replication', origin: 'replication' },
] as const;

/** Faults of the configuration that only the store can tell. */
const CONFIGURATION_PROBLEMS: ReadonlySet<string> = new Set([
  'wrong_master_key',
  'missing_master_key',
  'store_not_encrypted',
  'front_end_unreadable',
]);

/**
 * One process, by its settings, until SIGTERM or SIGINT: `trellis serve`. `interrupted` tells of
 * one that came while the program was loaded. Resolves with the exit code. One line goes to stdout,
 * once it can answer; logs and what a person should read go to stderr.
 */
export async function serve(
  env: Environment,
  sources: SettingSources = {},
  interrupted?: AbortSignal,
): Promise<number> {
  let read: ReturnType<typeof readSettings>;
  try {
    read = readSettings(env, sources);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return EXIT_CONFIGURATION;
  }
  const { config, secrets } = read;
  const wanted = readTelemetry(read.env);
  const { level } = config.log;
  // The working directory changes, and there is a new file every day.
  const folder = config.log.folder === null ? null : resolve(config.log.folder);
  const history = new LogHistory({
    clock: systemClock,
    files: folder === null ? undefined : new LogFiles(folder, LOGS),
  });
  const hidden = [...secretTexts(secrets), ...wanted.secrets];
  const logOptions = { level, secrets: hidden, clock: systemClock, history };
  const [log, replicationLog] = LOGS.map(({ name, origin, folder: below }) =>
    openLog({ ...logOptions, name, origin, folder: folder && join(folder, below) }),
  ) as [Log, Log];
  for (const warning of [...read.warnings, ...wanted.warnings]) log.logger.warn(warning);
  tuneGarbageCollection();
  keepReleasingIdleHeap();
  try {
    const startFolder = process.cwd();
    const storage = createStorageFolder(config.storageFolder);
    settleStorage(storage, log.logger);
    await refuseUnfinishedRestore(storage);
    isolateProcess();
    // Goes last: what the others do to their end is told of as well.
    await using telemetry = await startTelemetry(wanted, log.logger, startFolder);
    const stopped = stopSignal(config.preview !== null);
    if (interrupted?.aborted === true) {
      log.logger.info('interrupted before it began: stopping');
      return 0;
    }
    await using workspace = await open(roleOf(config), {
      storage,
      startFolder,
      config,
      secrets,
      logger: log.logger,
      replicationLogger: replicationLog.logger,
      telemetry,
      redact: createRedactor(logOptions.secrets),
      logs: history,
      areLogsWritten: () => log.isWritten() && replicationLog.isWritten(),
    });
    return await runUntil(stopped, workspace, log.logger);
  } catch (error) {
    return startFailure(error, log.logger, config.role);
  } finally {
    await Promise.all([log.close(), replicationLog.close()]);
  }
}

/** The workspace of a backup is not whole before its restore is. */
async function refuseUnfinishedRestore(storage: string): Promise<void> {
  if (!(await isRestoreUnfinished(storage))) return;
  throw new Problem('restore_unfinished', `a restore into ${storage} was not finished`, {
    hint: 'Run the same `trellis restore` again, or empty the folder.',
  });
}

/**
 * A rewrite of the store that was cut short comes to its end before anybody opens it
 * (`trellis storage`).
 */
function settleStorage(storage: string, logger: Logger): void {
  const settled = settleRewrite(storage);
  if (settled === 'nothing') return;
  logger.warn(`a rewrite of the store had been cut short: it is ${settled} now`);
}

/**
 * Only here the program is loaded that the role needs: the threads that it begins with load theirs
 * meanwhile.
 */
async function open(
  role: Workspace['role'] | 'member',
  options: WorkspaceOptions,
): Promise<Workspace> {
  if (role === 'member') return (await import('./member/open-member.ts')).openMember(options);
  if (role === 'replica') return (await import('./replica.ts')).openReplica(options);
  return (await import('./primary.ts')).openPrimary(options);
}

function roleOf({ role, member }: Config): Workspace['role'] | 'member' {
  return member === null ? role : 'member';
}

/** Texts that no line of the log may show. */
function secretTexts({ license, sharedLog, ...others }: Secrets): string[] {
  // The path of a license is no secret, and may well be a word that lines are full of.
  const texts = [...Object.values(others), isLicenseText(license ?? '') ? license : null];
  // Hosts and names of it are no secret.
  const password = /^\w+:\/\/[^/?#@]*?:([^@/?#]+)@/.exec(sharedLog ?? '')?.[1];
  if (password !== undefined) texts.push(password, safelyDecoded(password));
  return texts.filter((text) => text !== null);
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function runUntil(
  stopped: Promise<string>,
  workspace: Workspace,
  logger: Logger,
): Promise<number> {
  const ready = workspace.makeReady().then(() => {
    const { url, role, uid } = workspace;
    process.stdout.write(`${JSON.stringify({ event: 'ready', url, role, uid })}\n`);
  });
  const ended = await Promise.race([stopped, workspace.crashed, ready.then(() => null)]);
  const reason = ended ?? (await Promise.race([stopped, workspace.crashed]));
  if (reason instanceof Error) {
    if (workspace.role === 'replica') throw reason;
    logger.fatal({ err: reason }, 'the writer has ended: the process stops');
    return EXIT_FAILED;
  }
  logger.info(`${reason}: stopping`);
  return 0;
}

/** The exit code, and what people read, of a failed start, or of what ends a replica later. */
function startFailure(error: unknown, logger: Logger, role: Workspace['role']): number {
  const failed = role === 'replica' ? EXIT_REPLICA_FAILED : EXIT_FAILED;
  if (!(error instanceof Problem)) {
    logger.fatal({ err: error }, 'the server failed');
    return failed;
  }
  logger.fatal({ code: error.code, details: error.details }, error.message);
  process.stderr.write(`${error.message}\n${error.hint === undefined ? '' : `${error.hint}\n`}`);
  return CONFIGURATION_PROBLEMS.has(error.code) ? EXIT_CONFIGURATION : failed;
}

/**
 * Resolves with the first SIGTERM or SIGINT; later ones change nothing, the stop is bounded in time
 * by itself. A preview also ends when its stdin does, which is when the command that started it has
 * ended, however that was.
 */
function stopSignal(endsWithStdin: boolean): Promise<string> {
  const received = Promise.withResolvers<string>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => received.resolve(signal));
  }
  if (endsWithStdin) {
    process.stdin.once('close', () => received.resolve('end of stdin'));
    // It keeps no process from ending.
    process.stdin.resume().unref();
  }
  return received.promise;
}

/**
 * Under load every collection of young objects finds the few requests that are under way. V8
 * concludes that what they are made of lives long and allocates it among the old objects from then
 * on, where each of them keeps alive what it points to, until the next full collection: at 30,000
 * calls a second, a tenth of the main thread went into copying what was dead (decision 0007). So
 * everything is born young.
 */
function tuneGarbageCollection(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * A worker under Node's permission model may read everything below the working directory of the
 * process, and `process.report` in any thread shows the environment. So before the first worker
 * starts, the working directory becomes an empty folder for good, and the settings, secrets among
 * them, leave the environment (decision 0004).
 */
function isolateProcess(): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('MSK_') || name.startsWith('OTEL_')) delete process.env[name];
  }
  const folder = mkdtempSync(join(tmpdir(), 'trellis-'));
  process.chdir(folder);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
