import { z } from 'zod';
import type { Immutable } from '../immutable.ts';

/** Who did it; null when the server itself did. */
export const author = z.strictObject({ uid: z.string(), name: z.string() }).nullable();

/** What code can be. */
export const codeKind = z.enum(['endpoint', 'migration', 'module']);
export type CodeKind = z.infer<typeof codeKind>;

/** The answer of `GET /api/build/compile-status` (specification, sections 2.8 and 3.3). */
export const compileStatus = z.strictObject({
  /** UIDs of what does not compile; what is not checked yet counts as it was when it was saved. */
  FailingIds: z.array(z.string()),
  /** A check in the background has not come to its end: ask again. */
  Pending: z.boolean(),
});
export type CompileStatus = Immutable<z.infer<typeof compileStatus>>;

/**
 * One leaf of the Build tree (open-shapes, section 8). A kind of code leaves out the flags that it
 * does not have.
 */
export const catalogItem = z.strictObject({
  uid: z.string(),
  kind: codeKind,
  /** The whole name, folders included. */
  name: z.string(),
  /** What stands before the last "/" of the name; empty at the root. */
  folder: z.string(),
  isReadOnly: z.boolean().optional(),
  mayRunOnPrimary: z.boolean().optional(),
  /** The server brings it along: it cannot be changed. */
  isBuiltIn: z.boolean().optional(),
  /** As of the last check, which may be the one at saving. */
  compiles: z.boolean().optional(),
  updatedAt: z.iso.datetime(),
  updatedBy: author,
});

export const catalog = z.strictObject({ items: z.array(catalogItem) });
export type Catalog = Immutable<z.infer<typeof catalog>>;

export const typesQuery = z.object({
  /** Which scope to declare: that of endpoints which may write, or that of read-only ones. */
  scope: z.enum(['full', 'read-only']).default('full'),
});
