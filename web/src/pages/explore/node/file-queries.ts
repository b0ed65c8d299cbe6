import type { NodeFile } from '@trellis/contract/shapes/file.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { watchOrAsk } from '@trellis/client/page-watches.ts';
import { useEffect } from 'react';
import { client } from '../../../api/client.ts';

export const FILES_TAKE = 20;

/** All pages of the files of one node. */
export function filesKey(uid: string) {
  return ['node', uid, 'files'] as const;
}

function filesQuery(uid: string, skip: number) {
  return queryOptions({
    queryKey: [...filesKey(uid), skip],
    queryFn: ({ signal }): Promise<List<NodeFile>> =>
      client.files.list(uid, { skip, take: FILES_TAKE }, { signal }),
    placeholderData: keepPreviousData,
  });
}

/** One page of the files of a node, and what becomes of their texts as it does. */
export function useFiles(uid: string, skip: number) {
  const list = useQuery(filesQuery(uid, skip));
  const queries = useQueryClient();
  const isPending = ({ TextState }: NodeFile): boolean => TextState === 'pending';
  const pending = list.data?.items.filter(isPending).map(({ UID }) => UID) ?? [];
  const watched = pending.join(' ');
  useEffect(() => {
    if (watched === '') return undefined;
    const controller = new AbortController();
    const { queryKey } = filesQuery(uid, skip);
    const tell = ({ items }: FoundTexts): void => {
      const texts = new Map(items.map((file) => [file.UID, file]));
      queries.setQueryData(
        queryKey,
        (known) =>
          known && {
            ...known,
            items: known.items.map((file) => ({ ...file, ...textOf(texts.get(file.UID)) })),
          },
      );
    };
    const nothing = (): void => undefined;
    // Whatever fails, the list is still there.
    watchOrAsk<FoundTexts>({
      client,
      name: 'system/nodes',
      body: { uids: watched.split(' '), fields: ['TextState', 'TextError'] },
      signal: controller.signal,
      told: { value: tell, fault: nothing, delay: nothing },
    }).catch(nothing);
    return () => controller.abort();
  }, [queries, uid, skip, watched]);
  return list;
}

/** What the built-in endpoint answers of files. */
interface FoundTexts {
  readonly items: readonly (Pick<NodeFile, 'UID' | 'TextState'> & {
    readonly TextError?: string;
  })[];
}

function textOf(file: FoundTexts['items'][number] | undefined) {
  return file && { TextState: file.TextState, TextError: file.TextError ?? null };
}
