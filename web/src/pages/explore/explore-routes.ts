import { createRoute } from '@tanstack/react-router';
import { listSearch, texts } from '../../app/search-params.ts';
import { workspaceRoute } from '../../app/workspace-route.ts';
import { readSearchAddress } from './search/search-address.ts';
import { lazyPage } from '../../ui/lazy-part.tsx';

export const exploreRoutes = [
  createRoute({
    path: '/',
    getParentRoute: () => workspaceRoute,
    validateSearch: readSearchAddress,
    component: lazyPage(() => import('./search-page.tsx'), 'SearchPage'),
  }),
  createRoute({
    path: '/node/$uid',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => listSearch(search, ['edge', 'direction', 'filter']),
    component: lazyPage(() => import('./node-page.tsx'), 'NodePage'),
  }),
  createRoute({
    path: '/preferences',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./preferences-page.tsx'), 'PreferencesPage'),
  }),
  createRoute({
    path: '/graph',
    getParentRoute: () => workspaceRoute,
    /**
     * `node`: UIDs with commas; `layout`: a picture; `kept`: one that the tab has; `view`: "table",
     * or the picture; `record`: UID of the node whose record is open beside it.
     */
    validateSearch: (search: Record<string, unknown>) =>
      texts(search, ['node', 'layout', 'kept', 'view', 'record']),
    component: lazyPage(() => import('../graph/graph-page.tsx'), 'GraphPage'),
  }),
  createRoute({
    path: '/tour',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('../tour/tour-page.tsx'), 'TourPage'),
  }),
  createRoute({
    path: '/api',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => texts(search, ['query', 'operation']),
    component: lazyPage(() => import('../reference/api-page.tsx'), 'ApiPage'),
  }),
] as const;
