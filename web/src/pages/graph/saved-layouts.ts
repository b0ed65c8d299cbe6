import { queryOptions } from '@tanstack/react-query';
import type { UserNode } from '@trellis/contract/shapes/user.ts';
import { client } from '../../api/client.ts';

/** A picture under a name, kept for its user: see `packGraph`. */
export interface SavedLayout {
  readonly name: string;
  /** ISO 8601. */
  readonly savedAt: string;
  readonly graph: string;
}

/** The member of the preferences of a user that holds them. */
const PREFERENCE = 'graphLayouts';

export const LAYOUTS_MAX = 20;
export const LAYOUT_NAME_CHARACTERS_MAX = 100;
/**
 * All layouts together, as JSON: other pages keep preferences too, and all have 64 Ki characters
 * (`userChange`).
 */
export const LAYOUTS_CHARACTERS_MAX = 48 * 1024;

/** Newest first. */
export function savedLayoutsQuery(userUid: string) {
  return queryOptions({
    queryKey: ['graph', 'layouts', userUid],
    queryFn: async ({ signal }) => layoutsIn(await client.users.get(userUid, { signal })),
  });
}

/** In the place of one of the same name. Throws an error for the viewer when there is no room. */
export function withLayout(
  layouts: readonly SavedLayout[],
  layout: SavedLayout,
): readonly SavedLayout[] {
  const changed = [layout, ...layouts.filter(({ name }) => name !== layout.name)];
  if (changed.length > LAYOUTS_MAX) {
    throw new Error(`There are ${LAYOUTS_MAX} saved layouts: delete one first.`);
  }
  if (JSON.stringify(changed).length > LAYOUTS_CHARACTERS_MAX) {
    throw new Error(
      'There is no room for a layout of this size: delete others first, or export a file.',
    );
  }
  return changed;
}

/** Reads what is there now, so that other preferences and other pages lose nothing. */
export async function changeSavedLayouts(
  userUid: string,
  change: (layouts: readonly SavedLayout[]) => readonly SavedLayout[],
): Promise<void> {
  const user = await client.users.get(userUid);
  const preferences = { ...preferencesOf(user), [PREFERENCE]: change(layoutsIn(user)) };
  await client.users.update(userUid, { preferences });
}

/** Whatever else stands there is left out. */
export function layoutsIn(user: UserNode): readonly SavedLayout[] {
  const kept = preferencesOf(user)[PREFERENCE];
  return Array.isArray(kept) ? kept.filter(isSavedLayout) : [];
}

function preferencesOf(user: UserNode): Readonly<Record<string, unknown>> {
  const preferences = user['Preferences'];
  return typeof preferences === 'object' && preferences !== null && !Array.isArray(preferences)
    ? Object.fromEntries(Object.entries(preferences))
    : {};
}

function isSavedLayout(value: unknown): value is SavedLayout {
  if (typeof value !== 'object' || value === null) return false;
  if (!('name' in value) || !('savedAt' in value) || !('graph' in value)) return false;
  const { name, savedAt, graph } = value;
  return typeof name === 'string' && typeof savedAt === 'string' && typeof graph === 'string';
}
