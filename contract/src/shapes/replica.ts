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
 * The answer to `GET /health/replica` (specification, section 2.7): on a replica with its id and
 * name; on a primary that replicates with the lag; on another primary with the first two members
 * alone.
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

/** A replica as an administrator sees it, in the answer to `GET /api/replicas`. */
export const replicaRecord = registeredReplica.extend({
  publicAddress: z.string(),
  serverAddress: z.string(),
  /** Null until it has opened the channel. */
  version: z.string().nullable(),
  registeredAt: z.iso.datetime(),
  /** Null before the first report. */
  reportedAt: z.iso.datetime().nullable(),
  /** The last one that it reported. */
  appliedSequence: sequences,
});

/**
 * The answer to `GET /api/replicas`: the primary, and its replicas in the order in which they
 * registered.
 */
export const replicaOverview = z.strictObject({
  /** Version of the primary; epoch and newest sequence are those of its log. */
  version: z.string(),
  epoch: z.string(),
  sequence: sequences,
  replicas: z.array(replicaRecord),
});
export type ReplicaOverview = Immutable<z.infer<typeof replicaOverview>>;

/** A database of the state in which a replica differs from the primary. */
export const stateDifference = z.strictObject({
  database: z.string(),
  /** Runs of entries (about 4 MiB each) that only the one has, or only the other. */
  piecesOnPrimary: z.int().min(0),
  piecesOnReplica: z.int().min(0),
  /** The first key of the first of them, hexadecimal. */
  firstKey: z.string(),
});

/** The answer to `POST /api/replicas/verify`. */
export const replicaVerification = z.strictObject({
  epoch: z.string(),
  /** At which all states were compared. */
  sequence: sequences,
  /** Whether every replica answered, and none differs. */
  isEqual: z.boolean(),
  replicas: z.array(
    z.strictObject({
      replicaUID: z.string(),
      replicaName: z.string(),
      /** `unknown` when it did not answer in time: it may be away, or far behind. */
      state: z.enum(['equal', 'different', 'unknown']),
      differences: z.array(stateDifference),
    }),
  ),
});
export type ReplicaVerification = Immutable<z.infer<typeof replicaVerification>>;

const hex = (bytes: number) =>
  z
    .string()
    .max(bytes * 2)
    .regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`));
const uid = z
  .string()
  .max(22)
  .regex(/^[1-9A-HJ-NP-Za-km-z]{22}$/, 'must be a UID');

/**
 * The body of `POST /api/replicas/register`: a replica proves that it has the key of the workspace,
 * and does not send it. The addresses are checked after the proof, so that nobody else learns what
 * is wrong with them.
 */
export const replicaRegistration = z.strictObject({
  /** New at every start of the replica. */
  replicaUID: uid,
  /** Where people reach it. */
  publicAddress: z.string().max(2_000),
  /** Where the primary reaches it. */
  serverAddress: z.string().max(2_000),
  /**
   * What it has from an earlier life, so that the log is kept from there on: the epoch, empty for
   * nothing, and the sequence.
   */
  epoch: z
    .string()
    .max(32)
    .regex(/^(?:[0-9a-f]{32})?$/),
  sequence: z.int().min(0),
  /** Told, not checked (specification, section 3.1). */
  version: z.string().max(100),
  /**
   * HMAC-SHA256 over its master key, or over nothing, under the replication secret, hexadecimal.
   */
  masterKeyProof: hex(32),
  /** Milliseconds since the Unix epoch; not long ago. */
  time: z.int(),
  /** 32 random bytes, hexadecimal, for the proof of the primary. */
  nonce: hex(32),
  /** HMAC-SHA256 over the other members under the replication secret, hexadecimal. */
  proof: hex(32),
});
export type ReplicaRegistration = Immutable<z.infer<typeof replicaRegistration>>;

/** What a replica is told that may follow. */
export const replicaAdmission = z.strictObject({
  replicaName: z.string(),
  /** Port of the channel, on the host that was asked. */
  replicationPort: z.int(),
  version: z.string(),
  /**
   * HMAC-SHA256 over the nonce under the replication secret, hexadecimal: so the replica knows whom
   * it follows.
   */
  proof: hex(32),
});
export type ReplicaAdmission = Immutable<z.infer<typeof replicaAdmission>>;
