import { useQuery } from '@tanstack/react-query';
import { User } from 'lucide-react';
import { useState } from 'react';
import { nameOf } from '../../../api/names.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { nestedUsersQuery } from './team-queries.ts';

/** Every user of the team, those of the teams in it included. */
export function TeamEverybody({ uid }: { readonly uid: string }) {
  const [skip, setSkip] = useState(0);
  const query = useQuery(nestedUsersQuery(uid, skip));
  return (
    <QueryView query={query} errorTitle="The users of the team could not be read">
      {(list) => (
        <div className="rounded-card border">
          {list.total === 0 ? (
            <EmptyState icon={User} title="Nobody is in this team" />
          ) : (
            <ul aria-label="Everybody in the team">
              {list.items.map((user) => (
                <li key={user.UID} className="flex gap-2 border-b px-4 py-2 last:border-b-0">
                  <bdi className="min-w-0 flex-1 break-words">{nameOf(user)}</bdi>
                  <bdi className="text-muted">{user.UserName}</bdi>
                </li>
              ))}
            </ul>
          )}
          <Pager {...list} shown={list.items.length} onSkip={setSkip} />
        </div>
      )}
    </QueryView>
  );
}
