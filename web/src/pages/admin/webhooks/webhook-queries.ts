import { queryOptions } from '@tanstack/react-query';
import { LIST_TAKE_MAX } from '@trellis/contract/limits.ts';
import { client } from '../../../api/client.ts';

/** Beginning of the key of whatever tells of webhooks. */
export const WEBHOOKS_KEY = ['webhooks'] as const;

/** There are fewer than a page holds, as there are of the deliveries that are kept. */
export const webhooksQuery = queryOptions({
  queryKey: [...WEBHOOKS_KEY, 'list'],
  queryFn: ({ signal }) => client.webhooks.list({ take: LIST_TAKE_MAX }, { signal }),
});

export const deliveriesQuery = (id: string) =>
  queryOptions({
    queryKey: [...WEBHOOKS_KEY, 'deliveries', id],
    queryFn: ({ signal }) => client.webhooks.deliveries(id, { take: LIST_TAKE_MAX }, { signal }),
  });
