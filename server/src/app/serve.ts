import { Problem } from '#base/problem.ts';
import { systemClock } from '#base/clock.ts';
import { ConfigError } from '#config/config-error.ts';
import { readConfig, type Environment } from '#config/read-config.ts';
import { openLog, type Logger } from '#observe/logger.ts';
import { tuneGarbageCollection } from './garbage-collection.ts';
import { isolateProcess } from './process-isolation.ts';
import { stopSignal } from './stop-signals.ts';
import { createStorageFolder } from './storage-folder.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

/** EX_CONFIG of sysexits (open-shapes, section 1). */
const EXIT_CONFIGURATION = 78;
const EXIT_FAILED = 1;

/** Faults of the configuration that only the store can tell. */
const CONFIGURATION_PROBLEMS: ReadonlySet<string> = new Set([
  'wrong_master_key',
  'missing_master_key',
  'store_not_encrypted',
]);

/**
 * One process, by its `MSK_*` variables, until SIGTERM or SIGINT: `trellis serve`. Resolves with the exit code. One line goes to
 * stdout, once it can answer; logs and what a person should read go to stderr.
 */
export async function serve(env: Environment): Promise<number> {
  let read: ReturnType<typeof readConfig>;
  try {
    read = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return EXIT_CONFIGURATION;
  }
  const { config, secrets, warnings } = read;
  const log = openLog({
    level: config.log.level,
    folder: config.log.folder,
    name: 'trellis',
    secrets: Object.values(secrets).filter((secret) => secret !== null),
    clock: systemClock,
  });
  for (const warning of warnings) log.logger.warn(warning);
  tuneGarbageCollection();
  try {
    const storage = createStorageFolder(config.storageFolder);
    isolateProcess();
    const stopped = stopSignal();
    await using workspace = await openWorkspace({ storage, config, secrets, logger: log.logger });
    return await runUntil(stopped, workspace, log.logger);
  } catch (error) {
    return startFailure(error, log.logger);
  } finally {
    await log.close();
  }
}

async function runUntil(
  stopped: Promise<NodeJS.Signals>,
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
    logger.fatal({ err: reason }, 'the writer has ended: the process stops');
    return EXIT_FAILED;
  }
  logger.info(`${reason}: stopping`);
  return 0;
}

function startFailure(error: unknown, logger: Logger): number {
  if (!(error instanceof Problem)) {
    logger.fatal({ err: error }, 'the start failed');
    return EXIT_FAILED;
  }
  logger.fatal({ code: error.code, details: error.details }, error.message);
  process.stderr.write(`${error.message}\n${error.hint === undefined ? '' : `${error.hint}\n`}`);
  return CONFIGURATION_PROBLEMS.has(error.code) ? EXIT_CONFIGURATION : EXIT_FAILED;
}
