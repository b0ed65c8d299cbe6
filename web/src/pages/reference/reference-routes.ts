import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { texts } from '../../app/search-params.ts';
import { workspaceRoute } from '../../app/workspace-route.ts';

export const referenceRoutes = [
  createRoute({
    path: '/api',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => texts(search, ['query', 'operation']),
    component: lazyRouteComponent(() => import('./api-page.tsx'), 'ApiPage'),
  }),
] as const;
