import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import {
  ENDPOINT_CACHE_SECONDS_MAX,
  ENDPOINT_CODE_BYTES_MAX,
  ENDPOINT_CONCURRENT_MAX,
  ENDPOINT_DESCRIPTION_CHARACTERS_MAX,
  ENDPOINT_NAME_CHARACTERS_MAX,
  ENDPOINT_QUEUED_MAX,
  ENDPOINT_TIMEOUT_MAX_MS,
} from '../limits.ts';

const SEGMENT = '[A-Za-z0-9][A-Za-z0-9._-]*';

/**
 * Segments joined by "/", each of letters, digits, ".", "_" and "-" and beginning with a letter or
 * a digit.
 */
export const endpointName = z
  .string()
  .min(1)
  .max(ENDPOINT_NAME_CHARACTERS_MAX)
  .regex(
    new RegExp(`^${SEGMENT}(?:/${SEGMENT})*$`),
    'must be made of letters, digits, ".", "_" and "-", in segments joined by "/"',
  );

const utf8 = new TextEncoder();
const CODE_TOO_LONG = `must be at most ${ENDPOINT_CODE_BYTES_MAX} bytes of UTF-8`;

export const endpointCode = z
  .string()
  .max(ENDPOINT_CODE_BYTES_MAX, { error: CODE_TOO_LONG, abort: true })
  .refine((code) => utf8.encode(code).length <= ENDPOINT_CODE_BYTES_MAX, { error: CODE_TOO_LONG });

/** The access of an endpoint that is created without a word about it. */
export const ENDPOINT_ACCESS_DEFAULT = 'users';

/** What an administrator decides about an endpoint, beside its name and its code. */
export const endpointSettings = {
  isReadOnly: z.boolean(),
  mode: z.enum(['sync', 'pooling']),
  access: z.enum(['users', 'admins']),
  /**
   * How long an answer may be given again to the same caller and body; 0 is never. Not that of a
   * run that wrote.
   */
  cacheSeconds: z.int().min(0).max(ENDPOINT_CACHE_SECONDS_MAX),
  runAsAdmin: z.boolean(),
  timeoutMs: z.int().min(1).max(ENDPOINT_TIMEOUT_MAX_MS),
  /** Runs at a time, on one server; 0 is no limit of its own. */
  maxConcurrent: z.int().min(0).max(ENDPOINT_CONCURRENT_MAX),
  /** Calls that wait for one of these runs to end; more are refused with `endpoint_overloaded`. */
  maxQueued: z.int().min(0).max(ENDPOINT_QUEUED_MAX),
  description: z.string().max(ENDPOINT_DESCRIPTION_CHARACTERS_MAX),
};

/** The body of `POST /api/endpoints/create` (open-shapes, section 5). */
export const newEndpoint = z.strictObject({
  name: endpointName,
  code: endpointCode,
  ...z.object(endpointSettings).partial().shape,
});
export type NewEndpoint = Immutable<z.infer<typeof newEndpoint>>;

/**
 * The body of `PUT /api/endpoints/{name}`: what is left out stays as it is. A name, when given, is
 * the one of the path.
 */
export const endpointChange = newEndpoint.partial().extend({
  /** What the caller has seen: refused with `version_conflict` when there is a newer one. */
  version: z.int().min(1).optional(),
});
export type EndpointChange = Immutable<z.infer<typeof endpointChange>>;

/**
 * What the compiler has to say; lines and columns start at 1. `code` is TypeScript's, 0 for a rule
 * of ours.
 */
export const diagnostic = z.strictObject({
  line: z.int(),
  column: z.int(),
  code: z.int(),
  message: z.string(),
});
export type Diagnostic = Immutable<z.infer<typeof diagnostic>>;

/** What may be meant otherwise, of code that compiles. It refuses nothing. */
const remark = diagnostic.extend({ severity: z.enum(['warning', 'info']) });
export type Remark = Immutable<z.infer<typeof remark>>;

/** An endpoint as it is stored (open-shapes, section 5). */
export const endpointDefinition = z.strictObject({
  UID: z.string(),
  name: z.string(),
  code: z.string(),
  ...endpointSettings,
  /** Starts at 1 and rises by 1 with every change. */
  version: z.int().min(1),
  compiles: z.boolean(),
  mayRunOnPrimary: z.boolean(),
  diagnostics: z.array(diagnostic),
});
export type EndpointDefinition = Immutable<z.infer<typeof endpointDefinition>>;

/** Code that is not saved. */
export const endpointDraft = z.strictObject({
  code: endpointCode,
  isReadOnly: z.boolean().optional(),
});

/** A JSON Schema, draft 2020-12. */
export const jsonSchema = z.record(z.string(), z.unknown());

/** The body of `POST /api/endpoints/check`. */
export const endpointCheckRequest = endpointDraft.extend({
  /** Asks what the types say, too. */
  types: z.boolean().optional(),
  /**
   * The endpoint that it is the code of: where it runs itself, the types of the version that serves
   * are not held against it.
   */
  name: endpointName.optional(),
});

/** What stands beside the diagnostics is there when it was asked for and says something. */
export const endpointCheck = z.strictObject({
  diagnostics: z.array(diagnostic),
  /** Where a call as a transaction may be another thing than the code expects. */
  remarks: z.array(remark).optional(),
  /** What the types say that JSON Schema cannot: it is neither checked nor described. */
  notices: z.array(diagnostic).optional(),
  /** What the type of the body takes, of code that compiles and has no `input`. */
  input: jsonSchema.optional(),
  /** What the endpoint answers with the status 200. */
  output: jsonSchema.optional(),
});
export type EndpointCheck = Immutable<z.infer<typeof endpointCheck>>;

/** What a watch of an endpoint tells (open-shapes, section 11). */
export const watchedValue = z.strictObject({ sequence: z.int().min(0), value: z.unknown() });
