import { type ReactNode, useState } from 'react';
import { labelOf } from '../../api/node-label.ts';
import { formatCount } from '../../ui/format.ts';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { Notice } from '../../ui/notice.tsx';
import { NO_DRAFT, type RecordDraft } from './record-draft.ts';

/** What was typed into records and is not saved; it stays while others are opened. */
export interface Drafts {
  readonly of: (name: string) => RecordDraft;
  readonly keep: (name: string, draft: RecordDraft) => void;
  /** The names of those with changes. */
  readonly names: readonly string[];
}

const NONE: Readonly<Record<string, RecordDraft>> = {};

/** Those of one page: they are gone when the key of it changes. */
export function useDrafts(page = 0): Drafts {
  const [drafts, setDrafts] = useState({ page, kept: NONE });
  const kept = drafts.page === page ? drafts.kept : NONE;
  return {
    of: (name) => kept[name] ?? NO_DRAFT,
    keep: (name, draft) =>
      setDrafts((last) => ({
        page,
        kept: { ...(last.page === page && last.kept), [name]: draft },
      })),
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
  /** Pages that begin so keep the drafts; without it, only the page itself. */
  readonly within?: string;
  /** The link that leads back to one, around its label. */
  readonly linkTo: (name: string, draft: RecordDraft, label: ReactNode) => ReactNode;
}

/** Leads back to records with changes that are not saved, and asks before these are lost. */
export function UnsavedRecords({ drafts, opened, within, linkTo }: UnsavedRecordsProps) {
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
              {linkTo(name, drafts.of(name), <bdi>{draftLabel(name, drafts.of(name))}</bdi>)}
            </span>
          ))}
        </Notice>
      )}
      <LeaveGuard isDirty={names.length > 0} within={within}>
        {count} changes that are not saved. They are lost when you leave.
      </LeaveGuard>
    </>
  );
}

function draftLabel(name: string, { base }: RecordDraft): string {
  return base === undefined ? `New ${draftType(name)}` : labelOf(base.node);
}

/** The type of the node that a draft is of. */
export function draftType(name: string, base?: RecordDraft['base']): string {
  return base?.node.Type ?? name.slice(NEW.length);
}
