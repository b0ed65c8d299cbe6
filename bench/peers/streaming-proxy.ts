import { once } from 'node:events';
import { Agent, createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/**
 * The bare alternative to the LLM router: bytes there, bytes back. Argument: the port of the
 * provider. Prints its own.
 */
const port = process.argv[2] ?? '';
const agent = new Agent({ keepAlive: true });

const server = createServer((request, response) => {
  const headers = { 'content-type': 'application/json' };
  const options = { host: '127.0.0.1', port, path: '/v1/chat/completions', method: 'POST' };
  const upstream = send({ ...options, agent, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, { 'content-type': 'text/event-stream' });
    pipeline(answer, response, () => undefined);
  });
  pipeline(request, upstream, () => undefined);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
