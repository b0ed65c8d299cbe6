import { afterEach, expect, test, vi } from 'vitest';

/** As Chromium's: a change that was seen by a reading of `matches` is told to nobody. */
class MediaQuery extends EventTarget {
  isTrue = false;
  #seen = false;

  get matches(): boolean {
    return (this.#seen = this.isTrue);
  }

  /** What the browser does before it draws. */
  tell(): void {
    if (this.#seen === this.isTrue) return;
    this.#seen = this.isTrue;
    this.dispatchEvent(Object.assign(new Event('change'), { matches: this.isTrue }));
  }
}

afterEach(() => vi.unstubAllGlobals());

test('follows the system, whoever asks for the theme in between', async () => {
  const system = new MediaQuery();
  const dataset: Record<string, string> = {};
  vi.stubGlobal('matchMedia', () => system);
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', { documentElement: { dataset } });
  vi.stubGlobal('localStorage', { getItem: () => null });
  const { theme } = await import('./theme.ts');
  expect(dataset).toEqual({ theme: 'light' });

  system.isTrue = true;
  expect(theme.isDark).toBe(false);
  system.tell();
  expect(theme.isDark).toBe(true);
  expect(dataset).toEqual({ theme: 'dark' });
});
