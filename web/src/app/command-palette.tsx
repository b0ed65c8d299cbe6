import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { ArrowRight, Search } from 'lucide-react';
import { useDeferredValue, useRef, useState } from 'react';
import type { Viewer } from '../api/viewer.ts';
import { NAVIGATION_ICONS } from './navigation-icons.ts';
import { navigationOf } from './navigation.ts';
import { usePaletteActions, usePaletteSettings } from './palette/palette-actions.ts';
import {
  FIND_CHARACTERS_MIN,
  usePaletteEndpoints,
  usePaletteNodes,
  usePalettePeople,
} from './palette/palette-finds.ts';
import type { PaletteItem } from './palette/palette-item.ts';
import { type Group, rankedGroups } from './palette/palette-ranking.ts';
import type { TypedAhead } from './palette/typed-ahead.ts';

interface PaletteProps {
  readonly viewer: Viewer;
  readonly typed: TypedAhead;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const LABEL = 'Find a page, a node or an action';
/** Of a group while something is looked for. */
const ITEMS_SHOWN = 7;

/**
 * Everywhere by a few letters: pages, actions, endpoints, people and settings, as the viewer may
 * use them, and nodes that the search finds.
 */
export function CommandPalette({ viewer, typed, isOpen, onClose }: PaletteProps) {
  const { pathname } = useRouter().state.location;
  // Whoever goes to a page goes on from its heading; whoever does not, from where they were.
  const returnsFocus = useRef(true);
  const choose = (item: PaletteItem) => {
    returnsFocus.current = item.staysHere === true;
    onClose();
    void Promise.resolve(item.go()).then(() => {
      const isSamePage = location.hash.slice(1).split('?')[0] === pathname;
      if (!item.staysHere && isSamePage) document.querySelector<HTMLElement>('main h1')?.focus();
    });
  };
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup
          aria-label={LABEL}
          finalFocus={() => returnsFocus.current}
          className="fixed top-[min(12vh,6rem)] left-1/2 z-40 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-card border bg-raised shadow-raised outline-none"
        >
          <Palette viewer={viewer} typed={typed} onChoose={choose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface OpenPaletteProps {
  readonly viewer: Viewer;
  readonly typed: TypedAhead;
  readonly onChoose: (item: PaletteItem) => void;
}

function Palette({ viewer, typed, onChoose }: OpenPaletteProps) {
  const [query, setQuery] = useState('');
  const groups = usePaletteGroups(viewer, query);
  return (
    <Autocomplete.Root
      inline
      open
      items={groups}
      mode="none"
      autoHighlight="always"
      value={query}
      onValueChange={setQuery}
      itemToStringValue={(item: PaletteItem) => item.label}
    >
      <div className="flex items-center gap-2 border-b px-4">
        <Search className="size-4 shrink-0 text-muted" aria-hidden />
        <Autocomplete.Input
          aria-label={LABEL}
          placeholder={LABEL}
          onFocus={() => {
            const ahead = typed.take();
            if (query === '' && ahead !== '') setQuery(ahead);
          }}
          className="h-12 w-full bg-transparent outline-none"
        />
      </div>
      <Autocomplete.Empty className="empty:hidden px-4 py-6 text-center text-muted">
        Nothing matches.
      </Autocomplete.Empty>
      <Autocomplete.List className="max-h-[min(55dvh,30rem)] scroll-py-2 overflow-y-auto p-1 empty:hidden">
        {(group: Group<PaletteItem>) => (
          <Autocomplete.Group key={group.title} items={group.items}>
            <Autocomplete.GroupLabel className="px-3 pt-2 pb-1 text-xs font-medium text-muted">
              {group.title}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(item: PaletteItem) => (
                <PaletteOption key={item.key} item={item} onChoose={onChoose} />
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

interface OptionProps {
  readonly item: PaletteItem;
  readonly onChoose: (item: PaletteItem) => void;
}

function PaletteOption({ item, onChoose }: OptionProps) {
  const { label, hint, icon: Icon } = item;
  return (
    <Autocomplete.Item
      value={item}
      onClick={() => onChoose(item)}
      className="option flex items-center gap-2.5 px-3 py-2"
    >
      <Icon className="size-4 shrink-0 text-muted" aria-hidden />
      <bdi className="min-w-0 flex-1 truncate">{label}</bdi>
      <span className="max-w-32 shrink-0 truncate text-[13px] text-muted">{hint}</span>
    </Autocomplete.Item>
  );
}

/** What is named exactly is the first, in whatever group it is. */
function usePaletteGroups(viewer: Viewer, query: string): readonly Group<PaletteItem>[] {
  const navigate = useNavigate();
  const text = useDeferredValue(query.trim());
  const pages = navigationOf(viewer).flatMap(({ title, items }) =>
    items.map(({ to, label, words = '' }) => {
      const icon = NAVIGATION_ICONS[to] ?? ArrowRight;
      const go = () => navigate({ to });
      return { key: to, label, hint: title, words: `${title} ${words}`, icon, go };
    }),
  );
  const groups: readonly Group<PaletteItem>[] = [
    { title: 'Pages', items: pages },
    { title: 'Actions', items: usePaletteActions(viewer) },
    { title: 'Endpoints', items: usePaletteEndpoints(viewer, text) },
    { title: 'Users and teams', items: usePalettePeople(viewer, text) },
    { title: 'Nodes', items: usePaletteNodes(text) },
    { title: 'Settings', items: usePaletteSettings(viewer) },
  ];
  const itemsMax = text === '' ? Infinity : ITEMS_SHOWN;
  const found = rankedGroups(groups, text, { itemsMax });
  if (text.length < FIND_CHARACTERS_MIN) return found;
  const search: PaletteItem = {
    key: 'search',
    label: `Search for “${text}”`,
    hint: 'Search',
    icon: Search,
    go: () => navigate({ to: '/', search: { q: text } }),
  };
  return [...found, { title: 'Search', items: [search] }];
}
