import type { FastifyInstance, FastifyRequest } from 'fastify';

/** How often a stopping server looks for connections that have become idle. */
const SWEEP_MS = 50;

/** Open connections, whether or not a request ever came over them. */
export type OpenConnections = ReadonlySet<FastifyRequest['socket']>;

/** Keeps the list of open connections, and cuts off those that are silent for `silentMs`. */
export function trackConnections({ server }: FastifyInstance, silentMs: number): OpenConnections {
  const open = new Set<FastifyRequest['socket']>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const cutOffs = cutOffSilentConnections(open, silentMs);
  server.once('close', () => clearInterval(cutOffs));
  return open;
}

/**
 * Accepts no more connections, gives running requests `graceMs` to finish, then cuts them off,
 * which aborts their signals. A connection that is or becomes idle is closed, since its client
 * would keep it open for the next request. So is one that was opened ahead and never used, as
 * browsers do: Node does not count it as idle.
 */
export async function stopGracefully(
  app: FastifyInstance,
  connections: OpenConnections,
  graceMs: number,
): Promise<void> {
  const closeIdle = (): void => {
    app.server.closeIdleConnections();
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  };
  const sweep = setInterval(closeIdle, SWEEP_MS);
  const cut = setTimeout(() => app.server.closeAllConnections(), graceMs);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(cut);
  }
}

/** What is read of a socket. */
interface Connection {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  destroy(): unknown;
}

/**
 * Cuts off connections over which no byte has gone either way for `silentMs`, at the latest after
 * twice that time. One timer looks at all of them: Node's own, one for each connection, would be
 * set again with every request.
 */
export function cutOffSilentConnections(
  connections: ReadonlySet<Connection>,
  silentMs: number,
): NodeJS.Timeout {
  const bytesBefore = new WeakMap<object, number>();
  return setInterval(() => {
    for (const connection of connections) {
      const bytes = connection.bytesRead + connection.bytesWritten;
      if (bytesBefore.get(connection) === bytes) connection.destroy();
      bytesBefore.set(connection, bytes);
    }
  }, silentMs).unref();
}
