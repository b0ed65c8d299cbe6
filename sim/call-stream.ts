import { StreamPipe } from './connection.ts';
import type { Connection } from './connection.ts';

export interface CallStatus {
  readonly code: number;
  readonly details: string;
}

/** What one end of a call hears of the other. */
export interface ClientEnd {
  onMessage(bytes: Uint8Array): void;
  /** The last thing that it hears. */
  onEnded(status: CallStatus): void;
  /** While it says no, the primary's messages wait. */
  isTaking(): boolean;
}

export interface ServerEnd {
  onMessage(bytes: Uint8Array): void;
  onCancelled(): void;
}

/** Makes the end of a call that a client begins. */
export type AnswerCall = (stream: CallStream) => ServerEnd | undefined;

const UNAVAILABLE = 14;

/** One call of gRPC: a stream of HTTP/2 within a connection. */
export class CallStream {
  readonly path: string;
  readonly metadata: ReadonlyMap<string, string>;
  readonly connection: Connection;
  readonly #client: ClientEnd;
  #server: ServerEnd | undefined;
  readonly #toClient: StreamPipe;
  readonly #toServer: StreamPipe;
  #isClientOver = false;
  #isServerOver = false;

  constructor(
    connection: Connection,
    { path, metadata }: { readonly path: string; readonly metadata: ReadonlyMap<string, string> },
    client: ClientEnd,
  ) {
    const name = `${connection.client.name} ${path.slice(path.lastIndexOf('/') + 1)}`;
    this.path = path;
    this.connection = connection;
    this.#client = client;
    this.#toServer = new StreamPipe(connection, 'server', `${name} >`, () => true);
    this.#toClient = new StreamPipe(connection, 'client', `${name} <`, () => client.isTaking());
    this.metadata = new Map(
      [...metadata].map(([key, value]) => [key, this.#carryText(value)] as const),
    );
    const release = [
      connection.onLost('client', () => {
        this.#endClient({ code: UNAVAILABLE, details: 'Connection dropped' });
      }),
      connection.onLost('server', () => this.#cancelServer()),
    ];
    this.#release = () => {
      if (this.#isClientOver && this.#isServerOver) for (const stop of release) stop();
    };
  }

  readonly #release: () => void;

  /** The first thing that a client sends. */
  begin(answer: AnswerCall): void {
    this.#toServer.send(() => {
      this.#server = answer(this);
    });
  }

  sendToServer(bytes: Uint8Array): void {
    const { network } = this.connection;
    for (const carried of network.carry(this.#toServer.link, bytes)) {
      this.#toServer.send(() => {
        network.onMessage(this.connection.client.name, this.path);
        if (!this.#isServerOver) this.#server?.onMessage(carried);
      });
    }
  }

  /** Messages on their way to the server. */
  get unsent(): number {
    return this.#toServer.length;
  }

  cancel(): void {
    this.#isClientOver = true;
    this.#toServer.send(() => this.#cancelServer());
    this.#release();
  }

  /** The reader has room again. */
  resume(): void {
    this.#toClient.resume();
  }

  /** `onSent` is called when it arrives, or never. */
  sendToClient(bytes: Uint8Array, onSent: () => void): void {
    if (this.#isServerOver) return;
    const { network } = this.connection;
    const copies = network.carry(this.#toClient.link, bytes);
    for (const [i, carried] of copies.entries()) {
      this.#toClient.send(() => {
        if (!this.#isClientOver) this.#client.onMessage(carried);
        if (!this.#isServerOver && i === 0) onSent();
      });
    }
  }

  end(status: CallStatus): void {
    if (this.#isServerOver) return;
    this.#isServerOver = true;
    this.#toClient.send(() => this.#endClient(status));
    this.#release();
  }

  #endClient(status: CallStatus): void {
    if (this.#isClientOver) return;
    this.#isClientOver = true;
    this.#client.onEnded(status);
    this.#release();
  }

  #cancelServer(): void {
    if (this.#isServerOver) return;
    this.#isServerOver = true;
    this.#server?.onCancelled();
    this.#release();
  }

  #carryText(text: string): string {
    const { network } = this.connection;
    return network.carryText(this.#toServer.link, text);
  }
}
