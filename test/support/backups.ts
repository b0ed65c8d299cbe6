import { expect } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import type { Backup } from '@trellis/contract/shapes/backup.ts';
import type { JobWithLog } from '@trellis/contract/shapes/job.ts';
import { runTrellis, type Outcome } from './command-line.ts';
import { HttpClient } from './http-client.ts';
import { temporaryFolder, TrellisProcess } from './trellis-process.ts';
import { LIBRARY_SCHEMA } from './workspace.ts';

/** A job as it is in the end. */
export async function endOf(client: TrellisClient, { id }: { readonly id: string }) {
  for await (const _event of client.jobs.watch(id));
  return await client.jobs.get(id);
}

/** Makes a backup, and answers it. */
export async function makeBackup(client: TrellisClient): Promise<Backup> {
  const job = await endOf(client, await client.backups.run());
  expect(job).toMatchObject({ kind: 'backup', state: 'succeeded', progress: 1 });
  const [newest] = (await client.backups.list()).items;
  return newest!;
}

export async function verified(client: TrellisClient, id: string): Promise<JobWithLog> {
  return await endOf(client, await client.backups.verify(id));
}

/** `trellis restore`, with those variables. */
export function restore(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return runTrellis(['restore', ...args], { home: '/nonexistent', server: '', env });
}

/** A workspace of books whose backups go to a folder beside it. */
export interface BackedUpLibrary extends AsyncDisposable {
  readonly server: TrellisProcess;
  readonly client: TrellisClient;
  readonly http: HttpClient;
  readonly token: string;
  readonly storage: string;
  readonly backups: string;
  /** For what is restored. */
  readonly scratch: string;
  addBooks(titles: readonly string[]): Promise<void>;
}

export async function startLibrary(
  env: Readonly<Record<string, string>> = {},
): Promise<BackedUpLibrary> {
  const folder = await temporaryFolder();
  const storage = `${folder.path}/data`;
  const backups = `${folder.path}/backups`;
  const server = await TrellisProcess.start({
    storage,
    env: { MSK_GRAPH_BACKUP_FOLDER: backups, ...env },
  });
  const http = new HttpClient(server.url);
  const token = await http.signIn();
  const client = new TrellisClient({ baseUrl: server.url, token });
  await client.schema.put(LIBRARY_SCHEMA as Parameters<TrellisClient['schema']['put']>[0]);
  return {
    server,
    client,
    http,
    token,
    storage,
    backups,
    scratch: `${folder.path}/restored`,
    addBooks: async (titles) => {
      const operations = titles.map((title) => ({
        op: 'addOrUpdate',
        type: 'Book',
        key: title.slice(0, 40),
        fields: { Title: title },
      }));
      const answer = await http.send({ path: '/api/ingest', token, body: { operations } });
      expect(answer.status).toBe(200);
    },
    [Symbol.asyncDispose]: async () => {
      await server.kill();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The titles in a storage folder, as a server that is started on it tells them. */
export async function titlesIn(
  storage: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  await using server = await TrellisProcess.start({ storage, env });
  const http = new HttpClient(server.url);
  const token = await http.signIn();
  const titles: string[] = [];
  for (;;) {
    // In pages, because not all large titles fit into one answer.
    const body = { type: 'Book', skip: titles.length, take: 20 };
    const answer = await http.send({ path: '/api/node/query', token, body });
    expect(answer.status).toBe(200);
    const { items } = answer.json as { readonly items: readonly { readonly Title: string }[] };
    if (items.length === 0) break;
    for (const { Title } of items) titles.push(Title);
  }
  expect(await server.stop()).toBe(0);
  return titles.toSorted();
}
