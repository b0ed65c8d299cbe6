import type { TeamNode } from '@trellis/contract/shapes/team.ts';
import type { UserNode } from '@trellis/contract/shapes/user.ts';
import { client } from '../api/client.ts';
import { AsyncCombobox } from './async-combobox.tsx';
import type { FieldFrame } from './field.tsx';

const OFFERED_MAX = 12;

export type UserOrTeam = UserNode | TeamNode;

interface UserPickerProps extends FieldFrame {
  readonly isDisabled?: boolean;
  readonly value: UserOrTeam | undefined;
  readonly onChange: (value: UserOrTeam | undefined) => void;
  /** Users when left out. */
  readonly kind?: 'user' | 'team' | 'both';
}

/** A user or a team, by a part of the name. */
export function UserPicker({ kind = 'user', ...props }: UserPickerProps) {
  return (
    <AsyncCombobox
      {...props}
      placeholder="Part of a name"
      queryKey={['people', kind]}
      find={(text, signal) => findPeople(text, kind, signal)}
      keyOf={({ UID }) => UID}
      labelOf={nameOf}
      detailOf={(item) => (item.Type === '_User' ? item.Email : 'Team')}
    />
  );
}

async function findPeople(
  query: string,
  kind: 'user' | 'team' | 'both',
  signal: AbortSignal,
): Promise<readonly UserOrTeam[]> {
  const page = { take: OFFERED_MAX, ...(query !== '' && { query }) };
  const [users, teams] = await Promise.all([
    kind === 'team' ? undefined : client.users.list(page, { signal }),
    kind === 'user' ? undefined : client.teams.list(page, { signal }),
  ]);
  return [...(users?.items ?? []), ...(teams?.items ?? [])];
}

function nameOf(item: UserOrTeam): string {
  if (item.Type === '_AccessGroup') return item.Name ?? item.UID;
  return item.FullName || item.UserName || item.UID;
}
