import { type QueryClient, useQuery } from '@tanstack/react-query';
import type { NodeTypesDocument } from '@trellis/contract/shapes/node-write.ts';
import { typesQuery } from './data-queries.ts';

const query = { ...typesQuery, staleTime: 60_000 };

/** Whether the viewer may write nodes of a type; false while it is not known. */
export function useMayWrite(type: string): boolean {
  return isWritable(useQuery(query).data, type);
}

/** The same, once it is known; false where it cannot be found out. */
export async function mayWrite(queries: QueryClient, type: string): Promise<boolean> {
  return isWritable(await queries.fetchQuery(query).catch(() => undefined), type);
}

function isWritable(found: NodeTypesDocument | undefined, name: string): boolean {
  return found?.types.some(({ type, mayWrite: may }) => may && type === name) === true;
}
