import type { Caller } from '#access/caller.ts';
import type { Catalog, CompileStatus, TypesScope } from '@trellis/contract/shapes/build.ts';
import type {
  CodeChange,
  CodeComparison,
  CodeComparisonResult,
  CodeDiff,
  CodeDiffQuery,
  CodeRestore,
  CodeVersion,
  HistoryQuery,
  RecordedInputs,
} from '@trellis/contract/shapes/code-history.ts';
import type { CodeKind } from '@trellis/contract/shapes/build.ts';
import type {
  Completions,
  EditorPlace,
  Hover,
  SignatureHelp,
} from '@trellis/contract/shapes/editor.ts';
import type {
  EndpointLogFilter,
  EndpointLogLine,
  EndpointLogQuery,
} from '@trellis/contract/shapes/endpoint-log.ts';
import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import type { Migration } from '@trellis/contract/shapes/migration.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type { EndpointMetricsList, OverviewStatistics } from '@trellis/contract/shapes/stats.ts';
import type { Awaitable } from './answer.ts';

export interface BuildService {
  compileStatus(caller: Caller): Awaitable<CompileStatus>;
  catalog(caller: Caller): Awaitable<Catalog>;
  /** TypeScript declarations. */
  types(caller: Caller, scope: TypesScope): Awaitable<string>;
}

/** All throw `invalid_request`, `compiler_timeout`, or the reason of the signal. */
export interface EditorService {
  completions(caller: Caller, place: EditorPlace, signal: AbortSignal): Promise<Completions>;
  hover(caller: Caller, place: EditorPlace, signal: AbortSignal): Promise<Hover>;
  signatureHelp(caller: Caller, place: EditorPlace, signal: AbortSignal): Promise<SignatureHelp>;
}

interface CodeItem<Kind extends CodeKind = CodeKind> {
  readonly kind: Kind;
  readonly name: string;
}

/** What names an item or a version throws `code_version_not_found`. */
export interface CodeHistoryService {
  list(caller: Caller, query: HistoryQuery): Awaitable<List<CodeChange>>;
  listItem(caller: Caller, item: CodeItem, page: Page): Awaitable<List<CodeChange>>;
  version(caller: Caller, item: CodeItem, version: number): Awaitable<CodeVersion>;
  diff(caller: Caller, item: CodeItem, range: CodeDiffQuery): Awaitable<CodeDiff>;
  /** Throws `version_conflict`, `not_read_only`; of a migration `migration_running`, `too_many_migrations`. */
  restore(
    caller: Caller,
    item: CodeItem,
    wanted: CodeRestore,
    address: string,
  ): Promise<EndpointDefinition | Migration>;
  /** Throws `recorded_input_not_found`, `endpoint_not_compiled`. */
  compare(
    caller: Caller,
    item: CodeItem<'endpoint'>,
    wanted: CodeComparison,
  ): Promise<CodeComparisonResult>;
  /** This and the next throw `endpoint_not_found`. */
  inputs(caller: Caller, item: CodeItem<'endpoint'>): Awaitable<RecordedInputs>;
  /** `address` is that of the client, for the audit. */
  recordInputs(
    caller: Caller,
    item: CodeItem<'endpoint'>,
    keep: number,
    address: string,
  ): Awaitable<RecordedInputs>;
}

export interface StatisticsService {
  endpoints(caller: Caller): Awaitable<EndpointMetricsList>;
  overview(caller: Caller): Awaitable<OverviewStatistics>;
  /** This and the next give tables with aligned columns. */
  database(caller: Caller): Awaitable<string>;
  pool(caller: Caller): Awaitable<string>;
}

export interface EndpointLogBatch {
  readonly lines: readonly EndpointLogLine[];
  /** Lines, of any endpoint, that were gone before they could be given. */
  readonly dropped: number;
  /** Up to this line all were looked at. */
  readonly sequence: number;
}

/** What endpoints have logged on this server. */
export interface EndpointLogService {
  list(caller: Caller, query: EndpointLogQuery): Awaitable<List<EndpointLogLine>>;
  /** After the line of this sequence, or from now on, until the signal aborts or "to" has passed. */
  watch(
    caller: Caller,
    filter: EndpointLogFilter,
    from: { readonly after: number | undefined; readonly signal: AbortSignal },
  ): AsyncIterable<EndpointLogBatch>;
}
