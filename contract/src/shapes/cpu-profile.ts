import { z } from 'zod';
import type { Immutable } from '../immutable.ts';

/** A CPU profile as the tools of browsers read it: a file that ends with `.cpuprofile`. */
export const cpuProfile = z.strictObject({
  nodes: z.array(
    z.strictObject({
      id: z.int(),
      callFrame: z.strictObject({
        functionName: z.string(),
        scriptId: z.string(),
        url: z.string(),
        lineNumber: z.int(),
        columnNumber: z.int(),
      }),
      hitCount: z.int().optional(),
      children: z.array(z.int()).optional(),
      positionTicks: z.array(z.strictObject({ line: z.int(), ticks: z.int() })).optional(),
    }),
  ),
  startTime: z.number(),
  endTime: z.number(),
  samples: z.array(z.int()),
  timeDeltas: z.array(z.number()),
});
export type CpuProfile = Immutable<z.infer<typeof cpuProfile>>;
