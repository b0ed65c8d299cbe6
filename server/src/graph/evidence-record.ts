/** The built-in type that keeps what documents say of a node. Its key is the UID of that node. */
export const EVIDENCE_TYPE = '_NodeEvidence';

/**
 * What documents alone say of a node, as fields of its evidence. Whoever else writes the same takes
 * it from here, also where that changes nothing: so it stays when the documents go.
 */
export interface DocumentClaims {
  /** Whether documents have made the node. */
  readonly OnlyNode: boolean;
  /** Names of its fields. */
  readonly OnlyFields: readonly string[];
  /** Edges from it, each as `edgeClaim` has it. */
  readonly OnlyEdges: readonly string[];
}

/** The claims by the fields of the evidence; undefined where it was kept before there were any. */
export function claimsIn(field: (name: string) => unknown): DocumentClaims | undefined {
  const [node, fields, edges] = ['OnlyNode', 'OnlyFields', 'OnlyEdges'].map((name) => field(name));
  if (!Array.isArray(fields) || !Array.isArray(edges)) return undefined;
  return {
    OnlyNode: node === true,
    OnlyFields: fields.map(String),
    OnlyEdges: edges.map(String),
  };
}

export function edgeClaim(edge: string, to: string): string {
  return `${edge} ${to}`;
}
