import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';
import { toastDone } from '../../../ui/toast.ts';
import { schemaQuery } from '../schema.ts';
import { namedBy } from './field-index.ts';

interface WantedIndex {
  readonly type: string;
  /** The names of the fields, in order. */
  readonly names: readonly string[];
  readonly unique?: boolean;
}

/** Adds an index to a node type, and says so. */
export function useAddedIndex(onDone: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ type, names, unique = false }: WantedIndex) => {
      const index = { ...namedBy(names), ...(unique && { unique }) };
      return client.schema.put({ nodes: [{ type, fields: {}, indexes: [index] }], edges: [] });
    },
    onSuccess: (schema, { type, names }) => {
      queries.setQueryData(schemaQuery.queryKey, schema);
      toastDone('The index is added', `${type}: ${names.join(', ')}`);
      onDone();
    },
  });
}
