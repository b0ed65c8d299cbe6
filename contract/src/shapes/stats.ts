import { z } from 'zod';
import type { Immutable } from '../immutable.ts';

/** Calls of one endpoint on this server since it started (open-shapes, section 5). */
export const endpointMetrics = z.strictObject({
  name: z.string(),
  calls: z.int().min(0),
  /** Calls that ended with a status from 500 up. */
  errors: z.int().min(0),
  /** 0 to 1; 0 without calls. */
  errorRate: z.number(),
  /** In milliseconds, percentiles to within 5 %; null without calls. */
  averageMs: z.number().nullable(),
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
  lastCalledAt: z.iso.datetime().nullable(),
  /** Queries that read over 100,000 nodes for want of an index, by its field. */
  scans: z.array(
    z.strictObject({
      type: z.string(),
      field: z.string(),
      /** Of all calls. */
      rowsRead: z.int().min(0),
      calls: z.int().min(1),
    }),
  ),
});
export type EndpointMetrics = Immutable<z.infer<typeof endpointMetrics>>;

export const endpointMetricsList = z.strictObject({ items: z.array(endpointMetrics) });
export type EndpointMetricsList = Immutable<z.infer<typeof endpointMetricsList>>;

const count = z.int().min(0);
const rate = z.number().min(0);

/** How busy a server was; rates are the mean since the sample before. */
export const loadSample = z.strictObject({
  at: z.iso.datetime(),
  /** On a replica, pieces of the primary's log that were applied. */
  commitsPerSecond: rate,
  operationsPerSecond: rate,
  /** Calls of endpoints that have ended. */
  callsPerSecond: rate,
  rssBytes: count,
  /** Free bytes where the storage folder is; null when they cannot be read. */
  diskFreeBytes: count.nullable(),
  /** How far the replicas are behind (specification, section 2.7): on a primary that replicates. */
  currentLag: count.optional(),
  averageLag: rate.optional(),
  emaLag: rate.optional(),
});
export type LoadSample = Immutable<z.infer<typeof loadSample>>;

/**
 * The answer to `GET /api/graph/stats/overview`: the graph as it is now, and the last hour of the
 * server that answers.
 */
export const overviewStatistics = z.strictObject({
  /** Includes the nodes and edges of the server's own types. */
  nodes: count,
  edges: count,
  /** The storage sequence number that the counts reflect. */
  sequence: count,
  /** This and the next: the largest first. */
  types: z.array(z.strictObject({ type: z.string(), nodes: count })),
  edgeTypes: z.array(z.strictObject({ type: z.string(), edges: count })),
  sampleIntervalMs: z.int().min(1),
  /** Oldest first; none right after a start. */
  samples: z.array(loadSample),
});
export type OverviewStatistics = Immutable<z.infer<typeof overviewStatistics>>;

/** How the types of a graph are connected, by all its edges. */
export const relationStatistics = z.strictObject({
  /** The storage sequence number that the counts reflect: one commit. */
  sequence: count,
  countedAt: z.iso.datetime(),
  /** All edges of that commit. An inverse counts as an edge of its own type. */
  edges: count,
  /** Those that were counted: the first 20 million, by the age of the nodes that they begin at. */
  counted: count,
  /** By the names of the types; includes the server's own types. */
  relations: z.array(
    z.strictObject({ from: z.string(), edge: z.string(), to: z.string(), edges: count.min(1) }),
  ),
});
export type RelationStatistics = Immutable<z.infer<typeof relationStatistics>>;
