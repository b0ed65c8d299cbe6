import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import type { CallOptions } from '@trellis/client/transport.ts';
import { CommandFailure } from './failure.ts';

/** 128 bits in base58. */
const UID = /^[1-9A-HJ-NP-Za-km-z]{22}$/;
const CANDIDATES_MAX = 1_000;

/** The UID of a user who is named by it, or by their user name in any case. */
export async function userUid(
  client: TrellisClient,
  name: string,
  options: CallOptions,
): Promise<string> {
  if (UID.test(name)) return name;
  const { items } = await client.users.list({ query: name, take: CANDIDATES_MAX }, options);
  return uidOf('user', name, items, ({ UserName }) => UserName);
}

/** The UID of a team that is named by it, or by its name in any case. */
export async function teamUid(
  client: TrellisClient,
  name: string,
  options: CallOptions,
): Promise<string> {
  if (UID.test(name)) return name;
  const { items } = await client.teams.list({ query: name, take: CANDIDATES_MAX }, options);
  return uidOf('team', name, items, ({ Name }) => Name);
}

function uidOf<Item extends { readonly UID: string }>(
  kind: 'user' | 'team',
  name: string,
  items: readonly Item[],
  nameOf: (item: Item) => string | undefined,
): string {
  const wanted = name.toLowerCase();
  const found = items.find((item) => nameOf(item)?.toLowerCase() === wanted);
  if (found !== undefined) return found.UID;
  throw new CommandFailure(`there is no ${kind} "${name}"`, {
    code: `${kind}_not_found`,
    hint: `trellis ${kind} list shows the ${kind}s.`,
  });
}
