import { Link, useLocation } from '@tanstack/react-router';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { Viewer } from '../api/viewer.ts';
import { navigationItemAt, navigationOf } from './navigation.ts';
import type { NavigationGroup } from './navigation-group.ts';
import { NavigationIcon } from './navigation-icon.tsx';

interface NavigationMenuProps {
  readonly viewer: Viewer | undefined;
  /** Whether it was opened where the screen is narrow. */
  readonly isOpened: boolean;
}

export function NavigationMenu({ viewer, isOpened }: NavigationMenuProps) {
  const pathname = useLocation({ select: (location) => location.pathname });
  const groups = viewer === undefined ? [] : navigationOf(viewer);
  const current = navigationItemAt(groups, pathname)?.to;
  const folding = useFoldedGroups(groups);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Opened as a whole, the list is longer than most screens.
    list.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });
  }, [current, isOpened]);
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
        {groups.map((group) => (
          <Group
            key={group.title}
            group={group}
            current={current}
            isOpen={folding.isOpen(group, current)}
            onToggle={() => folding.toggle(group, current)}
          />
        ))}
      </div>
    </nav>
  );
}

interface GroupProps {
  readonly group: NavigationGroup;
  readonly current: string | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** Folded, it shows the current page alone, or nothing. */
function Group({ group: { title, items }, current, isOpen, onToggle }: GroupProps) {
  const id = useId();
  const Arrow = isOpen ? ChevronDown : ChevronRight;
  return (
    <section aria-label={title} className="mb-2">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={onToggle}
        className="flex h-7 w-full items-center gap-1 rounded-control px-2 text-xs font-medium text-muted hover:bg-sunken"
      >
        {title}
        <Arrow className="ml-auto size-3.5 shrink-0" aria-hidden />
      </button>
      <ul id={id}>
        {items.map(({ to, label }) => (
          <li key={to} hidden={!isOpen && to !== current}>
            <Link
              to={to}
              activeOptions={{ exact: to !== current, includeSearch: false }}
              className="flex h-8 items-center gap-2.5 rounded-control px-2 text-ink hover:bg-sunken aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent-strong"
            >
              <NavigationIcon to={to} />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

const KEY = 'trellis.menu';
/** A menu of so many pages fits every screen. */
const UNFOLDED_MAX = 12;

/**
 * Which groups are folded: as this browser's user left them. Before that a long menu shows two: the
 * first, and that of the current page, which fit most screens.
 */
function useFoldedGroups(groups: readonly NavigationGroup[]) {
  const [chosen, setChosen] = useState<Readonly<Record<string, boolean>>>(readChosen);
  const pages = groups.reduce((count, { items }) => count + items.length, 0);
  const isOpen = (group: NavigationGroup, current: string | undefined): boolean => {
    const at = groups.indexOf(group);
    const atCurrent = groups.findIndex(({ items }) => items.some(({ to }) => to === current));
    const isShown = at === 0 || at === atCurrent || (at === 1 && atCurrent <= 0);
    return chosen[group.title] ?? (pages <= UNFOLDED_MAX || isShown);
  };
  const toggle = (group: NavigationGroup, current: string | undefined): void => {
    const next = { ...chosen, [group.title]: !isOpen(group, current) };
    localStorage.setItem(KEY, JSON.stringify(next));
    setChosen(next);
  };
  return { isOpen, toggle };
}

function readChosen(): Record<string, boolean> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    const entries = Object.entries(Object(value));
    return Object.fromEntries(
      entries.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
    );
  } catch {
    return {};
  }
}
