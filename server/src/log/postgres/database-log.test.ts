import { randomBytes } from 'node:crypto';
import { chownSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../../test/support/postgres-server.ts';
import { requirePostgres } from '../../../../test/support/requires.ts';
import { commitLogConformance } from '../testing/conformance.ts';
import type { LogMedium } from '../testing/log-engine.ts';
import { smallVolume, whyNoSmallVolume } from '../testing/temporary-folder.ts';
import { Workspaces } from './testing/postgres-workspaces.ts';

describe.skipIf(requirePostgres())('PostgreSQL itself', () => {
  let server: PostgresServer;
  const workspaces = new Workspaces(() => server);
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const encryptionKey = randomBytes(32);
  commitLogConformance('PostgreSQL log', {
    createMedium: async () => workspaces.medium(),
    createSmallMedium: async (bytes) => onSmallVolume(server, workspaces.medium(), bytes),
    whyNoSmallMedium: whyNoSmallVolume(),
  });
  commitLogConformance('PostgreSQL log, encrypted', {
    createMedium: async () => workspaces.medium(encryptionKey),
    createSmallMedium: async (bytes) =>
      onSmallVolume(server, workspaces.medium(encryptionKey), bytes),
    whyNoSmallMedium: whyNoSmallVolume(),
  });
});

let tablespaces = 0;

/** New tables are made on a volume of this size. */
async function onSmallVolume(
  server: PostgresServer,
  medium: LogMedium,
  bytes: number,
): Promise<LogMedium> {
  const volume = await smallVolume(bytes);
  const { uid, gid } = statSync(server.folder);
  chownSync(volume.path, uid, gid);
  const name = `small_${++tablespaces}`;
  await server.query(`create tablespace ${name} location '${volume.path}'`);
  await server.query(`alter database postgres set default_tablespace = ${name}`);
  return {
    open: (settings) => medium.open(settings),
    [Symbol.asyncDispose]: async () => {
      await server.query('alter database postgres reset default_tablespace');
      await medium[Symbol.asyncDispose]();
      await server.query(`drop tablespace ${name}`);
      await volume[Symbol.asyncDispose]();
    },
  };
}
