import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../app/search-params.ts';
import { workspaceRoute } from '../../app/workspace-route.ts';
import { readSearchAddress } from './search/search-address.ts';

export const exploreRoutes = [
  createRoute({
    path: '/',
    getParentRoute: () => workspaceRoute,
    validateSearch: readSearchAddress,
    component: lazyRouteComponent(() => import('./search-page.tsx'), 'SearchPage'),
  }),
  createRoute({
    path: '/node/$uid',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => listSearch(search, ['edge', 'direction', 'filter']),
    component: lazyRouteComponent(() => import('./node-page.tsx'), 'NodePage'),
  }),
  createRoute({
    path: '/preferences',
    getParentRoute: () => workspaceRoute,
    component: lazyRouteComponent(() => import('./preferences-page.tsx'), 'PreferencesPage'),
  }),
] as const;
