import { queryOptions } from '@tanstack/react-query';
import { LIST_TAKE_MAX } from '@trellis/contract/limits.ts';
import { client } from '../../../api/client.ts';

/** There are fewer than a page holds. */
export const secretsQuery = queryOptions({
  queryKey: ['secrets'],
  queryFn: ({ signal }) => client.secrets.list({ take: LIST_TAKE_MAX }, { signal }),
});
