import {
  LOG_ARCHIVE_BYTES_MAX,
  LOG_ARCHIVE_LOW_MEMORY_BYTES_MAX,
  LOG_ARCHIVE_LOW_MEMORY_TTL_MS,
  LOG_ARCHIVE_TTL_MS,
} from '#base/limits.ts';
import type { ArchiveRule } from '#log/retention.ts';

/** How much of the log stays (specification, section 8). */
export function archiveRule(lowMemory: boolean): ArchiveRule {
  return lowMemory
    ? { ttlMs: LOG_ARCHIVE_LOW_MEMORY_TTL_MS, bytesMax: LOG_ARCHIVE_LOW_MEMORY_BYTES_MAX }
    : { ttlMs: LOG_ARCHIVE_TTL_MS, bytesMax: LOG_ARCHIVE_BYTES_MAX };
}
