import type {
  Catalog,
  CodeKind,
  CompileStatus,
  TypesScope,
} from '@trellis/contract/shapes/build.ts';
import type {
  CodeChange,
  CodeComparison,
  CodeComparisonResult,
  CodeDiff,
  CodeDiffQuery,
  CodeRestore,
  CodeVersion,
  HistoryQuery,
  InputRecording,
  RecordedInputs,
} from '@trellis/contract/shapes/code-history.ts';
import type { EndpointLogFilter, EndpointLogLine } from '@trellis/contract/shapes/endpoint-log.ts';
import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import type { EndpointMetricsList } from '@trellis/contract/shapes/stats.ts';
import { pathOf } from './client-base.ts';
import { EditorChannel } from './editor-channel.ts';
import type { Migration } from '@trellis/contract/shapes/migration.ts';
import { EmbeddingsClient } from './embeddings-client.ts';
import type { PageRequest } from './pages.ts';
import type { CallOptions } from './transport.ts';
import { watchLines, type LineEvent, type WatchOptions } from './watched-lines.ts';

/** An item of code, which may be deleted. */
export interface CodeItem<Kind extends CodeKind = CodeKind> {
  readonly kind: Kind;
  readonly name: string;
}

/** What there is after a version is restored. */
export type RestoredCode<Kind extends CodeKind> = {
  readonly endpoint: EndpointDefinition;
  readonly migration: Migration;
}[Kind];

/** All code at once, its history, and the counters of the server; for administrators. */
export class BuildClient extends EmbeddingsClient {
  /** Opens with its first request, at `baseUrl`, with the token of that moment, which must be that of a session. */
  editor(): EditorChannel {
    const { transport } = this;
    return new EditorChannel({ baseUrl: transport.baseUrl, token: () => transport.token });
  }

  /** Pending: a check in the background has not come to its end. */
  getCompileStatus(options?: CallOptions): Promise<CompileStatus> {
    return this.get('/api/build/compile-status', options);
  }

  getBuildCatalog(options?: CallOptions): Promise<Catalog> {
    return this.get('/api/build/catalog', options);
  }

  /** TypeScript declarations of the scope and of the live schema; also for tokens with the scope "read". */
  getBuildTypes(scope: TypesScope = 'full', options?: CallOptions): Promise<string> {
    return this.#text('/api/build/types', options, { scope });
  }

  /** Newest first; `eachItem` gives them all. */
  listCodeHistory(
    query: PageRequest & Pick<HistoryQuery, 'from' | 'to'> = {},
    options?: CallOptions,
  ): Promise<List<CodeChange>> {
    return this.get('/api/code/history/all', options, { ...query });
  }

  listItemHistory(
    item: CodeItem,
    page: PageRequest = {},
    options?: CallOptions,
  ): Promise<List<CodeChange>> {
    return this.get(historyPath('item', item), options, { ...page });
  }

  getCodeVersion<Kind extends CodeKind>(
    item: CodeItem<Kind>,
    version: number,
    options?: CallOptions,
  ): Promise<Extract<CodeVersion, { readonly kind: Kind }>> {
    return this.get(historyPath('version', item), options, { version });
  }

  /** Without versions: the newest against the one before it. */
  diffCode(item: CodeItem, range: CodeDiffQuery = {}, options?: CallOptions): Promise<CodeDiff> {
    return this.get(historyPath('diff', item), options, { ...range });
  }

  /** A new version with the content of an old one, also of an item that is deleted. */
  restoreCode<Kind extends CodeKind>(
    item: CodeItem<Kind>,
    wanted: CodeRestore,
    options?: CallOptions,
  ): Promise<RestoredCode<Kind>> {
    return this.post(historyPath('restore', item), wanted, options);
  }

  /** Runs two versions with one body, in the read-only scope. */
  compareCode(
    item: CodeItem<'endpoint'>,
    wanted: CodeComparison,
    options?: CallOptions,
  ): Promise<CodeComparisonResult> {
    return this.post(historyPath('compare', item), wanted, options);
  }

  /** The last bodies that an endpoint was called with, if the primary records them. */
  listRecordedInputs(item: CodeItem<'endpoint'>, options?: CallOptions): Promise<RecordedInputs> {
    return this.get(historyPath('inputs', item), options);
  }

  recordInputs(
    item: CodeItem<'endpoint'>,
    recording: InputRecording,
    options?: CallOptions,
  ): Promise<RecordedInputs> {
    return this.put(historyPath('inputs', item), recording, options);
  }

  /** What endpoints have logged on the server at `baseUrl`, newest first. */
  listEndpointLogs(
    query: PageRequest & EndpointLogFilter = {},
    options?: CallOptions,
  ): Promise<List<EndpointLogLine>> {
    return this.get('/api/endpoints/logs', options, { ...query });
  }

  /**
   * The same as it happens: `for await (const event of client.watchEndpointLogs({ level: 'warn' }))`. After a lost connection it goes
   * on where it was; it ends once `to` has passed, and throws what the service refuses with, or the signal's reason.
   */
  watchEndpointLogs(
    filter: EndpointLogFilter = {},
    options?: WatchOptions,
  ): AsyncGenerator<LineEvent<EndpointLogLine>, void, undefined> {
    const path = '/api/endpoints/logs/live';
    return watchLines(this.transport, { path, query: { ...filter }, ...options });
  }

  /** Calls on the server that answers, since it started. */
  getEndpointMetrics(options?: CallOptions): Promise<EndpointMetricsList> {
    return this.get('/api/endpoints/metrics', options);
  }

  /** A table of the nodes and edges of each type. */
  getDatabaseStatistics(options?: CallOptions): Promise<string> {
    return this.#text('/api/graph/stats/database', options);
  }

  /** A table of the counters of the server that answers. */
  getPoolStatistics(options?: CallOptions): Promise<string> {
    return this.#text('/api/graph/stats/pool', options);
  }

  async #text(
    path: string,
    options?: CallOptions,
    query?: Readonly<Record<string, string>>,
  ): Promise<string> {
    return (await this.transport.send({ method: 'GET', path, query, ...options })).text;
  }
}

function historyPath(what: string, { kind, name }: CodeItem): string {
  return `/api/code/history/${what}/${kind}/${pathOf(name)}`;
}
