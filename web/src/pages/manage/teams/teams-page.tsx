import { useQuery } from '@tanstack/react-query';
import { atSkip } from '../../../app/search-params.ts';
import { getRouteApi } from '@tanstack/react-router';
import { Building2, Plus } from 'lucide-react';
import { useState } from 'react';
import type { TeamNode } from '@trellis/contract/shapes/team.ts';
import { nameOf } from '../../../api/names.ts';
import { useViewer } from '../../../api/viewer.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { useRequestedAction } from '../../../app/requested-action.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ListSearch } from '../../../ui/list-search.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { CreateTeamDialog } from './create-team-dialog.tsx';
import { TeamPanel } from './team-panel.tsx';
import { teamsQuery } from './team-queries.ts';

const route = getRouteApi('/workspace/manage/access/teams');

/**
 * Teams that nodes can be restricted to (open-shapes, section 3; specification, section 4.7, rule
 * 1).
 */
export function TeamsPage() {
  const [isCreating, setIsCreating] = useState(false);
  const { isAllowed } = useChangePermission('teams');
  useRequestedAction('new team', () => setIsCreating(true));
  const { team } = route.useSearch();
  const navigate = route.useNavigate();
  const close = () =>
    void navigate({ search: (last) => ({ ...last, team: undefined, tab: undefined }) });
  return (
    <>
      <PageHeader
        title="Teams"
        description="Nodes can be restricted to teams. A team may be a member of another one."
        actions={
          <Button
            kind="primary"
            icon={Plus}
            disabled={!isAllowed}
            title={
              isAllowed
                ? undefined
                : 'Only administrators and people who manage teams can add teams.'
            }
            onClick={() => setIsCreating(true)}
          >
            Add team
          </Button>
        }
      />
      <TeamList />
      {team !== undefined && <TeamPanel key={team} uid={team} onClose={close} />}
      {isCreating && (
        <CreateTeamDialog
          onClose={() => setIsCreating(false)}
          onCreated={({ UID }) => {
            setIsCreating(false);
            void navigate({ search: (last) => ({ ...last, team: UID }) });
          }}
        />
      )}
    </>
  );
}

function TeamList() {
  const { query, skip = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const teams = useQuery(teamsQuery({ query, skip }));
  return (
    <>
      <ListSearch
        label="Find a team"
        className="mb-4 max-w-sm"
        query={query ?? ''}
        onSearch={(text) =>
          void navigate({
            search: (last) => ({ ...last, query: text || undefined, skip: undefined }),
          })
        }
      />
      <QueryView query={teams} errorTitle="The teams could not be read">
        {(list) => (
          <Card isFlush>
            {list.items.length === 0 && skip === 0 ? (
              <NoTeams isFiltered={query !== undefined} />
            ) : (
              <TeamTable
                teams={list.items}
                onOpen={(team) => void navigate({ search: (last) => ({ ...last, team }) })}
              />
            )}
            <Pager
              {...list}
              shown={list.items.length}
              onSkip={(next) => void navigate({ search: atSkip(next) })}
            />
          </Card>
        )}
      </QueryView>
    </>
  );
}

interface TeamTableProps {
  readonly teams: readonly TeamNode[];
  readonly onOpen: (uid: string) => void;
}

function TeamTable({ teams, onOpen }: TeamTableProps) {
  return (
    <DataTable
      label="Teams"
      rows={teams}
      keyOf={({ UID }) => UID}
      columns={[
        { title: 'Name', cell: (team) => <bdi className="font-medium">{nameOf(team)}</bdi> },
        {
          title: 'Description',
          isMinor: true,
          cell: ({ Description }) => <bdi className="text-muted">{Description}</bdi>,
        },
        {
          title: 'Actions',
          isTitleHidden: true,
          cell: (team) => (
            <div className="text-right">
              <Button
                size="small"
                aria-label={`Open ${nameOf(team)}`}
                onClick={() => onOpen(team.UID)}
              >
                Open
              </Button>
            </div>
          ),
        },
      ]}
    />
  );
}

function NoTeams({ isFiltered }: { readonly isFiltered: boolean }) {
  const isGuest = useViewer()?.isGuest === true;
  if (isFiltered) return <EmptyState icon={Building2} title="No team matches" />;
  return (
    <EmptyState icon={Building2} title={isGuest ? 'You are in no team' : 'No teams yet'}>
      Add a team, put users into it, and restrict nodes to it.
    </EmptyState>
  );
}
