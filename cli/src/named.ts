import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import type { CallOptions } from '@trellis/client/transport.ts';
import type { TeamNode } from '@trellis/contract/shapes/team.ts';
import type { UserNode } from '@trellis/contract/shapes/user.ts';
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
  const wanted = name.toLowerCase();
  const found = items.find((user: UserNode) => user.UserName?.toLowerCase() === wanted);
  if (found !== undefined) return found.UID;
  throw new CommandFailure(`there is no user "${name}"`, {
    code: 'user_not_found',
    hint: 'trellis user list shows the users.',
  });
}

/** The UID of a team that is named by it, or by its name in any case. */
export async function teamUid(
  client: TrellisClient,
  name: string,
  options: CallOptions,
): Promise<string> {
  if (UID.test(name)) return name;
  const { items } = await client.teams.list({ query: name, take: CANDIDATES_MAX }, options);
  const wanted = name.toLowerCase();
  const found = items.find((team: TeamNode) => team.Name?.toLowerCase() === wanted);
  if (found !== undefined) return found.UID;
  throw new CommandFailure(`there is no team "${name}"`, {
    code: 'team_not_found',
    hint: 'trellis team list shows the teams.',
  });
}
