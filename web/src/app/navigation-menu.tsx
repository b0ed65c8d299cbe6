import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Viewer } from '../api/viewer.ts';
import { navigationItemAt, navigationOf } from './navigation.ts';

export function NavigationMenu({ viewer }: { readonly viewer: Viewer | undefined }) {
  const pathname = useLocation({ select: (location) => location.pathname });
  const groups = viewer === undefined ? [] : navigationOf(viewer);
  const current = navigationItemAt(groups, pathname)?.to;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The list is longer than most screens.
    list.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <nav aria-label="Pages" className="flex h-full flex-col">
      <a
        // Whole, as a link that begins with "#" is taken for one that skips to a place on the page.
        href={new URL('#/', location.href).href}
        className="flex h-13 shrink-0 items-center gap-2.5 border-b px-4 font-semibold"
      >
        <img src="./icon.svg" alt="" className="size-7" />
        Trellis
      </a>
      <div ref={list} className="min-h-0 flex-1 overflow-y-auto px-2 py-3">
        {groups.map(({ title, items }) => (
          <section key={title} aria-label={title} className="mb-4">
            <p className="px-2 pb-1 text-xs font-medium text-muted">{title}</p>
            <ul>
              {items.map(({ to, label, icon: Icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    activeOptions={{ exact: to !== current, includeSearch: false }}
                    className="flex h-8 items-center gap-2.5 rounded-control px-2 text-ink hover:bg-sunken aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent-strong"
                  >
                    <Icon className="size-4 shrink-0" aria-hidden />
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </nav>
  );
}
