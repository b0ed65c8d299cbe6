import { useQuery } from '@tanstack/react-query';
import { typesQuery } from './data-queries.ts';

const STALE_MS = 60_000;

/** Says whether the viewer may write nodes of a type; of none while it is not known. */
export function useMayWrite(isAsked = true): (type: string) => boolean {
  const { data } = useQuery({ ...typesQuery, staleTime: STALE_MS, enabled: isAsked });
  return (name) => data?.types.some(({ type, mayWrite }) => mayWrite && type === name) === true;
}
