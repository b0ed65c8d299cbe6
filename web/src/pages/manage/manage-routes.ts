import { createRoute } from '@tanstack/react-router';
import { listSearch, texts } from '../../app/search-params.ts';
import { workspaceRoute } from '../../app/workspace-route.ts';
import { lazyPage } from '../../ui/lazy-part.tsx';

export const manageRoutes = [
  createRoute({
    path: '/manage/access/tokens',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => listSearch(search, ['kind', 'show']),
    component: lazyPage(() => import('./tokens/tokens-page.tsx'), 'TokensPage'),
  }),
  createRoute({
    path: '/manage/access/clients',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => listSearch(search, []),
    component: lazyPage(() => import('./clients/clients-page.tsx'), 'ClientsPage'),
  }),
  createRoute({
    path: '/manage/access/secrets',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./secrets/secrets-page.tsx'), 'SecretsPage'),
  }),
  createRoute({
    path: '/manage/access/users',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => listSearch(search, ['query', 'user']),
    component: lazyPage(() => import('./users/users-page.tsx'), 'UsersPage'),
  }),
  createRoute({
    path: '/manage/access/teams',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => listSearch(search, ['query', 'team', 'tab']),
    component: lazyPage(() => import('./teams/teams-page.tsx'), 'TeamsPage'),
  }),
  createRoute({
    path: '/manage/access/types',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => texts(search, ['query', 'type']),
    component: lazyPage(() => import('./types/type-access-page.tsx'), 'TypeAccessPage'),
  }),
  createRoute({
    path: '/manage/access/explain',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => texts(search, ['node', 'user']),
    component: lazyPage(() => import('./explain/explain-page.tsx'), 'ExplainPage'),
  }),
  createRoute({
    path: '/manage/access/sso',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => texts(search, ['provider']),
    component: lazyPage(() => import('./sso/sso-page.tsx'), 'SsoPage'),
  }),
  createRoute({
    path: '/manage/synonyms',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => listSearch(search, ['lang', 'query', 'term', 'show']),
    component: lazyPage(() => import('./synonyms/synonyms-page.tsx'), 'SynonymsPage'),
  }),
] as const;
