import { z } from 'zod';
import type { Immutable } from '../immutable.ts';

const bytes = z.int().min(0);

/** What a server consists of, for whoever looks after it, in the order in which it is told. */
export const HEALTH_PARTS = [
  'disk',
  'storage',
  'writer',
  'log',
  'replication',
  'index',
  'endpoints',
  'compiler',
  'models',
  'logs',
] as const;

/**
 * Why a part is not well: words, so that nobody who is not signed in learns anything of the inside.
 */
export const HEALTH_REASONS = [
  'disk_low',
  'disk_unreadable',
  'folder_not_writable',
  'store_outdated',
  'storage_damaged',
  'last_write_failed',
  'thread_restarting',
  'thread_ended',
  'port_not_open',
  'primary_not_connected',
  'log_not_reached',
  'no_standby',
  'no_worker',
  'workers_stalled',
  'process_failed',
  'provider_failing',
  'file_not_written',
] as const;
export type HealthReason = (typeof HEALTH_REASONS)[number];

export const partHealth = z.strictObject({
  name: z.enum(HEALTH_PARTS),
  /**
   * `degraded`: it works, but not as it should; `failed`: it does not work; `off`: it is not set
   * up.
   */
  status: z.enum(['ok', 'starting', 'degraded', 'failed', 'off']),
  /** Why the part is degraded or failed; null for any other part. */
  reason: z.enum(HEALTH_REASONS).nullable(),
});
export type PartHealth = Immutable<z.infer<typeof partHealth>>;

/** Whether there is enough of what every process has; `failed` when it cannot be told. */
const supply = z.enum(['ok', 'degraded', 'failed']);

/** The answer to `GET /health` of an administrator (open-shapes, section 8). */
export const healthReport = z.strictObject({
  /**
   * `starting` while not ready; `degraded` when it answers but a part of it is degraded or has
   * failed.
   */
  status: z.enum(['ok', 'degraded', 'starting']),
  ready: z.boolean(),
  uptimeSeconds: z.number().min(0),
  version: z.string(),
  role: z.enum(['primary', 'replica']),
  memory: z.strictObject({
    status: supply,
    rssBytes: bytes,
    heapUsedBytes: bytes,
    heapTotalBytes: bytes,
    externalBytes: bytes,
  }),
  /** The file system that holds the storage folder; null when it cannot be read. */
  disk: z.strictObject({ status: supply, totalBytes: bytes, freeBytes: bytes }).nullable(),
  /** The parts that a server of its role has. */
  parts: z.array(partHealth),
});
export type HealthReport = Immutable<z.infer<typeof healthReport>>;

/** The same for anybody else: whether it is well, and neither names nor figures of the inside. */
export const healthSummary = healthReport
  .pick({ status: true, ready: true, uptimeSeconds: true, role: true })
  .extend({ memory: z.strictObject({ status: supply }), disk: z.strictObject({ status: supply }) });
export type HealthSummary = Immutable<z.infer<typeof healthSummary>>;
