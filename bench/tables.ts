/** A graph as plain rows, the same for every peer. */
export interface GraphTables {
  readonly nodes: readonly NodeRow[];
  readonly edges: readonly EdgeRow[];
}

export interface NodeRow {
  readonly id: number;
  readonly type: string;
  readonly key: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface EdgeRow {
  readonly source: number;
  readonly type: string;
  readonly target: number;
  readonly fields: Readonly<Record<string, unknown>> | null;
}
