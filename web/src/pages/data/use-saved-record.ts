import { TrellisError } from '@trellis/client/trellis-error.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { toastDone } from '../../ui/toast.ts';
import { DATA_KEY, recordQuery } from './data-queries.ts';
import {
  bodyOf,
  changeOf,
  editedAt,
  NO_DRAFT,
  rebased,
  type RecordDraft,
  stateOf,
} from './record-draft.ts';

/** After a change of a node: whatever shows it reads it again. */
export function useChangedNodes() {
  const queries = useQueryClient();
  return async (): Promise<void> => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: DATA_KEY }),
      queries.invalidateQueries({ queryKey: ['node'] }),
      queries.invalidateQueries({ queryKey: ['search', 'hits'] }),
      queries.invalidateQueries({ queryKey: ['graph', 'neighbors'] }),
    ]);
  };
}

interface Saving {
  readonly uid: string;
  readonly types: Readonly<Record<string, string>>;
  readonly onDraft: (draft: RecordDraft) => void;
}

/**
 * Saves what was typed into a record. What somebody else changed meanwhile stays, and where both
 * changed a field the draft says so, for the viewer to choose.
 */
export function useSavedRecord({ uid, types, onDraft }: Saving) {
  const queries = useQueryClient();
  const onChanged = useChangedNodes();
  const save = async (draft: RecordDraft): Promise<RecordDraft> => {
    const { fields } = changeOf(draft, types);
    if (draft.base === undefined || Object.keys(fields).length === 0) return NO_DRAFT;
    const body = { ...bodyOf(fields), ifVersion: draft.base.version };
    try {
      const saved = await client.nodes.update(uid, body);
      queries.setQueryData(
        recordQuery(uid).queryKey,
        (record) => record && { ...record, ...saved },
      );
      return NO_DRAFT;
    } catch (error) {
      if (!(error instanceof TrellisError) || error.code !== 'version_conflict') throw error;
      const now = stateOf(await client.nodes.getRecord(uid));
      if (now === undefined) throw error;
      const next = rebased(draft, now, types);
      return next.conflict === undefined ? save(next) : next;
    }
  };
  return useMutation({
    mutationFn: save,
    onSuccess: async (draft) => {
      onDraft(draft);
      if (draft.conflict === undefined) toastDone('The node is saved');
      await onChanged();
    },
  });
}

/** The field that the server refused, if it was one. */
export function refusedField(error: unknown): string | undefined {
  if (!(error instanceof TrellisError)) return undefined;
  const { path, field } = error.details ?? {};
  if (typeof field === 'string') return field;
  return typeof path === 'string' ? editedAt(path) : undefined;
}
