import { useQuery } from '@tanstack/react-query';
import { type UseNavigateResult, useNavigate } from '@tanstack/react-router';
import {
  Archive,
  CalendarClock,
  CirclePlus,
  FileUp,
  LogOut,
  Monitor,
  Moon,
  Settings2,
  SquarePen,
  Sun,
  UserCog,
  UserPlus,
  UsersRound,
} from 'lucide-react';
import { client } from '../../api/client.ts';
import type { Viewer } from '../../api/viewer.ts';
import { typesQuery } from '../../pages/data/data-queries.ts';
import { toastDone, toastError } from '../../ui/toast.ts';
import { requestedAction } from '../requested-action.ts';
import { SETTING_FIELDS, SETTING_NAMES, settingAction } from '../setting-fields.ts';
import { signOut } from '../sign-out.ts';
import { theme, type ThemeChoice } from '../theme.ts';
import type { PaletteItem } from './palette-item.ts';

type Navigate = UseNavigateResult<string>;

/** What this viewer may do, wherever they are. */
export function usePaletteActions(viewer: Viewer): readonly PaletteItem[] {
  const navigate = useNavigate();
  const types = useQuery({ ...typesQuery, staleTime: 60_000 }).data?.types ?? [];
  const nodes = types
    .filter(({ mayWrite }) => mayWrite)
    .map(({ type }) => ({
      key: `new ${type}`,
      label: `New ${type}`,
      hint: 'Node',
      words: 'create add node',
      icon: CirclePlus,
      go: () => navigate({ to: '/data/{-$type}', params: { type }, search: { new: true } }),
    }));
  return [...administration(viewer, navigate), ...nodes, ...ownActions(navigate)];
}

function administration(viewer: Viewer, navigate: Navigate): readonly PaletteItem[] {
  const teams = viewer.managesTeams ? [newTeam(navigate)] : [];
  if (!viewer.isAdmin) return teams;
  return [
    {
      key: 'new endpoint',
      label: 'New endpoint',
      hint: 'Endpoints',
      words: 'create add code',
      icon: SquarePen,
      go: () => begin('new endpoint', () => navigate({ to: '/endpoints' })),
    },
    {
      key: 'add user',
      label: 'Add user',
      hint: 'Users',
      words: 'new create people invite',
      icon: UserPlus,
      go: () => begin('add user', () => navigate({ to: '/manage/access/users' })),
    },
    ...teams,
    {
      key: 'new task',
      label: 'New task',
      hint: 'Tasks',
      words: 'create add schedule cron',
      icon: CalendarClock,
      go: () => begin('new task', () => navigate({ to: '/admin/tasks' })),
    },
    {
      key: 'import data',
      label: 'Import a file',
      hint: 'Import',
      words: 'csv jsonl upload nodes data',
      icon: FileUp,
      go: () => navigate({ to: '/admin/import' }),
    },
    {
      key: 'create backup',
      label: 'Create backup',
      hint: 'Backups',
      words: 'back up now run save copy',
      icon: Archive,
      go: async () => {
        await navigate({ to: '/admin/backups' });
        await client.backups.run().then(
          () => toastDone('A backup has begun'),
          (error: unknown) => toastError('The backup could not begin', error),
        );
      },
    },
  ];
}

function newTeam(navigate: Navigate): PaletteItem {
  return {
    key: 'new team',
    label: 'New team',
    hint: 'Teams',
    words: 'create add group',
    icon: UsersRound,
    go: () => begin('new team', () => navigate({ to: '/manage/access/teams' })),
  };
}

/** The page begins with it once it is there. */
function begin(action: string, open: () => unknown): unknown {
  requestedAction.request(action);
  return open();
}

const THEMES: readonly { readonly choice: ThemeChoice; readonly icon: typeof Sun }[] = [
  { choice: 'light', icon: Sun },
  { choice: 'dark', icon: Moon },
  { choice: 'system', icon: Monitor },
];

function ownActions(navigate: Navigate): readonly PaletteItem[] {
  return [
    ...THEMES.filter(({ choice }) => choice !== theme.choice).map(
      ({ choice, icon }): PaletteItem => ({
        key: `theme ${choice}`,
        label: choice === 'system' ? 'Use the theme of the system' : `Use the ${choice} theme`,
        hint: 'Theme',
        words: 'toggle dark light mode colors appearance',
        icon,
        staysHere: true,
        go: () => theme.choose(choice),
      }),
    ),
    {
      key: 'preferences',
      label: 'Preferences',
      hint: 'Account',
      words: 'my account password language settings',
      icon: UserCog,
      go: () => navigate({ to: '/preferences' }),
    },
    {
      key: 'sign out',
      label: 'Sign out',
      hint: 'Account',
      words: 'log out logout leave',
      icon: LogOut,
      go: () => signOut(),
    },
  ];
}

export function usePaletteSettings(viewer: Viewer): readonly PaletteItem[] {
  const navigate = useNavigate();
  if (!viewer.seesAdministration) return [];
  return SETTING_NAMES.map((field) => ({
    key: settingAction(field),
    label: SETTING_FIELDS[field].label,
    hint: 'Workspace settings',
    words: `setting workspace ${SETTING_FIELDS[field].words}`,
    icon: Settings2,
    go: () => begin(settingAction(field), () => navigate({ to: '/admin/settings' })),
  }));
}
