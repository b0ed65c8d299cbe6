import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

const TOKENS = 100;
const INTERVAL_MS = 20;

/**
 * A model that says 100 tokens, one each 20 ms. Each token is the time at which it is said, in
 * nanoseconds of the system's monotonic clock, which all processes of one machine share. Prints its
 * port.
 */
const server = createServer((request, response) => {
  void text(request).then(() => say(response));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);

async function say(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let i = 0; i < TOKENS && !response.destroyed; i++) {
    const content = ` ${process.hrtime.bigint()}`;
    response.write(eventOf([{ index: 0, delta: { content }, finish_reason: null }]));
    await setTimeout(INTERVAL_MS);
  }
  response.write(eventOf([{ index: 0, delta: {}, finish_reason: 'stop' }]));
  const usage = { prompt_tokens: 20, completion_tokens: TOKENS, total_tokens: 20 + TOKENS };
  response.end(`${eventOf([], usage)}data: [DONE]\n\n`);
}

function eventOf(choices: readonly object[], usage: object | null = null): string {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
  return `data: ${JSON.stringify({ ...head, choices, usage })}\n\n`;
}
