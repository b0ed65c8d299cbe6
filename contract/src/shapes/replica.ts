import { z } from 'zod';
import type { Immutable } from '../immutable.ts';

const sequences = z.int().min(0);

/** A replica as its primary knows it (specification, section 2.7). */
export const registeredReplica = z.strictObject({
  replicaUID: z.string(),
  replicaName: z.string(),
  /** Operations that it was behind, at its last report. */
  lagVersions: sequences,
});

/**
 * The answer to `GET /health/replica` (specification, section 2.7): on a replica with its id and name; on a primary that
 * replicates with the lag; on another primary with the first two members alone.
 */
export const replicaHealth = z.union([
  z.strictObject({
    isReplica: z.literal(true),
    hasReplicas: z.literal(false),
    replicaUID: z.string(),
    replicaName: z.string(),
  }),
  z.strictObject({
    isReplica: z.literal(false),
    hasReplicas: z.boolean(),
    currentLag: sequences,
    averageLag: z.number().min(0),
    emaLag: z.number().min(0),
    recommendedDelayMs: z.number().min(0).max(2_000),
    replicas: z.array(registeredReplica),
  }),
  z.strictObject({ isReplica: z.literal(false), hasReplicas: z.boolean() }),
]);
export type ReplicaHealth = Immutable<z.infer<typeof replicaHealth>>;

/** The answer to `GET /api/graph/replica`. */
export const replicaRole = z.union([
  z.strictObject({
    isReplica: z.literal(true),
    hasReplicas: z.literal(false),
    replicaUID: z.string(),
    replicaName: z.string(),
  }),
  z.strictObject({ isReplica: z.literal(false), hasReplicas: z.boolean() }),
]);
export type ReplicaRole = Immutable<z.infer<typeof replicaRole>>;
