import { queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client.ts';

export const interfacesQuery = queryOptions({
  queryKey: ['interfaces'],
  queryFn: ({ signal }) => client.interfaces.list({ take: 1_000 }, { signal }),
});
