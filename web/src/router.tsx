import { createHashHistory, createRouter } from '@tanstack/react-router';
import { PageFailure } from './app/page-failure.tsx';
import { notFoundRoute, rootRoute, workspaceRoute } from './app/workspace-route.ts';
import { adminRoutes } from './pages/admin/admin-routes.ts';
import { assistantRoutes } from './pages/assistant/assistant-routes.ts';
import { contentRoutes } from './pages/content/content-routes.ts';
import { dataRoutes } from './pages/data/data-routes.ts';
import { endpointRoutes } from './pages/endpoints/endpoint-routes.ts';
import { exploreRoutes } from './pages/explore/explore-routes.ts';
import { manageRoutes } from './pages/manage/manage-routes.ts';
import { signInRoutes } from './pages/sign-in/sign-in-routes.ts';
import { Skeleton } from './ui/skeleton.tsx';

const routeTree = rootRoute.addChildren([
  ...signInRoutes,
  workspaceRoute.addChildren([
    ...exploreRoutes,
    ...assistantRoutes,
    ...endpointRoutes,
    ...manageRoutes,
    ...contentRoutes,
    ...dataRoutes,
    ...adminRoutes,
    notFoundRoute,
  ]),
]);

/**
 * State is in the hash: so the server need not know the pages, and a page can be shared as it is.
 */
export const router = createRouter({
  routeTree,
  history: createHashHistory(),
  defaultPreload: 'intent',
  defaultPendingComponent: Skeleton,
  defaultErrorComponent: PageFailure,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
