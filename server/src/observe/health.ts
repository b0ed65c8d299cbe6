import { statfs } from 'node:fs/promises';
import type { Clock } from '#base/clock.ts';
import { HEALTH_DISK_FREE_BYTES_MIN } from '#base/limits.ts';

/** The answer to `GET /health` (open-shapes, section 8). Sizes in bytes. */
export interface HealthReport {
  /** `starting` while not ready; `degraded` when it answers but is about to run out of disk. */
  readonly status: 'ok' | 'degraded' | 'starting';
  readonly ready: boolean;
  readonly uptimeSeconds: number;
  readonly version: string;
  readonly role: 'primary' | 'replica';
  readonly memory: {
    readonly rssBytes: number;
    readonly heapUsedBytes: number;
    readonly heapTotalBytes: number;
    readonly externalBytes: number;
  };
  /** The file system that holds the storage folder; null when it cannot be read. */
  readonly disk: { readonly totalBytes: number; readonly freeBytes: number } | null;
}

export interface HealthSources {
  readonly clock: Clock;
  /** When the process started, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly version: string;
  readonly role: 'primary' | 'replica';
  readonly storageFolder: string;
  isReady(): boolean;
}

export async function healthReport(sources: HealthSources): Promise<HealthReport> {
  const disk = await diskOf(sources.storageFolder);
  const ready = sources.isReady();
  const memory = process.memoryUsage();
  return {
    status: ready ? statusOf(disk) : 'starting',
    ready,
    uptimeSeconds: Math.max(0, Math.floor((sources.clock.now() - sources.startedAt) / 1_000)),
    version: sources.version,
    role: sources.role,
    memory: {
      rssBytes: memory.rss,
      heapUsedBytes: memory.heapUsed,
      heapTotalBytes: memory.heapTotal,
      externalBytes: memory.external,
    },
    disk,
  };
}

function statusOf(disk: HealthReport['disk']): 'ok' | 'degraded' {
  return disk !== null && disk.freeBytes >= HEALTH_DISK_FREE_BYTES_MIN ? 'ok' : 'degraded';
}

/** Free is what this process may still use, not what the administrator has in reserve. */
export async function diskOf(folder: string): Promise<HealthReport['disk']> {
  try {
    const { bsize, blocks, bavail } = await statfs(folder);
    return { totalBytes: bsize * blocks, freeBytes: bsize * bavail };
  } catch {
    return null;
  }
}
