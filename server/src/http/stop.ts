import type { FastifyInstance } from 'fastify';

/** How often a stopping server looks for connections that have become idle. */
const SWEEP_MS = 50;

/**
 * Stops accepting, lets what runs finish for `graceMs`, then cuts it off, which aborts its signal. A connection that
 * becomes idle meanwhile is closed, as its client would keep it open for the next request.
 */
export async function stopGracefully(app: FastifyInstance, graceMs: number): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS);
  const cut = setTimeout(() => app.server.closeAllConnections(), graceMs);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(cut);
  }
}
