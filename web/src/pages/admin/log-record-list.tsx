import type { LogRecord } from '@trellis/contract/shapes/log.ts';
import { Badge } from '../../ui/badge.tsx';
import { toneOf } from './log-levels.ts';

interface LogRecordListProps {
  readonly label: string;
  readonly records: readonly LogRecord[];
}

/** Records of the log, one below the other; the rest of what they carry opens. */
export function LogRecordList({ label, records }: LogRecordListProps) {
  return (
    <ol aria-label={label} className="divide-y">
      {records.map((record, at) => (
        // Two records may say the same at the same moment.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={`${record.at} ${at}`} className="px-4 py-1.5 text-[13px]">
          <details>
            <summary className="flex items-baseline gap-3">
              <time dateTime={record.at} className="shrink-0 font-mono text-muted tabular-nums">
                {record.at.slice(0, 23).replace('T', ' ')}
              </time>
              <span className="w-14 shrink-0">
                <Badge tone={toneOf(record.level)}>{record.level}</Badge>
              </span>
              <span className="min-w-0 break-words">{record.message}</span>
            </summary>
            <pre className="mt-1 overflow-x-auto rounded-control bg-sunken p-2 font-mono text-xs">
              {JSON.stringify(record.fields, null, 2)}
            </pre>
          </details>
        </li>
      ))}
    </ol>
  );
}
