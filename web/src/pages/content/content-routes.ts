import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { texts } from '../../app/search-params.ts';
import { workspaceRoute } from '../../app/workspace-route.ts';

export const contentRoutes = [
  createRoute({
    path: '/admin/schema',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => texts(search, ['tab']),
    component: lazyRouteComponent(() => import('./schema-page.tsx'), 'SchemaPage'),
  }),
  createRoute({
    path: '/admin/import',
    getParentRoute: () => workspaceRoute,
    component: lazyRouteComponent(() => import('./import-page.tsx'), 'ImportPage'),
  }),
  createRoute({
    path: '/admin/search',
    getParentRoute: () => workspaceRoute,
    component: lazyRouteComponent(() => import('./search-settings-page.tsx'), 'SearchSettingsPage'),
  }),
] as const;
