import { expect, it } from 'vitest';
import { listen } from './testing/scripted-server.ts';
import { TrellisClient } from './trellis-client.ts';

const line = (sequence: number) =>
  `id: ${sequence}\nevent: line\ndata: {"sequence":${sequence},"message":"größer"}\n\n`;

/**
 * Each text is an answer; null breaks the connection off; after the last one the caller is not
 * known.
 */
async function start(texts: readonly (readonly (string | null)[])[]) {
  const asked: unknown[] = [];
  const left = [...texts];
  const url = await listen(async (request, response) => {
    asked.push([request.url, request.headers['last-event-id']]);
    const pieces = left.shift();
    if (pieces === undefined) {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end('{"error":{"code":"invalid_token","message":"over","hint":""},"traceId":"t"}');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of pieces) {
      if (piece === null) response.destroy();
      else await new Promise((resolve) => response.write(piece, resolve));
    }
    response.end();
  });
  return { client: new TrellisClient({ baseUrl: url, retry: { pauseMs: 1 } }), asked };
}

const PATH = '/api/endpoints/logs/live';
const told = (sequence: number) => ({ kind: 'line', line: { sequence, message: 'größer' } });

it('lines come across lost connections, until the end', async () => {
  const { client, asked } = await start([
    [':\n\nid: 4\nevent: position\nda', 'ta: {}\n', '\n'],
    [line(5).slice(0, 9), line(5).slice(9) + line(6), null],
    [line(7).replaceAll('\n', '\r\n'), 'event: dropped\ndata: {"count":3}\n\n'],
    ['event: end\ndata: {}\n\n', line(8)],
  ]);
  const events: unknown[] = [];
  for await (const event of client.endpoints.watchLogs({ level: 'warn' })) events.push(event);
  expect(events).toEqual([told(5), told(6), told(7), { kind: 'dropped', count: 3 }]);
  const url = `${PATH}?level=warn`;
  expect(asked).toEqual([
    [url, undefined],
    [url, '4'],
    [url, '6'],
    [url, '7'],
  ]);
});

it('a refusal is thrown', async () => {
  const { client, asked } = await start([[line(5)]]);
  const events = client.endpoints.watchLogs({}, { after: 4 });
  expect((await events.next()).value).toEqual(told(5));
  await expect(events.next()).rejects.toMatchObject({ code: 'invalid_token' });
  expect(asked).toEqual([
    [PATH, '4'],
    [PATH, '5'],
  ]);
});

it('an abort is thrown, wherever it comes', async () => {
  const { client } = await start([[line(5)], [line(6)]]);
  const stop = new AbortController();
  const events = client.endpoints.watchLogs({}, { signal: stop.signal });
  await events.next();
  stop.abort(new Error('enough'));
  await expect(events.next()).rejects.toThrow('enough');
});
