import fc from 'fast-check';
import { expect } from 'vitest';
import { type Answer, field, type HttpClient } from './http-client.ts';
import { PASSWORD } from './people.ts';
import { type WatchEvent, WatchedEndpoint } from './watched-endpoint.ts';

/** Each round has its own. */
const KEYS = ['a', 'b', 'c'];
export const WATCHERS = ['admin', 'ann', 'bob'] as const;
export type Watcher = (typeof WATCHERS)[number];
const USERS = ['ann', 'bob'] as const;

/** A change of the graph, or of who may see it. */
export type BookChange =
  | { readonly do: 'put'; readonly key: string; readonly shelf: string; readonly pages: number }
  | { readonly do: 'delete' | 'unrestrict' | 'restrictToTeam'; readonly key: string }
  | { readonly do: 'link' | 'unlink'; readonly key: string; readonly to: string }
  | { readonly do: 'restrict'; readonly key: string; readonly person: string }
  | { readonly do: 'join' | 'leave'; readonly person: string };

const key = fc.constantFrom(...KEYS);
const person = fc.constantFrom(...USERS);

export const anyBookChange: fc.Arbitrary<BookChange> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      key,
      shelf: fc.constantFrom('low', 'high'),
      pages: fc.nat(3),
    }),
  },
  fc.record({ do: fc.constantFrom('delete', 'unrestrict', 'restrictToTeam'), key }),
  fc.record({ do: fc.constantFrom('link', 'unlink'), key, to: key }),
  fc.record({ do: fc.constant('restrict' as const), key, person }),
  fc.record({ do: fc.constantFrom('join', 'leave'), person }),
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
const SCHEMA = {
  nodes: [
    {
      type: 'Book',
      key: 'Title',
      fields: { Shelf: 'String', Pages: 'Int' },
      indexes: [{ fields: ['Shelf'] }],
    },
  ],
  edges: [{ type: 'Cites' }],
};

/** A server, which may be away for a while. */
export interface BookServer {
  readonly address: string;
  readonly http: HttpClient;
}

/** A workspace with an endpoint that is watched, two users and a team. */
export class BookWorkspace {
  readonly tokens: Readonly<Record<Watcher, string>>;
  readonly #writer: () => HttpClient;
  readonly #uids: Readonly<Record<string, string>>;
  readonly #team: string;
  #sequence = 0;

  private constructor(
    writer: () => HttpClient,
    tokens: Readonly<Record<Watcher, string>>,
    { team, ...uids }: Readonly<Record<string, string>> & { readonly team: string },
  ) {
    this.tokens = tokens;
    this.#writer = writer;
    this.#uids = uids;
    this.#team = team;
  }

  /** `writer` is the primary of the moment. */
  static async prepare(writer: () => HttpClient): Promise<BookWorkspace> {
    const admin = await writer().signIn();
    const send = async (method: string, path: string, body: unknown): Promise<unknown> => {
      const { status, text, json } = await writer().send({ method, path, token: admin, body });
      expect([path, status < 300], text).toEqual([path, true]);
      return json;
    };
    const add = async (userName: string): Promise<string> => {
      const user = { userName, email: `${userName}@example.com`, password: PASSWORD };
      return field(await send('POST', '/api/users', user), 'UID');
    };
    const [ann, bob] = [await add('ann'), await add('bob')];
    const team = field(await send('PUT', '/api/groups/group', { name: 'readers' }), 'UID');
    await send('PUT', '/api/schema', SCHEMA);
    const endpoint = { name: 'books', code: CODE, isReadOnly: true };
    await send('POST', '/api/endpoints/create', endpoint);
    const tokens = {
      admin,
      ann: await writer().signIn('ann', PASSWORD),
      bob: await writer().signIn('bob', PASSWORD),
    };
    const workspace = new BookWorkspace(writer, tokens, { ann, bob, team });
    // What was made is known to whoever is asked for it from now on.
    await workspace.mark('begin');
    return workspace;
  }

  /** That of the newest change. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Changes every answer. */
  mark(round: string): Promise<void> {
    return this.carryOut({ do: 'put', key: 'mark', shelf: 'low', pages: 0 }, round);
  }

  /** What is not possible, such as an edge of a node that is not there, changes nothing. */
  async carryOut(change: BookChange, round: string): Promise<void> {
    const node = (name: string) => ({ type: 'Book', key: name + round });
    switch (change.do) {
      case 'put': {
        const fields = { Shelf: change.shelf + round, Pages: change.pages };
        return this.#write({ op: 'addOrUpdate', ...node(change.key), fields });
      }
      case 'delete':
        return this.#write({ op: 'delete', ...node(change.key) });
      case 'link':
      case 'unlink': {
        const ends = { from: node(change.key), edge: 'Cites', to: node(change.to) };
        return this.#write({ op: change.do, ...ends });
      }
      case 'restrict': {
        const user = { uid: this.#uids[change.person] };
        return this.#write({ op: 'restrict', node: node(change.key), user });
      }
      case 'restrictToTeam':
        return this.#write({
          op: 'restrict',
          node: node(change.key),
          team: { uid: this.#team },
        });
      case 'unrestrict':
        return this.#write({ op: 'unrestrict', node: node(change.key) });
      case 'join':
        return this.#member({ add: [this.#uids[change.person]] });
      case 'leave':
        return this.#member({ remove: [this.#uids[change.person]] });
    }
  }

  #write(operation: object): Promise<void> {
    return this.#change('POST', '/api/ingest', { operations: [operation] });
  }

  #member(users: object): Promise<void> {
    return this.#change('PUT', `/api/groups/group/${this.#team}/users`, users);
  }

  async #change(method: string, path: string, body: object): Promise<void> {
    const token = this.tokens.admin;
    const { status, text, headers } = await this.#writer().send({ method, path, token, body });
    if (status >= 500 || status === 303) throw new Error(`${path} answered ${status}: ${text}`);
    this.#sequence = Math.max(this.#sequence, Number(headers.get('x-msk-sequence')));
  }
}

interface Watched {
  server: BookServer;
  stream: WatchedEndpoint;
  last: unknown;
  id: string;
  /** Another server, or one that was killed, does not know what was said. */
  mayRepeat: boolean;
}

/** Everybody who watches the books of one round, at any server. */
export class BookWatchers implements AsyncDisposable {
  readonly #workspace: BookWorkspace;
  readonly #body: { readonly round: string };
  readonly #watched = new Map<Watcher, Watched>();
  /** How many answers were told. */
  told = 0;

  constructor(workspace: BookWorkspace, round: string) {
    this.#workspace = workspace;
    this.#body = { round };
  }

  async open(name: Watcher, server: BookServer): Promise<void> {
    const stream = await this.#open(name, server);
    this.#watched.set(name, { server, stream, last: undefined, id: '', mayRepeat: false });
  }

  whoIsAt(server: BookServer): Watcher[] {
    return WATCHERS.filter((name) => this.#watched.get(name)?.server === server);
  }

  /** Goes on at a server with the id that it has. */
  async goOn(name: Watcher, server: BookServer, isKnownThere: boolean): Promise<void> {
    const one = this.#watched.get(name);
    if (one === undefined) return;
    await one.stream[Symbol.asyncDispose]();
    one.stream = await this.#open(name, server, one.id);
    one.server = server;
    one.mayRepeat ||= !isKnownThere;
  }

  /** Each stream says the next thing exactly when polling does. */
  async compare(): Promise<void> {
    for (const [name, one] of this.#watched) {
      const value = await this.#poll(name, one.server);
      if (isSame(value, one.last)) continue;
      let event = await this.#next(name, one);
      if (one.mayRepeat && isSame(Object(event.data).value, one.last)) {
        event = await this.#next(name, one);
      }
      one.mayRepeat = false;
      expect([name, event]).toMatchObject([name, { event: 'value', data: { value } }]);
      Object.assign(one, { last: value, id: event.id });
      this.told++;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { stream } of this.#watched.values()) await stream[Symbol.asyncDispose]();
  }

  /** A server that changes its role ends its streams: they go on there as soon as it is back. */
  async #next(name: Watcher, one: Watched): Promise<WatchEvent> {
    for (;;) {
      const event = await one.stream.next().catch(() => undefined);
      const isEnd = Object(Object(event?.data).error).code === 'server_stopping';
      if (event !== undefined && !isEnd) return event;
      await this.goOn(name, one.server, false);
    }
  }

  #open(name: Watcher, { address, http }: BookServer, lastEventId?: string) {
    return whenThere(http, async () => {
      const stream = await WatchedEndpoint.open({
        url: address,
        token: this.#workspace.tokens[name],
        path: 'live/books',
        body: this.#body,
        lastEventId,
      });
      if (stream.response.status !== 200) await stream[Symbol.asyncDispose]();
      return stream;
    });
  }

  async #poll(name: Watcher, { http }: BookServer): Promise<unknown> {
    const { sequence, tokens } = this.#workspace;
    const asked = {
      path: '/api/endpoints/run/books',
      token: tokens[name],
      body: this.#body,
      headers: { 'x-msk-min-sequence': String(sequence) },
    };
    const answer = await whenThere(http, async () => {
      const { status, ...rest } = await http.send(asked);
      return { ...rest, response: { status } };
    });
    return answer.json;
  }
}

/** Asks until the server is there, and has what it is asked for. */
async function whenThere<T extends { readonly response: { readonly status: number } }>(
  http: HttpClient,
  ask: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (answer?.response.status === 200) return answer;
    await untilReady(http);
  }
}

async function untilReady(http: HttpClient): Promise<void> {
  await expect
    .poll(async (): Promise<Answer['status'] | undefined> => {
      const answer = await http.send({ path: '/health' }).catch(() => undefined);
      return answer?.status;
    })
    .toBe(200);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
