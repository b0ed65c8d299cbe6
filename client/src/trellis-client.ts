import type {
  EndpointChange,
  EndpointCheck,
  EndpointDefinition,
  EndpointDraft,
  NewEndpoint,
} from '@trellis/contract/shapes/endpoint.ts';
import type { HealthReport, HealthSummary } from '@trellis/contract/shapes/health.ts';
import type {
  ReplicaHealth,
  ReplicaOverview,
  ReplicaRole,
  ReplicaVerification,
} from '@trellis/contract/shapes/replica.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import type { PageRequest } from './pages.ts';
import { jsonBody, pathOf } from './client-base.ts';
import { AdminAgentClient } from './admin-agent-client.ts';
import type { Server } from './routing-replicas.ts';
import { SystemEndpoints } from './system-endpoints.ts';
import { type Answer, type Call, type CallOptions, pause } from './transport.ts';
import { TrellisError } from './trellis-error.ts';

/** A JSON value as an endpoint takes it; `undefined` sends no body. */
export type EndpointBody = unknown;

export interface RunOptions extends CallOptions {
  /** Told again and again while a run of mode "pooling" is under way; a promise is waited for before the server is asked again. */
  readonly onRunning?: ((run: RunningEndpoint) => void | Promise<void>) | undefined;
}

/** What a run was answered with. */
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

/**
 * The service's API, one method an operation, under the operation's id. Runs in Node and in browsers, without dependencies.
 * Every method rejects with a `TrellisError`, or with the signal's reason when it was aborted.
 */
export class TrellisClient extends AdminAgentClient {
  readonly system = new SystemEndpoints((name, body, options) =>
    this.runEndpointAlias(name, body, options),
  );

  createEndpoint(endpoint: NewEndpoint, options?: CallOptions): Promise<EndpointDefinition> {
    const path = '/api/endpoints/create';
    return this.transport.json({ method: 'POST', path, ...jsonBody(endpoint), ...options });
  }

  /** One page, by name; `eachItem` gives them all. */
  listEndpoints(page: PageRequest = {}, options?: CallOptions): Promise<List<EndpointDefinition>> {
    const { skip, take } = page;
    return this.transport.json({
      method: 'GET',
      path: '/api/endpoints',
      query: { skip, take },
      ...options,
    });
  }

  getEndpoint(name: string, options?: CallOptions): Promise<EndpointDefinition> {
    return this.transport.json({
      method: 'GET',
      path: `/api/endpoints/${pathOf(name)}`,
      ...options,
    });
  }

  /** What is left out of the change stays as it is. */
  putEndpoint(
    name: string,
    change: EndpointChange,
    options?: CallOptions,
  ): Promise<EndpointDefinition> {
    const path = `/api/endpoints/${pathOf(name)}`;
    return this.transport.json({ method: 'PUT', path, ...jsonBody(change), ...options });
  }

  async deleteEndpoint(name: string, options?: CallOptions): Promise<void> {
    const path = `/api/endpoints/${pathOf(name)}`;
    await this.transport.send({ method: 'DELETE', path, ...options });
  }

  /** Compiles code against the live schema without saving it. */
  checkEndpoint(draft: EndpointDraft, options?: CallOptions): Promise<EndpointCheck> {
    const path = '/api/endpoints/check';
    return this.transport.json({ method: 'POST', path, ...jsonBody(draft), ...options });
  }

  /** Runs an endpoint and waits for its answer, also when it is of mode "pooling". The caller names the answer's type. */
  runEndpoint<T = unknown>(name: string, body?: EndpointBody, options?: RunOptions): Promise<T> {
    return this.#run(`/api/endpoints/run/${pathOf(name)}`, body, options);
  }

  /**
   * As `runEndpoint`, for those who want to see the answer as it came: the body is sent as the text that it is, and a status
   * that the endpoint chose is no failure. Rejects with what is an error body (open-shapes, section 2).
   */
  async runEndpointForAnswer(
    name: string,
    body?: string,
    options?: RunOptions,
  ): Promise<EndpointAnswer> {
    const path = `/api/endpoints/run/${pathOf(name)}`;
    const { response, text } = await this.#answer(
      { method: 'POST', path, body, answers: REFUSING_STATUSES },
      options,
    );
    return { status: response.status, headers: response.headers, text };
  }

  /** As `runEndpoint`, with an endpoint token: the only kind that runs endpoints by this path. */
  runEndpointWithToken<T = unknown>(
    name: string,
    body?: EndpointBody,
    options?: RunOptions,
  ): Promise<T> {
    return this.#run(`/api/endpoints/token/run/${pathOf(name)}`, body, options);
  }

  /** As `runEndpoint`, by the path that the front end uses. */
  runEndpointAlias<T = unknown>(
    name: string,
    body?: EndpointBody,
    options?: RunOptions,
  ): Promise<T> {
    return this.#run(`/api/cce/${pathOf(name)}`, body, options);
  }

  /** Ends a run of mode "pooling" by its key, at the server where it was begun: `onRunning` knows which. */
  cancelRun(name: string, key: string, options?: CallOptions): Promise<void> {
    return this.#cancel(`/api/endpoints/run/${pathOf(name)}`, key, options);
  }

  /** As `cancelRun`, with an endpoint token. */
  cancelRunWithToken(name: string, key: string, options?: CallOptions): Promise<void> {
    return this.#cancel(`/api/endpoints/token/run/${pathOf(name)}`, key, options);
  }

  /** As `cancelRun`, by the path that the front end uses. */
  cancelRunAlias(name: string, key: string, options?: CallOptions): Promise<void> {
    return this.#cancel(`/api/cce/${pathOf(name)}`, key, options);
  }

  /** Whether the graph is loaded. */
  getReady(options?: CallOptions): Promise<boolean> {
    return this.transport.json({ method: 'GET', path: '/api/graph/ready', ...options });
  }

  /** The check of a load balancer; not being available is an answer, not an error. */
  async getAvailableStatus(options?: CallOptions): Promise<'available' | 'not available'> {
    const path = '/api/available-status';
    const call = { method: 'GET', path, answers: [503], ...options } as const;
    const { response } = await this.transport.send(call);
    return response.ok ? 'available' : 'not available';
  }

  /** Memory, disk and readiness; a server that is not ready yet answers too. */
  getHealth(options?: CallOptions): Promise<HealthReport | HealthSummary> {
    return this.transport.json({ method: 'GET', path: '/health', answers: [503], ...options });
  }

  /** The replicas of a primary and how far they are behind; of a replica who it is. */
  getReplicaHealth(options?: CallOptions): Promise<ReplicaHealth> {
    return this.transport.json({ method: 'GET', path: '/health/replica', ...options });
  }

  /** Whether the server that answers is a replica; for administrators. */
  getReplicaRole(options?: CallOptions): Promise<ReplicaRole> {
    return this.transport.json({ method: 'GET', path: '/api/graph/replica', ...options });
  }

  /** The primary and its replicas, with how far each is; for administrators. */
  listReplicas(options?: CallOptions): Promise<ReplicaOverview> {
    return this.transport.json({ method: 'GET', path: '/api/replicas', ...options });
  }

  /** Compares the state of every replica with the primary's, which takes as long as reading it; for administrators. */
  verifyReplicas(options?: CallOptions): Promise<ReplicaVerification> {
    return this.post('/api/replicas/verify', undefined, options);
  }

  async #run<T>(path: string, body: EndpointBody, options?: RunOptions): Promise<T> {
    const { text } = await this.#answer({ method: 'POST', path, ...jsonBody(body) }, options);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /**
   * While it runs the answer is 202 with a key; asking the same server again with the key alone joins the same run
   * (open-shapes, section 5). When a replica takes the run with it, it begins again: it is one that only reads.
   */
  async #answer(wanted: Call, options: RunOptions = {}): Promise<Answer> {
    const { onRunning, ...rest } = options;
    const first: Call = { ...wanted, ...rest };
    const { path, answers } = wanted;
    for (let call = first; ;) {
      const answer = await this.transport.send(call).catch((error: unknown) => {
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
      const cancel = () => this.#cancel(path, key, { ...rest, signal: undefined }, server);
      await onRunning?.({ key, ...progressIn(response), cancel });
      await pause(this.transport.retry.pauseMs, options.signal);
      call = { method: 'POST', path, headers: keyHeader(key), server, answers, ...rest };
    }
  }

  async #cancel(path: string, key: string, options?: CallOptions, server?: Server): Promise<void> {
    await this.transport.send({
      method: 'DELETE',
      path,
      headers: keyHeader(key),
      server,
      ...options,
    });
  }
}

function keyHeader(key: string): Record<string, string> {
  return { 'msk-endpoint-key': key };
}

/** Those that are taken for refusals elsewhere. */
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
