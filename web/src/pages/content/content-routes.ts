import { createRoute } from '@tanstack/react-router';
import { texts } from '../../app/search-params.ts';
import { workspaceRoute } from '../../app/workspace-route.ts';
import { lazyPage } from '../../ui/lazy-part.tsx';

export const contentRoutes = [
  createRoute({
    path: '/admin/schema',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => texts(search, ['tab']),
    component: lazyPage(() => import('./schema-page.tsx'), 'SchemaPage'),
  }),
  createRoute({
    path: '/admin/import',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./import-page.tsx'), 'ImportPage'),
  }),
  createRoute({
    path: '/admin/search',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./search-settings-page.tsx'), 'SearchSettingsPage'),
  }),
] as const;
