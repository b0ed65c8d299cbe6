import type { ProposalItem } from '@trellis/contract/shapes/admin-agent.ts';
import { CircleAlert, CircleX } from 'lucide-react';
import { Badge, type BadgeTone } from '../../../ui/badge.tsx';
import { DiffText } from '../../../ui/diff-text.tsx';

const ACTIONS: Readonly<Record<ProposalItem['action'], readonly [BadgeTone, string]>> = {
  create: ['good', 'New'],
  change: ['info', 'Changed'],
  delete: ['danger', 'Deleted'],
};

export const KIND_WORDS: Readonly<Record<ProposalItem['kind'], string>> = {
  endpoint: 'Endpoint',
  tool: 'Tool',
  agent: 'Agent',
  schema: 'Schema',
  'search-settings': 'Search settings',
};

/** Each definition with what differs, what is wrong with it, and how it widens access. */
export function ProposalItems({ items }: { readonly items: readonly ProposalItem[] }) {
  return (
    <ol aria-label="Proposed changes" className="flex flex-col gap-4">
      {items.map((item) => (
        <li key={`${item.kind} ${item.name}`} className="overflow-hidden rounded-control border">
          <Item item={item} />
        </li>
      ))}
    </ol>
  );
}

function Item({ item }: { readonly item: ProposalItem }) {
  const { kind, name, action, diff, diagnostics, widensAccess } = item;
  const [tone, word] = ACTIONS[action];
  return (
    <>
      <p className="flex flex-wrap items-center gap-2 border-b bg-sunken px-3 py-2">
        <Badge tone={tone}>{word}</Badge>
        <span className="text-muted">{KIND_WORDS[kind]}</span>
        <span className="min-w-0 font-mono text-[13px] wrap-anywhere">{name}</span>
      </p>
      {widensAccess.length > 0 && (
        <ul
          aria-label={`How ${name} widens access`}
          className="border-b bg-warning-soft px-3 py-2 text-warning"
        >
          {widensAccess.map((reason) => (
            <li key={reason} className="flex items-start gap-1.5">
              <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
              {reason}
            </li>
          ))}
        </ul>
      )}
      {diagnostics.length > 0 && (
        <ul
          aria-label={`What is wrong with ${name}`}
          className="border-b bg-danger-soft px-3 py-2 text-danger"
        >
          {diagnostics.map(({ message, line, column }) => (
            <li key={`${line}:${column} ${message}`} className="flex items-start gap-1.5">
              <CircleX className="mt-0.5 size-4 shrink-0" aria-hidden />
              <span className="min-w-0 wrap-anywhere">
                {line !== undefined && `Line ${line}${column === undefined ? '' : `:${column}`}: `}
                {message}
              </span>
            </li>
          ))}
        </ul>
      )}
      <div className="px-2 pb-2">
        <DiffText label={`What changes in ${name}`} diff={diff.trimEnd()} />
      </div>
    </>
  );
}
