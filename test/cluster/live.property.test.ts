import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { requirePostgres } from '../support/requires.ts';
import { scale, seed } from '../support/scale.ts';
import {
  anyBookChange,
  type BookChange,
  type BookServer,
  BookWatchers,
  BookWorkspace,
  type Watcher,
  WATCHERS,
} from '../support/watched-books.ts';
import { Cluster, type ClusterNode } from './cluster.ts';
import { type MemberNode, Members } from './members.ts';

type Step =
  | BookChange
  /** Somebody goes on at the other server, or connects again to the one where they are. */
  | { readonly do: 'move'; readonly person: Watcher }
  | { readonly do: 'reconnect'; readonly person: Watcher }
  /** `kill -9`: whoever is there goes on at the other one. */
  | { readonly do: 'kill'; readonly server: 0 | 1 };

const someone = fc.constantFrom(...WATCHERS);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: anyBookChange },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('move' as const), person: someone }) },
  fc.record({ do: fc.constant('reconnect' as const), person: someone }),
);
const anyKill = fc.record({
  do: fc.constant('kill' as const),
  server: fc.constantFrom(0 as const, 1 as const),
});

const WHOLE_MS = scale({ sample: 600_000, soak: 7_200_000 });

interface Pair {
  readonly servers: readonly [BookServer, BookServer];
  readonly books: BookWorkspace;
  /** Ends a server at once. */
  readonly kill: (server: BookServer) => Promise<void>;
  /** Has it back; resolves when changes are taken again. */
  readonly startAgain: (server: BookServer) => Promise<void>;
}

/** Random changes, moves and kills: each stream says what polling says, wherever it goes on. */
async function expectStreamsToBePolls({ servers, books, ...pair }: Pair, numRuns: number) {
  let rounds = 0;
  let told = 0;
  const otherThan = (server: BookServer): BookServer =>
    server === servers[0] ? servers[1] : servers[0];
  const run = fc.asyncProperty(
    fc.array(anyStep, { minLength: 8, maxLength: 12 }),
    fc.nat(8),
    anyKill,
    async (given, killedAt, kill) => {
      const round = String(++rounds);
      await using watchers = new BookWatchers(books, round);
      for (const [i, name] of WATCHERS.entries()) {
        await watchers.open(name, servers[i % 2] ?? servers[0]);
      }
      await watchers.compare();
      const placeOf = (name: Watcher): BookServer =>
        watchers.whoIsAt(servers[0]).includes(name) ? servers[0] : servers[1];
      for (const step of given.toSpliced(killedAt, 0, kill)) {
        if (step.do === 'move') {
          await watchers.goOn(step.person, otherThan(placeOf(step.person)), false);
        } else if (step.do === 'reconnect') {
          await watchers.goOn(step.person, placeOf(step.person), true);
        } else if (step.do === 'kill') {
          const killed = servers[step.server];
          await pair.kill(killed);
          for (const name of watchers.whoIsAt(killed)) {
            await watchers.goOn(name, otherThan(killed), false);
          }
          await watchers.compare();
          await pair.startAgain(killed);
        } else {
          await books.carryOut(step, round);
        }
        await watchers.compare();
      }
      // The next thing that is told is this, and nothing that was not polled.
      await books.mark(round);
      await watchers.compare();
      told += watchers.told;
    },
  );
  await fc.assert(run, { seed: seed(), numRuns });
  expect(told).toBeGreaterThan(2 * WATCHERS.length * rounds);
}

test(
  'a watch that moves between a primary and its replica says what polling says',
  async () => {
    await using cluster = await Cluster.create();
    const primary = await cluster.node('primary');
    await primary.startPrimary();
    const link = await cluster.link(primary);
    const replica = await cluster.node('replica');
    await replica.startReplica(link);
    const start = (node: ClusterNode) =>
      node === primary ? node.startPrimary() : node.startReplica(link);
    const nodeOf = (server: BookServer): ClusterNode => (server === primary ? primary : replica);
    await expectStreamsToBePolls(
      {
        servers: [primary, replica],
        books: await BookWorkspace.prepare(() => primary.http),
        kill: async (server) => void (await nodeOf(server).process.kill()),
        startAgain: async (server) => void (await start(nodeOf(server))),
      },
      scale({ sample: 2, soak: 100 }),
    );
  },
  WHOLE_MS,
);

describe.skipIf(requirePostgres())('members', () => {
  test(
    'a watch that moves between members says what polling says, whoever leads',
    async () => {
      await using postgres: PostgresServer = await startPostgres({ tcp: true });
      const log = `postgres://postgres@127.0.0.1:${postgres.port}/postgres`;
      await using members = await Members.create(log);
      const one = await members.start('one');
      await one.process.ready;
      const two = await members.start('two');
      await two.process.ready;
      let primary: MemberNode = one;
      const nodeOf = (server: BookServer): MemberNode => (server === one ? one : two);
      await expectStreamsToBePolls(
        {
          servers: [one, two],
          books: await BookWorkspace.prepare(() => primary.http),
          kill: async (server) => {
            await nodeOf(server).process.kill();
            primary = await members.primaryBut(nodeOf(server));
          },
          startAgain: async (server) => {
            nodeOf(server).launch();
            await nodeOf(server).process.ready;
          },
        },
        scale({ sample: 1, soak: 100 }),
      );
    },
    WHOLE_MS,
  );
});
