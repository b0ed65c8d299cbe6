import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { client } from '../../api/client.ts';
import { toastDone } from '../../ui/toast.ts';
import { schemaQuery } from './schema.ts';

/** Adds to the schema what the document names; nothing else changes. */
export function useSchemaChange(onDone: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: SchemaDocument) => client.schema.put(change),
    onSuccess: (schema) => {
      queries.setQueryData(schemaQuery.queryKey, schema);
      toastDone('The schema is saved', 'Endpoints are checked against it in the background.');
      onDone();
    },
  });
}
