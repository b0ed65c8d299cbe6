import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { systemClock } from '#base/clock.ts';
import type { Config, Secrets } from '#config/config.ts';
import { HEALTH_ADVICE } from '@trellis/contract/health-advice.ts';
import { ConfigError, type Environment } from '#config/config-error.ts';
import { DatabaseFault } from '#log/postgres/log-database.ts';
import { MemberRegistry } from '#log/postgres/member-registry.ts';
import { STORE_FILE } from '#store/master-key.ts';
import {
  checkClock,
  checkDisk,
  checkFolder,
  checkFormat,
  checkMasterKey,
  checkRights,
  type Finding,
  findingsOf,
  isInUse,
} from './doctor/storage-checks.ts';
import { licenseReporter } from './license.ts';
import { addressOf } from './writer/shared-log.ts';
import { readSettings, type SettingSources } from './read-settings.ts';

/**
 * Looks at everything on this machine that a server with these variables depends on; changes
 * nothing. For `trellis doctor`, which asks the server itself besides.
 */
export async function examine(env: Environment, sources: SettingSources = {}): Promise<Finding[]> {
  const { ok, warning, wrong } = findingsOf('configuration');
  let read: ReturnType<typeof readSettings>;
  try {
    read = readSettings(env, sources);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map(({ variable, problem, remedy }) =>
      wrong(`${variable} ${problem}.`, remedy),
    );
  }
  const { config, secrets, warnings } = read;
  return [
    ...(warnings.length === 0 ? [ok('Every setting is good.')] : []),
    ...warnings.map((text) => warning(text, 'See "trellis serve --help".')),
    ...(await examineStorage(config, secrets)),
    ...(await examinePorts(config, secrets)),
    ...(await examineSharedLog(config, secrets)),
    examineLicense(config, secrets),
  ];
}

async function examineStorage(config: Config, secrets: Secrets): Promise<Finding[]> {
  const storage = resolve(config.storageFolder);
  const findings = [
    await checkFolder('storage', storage, 'MSK_GRAPH_STORAGE'),
    await checkDisk(storage),
    await checkClock(storage, systemClock.now()),
  ];
  if (existsSync(join(storage, STORE_FILE))) {
    findings.push(await checkRights(storage));
    findings.push(checkMasterKey(storage, secrets.graphMasterKey ?? undefined));
    findings.push(checkFormat(storage));
  }
  const { target } = config.backup;
  const folders = [
    ['logs', config.log.folder, 'MSK_LOG_PATH'],
    ['backups', target?.kind === 'folder' ? target.folder : null, 'MSK_GRAPH_BACKUP_FOLDER'],
  ] as const;
  for (const [check, folder, variable] of folders) {
    if (folder !== null) findings.push(await checkFolder(check, resolve(folder), variable));
  }
  return findings;
}

async function examinePorts(config: Config, { jwtKey }: Secrets): Promise<Finding[]> {
  const isRunning = isInUse(resolve(config.storageFolder));
  const { host, port } = config.http;
  const ports = [{ variable: 'MSK_PORT', host, port }];
  if (config.role === 'primary' && jwtKey !== null) {
    ports.push({ variable: 'MSK_REPLICATION_PORT', ...config.replication });
  }
  return Promise.all(ports.map((one) => examinePort(one, isRunning)));
}

/** Of a member: whether PostgreSQL answers, and waits for a standby. */
async function examineSharedLog(config: Config, { sharedLog }: Secrets): Promise<Finding[]> {
  if (sharedLog === null || config.member === null) return [];
  const { ok, warning, wrong } = findingsOf('log');
  const place = { url: sharedLog, workspace: config.member.workspace };
  await using registry = new MemberRegistry(addressOf(place), place.workspace);
  try {
    if (await registry.isSynchronous()) return [ok('PostgreSQL waits for a standby.')];
    const { meaning, remedy } = HEALTH_ADVICE.no_standby;
    return [warning(meaning, remedy)];
  } catch (error) {
    if (!(error instanceof DatabaseFault)) throw error;
    const { remedy } = HEALTH_ADVICE.log_not_reached;
    return [wrong(`PostgreSQL does not answer: ${error.message}.`, remedy)];
  }
}

async function examinePort(
  { variable, host, port }: { variable: string; host: string; port: number },
  isRunning: boolean,
): Promise<Finding> {
  const { ok, wrong } = findingsOf('ports');
  const server = createServer();
  try {
    server.listen({ host, port });
    await once(server, 'listening');
    server.close();
    return ok(`${variable}: ${host}:${port} can be listened on.`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'EADDRINUSE' && isRunning) {
      return ok(
        `${variable}: ${host}:${port} is taken, and the server of the storage folder runs.`,
      );
    }
    const remedy =
      code === 'EADDRINUSE'
        ? `Stop what listens there, or set ${variable} to another port.`
        : `Set ${variable} to a port from 1024 on, and MSK_HOST to an address of this machine.`;
    return wrong(`${variable}: ${host}:${port} cannot be listened on (${code}).`, remedy);
  }
}

function examineLicense(config: Config, { license }: Secrets): Finding {
  const { ok, wrong } = findingsOf('license');
  const { licensePublicKey: publicKey } = config;
  const report = licenseReporter({ license, publicKey, folder: process.cwd() }, systemClock)();
  if (report.licensed && !report.valid) {
    return wrong(`It is not good: ${report.reason}.`, 'Set MSK_LICENSE to a license that is good.');
  }
  if (config.role === 'replica' && !report.features.includes('Replicas')) {
    return wrong(
      'There is none for replicas.',
      'Set MSK_LICENSE to a license with the feature Replicas.',
    );
  }
  return ok(report.licensed ? `It is good until ${report.expiresAt}.` : 'None is needed here.');
}
