import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_INTERVAL_MS = 20;

/** A server of Debian that runs until it is disposed of. It tells nobody when it can be asked. */
export async function startDaemon(
  command: string,
  args: readonly string[],
  isUp: () => Promise<boolean>,
): Promise<AsyncDisposable> {
  const server = spawn(command, args, { stdio: 'ignore' });
  const exited = once(server, 'exit');
  for (;;) {
    if (server.exitCode !== null) throw new Error(`${command} did not start`);
    if (await isUp()) break;
    await delay(LOOK_INTERVAL_MS);
  }
  return {
    [Symbol.asyncDispose]: async () => {
      server.kill('SIGTERM');
      await exited;
    },
  };
}

/** Whether it takes a connection. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isThere = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isThere;
}

/** Whether it says something to who connects. */
export async function isGreeting(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const outcome = await Promise.race([
    once(socket, 'data').then(() => 'greeted'),
    once(socket, 'close').then(() => 'closed'),
  ]).catch(() => 'refused');
  socket.destroy();
  return outcome === 'greeted';
}
