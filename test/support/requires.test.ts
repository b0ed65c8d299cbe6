import { afterEach, expect, it, vi } from 'vitest';
import { requireRoot } from './requires.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

function runAs(uid: number, ci: string): void {
  vi.spyOn(process, 'getuid').mockReturnValue(uid);
  vi.stubEnv('CI', ci);
}

it('skips without root, and not with it', () => {
  runAs(1_000, '');
  expect(requireRoot()).toBe(true);
  runAs(0, '');
  expect(requireRoot()).toBe(false);
});

it('fails instead of skipping with CI=true', () => {
  runAs(1_000, 'true');
  expect(() => requireRoot()).toThrow(
    'this test needs root, and with CI=true nothing may be skipped',
  );
  runAs(0, 'true');
  expect(requireRoot()).toBe(false);
});
