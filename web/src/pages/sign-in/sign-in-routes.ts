import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { texts } from '../../app/search-params.ts';
import { rootRoute } from '../../app/workspace-route.ts';

export const signInRoutes = [
  createRoute({
    path: '/sign-in',
    getParentRoute: () => rootRoute,
    validateSearch: (search) => texts(search, ['returnTo']),
    component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
  }),
  createRoute({
    path: '/reset-password',
    getParentRoute: () => rootRoute,
    validateSearch: (search) => texts(search, ['token']),
    component: lazyRouteComponent(() => import('./reset-password-page.tsx'), 'ResetPasswordPage'),
  }),
  /** Where a sign-in at an identity provider comes back to (server, hand-over of the session). */
  createRoute({
    path: '/signed-in',
    getParentRoute: () => rootRoute,
    validateSearch: (search) => texts(search, ['code', 'returnTo']),
    component: lazyRouteComponent(() => import('./signed-in-page.tsx'), 'SignedInPage'),
  }),
] as const;
