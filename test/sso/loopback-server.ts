import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';

/** A server on a free port of the loopback, whose handler may need to know its address. */
export interface LoopbackServer extends AsyncDisposable {
  readonly url: string;
}

export async function startLoopback(
  handlerFor: (url: string) => RequestListener | Promise<RequestListener>,
  hostname = '127.0.0.1',
): Promise<LoopbackServer> {
  const server = createServer();
  const url = `http://${hostname}:${await listen(server)}`;
  server.on('request', await handlerFor(url));
  return {
    url,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  const closed = once(server, 'close');
  server.close();
  await closed;
  return port;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}
