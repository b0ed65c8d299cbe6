import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { labelOf } from '../../api/node-label.ts';
import { formatCount } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { LeaveGuard } from '../endpoints/leave-guard.tsx';
import { NO_DRAFT, type RecordDraft } from './record-draft.ts';

/** What was typed into records and is not saved; it stays while others are opened. */
export interface Drafts {
  readonly of: (name: string) => RecordDraft;
  readonly keep: (name: string, draft: RecordDraft) => void;
  /** The names of those with changes. */
  readonly names: readonly string[];
}

export function useDrafts(): Drafts {
  const [kept, setKept] = useState<Readonly<Record<string, RecordDraft>>>({});
  return {
    of: (name) => kept[name] ?? NO_DRAFT,
    keep: (name, draft) => setKept((before) => ({ ...before, [name]: draft })),
    names: Object.keys(kept).filter((name) => isChanged(kept[name])),
  };
}

function isChanged(draft: RecordDraft | undefined): boolean {
  return draft !== undefined && Object.keys(draft.texts).length > 0;
}

const NEW = 'new ';

/** The name of the draft of a node that is not there yet. */
export function newDraftName(type: string): string {
  return `${NEW}${type}`;
}

interface UnsavedRecordsProps {
  readonly drafts: Drafts;
  /** The name of the one that is open. */
  readonly opened: string | undefined;
}

/** Leads back to records with changes that are not saved, and asks before these are lost. */
export function UnsavedRecords({ drafts, opened }: UnsavedRecordsProps) {
  const { names } = drafts;
  const others = names.filter((name) => name !== opened);
  const count = names.length === 1 ? 'One node has' : `${formatCount(names.length)} nodes have`;
  return (
    <>
      {others.length > 0 && (
        <Notice tone="warning">
          Not saved yet:{' '}
          {others.map((name, i) => (
            <span key={name}>
              {i > 0 && ', '}
              <DraftLink name={name} draft={drafts.of(name)} />
            </span>
          ))}
        </Notice>
      )}
      <LeaveGuard isDirty={names.length > 0} within="/data">
        {count} changes that are not saved. They are lost when you leave.
      </LeaveGuard>
    </>
  );
}

function DraftLink({
  name,
  draft: { base },
}: {
  readonly name: string;
  readonly draft: RecordDraft;
}) {
  const type = base?.node.Type ?? name.slice(NEW.length);
  return (
    <Link
      to="/data/{-$type}"
      params={{ type }}
      search={base === undefined ? { new: true } : { node: name }}
      className="underline"
    >
      <bdi>{base === undefined ? `New ${type}` : labelOf(base.node)}</bdi>
    </Link>
  );
}
