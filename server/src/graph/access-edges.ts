/**
 * The edges that decide who may see what. The journal numbers them by their places in this list, so
 * an edge type always keeps its place.
 */
export const ACCESS_EDGES = [
  'RestrictAccessToTeam',
  'RestrictAccessToUser',
  '_MemberOf',
  '_Owns',
] as const;
export type AccessEdge = (typeof ACCESS_EDGES)[number];

/** The number of an access edge in the journal; undefined for every other edge type. */
export function accessEdgeNumber(name: string): number | undefined {
  const place = ACCESS_EDGES.findIndex((edge) => edge === name);
  return place < 0 ? undefined : place;
}
