import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { webhookMessage } from '@trellis/contract/shapes/webhook.ts';
import { expect } from 'vitest';
import { Webhook as Verifier } from 'standardwebhooks';

export interface ReceivedChange {
  readonly action: string;
  readonly type?: string;
  readonly edge?: string;
  readonly uid?: string;
  readonly key?: string | null;
  readonly node?: Readonly<Record<string, unknown>>;
  readonly isCut?: boolean;
  readonly [member: string]: unknown;
}

export interface ReceivedBody {
  readonly type: string;
  readonly sequence: number;
  readonly time: string;
  readonly part?: number;
  readonly isLast?: boolean;
  readonly changes: readonly ReceivedChange[];
}

export interface Received {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: ReceivedBody;
}

type Answer = (response: ServerResponse, received: Received) => void;

/** A server that deliveries of webhooks go to. It answers 204 unless a test says otherwise. */
export class WebhookReceiver implements AsyncDisposable {
  readonly received: Received[] = [];
  /** Answers instead of 204. */
  answer: Answer | undefined;
  readonly #server = createServer((request, response) => void this.#take(request, response));

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get origin(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  get url(): string {
    return `${this.origin}/hook`;
  }

  get bodies(): readonly ReceivedBody[] {
    return this.received.map(({ body }) => body);
  }

  get changes(): readonly ReceivedChange[] {
    return this.bodies.flatMap(({ changes }) => changes);
  }

  /** What came, once so many deliveries have. */
  async wait(count: number): Promise<readonly Received[]> {
    await expect.poll(() => this.received.length).toBeGreaterThanOrEqual(count);
    return this.received;
  }

  /** Throws unless a delivery is signed with the secret, as the makers of the standard check it. */
  static verify(secret: string, { text: body, headers }: Received): void {
    new Verifier(secret).verify(body, { ...headers });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const id = headers['webhook-id'] ?? '';
    // As the OpenAPI document describes it.
    webhookMessage.parse(JSON.parse(body));
    const received = { id, headers, text: body, body: JSON.parse(body) as ReceivedBody };
    this.received.push(received);
    if (this.answer === undefined) response.writeHead(204).end();
    else this.answer(response, received);
  }
}
