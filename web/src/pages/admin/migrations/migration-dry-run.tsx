import type { MigrationDryRun } from '@trellis/contract/shapes/migration.ts';
import { useMutation } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { formatCount, formatMs } from '../../../ui/format.ts';
import { Notice } from '../../../ui/notice.tsx';

type TypeChanges = MigrationDryRun['nodes'][number];

/** Says, before a run, what it would change. */
export function MigrationTrial({ name }: { readonly name: string }) {
  const trial = useMutation({ mutationFn: () => client.migrations.dryRun(name) });
  return (
    <div className="mt-3 flex flex-col gap-3 text-ink">
      <div>
        <Button
          size="small"
          icon={FlaskConical}
          isBusy={trial.isPending}
          onClick={() => trial.mutate()}
        >
          {trial.data === undefined ? 'Dry run' : 'Dry run again'}
        </Button>
        <p className="mt-1 text-[13px] text-muted">
          Runs the code for up to 30 seconds, counts what it would change, and writes nothing.
        </p>
      </div>
      <div aria-live="polite" className="flex flex-col gap-3">
        {trial.isError && <ErrorPanel title="The dry run did not begin" error={trial.error} />}
        {trial.data !== undefined && !trial.isPending && <TrialResult trial={trial.data} />}
      </div>
    </div>
  );
}

function TrialResult({ trial }: { readonly trial: MigrationDryRun }) {
  const { nodes, edges, log } = trial;
  return (
    <>
      <Notice tone={trial.outcome === 'completed' ? 'info' : 'warning'}>
        {outcomeText(trial)}
      </Notice>
      {nodes.length + edges.length > 0 && (
        <div className="overflow-x-auto">
          <table
            className="w-full border-collapse text-left text-[13px]"
            aria-label="What it would change"
          >
            <thead>
              <tr className="border-b text-muted">
                {['Type', 'Created', 'Changed', 'Deleted'].map((title, at) => (
                  <th
                    key={title}
                    scope="col"
                    className={`py-1 font-medium ${at === 0 ? '' : 'pl-2 text-right'}`}
                  >
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <ChangedTypes title="Nodes" types={nodes} />
            <ChangedTypes title="Edges" types={edges} />
          </table>
        </div>
      )}
      {log.length > 0 && (
        <details className="text-[13px]">
          <summary className="cursor-pointer">What it logged</summary>
          <pre className="mt-1 max-h-40 overflow-auto rounded-control bg-sunken p-2 font-mono text-xs whitespace-pre-wrap">
            {log.map(({ text }) => text).join('\n')}
          </pre>
        </details>
      )}
    </>
  );
}

interface ChangedTypesProps {
  readonly title: string;
  readonly types: readonly TypeChanges[];
}

function ChangedTypes({ title, types }: ChangedTypesProps) {
  if (types.length === 0) return null;
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={4} className="pt-2 pb-1 font-semibold">
          {title}
        </th>
      </tr>
      {types.map(({ type, ...counts }) => (
        <tr key={type} className="border-b last:border-b-0">
          <th scope="row" className="py-1 font-normal wrap-anywhere">
            {type}
          </th>
          {(['created', 'changed', 'deleted'] as const).map((what) => (
            <td key={what} className="py-1 pl-2 text-right tabular-nums">
              {formatCount(counts[what])}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function outcomeText({ outcome, error, nodes, edges, tookMs }: MigrationDryRun): string {
  const isEmpty = nodes.length + edges.length === 0;
  switch (outcome) {
    case 'completed':
      return isEmpty
        ? `It would succeed and change nothing (${formatMs(tookMs)}).`
        : `It would succeed, and change this (${formatMs(tookMs)}).`;
    case 'failed':
      return `It would fail: ${error?.message ?? ''}${isEmpty ? '' : ' By then it had written this.'}`;
    case 'timed_out':
      return 'It takes longer than a dry run may. It had written this by then; a run would write more.';
    case 'too_large':
      return 'It writes more than a dry run keeps. It had written this by then; a run would write more.';
  }
}
