import { queryOptions } from '@tanstack/react-query';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { client } from '../../../api/client.ts';

/** A type that can have rules, with the fields that can. */
export interface AccessType {
  readonly type: string;
  readonly title: string;
  readonly fields: readonly { readonly name: string; readonly type: string }[];
}

/**
 * What everybody reads of users and teams (specification, section 2.6): the schema does not tell of
 * them.
 */
const SYSTEM_TYPES: readonly AccessType[] = [
  {
    type: '_User',
    title: 'Users',
    fields: ['UserName', 'FirstName', 'LastName', 'FullName', 'Email'].map(textField),
  },
  { type: '_AccessGroup', title: 'Teams', fields: ['Name', 'Description'].map(textField) },
];

/** The rules of all types; administrators read them. */
export const typeRulesQuery = queryOptions({
  queryKey: ['access', 'types'],
  queryFn: async ({ signal }) => (await client.access.getTypes({ signal })).types,
});

export const accessTypesQuery = queryOptions({
  queryKey: ['schema', 'access-types'],
  queryFn: async ({ signal }) => accessTypesOf(await client.schema.get({ signal })),
});

function accessTypesOf({ nodes }: SchemaDocument): readonly AccessType[] {
  const types = nodes.map(({ type, key, fields }): AccessType => {
    const named = Object.entries(fields).map(([name, kind]) => ({ name, type: kind }));
    const hasKey = key !== undefined && !Object.hasOwn(fields, key);
    return {
      type,
      title: type,
      fields: hasKey ? [{ name: key, type: 'String, the key' }, ...named] : named,
    };
  });
  return [...types.toSorted((a, b) => a.type.localeCompare(b.type)), ...SYSTEM_TYPES];
}

function textField(name: string): { readonly name: string; readonly type: string } {
  return { name, type: 'String' };
}
