import type { OpenSpan, Telemetry } from '#observe/telemetry/telemetry.ts';
import type { ProviderTransport } from '#assistant/router/provider-client.ts';
import type { CallObserver } from '#runtime/sandbox/endpoint-call.ts';
import type { Fetch } from '#base/outbound.ts';

/** A span and a duration for each call of an endpoint; undefined without telemetry. */
export function callObserver(telemetry: Telemetry | undefined): CallObserver | undefined {
  if (telemetry === undefined) return undefined;
  return {
    begin: ({ endpoint, isNested }) => {
      const startedAt = performance.now();
      const span = telemetry.startSpan(`endpoint ${endpoint}`, {
        attributes: { 'trellis.endpoint.name': endpoint, 'trellis.endpoint.nested': isNested },
      });
      return {
        traceparent: span.traceparent,
        within: (work) => span.run(work),
        end: (fault) => {
          if (fault !== undefined) span.fail(fault);
          span.end();
          telemetry.record('trellis.endpoint.duration', (performance.now() - startedAt) / 1_000, {
            'trellis.endpoint.name': endpoint,
            'trellis.endpoint.outcome': fault ?? 'ok',
          });
        },
      };
    },
  };
}

/**
 * `fetch` with a span for each request, which it names in `traceparent`; without telemetry it is
 * `fetch` itself.
 */
export function observedFetch<F extends Fetch>(
  fetch: F,
  telemetry: Telemetry | undefined,
): F | Fetch {
  if (telemetry === undefined) return fetch;
  return (address, options) =>
    observe(telemetry, { address, method: options.method ?? 'GET' }, async (span) => {
      const headers = new Headers(options.headers);
      if (span.traceparent !== undefined) headers.set('traceparent', span.traceparent);
      const response = await fetch(address, { ...options, headers });
      return { response, status: response.status };
    });
}

/** The same for requests to providers of models. */
export function observedTransport(
  send: ProviderTransport,
  telemetry: Telemetry | undefined,
): ProviderTransport {
  if (telemetry === undefined) return send;
  return (address, request) =>
    observe(telemetry, { address, method: 'POST' }, async ({ traceparent }) => {
      const headers = { ...request.headers, ...(traceparent === undefined ? {} : { traceparent }) };
      const response = await send(address, { ...request, headers });
      return { response, status: response.status };
    });
}

interface Sent<T> {
  readonly response: T;
  readonly status: number;
}

/**
 * Measures a request up to the head of its answer. Only the host of the address is told: paths and
 * queries hold keys now and then.
 */
async function observe<T>(
  telemetry: Telemetry,
  { address, method }: { readonly address: string; readonly method: string },
  send: (span: OpenSpan) => Promise<Sent<T>>,
): Promise<T> {
  const startedAt = performance.now();
  const url = URL.parse(address);
  const attributes = {
    'http.request.method': method,
    'server.address': url?.hostname ?? '',
    'server.port': Number(url?.port || (url?.protocol === 'https:' ? 443 : 80)),
  };
  const span = telemetry.startSpan(method, { kind: 'client', attributes });
  let status: { readonly 'http.response.status_code'?: number } = {};
  try {
    const { response, status: code } = await span.run(() => send(span));
    status = { 'http.response.status_code': code };
    span.set(status);
    if (code >= 400) span.fail(String(code));
    return response;
  } catch (error) {
    span.fail(error instanceof Error ? error.name : 'error');
    throw error;
  } finally {
    span.end();
    const { 'server.port': _port, ...labels } = attributes;
    const seconds = (performance.now() - startedAt) / 1_000;
    telemetry.record('http.client.request.duration', seconds, { ...labels, ...status });
  }
}
