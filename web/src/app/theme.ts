import { useSyncExternalStore } from 'react';

export type ThemeChoice = 'system' | 'light' | 'dark';

const KEY = 'trellis.theme';

/** Light, dark, or as the system has it; kept in the browser, and followed by every tab. */
class Theme {
  readonly #listeners = new Set<() => void>();
  #systemIsDark: boolean;

  constructor() {
    const system = matchMedia('(prefers-color-scheme: dark)');
    // Chromium tells no change that somebody has read by `matches` before: it is read once.
    this.#systemIsDark = system.matches;
    system.addEventListener('change', ({ matches }) => {
      this.#systemIsDark = matches;
      this.#apply();
    });
    window.addEventListener('storage', () => this.#apply());
    this.#apply();
  }

  get choice(): ThemeChoice {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  }

  get isDark(): boolean {
    return this.choice === 'system' ? this.#systemIsDark : this.choice === 'dark';
  }

  choose(choice: ThemeChoice): void {
    localStorage.setItem(KEY, choice);
    this.#apply();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #apply(): void {
    document.documentElement.dataset['theme'] = this.isDark ? 'dark' : 'light';
    for (const listener of this.#listeners) listener();
  }
}

export const theme = new Theme();

export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(theme.subscribe, () => theme.choice);
}

/** For what draws on a canvas, and reads the tokens itself. */
export function useIsDark(): boolean {
  return useSyncExternalStore(theme.subscribe, () => theme.isDark);
}
