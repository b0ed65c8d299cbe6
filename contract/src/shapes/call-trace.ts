import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { author } from './build.ts';
import { endpointCallKind } from './endpoint-work.ts';

/**
 * `attempt`: the code at work. `wait`: for a worker. `turn`: for others, after a conflict. `query`:
 * `q()`. `reads`: reads and writes of nodes by operation, together. `search`: the text index.
 * `run`: another endpoint. `commit`: what was written. `fetch`: another server. `ai`: a model.
 * `log`: a line.
 */
export const traceSpanKind = z.enum([
  'attempt',
  'wait',
  'turn',
  'query',
  'reads',
  'search',
  'run',
  'commit',
  'fetch',
  'ai',
  'log',
]);
export type TraceSpanKind = z.infer<typeof traceSpanKind>;

/** What a kind of span tells beside its time; what is not known is left out. */
export const traceSpanFacts = z.strictObject({
  /** Reads and writes that the span stands for. */
  count: z.int().min(0).optional(),
  /** How long they took together. */
  busyMs: z.number().min(0).optional(),
  rowsRead: z.int().min(0).optional(),
  rowsGiven: z.int().min(0).optional(),
  access: z.enum(['key', 'index', 'scan', 'edges', 'search', 'vectors']).optional(),
  index: z.string().optional(),
  operations: z.int().min(0).optional(),
  sequence: z.int().min(0).optional(),
  conflict: z.string().optional(),
  method: z.string().optional(),
  status: z.int().optional(),
  bytes: z.int().min(0).optional(),
  model: z.string().optional(),
  inputTokens: z.int().min(0).optional(),
  outputTokens: z.int().min(0).optional(),
  level: z.string().optional(),
});
export type TraceSpanFacts = Immutable<z.infer<typeof traceSpanFacts>>;

export const traceSpan = z.strictObject({
  /** From 1, in the order in which they began to be recorded. */
  id: z.int().min(1),
  /** The span that it is part of; null for the call itself. */
  parent: z.int().min(1).nullable(),
  kind: traceSpanKind,
  name: z.string(),
  /** Since the call began. */
  startMs: z.number().min(0),
  ms: z.number().min(0),
  /** Code of the error that it ended with; null when it ended well. */
  error: z.string().nullable(),
  facts: traceSpanFacts,
});
export type TraceSpan = Immutable<z.infer<typeof traceSpan>>;

export const callTrace = z.strictObject({
  id: z.string(),
  endpoint: z.string(),
  /** Of the code that ran; null for code that was not saved. */
  version: z.int().min(1).nullable(),
  kind: endpointCallKind,
  at: z.iso.datetime(),
  user: author,
  status: z.int().nullable(),
  code: z.string().nullable(),
  ms: z.number().min(0),
  /** Why it was kept. */
  reason: z.enum(['sampled', 'draft', 'error', 'conflict', 'slow']),
  attempts: z.int().min(0),
  cpuMs: z.number().min(0).nullable(),
  heapBytes: z.int().min(0).nullable(),
  /** JSON text; empty for a call without a body, null when it is not kept. */
  input: z.string().nullable(),
  spans: z.array(traceSpan),
  /** What has no span of its own. */
  counted: z.array(z.strictObject({ name: z.string(), count: z.int().min(1) })),
  traceId: z.string().nullable(),
});
export type CallTrace = Immutable<z.infer<typeof callTrace>>;
