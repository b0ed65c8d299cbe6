import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { must } from '#base/assert.ts';

export interface Faults {
  /**
   * Bytes towards the replica, counted over all connections, after which every connection is cut;
   * then no more.
   */
  cutAfterBytes?: number;
  /** The byte towards the replica, counted over all connections, of which one bit is turned. */
  flipAtByte?: number;
  /** The byte towards the primary of which one bit is turned. */
  flipRequestAtByte?: number;
  /** Forwards so many bytes at a time, one turn of the event loop each. */
  sliceBytes?: number;
}

/** A TCP proxy in front of a primary that does to the bytes what a bad network may do. */
export class TcpProxy implements AsyncDisposable {
  readonly faults: Faults = {};
  /** Towards the replica. */
  bytesForwarded = 0;
  bytesRequested = 0;
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isHeld = false;

  private constructor(primaryPort: number) {
    this.#server = createServer((replica) => {
      this.connections++;
      const primary = connect(primaryPort, '127.0.0.1');
      this.#forward(replica, primary, (bytes) => this.#spoilRequest(bytes));
      this.#forward(primary, replica, (bytes) => this.#spoilAnswer(bytes));
    });
  }

  static async before(primaryPort: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(primaryPort);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    const address = must(this.#server.address(), 'the address of the proxy');
    return typeof address === 'string' ? 0 : address.port;
  }

  /** Every connection that is open, at both ends. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Forwards nothing until `release`, in either direction; connections stay open. */
  hold(): void {
    this.#isHeld = true;
    for (const socket of this.#sockets) socket.pause();
  }

  release(): void {
    this.#isHeld = false;
    for (const socket of this.#sockets) socket.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #forward(from: Socket, to: Socket, spoil: (bytes: Buffer) => void): void {
    this.#sockets.add(from);
    // What a cut does to the other end is what the test wants to see.
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    if (this.#isHeld) from.pause();
    from.on('data', (bytes) => {
      spoil(bytes);
      const { sliceBytes = bytes.length } = this.faults;
      const isRoom = to.write(bytes.subarray(0, sliceBytes));
      if (bytes.length > sliceBytes) from.unshift(bytes.subarray(sliceBytes));
      if (isRoom && bytes.length <= sliceBytes) return;
      from.pause();
      const goOn = (): void => {
        if (!this.#isHeld) from.resume();
      };
      if (isRoom) setImmediate(goOn);
      else to.once('drain', goOn);
    });
  }

  #spoilAnswer(bytes: Buffer): void {
    const { cutAfterBytes, flipAtByte } = this.faults;
    if (flipAtByte !== undefined) flip(bytes, flipAtByte - this.bytesForwarded);
    this.bytesForwarded += bytes.length;
    if (cutAfterBytes !== undefined && this.bytesForwarded >= cutAfterBytes) {
      delete this.faults.cutAfterBytes;
      this.cut();
    }
  }

  #spoilRequest(bytes: Buffer): void {
    const { flipRequestAtByte } = this.faults;
    if (flipRequestAtByte !== undefined) flip(bytes, flipRequestAtByte - this.bytesRequested);
    this.bytesRequested += bytes.length;
  }
}

function flip(bytes: Buffer, index: number): void {
  if (index >= 0 && index < bytes.length) bytes[index]! ^= 1 << (index % 8);
}
