import type { GraphOperation, IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import type {
  ManyFields,
  NodeObject,
  NodeQuery,
  NodeSelection,
  NodeVersion,
  SyntheticNodes,
} from '@trellis/contract/shapes/node.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { jsonBody } from './client-base.ts';
import { type IngestSource, NdjsonStream } from './ndjson.ts';
import type { PageRequest } from './pages.ts';
import { PeopleClient } from './people-client.ts';
import type { CallOptions } from './transport.ts';

/** It goes to the primary: a stream can be sent once only. */
export interface IngestStreamOptions extends Pick<CallOptions, 'signal'> {
  readonly gzip?: boolean | undefined;
}

export interface DownloadOptions extends CallOptions {
  /** Where the links in it lead; without it they are relative. */
  readonly baseURL?: string | undefined;
}

/** The bytes of a download as they arrive. */
export type Download = ReadableStream<Uint8Array<ArrayBuffer>>;

/** The schema, ingestion, and reads of nodes. */
export class GraphClient extends PeopleClient {
  getSchema(options?: CallOptions): Promise<SchemaDocument> {
    return this.transport.json({ method: 'GET', path: '/api/schema', ...options });
  }

  /** Adds and widens; answers the whole schema after the change. */
  putSchema(schema: SchemaDocument, options?: CallOptions): Promise<SchemaDocument> {
    return this.transport.json({
      method: 'PUT',
      path: '/api/schema',
      ...jsonBody(schema),
      ...options,
    });
  }

  /** One atomic commit of at most 10,000 operations. */
  ingest(operations: readonly GraphOperation[], options?: CallOptions): Promise<IngestSummary> {
    const path = '/api/ingest';
    return this.transport.json({ method: 'POST', path, ...jsonBody({ operations }), ...options });
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
      return await this.transport.json({
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

  /** The node as the caller may see it. */
  getNode(uid: string, options?: CallOptions): Promise<NodeObject> {
    return this.get(`/api/node/${encodeURIComponent(uid)}`, options);
  }

  /** What has been changed in it, newest first, as far back as is kept. */
  getNodeHistory(
    uid: string,
    page: PageRequest = {},
    options?: CallOptions,
  ): Promise<List<NodeVersion>> {
    return this.get(`/api/node/${encodeURIComponent(uid)}/history`, options, { ...page });
  }

  /** By UIDs, in that order, or of one type, newest first. */
  queryNodes(query: Partial<NodeQuery>, options?: CallOptions): Promise<List<NodeObject>> {
    return this.post('/api/node/query', query, options);
  }

  /** In the order of the UIDs; null for what the caller may not see. */
  getManyNodes(uids: readonly string[], options?: CallOptions): Promise<(NodeObject | null)[]> {
    return this.post('/api/node/many/full', { uids }, options);
  }

  /** A value for each UID: "BLOCKED" where the caller may not read the field. */
  getManyFields(request: ManyFields, options?: CallOptions): Promise<Record<string, unknown>> {
    return this.post('/api/node/many/field', request, options);
  }

  downloadCsv(selection: NodeSelection, options?: DownloadOptions): Promise<Download> {
    return this.#download('/api/node/download/csv', selection, options);
  }

  downloadJsonl(selection: NodeSelection, options?: DownloadOptions): Promise<Download> {
    return this.#download('/api/node/download/jsonl', selection, options);
  }

  /** A CSV file for each type of node. */
  downloadZip(selection: NodeSelection, options?: DownloadOptions): Promise<Download> {
    return this.#download('/api/node/download/zip', selection, options);
  }

  /** Nodes that are stored nowhere, as a table. */
  downloadSyntheticCsv(nodes: SyntheticNodes, options?: CallOptions): Promise<Download> {
    return this.#download('/api/node/download/synthetic/csv', nodes, options);
  }

  downloadSyntheticJsonl(nodes: SyntheticNodes, options?: CallOptions): Promise<Download> {
    return this.#download('/api/node/download/synthetic/jsonl', nodes, options);
  }

  async #download(path: string, body: object, options: DownloadOptions = {}): Promise<Download> {
    const { baseURL, ...callOptions } = options;
    const { response } = await this.transport.send({
      method: 'POST',
      path,
      query: { baseURL },
      ...jsonBody(body),
      ...callOptions,
      streams: true,
    });
    return response.body ?? new Blob([]).stream();
  }
}
