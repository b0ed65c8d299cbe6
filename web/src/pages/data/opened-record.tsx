import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { typesQuery } from './data-queries.ts';
import type { RecordDraft } from './record-draft.ts';
import { RecordPanel } from './record-panel.tsx';

interface OpenedRecordProps {
  readonly uid: string;
  readonly draft: RecordDraft;
  readonly onDraft: (draft: RecordDraft) => void;
  readonly onClose: () => void;
  /** Why it is open, above its fields. */
  readonly lead?: ReactNode;
}

/** The record of a node beside a page that has not read the types. */
export function OpenedRecord(props: OpenedRecordProps) {
  const types = useQuery(typesQuery).data;
  return <RecordPanel types={types?.types ?? []} edges={types?.edges ?? []} {...props} />;
}
