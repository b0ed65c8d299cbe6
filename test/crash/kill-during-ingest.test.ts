import { expect, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { scale, seed } from '../support/scale.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { countBooks, createCounter } from './books.ts';
import { expectStateEqualsLog } from './rebuild-from-log.ts';

/** Operations of one request: each request is one atomic commit. */
const COMMIT = 200;
const SOAK_TIMEOUT_MS = 900_000;

test(
  'kill -9 in the middle of ingestion loses no acknowledged commit and applies none by half',
  async () => {
    const random = seededRandom(seed());
    await using folder = await temporaryFolder();
    let commitsSent = 0;
    let known = { at: 0, acknowledged: 0, sent: 0 };
    for (let round = 0; round < scale({ sample: 5, soak: 100 }); round++) {
      await using server = await TrellisProcess.start({ storage: folder.path });
      const http = new HttpClient(server.url);
      const token = await http.signIn();
      if (round === 0) {
        await http.send({ method: 'PUT', path: '/api/schema', token, body: LIBRARY_SCHEMA });
        await createCounter(http, token);
      }
      const counts = await countBooks(http, token);
      expect(counts.books % COMMIT, 'no commit is applied by half').toBe(0);
      expect(counts.authors, 'every book came with its author').toBe(counts.books);
      expect(counts.edges, 'and with its edge').toBe(counts.books);
      const commits = counts.books / COMMIT;
      expect(commits, 'acknowledged commits').toBeGreaterThanOrEqual(known.at + known.acknowledged);
      expect(commits, 'commits sent').toBeLessThanOrEqual(known.at + known.sent);
      const current = { at: commits, acknowledged: 0, sent: 0 };
      known = current;
      const killAt = 1 + Math.floor(random() * 12);
      const killed = Promise.withResolvers<void>();
      const sender = async (): Promise<void> => {
        for (;;) {
          current.sent++;
          const body = { operations: booksOf(commitsSent++) };
          const answer = await http.send({ path: '/api/ingest', token, body });
          if (answer.status !== 200) throw new Error(answer.text);
          if (++current.acknowledged === killAt) server.kill().then(killed.resolve, killed.reject);
        }
      };
      const ends = await Promise.allSettled(Array.from({ length: 4 }, sender));
      expect(ends).toHaveLength(4);
      await killed.promise;
    }
    await expectStateEqualsLog(folder.path);
  },
  SOAK_TIMEOUT_MS,
);

function booksOf(commit: number): unknown[] {
  return Array.from({ length: COMMIT }, (_, i) => i).flatMap((i) => {
    const key = `${commit}-${i}`;
    return [
      { op: 'addOrUpdate', type: 'Book', key, fields: { Title: `Book ${key}`, Pages: i } },
      { op: 'addOrUpdate', type: 'Author', key },
      { op: 'link', from: { type: 'Book', key }, edge: 'WrittenBy', to: { type: 'Author', key } },
      // So that histories of nodes are in what is compared.
      ...(i % 10 === 0 ? [{ op: 'update', type: 'Book', key, fields: { Pages: i + 1 } }] : []),
    ];
  });
}
