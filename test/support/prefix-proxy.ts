import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * A proxy that serves what is at `url` below a path, which it takes away before it asks: WebSockets
 * too.
 */
export async function startPrefixProxy(url: string, prefix: string) {
  const { hostname, port } = new URL(url);
  const inner = (path = ''): string => path.slice(prefix.length);
  const proxy = createServer((asked, answer) => {
    if (!asked.url?.startsWith(`${prefix}/`)) {
      answer.writeHead(404).end();
      return;
    }
    const { method, headers } = asked;
    const onward = request({ hostname, port, path: inner(asked.url), method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  });
  const sockets = new Set<Duplex>();
  proxy.on('upgrade', (asked: IncomingMessage, socket: Duplex, head: Buffer) => {
    const onward = connect(Number(port), hostname);
    const lines = asked.rawHeaders.flatMap((name, i, all) =>
      i % 2 === 0 ? [`${name}: ${all[i + 1] ?? ''}`] : [],
    );
    onward.write(`GET ${inner(asked.url)} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    onward.write(head);
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on('error', () => end.destroy());
    }
    socket.pipe(onward).pipe(socket);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}`,
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy();
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
