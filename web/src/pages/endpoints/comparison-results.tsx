import type { CodeComparisonResult } from '@trellis/contract/shapes/code-history.ts';
import { Badge } from '../../ui/badge.tsx';
import { formatMs } from '../../ui/format.ts';

export interface ComparedInput {
  /** Its place among those that were compared: two may be the same. */
  readonly position: number;
  /** JSON text; empty for none. */
  readonly body: string;
  readonly result: CodeComparisonResult;
}

type VersionRun = CodeComparisonResult['runs'][number];

const SHOWN_CHARACTERS_MAX = 4_000;

/** What differs comes first. */
export function ComparisonResults({ compared }: { readonly compared: readonly ComparedInput[] }) {
  const different = compared.filter(({ result }) => !result.isEqual);
  const sorted = [...different, ...compared.filter(({ result }) => result.isEqual)];
  return (
    <div role="region" aria-label="Result of the comparison" className="flex flex-col gap-3">
      <p className="font-medium">
        {different.length === 0
          ? 'Both versions answer the same'
          : `The versions answer differently to ${different.length} of ${compared.length}`}
      </p>
      {sorted.map(({ position, body, result }) => (
        <div key={position} className="rounded-card border p-3">
          <p className="flex flex-wrap items-center gap-2">
            <Badge tone={result.isEqual ? 'good' : 'warning'}>
              {result.isEqual ? 'Same' : 'Different'}
            </Badge>
            <code className="min-w-0 font-mono text-xs break-all">{body || 'no body'}</code>
          </p>
          <div className="mt-2 grid gap-3 md:grid-cols-2">
            {result.runs.map((run) => (
              <VersionAnswer key={run.version} run={run} />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}

function VersionAnswer({
  run: { version, status, body, error, ms },
}: {
  readonly run: VersionRun;
}) {
  const text =
    error === null ? (JSON.stringify(body, undefined, 2) ?? '') : `${error.code}: ${error.message}`;
  return (
    <div className="min-w-0">
      <p className="flex flex-wrap items-center gap-2 text-[13px]">
        <span className="font-medium">Version {version}</span>
        <Badge tone={error === null ? 'neutral' : 'danger'}>
          {status === null ? 'Failed' : `Status ${status}`}
        </Badge>
        <span className="text-muted tabular-nums">{formatMs(ms)}</span>
      </p>
      <pre
        tabIndex={0}
        role="region"
        aria-label={`Answer of version ${version}`}
        className="mt-1 max-h-60 overflow-auto rounded-control bg-sunken p-2 font-mono text-xs break-words whitespace-pre-wrap"
      >
        {text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text}
      </pre>
    </div>
  );
}
