import { z } from 'zod';
import type { Immutable } from '../immutable.ts';

/** Calls of one endpoint on this server since it started (open-shapes, section 5). */
export const endpointMetrics = z.strictObject({
  name: z.string(),
  calls: z.int().min(0),
  /** Calls that ended with a status from 500 up. */
  errors: z.int().min(0),
  /** 0 to 1; 0 without calls. */
  errorRate: z.number(),
  /** In milliseconds, percentiles to within 5 %; null without calls. */
  averageMs: z.number().nullable(),
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
  lastCalledAt: z.iso.datetime().nullable(),
});
export type EndpointMetrics = Immutable<z.infer<typeof endpointMetrics>>;

export const endpointMetricsList = z.strictObject({ items: z.array(endpointMetrics) });
export type EndpointMetricsList = Immutable<z.infer<typeof endpointMetricsList>>;
