import { createRoute } from '@tanstack/react-router';
import { texts } from '../../app/search-params.ts';
import { rootRoute } from '../../app/workspace-route.ts';
import { lazyPage } from '../../ui/lazy-part.tsx';

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
] as const;
