import type { IngestSummary } from './shapes/graph-operation.ts';

/** Of an ingestion before its first commit. */
export const NOTHING_INGESTED: IngestSummary = {
  nodes: 0,
  created: 0,
  edges: 0,
  splits: 0,
  commits: 0,
  sequence: 0,
};

/** Of two parts of an ingestion. The newer commit of both gives the sequence. */
export function sumOfIngestions(one: IngestSummary, other: IngestSummary): IngestSummary {
  return {
    nodes: one.nodes + other.nodes,
    created: one.created + other.created,
    edges: one.edges + other.edges,
    splits: one.splits + other.splits,
    commits: one.commits + other.commits,
    sequence: Math.max(one.sequence, other.sequence),
  };
}
