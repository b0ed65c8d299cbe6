import { createRootRoute, createRoute, redirect } from '@tanstack/react-router';
import { PageNotFound } from './page-failure.tsx';
import { session } from './session.ts';
import { Shell } from './shell.tsx';

export const rootRoute = createRootRoute();

/**
 * The parent of every page that needs a session: without one the viewer signs in first, and comes
 * back.
 */
export const workspaceRoute = createRoute({
  id: 'workspace',
  getParentRoute: () => rootRoute,
  component: Shell,
  beforeLoad: ({ location }) => {
    if (session.current !== undefined) return;
    const search = location.href === '/' ? {} : { returnTo: location.href };
    throw redirect({ to: '/sign-in', search, replace: true });
  },
});

/** Every other address, in the frame of the workspace. */
export const notFoundRoute = createRoute({
  path: '$',
  getParentRoute: () => workspaceRoute,
  component: PageNotFound,
});
