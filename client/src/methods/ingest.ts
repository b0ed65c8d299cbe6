import type { GraphOperation, IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import { type IngestSource, NdjsonStream } from '../ndjson.ts';
import { callTo, jsonBody } from '../operation-methods.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** It goes to the primary: a stream can be sent once only. */
export interface IngestStreamOptions extends Pick<CallOptions, 'signal'> {
  readonly gzip?: boolean | undefined;
}

/** One atomic commit of at most 10,000 operations. */
export function ingest(
  transport: Transport,
  operations: readonly GraphOperation[],
  options?: CallOptions,
): Promise<IngestSummary> {
  return transport.json({ ...callTo('graph', 'ingest'), ...jsonBody({ operations }), ...options });
}

/**
 * The operation `ingest` as a stream of any length, committed every 10,000 operations; what was
 * committed before an error stays. It is never repeated by itself. Browsers can stream a request
 * over HTTP/2 or later only.
 */
export async function ingestStream(
  transport: Transport,
  source: IngestSource,
  options: IngestStreamOptions = {},
): Promise<IngestSummary> {
  const { gzip = false, signal } = options;
  // Engines that some people still have do not know `using`.
  const lines = new NdjsonStream(source);
  const headers: Record<string, string> = { 'content-type': 'application/x-ndjson' };
  if (gzip) headers['content-encoding'] = 'gzip';
  const body = gzip ? lines.stream.pipeThrough(new CompressionStream('gzip')) : lines.stream;
  try {
    return await transport.json({ ...callTo('graph', 'ingest'), headers, body, signal });
  } catch (error) {
    throw lines.failure === undefined ? error : lines.failure.error;
  } finally {
    lines.close();
  }
}
