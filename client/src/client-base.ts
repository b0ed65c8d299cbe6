import type { ReplicaList } from './routing.ts';
import { Transport, type TransportOptions } from './transport.ts';

/** The part of a client that its methods share: see `TrellisClient`. */
export class ClientBase {
  protected readonly transport: Transport;

  constructor(options: TransportOptions) {
    this.transport = new Transport(options);
  }

  /** Address of the service, with replicas that of its primary; with a slash at its end. */
  get baseUrl(): URL {
    return new URL(this.transport.baseUrl);
  }

  /**
   * Sent with every call from now on. Signing in does not set it:
   * `client.token = (await client.login.create(...)).token`.
   */
  get token(): string | undefined {
    return this.transport.token;
  }

  set token(token: string | undefined) {
    this.transport.token = token;
  }

  /** The storage sequence number of this client's last write; 0 before the first. */
  get lastWriteSequence(): number {
    return this.transport.lastWriteSequence;
  }

  /**
   * From now on reads are shared with these replicas, checked before their next use: the text of
   * `MSKREPLICAURLS` or the `replicas` of a `REPLICAS_CHANGED` message, or URLs. Empty, all goes to
   * `baseUrl`.
   */
  setReplicas(replicas: ReplicaList): void {
    this.transport.routing.setReplicas(replicas);
  }
}

/** A method of a namespace, of the function that it is written as. */
export function bound<Args extends readonly unknown[], Result>(
  transport: Transport,
  method: (transport: Transport, ...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => method(transport, ...args);
}
