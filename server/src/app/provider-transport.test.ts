import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { problemOf } from '#graph/testing/test-graph.ts';
import { LlmServer } from '../../../test/support/llm-server.ts';
import {
  ProviderClient,
  type OpenAnswer,
  type ProviderRequest,
} from '#assistant/router/provider-client.ts';
import { providerTransport } from './provider-transport.ts';

const KEY = 'sk-a-key-that-nobody-else-sees';
const NOW = Date.UTC(2026, 10, 21, 12);
const never = Promise.withResolvers<void>().promise;

let server: LlmServer;
beforeEach(async () => {
  server = await LlmServer.start();
});
afterEach(() => server[Symbol.asyncDispose]());

const clientWith = (headMs: number, idleMs: number) =>
  new ProviderClient({
    transport: providerTransport(),
    clock: { now: () => NOW },
    timeouts: { headMs, idleMs },
  });

function request(more: Partial<ProviderRequest> = {}): ProviderRequest {
  return {
    protocol: 'openai',
    baseUrl: server.url,
    apiKey: KEY,
    path: 'chat/completions',
    body: { model: 'm', stream: true },
    headers: {},
    signal: new AbortController().signal,
    ...more,
  };
}

async function textOf({ chunks }: OpenAnswer): Promise<string> {
  return Buffer.concat(await Array.fromAsync(chunks)).toString();
}

const LATE = { code: 'llm_unavailable', message: 'The provider takes too long.' };

const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a provider that hangs', () => {
  it('before its answer is given up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      server.script.gate = never;
      const late = thrownBy(clientWith(1_000, 60_000).send(request()));
      await server.received(1);
      vi.advanceTimersByTime(1_000);
      expect(await late).toMatchObject(LATE);
      await server.left(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it('in the middle of a stream is given up', async () => {
    server.script.beforeEvent = (index) => (index < 2 ? undefined : never);
    const answer = await clientWith(60_000, 20).send(request());
    await expect(textOf(answer)).rejects.toMatchObject(LATE);
    await server.left(1);
  });
});

it('the time that the reader takes is not that of the provider', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const rest = Promise.withResolvers<void>();
    server.script.beforeEvent = (index) => (index < 1 ? undefined : rest.promise);
    const answer = await clientWith(60_000, 1_000).send(request());
    await answer.chunks.next();
    vi.advanceTimersByTime(5_000);
    rest.resolve();
    expect(await textOf(answer)).toContain('[DONE]');
  } finally {
    vi.useRealTimers();
  }
});

it('leaving an answer ends the request', async () => {
  server.script.beforeEvent = (index) => (index < 2 ? undefined : never);
  const answer = await clientWith(60_000, 60_000).send(request());
  await answer.chunks.next();
  await answer.chunks.return();
  await server.left(1);
});

it('rejects with the reason of whoever leaves', async () => {
  server.script.gate = never;
  const leaving = new AbortController();
  const asked = clientWith(60_000, 60_000).send(request({ signal: leaving.signal }));
  await server.received(1);
  leaving.abort(new Error('gone'));
  await expect(asked).rejects.toThrow('gone');
});

it.each([
  ['openai', { authorization: `Bearer ${KEY}` }],
  ['anthropic', { 'x-api-key': KEY, 'anthropic-version': '2023-06-01', 'anthropic-beta': 'b' }],
] as const)('the key goes where %s has it', async (protocol, headers) => {
  const path = protocol === 'openai' ? 'chat/completions' : 'messages';
  const client = clientWith(60_000, 60_000);
  const beta: Record<string, string> = protocol === 'openai' ? {} : { 'anthropic-beta': 'b' };
  await textOf(await client.send(request({ protocol, path, headers: beta })));
  await textOf(await client.send(request({ protocol, path, headers: beta, apiKey: null })));
  expect(server.requests[0]?.headers).toMatchObject(headers);
  expect(JSON.stringify(server.last.headers)).not.toContain(KEY);
});

it('does not follow the provider elsewhere: the key goes nowhere else', async () => {
  await using other = await LlmServer.start();
  for (const status of [301, 302, 307, 308]) {
    server.script.fault = { status, headers: { location: `${other.url}/chat/completions` } };
    const problem = await problemOf(() => clientWith(60_000, 60_000).send(request()));
    expect(problem.code).toBe('llm_misconfigured');
  }
  expect(other.requests).toEqual([]);
});

it('a connection that the provider had closed is not used twice', async () => {
  const connections: number[] = [];
  const sloppy = createServer((socket) => {
    connections.push(0);
    const index = connections.length - 1;
    socket.on('error', () => undefined);
    socket.on('data', () => {
      connections[index] = (connections[index] ?? 0) + 1;
      if (connections[index] > 1) socket.resetAndDestroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    });
  });
  await once(sloppy.listen(0, '127.0.0.1'), 'listening');
  const baseUrl = `http://127.0.0.1:${(sloppy.address() as AddressInfo).port}`;
  const client = clientWith(60_000, 60_000);
  try {
    for (let i = 0; i < 2; i++) {
      expect(await textOf(await client.send(request({ baseUrl })))).toBe('{}');
    }
    expect(connections).toEqual([2, 1]);
  } finally {
    sloppy.close();
  }
});
