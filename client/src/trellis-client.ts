import type {
  EndpointChange,
  EndpointCheck,
  EndpointDefinition,
  EndpointDraft,
  NewEndpoint,
} from '@trellis/contract/shapes/endpoint.ts';
import type { GraphOperation, IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import type { HealthReport } from '@trellis/contract/shapes/health.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { type IngestSource, NdjsonStream } from './ndjson.ts';
import type { PageRequest } from './pages.ts';
import {
  type Call,
  type CallOptions,
  pause,
  Transport,
  type TransportOptions,
} from './transport.ts';

export interface IngestStreamOptions extends CallOptions {
  readonly gzip?: boolean | undefined;
}

/** A JSON value as an endpoint takes it; `undefined` sends no body. */
export type EndpointBody = unknown;

/**
 * The service's API, one method an operation, under the operation's id. Runs in Node and in browsers, without dependencies.
 * Every method rejects with a `TrellisError`, or with the signal's reason when it was aborted.
 */
export class TrellisClient {
  readonly #transport: Transport;

  constructor(options: TransportOptions) {
    this.#transport = new Transport(options);
  }

  /** Sent with every call from now on. Signing in does not set it: `client.token = (await client.createLogin(...)).token`. */
  get token(): string | undefined {
    return this.#transport.token;
  }

  set token(token: string | undefined) {
    this.#transport.token = token;
  }

  /** The storage sequence number of this client's last write; 0 before the first. */
  get lastWriteSequence(): number {
    return this.#transport.lastWriteSequence;
  }

  /** Signs in. `expiresAt` is ISO 8601, UTC. */
  createLogin(
    login: { readonly user: string; readonly password: string },
    options?: CallOptions,
  ): Promise<{ token: string; expiresAt: string }> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/login/create',
      ...jsonBody(login),
      ...options,
    });
  }

  /** Tells who the session belongs to. */
  checkLogin(options?: CallOptions): Promise<{ user: { uid: string; name: string } }> {
    return this.#transport.json({ method: 'GET', path: '/api/login/check', ...options });
  }

  /** Changes the caller's own password; their other sessions end. */
  async changePassword(
    passwords: { readonly oldPassword: string; readonly newPassword: string },
    options?: CallOptions,
  ): Promise<void> {
    const path = '/api/login/password/change';
    await this.#transport.send({ method: 'POST', path, ...jsonBody(passwords), ...options });
  }

  getSchema(options?: CallOptions): Promise<SchemaDocument> {
    return this.#transport.json({ method: 'GET', path: '/api/schema', ...options });
  }

  /** Adds and widens; answers the whole schema after the change. */
  putSchema(schema: SchemaDocument, options?: CallOptions): Promise<SchemaDocument> {
    return this.#transport.json({
      method: 'PUT',
      path: '/api/schema',
      ...jsonBody(schema),
      ...options,
    });
  }

  /** One atomic commit of at most 10,000 operations. */
  ingest(operations: readonly GraphOperation[], options?: CallOptions): Promise<IngestSummary> {
    const path = '/api/ingest';
    return this.#transport.json({ method: 'POST', path, ...jsonBody({ operations }), ...options });
  }

  /**
   * The operation `ingest` as a stream of any length, committed every 10,000 operations; what was committed before an error
   * stays. It is never repeated by itself. Browsers can stream a request over HTTP/2 or later only.
   */
  async ingestStream(
    source: IngestSource,
    options: IngestStreamOptions = {},
  ): Promise<IngestSummary> {
    using lines = new NdjsonStream(source);
    const headers: Record<string, string> = { 'content-type': 'application/x-ndjson' };
    if (options.gzip === true) headers['content-encoding'] = 'gzip';
    const compression = options.gzip === true ? new CompressionStream('gzip') : undefined;
    const body = compression === undefined ? lines.stream : lines.stream.pipeThrough(compression);
    try {
      const { signal } = options;
      return await this.#transport.json({
        method: 'POST',
        path: '/api/ingest',
        headers,
        body,
        signal,
      });
    } catch (error) {
      throw lines.failure === undefined ? error : lines.failure.error;
    }
  }

  createEndpoint(endpoint: NewEndpoint, options?: CallOptions): Promise<EndpointDefinition> {
    const path = '/api/endpoints/create';
    return this.#transport.json({ method: 'POST', path, ...jsonBody(endpoint), ...options });
  }

  /** One page, by name; `eachItem` gives them all. */
  listEndpoints(page: PageRequest = {}, options?: CallOptions): Promise<List<EndpointDefinition>> {
    const { skip, take } = page;
    return this.#transport.json({
      method: 'GET',
      path: '/api/endpoints',
      query: { skip, take },
      ...options,
    });
  }

  getEndpoint(name: string, options?: CallOptions): Promise<EndpointDefinition> {
    return this.#transport.json({
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
    return this.#transport.json({ method: 'PUT', path, ...jsonBody(change), ...options });
  }

  async deleteEndpoint(name: string, options?: CallOptions): Promise<void> {
    const path = `/api/endpoints/${pathOf(name)}`;
    await this.#transport.send({ method: 'DELETE', path, ...options });
  }

  /** Compiles code against the live schema without saving it. */
  checkEndpoint(draft: EndpointDraft, options?: CallOptions): Promise<EndpointCheck> {
    const path = '/api/endpoints/check';
    return this.#transport.json({ method: 'POST', path, ...jsonBody(draft), ...options });
  }

  /** Runs an endpoint and waits for its answer, also when it is of mode "pooling". The caller names the answer's type. */
  runEndpoint<T = unknown>(name: string, body?: EndpointBody, options?: CallOptions): Promise<T> {
    return this.#run(`/api/endpoints/run/${pathOf(name)}`, body, options);
  }

  /** As `runEndpoint`, by the path that the front end uses. */
  runEndpointAlias<T = unknown>(
    name: string,
    body?: EndpointBody,
    options?: CallOptions,
  ): Promise<T> {
    return this.#run(`/api/cce/${pathOf(name)}`, body, options);
  }

  /** Whether the graph is loaded. */
  getReady(options?: CallOptions): Promise<boolean> {
    return this.#transport.json({ method: 'GET', path: '/api/graph/ready', ...options });
  }

  /** The check of a load balancer; not being available is an answer, not an error. */
  async getAvailableStatus(options?: CallOptions): Promise<'available' | 'not available'> {
    const path = '/api/available-status';
    const call = { method: 'GET', path, answers: [503], ...options } as const;
    const { response } = await this.#transport.send(call);
    return response.ok ? 'available' : 'not available';
  }

  /** Memory, disk and readiness; a server that is not ready yet answers too. */
  getHealth(options?: CallOptions): Promise<HealthReport> {
    return this.#transport.json({ method: 'GET', path: '/health', answers: [503], ...options });
  }

  /** While it runs the answer is 202 with a key; asking again with the key alone joins the same run (open-shapes, section 5). */
  async #run<T>(path: string, body: EndpointBody, options: CallOptions = {}): Promise<T> {
    let call: Call = { method: 'POST', path, ...jsonBody(body), ...options };
    for (;;) {
      const { response, text } = await this.#transport.send(call);
      const key = response.headers.get('msk-endpoint-key');
      if (response.status !== 202 || key === null) {
        return (text === '' ? undefined : JSON.parse(text)) as T;
      }
      await pause(this.#transport.retry.pauseMs, options.signal);
      call = { method: 'POST', path, headers: { 'msk-endpoint-key': key }, ...options };
    }
  }
}

function jsonBody(value: unknown): { body?: string } {
  return value === undefined ? {} : { body: JSON.stringify(value) };
}

/** Names may contain "/": each segment is escaped for itself. */
function pathOf(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}
