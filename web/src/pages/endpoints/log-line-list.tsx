import type { EndpointLogLevel } from '@trellis/contract/log-levels.ts';
import type { EndpointLogLine } from '@trellis/contract/shapes/endpoint-log.ts';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';

interface LogLineListProps {
  readonly label: string;
  readonly lines: readonly EndpointLogLine[];
}

const TONES: Readonly<Record<EndpointLogLevel, BadgeTone>> = {
  debug: 'neutral',
  info: 'info',
  warn: 'warning',
  error: 'danger',
};

/** Log lines in the order in which they are given. */
export function LogLineList({ label, lines }: LogLineListProps) {
  return (
    <ol aria-label={label} className="divide-y divide-line">
      {lines.map((line) => (
        <LogLine key={line.sequence} line={line} />
      ))}
    </ol>
  );
}

function LogLine({ line: { at, level, message, data, run } }: { readonly line: EndpointLogLine }) {
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 px-1 py-1.5">
      <time dateTime={at} className="font-mono text-xs leading-6 text-muted tabular-nums">
        {at.slice(0, 23).replace('T', ' ')}
      </time>
      <Badge tone={TONES[level]}>{level}</Badge>
      <div className="min-w-0 flex-1 basis-36">
        <p className="break-words whitespace-pre-wrap">
          <bdi>{message}</bdi>
        </p>
      </div>
      <span className="text-xs leading-6 text-muted">run {run}</span>
      {data !== undefined && <LogData data={data} />}
    </li>
  );
}

const OPEN_CHARACTERS_MAX = 300;

/** What was given beside the message; what is long, such as a stack, opens. */
function LogData({ data }: { readonly data: unknown }) {
  const line = JSON.stringify(data);
  const classes = 'font-mono text-xs break-words whitespace-pre-wrap text-muted';
  if (line.length <= OPEN_CHARACTERS_MAX) return <pre className={`w-full ${classes}`}>{line}</pre>;
  // Lines within a text are lines here too: it is for reading.
  const text = JSON.stringify(data, undefined, 2).replaceAll(String.raw`\n`, '\n');
  return (
    <details className="w-full text-[13px]">
      <summary className="text-muted">Data</summary>
      <pre className={classes}>{text}</pre>
    </details>
  );
}
