import type { Link, Links, Pipe } from './links.ts';
import type { SimulatedProcess } from './process.ts';

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

export interface Listener {
  readonly process: SimulatedProcess;
  readonly answer: AnswerCall;
}

const UNAVAILABLE = 14;

export type Side = 'client' | 'server';

/** A connection of TCP: each end learns at a time of its own that it is lost. */
export class Connection {
  readonly links: Links;
  readonly client: SimulatedProcess;
  readonly server: SimulatedProcess;
  readonly #lost = new Set<Side>();
  readonly #onLost: Record<Side, Set<() => void>> = { client: new Set(), server: new Set() };

  /** What the server does with a call. */
  readonly answer: AnswerCall;

  /** `onGone` is called once both ends know that it is lost. */
  constructor(links: Links, client: SimulatedProcess, server: Listener, onGone: () => void) {
    this.links = links;
    this.client = client;
    this.server = server.process;
    this.answer = server.answer;
    // The system ends the connections of a process that is gone.
    const release = [
      client.onEnded(() => this.close('client')),
      this.server.onEnded(() => this.close('server')),
    ];
    for (const side of ['client', 'server'] as const) {
      this.onLost(side, () => {
        if (this.#lost.size < 2) return;
        for (const stop of release) stop();
        onGone();
      });
    }
  }

  isBetween(a: string, b: string): boolean {
    const { client, server } = this;
    return (client.host === a && server.host === b) || (client.host === b && server.host === a);
  }

  isLostFor(side: Side): boolean {
    return this.#lost.has(side);
  }

  /** Returns the way to take it back. */
  onLost(side: Side, listener: () => void): () => void {
    this.#onLost[side].add(listener);
    return () => void this.#onLost[side].delete(listener);
  }

  /** One end closes it; the other learns of it when a message arrives, or by its keepalive. */
  close(side: Side): void {
    const [here, there] =
      side === 'client' ? [this.client, this.server] : [this.server, this.client];
    const link = this.links.between(here.host, there.host);
    this.#lose(side);
    const { scheduler } = this.links;
    const other = side === 'client' ? 'server' : 'client';
    scheduler.after(this.links.delay(link), `${there.name} is left`, () => {
      // A reset that the silence swallows comes again as an answer to what is sent.
      if (!link.isSilent) this.#lose(other);
      else link.waiting.add({ resume: () => this.#lose(other) });
    });
  }

  /** One end finds it lost after `delayMs`. */
  lose(side: Side, delayMs: number): void {
    this.links.scheduler.after(delayMs, 'a connection is lost', () => this.#lose(side));
  }

  #lose(side: Side): void {
    if (this.#lost.has(side)) return;
    this.#lost.add(side);
    for (const listener of this.#onLost[side]) listener();
    this.#onLost[side].clear();
  }
}

/**
 * One direction of one stream of a connection: its messages arrive in the order in which they were
 * sent.
 */
class StreamPipe implements Pipe {
  readonly #connection: Connection;
  readonly #to: Side;
  readonly #link: Link;
  readonly #label: string;
  readonly #messages: (() => void)[] = [];
  readonly #isTaking: () => boolean;
  /** Arrivals that are due and wait for the end of a silence, or for the reader. */
  #due = 0;

  /** Nothing arrives while `isTaking` says no, until `resume` is called. */
  constructor(connection: Connection, to: Side, label: string, isTaking: () => boolean) {
    const { client, server, links } = connection;
    this.#connection = connection;
    this.#to = to;
    this.#label = label;
    this.#isTaking = isTaking;
    this.#link =
      to === 'server'
        ? links.between(client.host, server.host)
        : links.between(server.host, client.host);
  }

  get length(): number {
    return this.#messages.length;
  }

  get link(): Link {
    return this.#link;
  }

  send(arrive: () => void): void {
    this.#messages.push(arrive);
    this.#schedule();
  }

  resume(): void {
    const due = this.#due;
    this.#due = 0;
    for (let i = 0; i < due; i++) this.#schedule();
  }

  #schedule(): void {
    const { links } = this.#connection;
    links.scheduler.after(links.delay(this.#link), this.#label, () => this.#arrive());
  }

  #arrive(): void {
    if (this.#connection.isLostFor(this.#to)) return;
    if (this.#link.isSilent) {
      this.#due++;
      this.#link.waiting.add(this);
    } else if (this.#isTaking()) {
      this.#messages.shift()?.();
    } else {
      this.#due++;
    }
  }
}

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
    const { links } = this.connection;
    for (const carried of links.carry(this.#toServer.link, bytes)) {
      this.#toServer.send(() => {
        links.onMessage(this.connection.client.name, this.path);
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
    const { links } = this.connection;
    const copies = links.carry(this.#toClient.link, bytes);
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
    const { links } = this.connection;
    return links.carryText(this.#toServer.link, text);
  }
}
