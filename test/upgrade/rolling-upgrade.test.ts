import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { must } from '../../server/src/base/assert.ts';
import { JWT_KEY } from '../cluster/cluster.ts';
import { type MemberNode, Members } from '../cluster/members.ts';
import { runTrellis } from '../support/command-line.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { requirePostgres } from '../support/requires.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { readWorkspace, type Recorded } from './kept-workspace.ts';

const STORE = join(import.meta.dirname, 'stores/26.11.0-before-history.tar.gz');
const NAMES = ['one', 'two', 'three'];
/** A takeover of a busy machine takes longer than people wait. */
const PATIENT = { retryAfterMsMax: 600_000 };
const WRITES = 20;
const COUNT = `export default async ({ q }: Scope<{}>) => q().startAt('Author').count();`;

/** Writes one author after the other, until stopped. Each write is acknowledged, or was cut off. */
class Writing {
  readonly written: string[] = [];
  readonly #client: TrellisClient;
  readonly #running: Promise<void>;
  #isStopping = false;
  #tell = (): void => undefined;

  constructor(client: TrellisClient) {
    this.#client = client;
    this.#running = this.#run();
    this.#running.catch(() => undefined);
  }

  async goesOn(): Promise<void> {
    const until = this.written.length + WRITES;
    while (this.written.length < until) {
      await Promise.race([new Promise<void>((resolve) => (this.#tell = resolve)), this.#running]);
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    let sequence = 0;
    for (let number = 1; !this.#isStopping; number++) {
      const key = `Author ${number}`;
      await this.#write(key);
      expect(this.#client.lastWriteSequence).toBeGreaterThan(sequence);
      sequence = this.#client.lastWriteSequence;
      this.written.push(key);
      this.#tell();
    }
  }

  async #write(key: string): Promise<void> {
    const operations = [
      { op: 'addOrUpdate' as const, type: 'Author', key, fields: { Born: 1900 } },
    ];
    for (;;) {
      try {
        await this.#client.graph.ingest(operations);
        return;
      } catch (error) {
        // No answer came; every other answer would be a wrong one.
        expect(error).toMatchObject({ code: 'connection_failed' });
      }
    }
  }
}

test.skipIf(requirePostgres())(
  'members go over to this version one after the other, with what an earlier one has stored',
  async () => {
    await using folder = await temporaryFolder();
    await using postgres = await startPostgres();
    execFileSync('tar', ['-xzf', STORE, '-C', folder.path]);
    const storageOf = (name: string): string => join(folder.path, name);
    const said: Recorded = JSON.parse(readFileSync(join(folder.path, 'said.json'), 'utf8'));
    const imported = await runTrellis(['cluster', 'import', storageOf('store')], {
      home: folder.path,
      server: '',
      env: { MSK_LOG: postgres.url, MSK_JWT_KEY: JWT_KEY },
    });
    expect(imported, imported.stderr).toMatchObject({ code: 0 });
    // Each member has what that version has stored, as before an update.
    for (const name of NAMES) cpSync(storageOf('store'), storageOf(name), { recursive: true });
    await using members = await Members.create(postgres.url);
    const nodes: MemberNode[] = [];
    for (const name of NAMES) {
      const node = await members.start(name, { MSK_GRAPH_STORAGE: storageOf(name) });
      await node.process.ready;
      nodes.push(node);
    }
    const [first] = nodes;
    const token = await must(first, 'a member').http.signIn();
    for (const { http } of nodes) {
      // A follower leaves some of it to the primary.
      const answers = Object.entries(await readWorkspace(http, token));
      expect(answers.map(([name]) => name)).toEqual(expect.arrayContaining(['endpoint runs']));
      for (const [name, answer] of answers) {
        if (name in said) expect({ [name]: answer }).toMatchObject({ [name]: said[name] });
      }
    }

    const [baseUrl = '', ...replicas] = nodes.map(({ address }) => address);
    const client = new TrellisClient({ baseUrl, replicas, token, retry: PATIENT });
    await client.endpoints.create({ name: 'authors', code: COUNT, isReadOnly: true });
    const count = async ({ http }: MemberNode): Promise<number> => {
      const headers = { 'x-msk-min-sequence': String(client.lastWriteSequence) };
      const path = '/api/endpoints/run/authors';
      return Number((await http.send({ path, headers, token, body: {} })).json);
    };
    const before = await count(must(first, 'a member'));
    const writing = new Writing(client);
    await writing.goesOn();
    const primary = await members.primaryBut();
    for (const node of nodes.filter((one) => one !== primary)) {
      await restart(node);
      await writing.goesOn();
    }
    await client.members.stepDown();
    expect(await members.primaryBut(primary)).not.toBe(primary);
    await restart(primary);
    await writing.goesOn();
    await writing.stop();
    for (const node of nodes) expect(await count(node)).toBe(before + writing.written.length);
  },
);

/** As systemd does. */
async function restart(node: MemberNode): Promise<void> {
  await node.process.stop();
  node.launch();
  await node.process.ready;
}
