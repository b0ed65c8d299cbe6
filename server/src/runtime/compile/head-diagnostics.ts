import { ENDPOINT_RUN_LINES_MAX } from '#base/endpoint-limits.ts';
import type { Diagnostic } from '@trellis/contract/shapes/endpoint.ts';
import { TOOL_DESCRIPTION_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import { parseRunLines, parseToolLine } from '@trellis/endpoint/settings-header.ts';

/** What is wrong with a cron expression in a time zone; undefined when nothing is. */
export type ScheduleFault = (cron: string, timeZone: string) => string | undefined;

/**
 * What is wrong with the lines at the top of code that say when the server runs it, and what models
 * are told of it.
 */
export function headDiagnostics(code: string, scheduleFault: ScheduleFault): Diagnostic[] {
  const { crons, faults } = parseRunLines(code);
  const found = faults.map(({ line, message }) => at(line, message));
  for (const { line, cron, timeZone } of crons) {
    const fault = scheduleFault(cron, timeZone);
    if (fault !== undefined) found.push(at(line, fault));
  }
  const [surplus] = crons.slice(ENDPOINT_RUN_LINES_MAX);
  if (surplus !== undefined) {
    const most = `An endpoint has at most ${ENDPOINT_RUN_LINES_MAX} lines that say when it runs.`;
    found.push(at(surplus.line, most));
  }
  const tool = parseToolLine(code);
  found.push(...tool.faults.map(({ line, message }) => at(line, message)));
  if ((tool.description?.length ?? 0) > TOOL_DESCRIPTION_CHARACTERS_MAX) {
    const most = `What a model is told has at most ${TOOL_DESCRIPTION_CHARACTERS_MAX} characters.`;
    found.push(at(1, most));
  }
  return found.toSorted((a, b) => a.line - b.line);
}

function at(line: number, message: string): Diagnostic {
  return { line, column: 1, code: 0, message };
}
