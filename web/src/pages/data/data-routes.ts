import { createRoute } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/workspace-route.ts';
import { lazyPage } from '../../ui/lazy-part.tsx';
import { readDataAddress } from './data-address.ts';

export const dataRoutes = [
  createRoute({
    path: '/data/{-$type}',
    getParentRoute: () => workspaceRoute,
    validateSearch: readDataAddress,
    component: lazyPage(() => import('./data-page.tsx'), 'DataPage'),
  }),
] as const;
