import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Viewer } from '../api/viewer.ts';
import { parts } from '../ui/lazy-part.tsx';
import { mayOpen, NAVIGATION, navigationItemAt } from './navigation.ts';

/** The page that was asked for comes first. */
const PAUSE_MS = 3_000;
const IDLE_WAIT_MS = 2_000;

/**
 * Fetches the code of the viewer's pages while the browser has nothing else to do: when the server
 * is away, those can be opened all the same.
 */
export function usePreloadedPages(viewer: Viewer | undefined): void {
  const router = useRouter();
  useEffect(() => {
    if (viewer === undefined || savesData()) return undefined;
    const leaving = new AbortController();
    const pages = Object.values(router.routesById).filter(({ fullPath }) => {
      const item = navigationItemAt(NAVIGATION, fullPath);
      return item === undefined || mayOpen(item, viewer);
    });
    const preloads = pages.flatMap(({ options }) => preloadOf(options.component) ?? []);
    const timer = setTimeout(() => void loadWhenIdle(preloads, leaving.signal), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [router, viewer]);
}

type Preload = () => Promise<unknown>;

function preloadOf(component: unknown): Preload | undefined {
  const preload: unknown = Object(component).preload;
  return typeof preload === 'function' ? (preload as Preload) : undefined;
}

async function loadWhenIdle(preloads: readonly Preload[], signal: AbortSignal): Promise<void> {
  // Pages first: their parts are known when they are there.
  for (const some of [preloads, parts]) {
    for (const preload of some) {
      await idle();
      if (signal.aborted) return;
      await preload();
    }
  }
}

function idle(): Promise<unknown> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: IDLE_WAIT_MS });
    else setTimeout(resolve, IDLE_WAIT_MS);
  });
}

/** Where the user asked the browser to fetch less. */
function savesData(): boolean {
  return Object(Reflect.get(navigator, 'connection')).saveData === true;
}
