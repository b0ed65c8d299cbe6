import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';

/**
 * A model that says 200 tokens as fast as it is read, each in an event and a write of its own.
 * Prints its port.
 */
const EVENTS = [
  ...Array.from({ length: 200 }, (_, i) =>
    eventOf([{ index: 0, delta: { content: ` token${i}` }, finish_reason: null }]),
  ),
  eventOf([{ index: 0, delta: {}, finish_reason: 'stop' }]),
  eventOf([], { prompt_tokens: 20, completion_tokens: 200, total_tokens: 220 }),
  'data: [DONE]\n\n',
];

const server = createServer((request, response) => {
  void text(request).then(() => say(response));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);

async function say(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of EVENTS) {
    if (response.destroyed) return;
    if (!response.write(event)) await once(response, 'drain');
    await setImmediate();
  }
  response.end();
}

function eventOf(choices: readonly object[], usage: object | null = null): string {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
  return `data: ${JSON.stringify({ ...head, choices, usage })}\n\n`;
}
