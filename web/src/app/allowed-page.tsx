import { Link, Outlet, useMatches } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import type { Viewer } from '../api/viewer.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { mayOpen, NAVIGATION, navigationItemAt, navigationOf } from './navigation.ts';
import type { NavigationItem } from './navigation-group.ts';
import { NavigationIcon } from './navigation-icon.tsx';

/** The page of the address; for a viewer who has no right to it, what they may open instead. */
export function AllowedPage({ viewer }: { readonly viewer: Viewer }) {
  // Of what the outlet shows: the location is ahead of it while the next page is loaded.
  const pathname = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? '/' });
  const item = navigationItemAt(NAVIGATION, pathname);
  if (item === undefined || mayOpen(item, viewer)) return <Outlet />;
  return <PageNotAllowed item={item} viewer={viewer} />;
}

/** It asks the server for nothing: that would be refused. */
function PageNotAllowed({
  item: { label },
  viewer,
}: {
  readonly item: NavigationItem;
  readonly viewer: Viewer;
}) {
  const pages = navigationOf(viewer).flatMap(({ items }) => items);
  return (
    <>
      <PageHeader title={label} />
      <EmptyState
        icon={Lock}
        title="You may not open this page"
        action={
          <ul aria-label="Pages that you may open" className="flex flex-wrap justify-center gap-2">
            {pages.map(({ to, label: text }) => (
              <li key={to}>
                <Link
                  to={to}
                  className="flex items-center gap-2 rounded-control border px-2.5 py-1 hover:bg-sunken"
                >
                  <NavigationIcon to={to} className="text-muted" />
                  {text}
                </Link>
              </li>
            ))}
          </ul>
        }
      >
        You are signed in as {viewer.name}. Ask an administrator for the right to “{label}”, or go
        on with one of these pages.
      </EmptyState>
    </>
  );
}
