import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { texts } from '../../app/search-params.ts';
import { workspaceRoute } from '../../app/workspace-route.ts';

export const graphRoutes = [
  createRoute({
    path: '/graph',
    getParentRoute: () => workspaceRoute,
    /** `node`: UIDs with commas; `layout`: a shared picture; `view`: "table", or the picture. */
    validateSearch: (search: Record<string, unknown>) => texts(search, ['node', 'layout', 'view']),
    component: lazyRouteComponent(() => import('./graph-page.tsx'), 'GraphPage'),
  }),
] as const;
