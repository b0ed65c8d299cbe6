import {
  REPLICATION_KEEPALIVE_MS,
  REPLICATION_KEEPALIVE_TIMEOUT_MS,
} from '../server/src/base/replication-limits.ts';
import { type AnswerCall, Connection, type Listener } from './connection.ts';
import { Links } from './links.ts';
import type { SimulatedProcess } from './process.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

const CONNECT_TIMEOUT_MS = 20_000;

/** The network between the hosts of one simulation. */
export class SimulatedNetwork {
  readonly links: Links;
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  /** The processes that may still use the network, by name. */
  readonly processes = new Map<string, SimulatedProcess>();
  /** The process that listens on each host. */
  readonly #listeners = new Map<string, Listener>();
  readonly #connections = new Set<Connection>();

  constructor(scheduler: Scheduler, random: Random) {
    this.links = new Links(scheduler, random);
    this.#scheduler = scheduler;
    this.#random = random;
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
    const there = this.links.between(client.host, host);
    const back = this.links.between(host, client.host);
    const fail = (ms: number): void => {
      this.#scheduler.after(ms, `${client.name} cannot connect`, () => {
        if (client.isAlive) onFailed();
      });
    };
    this.#scheduler.after(this.links.delay(there), `${client.name} connects`, () => {
      if (!client.isAlive) return;
      if (there.isSilent || back.isSilent) return fail(CONNECT_TIMEOUT_MS);
      const listener = this.#listeners.get(host);
      if (listener === undefined) return fail(this.links.delay(back));
      const connection = new Connection(this.links, client, listener, () =>
        this.#connections.delete(connection),
      );
      this.#connections.add(connection);
      this.#scheduler.after(this.links.delay(back), `${client.name} is connected`, () => {
        if (!client.isAlive) return;
        if (connection.isLostFor('client')) onFailed();
        else onOpen(connection);
      });
    });
  }

  isConnected(client: SimulatedProcess): boolean {
    for (const connection of this.#connections) {
      if (connection.client === client && !connection.isLostFor('client')) return true;
    }
    return false;
  }

  /** Closes the connections of a process that stops in order. */
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
      connection.lose('client', this.#random.between(0, 5));
      connection.lose('server', this.#random.between(0, 5));
    }
  }

  /** Both ends of a connection notice by their keepalive, unless the silence ends before. */
  silence(from: string, to: string): void {
    const link = this.links.between(from, to);
    if (link.isSilent) return;
    link.isSilent = true;
    const min = REPLICATION_KEEPALIVE_TIMEOUT_MS;
    const max = REPLICATION_KEEPALIVE_TIMEOUT_MS + REPLICATION_KEEPALIVE_MS;
    for (const connection of this.#connections) {
      if (!connection.isBetween(from, to)) continue;
      for (const side of ['client', 'server'] as const) {
        this.#scheduler.after(this.#random.between(min, max), 'keepalive', () => {
          if (link.isSilent) connection.lose(side, 0);
        });
      }
    }
  }
}
