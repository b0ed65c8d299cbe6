import { useLocation, useNavigate } from '@tanstack/react-router';
import { Menu as MenuIcon, Search, X } from 'lucide-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { type Viewer, viewerQuery } from '../api/viewer.ts';
import { IconButton } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { ErrorPanel } from '../ui/error-panel.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { AllowedPage } from './allowed-page.tsx';
import { Banners } from './banners.tsx';
import { ConnectionIndicator } from './connection-indicator.tsx';
import { NavigationMenu } from './navigation-menu.tsx';
import { useTypedAhead } from './palette/typed-ahead.ts';
import { usePreloadedPages } from './preloaded-pages.ts';
import { useSession } from './session.ts';
import { lazyPart } from '../ui/lazy-part.tsx';

// What floats above the page comes after it: the first page is there sooner.
const CommandPalette = lazyPart(async () => (await import('./command-palette.tsx')).CommandPalette);
const UserMenu = lazyPart(async () => (await import('./user-menu.tsx')).UserMenu);

/** The frame of every page: menu, palette, state of the connection, and the page itself. */
export function Shell() {
  const isSignedIn = useSession() !== undefined;
  const viewer = useQuery({ ...viewerQuery, enabled: isSignedIn });
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);
  const typed = useTypedAhead(isPaletteOpen);
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const { pathname } = useLocation();
  useSignInWhenSessionEnds(isSignedIn);
  usePreloadedPages(viewer.data);
  usePaletteKey(() => setIsPaletteOpen(true));
  useEffect(() => setIsMenuOpen(false), [pathname]);
  useEscape(isMenuOpen, () => setIsMenuOpen(false));

  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
      <SkipLink />
      <div
        className={classNames(
          // Below the bar, whose button closes it.
          'fixed top-13 bottom-0 left-0 z-30 w-60 border-r bg-surface lg:sticky lg:top-0 lg:block lg:h-dvh lg:w-auto',
          !isMenuOpen && 'hidden',
        )}
      >
        <NavigationMenu viewer={viewer.data} isOpened={isMenuOpen} />
      </div>
      {isMenuOpen && (
        <div
          className="fixed inset-x-0 top-13 bottom-0 z-20 bg-black/40 lg:hidden"
          aria-hidden
          onClick={() => setIsMenuOpen(false)}
        />
      )}
      <div className="flex min-w-0 flex-col">
        <TopBar
          viewer={viewer.data}
          isMenuOpen={isMenuOpen}
          onMenu={() => setIsMenuOpen(!isMenuOpen)}
          onPalette={() => setIsPaletteOpen(true)}
        />
        <main id="content" tabIndex={-1} className="min-w-0 flex-1 px-3 py-5 outline-none lg:px-6">
          <Banners />
          {viewer.isError ? (
            <ErrorPanel
              title="Your user could not be read"
              error={viewer.error}
              onRetry={viewer.refetch}
            />
          ) : viewer.data === undefined ? (
            <Skeleton />
          ) : (
            <AllowedPage viewer={viewer.data} />
          )}
        </main>
      </div>
      {viewer.data !== undefined && isPaletteOpen && (
        <Suspense>
          <CommandPalette
            viewer={viewer.data}
            typed={typed}
            isOpen
            onClose={() => setIsPaletteOpen(false)}
          />
        </Suspense>
      )}
    </div>
  );
}

interface TopBarProps {
  readonly viewer: Viewer | undefined;
  readonly isMenuOpen: boolean;
  readonly onMenu: () => void;
  readonly onPalette: () => void;
}

function TopBar({ viewer, isMenuOpen, onMenu, onPalette }: TopBarProps) {
  return (
    <header className="sticky top-0 z-10 flex h-13 items-center gap-2 border-b bg-surface px-3 lg:px-6">
      <IconButton
        icon={isMenuOpen ? X : MenuIcon}
        label={isMenuOpen ? 'Close menu' : 'Open menu'}
        aria-expanded={isMenuOpen}
        className="lg:hidden"
        onClick={onMenu}
      />
      <PaletteButton onOpen={onPalette} />
      <div className="ml-auto flex items-center gap-2">
        <ConnectionIndicator />
        <Suspense>{viewer !== undefined && <UserMenu viewer={viewer} />}</Suspense>
      </div>
    </header>
  );
}

function SkipLink() {
  return (
    <a
      href="#content"
      className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-control focus:bg-raised focus:px-3 focus:py-2 focus:shadow-raised"
      onClick={(event) => {
        // The hash is the address of the page.
        event.preventDefault();
        document.getElementById('content')?.focus();
      }}
    >
      Skip to content
    </a>
  );
}

function PaletteButton({ onOpen }: { readonly onOpen: () => void }) {
  return (
    <button
      type="button"
      onClick={onOpen}
      className="flex h-9 min-w-0 items-center gap-2 rounded-control border border-line-strong/50 bg-canvas px-3 text-muted hover:bg-sunken sm:w-72"
    >
      <Search className="size-4 shrink-0" aria-hidden />
      <span className="truncate">Find or do anything</span>
      <kbd className="ml-auto hidden shrink-0 whitespace-nowrap rounded border bg-surface px-1.5 font-mono text-xs sm:inline">
        Ctrl K
      </kbd>
    </button>
  );
}

function usePaletteKey(open: () => void): void {
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** While the menu is open over the page. */
function useEscape(isOpen: boolean, close: () => void): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    if (!isOpen) return undefined;
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') latest.current();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [isOpen]);
}

/** The page stays in the address, so that signing in comes back to it. */
function useSignInWhenSessionEnds(isSignedIn: boolean): void {
  const navigate = useNavigate();
  const { href } = useLocation();
  const isLeaving = useRef(false);
  useEffect(() => {
    if (isSignedIn || isLeaving.current) return;
    isLeaving.current = true;
    const search = href === '/' ? {} : { returnTo: href };
    void navigate({ to: '/sign-in', search, replace: true });
  }, [isSignedIn, href, navigate]);
}
