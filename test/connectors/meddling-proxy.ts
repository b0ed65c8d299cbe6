import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

/** What becomes of what one side of a connection says; `end` makes it the last that is said. */
type Meddler = (from: 'client' | 'server', bytes: Buffer, end: () => void) => Buffer;

export interface MeddlingProxy extends AsyncDisposable {
  readonly port: number;
  /** How many connections were made. */
  readonly connections: number;
}

/** Stands between a connector and its source. `begin` is called for each connection. */
export async function startMeddling(port: number, begin: () => Meddler): Promise<MeddlingProxy> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const listener = createServer((client) => {
    connections++;
    const meddler = begin();
    const server = createConnection(port, '127.0.0.1');
    const forward = (from: 'client' | 'server', source: Socket, target: Socket): void => {
      sockets.add(source);
      source.on('error', () => {});
      source.on('data', (bytes) => {
        let isLast = false;
        target.write(meddler(from, bytes, () => (isLast = true)));
        if (isLast) target.end(() => source.destroy());
      });
      source.on('close', () => target.destroy());
    };
    forward('client', client, server);
    forward('server', server, client);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}
