import type { LinkFaults } from './tcp-proxy.ts';
import { TcpProxy } from './tcp-proxy.ts';

/** Where a primary is reached. */
export interface PrimaryPorts {
  readonly host: string;
  readonly httpPort: number;
  readonly replicationPort: number;
}

/** How a replica reaches its primary. */
export interface PrimaryRoute {
  /** For `MSK_PRIMARY_ADDRESS`. */
  readonly address: string;
  /** With the port for `MSK_REPLICATION_PORT`. */
  readonly channel: { readonly port: number };
}

/** The network between a replica and its primary: registration and channel pass a proxy each. */
export class Link implements AsyncDisposable, PrimaryRoute {
  readonly http: TcpProxy;
  readonly channel: TcpProxy;

  private constructor(http: TcpProxy, channel: TcpProxy) {
    this.http = http;
    this.channel = channel;
  }

  static async to(primary: PrimaryPorts, random?: () => number): Promise<Link> {
    const { host, httpPort, replicationPort } = primary;
    const http = await TcpProxy.listen({ host, port: httpPort }, random);
    return new Link(http, await TcpProxy.listen({ host, port: replicationPort }, random));
  }

  get address(): string {
    return `http://127.0.0.1:${this.http.port}`;
  }

  pointTo({ host, httpPort, replicationPort }: PrimaryPorts): void {
    this.http.target = { host, port: httpPort };
    this.channel.target = { host, port: replicationPort };
  }

  cut(): void {
    for (const proxy of this.#both) proxy.cut();
  }

  hold(): void {
    for (const proxy of this.#both) proxy.hold();
  }

  mend(): void {
    for (const proxy of this.#both) proxy.mend();
  }

  impair(faults: Partial<LinkFaults>): void {
    for (const proxy of this.#both) proxy.impair(faults);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const proxy of this.#both) await proxy[Symbol.asyncDispose]();
  }

  get #both(): readonly TcpProxy[] {
    return [this.http, this.channel];
  }
}
