import {
  REPLICATION_KEEPALIVE_MS,
  REPLICATION_KEEPALIVE_TIMEOUT_MS,
} from '../server/src/base/replication-limits.ts';
import type { AnswerCall } from './call-stream.ts';
import { Connection } from './connection.ts';
import type { Pipe } from './connection.ts';
import type { SimulatedProcess } from './process.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

/** One direction between two hosts. */
export interface Link {
  /** How long a message takes, in milliseconds: each its own time, so that streams overtake one another. */
  delayMinMs: number;
  delayMaxMs: number;
  /** Of a message that does not arrive as it was sent. */
  damageProbability: number;
  /** Nothing arrives, and nobody is told; what is sent waits, as in a connection of TCP. */
  isSilent: boolean;
  /** Pipes whose next message waits for the end of the silence. */
  readonly waiting: Set<Pipe>;
}

export interface Listener {
  readonly process: SimulatedProcess;
  readonly answer: AnswerCall;
}

/** Of the damaged messages. */
const REPEATED_SHARE = 0.2;
const CONNECT_TIMEOUT_MS = 20_000;

/** The network between the hosts of one simulation. */
export class SimulatedNetwork {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly #links = new Map<string, Link>();
  /** By name; those that may still use it. */
  readonly processes = new Map<string, SimulatedProcess>();
  /** By host. */
  readonly #listeners = new Map<string, Listener>();
  readonly #connections = new Set<Connection>();
  /** Told of each message that arrives at a server. */
  onMessage: (client: string, path: string) => void = () => {};
  /** Messages that did not arrive as they were sent. */
  damaged = 0;

  constructor(scheduler: Scheduler, random: Random) {
    this.scheduler = scheduler;
    this.random = random;
  }

  link(from: string, to: string): Link {
    const name = `${from}>${to}`;
    let link = this.#links.get(name);
    if (link === undefined) {
      link = {
        delayMinMs: 1,
        delayMaxMs: 4,
        damageProbability: 0,
        isSilent: false,
        waiting: new Set(),
      };
      this.#links.set(name, link);
    }
    return link;
  }

  delay({ delayMinMs, delayMaxMs }: Link): number {
    return this.random.between(delayMinMs, delayMaxMs);
  }

  /** On a host, until the process ends or the answer is called. */
  listen(process: SimulatedProcess, answer: AnswerCall): () => void {
    const { host } = process;
    this.#listeners.set(host, { process, answer });
    const close = (): void => {
      if (this.#listeners.get(host)?.process === process) this.#listeners.delete(host);
    };
    process.onEnded(close);
    return close;
  }

  /** Answers by `onOpen` or `onFailed`, later. */
  connect(
    client: SimulatedProcess,
    host: string,
    onOpen: (connection: Connection) => void,
    onFailed: () => void,
  ): void {
    const there = this.link(client.host, host);
    const back = this.link(host, client.host);
    const fail = (ms: number): void => {
      this.scheduler.after(ms, `${client.name} cannot connect`, () => {
        if (client.isAlive) onFailed();
      });
    };
    this.scheduler.after(this.delay(there), `${client.name} connects`, () => {
      if (!client.isAlive) return;
      if (there.isSilent || back.isSilent) return fail(CONNECT_TIMEOUT_MS);
      const listener = this.#listeners.get(host);
      if (listener === undefined) return fail(this.delay(back));
      const connection = new Connection(this, client, listener);
      this.#connections.add(connection);
      this.scheduler.after(this.delay(back), `${client.name} is connected`, () => {
        if (!client.isAlive) return;
        if (connection.isLostFor('client')) onFailed();
        else onOpen(connection);
      });
    });
  }

  forget(connection: Connection): void {
    this.#connections.delete(connection);
  }

  isConnected(client: SimulatedProcess): boolean {
    for (const connection of this.#connections) {
      if (connection.client === client && !connection.isLostFor('client')) return true;
    }
    return false;
  }

  /** Of a process that stops in order. */
  closeAll(process: SimulatedProcess): void {
    for (const connection of this.#connections) {
      if (connection.server === process) connection.close('server');
      if (connection.client === process) connection.close('client');
    }
  }

  /** Ends every connection between two hosts, in the middle of whatever it carries. */
  cut(a: string, b: string): void {
    for (const connection of this.#connections) {
      if (!connection.isBetween(a, b)) continue;
      connection.lose('client', this.random.between(0, 5));
      connection.lose('server', this.random.between(0, 5));
    }
  }

  /** Both ends of a connection notice by their keepalive, unless the silence ends before. */
  silence(from: string, to: string): void {
    const link = this.link(from, to);
    if (link.isSilent) return;
    link.isSilent = true;
    const min = REPLICATION_KEEPALIVE_TIMEOUT_MS;
    const max = REPLICATION_KEEPALIVE_TIMEOUT_MS + REPLICATION_KEEPALIVE_MS;
    for (const connection of this.#connections) {
      if (!connection.isBetween(from, to)) continue;
      for (const side of ['client', 'server'] as const) {
        this.scheduler.after(this.random.between(min, max), 'keepalive', () => {
          if (link.isSilent) connection.lose(side, 0);
        });
      }
    }
  }

  endSilence(from: string, to: string): void {
    const link = this.link(from, to);
    link.isSilent = false;
    for (const pipe of link.waiting) pipe.resume();
    link.waiting.clear();
  }

  /** Every link as it was in the beginning. */
  heal(): void {
    for (const [name, link] of this.#links) {
      const [from = '', to = ''] = name.split('>');
      Object.assign(link, { delayMinMs: 1, delayMaxMs: 4, damageProbability: 0 });
      if (link.isSilent) this.endSilence(from, to);
    }
  }

  /** A message as it arrives: now and then with a bit that is another, or twice. */
  carry(link: Link, bytes: Uint8Array): readonly Uint8Array[] {
    if (!this.random.chance(link.damageProbability)) return [bytes];
    this.damaged++;
    if (this.random.chance(REPEATED_SHARE)) {
      this.scheduler.note('a message is repeated');
      return [bytes, bytes];
    }
    return [this.#flip(bytes)];
  }

  /** What does not come in messages of its own. */
  carryText(link: Link, text: string): string {
    if (!this.random.chance(link.damageProbability)) return text;
    this.damaged++;
    return Buffer.from(this.#flip(Buffer.from(text))).toString();
  }

  #flip(bytes: Uint8Array): Uint8Array {
    if (bytes.length === 0) return bytes;
    this.scheduler.note('a bit is flipped');
    const changed = Uint8Array.from(bytes);
    const at = this.random.between(0, bytes.length - 1);
    changed[at] = changed[at]! ^ (1 << this.random.between(0, 7));
    return changed;
  }
}
