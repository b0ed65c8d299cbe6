import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ReactNode, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { session } from './app/session.ts';
import { router } from './router.tsx';
import { lazyPart } from './ui/lazy-part.tsx';
import './styles/main.css';

// What one user saw must not be there for the next.
session.subscribe(() => {
  if (session.current === undefined) queryClient.clear();
  void router.invalidate();
});

const ToastViewport = lazyPart(async () => (await import('./ui/toast-viewport.tsx')).ToastViewport);

/** Within the router, as what a toast says may have a link. */
function WithToasts({ children }: { readonly children: ReactNode }) {
  return (
    <>
      {children}
      <Suspense>
        <ToastViewport />
      </Suspense>
    </>
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element "root"');
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} InnerWrap={WithToasts} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
