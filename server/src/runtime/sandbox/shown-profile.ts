import { type CpuProfile, cpuProfile } from '@trellis/contract/shapes/cpu-profile.ts';
import { z } from 'zod';
import { isPackage } from '../compile/imported-modules.ts';
import type { PackageOrigins } from './endpoint-call.ts';

/** As V8 writes it: it may have more than what is shown. */
const rawProfile = z.object({
  ...cpuProfile.shape,
  nodes: z.array(
    z.object({
      ...cpuProfile.shape.nodes.element.shape,
      callFrame: z.object({
        ...cpuProfile.shape.nodes.element.shape.callFrame.shape,
        // A text in the format of the tools, a number in that of V8.
        scriptId: z.coerce.string(),
      }),
      positionTicks: z.array(z.object({ line: z.int(), ticks: z.int() })).optional(),
    }),
  ),
});

/** What is shown of code that is not the author's. */
const OURS = {
  functionName: '(trellis)',
  scriptId: '0',
  url: '',
  lineNumber: -1,
  columnNumber: -1,
};

/**
 * The profile of a worker for authors of endpoints: frames of their files, which are named, and of
 * the language; what the server does is one name. Undefined for what is no profile.
 */
export function shownProfile(
  json: string,
  files: ReadonlySet<string>,
  packages: readonly PackageOrigins[],
): CpuProfile | undefined {
  const parsed = rawProfile.safeParse(parsedOrNothing(json)).data;
  if (parsed === undefined) return undefined;
  const { nodes, startTime, endTime, samples, timeDeltas } = parsed;
  return {
    nodes: nodes.map(({ callFrame, positionTicks, ...node }) => {
      const { url } = callFrame;
      // What is built into the language has no address.
      if (url === '') return { ...node, callFrame };
      if (!files.has(url)) return { ...node, callFrame: OURS };
      const place = {
        file: url,
        line: callFrame.lineNumber + 1,
        column: callFrame.columnNumber + 1,
      };
      for (const origins of packages) {
        const origin = origins.placeOf(place);
        if (origin === undefined) continue;
        const { file, line, column } = origin;
        const own = { url: file, lineNumber: line - 1, columnNumber: column - 1 };
        // Ticks have lines of the bundle.
        return { ...node, callFrame: { ...callFrame, ...own } };
      }
      const lines = positionTicks === undefined ? {} : { positionTicks };
      return { ...node, callFrame: { ...callFrame, url: shownUrl(url) }, ...lines };
    }),
    startTime,
    endTime,
    samples,
    timeDeltas,
  };
}

/** Where `trellis pull` puts the file of an endpoint; others are called as code imports them. */
function shownUrl(file: string): string {
  return file.startsWith('#') || isPackage(file) ? file : `endpoints/${file}`;
}

function parsedOrNothing(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
