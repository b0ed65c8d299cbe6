import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Box, type LucideIcon, Search } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { client } from '../api/client.ts';
import { completedQuery } from '../api/completed-query.ts';
import { labelOf } from '../api/node-label.ts';
import type { Viewer } from '../api/viewer.ts';
import { navigationOf } from './navigation.ts';

interface PaletteProps {
  readonly viewer: Viewer;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

interface PaletteItem {
  readonly key: string;
  readonly label: string;
  readonly kind: string;
  readonly icon: LucideIcon;
  readonly go: () => unknown;
}

const NODES_SHOWN = 6;
const NODE_QUERY_CHARACTERS_MIN = 2;

/** Everywhere by a few letters: the pages that the viewer has, and nodes that the search finds. */
export function CommandPalette(props: PaletteProps) {
  return (
    <Dialog.Root open={props.isOpen} onOpenChange={(open) => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup
          aria-label="Find a page or a node"
          className="fixed top-[12vh] left-1/2 z-40 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-card border bg-raised shadow-raised outline-none"
        >
          <Palette {...props} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Palette({ viewer, onClose }: PaletteProps) {
  const [query, setQuery] = useState('');
  const items = usePaletteItems(viewer, query);
  const choose = (item: PaletteItem) => {
    onClose();
    void item.go();
  };
  return (
    <Autocomplete.Root
      inline
      open
      items={items}
      mode="none"
      autoHighlight="always"
      value={query}
      onValueChange={setQuery}
      itemToStringValue={(item: PaletteItem) => item.label}
    >
      <div className="flex items-center gap-2 border-b px-4">
        <Search className="size-4 shrink-0 text-muted" aria-hidden />
        <Autocomplete.Input
          aria-label="Find a page or a node"
          placeholder="Find a page or a node"
          className="h-12 w-full bg-transparent outline-none"
        />
      </div>
      <Autocomplete.Empty className="empty:hidden px-4 py-6 text-center text-muted">
        No page or node matches.
      </Autocomplete.Empty>
      <Autocomplete.List className="max-h-[50vh] overflow-y-auto p-1 empty:hidden">
        {(item: PaletteItem) => (
          <Autocomplete.Item
            key={item.key}
            value={item}
            onClick={() => choose(item)}
            className="flex items-center gap-2.5 rounded-control px-3 py-2 outline-none select-none data-highlighted:bg-sunken"
          >
            <item.icon className="size-4 shrink-0 text-muted" aria-hidden />
            <span className="min-w-0 flex-1 truncate">{item.label}</span>
            <span className="text-[13px] text-muted">{item.kind}</span>
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

function usePaletteItems(viewer: Viewer, query: string): PaletteItem[] {
  const navigate = useNavigate();
  const text = useDeferredValue(query.trim());
  const words = text.toLowerCase().split(/\s+/);
  const { data: nodes } = useQuery({
    queryKey: ['palette', text],
    queryFn: ({ signal }) =>
      client.system.search({ query: completedQuery(text), take: NODES_SHOWN }, { signal }),
    enabled: text.length >= NODE_QUERY_CHARACTERS_MIN,
    placeholderData: (last) => last,
  });
  const pages = navigationOf(viewer)
    .flatMap(({ title, items }) => items.map((item) => ({ ...item, title })))
    .filter(({ label, title, words: more = '' }) => {
      const said = `${label} ${title} ${more}`.toLowerCase();
      return words.every((word) => said.includes(word));
    })
    .map(({ to, label, title, icon }) => ({
      key: to,
      label,
      kind: title,
      icon,
      go: () => navigate({ to }),
    }));
  if (text.length < NODE_QUERY_CHARACTERS_MIN) return pages;
  const search: PaletteItem = {
    key: 'search',
    label: `Search for “${text}”`,
    kind: 'Search',
    icon: Search,
    go: () => navigate({ to: '/', search: { q: text } }),
  };
  const found = (nodes?.hits ?? []).map(({ node }) => ({
    key: node.UID,
    label: labelOf(node),
    kind: node.Type,
    icon: Box,
    go: () => navigate({ to: '/node/$uid', params: { uid: node.UID } }),
  }));
  return [...pages, ...found, search];
}
