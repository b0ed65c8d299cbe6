import type { NodeFile } from '@trellis/contract/shapes/file.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';

export const FILES_TAKE = 20;
/** How often the list is read again while the text of a file is looked for. */
const PENDING_REFRESH_MS = 2_000;

/** All pages of the files of one node. */
export function filesKey(uid: string) {
  return ['node', uid, 'files'] as const;
}

export function filesQuery(uid: string, skip: number) {
  return queryOptions({
    queryKey: [...filesKey(uid), skip],
    queryFn: ({ signal }): Promise<List<NodeFile>> =>
      client.files.list(uid, { skip, take: FILES_TAKE }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const isPending = state.data?.items.some(({ TextState }) => TextState === 'pending');
      return isPending === true ? PENDING_REFRESH_MS : false;
    },
  });
}
