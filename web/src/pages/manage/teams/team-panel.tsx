import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useViewer } from '../../../api/viewer.ts';
import { useConnectionState } from '../../../app/live-connection.ts';
import { type ChangePermission, useChangePermission } from '../../../app/permissions.ts';
import { SidePanel } from '../../../ui/dialog.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { PermissionNotice } from '../permission-notice.tsx';
import { TeamDetails } from './team-details.tsx';
import { TeamEverybody } from './team-everybody.tsx';
import { TeamMembers } from './team-members.tsx';
import { teamAdminsQuery, teamQuery } from './team-queries.ts';

const route = getRouteApi('/workspace/manage/access/teams');
const TABS = ['members', 'everybody', 'details'] as const;
type Tab = (typeof TABS)[number];

interface TeamPanelProps {
  readonly uid: string;
  readonly onClose: () => void;
}

/** One team: its members, everybody in it through nesting, and what it is called. */
export function TeamPanel({ uid, onClose }: TeamPanelProps) {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(teamQuery(uid));
  const permission = useTeamPermission(uid);
  return (
    <SidePanel isOpen onClose={onClose} title={query.data?.Name ?? 'Team'}>
      <QueryView query={query} errorTitle="The team could not be read">
        {(team) => (
          <>
            <PermissionNotice permission={permission} />
            {team['Source'] === 'scim' && (
              <p className="text-[13px] text-muted">
                An identity provider keeps this team by SCIM: its next push may change the members
                back.
              </p>
            )}
            <Tabs<Tab>
              label="Team"
              value={TABS.find((one) => one === tab) ?? 'members'}
              onChange={(next) => void navigate({ search: (last) => ({ ...last, tab: next }) })}
              items={[
                {
                  value: 'members',
                  label: 'Members',
                  content: <TeamMembers uid={uid} isAllowed={permission.isAllowed} />,
                },
                {
                  value: 'everybody',
                  label: 'Everybody in it',
                  content: <TeamEverybody uid={uid} />,
                },
                {
                  value: 'details',
                  label: 'Details',
                  content: (
                    <TeamDetails
                      key={team.Timestamp}
                      team={team}
                      isAllowed={permission.isAllowed}
                      onDeleted={onClose}
                    />
                  ),
                },
              ]}
            />
          </>
        )}
      </QueryView>
    </SidePanel>
  );
}

/** Administrators of the workspace and of the team, and others who manage teams. */
function useTeamPermission(uid: string): ChangePermission {
  const viewer = useViewer();
  const managing = useChangePermission('teams');
  const connection = useConnectionState();
  const { data } = useQuery(teamAdminsQuery(uid));
  const administers = data?.members.some((admin) => admin.uid === viewer?.uid) === true;
  const mayChange = administers && viewer?.isReadOnlyAdmin === false && connection !== 'away';
  return mayChange ? { isAllowed: true, reason: undefined } : managing;
}
