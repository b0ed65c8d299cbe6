import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below those that the system gives to connections that go out, of which one could take a port
 * while its server restarts.
 */
const PORT_MIN = 12_000;
/** Test files that run at once take theirs from ranges of their own. */
const RANGE = 10_000;
const RANGES = 2;
const ATTEMPTS_MAX = 100;

/**
 * A port of 127.0.0.1 that nothing listens on. The same server can take it again after a restart.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const range = Number(process.env['VITEST_POOL_ID'] ?? 0) % RANGES;
    const port = PORT_MIN + range * RANGE + randomInt(RANGE);
    if (await isFree(port)) return port;
  }
  throw new Error('no free port was found');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '0.0.0.0');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
