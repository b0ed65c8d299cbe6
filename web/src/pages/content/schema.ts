import { queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client.ts';

export const schemaQuery = queryOptions({
  queryKey: ['schema'],
  queryFn: ({ signal }) => client.schema.get({ signal }),
});

/** The server's own types begin so. */
export function isOwnType(type: string): boolean {
  return type.startsWith('_');
}
