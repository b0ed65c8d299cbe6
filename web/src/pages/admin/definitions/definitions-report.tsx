import type { DefinitionsImport, ImportedItem } from '@trellis/contract/shapes/definitions.ts';
import { Check } from 'lucide-react';
import { Badge, type BadgeTone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { DiffText } from '../../../ui/diff-text.tsx';
import { Notice } from '../../../ui/notice.tsx';

interface DefinitionsReportProps {
  readonly title: string;
  /** What is said as it goes on; of a dry run nothing is shown. */
  readonly log?: readonly string[];
  /** Undefined until it has ended. */
  readonly result: DefinitionsImport | undefined;
  /** What it is that goes on, for the name of its log. */
  readonly what?: 'import' | 'rollback';
  readonly action?: string;
  readonly onApply?: () => void;
}

/** What an import does, or would do, definition by definition. */
export function DefinitionsReport(props: DefinitionsReportProps) {
  const { title, log, result, what = 'import', action = 'Apply', onApply } = props;
  const items = result?.items.filter((item) => item.action !== 'unchanged') ?? [];
  return (
    <Card
      title={title}
      actions={<ReportState result={result} />}
      description={log === undefined ? undefined : 'It continues when you leave the page.'}
    >
      <div className="flex flex-col gap-4">
        {log !== undefined && <ImportLog what={what} lines={log} />}
        {result !== undefined && <Totals result={result} />}
        {items.length > 0 && (
          <ol aria-label={title} className="flex flex-col gap-4">
            {items.map((item) => (
              <li
                key={`${item.kind} ${item.name} ${item.action}`}
                className="overflow-hidden rounded-control border"
              >
                <Item item={item} />
              </li>
            ))}
          </ol>
        )}
        {onApply !== undefined && (
          <div className="flex justify-end">
            <Button kind="primary" icon={Check} disabled={items.length === 0} onClick={onApply}>
              {action}
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}

const ACTIONS: Readonly<Record<ImportedItem['action'], readonly [BadgeTone, string]>> = {
  created: ['good', 'New'],
  changed: ['info', 'Changed'],
  deleted: ['danger', 'Deleted'],
  unchanged: ['info', 'Unchanged'],
  failed: ['danger', 'Fails'],
};

function ReportState({ result }: Pick<DefinitionsReportProps, 'result'>) {
  if (result === undefined) return <Badge tone="info">Under way</Badge>;
  if (result.dryRun) return undefined;
  return result.totals.failed === 0 ? (
    <Badge tone="good">Done</Badge>
  ) : (
    <Badge tone="danger">Nothing was changed</Badge>
  );
}

function Totals({
  result: { totals, ignored, afterwards },
}: {
  readonly result: DefinitionsImport;
}) {
  const { created, changed, deleted, unchanged, failed } = totals;
  return (
    <>
      <p role="status">
        {`${created} new, ${changed} changed, ${deleted} deleted, ${unchanged} unchanged, ${failed} failed.`}
      </p>
      {ignored.length > 0 && <Notice tone="info">Left out: {ignored.join(', ')}</Notice>}
      {afterwards.length > 0 && (
        <Notice tone="warning">
          <p>To be done afterwards, since files do not hold it:</p>
          <ul>
            {afterwards.map(({ kind, name, message }) => (
              <li key={`${kind} ${name}`} className="wrap-anywhere">
                {message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

function Item({ item }: { readonly item: ImportedItem }) {
  const { kind, name, action, diff, diagnostics, error } = item;
  const [tone, word] = ACTIONS[action];
  const isAlone = kind === name;
  return (
    <>
      <p className="flex flex-wrap items-center gap-2 border-b bg-sunken px-3 py-2">
        <Badge tone={tone}>{word}</Badge>
        <span className="text-muted">{kind.replaceAll('-', ' ')}</span>
        {!isAlone && <span className="min-w-0 font-mono text-[13px] wrap-anywhere">{name}</span>}
      </p>
      {error !== null && (
        <p className="border-b bg-danger-soft px-3 py-2 text-danger">
          {error.message} <code className="font-mono">({error.code})</code>
        </p>
      )}
      {diagnostics.length > 0 && (
        <ul
          aria-label={`What is wrong with ${name}`}
          className="border-b bg-danger-soft px-3 py-2 text-danger"
        >
          {diagnostics.map(({ message, line, column }) => (
            <li key={`${line}:${column} ${message}`} className="wrap-anywhere">
              {line !== undefined && `Line ${line}${column === undefined ? '' : `:${column}`}: `}
              {message}
            </li>
          ))}
        </ul>
      )}
      {diff !== '' && (
        <div className="px-2 pb-2">
          <DiffText label={`What changes in ${kind} ${name}`} diff={diff.trimEnd()} />
        </div>
      )}
    </>
  );
}

function ImportLog({ what, lines }: { readonly what: string; readonly lines: readonly string[] }) {
  return (
    <div
      role="log"
      aria-label={`Log of the ${what}`}
      tabIndex={0}
      className="max-h-60 overflow-y-auto rounded-control border bg-sunken p-2 font-mono text-xs"
    >
      <ol>
        {lines.map((line, at) => (
          // A line has no identity but its place.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={at} className="wrap-anywhere">
            {line}
          </li>
        ))}
      </ol>
    </div>
  );
}
