import type { FastifyInstance, FastifyRequest } from 'fastify';
import { cutOffSilentConnections } from './silent-connections.ts';

/** How often a stopping server looks for connections that have become idle. */
const SWEEP_MS = 50;

/** Open connections, whether or not a request ever came over them. */
export type OpenConnections = ReadonlySet<FastifyRequest['socket']>;

/** Those that are silent for `silentMs` are cut off. */
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
 * Stops accepting, lets what runs finish for `graceMs`, then cuts it off, which aborts its signal.
 * A connection that is or becomes idle meanwhile is closed, as its client would keep it open for
 * the next request; so is one that was opened ahead and never used, as browsers do, which Node does
 * not count among the idle ones.
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
