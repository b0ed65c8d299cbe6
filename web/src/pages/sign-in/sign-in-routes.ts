import { createRoute, redirect } from '@tanstack/react-router';
import { texts } from '../../app/search-params.ts';
import { session } from '../../app/session.ts';
import { rootRoute } from '../../app/workspace-route.ts';
import { lazyPage } from '../../ui/lazy-part.tsx';
import { keepRequest } from './kept-request.ts';

export const signInRoutes = [
  createRoute({
    path: '/sign-in',
    getParentRoute: () => rootRoute,
    validateSearch: (search) => texts(search, ['returnTo']),
    component: lazyPage(() => import('./sign-in-page.tsx'), 'SignInPage'),
  }),
  createRoute({
    path: '/reset-password',
    getParentRoute: () => rootRoute,
    validateSearch: (search) => texts(search, ['token']),
    component: lazyPage(() => import('./reset-password-page.tsx'), 'ResetPasswordPage'),
  }),
  /** Where a sign-in at an identity provider comes back to (server, hand-over of the session). */
  createRoute({
    path: '/signed-in',
    getParentRoute: () => rootRoute,
    validateSearch: (search) => texts(search, ['code', 'returnTo']),
    component: lazyPage(() => import('./signed-in-page.tsx'), 'SignedInPage'),
  }),
  /** Where an MCP client sends the browser of a user (server, OAuth). */
  createRoute({
    path: '/authorize',
    getParentRoute: () => rootRoute,
    validateSearch: (search) => texts(search, ['request']),
    beforeLoad: ({ search }) => {
      keepRequest(search.request);
      if (session.current !== undefined) return;
      throw redirect({ to: '/sign-in', search: { returnTo: '/authorize' }, replace: true });
    },
    component: lazyPage(() => import('./authorize-page.tsx'), 'AuthorizePage'),
  }),
] as const;
