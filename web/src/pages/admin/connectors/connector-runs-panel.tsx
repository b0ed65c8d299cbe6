import { useQuery } from '@tanstack/react-query';
import type {
  Connector,
  ConnectorReportDocument,
  ConnectorRunDocument,
} from '@trellis/contract/shapes/connector.ts';
import { Badge } from '../../../ui/badge.tsx';
import { SidePanel } from '../../../ui/dialog.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { RUN_TONES } from '../tasks/task-table.tsx';
import { connectorRunsQuery } from './connector-queries.ts';

interface ConnectorRunsPanelProps {
  readonly connector: Connector;
  readonly onClose: () => void;
}

/** What each of the last runs has changed, and what was refused. */
export function ConnectorRunsPanel({ connector, onClose }: ConnectorRunsPanelProps) {
  const runs = useQuery(connectorRunsQuery(connector.id));
  return (
    <SidePanel isOpen onClose={onClose} title={`Runs of “${connector.name}”`}>
      <QueryView query={runs} errorTitle="The runs could not be read">
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-muted">It has not run yet.</p>
          ) : (
            <ol className="flex flex-col gap-4">
              {items.map((run) => (
                <RunEntry key={run.id} run={run} />
              ))}
            </ol>
          )
        }
      </QueryView>
    </SidePanel>
  );
}

function RunEntry({ run }: { readonly run: ConnectorRunDocument }) {
  const { state, startedAt, error, report, log } = run;
  return (
    <li>
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={RUN_TONES[state]}>{state}</Badge> <Time iso={startedAt} isExact />
      </p>
      {error !== null && <p className="mt-1 wrap-anywhere">{error.message}</p>}
      {report !== null && <Report report={report} />}
      {log.map(({ at, text }) => (
        <p key={`${at} ${text}`} className="mt-1 text-[13px] wrap-anywhere text-muted">
          {text}
        </p>
      ))}
    </li>
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
  const { rows, added, changed, removed, rejected } = report;
  const parts = [
    rows === 1 ? '1 row' : `${rows} rows`,
    `${added} added`,
    `${changed} changed`,
    `${removed} removed`,
  ];
  return [...parts, ...(rejected === 0 ? [] : [`${rejected} refused`])].join(', ');
}
