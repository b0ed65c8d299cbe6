import type { ReplicaList } from './routing.ts';
import { type Call, type CallOptions, Transport, type TransportOptions } from './transport.ts';

/** The part of a client that its methods share: see `TrellisClient`. */
export class ClientBase {
  protected readonly transport: Transport;

  constructor(options: TransportOptions) {
    this.transport = new Transport(options);
  }

  /** Of the service, and with replicas of its primary; with a slash at its end. */
  get baseUrl(): URL {
    return new URL(this.transport.baseUrl);
  }

  /** Sent with every call from now on. Signing in does not set it: `client.token = (await client.createLogin(...)).token`. */
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
   * From now on reads are shared with these replicas, checked before their next use: the text of `MSKREPLICAURLS` or the
   * `replicas` of a `REPLICAS_CHANGED` message, or URLs. Empty, all goes to `baseUrl`.
   */
  setReplicas(replicas: ReplicaList): void {
    this.transport.routing.setReplicas(replicas);
  }

  protected get<T>(path: string, options?: CallOptions, query?: Call['query']): Promise<T> {
    return this.transport.json({ method: 'GET', path, query, ...options });
  }

  protected post<T>(path: string, body: unknown, options?: CallOptions): Promise<T> {
    return this.transport.json({ method: 'POST', path, ...jsonBody(body), ...options });
  }

  protected put<T>(path: string, body: unknown, options?: CallOptions): Promise<T> {
    return this.transport.json({ method: 'PUT', path, ...jsonBody(body), ...options });
  }

  /** For an answer without a body. */
  protected async tell(
    method: Call['method'],
    path: string,
    body: unknown,
    options?: CallOptions,
  ): Promise<void> {
    await this.transport.send({ method, path, ...jsonBody(body), ...options });
  }
}

export function jsonBody(value: unknown): { body?: string } {
  return value === undefined ? {} : { body: JSON.stringify(value) };
}

/** Names may contain "/": each segment is escaped for itself. */
export function pathOf(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}
