import { ENDPOINT_RUN_LINES_MAX } from '#base/endpoint-limits.ts';
import { isSystemName, nearestName } from '#graph/names.ts';
import type { Diagnostic } from '@trellis/contract/shapes/endpoint.ts';
import { TOOL_DESCRIPTION_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { headFaults, parseRunLines, parseToolLine } from '@trellis/endpoint/settings-header.ts';

/** What is wrong with a cron expression in a time zone; undefined when nothing is. */
export type ScheduleFault = (cron: string, timeZone: string) => string | undefined;

/**
 * What is wrong with the lines at the top of code that hold its settings, say when the server runs
 * it, and what models are told of it.
 */
export function headDiagnostics(
  code: string,
  schema: SchemaDocument,
  scheduleFault: ScheduleFault,
): Diagnostic[] {
  const { crons, triggers } = parseRunLines(code);
  const found = headFaults(code).map(({ line, message }) => at(line, message));
  for (const { line, cron, timeZone } of crons) {
    const fault = scheduleFault(cron, timeZone);
    if (fault !== undefined) found.push(at(line, fault));
  }
  const types = schema.nodes.map(({ type }) => type).filter((type) => !isSystemName(type));
  for (const { line, type } of triggers) {
    if (!types.includes(type)) found.push(at(line, unknownType(type, types)));
  }
  const [surplus] = [...crons, ...triggers]
    .toSorted((a, b) => a.line - b.line)
    .slice(ENDPOINT_RUN_LINES_MAX);
  if (surplus !== undefined) {
    const most = `An endpoint has at most ${ENDPOINT_RUN_LINES_MAX} lines that say when it runs.`;
    found.push(at(surplus.line, most));
  }
  const tool = parseToolLine(code);
  if ((tool.description?.length ?? 0) > TOOL_DESCRIPTION_CHARACTERS_MAX) {
    const most = `What a model is told has at most ${TOOL_DESCRIPTION_CHARACTERS_MAX} characters.`;
    found.push(at(1, most));
  }
  return found.toSorted((a, b) => a.line - b.line);
}

function unknownType(type: string, types: readonly string[]): string {
  if (isSystemName(type)) return `"${type}" belongs to the server: its changes run nothing.`;
  const nearest = nearestName(type, types);
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  return `The schema has no node type "${type}".${hint}`;
}

function at(line: number, message: string): Diagnostic {
  return { line, column: 1, code: 0, message };
}
