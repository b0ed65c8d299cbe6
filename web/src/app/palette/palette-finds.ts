import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Box, Building2, CircleUser, Play, SquareCode } from 'lucide-react';
import { client } from '../../api/client.ts';
import { completedQuery } from '../../api/completed-query.ts';
import { labelOf } from '../../api/node-label.ts';
import type { Viewer } from '../../api/viewer.ts';
import { endpointListQuery } from '../../pages/endpoints/endpoint-queries.ts';
import { mayWrite } from '../../pages/data/writable-types.ts';
import { requestedAction } from '../requested-action.ts';
import type { PaletteItem } from './palette-item.ts';

const NODES_SHOWN = 6;
const PEOPLE_SHOWN = 5;
const STALE_MS = 60_000;
/** Fewer letters are in nearly everything. */
export const FIND_CHARACTERS_MIN = 2;

/**
 * Nodes that the search finds: the server puts exact names first. Whoever may write one gets its
 * record, others its page.
 */
export function usePaletteNodes(text: string): readonly PaletteItem[] {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const isAsked = text.length >= FIND_CHARACTERS_MIN;
  const { data } = useQuery({
    queryKey: ['palette', 'nodes', text],
    queryFn: ({ signal }) =>
      client.system.search({ query: completedQuery(text), take: NODES_SHOWN }, { signal }),
    enabled: isAsked,
    placeholderData: (last) => last,
  });
  if (!isAsked) return [];
  return (data?.hits ?? []).map(({ node: { UID: uid, Type: type }, node }) => ({
    key: uid,
    label: labelOf(node),
    hint: type,
    // What was found by another field stays.
    words: text,
    icon: Box,
    go: async () =>
      (await mayWrite(queries, type))
        ? navigate({ to: '/data/{-$type}', params: { type }, search: { node: uid } })
        : navigate({ to: '/node/$uid', params: { uid } }),
  }));
}

/** Each endpoint to open, and to run. */
export function usePaletteEndpoints(viewer: Viewer, text: string): readonly PaletteItem[] {
  const navigate = useNavigate();
  const mayAsk = viewer.seesAdministration && text !== '';
  const { data = [] } = useQuery({ ...endpointListQuery, staleTime: STALE_MS, enabled: mayAsk });
  if (!mayAsk) return [];
  const open = (name: string) =>
    navigate({ to: '/endpoints/edit/$', params: { _splat: name }, search: {} });
  return data.flatMap(({ name, description }) => [
    {
      key: `endpoint ${name}`,
      label: name,
      hint: 'Open',
      words: `endpoint open code ${description}`,
      icon: SquareCode,
      go: () => open(name),
    },
    {
      key: `run ${name}`,
      label: `Run ${name}`,
      hint: 'Run',
      words: 'endpoint call',
      icon: Play,
      go: () => {
        requestedAction.request(`run ${name}`);
        return open(name);
      },
    },
  ]);
}

export function usePalettePeople(viewer: Viewer, text: string): readonly PaletteItem[] {
  const navigate = useNavigate();
  const isAsked = text.length >= FIND_CHARACTERS_MIN && !viewer.isGuest;
  const { data } = useQuery({
    queryKey: ['palette', 'people', text],
    queryFn: async ({ signal }) => {
      const page = { query: text, take: PEOPLE_SHOWN };
      return Promise.all([
        client.users.list(page, { signal }),
        client.teams.list(page, { signal }),
      ]);
    },
    enabled: isAsked,
    placeholderData: (last) => last,
  });
  if (!isAsked || data === undefined) return [];
  const [users, teams] = data;
  return [
    ...users.items.map((user) => ({
      key: user.UID,
      label: user.FullName || user.UserName || user.UID,
      hint: 'User',
      words: `${user.UserName ?? ''} ${user.Email ?? ''}`,
      icon: CircleUser,
      go: () => navigate({ to: '/manage/access/users', search: { user: user.UID } }),
    })),
    ...teams.items.map((team) => ({
      key: team.UID,
      label: team.Name ?? team.UID,
      hint: 'Team',
      icon: Building2,
      go: () => navigate({ to: '/manage/access/teams', search: { team: team.UID } }),
    })),
  ];
}
