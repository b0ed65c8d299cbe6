import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { People } from '../support/people.ts';
import { scale, seed } from '../support/scale.ts';
import { WatchedEndpoint } from '../support/watched-endpoint.ts';

/** Each round has its own. */
const KEYS = ['a', 'b', 'c'];
const NAMES = ['admin', 'ann', 'bob'] as const;
const key = fc.constantFrom(...KEYS);
const person = fc.constantFrom('ann', 'bob');

type Step =
  | { readonly do: 'put'; readonly key: string; readonly shelf: string; readonly pages: number }
  | { readonly do: 'delete' | 'unrestrict'; readonly key: string }
  | { readonly do: 'link' | 'unlink'; readonly key: string; readonly to: string }
  | { readonly do: 'restrict'; readonly key: string; readonly person: string }
  | { readonly do: 'join' | 'leave' | 'reconnect'; readonly person: string }
  | { readonly do: 'restrictToTeam'; readonly key: string }
  | { readonly do: 'kill' };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      key,
      shelf: fc.constantFrom('low', 'high'),
      pages: fc.nat(3),
    }),
  },
  fc.record({ do: fc.constantFrom('delete' as const, 'unrestrict' as const), key }),
  fc.record({ do: fc.constantFrom('link' as const, 'unlink' as const), key, to: key }),
  fc.record({ do: fc.constant('restrict' as const), key, person }),
  fc.record({ do: fc.constant('restrictToTeam' as const), key }),
  fc.record({
    do: fc.constantFrom('join' as const, 'leave' as const, 'reconnect' as const),
    person,
  }),
);

const CODE = `export default async function ({ q, graph, body }: Scope<{ round: string }>) {
  const { round } = body;
  const shelf = await q().startWhere('Book', 'Shelf', '=', 'high' + round).asUser().nodes();
  const cited = await q().startAt('Book', 'a' + round).out('Book', 'Cites').asUser().nodes();
  const own = await graph.tryGet('Book', 'b' + round);
  const all = await q().startAt('Book').asUser().count();
  return [
    shelf.map(({ Title, Pages }) => [Title, Pages]).toSorted(),
    cited.map(({ Title }) => Title).toSorted(),
    own?.Pages ?? null,
    all,
  ];
}`;

const WHOLE_MS = scale({ sample: 300_000, soak: 3_600_000 });

test(
  'the stream of a watch is what polling after every commit gives',
  async () => {
    await using people = await People.start();
    await people.add('ann');
    await people.add('bob');
    const team = await people.addTeam('readers');
    const admin = new TrellisClient({
      baseUrl: people.workspace.server.url,
      token: people.token('admin'),
    });
    await admin.schema.put({
      nodes: [
        {
          type: 'Book',
          key: 'Title',
          fields: { Shelf: 'String', Pages: 'Int' },
          indexes: [{ fields: ['Shelf'] }],
        },
      ],
      edges: [{ type: 'Cites' }],
    });
    await admin.endpoints.create({ name: 'books', code: CODE, isReadOnly: true });
    const { url } = people.workspace.server;
    let rounds = 0;
    let changes = 0;

    const run = fc.asyncProperty(
      fc.array(anyStep, { minLength: 6, maxLength: 10 }),
      fc.nat(10),
      async (given, killedAt) => {
        const steps = given.toSpliced(killedAt, 0, { do: 'kill' });
        const round = String(++rounds);
        const body = { round };
        const watched = new Map<string, Watched>();
        const open = (name: string, lastEventId?: string) =>
          WatchedEndpoint.open({
            url,
            token: people.token(name),
            path: 'live/books',
            body,
            lastEventId,
          });
        const poll = async (name: string) =>
          (await people.as(name, 'POST', '/api/endpoints/run/books', body)).json;
        const reconnect = async (name: string): Promise<void> => {
          const one = watched.get(name);
          if (one === undefined) return;
          await one.stream[Symbol.asyncDispose]();
          one.stream = await open(name, one.id);
        };
        /** Each stream says the next thing exactly when polling does. */
        const compare = async (): Promise<void> => {
          for (const [name, one] of watched) {
            const value = await poll(name);
            if (isSame(value, one.last)) continue;
            let event = await one.stream.next();
            // A server that was killed does not know what it has said.
            if (one.mayRepeat && isSame(Object(event?.data).value, one.last)) {
              event = await one.stream.next();
            }
            one.mayRepeat = false;
            expect(event).toMatchObject({ event: 'value', data: { value } });
            Object.assign(one, { last: value, id: event?.id });
            changes++;
          }
        };
        try {
          for (const name of NAMES) {
            const stream = await open(name);
            watched.set(name, { stream, last: undefined, id: '', mayRepeat: false });
          }
          await compare();
          for (const one of steps) {
            if (one.do === 'reconnect') {
              await reconnect(one.person);
            } else if (one.do === 'kill') {
              await people.workspace.restart();
              for (const [name, killed] of watched) {
                await reconnect(name);
                killed.mayRepeat = true;
              }
            } else {
              await carryOut(one, { people, team, round });
            }
            await compare();
          }
        } finally {
          for (const { stream } of watched.values()) await stream[Symbol.asyncDispose]();
        }
      },
    );
    await fc.assert(run, { seed: seed(), numRuns: scale({ sample: 2, soak: 500 }) });
    // More than the first answer to each.
    expect(changes).toBeGreaterThan(NAMES.length * rounds);
  },
  WHOLE_MS,
);

interface Watched {
  stream: WatchedEndpoint;
  last: unknown;
  id: string;
  mayRepeat: boolean;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

interface Scene {
  readonly people: People;
  readonly team: string;
  readonly round: string;
}

/** What is not possible, such as an edge of a node that is not there, changes nothing. */
async function carryOut(
  step: Exclude<Step, { do: 'kill' }>,
  { people, team, round }: Scene,
): Promise<void> {
  const write = (operation: object) =>
    people.as('admin', 'POST', '/api/ingest', { operations: [operation] });
  const member = async (users: object): Promise<void> => {
    await people.as('admin', 'PUT', `/api/groups/group/${team}/users`, users);
  };
  const node = (name: string) => ({ type: 'Book', key: name + round });
  switch (step.do) {
    case 'put': {
      const fields = { Shelf: step.shelf + round, Pages: step.pages };
      await write({ op: 'addOrUpdate', ...node(step.key), fields });
      return;
    }
    case 'delete':
      await write({ op: 'delete', ...node(step.key) });
      return;
    case 'link':
    case 'unlink':
      await write({ op: step.do, from: node(step.key), edge: 'Cites', to: node(step.to) });
      return;
    case 'restrict':
      await write({ op: 'restrict', node: node(step.key), user: { uid: people.uid(step.person) } });
      return;
    case 'restrictToTeam':
      await write({ op: 'restrict', node: node(step.key), team: { uid: team } });
      return;
    case 'unrestrict':
      await write({ op: 'unrestrict', node: node(step.key) });
      return;
    case 'join':
      return member({ add: [people.uid(step.person)] });
    case 'leave':
      return member({ remove: [people.uid(step.person)] });
    case 'reconnect':
  }
}
