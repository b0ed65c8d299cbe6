import { expect, it } from 'vitest';
import { type Told, watchOrAsk } from './page-watches.ts';
import { TrellisClient } from './trellis-client.ts';

type Answer = (path: string, signal: AbortSignal) => Response;

/** A client of a server that answers so, and what it was asked. */
function clientOf(answer: Answer) {
  const paths: string[] = [];
  const client = new TrellisClient({
    baseUrl: 'http://localhost',
    token: 't',
    retry: { pauseMs: 1 },
    fetch: async (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : String(input));
      paths.push(pathname.replace('/api/endpoints/', ''));
      return answer(pathname, init?.signal ?? new AbortController().signal);
    },
  });
  return { client, paths };
}

function refusal(status: number, code: string): Response {
  return Response.json({ error: { code, message: code }, traceId: 't' }, { status });
}

/** A stream that goes on after these events, until the client leaves. */
function streamOf(
  signal: AbortSignal,
  ...events: readonly (readonly [string, unknown])[]
): Response {
  const text = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(text.join('')));
      signal.addEventListener('abort', () => controller.error(signal.reason));
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

/** What is told, one after the other. */
class Notes implements Told<unknown> {
  readonly #told: string[] = [];
  #wake = Promise.withResolvers<void>();

  value = (data: unknown): void => this.#note(`value ${JSON.stringify(data)}`);
  fault = (error: unknown): void => this.#note(`fault ${String(Object(error).code)}`);
  delay = (error: unknown): void => this.#note(`delay ${String(Object(error).code)}`);

  async next(): Promise<string | undefined> {
    while (this.#told.length === 0) {
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
    }
    return this.#told.shift();
  }

  #note(text: string): void {
    this.#told.push(text);
    this.#wake.resolve();
  }
}

function begin(client: TrellisClient, name: string) {
  const told = new Notes();
  const leaving = new AbortController();
  const { signal } = leaving;
  const done = watchOrAsk({ client, name, body: {}, signal, told });
  return { told, done, leave: () => leaving.abort() };
}

it('watches, and tells apart what fails and what passes', async () => {
  const fault = { error: { code: 'endpoint_failed', message: 'm' }, traceId: 't' };
  const stop = { error: { code: 'server_stopping', message: 'm' }, traceId: 't' };
  const { client } = clientOf((_, signal) =>
    streamOf(signal, ['value', { sequence: 1, value: 1 }], ['error', fault], ['error', stop]),
  );
  const { told, done, leave } = begin(client, 'one');
  expect(await told.next()).toBe('value 1');
  expect(await told.next()).toBe('fault endpoint_failed');
  expect(await told.next()).toBe('delay server_stopping');
  leave();
  await done;
});

it.each([
  [422, 'not_read_only'],
  [404, 'route_not_found'],
])('asks once what may not be watched: %i %s', async (status, code) => {
  const { client, paths } = clientOf((path) =>
    path.includes('/live/') ? refusal(status, code) : Response.json(7),
  );
  const { told, done } = begin(client, 'writes');
  await done;
  expect(await told.next()).toBe('value 7');
  expect(paths).toEqual(['live/writes', 'run/writes']);
});

it('asks once while the server has no room, and goes on trying to watch', async () => {
  let refused = 0;
  const { client, paths } = clientOf((path, signal) => {
    if (!path.includes('/live/')) return Response.json('asked');
    return ++refused < 8
      ? refusal(503, 'watches_full')
      : streamOf(signal, ['value', { sequence: 1, value: 'watched' }]);
  });
  const { told, done, leave } = begin(client, 'one');
  expect(await told.next()).toBe('value "asked"');
  expect(await told.next()).toBe('value "watched"');
  expect(paths.filter((path) => path === 'run/one')).toHaveLength(1);
  leave();
  await done;
});

it('rejects with what is refused for good', async () => {
  const { client } = clientOf(() => refusal(404, 'endpoint_not_found'));
  await expect(begin(client, 'none').done).rejects.toMatchObject({ code: 'endpoint_not_found' });
});

it('watches 4 at a time, and asks what is beyond once', async () => {
  const { client, paths } = clientOf((path, signal) =>
    path.includes('/live/')
      ? streamOf(signal, ['value', { sequence: 1, value: 1 }])
      : Response.json(2),
  );
  const names = ['a', 'b', 'c', 'd'];
  const watches = names.map((name) => begin(client, name));
  for (const { told } of watches) expect(await told.next()).toBe('value 1');
  const fifth = begin(client, 'e');
  expect(await fifth.told.next()).toBe('value 2');
  await fifth.done;
  for (const { leave, done } of watches) {
    leave();
    await done;
  }
  const sixth = begin(client, 'f');
  expect(await sixth.told.next()).toBe('value 1');
  sixth.leave();
  await sixth.done;
  expect(paths).toEqual([...names.map((name) => `live/${name}`), 'run/e', 'live/f']);
});
