import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { author, codeKind } from './build.ts';
import { endpointSettings } from './endpoint.ts';
import { pageQuery } from './list.ts';
import { migrationOptions } from './migration.ts';
import { RECORDED_INPUTS_MAX } from '../limits.ts';
import { NUMBER_CHARACTERS_MAX, PATH_TEXT_CHARACTERS_MAX } from '../request-limits.ts';
import { moment } from '../bounded-shapes.ts';

/** A version in a query string or a body; the first is 1. */
const versionText = z
  .string()
  .max(NUMBER_CHARACTERS_MAX)
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)
  .pipe(z.int().min(1));
const version = z.int().min(1);

/** An item of code in a path; names may contain "/". */
export const codeItemInPath = z.object({
  kind: codeKind,
  name: z.string().min(1).max(PATH_TEXT_CHARACTERS_MAX),
});

/** Code that can be called with bodies. */
export const endpointInHistory = codeItemInPath.extend({ kind: codeKind.extract(['endpoint']) });

/** One change of code or of its settings (open-shapes, section 8). */
export const codeChange = z.strictObject({
  /** UID of the item; the item keeps it when it is deleted and made again. */
  uid: z.string(),
  kind: codeKind,
  name: z.string(),
  /** Rises by 1 with every change of the item, its deletion included. */
  version,
  at: z.iso.datetime(),
  by: author,
  action: z.enum(['created', 'changed', 'restored', 'deleted']),
  /** Unified, of settings and code, against the version before; cut at a line when it is long. */
  diff: z.string(),
});
export type CodeChange = Immutable<z.infer<typeof codeChange>>;

export const historyQuery = pageQuery.extend({
  /** Not before this time, and before that one. */
  from: moment.optional(),
  to: moment.optional(),
});

/** A version with all that it was. */
const versionOf = codeChange.omit({ diff: true }).extend({ code: z.string() });
export const codeVersion = z.discriminatedUnion('kind', [
  versionOf.extend({ kind: z.literal('endpoint'), settings: z.strictObject(endpointSettings) }),
  versionOf.extend({ kind: z.literal('migration'), settings: migrationOptions }),
  versionOf.extend({ kind: z.literal('module'), settings: z.strictObject({}) }),
]);
export type CodeVersion = Immutable<z.infer<typeof codeVersion>>;

export const codeVersionQuery = z.object({ version: versionText });

/** Two versions; without them the newest and the one before it. */
export const codeDiffQuery = z.object({ from: versionText.optional(), to: versionText.optional() });

export const codeDiff = z.strictObject({
  uid: z.string(),
  kind: codeKind,
  name: z.string(),
  /** 0 where there was nothing before. */
  from: z.int().min(0),
  to: version,
  /** Unified: settings as JSON, then the code; empty when nothing differs. */
  diff: z.string(),
});

export const codeRestore = z.strictObject({
  /** The version whose content the new one gets. */
  version,
  /**
   * The newest version that the caller has seen: refused with `version_conflict` when there is a
   * newer one.
   */
  seen: version.optional(),
});
export type CodeRestore = Immutable<z.infer<typeof codeRestore>>;

export const codeComparison = z.strictObject({
  version,
  /** What it is compared with; the newest version when not given. */
  with: version.optional(),
  /** What both are called with: a recorded input, by its id, or a body. */
  input: z.int().min(1).optional(),
  body: z.unknown().optional(),
});
export type CodeComparison = Immutable<z.infer<typeof codeComparison>>;

/**
 * How many of the last bodies of an endpoint are kept; 0 switches it off, and forgets those there
 * are.
 */
export const inputRecording = z.strictObject({ keep: z.int().min(0).max(RECORDED_INPUTS_MAX) });

export const recordedInputs = inputRecording.extend({
  /** Newest first. */
  inputs: z.array(
    z.strictObject({
      id: z.int().min(1),
      at: z.iso.datetime(),
      /** JSON text, as it was sent; empty for none. */
      body: z.string(),
    }),
  ),
});
export type RecordedInputs = Immutable<z.infer<typeof recordedInputs>>;

/** How one version ran. */
export const versionRun = z.strictObject({
  version,
  /** Null when it failed. */
  status: z.int().nullable(),
  /** What it answered; null when it failed, or answered nothing. */
  body: z.unknown(),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  ms: z.number(),
});

export const codeComparisonResult = z.strictObject({
  /**
   * Same status and same answer; two that fail with the same code and message are equal as well.
   */
  isEqual: z.boolean(),
  runs: z.tuple([versionRun, versionRun]),
});
export type CodeComparisonResult = Immutable<z.infer<typeof codeComparisonResult>>;
