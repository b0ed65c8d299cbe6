import { readEvents } from '@trellis/client/event-stream.ts';

export interface WatchEvent {
  readonly event: string;
  readonly id: string;
  readonly data: unknown;
}

interface Watched {
  readonly url: string;
  readonly token: string;
  readonly path: string;
  readonly body?: unknown;
  readonly lastEventId?: string | undefined;
}

/** One connection that watches an endpoint, as a plain client sees it. */
export class WatchedEndpoint implements AsyncDisposable {
  readonly response: Response;
  readonly #controller: AbortController;
  readonly #events: AsyncGenerator<WatchEvent, void, undefined>;

  private constructor(response: Response, controller: AbortController) {
    this.response = response;
    this.#controller = controller;
    this.#events = eventsOf(response);
  }

  static async open({ url, token, path, body, lastEventId }: Watched): Promise<WatchedEndpoint> {
    const controller = new AbortController();
    const response = await fetch(new URL(`/api/endpoints/${path}`, url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
      body: JSON.stringify(body ?? {}),
      signal: controller.signal,
    });
    return new WatchedEndpoint(response, controller);
  }

  /** The next event but signs of life; undefined at the end of the stream. */
  async next(): Promise<WatchEvent | undefined> {
    for (;;) {
      const { done, value } = await this.#events.next();
      if (done === true) return undefined;
      if (value.event !== 'ping') return value;
    }
  }

  /** Reads on until there is this value; gives what came before it, and it. */
  async until(value: unknown): Promise<readonly WatchEvent[]> {
    const wanted = JSON.stringify(value);
    const seen: WatchEvent[] = [];
    for (;;) {
      const event = await this.next();
      if (event === undefined) throw new Error(`ended after ${JSON.stringify(seen)}`);
      seen.push(event);
      if (event.event === 'value' && JSON.stringify(Object(event.data).value) === wanted) {
        return seen;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.abort();
    await this.#events.next().catch(() => undefined);
  }
}

async function* eventsOf(response: Response): AsyncGenerator<WatchEvent, void, undefined> {
  for await (const { event, lastEventId, data } of readEvents(response)) {
    yield { event, id: lastEventId, data: JSON.parse(data) };
  }
}
