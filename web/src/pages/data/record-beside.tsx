import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { classNames } from '../../ui/class-names.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { useDrafts, UnsavedRecords } from './unsaved-records.tsx';

const OpenedRecord = lazyPart(async () => (await import('./opened-record.tsx')).OpenedRecord);

/** Pages whose address says which record is open beside them, as `record`. */
export type PageWithRecord = '/' | '/graph';

interface RecordBesideProps {
  readonly page: PageWithRecord;
  /** The heading of the page, which the record covers on a phone. */
  readonly title: string;
  readonly uid: string | undefined;
  readonly onClose: () => Promise<void>;
  readonly children: ReactNode;
}

/** A page with the record of one of its nodes at the right, or over all of it on a phone. */
export function RecordBeside({ page, title, uid, onClose, children }: RecordBesideProps) {
  const drafts = useDrafts();
  const isBeside = uid !== undefined;
  const close = async () => {
    await onClose();
    requestAnimationFrame(() => {
      const opener = document.querySelector(`[data-record="${uid}"]`);
      if (opener instanceof HTMLElement) opener.focus();
    });
  };
  return (
    <div className="flex items-start gap-4 max-lg:flex-col max-lg:items-stretch">
      <div className={classNames('min-w-0 flex-1', isBeside && 'max-lg:hidden')}>
        <div className="mb-3 empty:hidden">
          <UnsavedRecords
            drafts={drafts}
            opened={uid}
            linkTo={(name, _, label) => (
              <RecordLink page={page} uid={name} className="underline">
                {label}
              </RecordLink>
            )}
          />
        </div>
        {children}
      </div>
      {isBeside && <h1 className="sr-only lg:hidden">{title}</h1>}
      {isBeside && (
        <OpenedRecord
          key={uid}
          uid={uid}
          draft={drafts.of(uid)}
          onDraft={(draft) => drafts.keep(uid, draft)}
          onClose={() => void close()}
        />
      )}
    </div>
  );
}

interface RecordLinkProps {
  readonly page: PageWithRecord;
  readonly uid: string;
  readonly className: string;
  readonly 'aria-label'?: string | undefined;
  readonly children: ReactNode;
}

/** Opens the record of a node beside the page. */
export function RecordLink({ page, uid, children, ...look }: RecordLinkProps) {
  return (
    <Link
      to={page}
      search={(last) => ({ ...last, record: uid })}
      resetScroll={false}
      data-record={uid}
      {...look}
    >
      {children}
    </Link>
  );
}
