import fastify from 'fastify';
import { openGraphReader } from '../../server/src/graph/open-reader.ts';
import { greeting, READS_IN_A_ROW, type Greeting, type Keys } from '../endpoint-code.ts';

/**
 * The bare alternative to a custom endpoint: the same logic as a route of a Fastify server, without
 * sign-in, type-checking or isolation. It reads the same store, in the process. Argument: the
 * storage folder. Prints its port.
 */
const reader = openGraphReader({ storage: process.argv[2] ?? '' });
const server = fastify();

server.post('/greet', (request) => greeting(request.body as Greeting));

server.post('/reads', (request) => {
  reader.refresh();
  const { keys } = request.body as Keys;
  let characters = 0;
  for (let i = 0; i < READS_IN_A_ROW; i++) {
    const id = reader.id({ type: 'Synset', key: keys[i % keys.length] ?? '' });
    const node = id === undefined ? undefined : reader.node(id);
    characters += String(node?.['Definition'] ?? '').length;
  }
  return { characters };
});

const url = await server.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${new URL(url).port}\n`);
