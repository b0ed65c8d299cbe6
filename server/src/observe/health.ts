import { access, constants, statfs } from 'node:fs/promises';
import { getHeapStatistics } from 'node:v8';
import type { Clock } from '#base/clock.ts';
import { HEALTH_DISK_FREE_BYTES_MIN } from '#base/limits.ts';
import {
  HEALTH_PARTS,
  type HealthReason,
  type HealthReport,
  type PartHealth,
} from '@trellis/contract/shapes/health.ts';

/** When the heap is fuller than this share of its limit, memory is short. */
const HEAP_SHARE_MAX = 0.9;

export interface HealthSources {
  readonly clock: Clock;
  /** When the process started, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly version: string;
  readonly role: 'primary' | 'replica';
  readonly storageFolder: string;
  /** What is wrong with the files in the storage folder, if that is known. */
  storageFault(): HealthReason | undefined;
  /** For all parts but the disk and the storage folder. */
  readonly probes: Probes;
  isReady(): boolean;
}

export async function healthReport(sources: HealthSources): Promise<HealthReport> {
  const disk = await diskOf(sources.storageFolder);
  const parts = await partsOf(sources, disk);
  const ready = sources.isReady();
  const memory = process.memoryUsage();
  const isIll = parts.some(({ status }) => status === 'degraded' || status === 'failed');
  return {
    status: ready ? (isIll ? 'degraded' : 'ok') : 'starting',
    ready,
    uptimeSeconds: Math.max(0, Math.floor((sources.clock.now() - sources.startedAt) / 1_000)),
    version: sources.version,
    role: sources.role,
    memory: {
      status:
        memory.heapUsed < HEAP_SHARE_MAX * getHeapStatistics().heap_size_limit ? 'ok' : 'degraded',
      rssBytes: memory.rss,
      heapUsedBytes: memory.heapUsed,
      heapTotalBytes: memory.heapTotal,
      externalBytes: memory.external,
    },
    disk,
    parts,
  };
}

function partsOf(
  sources: HealthSources,
  disk: HealthReport['disk'],
): Promise<HealthReport['parts']> {
  const { storageFolder, probes } = sources;
  const all: Probes = {
    ...probes,
    disk: () => stateOfDisk(disk),
    storage: async () => {
      const state = await stateOfFolder(storageFolder);
      const fault = sources.storageFault();
      return state === OK && fault !== undefined ? degraded(fault) : state;
    },
  };
  const had = HEALTH_PARTS.flatMap((name) => {
    const probe: Probe | undefined = all[name];
    return probe === undefined ? [] : [{ name, probe }];
  });
  return Promise.all(had.map(async ({ name, probe }) => ({ name, ...(await probe()) })));
}

function stateOfDisk(disk: HealthReport['disk']): PartState {
  if (disk === null) return failed('disk_unreadable');
  return disk.status === 'ok' ? OK : degraded('disk_low');
}

async function stateOfFolder(folder: string): Promise<PartState> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return OK;
  } catch {
    return failed('folder_not_writable');
  }
}

/** `freeBytes` is what this process may use, without the reserve of the administrator. */
export async function diskOf(folder: string): Promise<HealthReport['disk']> {
  try {
    const { bsize, blocks, bavail } = await statfs(folder);
    const freeBytes = bsize * bavail;
    const status = freeBytes >= HEALTH_DISK_FREE_BYTES_MIN ? 'ok' : 'degraded';
    return { status, totalBytes: bsize * blocks, freeBytes };
  } catch {
    return null;
  }
}

export type PartState = Pick<PartHealth, 'status' | 'reason'>;

/** Tells the state of a part. Cheap and bounded in time, because anybody may ask at any time. */
export type Probe = () => PartState | Promise<PartState>;

/** The parts that a server of this role has. */
export type Probes = Readonly<Partial<Record<PartHealth['name'], Probe>>>;

export const OK: PartState = { status: 'ok', reason: null };
export const STARTING: PartState = { status: 'starting', reason: null };
export const OFF: PartState = { status: 'off', reason: null };

export function degraded(reason: HealthReason): PartState {
  return { status: 'degraded', reason };
}

export function failed(reason: HealthReason): PartState {
  return { status: 'failed', reason };
}
