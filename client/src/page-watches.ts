import type { EndpointBody } from './methods/endpoint-runs.ts';
import type { TrellisClient } from './trellis-client.ts';
import { TrellisError } from './trellis-error.ts';

/** What a question has come to. */
export interface Told<Data> {
  readonly value: (data: Data) => void;
  readonly fault: (error: unknown) => void;
  /** What passes by itself: whoever has an answer keeps it, and learns nothing of it. */
  readonly delay: (error: unknown) => void;
}

interface Asked<Data> {
  readonly client: TrellisClient;
  readonly name: string;
  readonly body: EndpointBody;
  readonly signal: AbortSignal;
  readonly told: Told<Data>;
}

/** Browsers open six connections to a server, for all that they show of it. */
const WATCHES_MAX = 4;
const watches = new WeakMap<TrellisClient, number>();

/** The endpoint may not be watched; `route_not_found` is of an older server. */
const UNWATCHABLE: ReadonlySet<string> = new Set(['not_read_only', 'route_not_found']);
const FULL: ReadonlySet<string> = new Set(['too_many_watches', 'watches_full']);
const PASSING: ReadonlySet<string> = new Set(['connection_failed', 'server_stopping']);

/**
 * Watches an endpoint as long as the page is shown, and asks once where that cannot be. Resolves at
 * the end of the signal, or when it has asked.
 */
export async function watchOrAsk<Data>(asked: Asked<Data>): Promise<void> {
  const { client, name, body, signal, told } = asked;
  const ask = async (): Promise<void> =>
    told.value(await client.endpoints.run<Data>(name, body, { signal }));
  const before = watches.get(client) ?? 0;
  if (before >= WATCHES_MAX) return ask();
  watches.set(client, before + 1);
  try {
    while (!signal.aborted) {
      const hidden = pageBecomes('hidden', signal);
      await watchUntil(AbortSignal.any([signal, hidden]), asked, ask);
      if (!signal.aborted) await aborted(pageBecomes('visible', signal));
    }
  } catch (error) {
    if (!(error instanceof TrellisError) || !UNWATCHABLE.has(error.code)) throw error;
    await ask();
  } finally {
    watches.set(client, (watches.get(client) ?? 1) - 1);
  }
}

async function watchUntil<Data>(
  signal: AbortSignal,
  { client, name, body, told }: Asked<Data>,
  ask: () => Promise<void>,
): Promise<void> {
  let isAsked = false;
  const askMeanwhile = async (): Promise<void> => {
    try {
      await ask();
    } catch (error) {
      told.fault(error);
    }
  };
  const onError = (error: unknown): void => {
    const code = error instanceof TrellisError ? error.code : 'connection_failed';
    if (PASSING.has(code)) return told.delay(error);
    if (!FULL.has(code)) return told.fault(error);
    // Until there is room.
    if (!isAsked) void askMeanwhile();
    isAsked = true;
    return undefined;
  };
  await client.watchEndpoint<Data>(name, body, told.value, { signal, onError });
}

/** What of `document` is looked at; there is none outside of browsers. */
interface Page extends EventTarget {
  readonly visibilityState: string;
}

/** Aborts once the page becomes so, or is visible already; and with the signal. */
function pageBecomes(state: 'hidden' | 'visible', signal: AbortSignal): AbortSignal {
  const { document: page } = globalThis as { readonly document?: Page };
  if (page === undefined) return signal;
  const changed = new AbortController();
  const look = (): void => {
    if (page.visibilityState === state) changed.abort();
  };
  const any = AbortSignal.any([signal, changed.signal]);
  page.addEventListener('visibilitychange', look, { signal: any });
  // Who opens a page in the background wants it to be there when they come to it.
  if (state === 'visible') look();
  return any;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
