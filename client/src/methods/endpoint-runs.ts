import { callTo, type CallTarget, jsonBody } from '../operation-methods.ts';
import type { Server } from '../routing-replicas.ts';
import { type Answer, type Call, type CallOptions, pause, type Transport } from '../transport.ts';
import { TrellisError } from '../trellis-error.ts';

/** A JSON value as an endpoint takes it; `undefined` sends no body. */
export type EndpointBody = unknown;

export interface RunOptions extends CallOptions {
  /**
   * Told again and again while a run of mode "pooling" is under way; a promise is waited for before
   * the server is asked again.
   */
  readonly onRunning?: ((run: RunningEndpoint) => void | Promise<void>) | undefined;
}

/** The answer to a run. */
export interface EndpointAnswer {
  /** Chosen by the endpoint, also from 400 up. */
  readonly status: number;
  readonly headers: Headers;
  /** JSON, or empty. */
  readonly text: string;
}

/** A run of mode "pooling" that is under way. */
export interface RunningEndpoint {
  /** It belongs to this caller. */
  readonly key: string;
  /** From 0 to 1, as the endpoint said last; null when it did not. */
  readonly fraction: number | null;
  readonly text: string | null;
  /** Ends the run, for everybody who waits for it: they get `run_not_found`. */
  cancel(): Promise<void>;
}

/** The calls of custom endpoints: the methods of `client.endpoints` that are written by hand. */
export function endpointRuns(transport: Transport) {
  return {
    /**
     * Runs an endpoint and waits for its answer, also when it is of mode "pooling". The caller
     * names the answer's type.
     */
    run: <T = unknown>(name: string, body?: EndpointBody, options?: RunOptions): Promise<T> =>
      run(transport, callTo('endpoints', 'run', name), body, options),

    /**
     * As `run`, for those who want to see the answer as it came: the body is sent as the text that
     * it is, and a status that the endpoint chose is no failure. Rejects with what is an error body
     * (open-shapes, section 2).
     */
    runForAnswer: async (
      name: string,
      body?: string,
      options?: RunOptions,
    ): Promise<EndpointAnswer> => {
      const wanted = { ...callTo('endpoints', 'run', name), body, answers: REFUSING_STATUSES };
      const { response, text } = await answerOf(transport, wanted, options);
      return { status: response.status, headers: response.headers, text };
    },

    /** As `run`, with an endpoint token: the only kind that runs endpoints by this path. */
    runWithToken: <T = unknown>(
      name: string,
      body?: EndpointBody,
      options?: RunOptions,
    ): Promise<T> => run(transport, callTo('endpoints', 'runWithToken', name), body, options),

    /** As `run`, by the path that the front end uses. */
    runAlias: <T = unknown>(name: string, body?: EndpointBody, options?: RunOptions): Promise<T> =>
      run(transport, callTo('endpoints', 'runAlias', name), body, options),

    /**
     * Ends a run of mode "pooling" by its key, at the server where it was begun: `onRunning` knows
     * which.
     */
    cancelRun: (name: string, key: string, options?: CallOptions): Promise<void> =>
      cancel(transport, callTo('endpoints', 'cancelRun', name), key, options),

    /** As `cancelRun`, with an endpoint token. */
    cancelRunWithToken: (name: string, key: string, options?: CallOptions): Promise<void> =>
      cancel(transport, callTo('endpoints', 'cancelRunWithToken', name), key, options),

    /** As `cancelRun`, by the path that the front end uses. */
    cancelRunAlias: (name: string, key: string, options?: CallOptions): Promise<void> =>
      cancel(transport, callTo('endpoints', 'cancelRunAlias', name), key, options),
  };
}

async function run<T>(
  transport: Transport,
  target: CallTarget,
  body: EndpointBody,
  options?: RunOptions,
): Promise<T> {
  const { response, text } = await answerOf(transport, { ...target, ...jsonBody(body) }, options);
  try {
    return (text === '' ? undefined : JSON.parse(text)) as T;
  } catch {
    throw TrellisError.unexpectedAnswer(response, text);
  }
}

/**
 * While it runs the answer is 202 with a key; asking the same server again with the key alone joins
 * the same run (open-shapes, section 5). When a replica takes the run with it, it begins again: it
 * is one that only reads.
 */
async function answerOf(
  transport: Transport,
  wanted: Call,
  options: RunOptions = {},
): Promise<Answer> {
  const { onRunning, ...rest } = options;
  const first: Call = { ...wanted, ...rest };
  const { path, answers, isServedByReplicas } = wanted;
  for (let call = first; ;) {
    const answer = await transport.send(call).catch((error: unknown) => {
      if (call.server?.role === 'replica' && isConnectionFailure(error)) return null;
      throw error;
    });
    if (answer === null) {
      call = first;
      continue;
    }
    const { response, server } = answer;
    const key = response.headers.get('msk-endpoint-key');
    if (response.status !== 202 || key === null) return answer;
    const end = () =>
      cancel(
        transport,
        { method: 'DELETE', path, isServedByReplicas },
        key,
        { ...rest, signal: undefined },
        server,
      );
    await onRunning?.({ key, ...progressIn(response), cancel: end });
    await pause(transport.retry.pauseMs, options.signal);
    const headers = keyHeader(key);
    call = { method: 'POST', path, isServedByReplicas, headers, server, answers, ...rest };
  }
}

async function cancel(
  transport: Transport,
  target: CallTarget,
  key: string,
  options?: CallOptions,
  server?: Server,
): Promise<void> {
  await transport.send({ ...target, headers: keyHeader(key), server, ...options });
}

function keyHeader(key: string): Record<string, string> {
  return { 'msk-endpoint-key': key };
}

/** Statuses that other calls take for refusals. */
const REFUSING_STATUSES = Array.from({ length: 200 }, (_, at) => 400 + at);

/** `MSK-ENDPOINT-PROGRESS` is written as the query of a URL. */
function progressIn({ headers }: Response): Pick<RunningEndpoint, 'fraction' | 'text'> {
  const progress = new URLSearchParams(headers.get('msk-endpoint-progress') ?? '');
  const fraction = progress.get('fraction');
  return { fraction: fraction === null ? null : Number(fraction), text: progress.get('text') };
}

function isConnectionFailure(error: unknown): boolean {
  return error instanceof TrellisError && error.code === 'connection_failed';
}
