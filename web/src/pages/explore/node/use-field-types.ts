import { useQuery } from '@tanstack/react-query';
import { useViewer } from '../../../api/viewer.ts';
import { fieldTypesQuery } from './node-queries.ts';

/** The scalar types of fields by name, those of the items for lists; nothing for those who may not read the schema. */
export function useFieldTypes(type: string): Readonly<Record<string, string>> {
  const isAdmin = useViewer()?.seesAdministration === true;
  const types = useQuery({ ...fieldTypesQuery, enabled: isAdmin }).data?.get(type) ?? {};
  const scalars = Object.entries(types).map(([field, of]) => [field, of.replace('[]', '')]);
  return { ...Object.fromEntries(scalars), Timestamp: 'Time' };
}
