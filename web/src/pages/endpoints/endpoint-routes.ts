import { createRoute } from '@tanstack/react-router';
import { listSearch, texts } from '../../app/search-params.ts';
import { workspaceRoute } from '../../app/workspace-route.ts';
import { lazyPage } from '../../ui/lazy-part.tsx';

export const endpointRoutes = [
  createRoute({
    path: '/endpoints',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => texts(search, ['query']),
    component: lazyPage(() => import('./endpoint-list-page.tsx'), 'EndpointListPage'),
  }),
  createRoute({
    path: '/endpoints/metrics',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => texts(search, ['sort', 'direction']),
    component: lazyPage(() => import('./endpoint-metrics-page.tsx'), 'EndpointMetricsPage'),
  }),
  createRoute({
    path: '/endpoints/edit/$',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => listSearch(search, ['tab', 'from', 'to', 'query', 'level']),
    component: lazyPage(() => import('./endpoint-page.tsx'), 'EndpointPage'),
  }),
] as const;
