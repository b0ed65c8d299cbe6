import { useQuery } from '@tanstack/react-query';
import type { Connector, ConnectorReportDocument } from '@trellis/contract/shapes/connector.ts';
import { formatCount } from '../../../ui/format.ts';
import { RunListPanel } from '../tasks/run-list-panel.tsx';
import { connectorRunsQuery } from './connector-queries.ts';

interface ConnectorRunsPanelProps {
  readonly connector: Connector;
  readonly onClose: () => void;
}

/** What each of the last runs has changed, and what was refused. */
export function ConnectorRunsPanel({ connector, onClose }: ConnectorRunsPanelProps) {
  const runs = useQuery(connectorRunsQuery(connector.id));
  return (
    <RunListPanel
      title={`Runs of “${connector.name}”`}
      runs={runs}
      errorTitle="The runs could not be read"
      onClose={onClose}
    >
      {({ report, log }) => (
        <>
          {report !== null && <Report report={report} />}
          {log.map(({ at, text }) => (
            <p key={`${at} ${text}`} className="mt-1 text-[13px] wrap-anywhere text-muted">
              {text}
            </p>
          ))}
        </>
      )}
    </RunListPanel>
  );
}

function Report({ report }: { readonly report: ConnectorReportDocument }) {
  const { changes, rejectedRows } = report;
  return (
    <>
      <p className="text-[13px] text-muted">{reportText(report)}</p>
      {changes.length > 0 && (
        <ul className="mt-1 text-[13px]">
          {changes.map(({ row, change }) => (
            <li key={`${change} ${row}`} className="wrap-anywhere">
              {change} <bdi className="font-mono">{row}</bdi>
            </li>
          ))}
        </ul>
      )}
      {rejectedRows.length > 0 && (
        <ul className="mt-1 text-[13px]" aria-label="Refused rows">
          {rejectedRows.map(({ row, message }) => (
            <li key={row} className="wrap-anywhere">
              <bdi className="font-mono">{row}</bdi>: {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The counts in words. */
export function reportText(report: ConnectorReportDocument): string {
  const { rows, added, changed, removed, splits = 0, rejected } = report;
  const parts = [
    rows === 1 ? '1 row' : `${formatCount(rows)} rows`,
    `${formatCount(added)} added`,
    `${formatCount(changed)} changed`,
    `${formatCount(removed)} removed`,
  ];
  if (splits > 0) parts.push(`${formatCount(splits)} split off from merged nodes`);
  if (rejected > 0) parts.push(`${formatCount(rejected)} refused`);
  return parts.join(', ');
}
