import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/workspace-route.ts';

export const tourRoutes = [
  createRoute({
    path: '/tour',
    getParentRoute: () => workspaceRoute,
    component: lazyRouteComponent(() => import('./tour-page.tsx'), 'TourPage'),
  }),
] as const;
