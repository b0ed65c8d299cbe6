import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Building2, User } from 'lucide-react';
import { useState } from 'react';
import type { MemberChange } from '@trellis/contract/shapes/team.ts';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { PrincipalsField } from '../../../ui/principals-field.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { toastError } from '../../../ui/toast.ts';
import { type Member, membersQuery, refreshTeams, teamAdminsQuery } from './team-queries.ts';

interface TeamMembersProps {
  readonly uid: string;
  readonly isAllowed: boolean;
}

/** What is directly in the team, and who administers it; a change holds at once. */
export function TeamMembers({ uid, isAllowed }: TeamMembersProps) {
  const [skip, setSkip] = useState(0);
  const query = useQuery(membersQuery(uid, skip));
  const change = useMemberChange(uid);
  const add = (uids: readonly string[]) => change.mutate({ add: uids });
  return (
    <div className="flex flex-col gap-5">
      <div className="grid gap-3 sm:grid-cols-2">
        <PrincipalsField
          label="Add a user"
          kind="user"
          value={[]}
          onChange={add}
          isDisabled={!isAllowed}
        />
        <PrincipalsField
          label="Add a team"
          kind="team"
          value={[]}
          except={[uid]}
          onChange={add}
          isDisabled={!isAllowed}
        />
      </div>
      <QueryView query={query} errorTitle="The members could not be read">
        {({ members, total, take }) => (
          <div className="rounded-card border">
            {total === 0 ? (
              <EmptyState icon={User} title="Nobody is in this team">
                Add users, or teams: their members become members too.
              </EmptyState>
            ) : (
              <ul aria-label="Members">
                {members.map((member) => (
                  <MemberRow
                    key={member.uid}
                    member={member}
                    isDisabled={!isAllowed || change.isPending}
                    onRemove={() => change.mutate({ remove: [member.uid] })}
                  />
                ))}
              </ul>
            )}
            <Pager skip={skip} take={take} shown={members.length} total={total} onSkip={setSkip} />
          </div>
        )}
      </QueryView>
      <TeamAdmins uid={uid} isAllowed={isAllowed} />
    </div>
  );
}

interface MemberRowProps {
  readonly member: Member;
  readonly isDisabled: boolean;
  readonly onRemove: () => void;
}

function MemberRow({ member: { kind, name }, isDisabled, onRemove }: MemberRowProps) {
  const Icon = kind === 'user' ? User : Building2;
  return (
    <li className="flex items-center gap-2 border-b px-4 py-2 last:border-b-0">
      <Icon className="size-4 shrink-0 text-muted" aria-hidden />
      <bdi className="min-w-0 flex-1 break-words">{name}</bdi>
      {kind === 'team' && <span className="text-[13px] text-muted">Team</span>}
      <Button size="small" disabled={isDisabled} aria-label={`Remove ${name}`} onClick={onRemove}>
        Remove
      </Button>
    </li>
  );
}

function TeamAdmins({ uid, isAllowed }: TeamMembersProps) {
  const query = useQuery(teamAdminsQuery(uid));
  const change = useMemberChange(uid);
  return (
    <QueryView query={query} rows={2} errorTitle="The administrators could not be read">
      {({ members }) => (
        <PrincipalsField
          label="Administrators of the team"
          hint="They change its name, its members and its administrators, and may delete it."
          kind="user"
          value={members.map((admin) => admin.uid)}
          onChange={(admins) => change.mutate({ admins })}
          isDisabled={!isAllowed || change.isPending}
        />
      )}
    </QueryView>
  );
}

function useMemberChange(uid: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: MemberChange) => client.teams.setUsers(uid, change),
    onSuccess: () => refreshTeams(queries),
    onError: (error) => toastError('The team was not changed', error),
  });
}
