import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

/** Ten times as fast as most hosted models, so that what is added to an answer shows. */
const INTERVAL_MS = 1;

/**
 * A model that looks up five towns, and then says 600 words about them, a word each millisecond.
 * What the user asks for says whether the sentences cite the towns, or end with as many other
 * characters. Prints its port.
 */
const server = createServer((request, response) => {
  void text(request).then((body) => {
    const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] };
    if (!messages.some(({ role }) => role === 'tool')) return lookUp(response);
    const asked = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    return say(response, asked.includes('cite') ? (id) => `[${id}]` : (id) => `(${id})`);
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);

function lookUp(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const call = { name: 'towns', arguments: '{}' };
  const delta = { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] };
  response.write(eventOf([{ index: 0, delta, finish_reason: null }]));
  end(response, 'tool_calls');
}

/** Sixty sentences of ten words. */
async function say(response: ServerResponse, cite: (id: number) => string): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let sentence = 0; sentence < 60; sentence++) {
    const town = sentence % 5;
    const said = [
      `Town${town} was founded in ${1800 + town} by settlers from the north`,
      `The ${200 + town} mills of Town${town} grind wheat and rye today`,
      `In Town${town} the river freezes in most of the winters`,
    ][Math.floor(sentence / 5) % 3];
    for (const word of `${said} ${cite(town + 1)}. `.split(/(?<= )/)) {
      if (response.destroyed) return;
      response.write(eventOf([{ index: 0, delta: { content: word }, finish_reason: null }]));
      await setTimeout(INTERVAL_MS);
    }
  }
  end(response, 'stop');
}

function end(response: ServerResponse, reason: string): void {
  response.write(eventOf([{ index: 0, delta: {}, finish_reason: reason }]));
  const usage = { prompt_tokens: 500, completion_tokens: 800, total_tokens: 1_300 };
  response.end(`${eventOf([], usage)}data: [DONE]\n\n`);
}

function eventOf(choices: readonly object[], usage: object | null = null): string {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
  return `data: ${JSON.stringify({ ...head, choices, usage })}\n\n`;
}
