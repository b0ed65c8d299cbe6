import { readEvents } from '../event-stream.ts';
import { callTo, type CallTarget, jsonBody } from '../operation-methods.ts';
import { type CallOptions, pause, type Transport } from '../transport.ts';
import { TrellisError } from '../trellis-error.ts';
import type { EndpointBody } from './endpoint-runs.ts';

export interface WatchEndpointOptions extends CallOptions {
  /**
   * Told why there is no answer for now: the code of the endpoint failed, or the connection was
   * lost. The watch goes on.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Told each answer, and the sequence of the commit that it shows. */
export type OnValue<T> = (value: T, sequence: number) => void;

/** The server sends a sign of life each 15 seconds. */
const SILENT_MS = 45_000;
const BACK_OFF_MAX_MS = 30_000;

/** The watches of endpoints: see `TrellisClient.watchEndpoint`. */
export function endpointWatches(transport: Transport) {
  return {
    /**
     * Tells the answer of a read-only endpoint at once, and each time that it changes; it is as
     * `client.watchEndpoint`.
     */
    watch: <T = unknown>(
      name: string,
      body: EndpointBody,
      onValue: OnValue<T>,
      options?: WatchEndpointOptions,
    ): Promise<void> =>
      watch(transport, { ...callTo('endpoints', 'watch', name), body }, onValue, options),

    /** As `watch`, with an endpoint token. */
    watchWithToken: <T = unknown>(
      name: string,
      body: EndpointBody,
      onValue: OnValue<T>,
      options?: WatchEndpointOptions,
    ): Promise<void> =>
      watch(transport, { ...callTo('endpoints', 'watchWithToken', name), body }, onValue, options),
  };
}

async function watch<T>(
  transport: Transport,
  { body, ...target }: CallTarget & { readonly body: EndpointBody },
  onValue: OnValue<T>,
  { onError, signal, ...routing }: WatchEndpointOptions = {},
): Promise<void> {
  let lastEventId = '';
  let failures = 0;
  const hasEnded = (): boolean => signal?.aborted === true;
  for (;;) {
    if (hasEnded()) return;
    const silence = new Silence(SILENT_MS);
    const until = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
    try {
      const headers: Record<string, string> = { accept: 'text/event-stream' };
      if (lastEventId !== '') headers['last-event-id'] = lastEventId;
      const { response } = await transport.send({
        ...target,
        ...jsonBody(body),
        ...routing,
        headers,
        streams: true,
        signal: until,
      });
      for await (const event of readEvents(response)) {
        silence.broken();
        failures = 0;
        if (event.event === 'value') {
          const { value, sequence } = JSON.parse(event.data) as { value: T; sequence: number };
          ({ lastEventId } = event);
          onValue(value, sequence);
        } else if (event.event === 'error') {
          const error = TrellisError.fromBody(response, event.data);
          // Whoever was told that there is no answer is to be told the same one again.
          if (error?.code !== 'server_stopping') lastEventId = '';
          onError?.(error);
        }
      }
    } catch (error) {
      if (hasEnded()) return;
      if (!silence.signal.aborted && !isPassing(error)) throw error;
      onError?.(error);
    } finally {
      silence.end();
    }
    const backOff = transport.retry.pauseMs * 2 ** Math.min(failures++, 10);
    const waitMs = Math.min(backOff, BACK_OFF_MAX_MS) * (0.5 + Math.random() / 2);
    await pause(waitMs, signal).catch(() => undefined);
  }
}

/** Aborts when nothing has been heard for so long. */
class Silence {
  readonly #controller = new AbortController();
  readonly #ms: number;
  #timer: ReturnType<typeof setTimeout>;

  constructor(ms: number) {
    this.#ms = ms;
    this.#timer = this.#start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  broken(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #start(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#controller.abort(new Error('nothing was heard')), this.#ms);
  }
}

/** What may be over when the client comes back: no connection, a server that starts or is full. */
function isPassing(error: unknown): boolean {
  // A body that breaks off.
  if (error instanceof TypeError) return true;
  if (!(error instanceof TrellisError)) return false;
  const { status, code } = error;
  return code === 'connection_failed' || status === 429 || [502, 503, 504].includes(status);
}
