import { z } from 'zod';
import type { Immutable } from '../immutable.ts';

const bytes = z.int().min(0);

/** The answer to `GET /health` (open-shapes, section 8). */
export const healthReport = z.strictObject({
  /** `starting` while not ready; `degraded` when it answers but is about to run out of disk. */
  status: z.enum(['ok', 'degraded', 'starting']),
  ready: z.boolean(),
  uptimeSeconds: z.number().min(0),
  version: z.string(),
  role: z.enum(['primary', 'replica']),
  memory: z.strictObject({
    rssBytes: bytes,
    heapUsedBytes: bytes,
    heapTotalBytes: bytes,
    externalBytes: bytes,
  }),
  /** The file system that holds the storage folder; null when it cannot be read. */
  disk: z.strictObject({ totalBytes: bytes, freeBytes: bytes }).nullable(),
});
export type HealthReport = Immutable<z.infer<typeof healthReport>>;
