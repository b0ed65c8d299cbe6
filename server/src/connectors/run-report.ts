import type { ConnectorReport } from '@trellis/connector/run-connector.ts';
import {
  type ConnectorReportDocument,
  connectorReport,
  type ConnectorRunDocument,
} from '@trellis/contract/shapes/connector.ts';
import type { TaskRun } from '@trellis/contract/shapes/task.ts';
import {
  CONNECTOR_CHANGES_KEPT,
  CONNECTOR_REJECTED_KEPT,
  CONNECTOR_ROW_CHARACTERS_MAX,
} from '#base/connector-limits.ts';
import { TASK_RESULT_CHARACTERS_MAX } from '#base/limits.ts';

/** As much of a report as the result of a task's run holds. */
export function keptReport(report: ConnectorReport): ConnectorReportDocument {
  const { rows, unchanged, added, changed, removed, splits, rejected } = report;
  const { operations, commits } = report;
  const ofRows = { rows, unchanged, added, changed, removed, splits, rejected };
  const counts = { ...ofRows, operations, commits };
  const rejectedRows = report.rejectedRows
    .slice(0, CONNECTOR_REJECTED_KEPT)
    .map(({ row, code, message }) => ({ row: beginning(row), code, message: beginning(message) }));
  const changes = report.changes
    .slice(0, CONNECTOR_CHANGES_KEPT)
    .map(({ row, change }) => ({ row: beginning(row), change }));
  for (;;) {
    const kept = { ...counts, changes, rejectedRows };
    if (JSON.stringify(kept).length <= TASK_RESULT_CHARACTERS_MAX) return kept;
    // What was refused is told before what went well.
    if (changes.pop() === undefined) rejectedRows.pop();
  }
}

export function runOf({ id, state, trigger, ...run }: TaskRun): ConnectorRunDocument {
  const { startedAt, endedAt, error, log } = run;
  return { id, state, trigger, startedAt, endedAt, report: reportIn(run.result), error, log };
}

function reportIn(result: string | null): ConnectorReportDocument | null {
  if (result === null) return null;
  try {
    return connectorReport.parse(JSON.parse(result));
  } catch {
    // It was redacted in a way that left no report.
    return null;
  }
}

function beginning(text: string): string {
  if (text.length <= CONNECTOR_ROW_CHARACTERS_MAX) return text;
  return `${text.slice(0, CONNECTOR_ROW_CHARACTERS_MAX).toWellFormed()}...`;
}
