import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { must } from '../../server/src/base/assert.ts';

export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

/** What the proxy does to the bytes that pass it, both ways. */
export interface LinkFaults {
  /** Delays every chunk; chunks of one connection stay in order. */
  readonly delayMs: number;
  /** Delays each chunk by up to this much more. */
  readonly jitterMs: number;
  /** Limits each direction of each connection. */
  readonly bytesPerSecond: number;
}

const WAITING_BYTES_MAX = 256 * 1024;
const NO_FAULTS: LinkFaults = { delayMs: 0, jitterMs: 0, bytesPerSecond: Infinity };

/** A TCP proxy that can do to a connection what networks do. */
export class TcpProxy implements AsyncDisposable {
  readonly port: number;
  target: ProxyTarget;
  /** Bytes that went to the one who connected. */
  bytesToClient = 0;
  readonly #server: Server;
  readonly #connections = new Set<ProxiedConnection>();
  readonly #random: () => number;
  #faults = NO_FAULTS;
  #isCut = false;
  #isHeld = false;
  #flips = 0;
  #trigger: { readonly bytes: number; readonly reached: () => void } | undefined;

  private constructor(server: Server, port: number, target: ProxyTarget, random: () => number) {
    this.#server = server;
    this.port = port;
    this.target = target;
    this.#random = random;
    server.on('connection', (client) => this.#accept(client));
  }

  static async listen(target: ProxyTarget, random: () => number = Math.random): Promise<TcpProxy> {
    const server = createServer({ pauseOnConnect: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
    return new TcpProxy(server, address.port, target, random);
  }

  /** Resolves once somebody has connected. */
  async connected(): Promise<void> {
    if (this.#connections.size === 0) await once(this.#server, 'connection');
  }

  /** Breaks every connection, and those that are tried until `mend`. */
  cut(): void {
    this.#isCut = true;
    this.breakConnections();
  }

  /** Breaks those that are there: the next one works. */
  breakConnections(): void {
    for (const connection of this.#connections) connection.reset();
  }

  /**
   * Half-open: everything stays connected, new connections too, and no byte arrives until `mend`.
   */
  hold(): void {
    this.#isHeld = true;
    for (const connection of this.#connections) connection.hold();
  }

  /** Half-open for those that are there: for them there is no `mend`; new ones work. */
  abandon(): void {
    for (const connection of this.#connections) connection.hold();
    this.#connections.clear();
  }

  /** Ends `cut`, `hold` and `impair`. */
  mend(): void {
    this.#isCut = false;
    this.#isHeld = false;
    this.#faults = NO_FAULTS;
    for (const connection of this.#connections) connection.release();
  }

  impair(faults: Partial<LinkFaults>): void {
    this.#faults = { ...NO_FAULTS, ...faults };
  }

  /** Changes one bit in each of the next `chunks` chunks towards the client. */
  flipBits(chunks = 1): void {
    this.#flips = chunks;
  }

  /** Resolves once so many more bytes went to the client; what comes then waits until `mend`. */
  holdAfter(bytes: number): Promise<void> {
    return new Promise((resolve) => {
      this.#trigger = { bytes: this.bytesToClient + bytes, reached: resolve };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    if (this.#isCut) {
      client.resetAndDestroy();
      return;
    }
    const { host, port } = this.target;
    const server = connect({ host, port, noDelay: true });
    client.setNoDelay(true);
    const connection = new ProxiedConnection(client, server, {
      toServer: (chunk) => this.#pass(chunk),
      toClient: (chunk) => this.#pass(this.#observe(chunk)),
    });
    if (this.#isHeld) connection.hold();
    this.#connections.add(connection);
    connection.closed.then(
      () => this.#connections.delete(connection),
      () => undefined,
    );
  }

  #observe(chunk: Buffer): Buffer {
    this.bytesToClient += chunk.length;
    if (this.#trigger !== undefined && this.bytesToClient >= this.#trigger.bytes) {
      const { reached } = this.#trigger;
      this.#trigger = undefined;
      this.hold();
      reached();
    }
    if (this.#flips === 0) return chunk;
    this.#flips--;
    const changed = Buffer.from(chunk);
    const at = Math.floor(this.#random() * chunk.length);
    changed.writeUInt8(must(chunk[at], 'a byte') ^ (1 << Math.floor(this.#random() * 8)), at);
    return changed;
  }

  #pass(chunk: Buffer): PassedChunk {
    const { delayMs, jitterMs, bytesPerSecond } = this.#faults;
    const latencyMs = delayMs + jitterMs * this.#random();
    return { chunk, latencyMs, transferMs: (chunk.length / bytesPerSecond) * 1_000 };
  }
}

interface PassedChunk {
  readonly chunk: Buffer;
  readonly latencyMs: number;
  readonly transferMs: number;
}

type Pass = (chunk: Buffer) => PassedChunk;

class ProxiedConnection {
  readonly closed: Promise<void>;
  readonly #sockets: readonly Socket[];
  readonly #ways: readonly OneWay[];

  constructor(
    client: Socket,
    server: Socket,
    { toServer, toClient }: Record<'toServer' | 'toClient', Pass>,
  ) {
    this.#sockets = [client, server];
    for (const socket of this.#sockets) socket.on('error', () => this.reset());
    this.#ways = [new OneWay(client, server, toServer), new OneWay(server, client, toClient)];
    this.closed = new Promise((resolve) => {
      client.once('close', () => resolve());
    });
    client.once('close', () => server.destroy());
    server.once('close', () => client.destroy());
  }

  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  hold(): void {
    for (const way of this.#ways) way.hold();
  }

  release(): void {
    for (const way of this.#ways) way.release();
  }
}

/**
 * One direction: chunks in their order, each at its time, and no more in memory than
 * WAITING_BYTES_MAX.
 */
class OneWay {
  readonly #from: Socket;
  readonly #to: Socket;
  #held: Promise<void> | undefined;
  #release = (): void => undefined;
  /** When the newest chunk is due, on the clock of `performance`. */
  #due = 0;
  #waitingBytes = 0;
  /** Aborted when what is on its way has to wait no more. */
  #mended = new AbortController();

  constructor(from: Socket, to: Socket, pass: Pass) {
    this.#from = from;
    this.#to = to;
    this.#run(pass).catch(() => to.destroy());
  }

  hold(): void {
    if (this.#held !== undefined) return;
    this.#held = new Promise((resolve) => (this.#release = resolve));
  }

  release(): void {
    this.#held = undefined;
    this.#release();
    this.#due = 0;
    this.#mended.abort();
    this.#mended = new AbortController();
  }

  async #run(pass: Pass): Promise<void> {
    let delivered = Promise.resolve();
    for await (const read of this.#from) {
      const { chunk, latencyMs, transferMs } = pass(read);
      this.#due = Math.max(performance.now() + latencyMs, this.#due + transferMs);
      this.#waitingBytes += chunk.length;
      const due = this.#due;
      const { signal } = this.#mended;
      delivered = delivered.then(() => this.#deliver(chunk, due, signal));
      // It is awaited at the end, or here.
      delivered.catch(() => undefined);
      if (this.#waitingBytes > WAITING_BYTES_MAX) await delivered;
    }
    await delivered;
    await this.#held;
    this.#to.end();
  }

  async #deliver(chunk: Buffer, due: number, mended: AbortSignal): Promise<void> {
    const waitMs = due - performance.now();
    // The link takes its time; nothing here waits for anything else by it.
    if (waitMs > 1) await sleep(waitMs, undefined, { signal: mended }).catch(() => undefined);
    while (this.#held !== undefined) await this.#held;
    if (!this.#to.writable) throw new Error('the other side is closed');
    if (!this.#to.write(chunk))
      await Promise.race([once(this.#to, 'drain'), once(this.#to, 'close')]);
    this.#waitingBytes -= chunk.length;
  }
}
