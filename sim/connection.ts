import type { AnswerCall } from './call-stream.ts';
import type { Link, Listener, SimulatedNetwork } from './network.ts';
import type { SimulatedProcess } from './process.ts';

export type Side = 'client' | 'server';

/** A connection of TCP: each end learns at a time of its own that it is lost. */
export class Connection {
  readonly network: SimulatedNetwork;
  readonly client: SimulatedProcess;
  readonly server: SimulatedProcess;
  readonly #lost = new Set<Side>();
  readonly #onLost: Record<Side, Set<() => void>> = { client: new Set(), server: new Set() };

  /** What the server does with a call. */
  readonly answer: AnswerCall;

  constructor(network: SimulatedNetwork, client: SimulatedProcess, server: Listener) {
    this.network = network;
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
        network.forget(this);
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
    const link = this.network.link(here.host, there.host);
    this.#lose(side);
    const { scheduler } = this.network;
    const other = side === 'client' ? 'server' : 'client';
    scheduler.after(this.network.delay(link), `${there.name} is left`, () => {
      // A reset that the silence swallows comes again as an answer to what is sent.
      if (!link.isSilent) this.#lose(other);
      else link.waiting.add({ resume: () => this.#lose(other) });
    });
  }

  /** One end finds it lost after `delayMs`. */
  lose(side: Side, delayMs: number): void {
    this.network.scheduler.after(delayMs, 'a connection is lost', () => this.#lose(side));
  }

  #lose(side: Side): void {
    if (this.#lost.has(side)) return;
    this.#lost.add(side);
    for (const listener of this.#onLost[side]) listener();
    this.#onLost[side].clear();
  }
}

/** What waits for the end of a silence. */
export interface Pipe {
  resume(): void;
}

/** One direction of one stream of a connection: its messages arrive in the order in which they were sent. */
export class StreamPipe implements Pipe {
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
    const { client, server, network } = connection;
    this.#connection = connection;
    this.#to = to;
    this.#label = label;
    this.#isTaking = isTaking;
    this.#link =
      to === 'server'
        ? network.link(client.host, server.host)
        : network.link(server.host, client.host);
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
    const { network } = this.#connection;
    network.scheduler.after(network.delay(this.#link), this.#label, () => this.#arrive());
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
