import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { listOf } from './list.ts';

/** A backup of the workspace, as it was at one sequence of its history. */
export const backup = z.strictObject({
  id: z.string(),
  /** When the workspace was so. */
  createdAt: z.iso.datetime(),
  completedAt: z.iso.datetime(),
  sequence: z.int().min(0),
  /**
   * Epoch of the history that the sequence belongs to: a restore and the promotion of a replica
   * begin a new one.
   */
  epoch: z.string(),
  /** Version of the server that made it. */
  version: z.string(),
  isEncrypted: z.boolean(),
  nodes: z.int().min(0),
  edges: z.int().min(0),
  /** Bytes of all that it consists of, before encryption. */
  bytes: z.int().min(0),
  /** Bytes among them that no earlier backup had. */
  newBytes: z.int().min(0),
  /** Whether points between the backup before and this one can be restored. */
  hasLog: z.boolean(),
});
export type Backup = Immutable<z.infer<typeof backup>>;

export const backupList = listOf(backup).extend({
  /** Where they are kept; null where the server has no place for them. */
  target: z.string().nullable(),
});
export type BackupList = Immutable<z.infer<typeof backupList>>;
