import type { SchemaBreak, SchemaChangeOutcome } from '@trellis/contract/shapes/schema-change.ts';
import { Badge } from '../../../ui/badge.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Notice } from '../../../ui/notice.tsx';

const KINDS: Readonly<Record<SchemaBreak['kind'], string>> = {
  endpoint: 'endpoint',
  module: 'module',
  migration: 'migration',
  tool: 'tool',
  task: 'task',
  searchSetting: 'search setting',
  access: 'rule of access',
  goldenSet: 'golden set',
  index: 'index',
};

/** What a dry run says: how much a change is about, what readers lose, and what breaks. */
export function ChangeExtent({ outcome }: { readonly outcome: SchemaChangeOutcome }) {
  const { breaks, nodes, edges, lossy, lostValues } = outcome;
  return (
    <>
      <Notice tone={breaks.length > 0 || lossy ? 'warning' : 'info'}>
        <p>
          It concerns {counted(nodes, 'node')} and {counted(edges, 'edge')}.
        </p>
        {lossy && (
          <p>
            {lostValues === 0
              ? 'Readers lose data until it is undone.'
              : `Readers lose ${counted(lostValues, 'value')} until it is undone.`}
          </p>
        )}
        <p>
          {breaks.length === 0
            ? 'Nothing breaks.'
            : `It breaks ${breaks.length === 1 ? 'one thing' : `${formatCount(breaks.length)} things`}.`}
        </p>
      </Notice>
      {breaks.length > 0 && (
        <ul
          aria-label="What it breaks"
          tabIndex={0}
          className="max-h-60 divide-y overflow-y-auto rounded-control border"
        >
          {breaks.map((one) => (
            <li key={`${one.kind} ${one.name} ${one.why}`} className="px-3 py-2">
              <Break broken={one} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Break({ broken }: { readonly broken: SchemaBreak }) {
  const { kind, name, why, diagnostics = [] } = broken;
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <Badge>{KINDS[kind]}</Badge>
        <span className="min-w-0 font-medium wrap-anywhere">{name}</span>
      </p>
      <p className="text-[13px] text-muted">{why}</p>
      {diagnostics.length > 0 && (
        <ol className="mt-1 font-mono text-xs wrap-anywhere">
          {diagnostics.map(({ line, column, message }) => (
            <li key={`${line}:${column} ${message}`}>
              {line}:{column} {message}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function counted(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}
