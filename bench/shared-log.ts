import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wordnetSchema } from '../samples/wordnet/schema.ts';
import { type OpenWriter, openWriter } from '../server/src/app/writer/open-writer.ts';
import { openSharedDatabase } from '../server/src/app/writer/shared-log.ts';
import { freePort } from '../test/cluster/free-port.ts';
import { PostgresPair } from '../tools/postgres-pair.ts';
import { type BenchServer, startServer } from './server.ts';

/** It is renewed. */
const LEASE_MS = 10_000;
const JWT_KEY = 'a key that all members of the bench share';

/** A PostgreSQL with the standby that it waits for, and members that have their log in it. */
export class SharedLog implements AsyncDisposable {
  readonly folder: string;
  readonly pair: PostgresPair;

  private constructor(folder: string, pair: PostgresPair) {
    this.folder = folder;
    this.pair = pair;
  }

  static async start(): Promise<SharedLog> {
    const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
    // The user of PostgreSQL has to get to its folder.
    await chmod(folder, 0o755);
    const ports = { first: await freePort(), second: await freePort() };
    const pair = await PostgresPair.start({ folder: join(folder, 'postgres'), ports });
    return new SharedLog(folder, pair);
  }

  /** Under a name that had a folder before, it goes on with that. */
  member(name: string, sample: 'wordnet' | 'none' = 'none'): Promise<BenchServer> {
    const settings = {
      MSK_LOG: this.pair.url,
      MSK_MEMBER: name,
      MSK_JWT_KEY: JWT_KEY,
      // That nobody is the primary is what is measured.
      MSK_LOG_LEVEL: 'error',
    };
    return startServer(join(this.folder, name), sample, { settings });
  }

  /** The writer of a workspace of its own, in this process, which holds its lease. */
  async writer(workspace: string): Promise<OpenWriter> {
    const place = { url: this.pair.url, workspace };
    await using database = await openSharedDatabase(place, null);
    const term = await database.takeLease(workspace, LEASE_MS);
    if (term === undefined) throw new Error('somebody else holds the lease');
    const shared = { ...place, lease: { term, holder: workspace } };
    const storage = join(this.folder, workspace);
    const writer = await openWriter(
      { storage, masterKey: null, lowMemory: false, shared },
      (note) => process.stderr.write(`${note}\n`),
    );
    await writer.graph.commit({ operations: [], schema: wordnetSchema });
    return writer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pair[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}
