import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { PostgresServer } from '../../../../../test/support/postgres-server.ts';

/** What becomes of the next append. */
type Fate =
  /** PostgreSQL gets it and commits; the answer never comes. */
  | 'answer lost'
  /** PostgreSQL never gets it. */
  | 'request lost'
  /** The connection breaks, and PostgreSQL gets it when `deliver` is called. */
  | 'request delayed';

/** The name of the statement that each append asks for. */
const APPEND = 'insert_held';

/** Stands between a log and PostgreSQL, and breaks the connections that it is told to. */
export class AppendProxy implements AsyncDisposable {
  readonly url: string;
  readonly #close: () => Promise<void>;
  #fate: Fate | undefined;
  #delayed: (() => Promise<void>) | undefined;

  private constructor(port: number, close: () => Promise<void>) {
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    this.#close = close;
  }

  static async start(server: PostgresServer): Promise<AppendProxy> {
    const sockets = new Set<Socket>();
    const listener = createServer((client) => {
      const upstream = createConnection(join(server.folder, '.s.PGSQL.5432'));
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on('error', () => {});
      }
      proxy.#forward(client, upstream);
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const proxy = new AppendProxy(port, async () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    });
    return proxy;
  }

  next(fate: Fate): void {
    this.#fate = fate;
  }

  /** Gives PostgreSQL what was delayed, and resolves with what it answers. */
  async deliver(): Promise<void> {
    await this.#delayed?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  #forward(client: Socket, upstream: Socket): void {
    let isCut = false;
    const onAnswer = (bytes: Buffer): void => void client.write(bytes);
    upstream.on('data', onAnswer);
    client.on('data', (bytes: Buffer) => {
      const fate = this.#fate;
      if (isCut || fate === undefined || !bytes.includes(APPEND)) {
        upstream.write(bytes);
        return;
      }
      this.#fate = undefined;
      isCut = true;
      upstream.off('data', onAnswer);
      if (fate === 'request lost') {
        client.destroy();
        upstream.destroy();
      } else if (fate === 'answer lost') {
        upstream.once('data', () => client.destroy());
        upstream.write(bytes);
      } else {
        this.#delayed = async () => {
          const answered = once(upstream, 'data');
          upstream.write(bytes);
          await answered;
          upstream.destroy();
        };
        client.destroy();
      }
    });
    client.on('close', () => {
      if (!isCut) upstream.destroy();
    });
    upstream.on('close', () => client.destroy());
  }
}
