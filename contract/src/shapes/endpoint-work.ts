import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { author } from './build.ts';
import { cpuProfile } from './cpu-profile.ts';
import { endpointDraft, endpointName, jsonSchema } from './endpoint.ts';

/** Code that is run with the name of an endpoint, and its settings if there is one. */
export const draftRun = endpointDraft.extend({
  name: endpointName,
  /** What it is called with; left out for none. */
  body: z.unknown().optional(),
  /** Writes are tried then, and thrown away. */
  profile: z.boolean().optional(),
});
export type DraftRun = Immutable<z.infer<typeof draftRun>>;

export const draftOutcome = z.strictObject({
  /** That of the answer, or of the error. */
  status: z.int(),
  /** What it answered; null when it failed, or answered nothing. */
  body: z.unknown(),
  error: z
    .strictObject({
      code: z.string(),
      message: z.string(),
      hint: z.string().optional(),
      details: z.record(z.string(), z.unknown()).optional(),
    })
    .nullable(),
  ms: z.number(),
  /** Where it was asked for; null when there is none. */
  profile: cpuProfile.nullable().optional(),
});
export type DraftOutcome = Immutable<z.infer<typeof draftOutcome>>;

/** What is known of the JSON of an endpoint; null where nothing is. */
export const endpointTypes = z.strictObject({
  /** Of the body: from `export const input`, or else its type. */
  input: jsonSchema.nullable(),
  /** Of what is answered with the status 200. */
  output: jsonSchema.nullable(),
});
export type EndpointTypes = Immutable<z.infer<typeof endpointTypes>>;

/** `nested`: another endpoint called it. `draft`: code that was not saved. */
export const endpointCallKind = z.enum(['call', 'nested', 'draft']);

/** One run of an endpoint on this server. */
export const endpointCall = z.strictObject({
  at: z.iso.datetime(),
  kind: endpointCallKind,
  /** Null for a token that acts as nobody. */
  user: author,
  /** Null when the caller went before there was an answer. */
  status: z.int().nullable(),
  /** Of an error. */
  code: z.string().nullable(),
  ms: z.number(),
  /** Of the answer. */
  bytes: z.int().min(0),
  /** The `run` of its log lines; null when it logged nothing. */
  run: z.int().min(1).nullable(),
  /** Of the request that it comes of, under which the log of the server has records. */
  traceId: z.string().nullable(),
  /** Id of its trace; null when none is kept. A call from an endpoint is part of that one's. */
  trace: z.string().nullable(),
});
export type EndpointCall = Immutable<z.infer<typeof endpointCall>>;

/** Newest first. */
export const endpointCalls = z.strictObject({ items: z.array(endpointCall) });
