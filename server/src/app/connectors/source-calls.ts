import type { ToldAccessPage } from '@trellis/connector/row-access.ts';
import type { ConnectorReport } from '@trellis/connector/run-connector.ts';
import type { GraphOperation, IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { AskedAccess, AskedRun, AskedSource } from '#connectors/connector.ts';

/** Where a connector remembers its runs, and what seals that. */
export interface KeptState {
  readonly state: string;
  readonly stateSecret: string;
}

/** The calls that the process answers in which a source is read. */
export interface SourceCalls {
  test(asked: AskedSource): string;
  run(asked: AskedRun & KeptState): ConnectorReport;
  access(asked: AskedAccess & KeptState): ToldAccessPage;
}

export interface AskedNames {
  readonly teams: readonly string[];
  readonly users: readonly string[];
}

export interface FoundNames {
  readonly teams: Readonly<Record<string, string | null>>;
  readonly users: Readonly<Record<string, string | null>>;
}

export interface BroughtFile {
  /** UID of the node. */
  readonly node: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What the server does for it, and nothing else. */
export interface WorkspaceCalls {
  /** Answers the sequence that the workspace has then. */
  putSchema(schema: SchemaDocument): number;
  ingest(operations: readonly GraphOperation[]): IngestSummary;
  resolvePrincipals(names: AskedNames): FoundNames;
  /** Gives a node a file in the place of one with the same name. */
  replaceFile(file: BroughtFile): void;
  log(text: string): void;
}

/** Status of the process when it took too much memory. */
export const OUT_OF_MEMORY = 77;
