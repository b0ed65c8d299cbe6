import { createRoute } from '@tanstack/react-router';
import { listSearch, texts } from '../../app/search-params.ts';
import { workspaceRoute } from '../../app/workspace-route.ts';
import { LOG_SEARCH_NAMES } from './logs/log-search-names.ts';
import { lazyPage } from '../../ui/lazy-part.tsx';

export const adminRoutes = [
  createRoute({
    path: '/admin',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./overview-page.tsx'), 'OverviewPage'),
  }),
  createRoute({
    path: '/admin/replicas',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./replicas-page.tsx'), 'ReplicasPage'),
  }),
  createRoute({
    path: '/admin/members',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./members-page.tsx'), 'MembersPage'),
  }),
  createRoute({
    path: '/admin/build',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => texts(search, ['module']),
    component: lazyPage(() => import('./build-tree-page.tsx'), 'BuildTreePage'),
  }),
  createRoute({
    path: '/admin/history',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => listSearch(search, ['from', 'to']),
    component: lazyPage(() => import('./code-history-page.tsx'), 'CodeHistoryPage'),
  }),
  createRoute({
    path: '/admin/jobs',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => listSearch(search, ['state', 'job']),
    component: lazyPage(() => import('./jobs-page.tsx'), 'JobsPage'),
  }),
  createRoute({
    path: '/admin/backups',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./backups-page.tsx'), 'BackupsPage'),
  }),
  createRoute({
    path: '/admin/tasks',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./tasks/tasks-page.tsx'), 'TasksPage'),
  }),
  createRoute({
    path: '/admin/documents',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => texts(search, ['extraction']),
    component: lazyPage(() => import('./documents/documents-page.tsx'), 'DocumentsPage'),
  }),
  createRoute({
    path: '/admin/duplicates',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => texts(search, ['type', 'tab']),
    component: lazyPage(() => import('./duplicates/duplicates-page.tsx'), 'DuplicatesPage'),
  }),
  createRoute({
    path: '/admin/webhooks',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    path: '/admin/connectors',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./connectors/connectors-page.tsx'), 'ConnectorsPage'),
  }),
  createRoute({
    path: '/admin/migrations',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./migrations/migrations-page.tsx'), 'MigrationsPage'),
  }),
  createRoute({
    path: '/admin/logs',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) =>
      listSearch(search, ['tab', ...LOG_SEARCH_NAMES, 'action', 'user', 'outcome']),
    component: lazyPage(() => import('./logs/logs-page.tsx'), 'LogsPage'),
  }),
  createRoute({
    path: '/admin/settings',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./settings-page.tsx'), 'SettingsPage'),
  }),
  createRoute({
    path: '/admin/interfaces',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./interfaces-page.tsx'), 'InterfacesPage'),
  }),
  createRoute({
    path: '/admin/definitions',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./definitions/definitions-page.tsx'), 'DefinitionsPage'),
  }),
  createRoute({
    path: '/admin/deployments',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => listSearch(search, ['deployment']),
    component: lazyPage(() => import('./definitions/deployments-page.tsx'), 'DeploymentsPage'),
  }),
  createRoute({
    path: '/admin/license',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./license-page.tsx'), 'LicensePage'),
  }),
] as const;
